//! Claude Code as an agent, with a scripted model: each delivery is a turn of work and one for the handoff.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::stand_in::{self, Note};
use super::{Idle, project, run};
use crate::agents::Stage;
use crate::bench::figures::median;

const TURNS: usize = 4;
/// Deliveries in a turn.
const STEPS: usize = 4;

/// The time in which no agent ran, for each delivery; and in words how long its turns took.
pub(super) fn measure(baton: &Path) -> Result<(Idle, String)> {
    let schema =
        Command::new(baton).args(["schema", "envelope"]).output().context("failed to start baton")?;
    let schema = String::from_utf8(schema.stdout).context("failed to read the schema")?;
    let mut idle = Idle::default();
    let (mut bare_turns, mut turns) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let place = project()?;
        let home = tempfile::tempdir().context("failed to make a home")?;
        let stage = Stage::of_claude(home.path())?;
        let (bare, through) = (place.path().join("bare"), place.path().join("through"));
        let program = stage.program.display().to_string();
        let words = stand_in::words(&["--agent", &through.display().to_string(), &program])?;
        let names: Vec<&str> = stage.variables.iter().map(|(name, _)| name.as_str()).collect();
        let steps: String = (0..STEPS)
            .map(|step| {
                format!("  - s{step}-good: {{ agent: ada, task: \"Play the step s{step}-good.\" }}\n")
            })
            .collect();
        let flow = format!(
            "flow: bench\nagents:\n  ada: {{ dialect: envelope, courier: claude, run: {words:?}, environment: {names:?} }}\nsteps:\n{steps}"
        );
        std::fs::write(place.path().join("flows/bench.yaml"), flow)?;
        let words = stand_in::words(&["--agent", &bare.display().to_string(), &program])?;
        for step in 0..STEPS {
            deliver(&stage, &words, place.path(), step, &schema)?;
        }
        run(baton, place.path(), "turn", &stage.variables)?;
        for (path, idle, turns) in
            [(&bare, &mut idle.bare, &mut bare_turns), (&through, &mut idle.through, &mut turns)]
        {
            let notes = stand_in::notes(path)?;
            ensure!(notes.len() == 2 * STEPS, "{} turns were taken in place of {}", notes.len(), 2 * STEPS);
            turns.extend(notes.iter().map(|note| note.ended - note.began));
            // The end of one delivery, and both turns of the next.
            idle.extend(notes.windows(3).skip(1).step_by(2).map(between));
        }
    }
    let words = format!(
        "One turn of Claude Code, with a model that answers at once, takes {:.0} ms bare and {:.0} ms through Baton.",
        median(&bare_turns),
        median(&turns)
    );
    Ok((idle, words))
}

fn between(notes: &[Note]) -> f64 {
    notes.windows(2).map(|pair| pair[1].began - pair[0].ended).sum()
}

/// The calls of a delivery to Claude Code, without Baton.
fn deliver(stage: &Stage, words: &[String], root: &Path, step: usize, schema: &str) -> Result<()> {
    let work = format!("Play the step s{step}-good.\n");
    let said = turn(stage, words, root, &[], &work)?;
    let session = said.split("\"session_id\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let session = session.context("Claude Code named no session")?;
    let handoff = format!(
        "Now write the handoff. You are `ada`, at the step `s{step}-good` of the flow `bench`. The time is 2026-03-02T10:15:00Z.\n"
    );
    turn(stage, words, root, &["--resume", session, "--json-schema", schema], &handoff)?;
    Ok(())
}

fn turn(stage: &Stage, words: &[String], root: &Path, more: &[&str], text: &str) -> Result<String> {
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .args(["-p", "--output-format", "stream-json", "--verbose"])
        .args(more)
        .current_dir(root)
        .envs(stage.variables.iter().cloned())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("failed to start Claude Code")?;
    child.stdin.take().context("it has a pipe")?.write_all(text.as_bytes())?;
    let output = child.wait_with_output().context("failed to wait for Claude Code")?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "Claude Code ended with {}:\n{said}", output.status);
    Ok(said)
}
