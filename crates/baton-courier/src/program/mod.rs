//! The courier `program`: starts a program, gives it the handoff and takes what it answers.
//!
//! Invariant: no shell is between: arguments reach the program as they are written.
//! Invariant: what was started ends with its delivery. A program is the leader of a session and group of its own, and
//! the group is ended when the program ends, is stopped, takes too long, floods, or the courier is dropped.
//! Invariant: time, memory and threads per delivery are bounded, whatever the program does.
//! Cannot: end what the program moved into yet another session; it does not wait for it either.

mod carry;
mod flights;
mod group;
mod line;
mod locate;
mod places;
mod settings;
mod speech;
mod template;
mod turn;
mod variables;
mod watch;

pub use flights::ProgramCourier;
pub(crate) use flights::{Carrier, Flight, Flights, flown};
pub use settings::{Given, Place, Program, Spoken, Taken};
pub(crate) use speech::Speech;
pub use template::{Template, TemplateFault};
pub(crate) use turn::{Trip, Turn};
pub(crate) use watch::{Next, Partner};
