//! What becomes of an attempt that failed: a retry after a growing pause, or a dead letter and a person.

use super::turn::Turn;
use super::{end, escalation};
use crate::state::Delivery;
use crate::{Event, Failure, FailureKind, Key, OnTimeout, Reason, bounds};

/// Decides about an attempt that failed.
pub(crate) fn failed(turn: &mut Turn, delivery: &Delivery, failure: &Failure) {
    let key = delivery.key;
    let (attempt, at) = (delivery.attempt, turn.now);
    turn.emit(Event::AttemptFailed { key, attempt, at, failure: failure.clone() });
    let on_timeout = turn.step_of(key.lane).map_or(OnTimeout::Retry, |step| step.limits.on_timeout);
    if failure.kind == FailureKind::TimedOut {
        match on_timeout {
            OnTimeout::Retry => {}
            OnTimeout::Stop => {
                turn.emit(Event::DeadLettered { key, reason: Reason::TimedOut });
                return end::halt_instead(turn, key.lane, &[], Reason::TimedOut);
            }
            OnTimeout::Ask => return give_up(turn, key, Reason::TimedOut),
        }
    }
    if failure.kind == FailureKind::Interrupted && attempt < bounds::ATTEMPTS_MAX {
        // Nobody failed: it is begun again as soon as somebody drives the run, and no retry is used up.
        return turn.emit(Event::RetryPlanned { key, due: turn.now });
    }
    if failure.kind == FailureKind::Permission {
        return give_up(turn, key, Reason::PermissionAsked);
    }
    if !failure.recoverable {
        give_up(turn, key, Reason::Unrecoverable);
    } else if delivery.retries >= turn.state.caps.retries {
        give_up(turn, key, Reason::RetriesExhausted);
    } else if attempt >= bounds::ATTEMPTS_MAX {
        give_up(turn, key, Reason::AttemptsExhausted);
    } else {
        let pause_ms = match failure.kind {
            // Time mends nothing of what was said; saying what was wrong with it does.
            FailureKind::Answer | FailureKind::Interrupted => 0,
            FailureKind::Agent | FailureKind::Courier | FailureKind::TimedOut | FailureKind::Permission => {
                bounds::retry_pause_ms(delivery.retries)
            }
        };
        let due = turn.now.after(pause_ms);
        turn.emit(Event::RetryPlanned { key, due });
    }
}

/// Makes a delivery a dead letter and asks a person about it.
pub(crate) fn give_up(turn: &mut Turn, key: Key, reason: Reason) {
    turn.emit(Event::DeadLettered { key, reason });
    escalation::ask(turn, key.lane, &[], reason, None);
}
