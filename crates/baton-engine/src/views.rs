//! What faces show: the runs, one run, and its history. Nothing here changes anything.

use baton_kernel::{Event, Millis, Pending, Position, State, evolve, pending, position};
use baton_ledger::{Head, Ledger, Limit, Query, ReadFrom, Record};

use crate::{Error, Problem, Refused, stored};

/// How many records one read asks for.
const PAGE: Limit = Limit(1_000);

/// One run as it stands.
pub struct RunView {
    /// What the kernel knows of it.
    pub state: State,
    /// What it owes.
    pub pending: Pending,
    /// Where it is in its flow.
    pub position: Position,
}

/// One entry of a run's history.
pub struct Entry {
    /// As it is recorded.
    pub record: Record,
    /// What it says; nothing for a record of the engine itself.
    pub event: Option<Event>,
}

/// The runs with all these labels, the one that started last first, before a position.
pub fn runs(
    ledger: &dyn Ledger,
    labels: &[&str],
    before: Option<u64>,
    limit: usize,
) -> Result<Vec<Head>, Error> {
    let labels = std::iter::once("run").chain(labels.iter().copied()).map(str::to_owned).collect();
    Ok(ledger.find(&Query { labels, before, limit: Limit(limit) })?)
}

/// One run, replayed.
pub fn show(ledger: &dyn Ledger, run: &str, now: Millis) -> Result<RunView, Problem> {
    let mut state = State::new();
    each(ledger, run, |entry| {
        if let Some(event) = &entry.event {
            evolve(&mut state, event);
        }
    })?;
    let (pending, position) = (pending(&state, now), position(&state));
    Ok(RunView { state, pending, position })
}

/// All that is recorded of a run, in order.
pub fn history(ledger: &dyn Ledger, run: &str) -> Result<Vec<Entry>, Problem> {
    let mut all = Vec::new();
    each(ledger, run, |entry| all.push(entry))?;
    Ok(all)
}

fn each(ledger: &dyn Ledger, run: &str, mut visit: impl FnMut(Entry)) -> Result<(), Problem> {
    let mut after = 0;
    loop {
        let records = ledger.read(&ReadFrom::Stream { stream: run.to_owned(), after }, PAGE)?;
        if records.is_empty() {
            break;
        }
        for record in records {
            after = record.seq;
            let event = stored::decoded(&record)?;
            visit(Entry { record, event });
        }
    }
    if after == 0 {
        return Err(Problem::Refused(Refused::NoRun { run: run.to_owned() }));
    }
    Ok(())
}
