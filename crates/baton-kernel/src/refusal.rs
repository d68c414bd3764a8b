//! What the kernel refuses, and why: a request that the state does not allow changes nothing.

use core::fmt;

use crate::{AskId, Fence, GateId, Key, PlanFault};

/// A request that the state of the run does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum Refusal {
    /// The run has started already.
    Started,
    /// The run has not started yet.
    NotStarted,
    /// The run is over.
    Ended,
    /// The driver's lease is gone: another one has driven the run since.
    FenceLost { held: Fence },
    /// The plan does not hold together.
    Plan(PlanFault),
    /// The changed plan lacks a step or an agent that the run is using.
    PlanLacks { name: alloc::string::String },
    /// A text, name or list is too long.
    TooLong { found: usize, max: usize },
    /// No such delivery was ever started.
    UnknownDelivery { key: Key },
    /// The delivery is over: it was answered, given up or is no longer wanted, and nothing more counts for it.
    DeliveryOver { key: Key },
    /// The delivery has expired, which is not recorded yet.
    DeliveryExpired { key: Key },
    /// This was recorded already, and is not recorded twice.
    Repeated { key: Key },
    /// No such attempt was ever started.
    UnknownAttempt { key: Key, attempt: u16 },
    /// The attempt was replaced, and another one is under way or planned.
    Superseded { key: Key, attempt: u16, current: u16 },
    /// The delivery was attempted as often as it may be.
    AttemptsExhausted { key: Key },
    /// No dead letter has this key.
    NotDead { key: Key },
    /// No such gate was ever opened.
    UnknownGate { gate: GateId },
    /// The gate is decided, or no longer wanted.
    GateOver { gate: GateId },
    /// Only a person may do this.
    OnlyAPerson,
    /// The answer is about something other than what the gate shows.
    ContentChanged { gate: GateId },
    /// The gate shows nothing yet that could be answered.
    NothingShown { gate: GateId },
    /// The gate's checks are not what is awaited.
    NoChecksAwaited { gate: GateId },
    /// No such question was ever asked.
    UnknownQuestion { ask: AskId },
    /// The question is answered, or no longer of interest.
    QuestionOver { ask: AskId },
    /// The choice would run into the cap that stopped the lane.
    CapHolds,
    /// The choice names a step that the plan does not have.
    UnknownStep,
    /// The choice leads a branch to a step that is not among its own.
    OutsideBranch,
    /// No join of this lane awaits a value.
    NoValueAwaited,
    /// No lane waits for that signal.
    NobodyWaits,
    /// The time of all that wait for that signal was over when it came.
    SignalLate,
}

impl Refusal {
    /// Hint at what is possible instead.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Started => Some("a run starts once; start another run"),
            Self::NotStarted => Some("start the run first"),
            Self::FenceLost { .. } => Some("read the run again and take its lease"),
            Self::PlanLacks { .. } => Some("keep the step or agent, or wait until the run has left it"),
            Self::Superseded { .. } => Some("wait for the attempt that replaced it"),
            Self::OnlyAPerson => Some("let a person answer with their own key"),
            Self::ContentChanged { .. } => Some("look at what the gate shows now, then answer"),
            Self::NothingShown { .. } => Some("show the gate's content first"),
            Self::CapHolds => Some("say by how much the cap is raised, or choose to halt"),
            Self::OutsideBranch => Some("name a step of the branch, or let it go on and end at its join"),
            Self::DeliveryOver { .. } => {
                Some("`baton log RUN` says what became of it: answered, given up, or no longer needed")
            }
            Self::DeliveryExpired { .. } => {
                Some("`baton resume RUN` records that, and asks what becomes of it")
            }
            Self::SignalLate => Some("`baton resume RUN` goes on with what follows without it"),
            Self::AttemptsExhausted { .. } => Some("answer the question about it: go on, or halt"),
            Self::Ended
            | Self::Plan(_)
            | Self::TooLong { .. }
            | Self::UnknownDelivery { .. }
            | Self::Repeated { .. }
            | Self::UnknownAttempt { .. }
            | Self::NotDead { .. }
            | Self::UnknownGate { .. }
            | Self::GateOver { .. }
            | Self::NoChecksAwaited { .. }
            | Self::UnknownQuestion { .. }
            | Self::QuestionOver { .. }
            | Self::UnknownStep
            | Self::NoValueAwaited
            | Self::NobodyWaits => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started => out.write_str("the run has started already"),
            Self::NotStarted => out.write_str("the run has not started yet"),
            Self::Ended => out.write_str("the run is over"),
            Self::FenceLost { held } => {
                write!(out, "another driver has taken over the run (its fence is {})", held.0)
            }
            Self::Plan(fault) => write!(out, "the flow does not hold together: {fault}"),
            Self::PlanLacks { name } => {
                write!(out, "the changed flow lacks '{name}', which the run is using")
            }
            Self::TooLong { found, max } => write!(out, "a text or list is {found} long, of at most {max}"),
            Self::UnknownDelivery { key } => write!(out, "there is no delivery {key}"),
            Self::DeliveryOver { key } => {
                write!(out, "delivery {key} is over; nothing more is taken for it")
            }
            Self::DeliveryExpired { key } => {
                write!(out, "delivery {key} has expired; nothing more is taken for it")
            }
            Self::Repeated { key } => write!(out, "this was already recorded for delivery {key}"),
            Self::UnknownAttempt { key, attempt } => {
                write!(out, "delivery {key} has no attempt {attempt} under way")
            }
            Self::Superseded { key, attempt, current } => {
                write!(out, "attempt {attempt} of delivery {key} was replaced by attempt {current}")
            }
            Self::AttemptsExhausted { key } => {
                write!(out, "delivery {key} was attempted as often as it may be")
            }
            Self::NotDead { key } => write!(out, "delivery {key} is no dead letter"),
            Self::UnknownGate { gate } => write!(out, "there is no gate {}", gate.0),
            Self::GateOver { gate } => write!(out, "gate {} is decided and cannot be answered again", gate.0),
            Self::OnlyAPerson => out.write_str("only a person may do this, not an agent"),
            Self::ContentChanged { gate } => {
                write!(out, "what gate {} shows has changed since the answer was given", gate.0)
            }
            Self::NothingShown { gate } => write!(out, "gate {} shows nothing yet", gate.0),
            Self::NoChecksAwaited { gate } => write!(out, "gate {} awaits no checks of this content", gate.0),
            Self::UnknownQuestion { ask } => write!(out, "there is no question {}", ask.0),
            Self::QuestionOver { ask } => write!(out, "question {} is answered already", ask.0),
            Self::CapHolds => out.write_str("the cap that stopped the run still holds"),
            Self::UnknownStep => out.write_str("the flow has no such step"),
            Self::OutsideBranch => out.write_str("that step is not one of the branch that asks"),
            Self::NoValueAwaited => out.write_str("no join of this lane awaits a value"),
            Self::NobodyWaits => out.write_str("nobody waits for that signal"),
            Self::SignalLate => out.write_str("the signal came too late: the time to wait for it was over"),
        }
    }
}

impl core::error::Error for Refusal {}
