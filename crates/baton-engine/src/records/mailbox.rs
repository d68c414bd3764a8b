//! What somebody wants of a run that another process may be driving: it is put into the run's mailbox, and whoever
//! drives the run takes it from there.
//!
//! Invariant: a wish is durable when `post` returns, and it is taken once: the run records that it took it together with
//! all that followed from it.

use baton_kernel::{
    AskId, By, Choice, Digest, GateAnswer, GateId, Key, Millis, Plan, Refusal, Report, Stage, What,
};
use baton_ledger::{Append, Head, Ledger, Limit, NewEvent, NewHead, Query, ReadFrom, Record};
use serde::{Deserialize, Serialize};

use crate::error::RESERVED;
use crate::error::{Error, Problem, Refused};
use crate::project::people::{Home, People, Signed, Statement};

/// What the streams of mailboxes are called, before the name of their run.
const BOX: &str = "mail/";
/// The label of a mailbox in which something waits.
const WAITING: &str = "mail";
/// The label that says up to where a mailbox was emptied.
const EMPTIED: &str = "emptied:";
/// The kind of a record that holds a wish.
pub(crate) const WISH: &str = "wish";
/// How many mailboxes, or wishes, one look takes.
pub const POSTED_MAX: usize = 64;
const LOOK: Limit = Limit(POSTED_MAX);

/// Something that somebody wants of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "fields are named for what they hold; the types say the rest")]
pub enum RunRequest {
    /// A person answers a gate, with their signature.
    AnswerGate { gate: GateId, answer: GateAnswer, shown: Digest, signed: Signed },
    /// A person answers where the run could not go on by itself. The step that they choose goes by its name, should the run
    /// go on with a changed plan before it takes this; `post` sets it.
    AnswerPerson {
        ask: AskId,
        choice: Choice,
        by: String,
        more: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<String>,
    },
    /// A person says whether an agent may do what it asks for, with their signature.
    Permit { ask: AskId, key: Key, answer: GateAnswer, shown: Digest, signed: Signed },
    /// A person has a dead letter sent again.
    Retry { key: Key, by: String },
    /// A person cancels the run.
    Cancel { by: String },
    /// Something happened that a step waits for.
    Signal { name: String },
    /// An agent with an inbox acknowledges a delivery.
    Acknowledge { key: Key, attempt: u16, stage: Stage },
    /// An agent with an inbox asks what was meant.
    Ask { key: Key, attempt: u16 },
    /// An agent with an inbox hands in a draft.
    Draft { key: Key, attempt: u16 },
    /// An agent with an inbox hands in its answer.
    Answer { key: Key, attempt: u16 },
}

/// A wish that lies in a mailbox.
pub(crate) struct Letter {
    pub(crate) seq: u64,
    /// When it was posted.
    pub(crate) at: Millis,
    pub(crate) wish: RunRequest,
    pub(crate) content: Option<Vec<u8>>,
}

/// What became of a wish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The wish, by its place in the mailbox.
    pub mail: u64,
    /// Why it was refused, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// What would be possible instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

pub(crate) fn read_taken(record: &Record) -> Option<Taken> {
    serde_json::from_slice(&record.body).ok()
}

impl RunRequest {
    /// The names in it that a person or a program gave, each with what it is of.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let named = match self {
            Self::AnswerPerson { by, .. } | Self::Retry { by, .. } | Self::Cancel { by } => {
                Some(("person", by.as_str()))
            }
            Self::Signal { name } => Some(("signal", name.as_str())),
            Self::AnswerGate { .. }
            | Self::Permit { .. }
            | Self::Acknowledge { .. }
            | Self::Ask { .. }
            | Self::Draft { .. }
            | Self::Answer { .. } => None,
        };
        named.into_iter()
    }

    /// The same, with the step that a person chooses by its name.
    pub(crate) fn naming(mut self, plan: &Plan) -> Self {
        if let Self::AnswerPerson { choice: Choice::Go(to), step, .. } = &mut self {
            *step = plan.step(*to).map(|step| step.name.clone());
        }
        self
    }

    /// The same, for a plan in which the step that a person chose may have another number.
    pub(crate) fn meant_for(mut self, plan: &Plan) -> Result<Self, Refusal> {
        if let Self::AnswerPerson { choice: Choice::Go(to), step: Some(step), .. } = &mut self {
            *to = plan.step_named(step).ok_or(Refusal::UnknownStep)?;
        }
        Ok(self)
    }

    /// What a wish that was posted at this time says to the kernel; nothing of an agent's wish, which is read as a report.
    pub(crate) fn as_command(
        &self,
        run: &str,
        home: &Home,
        content: Option<Digest>,
        people: &People,
        at: Millis,
    ) -> Result<Option<What>, Refused> {
        Ok(Some(match self {
            Self::AnswerGate { gate, answer, shown, signed } => {
                let (gate, answer, shown) = (*gate, *answer, *shown);
                Statement { home, run, gate, answer, shown }.must_be_in(signed)?;
                let by = people.verified(signed)?;
                What::AnswerGate { gate, answer, shown, by: By::Person(by) }
            }
            Self::AnswerPerson { ask, choice, by, more, step: _ } => {
                let by = By::Person(by.clone());
                What::AnswerPerson { ask: *ask, choice: *choice, by, content, more: *more }
            }
            Self::Permit { ask, answer, shown, signed, .. } => {
                let (gate, answer, shown) = (GateId(ask.0), *answer, *shown);
                Statement { home, run, gate, answer, shown }.must_be_in(signed)?;
                let by = By::Person(people.verified(signed)?);
                let (choice, more) = (Choice::Again, None);
                What::AnswerPerson { ask: *ask, choice, by, content: None, more }
            }
            Self::Retry { key, by } => What::Retry { key: *key, by: By::Person(by.clone()) },
            Self::Cancel { by } => What::Cancel { by: By::Person(by.clone()) },
            Self::Signal { name } => What::Signal { name: name.clone(), at },
            Self::Acknowledge { .. } | Self::Ask { .. } | Self::Draft { .. } | Self::Answer { .. } => {
                return Ok(None);
            }
        }))
    }

    /// The delivery and the attempt that an agent speaks of.
    pub(crate) fn delivery(&self) -> Option<(Key, u16)> {
        match self {
            Self::Acknowledge { key, attempt, .. }
            | Self::Ask { key, attempt }
            | Self::Draft { key, attempt }
            | Self::Answer { key, attempt } => Some((*key, *attempt)),
            Self::AnswerGate { .. }
            | Self::AnswerPerson { .. }
            | Self::Permit { .. }
            | Self::Retry { .. }
            | Self::Cancel { .. }
            | Self::Signal { .. } => None,
        }
    }

    /// The acknowledgement of a delivery, which can be judged before anybody takes it.
    pub(crate) fn acknowledged(&self) -> Option<What> {
        let Self::Acknowledge { key, attempt, stage } = self else { return None };
        Some(What::Report { key: *key, attempt: *attempt, report: Report::Acknowledge(*stage) })
    }

    /// What must be new in the whole ledger: a decision is made once, also while nobody has taken it yet.
    ///
    /// A signed answer claims for its home: one that was signed for another, and is refused when it is taken, keeps nobody from
    /// answering here.
    pub(crate) fn claim(&self, run: &str, home: &Home, content: Option<Digest>) -> Option<String> {
        match self {
            Self::AnswerGate { answer: GateAnswer::Question, .. } => None,
            Self::AnswerGate { gate, shown, .. } => {
                Some(format!("gate/{run}/{}/{shown}/{}", gate.0, home.digest()))
            }
            // One that says that the work still goes on is followed by another.
            Self::Answer { key, attempt } => {
                content.map(|content| format!("answer/{run}/{key}/{attempt}/{content}"))
            }
            Self::Permit { ask, .. } => Some(format!("question/{run}/{}/{}", ask.0, home.digest())),
            Self::AnswerPerson { ask, .. } => Some(format!("question/{run}/{}", ask.0)),
            Self::Retry { .. }
            | Self::Cancel { .. }
            | Self::Signal { .. }
            | Self::Acknowledge { .. }
            | Self::Ask { .. }
            | Self::Draft { .. } => None,
        }
    }
}

/// The names of runs in whose mailboxes something waits to be taken.
pub fn posted(ledger: &dyn Ledger) -> Result<Vec<String>, Error> {
    Ok(waiting(ledger)?.into_iter().map(|(run, _)| run).collect())
}

/// What lies in the mailbox of a run and waits to be taken.
pub fn lying(ledger: &dyn Ledger, run: &str) -> Result<Vec<RunRequest>, Error> {
    let Some(head) = waiting_for(ledger, run)? else { return Ok(Vec::new()) };
    Ok(letters(ledger, &head, 0)?.into_iter().map(|letter| letter.wish).collect())
}

/// The runs in whose mailboxes something waits.
pub(crate) fn waiting(ledger: &dyn Ledger) -> Result<Vec<(String, Head)>, Error> {
    let heads =
        ledger.find(&Query { labels: vec![WAITING.to_owned()], before: None, since: 0, limit: LOOK })?;
    Ok(heads.into_iter().filter_map(|head| Some((run_of(&head.stream)?.to_owned(), head))).collect())
}

/// What the mailbox of a run is called.
pub(crate) fn stream(run: &str) -> String {
    format!("{RESERVED}{BOX}{run}")
}

/// The run whose mailbox is called so.
pub(crate) fn run_of(stream: &str) -> Option<&str> {
    stream.strip_prefix(RESERVED)?.strip_prefix(BOX)
}

/// The mailbox of a run, if something waits in it.
pub(crate) fn waiting_for(ledger: &dyn Ledger, run: &str) -> Result<Option<Head>, Error> {
    Ok(mailbox(ledger, run)?.filter(|head| head.labels.iter().any(|label| label == WAITING)))
}

/// The wishes in a mailbox behind the one that the run took last.
pub(crate) fn letters(ledger: &dyn Ledger, head: &Head, taken: u64) -> Result<Vec<Letter>, Error> {
    let from = ReadFrom::Stream { stream: head.stream.clone(), after: taken.max(emptied(head)) };
    let mut all = Vec::new();
    for record in ledger.read(&from, LOOK)? {
        if record.kind != WISH {
            continue;
        }
        let wish = serde_json::from_slice(&record.body).map_err(|error| Error::History {
            run: record.stream.clone(),
            seq: record.seq,
            what: format!("the wish cannot be read: {error}"),
        })?;
        let content = record.payload.and_then(|payload| payload.bytes);
        all.push(Letter { seq: record.seq, at: record.at, wish, content });
    }
    Ok(all)
}

/// The deliveries whose answers wait in the mailbox of a run, behind the letter that it took last.
pub(crate) fn answered(ledger: &dyn Ledger, run: &str, taken: u64) -> Result<Vec<(Key, u16)>, Error> {
    answers(ledger, mailbox(ledger, run)?.as_ref(), taken)
}

pub(crate) fn answers(
    ledger: &dyn Ledger,
    head: Option<&Head>,
    mut taken: u64,
) -> Result<Vec<(Key, u16)>, Error> {
    let mut all = Vec::new();
    let Some(head) = head else { return Ok(all) };
    loop {
        let letters = letters(ledger, head, taken)?;
        let Some(last) = letters.last() else { return Ok(all) };
        taken = last.seq;
        let answer = |letter: &Letter| {
            if let RunRequest::Answer { key, attempt } = letter.wish { Some((key, attempt)) } else { None }
        };
        all.extend(letters.iter().filter_map(answer));
    }
}

/// Says in the mailbox that all before a place was taken. Should somebody have written meanwhile, the next look says it.
pub(crate) fn empty(
    ledger: &dyn Ledger,
    run: &str,
    head: &Head,
    taken: u64,
    now: Millis,
) -> Result<(), Error> {
    let is_all = taken >= head.seq;
    let append = Append {
        stream: head.stream.clone(),
        expected: head.seq,
        fence: None,
        at: now,
        events: vec![NewEvent {
            kind: "emptied".to_owned(),
            body: taken.to_string().into_bytes(),
            payload: None,
        }],
        head: Some(labels(run, if is_all { head.seq + 1 } else { taken }, !is_all)),
        claims: Vec::new(),
        erase: Vec::new(),
    };
    ledger.append(vec![append])?;
    Ok(())
}

pub(crate) fn mailbox(ledger: &dyn Ledger, run: &str) -> Result<Option<Head>, Error> {
    let labels = vec![format!("mail-of:{run}")];
    Ok(ledger.find(&Query { labels, before: None, since: 0, limit: Limit(1) })?.into_iter().next())
}

pub(crate) fn labels(run: &str, emptied: u64, is_waiting: bool) -> NewHead {
    let mut labels = vec![format!("mail-of:{run}"), format!("{EMPTIED}{emptied}")];
    labels.extend(is_waiting.then(|| WAITING.to_owned()));
    NewHead { labels, ..NewHead::default() }
}

pub(crate) fn emptied(head: &Head) -> u64 {
    let place = head.labels.iter().find_map(|label| label.strip_prefix(EMPTIED)?.parse().ok());
    place.unwrap_or(0)
}

pub(crate) fn refused(what: String) -> Problem {
    Problem::Refused(Refused::RunRequest { what })
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self::Run(refusal)
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}
