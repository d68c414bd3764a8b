//! Records as lines, as they come: for people with the time before them, for programs as JSON.

use std::io::{self, Write};

use baton_engine::history::output::Line;
use baton_engine::kernel::{Event, Millis, Plan};
use baton_engine::mirror::manifests::MANIFESTS;
use serde_json::json;
use unicode_width::UnicodeWidthStr as _;

use super::follow::Told;
use super::{moment, table};

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

    /// Makes room for the names of those who work in a plan.
    pub(crate) fn makes_room(&mut self, plan: &Plan) {
        let longest = plan.agents.iter().map(|agent| agent.name.width()).max().unwrap_or_default();
        self.who = self.who.max(longest.min(WHO_MAX));
    }

    /// Prints one record.
    pub(crate) fn print(&mut self, told: &Told, out: &mut dyn Write) -> io::Result<()> {
        if self.is_json {
            // All that is recorded of runs and manifests, so that whoever reads it can follow the hashes; nothing of Baton's
            // other streams.
            let stream = told.entry.record.stream.as_str();
            let is_own = stream.starts_with("baton/") && stream != MANIFESTS;
            return if is_own { Ok(()) } else { writeln!(out, "{}", told.json()) };
        }
        if let Some(Event::RunStarted { plan, .. }) = &told.entry.event {
            self.makes_room(plan);
        }
        let Some((who, what)) = told.text() else { return Ok(()) };
        self.line(told.entry.record.at, &told.entry.record.stream, &who, &what, out)
    }

    /// Prints a line that an agent said while it worked, so that nobody takes it for a record.
    pub(crate) fn said(&mut self, run: &str, who: &str, line: &Line, out: &mut dyn Write) -> io::Result<()> {
        let text = line.text.as_deref();
        if self.is_json {
            let object = json!({
                "run": run, "seq": null, "at": moment::stamp(line.at), "kind": "said", "who": who, "what": text,
            });
            return writeln!(out, "{object}");
        }
        self.line(line.at, run, who, &said(text), out)
    }

    fn line(&mut self, at: Millis, run: &str, who: &str, what: &str, out: &mut dyn Write) -> io::Result<()> {
        let day = moment::day(at);
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
        writeln!(out, "{}  {run}{who}  {}", moment::clock(at), table::one_line(what))
    }
}

/// What an agent said, as it is shown: every line of it begins with a bar, which no line of Baton's does.
pub(crate) fn said(text: Option<&str>) -> String {
    format!("│ {}", table::one_line(text.unwrap_or("(it said more, which is not kept)")))
}
