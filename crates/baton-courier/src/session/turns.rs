//! A delivery to an agent whose program is started for each turn of its session: the work, and then its handoff.

use std::ffi::OsString;
use std::io::PipeReader;
use std::sync::Arc;

use serde_json::Value;

use crate::id::{Id, Names};
use crate::program::{Carrier, Flight, Next, Partner, Speech, Spoken, Trip, Turn};
use crate::{Cause, Delivery, Failure, Finalization, Kind, What};

use super::{Hold, extract, finalizes, for_finalization, for_work, go_on};

/// How the program of an agent is spoken with.
pub(crate) trait Speaks: Send + Sync + 'static {
    /// The program with what its owner wrote behind it.
    fn command(&self) -> &[String];

    /// Makes a turn out of a text: arguments, and whatever must lie there for as long as it runs.
    fn arguments(&self, session: Option<&Id>, schema: Option<&str>) -> Result<Arguments, Failure>;

    /// What a line of its output says.
    fn line(&self, line: &Value) -> Vec<Line>;

    /// Whether the program said in this way that it does not know the session.
    fn is_unknown_session(&self, said: &str) -> bool;

    /// Whether a schema can be given to the program; else the agent is told it.
    fn takes(&self, schema: &str) -> bool;

    /// Whether a finalization that failed with a schema is tried without.
    fn may_refuse_schema(&self) -> bool;
}

/// The arguments of a turn, with the file that they name.
pub(crate) type Arguments = (Vec<OsString>, Option<tempfile::NamedTempFile>);

/// What a line can say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The session.
    Session(String),
    /// Something about the work.
    Progress(String),
    /// What the agent said at last.
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

/// What came out of a turn.
#[derive(Debug, Default)]
pub(crate) struct Said {
    text: Option<String>,
    structured: Option<String>,
    is_cut: bool,
    is_done: bool,
    failed: Option<String>,
}

/// A courier for such agents.
pub(crate) struct Turns<S>(pub(crate) S);

impl<S: Speaks> Carrier for Turns<S> {
    fn kind(&self) -> Kind {
        Kind::Resumable
    }

    fn carry(
        &self,
        flight: &Arc<Flight>,
        wake: &PipeReader,
        delivery: &Delivery,
        tell: &mut dyn FnMut(What),
    ) -> Result<Vec<u8>, Failure> {
        let trip = Trip::new(flight, wake, delivery);
        let mut talk = Talk { speaks: &self.0, trip: &trip, session: None, hold: None };
        if let Some(session) = &delivery.session {
            let session = Id::new(Names::Session, session).map_err(|bad| bad.recorded())?;
            talk.hold = Some(Hold::wait(&session, &trip)?);
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
            (None, None) => Said::default(),
        };
        answer(talk.name(), said, delivery)
    }
}

fn answer(name: &str, said: Said, delivery: &Delivery) -> Result<Vec<u8>, Failure> {
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
struct Talk<'t, S> {
    speaks: &'t S,
    trip: &'t Trip<'t>,
    session: Option<Id>,
    hold: Option<Hold>,
}

impl<S: Speaks> Talk<'_, S> {
    fn name(&self) -> &str {
        self.speaks.command().first().map_or("", String::as_str)
    }

    /// Asks for the handoff, in words alone if its shape is refused.
    fn finalization(
        &mut self,
        finalization: &Finalization,
        tell: &mut dyn FnMut(What),
    ) -> Result<Said, Failure> {
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
    ) -> Result<Said, Failure> {
        let (arguments, file) = self.speaks.arguments(self.session.as_ref(), schema)?;
        let turn = Turn {
            command: self.speaks.command(),
            arguments,
            input: text.as_bytes().to_vec(),
            closes: true,
            shown: file.as_ref().map(tempfile::NamedTempFile::path),
        };
        let leader = std::cell::Cell::new(0);
        let mut listener = Listener::new(self.speaks);
        let (trip, name) = (self.trip, self.speaks.command().first().map_or("", String::as_str));
        let mut taken = None;
        let ended = {
            let mut new = None;
            let held = self.hold.as_ref();
            let began = |number| {
                leader.set(number);
                // Noted as soon as it is known.
                held.iter().for_each(|hold| hold.note(number));
            };
            let mut told = |what: What| {
                if let What::Session(named) = &what
                    && let Ok(named) = Id::new(Names::Session, named)
                    && !held.is_some_and(|hold| hold.is_of(&named))
                {
                    match Hold::named(&named, name) {
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
            let ended = trip.take(turn, &mut listener, &began, &mut told);
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

    /// What a turn came to, from what was said and how the program ended.
    fn judge(&self, said: Said, ended: Result<(), Failure>) -> Result<Said, Failure> {
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
    speech: Speech,
    session: Option<Id>,
    said: Said,
}

impl<'l, S> Listener<'l, S> {
    pub(crate) fn new(speaks: &'l S) -> Self {
        Self { speaks, speech: Speech::new(Spoken::Progress), session: None, said: Said::default() }
    }
}

impl<S: Speaks> Partner for Listener<'_, S> {
    fn hear(&mut self, line: &[u8], _say: &mut Vec<u8>, tell: &mut dyn FnMut(What)) -> Next {
        // What is no JSON is a warning of somebody on the way.
        let Ok(line) = serde_json::from_slice::<Value>(line) else {
            self.speech.hear(line, &mut |what| tell(what));
            self.speech.hear(b"\n", &mut |what| tell(what));
            return Next::Listen;
        };
        for what in self.speaks.line(&line) {
            match what {
                Line::Session(session) => {
                    let id = Id::new(Names::Session, &session).ok();
                    // One that cannot be used is told too, and refused where it is heard.
                    if id.is_none() || self.session != id {
                        tell(What::Session(session));
                        self.session = id;
                    }
                }
                Line::Progress(text) => {
                    self.speech.hear(text.as_bytes(), &mut |what| tell(what));
                    self.speech.hear(b"\n", &mut |what| tell(what));
                }
                Line::Text(text) => self.said.text = Some(text),
                Line::Structured(text) => self.said.structured = Some(text),
                Line::Cut => self.said.is_cut = true,
                Line::Done => self.said.is_done = true,
                Line::Failed(why) => self.said.failed = Some(why),
            }
        }
        Next::Listen
    }

    fn farewell(&mut self, _say: &mut Vec<u8>) {}
}
