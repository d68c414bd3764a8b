//! History to obligations: `decide`, `evolve`, `pending`.
//!
//! Cannot: do I/O, read a clock, run async code, use randomness, evaluate expressions.
//!
//! A driver decides a command, records the events, takes them into its state, and does what is owed; what couriers and
//! people say is the next command. Here is a run of three steps, driven by hand:
//!
//! ```
//! use baton_kernel::{
//!     By, Command, Digest, Ending, Facts, Fence, GateAnswer, GateKind, Millis, Outcome, Plan, Refusal, Report, State,
//!     What, decide, evolve, pending,
//! };
//!
//! let mut plan = Plan::named("article");
//! let (writer, editor) = (plan.agent("writer"), plan.agent("editor"));
//! let write = plan.pass("write", writer);
//! let look = plan.gate("look", GateKind::Blocking);
//! let print = plan.pass("print", editor);
//! plan.then(write, look).then(look, print);
//! let plan = Box::new(plan.build().expect("the plan holds together"));
//!
//! let mut state = State::new();
//! let mut say = |state: &mut State, what| -> Result<(), Refusal> {
//!     let command = Command { fence: Fence(1), what };
//!     let events = decide(state, &command, Millis(0))?;
//!     // Here the events are recorded; only then they have happened.
//!     events.iter().for_each(|event| evolve(state, event));
//!     Ok(())
//! };
//! let text = Digest([7; 32]);
//! let (pins, input) = (Digest([1; 32]), Digest([2; 32]));
//! say(&mut state, What::Start { run: "run-1".into(), plan, pins, input })?;
//!
//! // The writer's delivery has begun with the same events; a courier takes it there, and it reports.
//! let owed = pending(&state, Millis(0)).deliveries.remove(0);
//! assert_eq!((owed.to, owed.attempt), (writer, 1));
//! let report = Report::Answer(Facts::new(Outcome::Done, text));
//! say(&mut state, What::Report { key: owed.key, attempt: owed.attempt, report: report.clone() })?;
//!
//! // The same report once more changes nothing, and says so.
//! let again = say(&mut state, What::Report { key: owed.key, attempt: owed.attempt, report: report.clone() });
//! assert_eq!(again, Err(Refusal::DeliveryOver { key: owed.key }));
//!
//! // A person approves what the gate shows.
//! let gate = pending(&state, Millis(0)).gates.remove(0);
//! let (answer, by) = (GateAnswer::Approve, By::Person("ada".into()));
//! say(&mut state, What::AnswerGate { gate: gate.gate, answer, shown: text, by })?;
//!
//! let owed = pending(&state, Millis(0)).deliveries.remove(0);
//! assert_eq!(owed.to, editor);
//! say(&mut state, What::Report { key: owed.key, attempt: owed.attempt, report })?;
//! assert_eq!(state.ending(), Some(&Ending::Finished(Outcome::Done)));
//! # Ok::<(), Refusal>(())
//! ```
#![no_std]

extern crate alloc;

pub mod bounds;
mod command;
mod decide;
mod event;
mod evolve;
mod facts;
mod length;
mod pending;
mod plan;
mod position;
mod reason;
mod refusal;
mod signature;
mod state;
mod step;
mod words;

pub use command::{By, Command, CourierKind, Report, What};
pub use decide::decide;
pub use event::{Choice, Counts, Ending, Event, GateAnswer, How, Role, Stage, Target};
pub use evolve::evolve;
pub use facts::{Facts, Failure, FailureKind, Held, Outcome, Recommendation, Truth, Verdict};
pub use pending::{Due, OwedDelivery, OwedGate, OwedQuestion, Pending, Timer, pending};
pub use plan::{
    Agent, Builder, Caps, Detour, Does, Gate, GateKind, Join, Limits, Microloop, OnCap, OnFail, OnTimeout,
    OnUnknown, Parallel, Pass, Plan, PlanFault, Restart, Rework, Route, Status, Step, Wait, When,
};
pub use position::{Position, position};
pub use reason::Reason;
pub use refusal::Refusal;
pub use signature::signature;
pub use state::{
    BranchResult, Content, CutOff, Delivery, Doing, Frame, Joining, Lane, LoopFrame, OpenGate, OpenQuestion,
    Stages, Standing, State,
};
pub use words::{AgentId, AskId, Digest, Fence, GateId, Key, LaneId, Millis, StepId};
