//! The courier `claude`: Claude Code through its command line, one session for work and handoff.
//!
//! Invariant: `is_error` of the result counts beside `subtype`: a failed call of the model has the subtype of a success.
//! Invariant: a message that was cut off looks like any other; it is recognised by a usage of zero tokens.

use std::ffi::OsString;

use serde_json::Value;

use crate::Failure;
use crate::id::{Id, Names};
use crate::program::{AttemptThreads, courier_newtype};
use crate::session::{AgentProtocol, Arguments, OutputEvent, SessionRunner};

/// The bytes of an argument that every system takes.
const ARGUMENT_BYTES_MAX: usize = 100_000;

/// Claude Code as an agent.
#[derive(Clone, Debug)]
pub struct Claude {
    /// The program, and arguments that stand before all others.
    pub command: Vec<String>,
    /// The model, if not its usual one.
    pub model: Option<String>,
    /// One of its own agents, by name.
    pub agent: Option<String>,
    /// Further arguments.
    pub arguments: Vec<String>,
}

impl Default for Claude {
    fn default() -> Self {
        Self { command: vec!["claude".to_owned()], model: None, agent: None, arguments: Vec::new() }
    }
}

/// Courier for Claude Code.
pub struct ClaudeCourier(AttemptThreads<SessionRunner<Claude>>);

impl ClaudeCourier {
    /// A courier for Claude Code as it is set up.
    #[must_use]
    pub fn new(claude: Claude) -> Self {
        Self(AttemptThreads::new(SessionRunner(claude)))
    }
}

courier_newtype!(ClaudeCourier);

impl AgentProtocol for Claude {
    fn command(&self) -> &[String] {
        &self.command
    }

    fn arguments(&self, session: Option<&Id>, schema: Option<&str>) -> Result<Arguments, Failure> {
        let id = |names: Names, text: &Option<String>| {
            text.as_deref().map(|text| Id::new(names, text)).transpose().map_err(|bad| bad.recorded())
        };
        let (model, agent) = (id(Names::Model, &self.model)?, id(Names::Persona, &self.agent)?);
        let usual = ["-p", "--output-format=stream-json", "--verbose"];
        let mut arguments: Vec<OsString> = usual.map(Into::into).to_vec();
        let pairs = [
            ("--model", model.as_ref().map(Id::as_str)),
            ("--agent", agent.as_ref().map(Id::as_str)),
            ("--resume", session.map(Id::as_str)),
            ("--json-schema", schema),
        ];
        for (name, value) in pairs {
            // One argument: the value of `--resume` is optional, and one that stood apart could be read as another option.
            arguments.extend(value.map(|value| format!("{name}={value}").into()));
        }
        arguments.extend(self.arguments.iter().map(Into::into));
        Ok((arguments, None))
    }

    fn line(&self, line: &Value) -> Vec<OutputEvent> {
        match line["type"].as_str() {
            Some("system") if line["subtype"] == "init" => session(line).into_iter().collect(),
            Some("system") if line["subtype"] == "api_retry" => {
                vec![OutputEvent::Progress(format!("[the model fails, attempt {}]", line["attempt"]))]
            }
            Some("assistant") => said(&line["message"]["content"]),
            Some("result") => result(line),
            Some(_) | None => Vec::new(),
        }
    }

    fn is_unknown_session(&self, said: &str) -> bool {
        said.contains("No conversation found")
    }

    fn takes(&self, schema: &str) -> bool {
        schema.len() <= ARGUMENT_BYTES_MAX
    }

    fn may_refuse_schema(&self) -> bool {
        true
    }
}

fn session(line: &Value) -> Option<OutputEvent> {
    line["session_id"].as_str().filter(|id| !id.is_empty()).map(|id| OutputEvent::Session(id.to_owned()))
}

/// Progress in a message.
fn said(content: &Value) -> Vec<OutputEvent> {
    let parts = content.as_array().into_iter().flatten();
    parts
        .filter_map(|part| match part["type"].as_str() {
            Some("text") => part["text"].as_str().map(str::to_owned),
            Some("tool_use") => part["name"].as_str().map(|name| format!("[{name}]")),
            Some(_) | None => None,
        })
        .map(OutputEvent::Progress)
        .collect()
}

/// Events of the final result.
fn result(line: &Value) -> Vec<OutputEvent> {
    let text = line["result"].as_str();
    let is_well = line["is_error"] == false && line["subtype"] == "success";
    if !is_well {
        let errors = line["errors"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let errors: Vec<&str> = errors.collect();
        let why = match (text, errors.as_slice()) {
            (Some(text), _) if !text.trim().is_empty() => text.to_owned(),
            (_, [_, ..]) => errors.join("; "),
            (_, []) => line["subtype"].as_str().unwrap_or("it does not say why").to_owned(),
        };
        return vec![OutputEvent::Failed(why)];
    }
    let mut lines: Vec<OutputEvent> = session(line).into_iter().collect();
    lines.extend(text.map(|text| OutputEvent::Text(text.to_owned())));
    if !line["structured_output"].is_null() {
        lines.push(OutputEvent::Structured(line["structured_output"].to_string()));
    }
    for denied in line["permission_denials"].as_array().into_iter().flatten() {
        let tool = denied["tool_name"].as_str().unwrap_or("something");
        lines.push(OutputEvent::Progress(format!("[it was not allowed to use {tool}]")));
    }
    let usage = &line["usage"];
    if usage["input_tokens"] == 0 && usage["output_tokens"] == 0 {
        lines.push(OutputEvent::Cut);
    }
    lines.push(OutputEvent::Done);
    lines
}
