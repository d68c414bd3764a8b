//! A delivery to an agent whose program is started for each turn of its session: the work, and then its handoff.

use std::ffi::OsString;
use std::io::PipeReader;
use std::sync::Arc;

use serde_json::Value;

use crate::id::{Id, Names};
use crate::program::{
    Attempt, AttemptContext, AttemptRunner, LinePeer, LineProtocol, Next, OutputLines, ProgramRun,
};
use crate::{Cause, Delivery, Failure, Finalization, Kind, What};

use super::{SessionLock, extract, finalizes, for_finalization, for_work, go_on};

/// Command line and output format of an agent.
pub(crate) trait AgentProtocol: Send + Sync + 'static {
    /// The program with what its owner wrote behind it.
    fn command(&self) -> &[String];

    /// Arguments of a turn, with the file that must exist while it runs.
    fn arguments(&self, session: Option<&Id>, schema: Option<&str>) -> Result<Arguments, Failure>;

    /// Events in a line of output.
    fn line(&self, line: &Value) -> Vec<OutputEvent>;

    /// Tells whether an output means that the session is unknown.
    fn is_unknown_session(&self, said: &str) -> bool;

    /// Tells whether the program takes a schema; otherwise the prompt holds it.
    fn takes(&self, schema: &str) -> bool;

    /// Tells whether a finalization that failed with a schema is retried without.
    fn may_refuse_schema(&self) -> bool;
}

/// The arguments of a turn, with the file that they name.
pub(crate) type Arguments = (Vec<OsString>, Option<tempfile::NamedTempFile>);

/// Event in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OutputEvent {
    /// The session.
    Session(String),
    /// Something about the work.
    Progress(String),
    /// Last message of the agent.
    Text(String),
    /// An answer of the shape that was asked for.
    Structured(String),
    /// The last message has no end.
    Cut,
    /// The turn is over, and went well.
    Done,
    /// It did not.
    Failed(String),
}

/// Result of a turn.
#[derive(Debug, Default)]
pub(crate) struct TurnResult {
    text: Option<String>,
    structured: Option<String>,
    is_cut: bool,
    is_done: bool,
    failed: Option<String>,
}

/// A courier for such agents.
pub(crate) struct SessionRunner<S>(pub(crate) S);

impl<S: AgentProtocol> AttemptRunner for SessionRunner<S> {
    fn kind(&self) -> Kind {
        Kind::Resumable
    }

    fn run_attempt(
        &self,
        attempt: &Arc<Attempt>,
        wake: &PipeReader,
        delivery: &Delivery,
        tell: &mut dyn FnMut(What),
    ) -> Result<Vec<u8>, Failure> {
        let context = AttemptContext::new(attempt, wake, delivery);
        let mut talk = Conversation { speaks: &self.0, context: &context, session: None, hold: None };
        if let Some(session) = &delivery.session {
            let session = Id::new(Names::Session, session).map_err(|bad| bad.recorded())?;
            talk.hold = Some(SessionLock::wait(&session, &context)?);
            talk.session = Some(session);
        }
        let said = if finalizes(delivery) {
            None
        } else {
            let mut said = talk.turn(&for_work(delivery), None, tell)?;
            if said.is_cut && delivery.finalization.is_some() {
                tell(What::Progress(b"[its last message was cut off; it is asked to go on]".to_vec()));
                said = talk.turn(go_on(), None, tell)?;
            }
            Some(said)
        };
        let said = match (&delivery.finalization, said) {
            (Some(finalization), _) => talk.finalization(finalization, tell)?,
            (None, Some(said)) => said,
            (None, None) => TurnResult::default(),
        };
        answer(talk.name(), said, delivery)
    }
}

fn answer(name: &str, said: TurnResult, delivery: &Delivery) -> Result<Vec<u8>, Failure> {
    let answer = match (said.structured, said.text) {
        (Some(structured), _) => structured,
        (None, Some(text)) => extract(&text).to_owned(),
        (None, None) => String::new(),
    };
    let bytes_max = delivery.limits.answer_bytes_max;
    if answer.len() > bytes_max {
        let message = format!("the answer of {name} has more than {bytes_max} bytes and is not used");
        return Err(Failure::new(Cause::TooMuch, message));
    }
    if answer.trim().is_empty() {
        return Err(Failure::new(Cause::Empty, format!("{name} ended well, but said nothing")));
    }
    Ok(answer.into_bytes())
}

/// A session in which turns are taken.
struct Conversation<'t, S> {
    speaks: &'t S,
    context: &'t AttemptContext<'t>,
    session: Option<Id>,
    hold: Option<SessionLock>,
}

impl<S: AgentProtocol> Conversation<'_, S> {
    fn name(&self) -> &str {
        self.speaks.command().first().map_or("", String::as_str)
    }

    /// Asks for the handoff, in words alone if its shape is refused.
    fn finalization(
        &mut self,
        finalization: &Finalization,
        tell: &mut dyn FnMut(What),
    ) -> Result<TurnResult, Failure> {
        let schema = Some(finalization.schema.as_str()).filter(|schema| self.speaks.takes(schema));
        let said = self.turn(&for_finalization(finalization, schema.is_none()), schema, tell);
        match said {
            Err(failure)
                if failure.cause == Cause::Failed && schema.is_some() && self.speaks.may_refuse_schema() =>
            {
                tell(What::Progress(format!("[{failure}; it is told the schema in words]").into_bytes()));
                self.turn(&for_finalization(finalization, true), None, tell)
            }
            other => other,
        }
    }

    /// One turn; the session is known behind it.
    fn turn(
        &mut self,
        text: &str,
        schema: Option<&str>,
        tell: &mut dyn FnMut(What),
    ) -> Result<TurnResult, Failure> {
        let (arguments, file) = self.speaks.arguments(self.session.as_ref(), schema)?;
        let turn = ProgramRun {
            command: self.speaks.command(),
            arguments,
            input: text.as_bytes().to_vec(),
            closes: true,
            shown: file.as_ref().map(tempfile::NamedTempFile::path),
        };
        let leader = std::cell::Cell::new(0);
        let mut listener = Listener::new(self.speaks);
        let (context, name) = (self.context, self.speaks.command().first().map_or("", String::as_str));
        let mut taken = None;
        let ended = {
            let mut new = None;
            let held = self.hold.as_ref();
            let began = |number| {
                leader.set(number);
                // ProcessNote as soon as it is known.
                held.iter().for_each(|hold| hold.note(number));
            };
            let mut told = |what: What| {
                if let What::Session(named) = &what
                    && let Ok(named) = Id::new(Names::Session, named)
                    && !held.is_some_and(|hold| hold.is_of(&named))
                {
                    match SessionLock::named(&named, name) {
                        Ok(hold) => {
                            hold.iter().for_each(|hold| hold.note(leader.get()));
                            new = hold;
                        }
                        Err(failure) => {
                            taken = Some(failure);
                            return;
                        }
                    }
                }
                tell(what);
            };
            let ended = context.take(turn, &mut listener, &began, &mut told);
            self.hold = new.or(self.hold.take());
            ended
        };
        drop(file);
        if let Some(taken) = taken {
            return Err(taken);
        }
        self.session = listener.session.take().or(self.session.take());
        self.judge(listener.said, ended)
    }

    /// Result of a turn, from its output and the end of the program.
    fn judge(&self, said: TurnResult, ended: Result<(), Failure>) -> Result<TurnResult, Failure> {
        let name = self.name();
        let last_words = match ended {
            Ok(()) => Vec::new(),
            Err(failure) => {
                let words = String::from_utf8_lossy(&failure.last_words).into_owned();
                let all = format!("{words}{}", said.failed.as_deref().unwrap_or_default());
                match (&self.session, failure.cause) {
                    (Some(session), Cause::Exited(_)) if self.speaks.is_unknown_session(&all) => {
                        return Err(Failure {
                            last_words: failure.last_words,
                            ..super::is_lost(name, session.as_str())
                        });
                    }
                    (_, Cause::Exited(_)) if said.failed.is_some() => failure.last_words,
                    _ => return Err(failure),
                }
            }
        };
        if let Some(why) = &said.failed {
            let message = format!("{name} says that it failed: {}", short(why));
            return Err(Failure { last_words, ..Failure::new(Cause::Failed, message) });
        }
        if !said.is_done {
            let message = format!("{name} ended well, but did not say that its turn is over");
            return Err(Failure::new(Cause::Empty, message));
        }
        Ok(said)
    }
}

/// The beginning of a text, on one line: more than is kept, which is cut where secrets are known.
fn short(text: &str) -> String {
    const CHARS: usize = 4 * 1024;
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    match line.char_indices().nth(CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// Hears the lines of one turn.
pub(crate) struct Listener<'l, S> {
    speaks: &'l S,
    speech: OutputLines,
    session: Option<Id>,
    said: TurnResult,
}

impl<'l, S> Listener<'l, S> {
    pub(crate) fn new(speaks: &'l S) -> Self {
        Self {
            speaks,
            speech: OutputLines::new(LineProtocol::Progress),
            session: None,
            said: TurnResult::default(),
        }
    }
}

impl<S: AgentProtocol> LinePeer for Listener<'_, S> {
    fn hear(&mut self, line: &[u8], _say: &mut Vec<u8>, tell: &mut dyn FnMut(What)) -> Next {
        // Other text is a warning of a program in between.
        let Ok(line) = serde_json::from_slice::<Value>(line) else {
            self.speech.hear(line, &mut |what| tell(what));
            self.speech.hear(b"\n", &mut |what| tell(what));
            return Next::Listen;
        };
        for what in self.speaks.line(&line) {
            match what {
                OutputEvent::Session(session) => {
                    let id = Id::new(Names::Session, &session).ok();
                    // An invalid id is reported too; its receiver rejects it.
                    if id.is_none() || self.session != id {
                        tell(What::Session(session));
                        self.session = id;
                    }
                }
                OutputEvent::Progress(text) => {
                    self.speech.hear(text.as_bytes(), &mut |what| tell(what));
                    self.speech.hear(b"\n", &mut |what| tell(what));
                }
                OutputEvent::Text(text) => self.said.text = Some(text),
                OutputEvent::Structured(text) => self.said.structured = Some(text),
                OutputEvent::Cut => self.said.is_cut = true,
                OutputEvent::Done => self.said.is_done = true,
                OutputEvent::Failed(why) => self.said.failed = Some(why),
            }
        }
        Next::Listen
    }

    fn farewell(&mut self, _say: &mut Vec<u8>) {}
}
