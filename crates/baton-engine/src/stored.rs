//! Events as they are stored, and records as events.
//!
//! Invariant: the kind of a record is the name of its event in the stored form, so that a ledger can be looked through
//! without reading bodies. Records of the engine itself, which the kernel knows nothing of, are named here too.

use baton_kernel::Event;
use baton_ledger::{NewEvent, Record};

use crate::Error;

/// The kind of a record that holds a file which a run pins.
pub(crate) const PINNED: &str = "file_pinned";

/// An event to be recorded, with what may be erased of it.
pub(crate) fn encoded(event: &Event, payload: Option<Vec<u8>>) -> NewEvent {
    let body = serde_json::to_vec(event).expect("an event has string keys and no number that JSON lacks");
    NewEvent { kind: kind(event).to_owned(), body, payload }
}

/// The event of a record; nothing for a record of the engine itself.
pub(crate) fn decoded(record: &Record) -> Result<Option<Event>, Error> {
    if record.kind == PINNED {
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

/// A record of a file that a run pins.
pub(crate) fn pinned(path: &str, bytes: Vec<u8>) -> NewEvent {
    let body = serde_json::json!({ "path": path }).to_string().into_bytes();
    NewEvent { kind: PINNED.to_owned(), body, payload: Some(bytes) }
}
