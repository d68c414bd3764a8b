//! What must hold after every step, whatever happened.

use std::collections::{BTreeMap, BTreeSet};

use baton_engine::history::views::{self, show};
use baton_engine::run::summary::Summary;
use baton_kernel::{
    Does, Event, Facts, GateAnswer, Held, Key, LaneId, Millis, OnUnknown, OwedGate, Reason, State, When,
    evolve, pending,
};
use baton_ledger::{Ledger as _, Limit, Query, ReadFrom, Record, verify};
use serde_json::Value;

use super::flows::FIELD;
use super::world::{Attempt, Post, World};

/// The record that says that a letter was taken.
const MAIL_TAKEN: &str = "mail_taken";
/// How long after it is due something is done at the latest, once nothing breaks.
const LOOKED_MS: u64 = 30_000;

/// Looks at everything whenever something was recorded or may have been forgotten.
#[derive(Default)]
pub(crate) struct Audit {
    /// The last position that was looked at.
    seen: u64,
}

impl Audit {
    /// Says what is wrong first.
    pub(crate) fn check(&mut self, world: &World, runs: &[String]) -> Result<(), String> {
        if let Some(wrong) = &world.inner().wrong {
            return Err(wrong.clone());
        }
        let has_fallen = std::mem::take(&mut world.inner().has_fallen);
        let from = ReadFrom::Position { after: if has_fallen { 0 } else { self.seen } };
        let fresh = world.disk().read(&from, Limit(100_000)).expect("the disk has no faults of its own");
        let Some(last) = fresh.last() else { return Ok(()) };
        self.seen = last.position;
        if has_fallen {
            acknowledged(world)?;
        }
        let caps = world.inner().caps.clone();
        let changed = |run: &String| fresh.iter().any(|record| record.stream == *run);
        let mut runs = runs.iter().zip(caps).filter(|(run, _)| changed(run));
        runs.try_for_each(|(run, cap)| {
            let state = of_run(run, &world.records(run), cap)?;
            summarised(world, run)?;
            asked(world, run, &state)
        })
    }
}

/// What the ledger keeps for lists says what the records amount to.
fn summarised(world: &World, run: &str) -> Result<(), String> {
    let query = Query { labels: vec!["run".to_owned()], before: None, since: 0, limit: Limit(1_000) };
    let heads = world.disk().find(&query).expect("the disk has no faults of its own");
    let head = heads.iter().find(|head| head.stream == *run).ok_or_else(|| format!("{run} has no head"))?;
    Summary::read(head).ok_or_else(|| format!("{run} has no summary that counts"))?;
    let kept = views::summary(world.disk(), head).map_err(|problem| problem.to_string())?;
    let replayed = views::replayed(world.disk(), run).map_err(|problem| problem.to_string())?;
    // The records do not say who drove it.
    let expected = Summary { driver: kept.driver.clone(), ..replayed };
    if kept != expected {
        return Err(format!("the ledger keeps {kept:?}\nfor what amounts to {expected:?}"));
    }
    Ok(())
}

/// Whoever looks for what people are asked finds the runs that ask something, and no others.
fn asked(world: &World, run: &str, state: &State) -> Result<(), String> {
    let owed = pending(state, Millis(0));
    for (label, asks) in [("question", !owed.questions.is_empty()), ("gate", !owed.gates.is_empty())] {
        let labels = vec!["run".to_owned(), label.to_owned()];
        let query = Query { labels, before: None, since: 0, limit: Limit(1_000) };
        let found = world.disk().find(&query).expect("the disk has no faults of its own");
        if found.iter().any(|head| head.stream == *run) != asks {
            return Err(format!("{run} is found by `{label}`, or not, although it has none, or one"));
        }
    }
    Ok(())
}

/// Nothing acknowledged is lost.
fn acknowledged(world: &World) -> Result<(), String> {
    let acknowledged = world.inner().acknowledged.clone();
    let mut heads: BTreeMap<String, Vec<baton_kernel::Digest>> = BTreeMap::new();
    for (stream, seq, hash) in acknowledged {
        let hashes = heads
            .entry(stream.clone())
            .or_insert_with(|| world.records(&stream).iter().map(|record| record.hash).collect());
        let at = usize::try_from(seq - 1).expect("few records");
        if hashes.get(at) != Some(&hash) {
            return Err(format!("record {seq} of {stream} was acknowledged and is lost"));
        }
    }
    Ok(())
}

/// What must hold of everything that is recorded of a run; gives what it amounts to.
pub(crate) fn of_run(run: &str, records: &[Record], handoffs_max: u32) -> Result<State, String> {
    let mut state = State::new();
    let mut answered: BTreeSet<Key> = BTreeSet::new();
    let mut started: BTreeSet<(Key, u16)> = BTreeSet::new();
    let mut decided = BTreeSet::new();
    let mut approved = 0_usize;
    let mut passed = 0_usize;
    let mut fence = 0;
    let mut allowed = u64::from(handoffs_max);
    let mut open = Branches::default();
    let mut unknown = Unknown::default();
    for record in records {
        // What is wrong with a refused answer, what Baton wrote in its place, and which letter was taken, are notes of the
        // engine's own.
        if ["answer_rejected", "handoff_made", MAIL_TAKEN].contains(&record.kind.as_str()) {
            continue;
        }
        let event: Event = match serde_json::from_slice(&record.body) {
            Ok(event) => event,
            Err(error) => return Err(format!("record {} of {run} cannot be read: {error}", record.seq)),
        };
        match &event {
            Event::Answered { key, facts, .. } => {
                if !answered.insert(*key) {
                    return Err(format!("delivery {key} of {run} counts twice"));
                }
                let bytes = record.payload.as_ref().and_then(|payload| payload.bytes.as_deref());
                let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else {
                    return Err(format!("the step that {key} finished has no handoff"));
                };
                unknown.answered(&state, *key, facts, &String::from_utf8_lossy(bytes))?;
            }
            Event::DeliveryStarted { key, attempt, fence: by, .. } => {
                if !started.insert((*key, *attempt)) {
                    return Err(format!("attempt {attempt} of {key} was started twice"));
                }
                if by.0 < fence {
                    return Err(format!("a driver that had lost {run} started {key}"));
                }
                fence = by.0;
            }
            Event::GateAnswered { gate, answer, shown, .. } => {
                let is_final = *answer != GateAnswer::Question;
                if is_final && !decided.insert(*gate) {
                    return Err(format!("gate {} of {run} was answered twice", gate.0));
                }
                approved += usize::from(*answer == GateAnswer::Approve);
                let owed = pending(&state, record.at);
                let open = owed.gates.iter().find(|open| open.gate == *gate);
                if open.and_then(|open| open.shown) != Some(*shown) {
                    return Err(format!("gate {} was answered for content that it does not show", gate.0));
                }
            }
            Event::PersonAnswered { more: Some(more), .. } => allowed += more,
            Event::Forked { lane, first, branches } => open.fork(*lane, *first, *branches),
            Event::Joined { lane, unknown: why, .. } => {
                open.close(*lane);
                unknown.joined(&state, *lane, why.is_some());
            }
            Event::BranchEnded { lane, .. } if open.0.remove(lane).is_none() => {
                return Err(format!("the end of branch {} of {run} was counted twice", lane.0));
            }
            Event::Routed { lane, reason, .. } if unknown.decides(*lane, *reason) => {
                return Err(format!("{run} goes on by an expression that could not be evaluated: {reason}"));
            }
            Event::GateChecked { held: true, checks, .. }
                if checks.iter().any(|check| !check.truth.holds()) =>
            {
                return Err(format!("a gate of {run} passed by a check that did not hold"));
            }
            Event::Routed { reason: Reason::GateApproved, .. } => {
                passed += 1;
                if passed > approved {
                    return Err(format!("a gate of {run} passed unanswered"));
                }
            }
            Event::RunStarted { .. }
            | Event::PlanChanged { .. }
            | Event::Routed { .. }
            | Event::SessionKnown { .. }
            | Event::Acknowledged { .. }
            | Event::Progressed { .. }
            | Event::DraftTaken { .. }
            | Event::Questioned { .. }
            | Event::AttemptFailed { .. }
            | Event::RetryPlanned { .. }
            | Event::LateReport { .. }
            | Event::DeadLettered { .. }
            | Event::DeliveryStopped { .. }
            | Event::Bounced { .. }
            | Event::GateOpened { .. }
            | Event::GateShows { .. }
            | Event::GateChecked { .. }
            | Event::GateOverdue { .. }
            | Event::GateUnanswered { .. }
            | Event::BranchEnded { .. }
            | Event::ValueAwaited { .. }
            | Event::WaitStarted { .. }
            | Event::WaitEnded { .. }
            | Event::PersonAsked { .. }
            | Event::PersonAnswered { .. }
            | Event::RunEnded { .. } => {}
        }
        evolve(&mut state, &event);
        if u64::from(state.handoffs()) > allowed {
            return Err(format!("{run} made {} handoffs of {allowed}", state.handoffs()));
        }
        if let Some(lane) = for_whom(&state, record.at).find(|lane| !open.has(*lane)) {
            return Err(format!("{run} wants something for branch {}, which was closed", lane.0));
        }
    }
    Ok(state)
}

/// The lanes in which an expression could not be evaluated, and where a person is to be asked.
#[derive(Default)]
struct Unknown(BTreeSet<LaneId>);

impl Unknown {
    /// An answer says whether it has the field that expressions ask for; without it they have no value.
    fn answered(&mut self, state: &State, key: Key, facts: &Facts, text: &str) -> Result<(), String> {
        let asks = |held: &&Held| held.name.contains(FIELD);
        if let Some(held) = facts.held.iter().find(|held| asks(held) && !text.contains(FIELD))
            && held.truth.unknown().is_none()
        {
            return Err(format!("`{}` has a value for {key}, whose handoff has no such field", held.name));
        }
        let step = state.lane(key.lane).and_then(|lane| state.plan().step(lane.step));
        let Some(Does::Pass(pass)) = step.map(|step| &step.does) else { return Ok(()) };
        let decides = pass.routes.iter().find_map(|route| {
            let When::Holds(name) = &route.when else { return None };
            let held = facts.held.iter().find(|held| held.name == *name)?;
            let asks = held.truth.unknown().is_some() && route.on_unknown == OnUnknown::Ask;
            (asks || held.truth.holds()).then_some(asks)
        });
        if decides == Some(true) {
            self.0.insert(key.lane);
        }
        Ok(())
    }

    fn joined(&mut self, state: &State, lane: LaneId, is_unknown: bool) {
        let step = state.lane(lane).and_then(|lane| state.plan().step(lane.step));
        if let Some(Does::Parallel(of)) = step.map(|step| &step.does)
            && is_unknown
            && of.on_unknown == OnUnknown::Ask
        {
            self.0.insert(lane);
        }
    }

    /// Whether a lane moves as if the expression had a value.
    fn decides(&mut self, lane: LaneId, reason: Reason) -> bool {
        self.0.remove(&lane)
            && matches!(
                reason,
                Reason::Done
                    | Reason::Concerns
                    | Reason::Skipped
                    | Reason::Holds
                    | Reason::UnknownHolds
                    | Reason::JoinPassed
                    | Reason::JoinFailed
            )
    }
}

/// The branches that are open, each with the lane that they are a branch of, as the records alone tell it.
#[derive(Default)]
struct Branches(BTreeMap<LaneId, LaneId>);

impl Branches {
    fn fork(&mut self, parent: LaneId, first: LaneId, branches: u16) {
        self.0.extend((0..u32::from(branches)).map(|branch| (LaneId(first.0 + branch), parent)));
    }

    fn close(&mut self, parent: LaneId) {
        let below: Vec<LaneId> = self.0.extract_if(.., |_, of| *of == parent).map(|(lane, _)| lane).collect();
        below.into_iter().for_each(|lane| self.close(lane));
    }

    fn has(&self, lane: LaneId) -> bool {
        lane == LaneId(0) || self.0.contains_key(&lane)
    }
}

/// The lanes for which somebody works or is asked.
fn for_whom(state: &State, at: Millis) -> impl Iterator<Item = LaneId> {
    let owed = pending(state, at);
    let asked = owed.questions.into_iter().map(|question| question.lane);
    let shown = owed.gates.into_iter().map(|gate| gate.lane);
    asked.chain(shown).chain(owed.deliveries.into_iter().map(|owed| owed.key.lane))
}

/// What must hold of the runs that a process drives, after a turn of it that did not fail: what they owe was started, and
/// what it was told is recorded. Otherwise nothing would ever move them on.
pub(crate) fn driven(world: &World, life: usize, runs: &[String], now: Millis) -> Result<(), String> {
    let told: Vec<Attempt> =
        world.inner().told.extract_if(.., |(to, _)| *to == life).map(|(_, attempt)| attempt).collect();
    // A run that somebody else took is let go of as soon as that is noticed.
    let runs = runs.iter().filter(|run| world.inner().has_lease(life, run));
    for run in runs {
        let Ok(view) = show(world.disk(), run, now) else { continue };
        for owed in view.pending.deliveries {
            let attempt = (format!("{run}/{}", owed.key), u32::from(owed.attempt));
            if told.contains(&attempt) {
                return Err(format!("process {life} was told the end of {attempt:?}, and did not record it"));
            }
            if !world.inner().started.contains(&attempt) {
                return Err(format!(
                    "{attempt:?} is owed by a run that process {life} drives, and not started"
                ));
            }
        }
    }
    Ok(())
}

/// What must hold once every lease of the dead is over: each delivery that is owed is somebody's work, or was lost on its
/// way, which only time can tell; what the engine itself owes is done, and what was due was looked at.
pub(crate) fn awake(world: &World, runs: &[String], now: Millis) -> Result<(), String> {
    for run in runs {
        let Ok(view) = show(world.disk(), run, now) else { continue };
        let is_checked = |gate: &OwedGate| gate.shown.is_some() && !gate.checking;
        if !view.pending.values.is_empty() || !view.pending.gates.iter().all(is_checked) {
            return Err(format!("{run} awaits something of the engine, and nobody does it"));
        }
        if view.pending.next_due.is_some_and(|due| due.after(LOOKED_MS) < now) {
            return Err(format!("something of {run} was due, and nobody looks"));
        }
        let inner = world.inner();
        for owed in view.pending.deliveries {
            let attempt = (format!("{run}/{}", owed.key), u32::from(owed.attempt));
            let is_work =
                |post: &Post| post.delivery.key.as_str() == attempt.0 && post.delivery.attempt == attempt.1;
            let is_told = |(life, told): &(usize, Attempt)| *told == attempt && inner.is_alive(*life);
            let is_going_on = inner.posts.iter().any(is_work) || inner.told.iter().any(is_told);
            if !is_going_on && !inner.lost.contains(&attempt) {
                return Err(format!("{attempt:?} is owed, and nobody does it"));
            }
        }
    }
    Ok(())
}

/// What must hold when all is over: each letter was taken, once.
pub(crate) fn letters(world: &World) -> Result<(), String> {
    let letters = world.inner().letters.clone();
    for (run, place) in letters {
        let records = world.records(&run);
        let is_it = |record: &&Record| {
            let body = || serde_json::from_slice::<Value>(&record.body).unwrap_or_default();
            record.kind == MAIL_TAKEN && body()["mail"] == place
        };
        let taken = records.iter().filter(is_it).count();
        if taken != 1 {
            return Err(format!("letter {place} to {run} was taken {taken} times"));
        }
    }
    Ok(())
}

/// What must hold at the very end: all that was acknowledged is there, and the chain verifies.
pub(crate) fn proof(world: &World) -> Result<(), String> {
    acknowledged(world)?;
    let report = verify(world.disk(), None).map_err(|error| error.to_string())?;
    match report.first_bad {
        Some(bad) => Err(format!("the chain does not verify: {}", bad.what)),
        None => Ok(()),
    }
}
