//! Faults of Baton itself, planted one at a time to see that the simulator finds them.
//!
//! Each is planted at the border between the engine and the world, so that the engine that is tested is the real one.

use baton_document::Said;
use baton_engine::run::judge::Expressions;
use baton_engine::run::judge::Judge;
use baton_kernel::Truth;
use baton_ledger::{Append, NewEvent};
use serde_json::{Value, json};

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bug {
    /// The ledger acknowledges what is not on the disk.
    ForgottenSync,
    /// The ledger acknowledges first and writes with the next call: effects come before their record.
    EffectBeforeAppend,
    /// The attempt is not recorded before the agent is started.
    AttemptNotRecorded,
    /// The ledger does not ask for the lease.
    LeaseNotChecked,
    /// A second delivery gets the key of the first.
    KeyReused,
    /// A cap lets one more through.
    CapOffByOne,
    /// The end of a branch is counted twice.
    JoinCountedTwice,
    /// An answer to a gate counts for whatever the gate shows now.
    GateAnswerOnChangedContent,
    /// The events of an append are recorded in another order.
    OrderSwapped,
    /// The handoff that finishes a step is not kept.
    HandoffNotKept,
    /// A read that fails counts as one that found nothing.
    FailedReadIsNothing,
    /// An answer that comes in a turn in which the ledger fails is heard and not recorded.
    AnswerForgotten,
    /// What a run asked of people is found although its branch was closed.
    QuestionLeftBehind,
    /// What cannot be evaluated counts as false in silence.
    UnknownIsFalse,
}

impl Bug {
    /// All of them.
    pub(crate) const ALL: [Self; 14] = [
        Self::ForgottenSync,
        Self::EffectBeforeAppend,
        Self::AttemptNotRecorded,
        Self::LeaseNotChecked,
        Self::KeyReused,
        Self::CapOffByOne,
        Self::JoinCountedTwice,
        Self::GateAnswerOnChangedContent,
        Self::OrderSwapped,
        Self::HandoffNotKept,
        Self::FailedReadIsNothing,
        Self::AnswerForgotten,
        Self::QuestionLeftBehind,
        Self::UnknownIsFalse,
    ];

    /// Spoils what is about to be appended.
    pub(crate) fn spoil(self, append: &mut Append) {
        match self {
            Self::LeaseNotChecked => append.fence = None,
            Self::OrderSwapped => append.events.reverse(),
            Self::AttemptNotRecorded if append.events.len() > 1 => {
                append.events.retain(|event| event.kind != "delivery_started");
            }
            Self::KeyReused => append.events.iter_mut().for_each(|event| {
                changed(event, "delivery_started", |body| {
                    body["key"]["number"] = json!(0);
                });
            }),
            Self::JoinCountedTwice => {
                let ended = append.events.iter().position(|event| event.kind == "branch_ended");
                if let Some(at) = ended {
                    append.events.insert(at, append.events[at].clone());
                }
            }
            Self::HandoffNotKept => {
                let answers = append.events.iter_mut().filter(|event| event.kind == "answered");
                answers.for_each(|event| event.payload = None);
            }
            Self::QuestionLeftBehind => {
                if append.events.iter().any(|event| event.kind == "joined") {
                    append.head = None;
                }
            }
            Self::ForgottenSync
            | Self::EffectBeforeAppend
            | Self::AttemptNotRecorded
            | Self::CapOffByOne
            | Self::GateAnswerOnChangedContent
            | Self::FailedReadIsNothing
            | Self::AnswerForgotten
            | Self::UnknownIsFalse => {}
        }
    }
}

/// Evaluates expressions, and may take what it does not know for false.
pub(crate) struct Judging {
    is_blind: bool,
}

impl Judging {
    /// The one of a world with this fault, or without any.
    pub(crate) fn with(bug: Option<Bug>) -> Self {
        Self { is_blind: bug == Some(Bug::UnknownIsFalse) }
    }

    fn seen(&self, truth: Truth) -> Truth {
        if self.is_blind && truth.unknown().is_some() { Truth::Fails } else { truth }
    }
}

impl Judge for Judging {
    fn over_handoffs(&self, expressions: &[&str], handoffs: &[&Said]) -> Vec<Truth> {
        let truths = Expressions.over_handoffs(expressions, handoffs);
        truths.into_iter().map(|truth| self.seen(truth)).collect()
    }

    fn over_branches(&self, expression: &str, branches: &[Said]) -> Truth {
        self.seen(Expressions.over_branches(expression, branches))
    }
}

fn changed(event: &mut NewEvent, kind: &str, change: impl FnOnce(&mut Value)) {
    if event.kind == kind
        && let Ok(mut body) = serde_json::from_slice::<Value>(&event.body)
    {
        change(&mut body[kind]);
        event.body = body.to_string().into_bytes();
    }
}
