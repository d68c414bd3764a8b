//! Records as lines, as they come: for people with the time before them, for programs as JSON.

use std::io::{self, Write};

use baton_engine::service::{LogEntry, SaidLine, moment};
use unicode_width::UnicodeWidthStr as _;

use super::table;
use crate::reply;

/// How wide names are at least, and at most.
const WHO: usize = 10;
const WHO_MAX: usize = 20;

/// Prints records as they come.
pub(crate) struct Printer {
    /// The day that was last told.
    day: String,
    with_run: bool,
    /// How wide the names of those who do something are.
    who: usize,
    /// Whether it prints JSON Lines.
    pub(crate) is_json: bool,
}

impl Printer {
    /// For one run.
    pub(crate) fn of_run(is_json: bool) -> Self {
        Self { day: String::new(), with_run: false, who: WHO, is_json }
    }

    /// For all runs, each line with its run.
    pub(crate) fn of_all(is_json: bool) -> Self {
        Self { day: String::new(), with_run: true, who: WHO, is_json }
    }

    /// Makes room for the names of those who work in a run.
    pub(crate) fn makes_room(&mut self, workers: &[String]) {
        let longest = workers.iter().map(|name| name.width()).max().unwrap_or_default();
        self.who = self.who.max(longest.min(WHO_MAX));
    }

    /// Prints one record.
    pub(crate) fn print(&mut self, entry: &LogEntry, out: &mut dyn Write) -> io::Result<()> {
        if self.is_json {
            // Every record of runs and manifests, so that a reader can follow the hashes; none of Baton's other streams.
            if entry.is_internal() {
                return Ok(());
            }
            reply::begin();
            serde_json::to_writer(&mut *out, entry)?;
            return writeln!(out);
        }
        self.makes_room(&entry.workers);
        let Some((who, what)) = entry.text() else { return Ok(()) };
        self.line(entry.at_ms, &entry.run, &who, &what, out)
    }

    /// Prints a line that an agent said while it worked, so that it is not taken for a record.
    pub(crate) fn said(&mut self, line: &SaidLine, out: &mut dyn Write) -> io::Result<()> {
        if self.is_json {
            serde_json::to_writer(&mut *out, line)?;
            return writeln!(out);
        }
        self.line(line.at_ms, &line.run, &line.who, &said(line.what.as_deref()), out)
    }

    fn line(&mut self, at: u64, run: &str, who: &str, what: &str, out: &mut dyn Write) -> io::Result<()> {
        let day = moment::day_ms(at);
        if day != self.day {
            writeln!(out, "{day}")?;
            self.day = day;
        }
        let run = if self.with_run {
            format!("{}  ", table::padded(&table::one_line(run), 12))
        } else {
            String::new()
        };
        let who = table::padded(&table::one_line(who), self.who);
        writeln!(out, "{}  {run}{who}  {}", moment::clock_ms(at), table::one_line(what))
    }
}

/// What an agent said, as it is shown: every line of it begins with a bar, which no line of Baton's does.
pub(crate) fn said(text: Option<&str>) -> String {
    format!("│ {}", table::one_line(text.unwrap_or("(it said more, which is not kept)")))
}
