//! The loop: intake, drive, dispatch, views.
//!
//! Follow one handoff: a courier reports an answer → `intake` (checked document to facts) → `run` (the kernel decides,
//! and what it decided waits to be recorded) → `drive` (one append for all that is ready, then what is owed is done)
//! → `dispatch` (the handoff in the receiver's dialect, handed to its courier).
//!
//! Cannot: print, parse arguments, speak HTTP.

mod about;
mod agents;
mod belonging;
mod carried;
mod couriers;
mod dispatch;
mod drive;
pub mod enforced;
pub mod erase;
mod error;
pub mod evidence;
mod finalize;
pub mod flow;
pub mod git;
pub mod ids;
mod intake;
mod judge;
mod leftovers;
pub mod mailbox;
pub mod manifests;
mod mendable;
mod metrics;
pub mod mirror;
mod moved;
mod notes;
pub mod output;
pub mod people;
pub mod permission;
pub mod prompts;
pub mod read;
pub mod reception;
pub mod relay;
mod remarks;
pub mod roster;
mod run;
pub mod sandbox;
pub mod store;
mod stored;
mod told;
mod views;
mod worktree;
pub mod write;

pub use agents::{Agents, Setup};
#[cfg(unix)]
pub use baton_courier::lineage;
pub use baton_courier::{scripted, system, temporary};
pub use drive::{Change, Engine, NewRun, Settings, Turn, World};
pub use error::{Error, Problem, Refused};
pub use finalize::Made;
pub use judge::{Expressions, Judge};
pub use metrics::{HandoffMetrics, Measure, Metrics, Savings, StepMetrics, Work, in_words, metrics};
pub use views::{Entry, Pinned, RunView, entries, history, pinned, runs, show};

/// The words of the kernel that faces show.
pub mod kernel {
    pub use baton_kernel::{
        AgentId, AskId, By, Choice, Command, Delivery, Digest, Does, Doing, Ending, Event, Facts, Failure,
        FailureKind, Fence, Frame, GateAnswer, GateId, GateKind, Held, How, Key, Lane, LaneId, Millis,
        Outcome, OwedDelivery, OwedGate, OwedQuestion, Pass, Pending, Plan, Position, Reason, Recommendation,
        Refusal, Role, Stage, Standing, State, Step, StepId, Target, Truth, Verdict, What, When, decide,
        evolve, pending, position,
    };
}

/// The words of the ledger that faces show.
pub mod ledger {
    pub use baton_ledger::{
        Bad, Earlier, Erasure, Head, Ledger, Limit, ReadFrom, Record, Refused, Report, Sqlite, digest, verify,
    };
}
