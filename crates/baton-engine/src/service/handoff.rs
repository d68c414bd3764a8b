//! A handoff of a run: who wrote it, where it went, how it was received, its text.

use baton_document::carrier::Look;
use baton_document::{Input, Scratch};
use baton_kernel::{Digest, Does, Event, Key, LaneId, Outcome, State, StepId, Target, evolve};
use baton_ledger::{Erasure, Ledger};
use schemars::JsonSchema;
use serde::Serialize;

use super::reception::Reception;
use super::{moment, standing, tale};
use crate::evidence::{Verdict, verdicts};
use crate::history::receipts::receipts;
use crate::project::Project;
use crate::project::fault::Result;
use crate::records::entry::{Entry, history};
use crate::records::ids::Ids;
use crate::records::substitute::Made;

/// A handoff of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HandoffReply {
    /// Its id.
    pub id: String,
    /// The run.
    pub run: String,
    /// Who wrote it, or was to write it.
    pub from: String,
    /// Whether Baton wrote it, because that agent gave none.
    pub by_baton: bool,
    /// Where it went.
    pub to: String,
    /// The step that it ended.
    pub step: String,
    /// Its outcome.
    pub outcome: String,
    /// When it was recorded.
    pub at: String,
    /// Its dialect.
    pub dialect: Option<String>,
    /// Its text, unless it was erased.
    pub text: Option<String>,
    /// Who erased its text.
    pub erased: Option<ErasedText>,
    /// What came of looking at its evidence last.
    #[schemars(with = "Option<serde_json::Value>")]
    pub verdict: Option<Verdict>,
    /// When that was.
    pub verified_at: Option<String>,
    /// How it was received, if an agent got it.
    pub reception: Option<Reception>,
}

/// An erased text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErasedText {
    /// When.
    pub at: String,
    /// By whom.
    pub by: String,
    /// Why.
    pub because: String,
}

/// The handoff that has an id of its own, as RUN/NUMBER.
pub(super) fn by_own_id(ledger: &dyn Ledger, id: &str) -> Result<Option<String>> {
    let ids = Ids::read(ledger)?;
    let Some(place) = ids.find(id).map(|given| given.place.clone()) else { return Ok(None) };
    let before = history(ledger, &place.run)?.into_iter().take_while(|entry| entry.record.seq <= place.seq);
    let number = before.filter(Entry::is_handoff).count();
    Ok(Some(format!("{}/{number}", place.run)))
}

/// Erasures of a run, each with when it was recorded.
struct Erasures(Vec<(String, Erasure)>);

impl Erasures {
    fn read(all: &[Entry]) -> Self {
        let read = |entry: &Entry| Some((moment::stamp(entry.record.at), Erasure::read(&entry.record)?));
        Self(all.iter().filter_map(read).collect())
    }

    /// The erasure of a text that is gone. The last one counts: a text that came back was erased again.
    fn of(&self, text: Option<&String>, digest: Option<Digest>) -> Option<ErasedText> {
        let names_it =
            |(_, erasure): &&(String, Erasure)| digest.is_some_and(|it| erasure.digests.contains(&it));
        let (at, erasure) = self.0.iter().rfind(names_it).filter(|_| text.is_none())?;
        let Erasure { by, because, .. } = erasure.clone();
        Some(ErasedText { at: at.clone(), by, because })
    }
}

/// The n-th handoff of a run.
pub(super) fn handoff(
    ledger: &dyn Ledger,
    project: &Project,
    run: &str,
    number: usize,
) -> Result<Option<HandoffReply>> {
    let mut state = State::new();
    let mut handoffs = 0;
    let mut found: Option<(HandoffReply, Key)> = None;
    let mut received = None;
    let all = history(ledger, run)?;
    let receipts = receipts(&all);
    let erasures = Erasures::read(&all);
    for entry in all {
        let is_it = entry.is_handoff() && {
            handoffs += 1;
            handoffs == number
        };
        let Some(event) = &entry.event else {
            if let Some(made) = entry.made().filter(|_| is_it) {
                let digest = entry.record.payload.as_ref().map(|payload| payload.digest);
                let mut handoff = substitute(project, &state, format!("{run}/{number}"), made, entry);
                handoff.erased = erasures.of(handoff.text.as_ref(), digest);
                return Ok(Some(handoff));
            }
            continue;
        };
        if let Some((handoff, key)) = &mut found {
            // Where it went is what its lane did next.
            if let Event::Routed { lane, winner, .. } = event
                && *lane == key.lane
            {
                handoff.to = receiver(&state, *lane, *winner);
            } else if let Event::DeliveryStarted { key: next, to, .. } = event
                && next.lane == key.lane
            {
                handoff.to = agent(&state, usize::from(to.0));
                received = Some(*next);
                break;
            } else if let Event::Answered { .. } | Event::GateOpened { .. } | Event::RunEnded { .. } = event {
                break;
            }
        } else if let Event::Answered { key, facts, .. } = event
            && is_it
        {
            let id = format!("{run}/{number}");
            found = Some((answered(project, &state, &erasures, id, (*key, facts.outcome), &entry), *key));
        }
        evolve(&mut state, event);
    }
    let Some((mut handoff, key)) = found else { return Ok(None) };
    let receipt = receipts.iter().find(|receipt| Some(receipt.key) == received);
    handoff.reception = receipt.map(|receipt| Reception::new(run, receipt));
    let mut verdicts = verdicts(ledger, run)?.into_iter().filter(|(_, recorded)| recorded.key == key);
    if let Some((at, recorded)) = verdicts.next_back() {
        (handoff.verdict, handoff.verified_at) = (Some(recorded.verdict), Some(moment::stamp(at)));
    }
    Ok(Some(handoff))
}

/// The answer of an agent.
fn answered(
    project: &Project,
    state: &State,
    erasures: &Erasures,
    id: String,
    (key, outcome): (Key, Outcome),
    entry: &Entry,
) -> HandoffReply {
    let payload = entry.record.payload.as_ref();
    let bytes = payload.and_then(|payload| payload.bytes.as_deref());
    let text = bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let step = state.lane(key.lane).map_or(key.step, |lane| lane.step);
    let from = state.delivery(key).map(|delivery| agent(state, usize::from(delivery.to.0)));
    HandoffReply {
        id,
        run: entry.record.stream.clone(),
        from: from.unwrap_or_default(),
        by_baton: false,
        to: String::new(),
        step: standing::step_name(state, step).to_owned(),
        outcome: tale::outcome(outcome).to_owned(),
        at: moment::stamp(entry.record.at),
        dialect: text.as_deref().and_then(|text| dialect(project, text)),
        erased: erasures.of(text.as_ref(), payload.map(|payload| payload.digest)),
        text,
        verdict: None,
        verified_at: None,
        reception: None,
    }
}

/// The substitute for a delivery that was given up. A person was asked about it then, or the run has halted.
fn substitute(project: &Project, state: &State, id: String, made: Made, entry: Entry) -> HandoffReply {
    let bytes = entry.record.payload.and_then(|payload| payload.bytes);
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let to = if state.ending().is_some() { "nobody: the run halts" } else { "a person" };
    HandoffReply {
        id,
        run: state.run().to_owned(),
        from: made.agent,
        by_baton: !made.is_error,
        to: to.to_owned(),
        step: made.step,
        outcome: tale::outcome(Outcome::Blocked).to_owned(),
        at: moment::stamp(entry.record.at),
        dialect: text.as_deref().and_then(|text| dialect(project, text)),
        text,
        erased: None,
        verdict: None,
        verified_at: None,
        reception: None,
    }
}

fn agent(state: &State, id: usize) -> String {
    state.plan().agents.get(id).map_or_else(String::new, |agent| agent.name.clone())
}

/// The receiver of what a lane carries to a target, as far as the plan says.
fn receiver(state: &State, lane: LaneId, target: Target) -> String {
    let doer = |step: StepId| match state.plan().step(step).map(|step| &step.does) {
        Some(Does::Gate(_)) => format!("gate {}", standing::step_name(state, step)),
        _ => standing::doer(state, step),
    };
    let here = state.lane(lane).map(|lane| lane.step);
    match target {
        Target::Step(step) => doer(step),
        Target::Delegate(id) | Target::Sender(id) => agent(state, usize::from(id.0)),
        Target::Person => "a person".to_owned(),
        Target::Join => "its join".to_owned(),
        Target::End => "the end".to_owned(),
        Target::Halt => "nobody: the run halts".to_owned(),
        Target::Detour(_) | Target::Author | Target::Critic | Target::Back | Target::Again => {
            here.map(doer).unwrap_or_default()
        }
    }
}

/// The dialect of the first handoff in a text.
fn dialect(project: &Project, text: &str) -> Option<String> {
    let input =
        Input { path: None, bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true };
    let mut scratch = Scratch::default();
    let checked = project.checker.check(input, &project.world, &mut scratch);
    let first = checked.handoffs.first()?;
    Some(project.checker.dialect_of(first).name.to_string())
}
