//! Events as they are stored, and records as events.
//!
//! Invariant: the kind of a record is the name of its event in the stored form, so that a ledger can be looked through
//! without reading bodies. Records of the engine itself, which the kernel knows nothing of, are named here too.

mod json;

use baton_kernel::{Digest, Event};
use baton_ledger::{ERASURE, NewEvent, Record};

use crate::error::Error;

/// The kind of a record that holds a file which a run pins.
pub(crate) const PINNED: &str = "file_pinned";
/// The kind of a record that says which wish of its mailbox a run took.
pub(crate) const MAIL_TAKEN: &str = "mail_taken";
/// The kind of a record that holds the people whose answers count in a run.
pub(crate) const PEOPLE: &str = "people_known";

/// The kind of a record that holds what is wrong with an answer that was refused.
pub(crate) const REJECTED: &str = "answer_rejected";

/// The kind of a record that holds the handoff which Baton wrote for a step whose agent gave none.
pub(crate) const MADE: &str = "handoff_made";

/// The kind of a record that says what came of looking at the evidence of a handoff.
pub(crate) const VERIFIED: &str = "evidence_verified";

/// The kind of a record that says behind which wall the agent of an attempt runs.
pub(crate) const SANDBOXED: &str = "delivery_sandboxed";

/// The kind of a record that says whether agents could have given the answer to a gate that was just taken.
/// What an agent behind a wall must not change was changed while it was at work.
pub(crate) const BREACHED: &str = "wall_breached";
pub(crate) const ENFORCED: &str = "gate_enforced";

/// The kind of a record that says what the checklist of a receiver found.
pub(crate) const RECEIVED: &str = "reception_checked";

/// The kind of a record that holds what an agent wants to do, and asks for.
pub(crate) const WANTED: &str = "permission_asked";

/// The kind of a record that says what a person answered.
pub(crate) const PERMITTED: &str = "permission_answered";

/// The kind of a record that says in which file an answer stood that is taken.
pub(crate) const FILED: &str = "answer_in_file";

/// The kind of a record that says what stood in the project when the work of a delivery began.
pub(crate) const BEFORE: &str = "work_before";

/// The kinds of records that are the engine's own, and the ledger's.
const OWN: [&str; 15] = [
    PINNED, MAIL_TAKEN, PEOPLE, REJECTED, MADE, VERIFIED, SANDBOXED, BREACHED, ENFORCED, RECEIVED, WANTED,
    PERMITTED, FILED, BEFORE, ERASURE,
];

/// Bytes that most events have at most.
const BODY_BYTES: usize = 384;

/// An event to be recorded, with what may be erased of it.
pub(crate) fn encoded(event: &Event, payload: Option<Vec<u8>>) -> NewEvent {
    let mut body = Vec::with_capacity(BODY_BYTES);
    json::write(&mut body, event).expect("an event has nothing that cannot be written");
    NewEvent { kind: kind(event).to_owned(), body, payload }
}

/// Whether a record of this kind is the engine's own, or the ledger's.
pub(crate) fn is_own(kind: &str) -> bool {
    OWN.contains(&kind)
}

/// The event of a record; nothing for a record of the engine itself.
pub(crate) fn decoded(record: &Record) -> Result<Option<Event>, Error> {
    if is_own(&record.kind) {
        return Ok(None);
    }
    serde_json::from_slice(&record.body).map(Some).map_err(|error| Error::History {
        run: record.stream.clone(),
        seq: record.seq,
        what: format!("`{}` cannot be read: {error}", record.kind),
    })
}

/// The name of an event in its stored form.
fn kind(event: &Event) -> &'static str {
    match event {
        Event::RunStarted { .. } => "run_started",
        Event::PlanChanged { .. } => "plan_changed",
        Event::Routed { .. } => "routed",
        Event::DeliveryStarted { .. } => "delivery_started",
        Event::SessionKnown { .. } => "session_known",
        Event::Acknowledged { .. } => "acknowledged",
        Event::Progressed { .. } => "progressed",
        Event::DraftTaken { .. } => "draft_taken",
        Event::Questioned { .. } => "questioned",
        Event::Answered { .. } => "answered",
        Event::AttemptFailed { .. } => "attempt_failed",
        Event::RetryPlanned { .. } => "retry_planned",
        Event::LateReport { .. } => "late_report",
        Event::DeadLettered { .. } => "dead_lettered",
        Event::DeliveryStopped { .. } => "delivery_stopped",
        Event::Bounced { .. } => "bounced",
        Event::GateOpened { .. } => "gate_opened",
        Event::GateShows { .. } => "gate_shows",
        Event::GateChecked { .. } => "gate_checked",
        Event::GateOverdue { .. } => "gate_overdue",
        Event::GateUnanswered { .. } => "gate_unanswered",
        Event::GateAnswered { .. } => "gate_answered",
        Event::Forked { .. } => "forked",
        Event::BranchEnded { .. } => "branch_ended",
        Event::ValueAwaited { .. } => "value_awaited",
        Event::Joined { .. } => "joined",
        Event::WaitStarted { .. } => "wait_started",
        Event::WaitEnded { .. } => "wait_ended",
        Event::PersonAsked { .. } => "person_asked",
        Event::PersonAnswered { .. } => "person_answered",
        Event::RunEnded { .. } => "run_ended",
    }
}

/// A record of a file that a run pins; one of them may be its flow.
pub(crate) fn pinned(path: &str, is_flow: bool, bytes: Vec<u8>) -> NewEvent {
    let mut body = serde_json::json!({ "path": path });
    if is_flow {
        body["is"] = "flow".into();
    }
    NewEvent { kind: PINNED.to_owned(), body: body.to_string().into_bytes(), payload: Some(bytes) }
}

/// The path of a file that a run pins, and whether it is its flow.
pub(crate) fn pinned_file(body: &[u8]) -> Option<(String, bool)> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    Some((body["path"].as_str()?.to_owned(), body["is"] == "flow"))
}

/// A record of the engine itself that says one value.
pub(crate) fn noted(kind: &str, value: &impl serde::Serialize) -> NewEvent {
    let body = serde_json::to_vec(value).expect("it has string keys and no number that JSON lacks");
    NewEvent { kind: kind.to_owned(), body, payload: None }
}

/// What names the content that came with an event.
pub(crate) fn content_of(event: &Event) -> Option<Digest> {
    match event {
        Event::RunStarted { input, .. } => Some(*input),
        Event::Answered { facts, .. } => Some(facts.content),
        Event::Questioned { content, .. } | Event::DraftTaken { content, .. } => Some(*content),
        Event::PersonAnswered { content, .. } => *content,
        Event::GateShows { shown, .. } => Some(*shown),
        Event::PlanChanged { .. }
        | Event::Routed { .. }
        | Event::DeliveryStarted { .. }
        | Event::SessionKnown { .. }
        | Event::Acknowledged { .. }
        | Event::Progressed { .. }
        | Event::AttemptFailed { .. }
        | Event::RetryPlanned { .. }
        | Event::LateReport { .. }
        | Event::DeadLettered { .. }
        | Event::DeliveryStopped { .. }
        | Event::Bounced { .. }
        | Event::GateOpened { .. }
        | Event::GateChecked { .. }
        | Event::GateOverdue { .. }
        | Event::GateUnanswered { .. }
        | Event::GateAnswered { .. }
        | Event::Forked { .. }
        | Event::BranchEnded { .. }
        | Event::ValueAwaited { .. }
        | Event::Joined { .. }
        | Event::WaitStarted { .. }
        | Event::WaitEnded { .. }
        | Event::PersonAsked { .. }
        | Event::RunEnded { .. } => None,
    }
}
