//! The courier `codex`: Codex through its command line, one thread for work and handoff.
//!
//! Codex passes a schema on and does not check what comes back; a model that takes only some schemas refuses the turn,
//! and is asked again in words.

use std::io::Write as _;

use serde_json::Value;

use crate::id::{Id, Names};
use crate::program::{Flights, flown};
use crate::session::{Arguments, Line, Speaks, Turns};
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
pub struct CodexCourier(Flights<Turns<Codex>>);

impl CodexCourier {
    /// A courier for Codex as it is set up.
    #[must_use]
    pub fn new(codex: Codex) -> Self {
        Self(Flights::new(Turns(codex)))
    }
}

flown!(CodexCourier);

impl Speaks for Codex {
    fn command(&self) -> &[String] {
        &self.command
    }

    fn arguments(&self, session: Option<&Id>, schema: Option<&str>) -> Result<Arguments, Failure> {
        let mut arguments: Vec<_> = vec!["exec".into()];
        if session.is_some() {
            arguments.push("resume".into());
        }
        // Where agents work is for the settings to say, not for the version control of a folder.
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
        // What it is told comes on its standard input.
        arguments.push("-".into());
        Ok((arguments, file))
    }

    fn line(&self, line: &Value) -> Vec<Line> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        match line["type"].as_str() {
            Some("thread.started") => text(&line["thread_id"]).map(Line::Session).into_iter().collect(),
            Some("item.started") if line["item"]["type"] == "command_execution" => {
                text(&line["item"]["command"])
                    .map(|command| Line::Progress(format!("[{command}]")))
                    .into_iter()
                    .collect()
            }
            Some("item.completed") => item(&line["item"]),
            Some("turn.completed") => vec![Line::Done],
            Some("turn.failed") => {
                let why = text(&line["error"]["message"]);
                vec![Line::Failed(why.unwrap_or_else(|| "it does not say why".to_owned()))]
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

fn item(item: &Value) -> Vec<Line> {
    let text = |key: &str| item[key].as_str().map(str::to_owned);
    match item["type"].as_str() {
        Some("agent_message") => {
            let said = text("text");
            said.iter().cloned().map(Line::Progress).chain(said.iter().cloned().map(Line::Text)).collect()
        }
        // What goes wrong on the way is no end; the turn says whether it failed.
        Some("error") => text("message").map(Line::Progress).into_iter().collect(),
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
