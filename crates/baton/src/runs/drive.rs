//! A run that is driven in the foreground, shown meanwhile.

use std::io::{self, IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use baton_engine::service::{Diagnostic, Driven, DrivenReply, LogEntry, Observer, Watched, moment};

use super::live::{self, Screen};
use super::{handles, next, print, table};
use crate::outcome::Outcome;
use crate::say;

/// Whether this process was asked to end.
static STOP: AtomicBool = AtomicBool::new(false);

/// What is shown of a run while it is driven.
pub(crate) struct Face {
    how: How,
    /// Whether a person watches, so that waiting for people makes sense.
    stays: bool,
}

enum How {
    Live(Screen),
    Lines(print::Printer),
    Quiet,
}

impl Face {
    /// Shows nothing but notes.
    pub(crate) fn quiet() -> Self {
        prepare();
        Self { how: How::Quiet, stays: false }
    }

    /// Draws on a terminal, and prints lines elsewhere.
    pub(crate) fn new(is_json: bool, waits: bool) -> Self {
        prepare();
        let is_watched = io::stdout().is_terminal();
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let how = if is_watched && !is_json && !is_dumb {
            How::Live(Screen::default())
        } else {
            How::Lines(print::Printer::of_run(is_json))
        };
        Self { how, stays: is_watched && !is_json && waits }
    }
}

/// Catches requests to end, and takes as many file handles as agents may need.
fn prepare() {
    // A second handler would be refused, and the first does the same.
    let _ = ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed));
    handles::raise();
}

/// The exit of a command that drove a run.
pub(crate) fn outcome(reply: &DrivenReply) -> Outcome {
    match reply.driven {
        Driven::Well => Outcome::Clean,
        Driven::Badly => Outcome::Blocked,
        Driven::Stopped => {
            say::note(&format!("stopped; `baton resume {}` goes on", reply.run));
            Outcome::Interrupted
        }
    }
}

impl Observer for Face {
    fn workers(&mut self, names: &[String]) {
        if let How::Lines(printer) = &mut self.how {
            printer.makes_room(names);
        }
    }

    fn recorded(&mut self, page: &[LogEntry]) -> io::Result<()> {
        match &mut self.how {
            How::Live(_) | How::Quiet => Ok(()),
            How::Lines(printer) => {
                let mut out = io::stdout().lock();
                page.iter().try_for_each(|entry| printer.print(entry, &mut out))?;
                out.flush()
            }
        }
    }

    fn stands(&mut self, run: &Watched<'_>) -> io::Result<()> {
        match &mut self.how {
            How::Live(screen) => {
                let (width, height) = Screen::size();
                let now = moment::now().0;
                let drawn =
                    live::Drawn { summary: &run.summary(), steps: &run.steps(now), next: &run.next() };
                screen.draw(live::frame(&drawn, now, width, height))
            }
            How::Lines(_) | How::Quiet => Ok(()),
        }
    }

    fn pauses(&mut self, run: &Watched<'_>) -> io::Result<()> {
        let How::Lines(printer) = &self.how else { return Ok(()) };
        let summary = run.summary();
        let mut out = io::stdout().lock();
        if printer.is_json {
            serde_json::to_writer(&mut out, &summary)?;
            writeln!(out)?;
        } else if summary.ending.is_none() {
            writeln!(out, "\n{}  {}", summary.run, table::one_line(&summary.words))?;
            for line in next::lines(&run.next()) {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }

    fn note(&mut self, note: Diagnostic) {
        say::diagnostic(&note);
    }

    fn waits(&self) -> bool {
        self.stays
    }

    fn is_stopped(&self) -> bool {
        STOP.load(Ordering::Relaxed)
    }
}
