//! One flow of the real program with C programs as agents, and the same program started bare.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

/// Steps of the flow, and bare starts.
pub(super) const STEPS: usize = 200;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bench/hop/agent.c");

/// File in which agents record their start and end.
const NOTES: &str = "notes";

/// Compiles the agent into a folder.
pub(super) fn compile(folder: &Path) -> Result<PathBuf> {
    let agent = folder.join("agent");
    let status = Command::new("cc").args(["-O2", "-o"]).arg(&agent).arg(SOURCE).status();
    ensure!(status.context("failed to start cc, the C compiler")?.success(), "cc failed");
    Ok(agent)
}

/// Nanoseconds from the end of each bare start to the next start.
pub(super) fn bare(agent: &Path, folder: &Path) -> Result<Vec<f64>> {
    let folder = tempfile::tempdir_in(folder).context("failed to make a folder")?;
    for _ in 0..STEPS {
        let mut child = Command::new(agent)
            .arg(NOTES)
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .context("failed to start the agent")?;
        child.stdin.take().expect("it is piped").write_all(b"go").context("failed to speak to the agent")?;
        ensure!(child.wait().context("failed to wait")?.success(), "the agent failed");
    }
    gaps(&folder.path().join(NOTES))
}

/// Nanoseconds from the end of each agent to the start of the next, in a project in a folder.
pub(super) fn flow(program: &Path, agent: &Path, folder: &Path) -> Result<Vec<f64>> {
    let project = tempfile::tempdir_in(folder).context("failed to make a project")?;
    let root = project.path();
    fs::copy(agent, root.join("agent")).context("failed to copy the agent")?;
    fs::write(root.join("baton.toml"), "").context("failed to write baton.toml")?;
    fs::create_dir(root.join("flows")).context("failed to make a folder")?;
    fs::write(root.join("flows/row.yaml"), row()).context("failed to write the flow")?;
    // The project is a repository, so that Git finds no other around it.
    let is_made = Command::new("git").args(["init", "--quiet"]).current_dir(root).status();
    ensure!(is_made.context("failed to start git")?.success(), "git init failed");
    let ended = Command::new(program)
        .args(["run", "row"])
        .current_dir(root)
        .env_remove("BATON_LEDGER")
        .env("TMPDIR", folder)
        .stdin(Stdio::null())
        .output()
        .context("failed to start the program")?;
    ensure!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    gaps(&root.join(NOTES))
}

/// A row of steps, worked by two agents in turn.
fn row() -> String {
    let mut text = "flow: row\nagents:\n".to_owned();
    for name in ["ada", "ben"] {
        text += &format!("  {name}: {{ dialect: envelope, run: [./agent, {NOTES}], restart: safe }}\n");
    }
    text += "caps: { handoffs: 1000000, pair: 1000000 }\nsteps:\n";
    for step in 0..STEPS {
        text += &format!("  - s{step}: {}\n", if step % 2 == 0 { "ada" } else { "ben" });
    }
    text
}

fn gaps(notes: &Path) -> Result<Vec<f64>> {
    let text = fs::read_to_string(notes).context("failed to read what the agents recorded")?;
    let times = |line: &str| -> Result<(i64, i64)> {
        let (began, ended) = line.split_once(' ').context("no two times")?;
        Ok((began.parse()?, ended.parse()?))
    };
    let times: Vec<(i64, i64)> = text.lines().map(times).collect::<Result<_>>()?;
    ensure!(times.len() == STEPS, "{} of {STEPS} agents recorded their times", times.len());
    Ok(times.windows(2).map(|pair| (pair[1].0 - pair[0].1) as f64).collect())
}
