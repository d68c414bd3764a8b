//! The folder that the demonstration plays in, and the program as it is started there.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;

use baton_engine::service::project::people::Secret;
use baton_engine::service::project::plan::SHIPPED;

use baton_engine::service::project::Project;
use baton_engine::service::{Fault, RunSummary, RunsRequest, Service};

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
    pub(super) fn build(folder: Option<&Path>, is_fast: bool) -> Result<Self, Fault> {
        let program = std::env::current_exe()
            .map_err(|error| Fault::failed(format!("cannot tell which program this is: {error}")))?;
        let root = match folder {
            Some(folder) => empty(folder)?,
            None => {
                let made = tempfile::Builder::new().prefix("baton-demo-").tempdir();
                made.map_err(|error| Fault::failed(format!("cannot make a folder: {error}")))?.keep()
            }
        };
        // Made for this folder, and kept nowhere.
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| Fault::failed(format!("cannot make a key: {error}")))?;
        let key = key.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
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

    fn write(&self, path: &str, text: &str) -> Result<(), Fault> {
        let there = self.root.join(path);
        let made = there.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&there, text))
            .map_err(|error| Fault::failed(format!("cannot write {path}: {error}")))
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
    pub(super) fn title(&self, title: &str) -> Result<(), Fault> {
        Ok(writeln!(anstream::stdout().lock(), "\n\x1b[1m{title}\x1b[0m")?)
    }

    /// Brings the terminal back to what it was before something was killed that drew on it.
    pub(super) fn calm(&self) {
        if io::stdout().is_terminal() {
            let _ = writeln!(io::stdout().lock(), "\x1b[?25h");
        }
    }

    /// Runs a flow, until it is over or people are awaited.
    pub(super) fn run(&self, flow: &str, input: &str) -> Result<bool, Fault> {
        self.baton(&["run", flow, "--input", input, "--no-wait"])
    }

    /// Runs the program with arguments; says whether all was well.
    pub(super) fn baton(&self, arguments: &[&str]) -> Result<bool, Fault> {
        let mut child = self.start(arguments)?;
        let ended = child.wait().map_err(|error| Fault::failed(format!("cannot wait for baton: {error}")))?;
        Ok(ended.success())
    }

    /// Starts the program with arguments.
    pub(super) fn start(&self, arguments: &[&str]) -> Result<Child, Fault> {
        let shown: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        let started = Command::new(&self.program)
            .args(shown)
            .current_dir(&self.root)
            .env("BATON_GATE_KEY", &self.key)
            .spawn();
        started.map_err(|error| Fault::failed(format!("cannot start {}: {error}", self.program.display())))
    }

    /// The handoffs of a run so far.
    pub(super) fn handoffs(&self, run: &str) -> usize {
        self.stands(run).ok().flatten().map_or(0, |run| run.handoffs)
    }

    /// The gate at which a run waits, if it does.
    pub(super) fn gate(&self, run: &str) -> Result<Option<String>, Fault> {
        let gate = |run: RunSummary| run.awaits.into_iter().find(|one| one.kind == "gate");
        Ok(self.stands(run)?.and_then(gate).map(|one| one.step))
    }

    /// How a run stands, once it has started.
    fn stands(&self, run: &str) -> Result<Option<RunSummary>, Fault> {
        let service = Service::open(&Arc::new(Project::open(&self.root)));
        let request = RunsRequest { all: true, ..RunsRequest::default() };
        Ok(service.runs(&request)?.runs.into_iter().find(|one| one.run == run))
    }

    /// On a terminal, where only the steps of a run were shown: what its log says that is worth a second look.
    pub(super) fn points(&self, run: &str, points: &[&str]) -> Result<(), Fault> {
        if points.is_empty() || !io::stdout().is_terminal() {
            return Ok(());
        }
        let told = Command::new(&self.program)
            .args(["log", run])
            .current_dir(&self.root)
            .env_remove("BATON_GATE_KEY")
            .output();
        let told = told.map_err(|error| Fault::failed(format!("cannot start baton: {error}")))?;
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        self.say(&format!("of its log (`baton log {run}`):"));
        for line in told.lines().filter(|line| points.iter().any(|point| line.contains(point))) {
            writeln!(io::stdout().lock(), "{line}")?;
        }
        Ok(())
    }

    /// Whether a run is over and came to a good end.
    pub(super) fn is_well(&self, run: &str) -> Result<bool, Fault> {
        let ending = self.stands(run)?.and_then(|run| run.ending);
        Ok(ending.is_some_and(|ending| ["done", "done with concerns"].contains(&ending.how.as_str())))
    }
}

/// A folder with nothing in it.
fn empty(folder: &Path) -> Result<PathBuf, Fault> {
    let failed = |error: io::Error| Fault::failed(format!("cannot use {}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    if fs::read_dir(folder).map_err(failed)?.next().is_some() {
        return Err(Fault::refused(
            format!("{} has something in it", folder.display()),
            Some("name a folder that is empty or not there yet".to_owned()),
        ));
    }
    folder.canonicalize().map_err(failed)
}

/// A script without its pauses.
fn at_once(script: &str) -> String {
    let lines = script.lines().filter(|line| !line.trim_start().starts_with("{ wait_ms"));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}
