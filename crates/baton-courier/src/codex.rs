//! The courier `codex`: Codex through its command line, one thread for work and handoff.
//!
//! Codex passes a schema on and does not check what comes back; a model that takes only some schemas refuses the turn,
//! and is asked again in words.

use std::io::Write as _;

use serde_json::Value;

use crate::id::{Id, Names};
use crate::program::{AttemptThreads, courier_newtype};
use crate::session::{AgentProtocol, Arguments, OutputEvent, SessionRunner};
use crate::{Cause, Failure};

/// Codex as an agent.
#[derive(Clone, Debug)]
pub struct Codex {
    /// The program, and arguments that stand before all others.
    pub command: Vec<String>,
    /// The model, if not its usual one.
    pub model: Option<String>,
    /// Further arguments, which `codex exec` and `codex exec resume` both know.
    pub arguments: Vec<String>,
}

impl Default for Codex {
    fn default() -> Self {
        Self { command: vec!["codex".to_owned()], model: None, arguments: Vec::new() }
    }
}

/// Carries handoffs to Codex.
pub struct CodexCourier(AttemptThreads<SessionRunner<Codex>>);

impl CodexCourier {
    /// A courier for Codex as it is set up.
    #[must_use]
    pub fn new(codex: Codex) -> Self {
        Self(AttemptThreads::new(SessionRunner(codex)))
    }
}

courier_newtype!(CodexCourier);

impl AgentProtocol for Codex {
    fn command(&self) -> &[String] {
        &self.command
    }

    fn arguments(&self, session: Option<&Id>, schema: Option<&str>) -> Result<Arguments, Failure> {
        let mut arguments: Vec<_> = vec!["exec".into()];
        if session.is_some() {
            arguments.push("resume".into());
        }
        // The settings choose the working folder, not its version control.
        arguments.extend(["--json", "--skip-git-repo-check"].map(Into::into));
        if let Some(model) = &self.model {
            let model = Id::new(Names::Model, model).map_err(|bad| bad.recorded())?;
            arguments.push(format!("--model={model}").into());
        }
        arguments.extend(self.arguments.iter().map(Into::into));
        let file = schema.map(schema_file).transpose()?;
        if let Some(file) = &file {
            arguments.extend(["--output-schema".into(), file.path().into()]);
        }
        // Nothing behind this is an option.
        arguments.push("--".into());
        arguments.extend(session.map(|session| session.as_str().into()));
        // The prompt comes on standard input.
        arguments.push("-".into());
        Ok((arguments, file))
    }

    fn line(&self, line: &Value) -> Vec<OutputEvent> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        match line["type"].as_str() {
            Some("thread.started") => {
                text(&line["thread_id"]).map(OutputEvent::Session).into_iter().collect()
            }
            Some("item.started") if line["item"]["type"] == "command_execution" => {
                text(&line["item"]["command"])
                    .map(|command| OutputEvent::Progress(format!("[{command}]")))
                    .into_iter()
                    .collect()
            }
            Some("item.completed") => item(&line["item"]),
            Some("turn.completed") => vec![OutputEvent::Done],
            Some("turn.failed") => {
                let why = text(&line["error"]["message"]);
                vec![OutputEvent::Failed(why.unwrap_or_else(|| "it does not say why".to_owned()))]
            }
            Some(_) | None => Vec::new(),
        }
    }

    fn is_unknown_session(&self, said: &str) -> bool {
        said.contains("no rollout found")
    }

    fn takes(&self, _schema: &str) -> bool {
        true
    }

    fn may_refuse_schema(&self) -> bool {
        true
    }
}

fn item(item: &Value) -> Vec<OutputEvent> {
    let text = |key: &str| item[key].as_str().map(str::to_owned);
    match item["type"].as_str() {
        Some("agent_message") => {
            let said = text("text");
            said.iter()
                .cloned()
                .map(OutputEvent::Progress)
                .chain(said.iter().cloned().map(OutputEvent::Text))
                .collect()
        }
        // An error event does not end the turn; the turn reports its failure.
        Some("error") => text("message").map(OutputEvent::Progress).into_iter().collect(),
        Some(_) | None => Vec::new(),
    }
}

fn schema_file(schema: &str) -> Result<tempfile::NamedTempFile, Failure> {
    let written = crate::temporary::file().and_then(|mut file| {
        file.write_all(schema.as_bytes())?;
        file.flush()?;
        Ok(file)
    });
    written.map_err(|error| Failure::new(Cause::Broken, format!("the schema could not be written: {error}")))
}
