//! End of a program: by itself, or because it was ended.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use crate::{Cause, Failure, Limits};

use super::failures::too_long;

/// End of a program, and its output.
pub(super) struct ProgramEnd {
    /// Exit status; `None` while the system still holds the process.
    pub(super) status: Option<ExitStatus>,
    /// Why Baton ended it; `None` if it ended by itself.
    pub(super) cut: Option<StopReason>,
    /// Standard output, where that is the answer.
    pub(super) output: Vec<u8>,
    /// Last output: of standard error, or else of standard output.
    pub(super) last_words: Vec<u8>,
}

/// Reason for which Baton ended a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopReason {
    Stopped,
    TimeUp,
    AnswerTooLong,
    TooLoud,
    /// The dialogue is complete.
    Done,
}

/// `Ok` if the program ended by itself, with success.
pub(super) fn how_it_ended(name: &str, ended: &ProgramEnd, limits: &Limits) -> Result<(), Failure> {
    let fail = |cause, message: String| Err(Failure::new(cause, message));
    let Some(status) = ended.status else {
        return fail(Cause::Broken, format!("{name} was killed, and the system does not let go of it"));
    };
    match ended.cut {
        Some(StopReason::Stopped) => {
            fail(Cause::Stopped, format!("{name} was stopped before it had answered"))
        }
        Some(StopReason::TimeUp) => {
            fail(Cause::TimeUp, format!("{name} had not answered after {:?} and was ended", limits.time_max))
        }
        Some(StopReason::AnswerTooLong) => fail(Cause::TooMuch, too_long(name, limits.answer_bytes_max)),
        Some(StopReason::TooLoud) => fail(
            Cause::TooMuch,
            format!(
                "{name} said more than {} bytes beside its answer, which is not used",
                limits.noise_bytes_max
            ),
        ),
        Some(StopReason::Done) => Ok(()),
        None => by_itself(name, status),
    }
}

fn by_itself(name: &str, status: ExitStatus) -> Result<(), Failure> {
    if status.success() {
        return Ok(());
    }
    let (cause, message) = match (status.code(), status.signal()) {
        (Some(code), _) => (Cause::Exited(code), format!("{name} ended with exit code {code}")),
        (None, Some(signal)) => (Cause::Killed(signal), format!("{name} was killed by signal {signal}")),
        (None, None) => (Cause::Broken, format!("{name} ended in an unknown way: {status}")),
    };
    Err(Failure::new(cause, message))
}
