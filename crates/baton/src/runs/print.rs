//! Records as lines, as they come: for people with the time before them, for programs as JSON.

use std::io::{self, Write};

use super::follow::Told;
use super::{moment, table};

/// Prints records as they come.
pub(crate) struct Printer {
    /// The day that was last told.
    day: String,
    with_run: bool,
    /// Whether it prints JSON Lines.
    pub(crate) is_json: bool,
}

impl Printer {
    /// For one run.
    pub(crate) fn of_run(is_json: bool) -> Self {
        Self { day: String::new(), with_run: false, is_json }
    }

    /// For all runs, each line with its run.
    pub(crate) fn of_all(is_json: bool) -> Self {
        Self { day: String::new(), with_run: true, is_json }
    }

    /// Prints one record.
    pub(crate) fn print(&mut self, told: &Told, out: &mut dyn Write) -> io::Result<()> {
        if self.is_json {
            return if told.line.is_some() { writeln!(out, "{}", told.json()) } else { Ok(()) };
        }
        let Some((who, what)) = told.text() else { return Ok(()) };
        let at = told.entry.record.at;
        let day = moment::day(at);
        if day != self.day {
            writeln!(out, "{day}")?;
            self.day = day;
        }
        let run = if self.with_run {
            format!("{}  ", table::padded(&table::one_line(&told.entry.record.stream), 12))
        } else {
            String::new()
        };
        let who = table::padded(&table::one_line(&who), 10);
        writeln!(out, "{}  {run}{who}  {}", moment::clock(at), table::one_line(&what))
    }
}
