//! The courier `program`: starts a program, gives it the handoff and takes what it answers.
//!
//! Invariant: there is no shell: arguments reach the program as they are written.
//! Invariant: processes end with their delivery. A program is the leader of a session and group of its own, and
//! the group is ended when the program ends, is stopped, takes too long, floods, or the courier is dropped.
//! Invariant: time, memory and threads per delivery are bounded, even for a hostile program.
//! Cannot: end, or wait for, a process that the program moved into another session.

mod attempt;
mod attempt_files;
mod attempt_threads;
mod command_line;
mod courier;
mod failures;
mod locate;
mod output_lines;
mod process_group;
mod program_end;
mod program_run;
mod session_queue;
mod settings;
mod supervisor;
mod template;
mod variables;

pub(crate) use attempt::Attempt;
pub(crate) use attempt_threads::{AttemptRunner, AttemptThreads, courier_newtype};
pub use courier::ProgramCourier;
pub(crate) use output_lines::OutputLines;
pub(crate) use program_run::{AttemptContext, ProgramRun};
pub use settings::{FileLocation, Input, LineProtocol, Output, Program};
pub(crate) use supervisor::{LinePeer, Next};
pub use template::{Template, TemplateFault};
