//! The conversation with one agent: greeting, session, work, handoff. One request is open at a time.

use std::fmt::Write as _;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::id::{Id, Names};
use crate::program::{LinePeer, LineProtocol, Next, OutputLines};
use crate::session::{extract, finalizes, for_finalization, for_work, is_lost};
use crate::{Cause, Delivery, Failure, Wants, What};

use super::{Acp, Policy};

/// The version of the protocol that is spoken.
const PROTOCOL: u64 = 1;

/// Reply to a request for a capability that was not offered.
const NOT_OFFERED: i64 = -32601;

/// Error code of an agent that needs a login.
const LOG_IN: i64 = -32000;

/// Purpose of the open request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Greeting,
    NewSession,
    OldSession,
    Model,
    Work,
    Handoff,
}

/// A conversation, and what came out of it.
pub(super) struct Dialogue<'t> {
    name: &'t str,
    delivery: &'t Delivery,
    acp: &'t Acp,
    stage: Stage,
    /// The number of the open request.
    number: u64,
    session: Option<String>,
    /// Text of the agent in this turn.
    text: String,
    speech: OutputLines,
    end: Option<Result<Vec<u8>, Failure>>,
}

impl<'t> Dialogue<'t> {
    pub(super) fn new(name: &'t str, delivery: &'t Delivery, acp: &'t Acp) -> Self {
        Self {
            name,
            delivery,
            acp,
            stage: Stage::Greeting,
            number: 0,
            session: delivery.session.clone(),
            text: String::new(),
            speech: OutputLines::new(LineProtocol::Progress),
            end: None,
        }
    }

    /// The first that is said.
    pub(super) fn begin(&mut self) -> Vec<u8> {
        let mut say = Vec::new();
        let client = json!({ "name": "baton", "title": "Baton", "version": env!("CARGO_PKG_VERSION") });
        let offers = json!({ "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false });
        let greeting =
            json!({ "protocolVersion": PROTOCOL, "clientCapabilities": offers, "clientInfo": client });
        self.ask(Stage::Greeting, "initialize", &greeting, &mut say);
        say
    }

    /// Answer or failure, given the end of the program.
    pub(super) fn end(self, ended: Result<(), Failure>) -> Result<Vec<u8>, Failure> {
        match (self.end, ended) {
            (Some(end), Ok(())) => end,
            // Earlier text counts, unless it came too late or was too long.
            (Some(Err(failure)), Err(ended)) if ended.cause != Cause::Stopped => {
                Err(Failure { last_words: ended.last_words, ..failure })
            }
            (_, Err(ended)) => Err(ended),
            (None, Ok(())) => {
                Err(Failure::new(Cause::Empty, format!("{} ended before it had answered", self.name)))
            }
        }
    }

    fn ask(&mut self, stage: Stage, method: &str, params: &Value, say: &mut Vec<u8>) {
        self.stage = stage;
        self.number += 1;
        line(say, &json!({ "jsonrpc": "2.0", "id": self.number, "method": method, "params": params }));
    }

    fn prompt(&mut self, stage: Stage, text: &str, say: &mut Vec<u8>) {
        self.text.clear();
        let prompt = json!([{ "type": "text", "text": text }]);
        self.ask(stage, "session/prompt", &json!({ "sessionId": self.session, "prompt": prompt }), say);
    }

    fn finish(&mut self, end: Result<Vec<u8>, Failure>) -> Next {
        self.end.get_or_insert(end);
        Next::HangUp
    }

    fn fail(&mut self, cause: Cause, message: String) -> Next {
        self.finish(Err(Failure::new(cause, message)))
    }

    fn begin_session(&mut self, say: &mut Vec<u8>) {
        let folder = self.delivery.directory.display().to_string();
        self.session = None;
        self.ask(Stage::NewSession, "session/new", &json!({ "cwd": folder, "mcpServers": [] }), say);
    }

    /// The agent does not know its session: its owner said whether the work may be begun again.
    fn lost(&mut self, lost: Failure, say: &mut Vec<u8>, tell: &mut dyn FnMut(What)) -> Next {
        if !self.acp.restarts {
            return self.finish(Err(lost));
        }
        let told = format!("[{lost}; its work is given to it again in a new one, as `restart: safe` says]");
        tell(What::Progress(told.into_bytes()));
        self.begin_session(say);
        Next::Listen
    }

    /// The session is there, and the agent says which models it has: one is chosen if its owner wants that.
    fn with_model(&mut self, offered: &Value, say: &mut Vec<u8>, tell: &mut dyn FnMut(What)) -> Next {
        let Some(model) = self.acp.model.as_deref() else { return self.settled(say) };
        let models = offered["models"]["availableModels"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_it = |one: &&Value| one["modelId"] == *model || one["name"] == *model;
        if let Some(found) = models.iter().find(is_it) {
            let chosen = json!({ "sessionId": self.session, "modelId": found["modelId"] });
            self.ask(Stage::Model, "session/set_model", &chosen, say);
            return Next::Listen;
        }
        let options = offered["configOptions"].as_array().into_iter().flatten();
        let option =
            options.into_iter().find(|option| option["category"] == "model" || option["id"] == "model");
        if let Some(option) = option {
            let chosen = json!({ "sessionId": self.session, "configId": option["id"], "value": model });
            self.ask(Stage::Model, "session/set_config_option", &chosen, say);
            return Next::Listen;
        }
        if !models.is_empty() {
            let ids: Vec<&str> = models.iter().filter_map(|one| one["modelId"].as_str()).collect();
            let message = format!("{} has no model {model}; it has {}", self.name, ids.join(", "));
            let failure = Failure::new(Cause::Impossible, message)
                .with_hint("name one of them as `model` of the agent, or leave it out");
            return self.finish(Err(failure));
        }
        let note = format!("[{} lets nobody choose its model here; `model: {model}` is not used]", self.name);
        tell(What::Progress(note.into_bytes()));
        self.settled(say)
    }

    /// The session is there: the work follows, or only its handoff.
    fn settled(&mut self, say: &mut Vec<u8>) -> Next {
        let is_old = self.session == self.delivery.session;
        match &self.delivery.finalization {
            Some(finalization) if is_old && finalizes(self.delivery) => {
                self.prompt(Stage::Handoff, &for_finalization(finalization, true), say);
            }
            Some(_) | None => self.prompt(Stage::Work, &for_work(self.delivery), say),
        }
        Next::Listen
    }

    /// The answer to the open request.
    fn answered(&mut self, result: &Value, say: &mut Vec<u8>, tell: &mut dyn FnMut(What)) -> Next {
        match self.stage {
            Stage::Greeting => {
                let folder = self.delivery.directory.display().to_string();
                match &self.session {
                    Some(session) if result["agentCapabilities"]["loadSession"] == true => {
                        let old = json!({ "sessionId": session, "cwd": folder, "mcpServers": [] });
                        self.ask(Stage::OldSession, "session/load", &old, say);
                    }
                    Some(session) => {
                        let lost = is_lost(self.name, session);
                        return self.lost(lost, say, tell);
                    }
                    None => self.begin_session(say),
                }
                Next::Listen
            }
            Stage::NewSession => match result["sessionId"].as_str().filter(|id| !id.is_empty()) {
                Some(session) => match Id::new(Names::Session, session) {
                    Ok(_) => {
                        tell(What::Session(session.to_owned()));
                        self.session = Some(session.to_owned());
                        self.with_model(result, say, tell)
                    }
                    Err(bad) => {
                        let failure = bad.said_by(self.name);
                        self.finish(Err(failure))
                    }
                },
                None => {
                    let failure = unclear(self.name, "its session has no id");
                    self.finish(Err(failure))
                }
            },
            Stage::OldSession => self.with_model(result, say, tell),
            Stage::Model => self.settled(say),
            Stage::Work | Stage::Handoff => self.turned(result["stopReason"].as_str().unwrap_or(""), say),
        }
    }

    /// The end of a turn.
    fn turned(&mut self, reason: &str, say: &mut Vec<u8>) -> Next {
        match reason {
            "cancelled" => {
                self.fail(Cause::Failed, format!("{} says that its turn was cancelled", self.name))
            }
            "refusal" => self.fail(Cause::Failed, format!("{} refuses to go on", self.name)),
            // After a cut-off reply the handoff is requested all the same; a cut-off handoff is not taken.
            _ => match (&self.delivery.finalization, self.stage) {
                (Some(finalization), Stage::Work) => {
                    self.prompt(Stage::Handoff, &for_finalization(finalization, true), say);
                    Next::Listen
                }
                (
                    _,
                    Stage::Greeting
                    | Stage::NewSession
                    | Stage::OldSession
                    | Stage::Model
                    | Stage::Work
                    | Stage::Handoff,
                ) => {
                    let answer = extract(&self.text);
                    if answer.trim().is_empty() {
                        return self
                            .fail(Cause::Empty, format!("{} ended well, but said nothing", self.name));
                    }
                    let answer = answer.as_bytes().to_vec();
                    self.finish(Ok(answer))
                }
            },
        }
    }

    /// The open request was refused.
    fn refused(&mut self, error: &Value, say: &mut Vec<u8>, tell: &mut dyn FnMut(What)) -> Next {
        let message = error["message"].as_str().unwrap_or("it does not say why");
        let details = error["data"]["details"].as_str().or(error["data"].as_str()).unwrap_or_default();
        let (name, code) = (self.name, error["code"].as_i64());
        if let (Stage::OldSession, Some(session)) = (self.stage, &self.session) {
            let lost = is_lost(name, session);
            let message = format!("{lost}: {message} {details}").trim_end().to_owned();
            return self.lost(Failure { message, ..lost }, say, tell);
        }
        let failure = Failure::new(
            Cause::Failed,
            format!("{name} says that it failed: {message} {details}").trim_end().to_owned(),
        );
        let failure = if code == Some(LOG_IN) {
            failure.with_hint(format!(
                "log in with {name} by hand, or list the variable of its key in `environment`"
            ))
        } else {
            failure
        };
        self.finish(Err(failure))
    }

    /// The agent tells something about its work.
    fn told(&mut self, update: &Value, tell: &mut dyn FnMut(What)) -> Next {
        // An old session is replayed from its beginning.
        if self.stage != Stage::Work && self.stage != Stage::Handoff {
            return Next::Listen;
        }
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                let text = update["content"]["text"].as_str().unwrap_or_default();
                let bytes_max = self.delivery.limits.answer_bytes_max;
                if self.text.len() + text.len() > bytes_max {
                    let name = self.name;
                    return self.fail(
                        Cause::TooMuch,
                        format!("the answer of {name} has more than {bytes_max} bytes and is not used"),
                    );
                }
                self.text.push_str(text);
                self.speech.hear(text.as_bytes(), &mut |what| tell(what));
            }
            Some("tool_call") => {
                let title = update["title"].as_str().unwrap_or("a tool");
                self.speech.hear(format!("\n[{title}]\n").as_bytes(), &mut |what| tell(what));
            }
            Some(_) | None => {}
        }
        Next::Listen
    }

    /// The agent wants something.
    fn asked(
        &mut self,
        method: &str,
        id: &Value,
        params: &Value,
        say: &mut Vec<u8>,
        tell: &mut dyn FnMut(What),
    ) -> Next {
        if method != "session/request_permission" {
            let error = json!({ "code": NOT_OFFERED, "message": format!("{method} is not offered") });
            line(say, &json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            return Next::Listen;
        }
        let wants = wanted(&params["toolCall"]);
        let title = params["toolCall"]["title"].as_str().unwrap_or("something");
        let permits = &self.delivery.permits;
        let is_allowed = match self.acp.permissions {
            Policy::Ask => permits
                .iter()
                .rev()
                .find(|permit| permit.request == wants.request)
                .map(|permit| permit.is_allowed),
            Policy::Allow => Some(true),
            Policy::Deny => Some(false),
        };
        // Permission is for this request alone.
        let kinds: &[&str] = match is_allowed {
            None => &[],
            Some(true) if self.acp.permissions == Policy::Ask => &["allow_once"],
            Some(true) => &["allow_once", "allow_always"],
            Some(false) => &["reject_once", "reject_always"],
        };
        let options = || params["options"].as_array().into_iter().flatten();
        let chosen = kinds.iter().find_map(|kind| options().find(|option| option["kind"] == *kind));
        let outcome = match chosen {
            Some(option) => json!({ "outcome": "selected", "optionId": option["optionId"] }),
            None => json!({ "outcome": "cancelled" }),
        };
        line(say, &json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": outcome } }));
        let Some(is_allowed) = is_allowed else {
            self.farewell(say);
            let message = format!("{} asks whether it may do something: {title}", self.name);
            let failure = Failure::new(Cause::Permission, message).with_hint(
                "`permissions: allow` lets it each time, `permissions: deny` lets it go on without",
            );
            return self.finish(Err(Failure { wants: Some(Box::new(wants)), ..failure }));
        };
        let word = if is_allowed { "allowed" } else { "not allowed" };
        self.speech.hear(format!("\n[{word}: {title}]\n").as_bytes(), &mut |what| tell(what));
        Next::Listen
    }
}

/// The bytes of a request that a person is shown; all of it is in its fingerprint.
const SHOWN_BYTES_MAX: usize = 16 * 1024;

/// Fingerprint of a tool call, without parts that differ between calls, and its text.
fn wanted(call: &Value) -> Wants {
    let parts = ["title", "kind", "rawInput", "locations", "content"];
    let said: Vec<(&str, &Value)> =
        parts.iter().map(|part| (*part, &call[*part])).filter(|(_, value)| !value.is_null()).collect();
    let whole: serde_json::Map<String, Value> =
        said.iter().map(|(part, value)| ((*part).to_owned(), (*value).clone())).collect();
    let fingerprint = Sha256::digest(Value::Object(whole).to_string().as_bytes());
    let request = fingerprint.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string takes what is written to it");
        hex
    });
    let mut text = String::new();
    for (part, value) in said {
        let name = if part == "rawInput" { "input" } else { part };
        let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let lines: Vec<(String, &Value)> = match value.as_object() {
            Some(entries) => entries.iter().map(|(key, entry)| (format!("{name}.{key}"), entry)).collect(),
            None => vec![(name.to_owned(), value)],
        };
        for (name, value) in lines {
            writeln!(text, "{name}: {}", plain(value)).expect("a string takes what is written to it");
        }
    }
    if text.len() > SHOWN_BYTES_MAX {
        let count = text.len();
        text.truncate(end_of_tokens(&text, SHOWN_BYTES_MAX));
        write!(text, "\n(cut: {SHOWN_BYTES_MAX} of {count} bytes)\n")
            .expect("a string takes what is written to it");
    }
    Wants { request, text }
}

impl LinePeer for Dialogue<'_> {
    fn hear(&mut self, line: &[u8], say: &mut Vec<u8>, tell: &mut dyn FnMut(What)) -> Next {
        // Some agents, or what starts them, print other things too.
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            self.speech.hear(line, &mut |what| tell(what));
            self.speech.hear(b"\n", &mut |what| tell(what));
            return Next::Listen;
        };
        let params = &message["params"];
        match (message["method"].as_str(), &message["id"]) {
            (Some("session/update"), _) if params["sessionId"].as_str() == self.session.as_deref() => {
                self.told(&params["update"], tell)
            }
            (Some(_), Value::Null) => Next::Listen,
            (Some(method), id) => self.asked(method, id, params, say, tell),
            (None, id) if *id == self.number => {
                let error = &message["error"];
                if error.is_null() {
                    self.answered(&message["result"], say, tell)
                } else {
                    self.refused(error, say, tell)
                }
            }
            (None, _) => Next::Listen,
        }
    }

    fn farewell(&mut self, say: &mut Vec<u8>) {
        if self.stage == Stage::Work || self.stage == Stage::Handoff {
            let params = json!({ "sessionId": self.session });
            line(say, &json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": params }));
        }
    }
}

/// Position for a cut that leaves no token in half: after the last character outside of one.
fn end_of_tokens(text: &str, bytes_max: usize) -> usize {
    const TOKEN_BYTES_MAX: usize = 4 * 1024;
    let end = text.floor_char_boundary(bytes_max);
    let from = text.floor_char_boundary(end.saturating_sub(TOKEN_BYTES_MAX));
    let is_sign = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '{' | '}' | '[' | ']' | '(' | ')')
    };
    text[from..end].rfind(is_sign).map_or(from, |last| from + last)
}

fn line(say: &mut Vec<u8>, message: &Value) {
    say.extend_from_slice(message.to_string().as_bytes());
    say.push(b'\n');
}

/// The failure of a protocol that was not kept.
fn unclear(name: &str, what: &str) -> Failure {
    Failure::new(
        Cause::Failed,
        format!("{name} does not speak the Agent Client Protocol as expected: {what}"),
    )
    .with_hint("`run` must name the program with the arguments that make it speak the protocol")
}
