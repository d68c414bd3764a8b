//! One run of a program in a dialogue of lines; a delivery may need several.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::PipeReader;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::{Cause, Delivery, Failure, Limits, What};

use super::LineProtocol;
use super::attempt::{Attempt, Order};
use super::attempt_files::AttemptFiles;
use super::command_line::CommandLine;
use super::failures::{broken, not_started};
use super::process_group::ProcessGroup;
use super::program_end::how_it_ended;
use super::supervisor::{LinePeer, OutputMode, Supervision, Supervisor};

/// A delivery with all its program runs.
pub(crate) struct AttemptContext<'t> {
    attempt: &'t Arc<Attempt>,
    wake: &'t PipeReader,
    pub(crate) delivery: &'t Delivery,
    deadline: Option<Instant>,
}

/// Program, arguments and input of one run.
pub(crate) struct ProgramRun<'t> {
    /// The program, as it was written, with the arguments that its owner wrote.
    pub(crate) command: &'t [String],
    /// The arguments behind them.
    pub(crate) arguments: Vec<OsString>,
    /// First input.
    pub(crate) input: Vec<u8>,
    /// Tells whether that is all of its input.
    pub(crate) closes: bool,
    /// The file that an argument names, if one does.
    pub(crate) shown: Option<&'t Path>,
}

impl<'t> AttemptContext<'t> {
    pub(crate) fn new(attempt: &'t Arc<Attempt>, wake: &'t PipeReader, delivery: &'t Delivery) -> Self {
        let deadline = Instant::now().checked_add(delivery.limits.time_max);
        Self { attempt, wake, delivery, deadline }
    }

    /// Tells whether the delivery was stopped meanwhile.
    pub(crate) fn is_stopped(&self) -> bool {
        self.attempt.order() != Order::GoOn
    }

    /// The time that is left of the attempt.
    pub(crate) fn time_left(&self) -> Duration {
        let whole = self.delivery.limits.time_max;
        self.deadline.map_or(whole, |deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Runs a program once in a dialogue with `peer`; `began` gets its process number. Fails unless it ends with success,
    /// within the limits of the delivery.
    pub(crate) fn take(
        &self,
        turn: ProgramRun<'_>,
        peer: &mut dyn LinePeer,
        began: &dyn Fn(u32),
        tell: &mut dyn FnMut(What),
    ) -> Result<(), Failure> {
        let name = turn.command.first().map_or("", String::as_str);
        if self.is_stopped() {
            return Err(Failure::new(Cause::Stopped, format!("{name} was stopped before it was started")));
        }
        let mut line = self.line(name, &turn)?;
        line.tell(tell);
        let group = ProcessGroup::start(line, self.attempt).map_err(|error| not_started(name, &error))?;
        began(group.number());
        let limits = Limits { time_max: self.time_left(), ..self.delivery.limits };
        let task = Supervision {
            attempt: self.attempt,
            wake: self.wake,
            input: Cow::Owned(turn.input),
            mode: OutputMode::Lines { peer, closes: turn.closes },
            protocol: LineProtocol::Progress,
            limits,
            draft: None,
            tell,
        };
        let ended = Supervisor::over(group, task)
            .and_then(Supervisor::run)
            .map_err(|error| broken(name, "could not be watched", &error))?;
        how_it_ended(name, &ended, &self.delivery.limits)
            .map_err(|failure| Failure { last_words: ended.last_words, ..failure })
    }

    fn line(&self, name: &str, turn: &ProgramRun<'_>) -> Result<CommandLine, Failure> {
        let own = turn.command.iter().skip(1).map(OsString::from);
        let arguments = own.chain(turn.arguments.iter().cloned()).collect();
        CommandLine::new(name, arguments, self.delivery, &AttemptFiles::none(), turn.shown)
    }
}
