//! The log of a run or of all, read on as it grows, with the lines that agents say between the records.

use std::collections::VecDeque;

use baton_kernel::Key;
use baton_ledger::Store;

use super::facade::Service;
use super::follow::Follow;
use super::log::{LogEntry, SaidLine};
use super::{lookup, moment};
use crate::history::output::{Line, Listener};
use crate::project::fault::Result;

/// An entry of a log that is followed.
#[derive(Clone, Debug)]
pub enum LogItem {
    /// A record.
    Record(LogEntry),
    /// A line that an agent said.
    Said(SaidLine),
}

/// A cursor in the log.
pub struct LogCursor {
    ledger: Box<dyn Store>,
    run: Option<String>,
    follow: Follow,
    listener: Option<Listener>,
    said: VecDeque<(Key, Line)>,
    is_empty: bool,
}

/// A part of the log.
#[derive(Debug)]
pub struct LogPage {
    /// Its entries.
    pub items: Vec<LogItem>,
    /// Whether no more is recorded yet.
    pub is_end: bool,
}

impl Service {
    /// The log of a run, or of all, from the beginning; none where there is no ledger. `listens` adds what agents say meanwhile.
    pub fn log(&self, run: Option<&str>, listens: bool) -> Result<Option<LogCursor>> {
        let ledger = match run {
            Some(run) => lookup::to_find(&self.project, run)?,
            None => match self.existing()? {
                Some(ledger) => ledger,
                None => return Ok(None),
            },
        };
        let listener = run.filter(|_| listens).map(|run| Listener::new(&self.project.root, run));
        Ok(Some(LogCursor {
            ledger,
            run: run.map(str::to_owned),
            follow: run.map_or_else(Follow::all, Follow::run),
            listener,
            said: VecDeque::new(),
            is_empty: true,
        }))
    }
}

impl LogCursor {
    /// The next part. Only one without records is the end for now.
    pub fn next_page(&mut self) -> Result<LogPage> {
        // Heard before the records are read, so that the delivery of each line is recorded.
        self.said.extend(self.listener.as_mut().map(Listener::heard).unwrap_or_default());
        let page = self.follow.next(&self.ledger)?;
        let is_end = page.is_empty();
        self.is_empty &= is_end;
        let mut items = Vec::new();
        for told in &page {
            while self.said.front().is_some_and(|(_, line)| line.at <= told.entry.record.at) {
                items.extend(self.heard());
            }
            items.push(LogItem::Record(LogEntry::new(told)));
        }
        if is_end {
            while !self.said.is_empty() {
                items.extend(self.heard());
            }
            if let Some(run) = self.run.as_deref().filter(|_| self.is_empty) {
                return Err(lookup::no_run(run));
            }
        }
        Ok(LogPage { items, is_end })
    }

    /// The next line that an agent said; the record says who it is.
    fn heard(&mut self) -> Option<LogItem> {
        let (key, line) = self.said.pop_front()?;
        let run = self.run.as_deref()?;
        let who = &self.follow.runs.get(run)?.history.delivery(key)?.to;
        Some(LogItem::Said(SaidLine {
            run: run.to_owned(),
            seq: None,
            at: moment::stamp(line.at),
            kind: "said".to_owned(),
            who: who.clone(),
            what: line.text,
            at_ms: line.at.0,
        }))
    }
}
