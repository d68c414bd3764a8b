//! History to obligations: `decide`, `evolve`, `pending`.
//!
//! Cannot: do I/O, read a clock, run async code, use randomness, evaluate expressions.
#![no_std]

extern crate alloc;

pub mod bounds;
mod command;
mod decide;
mod event;
mod evolve;
mod facts;
mod pending;
mod plan;
mod position;
mod reason;
mod refusal;
mod retry;
mod signature;
mod state;
mod step;
mod turn;
mod words;

pub use command::{By, Command, CourierKind, Report, What};
pub use decide::decide;
pub use event::{Choice, Counts, Ending, Event, GateAnswer, How, Role, Stage, Target};
pub use evolve::evolve;
pub use facts::{Facts, Failure, FailureKind, Held, Outcome, Recommendation, Verdict};
pub use pending::{Due, OwedDelivery, OwedGate, OwedQuestion, Pending, Timer, pending};
pub use plan::{
    Agent, Builder, Caps, Detour, Does, Gate, GateKind, Join, Limits, Microloop, OnCap, OnFail, OnTimeout,
    Parallel, Pass, Plan, PlanFault, Restart, Rework, Route, Status, Step, Wait, When,
};
pub use position::{Position, position};
pub use reason::Reason;
pub use refusal::Refusal;
pub use signature::signature;
pub use state::{
    BranchResult, Delivery, Doing, Frame, Joining, Lane, LoopFrame, OpenGate, OpenQuestion, Stages, Standing,
    State,
};
pub use words::{AgentId, AskId, Digest, Fence, GateId, Key, LaneId, Millis, StepId};
