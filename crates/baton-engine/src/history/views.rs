//! What faces show: the runs, one run, and its history. Nothing here changes anything.

use std::path::Path;

use baton_courier::Delivery;
use baton_document::flow::Flow;
use baton_document::{Checker, Scratch};
use baton_kernel::{Digest, Key, LaneId, Millis, OwedDelivery, Pending, Position, State, position};
use baton_ledger::{Head, Ledger, Limit, Query, ReadFrom};

use crate::error::{Error, Problem, Refused};
use crate::history::projection::Projection;
use crate::outbound::compose;
use crate::outbound::compose::Parcel;
use crate::project::agents::Agents;
use crate::project::people::People;
use crate::records::{entry, mailbox};
use crate::run::Run;
use crate::run::awaited::{Waiting, Why};
use crate::run::permissions::Asked;
use crate::run::progress::asks;
use crate::run::summary::Summary;

/// One run as it stands.
pub struct RunView {
    /// What the kernel knows of it.
    pub state: State,
    /// What it owes.
    pub pending: Pending,
    /// Where it is in its flow.
    pub position: Position,
    run: Run,
}

impl RunView {
    /// A text that the run still carries: what a gate shows, what is delivered, what a question is about.
    pub fn text(&self, content: Digest) -> Option<Vec<u8>> {
        self.run.text(content).map(|text| text.bytes.to_vec())
    }

    /// What the branches of a lane ended with.
    pub fn branches(&self, lane: LaneId) -> Vec<Vec<u8>> {
        self.run.branches(lane).into_iter().map(|text| text.bytes.to_vec()).collect()
    }

    /// What a receiver gets with a delivery that is owed: the handoff, and what it is told beside it; the words of the
    /// failure if it cannot be made.
    pub fn parcel(
        &self,
        checker: &Checker,
        agents: &Agents,
        root: &Path,
        owed: &OwedDelivery,
        now: Millis,
    ) -> Result<(Vec<u8>, Option<String>), String> {
        let made = self.made(checker, agents, root, owed, now)?;
        Ok((made.handoff, made.prompt))
    }

    /// What a receiver is told with a delivery that is owed, and how it is asked for its handoff at the end.
    pub fn prompts(
        &self,
        checker: &Checker,
        agents: &Agents,
        root: &Path,
        owed: &OwedDelivery,
        now: Millis,
    ) -> Result<(Option<String>, Option<String>), String> {
        let made = self.made(checker, agents, root, owed, now)?;
        Ok((made.prompt, made.finalization.map(|asked| asked.prompt)))
    }

    fn made(
        &self,
        checker: &Checker,
        agents: &Agents,
        root: &Path,
        owed: &OwedDelivery,
        now: Millis,
    ) -> Result<Delivery, String> {
        let receiver = self.state.plan().agents.get(usize::from(owed.to.0)).map_or("", |agent| &agent.name);
        let setup = agents.get(receiver).ok_or_else(|| format!("nobody here knows an agent `{receiver}`"))?;
        let key = baton_courier::Key::from(&*owed.key.to_string());
        let root = root.to_owned();
        let parcel = Parcel { key, owed, run: &self.run, receiver, setup, agents, root, now };
        compose::delivery(checker, &mut Scratch::default(), parcel).map_err(|failure| failure.to_string())
    }

    /// What the agent of a delivery asks for, if it asks for something.
    pub fn permission(&self, key: Key) -> Option<&Asked> {
        self.run.permissions.asked(key)
    }

    /// Whether a delivery has expired, though nobody has recorded it yet.
    pub fn is_expired(&self, key: Key, now: Millis) -> bool {
        let expires = self.state.delivery(key).and_then(|delivery| delivery.expires);
        expires.is_some_and(|expires| expires <= now)
    }

    /// The deliveries, and attempts of them, whose answers were handed in and wait for somebody who drives the run.
    pub fn answered(&self, ledger: &dyn Ledger) -> Result<Vec<(Key, u16)>, Error> {
        mailbox::answered(ledger, self.state.run(), self.mail())
    }

    /// The letter of its mailbox that the run took last.
    pub(crate) fn mail(&self) -> u64 {
        self.run.mail
    }

    /// The names of what it was given.
    pub fn given(&self) -> impl Iterator<Item = &str> {
        self.run.notes.iter().flat_map(crate::run::flow_context::Notes::given)
    }

    /// Whose answers count at its gates.
    pub fn people(&self) -> &People {
        &self.run.people
    }
}

/// The runs with all these labels, the one that started last first, before a position.
pub fn runs(
    ledger: &dyn Ledger,
    labels: &[&str],
    before: Option<u64>,
    limit: usize,
) -> Result<Vec<Head>, Error> {
    let labels = std::iter::once("run").chain(labels.iter().copied()).map(str::to_owned).collect();
    Ok(ledger.find(&Query { labels, before, since: 0, limit: Limit(limit) })?)
}

/// What lists say of the run of a head: the summary that is kept, or one by replay.
pub fn summary(ledger: &dyn Ledger, head: &Head) -> Result<Summary, Problem> {
    let Some(mut summary) = Summary::read(head) else { return replayed(ledger, &head.stream) };
    let Some(seq) = summary.flow_record else { return Ok(summary) };
    let from = ReadFrom::Stream { stream: head.stream.clone(), after: seq.saturating_sub(1) };
    let record = ledger.read(&from, Limit(1)).map_err(Error::from)?.pop();
    let bytes = record.and_then(|record| record.payload?.bytes).unwrap_or_default();
    let flow = std::str::from_utf8(&bytes).ok().and_then(|text| Flow::read(text).0);
    let asks = flow.map(|flow| asks(flow.steps)).unwrap_or_default();
    for one in &mut summary.awaited {
        if let Waiting::Person(question) = &mut one.what
            && question.is_by_flow()
        {
            question.why = asks.get(&one.step).cloned().map(Why::Flow);
        }
    }
    Ok(summary)
}

/// What lists say of a run, by replay and with all that a ledger cannot keep.
pub fn replayed(ledger: &dyn Ledger, run: &str) -> Result<Summary, Problem> {
    let mut projection = Projection::default();
    entry::each(ledger, run, |entry| projection.push(&entry))?;
    Ok(projection.summary())
}

/// One run, replayed.
pub fn show(ledger: &dyn Ledger, run: &str, now: Millis) -> Result<RunView, Problem> {
    let replayed = Run::view(ledger, run, now)?;
    if !replayed.has_begun() {
        return Err(Problem::Refused(Refused::NoRun { run: run.to_owned() }));
    }
    let (state, pending) = (replayed.state.clone(), replayed.owed.clone());
    let position = position(&state);
    Ok(RunView { state, pending, position, run: replayed })
}
