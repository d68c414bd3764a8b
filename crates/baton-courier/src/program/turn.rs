//! One run of a program that is spoken with in lines, as a part of a delivery that may need several.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::PipeReader;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::{Cause, Delivery, Failure, Limits, What};

use super::Spoken;
use super::carry::{broken, how_it_ended, not_started};
use super::flights::{Flight, Order};
use super::group::Group;
use super::line::Line;
use super::places::Files;
use super::watch::{Hears, Partner, Task, Watch};

/// A delivery on its way, with all its turns.
pub(crate) struct Trip<'t> {
    flight: &'t Arc<Flight>,
    wake: &'t PipeReader,
    pub(crate) delivery: &'t Delivery,
    deadline: Option<Instant>,
}

/// What is run.
pub(crate) struct Turn<'t> {
    /// The program, as it was written, with the arguments that its owner wrote.
    pub(crate) command: &'t [String],
    /// The arguments behind them.
    pub(crate) arguments: Vec<OsString>,
    /// What it reads first.
    pub(crate) input: Vec<u8>,
    /// Whether that is all that it reads.
    pub(crate) closes: bool,
    /// The file that an argument names, if one does.
    pub(crate) shown: Option<&'t Path>,
}

impl<'t> Trip<'t> {
    pub(crate) fn new(flight: &'t Arc<Flight>, wake: &'t PipeReader, delivery: &'t Delivery) -> Self {
        let deadline = Instant::now().checked_add(delivery.limits.time_max);
        Self { flight, wake, delivery, deadline }
    }

    /// Whether it was stopped meanwhile.
    pub(crate) fn is_stopped(&self) -> bool {
        self.flight.order() != Order::GoOn
    }

    /// The time that is left of the attempt.
    pub(crate) fn time_left(&self) -> Duration {
        let whole = self.delivery.limits.time_max;
        self.deadline.map_or(whole, |deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Runs a program once, and lets somebody speak with it; `began` is told its number. Fails unless it ended well,
    /// within what the delivery may take.
    pub(crate) fn take(
        &self,
        turn: Turn<'_>,
        partner: &mut dyn Partner,
        began: &dyn Fn(u32),
        tell: &mut dyn FnMut(What),
    ) -> Result<(), Failure> {
        let name = turn.command.first().map_or("", String::as_str);
        if self.is_stopped() {
            return Err(Failure::new(Cause::Stopped, format!("{name} was stopped before it was started")));
        }
        let mut line = self.line(name, &turn)?;
        line.tell(tell);
        let group = Group::start(line, self.flight).map_err(|error| not_started(name, &error))?;
        began(group.number());
        let limits = Limits { time_max: self.time_left(), ..self.delivery.limits };
        let task = Task {
            flight: self.flight,
            wake: self.wake,
            input: Cow::Owned(turn.input),
            hears: Hears::Lines { partner, closes: turn.closes },
            spoken: Spoken::Progress,
            limits,
            draft: None,
            tell,
        };
        let ended = Watch::over(group, task)
            .and_then(Watch::run)
            .map_err(|error| broken(name, "could not be watched", &error))?;
        how_it_ended(name, &ended, &self.delivery.limits)
            .map_err(|failure| Failure { last_words: ended.last_words, ..failure })
    }

    fn line(&self, name: &str, turn: &Turn<'_>) -> Result<Line, Failure> {
        let own = turn.command.iter().skip(1).map(OsString::from);
        let arguments = own.chain(turn.arguments.iter().cloned()).collect();
        Line::new(name, arguments, self.delivery, &Files::none(), turn.shown)
    }
}
