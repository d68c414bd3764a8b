//! The engine: runs flows over a ledger, with couriers to agents and people.
//!
//! Follow one handoff: a courier reports an answer → `intake` (checked document to facts) → `run` (the kernel decides) →
//! `driver` (one append for all that is ready, then what is owed is done) → `outbound` (the handoff in the receiver's
//! dialect, handed to its courier). Each folder is a room; ARCHITECTURE.md lists what each holds and which may use which.
//!
//! Cannot: print, parse arguments, speak HTTP.

pub mod driver;
pub mod error;
pub mod evidence;
pub mod files;
pub mod git;
pub mod history;
mod intake;
pub mod mirror;
pub mod outbound;
pub mod project;
pub mod records;
pub mod run;
pub mod sandbox;
pub mod service;
pub mod templates;

#[cfg(unix)]
pub use baton_courier::agent_ancestry;
pub use baton_courier::{scripted, system, temporary};

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
        Bad, Earlier, Erasure, Head, Ledger, Limit, ReadFrom, Record, Refused, Report, Store, digest, verify,
    };
}
