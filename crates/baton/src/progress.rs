//! The progress of long work, for people who watch: on a terminal only, and gone when the work is done.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How often the bar moves on its own.
const TICK: Duration = Duration::from_millis(120);

/// A count of files that grows while they are checked.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Shows nothing.
    pub(crate) fn silent() -> Self {
        Self { bar: None }
    }

    /// Shows a count where the error stream is a terminal.
    pub(crate) fn watched() -> Self {
        if !std::io::stderr().is_terminal() {
            return Self::silent();
        }
        let style = ProgressStyle::with_template("{spinner} {human_pos} files looked at");
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.enable_steady_tick(TICK);
        Self { bar: Some(bar) }
    }

    /// Counts one more file.
    pub(crate) fn advance(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// Takes the count away while something else is shown.
    pub(crate) fn pause<T>(&self, show: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(show),
            None => show(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
