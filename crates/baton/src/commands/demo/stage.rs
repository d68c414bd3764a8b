//! The folder that the demonstration plays in, and the program as it is started there.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use baton_engine::history::views::show;
use baton_engine::kernel::{Digest, Ending, Outcome as Came};
use baton_engine::project::people::Secret;
use baton_engine::project::plan::SHIPPED;
use baton_engine::project::store;

use crate::outcome::Failure;
use crate::runs::moment;

/// How long the gate waits here that only informs; its flow says hours.
pub(super) const INFORMATIVE_MS: u64 = 1_500;

/// Makes the table of scripts, one row for each agent.
macro_rules! scripts {
    ($($flow:literal: $($agent:literal),+;)+) => {
        &[$($(($flow, $agent, include_str!(concat!("../../../demo/", $flow, "/", $agent, ".toml"))),)+)+]
    };
}

/// What each agent plays.
const SCRIPTS: &[(&str, &str, &str)] = scripts! {
    "relay": "claude", "codex";
    "microloop": "author", "critic", "researcher";
    "orchestrate": "researcher", "writer", "validator", "linter", "tester", "auditor";
    "agency": "specification", "architecture", "security-check", "development", "delivery";
    "issue-to-pr": "issue-manager", "prep-agent", "implementer-agent", "reviewer-agent", "fixer-agent",
        "validator-agent", "closer-agent";
    "babel": "planner", "builder", "checker", "architect", "closer";
};

/// The folder, and what plays in it.
pub(super) struct Stage {
    root: PathBuf,
    program: PathBuf,
    key: String,
}

impl Stage {
    /// Writes flows, scripts and settings into a folder that has nothing in it.
    pub(super) fn build(folder: Option<&Path>, is_fast: bool) -> Result<Self, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::world(format!("cannot tell which program this is: {error}")))?;
        let root = match folder {
            Some(folder) => empty(folder)?,
            None => {
                let made = tempfile::Builder::new().prefix("baton-demo-").tempdir();
                made.map_err(|error| Failure::world(format!("cannot make a folder: {error}")))?.keep()
            }
        };
        // Made for this folder, and kept nowhere.
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| Failure::world(format!("cannot make a key: {error}")))?;
        let key = Digest(key).to_string();
        let public = Secret::from_text(&key).map(|key| key.older().public()).unwrap_or_default();
        let stage = Self { root, program, key };
        stage.write("baton.toml", &format!("# Whose answers count at the gates: a key that was made for this folder.\n[people]\nyou = \"{public}\"\n"))?;
        for (name, text) in SHIPPED {
            stage.write(&format!("flows/{name}.yaml"), &stage.reachable(name, text))?;
        }
        for (flow, agent, script) in SCRIPTS {
            let script = if is_fast { at_once(script) } else { (*script).to_owned() };
            stage.write(&format!("agents/{flow}/{agent}.toml"), &script)?;
        }
        Ok(stage)
    }

    /// A shipped flow with its agents reached by script, and the gate that only informs in a hurry.
    fn reachable(&self, flow: &str, text: &str) -> String {
        let mut is_agents = false;
        let mut lines = Vec::new();
        for line in text.lines() {
            is_agents = if line.starts_with(' ') { is_agents } else { line.starts_with("agents:") };
            let agent = line.trim_start().split(':').next().unwrap_or_default();
            let line = if is_agents && line.contains("{ dialect:") {
                let program = serde_json::Value::from(self.program.to_string_lossy());
                let script = format!("agents/{flow}/{agent}");
                line.replace(
                    " }",
                    &format!(
                        ", run: [{program}, scripted-agent, \"{script}.toml\", \"{script}.calls\"], restart: safe }}"
                    ),
                )
            } else {
                line.replace("due: 4h", &format!("due: {INFORMATIVE_MS}ms"))
            };
            lines.push(line);
        }
        lines.join("\n") + "\n"
    }

    fn write(&self, path: &str, text: &str) -> Result<(), Failure> {
        let there = self.root.join(path);
        let made = there.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&there, text))
            .map_err(|error| Failure::world(format!("cannot write {path}: {error}")))
    }

    /// Where it is.
    pub(super) fn folder(&self) -> String {
        self.root.display().to_string()
    }

    /// Says something about what is shown.
    pub(super) fn say(&self, text: &str) {
        // When nobody can hear it, there is nobody to tell.
        let _ = writeln!(anstream::stdout().lock(), "\x1b[2m–– {text}\x1b[0m");
    }

    /// The title of what comes.
    pub(super) fn title(&self, title: &str) -> Result<(), Failure> {
        Ok(writeln!(anstream::stdout().lock(), "\n\x1b[1m{title}\x1b[0m")?)
    }

    /// Brings the terminal back to what it was before something was killed that drew on it.
    pub(super) fn calm(&self) {
        if io::stdout().is_terminal() {
            let _ = writeln!(io::stdout().lock(), "\x1b[?25h");
        }
    }

    /// Runs a flow, until it is over or people are awaited.
    pub(super) fn run(&self, flow: &str, input: &str) -> Result<bool, Failure> {
        self.baton(&["run", flow, "--input", input, "--no-wait"])
    }

    /// Runs the program with arguments; says whether all was well.
    pub(super) fn baton(&self, arguments: &[&str]) -> Result<bool, Failure> {
        let mut child = self.start(arguments)?;
        let ended =
            child.wait().map_err(|error| Failure::world(format!("cannot wait for baton: {error}")))?;
        Ok(ended.success())
    }

    /// Starts the program with arguments.
    pub(super) fn start(&self, arguments: &[&str]) -> Result<Child, Failure> {
        let shown: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        let started = Command::new(&self.program)
            .args(shown)
            .current_dir(&self.root)
            .env("BATON_GATE_KEY", &self.key)
            .spawn();
        started.map_err(|error| Failure::world(format!("cannot start {}: {error}", self.program.display())))
    }

    /// The handoffs of a run so far.
    pub(super) fn handoffs(&self, run: &str) -> u32 {
        let Ok(Some(ledger)) = store::existing(&self.root) else { return 0 };
        show(&ledger, run, moment::now()).map_or(0, |view| view.state.handoffs())
    }

    /// The gate at which a run waits, if it does.
    pub(super) fn gate(&self, run: &str) -> Result<Option<String>, Failure> {
        let Some(ledger) = store::existing(&self.root)? else { return Ok(None) };
        let view = show(&ledger, run, moment::now())?;
        let open = view.pending.gates.first().and_then(|gate| view.state.plan().step(gate.step));
        Ok(open.map(|step| step.name.clone()))
    }

    /// On a terminal, where only the steps of a run were shown: what its log says that is worth a second look.
    pub(super) fn points(&self, run: &str, points: &[&str]) -> Result<(), Failure> {
        if points.is_empty() || !io::stdout().is_terminal() {
            return Ok(());
        }
        let told = Command::new(&self.program)
            .args(["log", run])
            .current_dir(&self.root)
            .env_remove("BATON_GATE_KEY")
            .output();
        let told = told.map_err(|error| Failure::world(format!("cannot start baton: {error}")))?;
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        self.say(&format!("of its log (`baton log {run}`):"));
        for line in told.lines().filter(|line| points.iter().any(|point| line.contains(point))) {
            writeln!(io::stdout().lock(), "{line}")?;
        }
        Ok(())
    }

    /// What a run came to, if it is over.
    pub(super) fn ending(&self, run: &str) -> Result<Option<Came>, Failure> {
        let Some(ledger) = store::existing(&self.root)? else { return Ok(None) };
        Ok(match show(&ledger, run, moment::now())?.state.ending() {
            Some(Ending::Finished(came)) => Some(*came),
            Some(Ending::Halted(_) | Ending::Cancelled(_)) | None => None,
        })
    }
}

/// A folder with nothing in it.
fn empty(folder: &Path) -> Result<PathBuf, Failure> {
    let failed = |error: io::Error| Failure::world(format!("cannot use {}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    if fs::read_dir(folder).map_err(failed)?.next().is_some() {
        return Err(Failure::Refused {
            message: format!("{} has something in it", folder.display()),
            hint: Some("name a folder that is empty or not there yet".to_owned()),
        });
    }
    folder.canonicalize().map_err(failed)
}

/// A script without its pauses.
fn at_once(script: &str) -> String {
    let lines = script.lines().filter(|line| !line.trim_start().starts_with("{ wait_ms"));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}
