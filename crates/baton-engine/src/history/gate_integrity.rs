//! Gate integrity: whether agents could have reached the key of a person or the ledger, and so the answer to a gate.
//!
//! It is computed from the record alone: which attempts were started, and which of them behind a wall. So everyone who asks
//! gets the same answer.

use std::collections::BTreeSet;

use baton_kernel::Millis;
use baton_ledger::{Ledger, Limit, ReadFrom};

use crate::error::Error;
use crate::evidence::{self, Verdict};
use crate::history::views;
use crate::records::codec;
use crate::run::Run;
use crate::run::exposure::Enforced;

/// How many other runs are looked at; with more of them nothing is claimed.
const RUNS_MAX: usize = 50;

/// How many agents are named.
const NAMED_MAX: usize = 10;

/// The agents that can reach the key of a person or the ledger now, as far as a run and the others that are not over
/// say; none means that the answer to a gate can come from a person alone.
pub fn exposed(ledger: &dyn Ledger, run: &str, now: Millis) -> Result<Vec<String>, Error> {
    let look = |name: &str| -> Result<Vec<String>, Error> {
        let run = Run::view(ledger, name, now)?;
        let mut exposed: Vec<String> = run.exposure.exposed(&run).map(str::to_owned).collect();
        let is_open =
            |verdict: &Verdict| verdict.sandbox.as_deref() == Some("none") && !verdict.commands.is_empty();
        if evidence::verdicts(ledger, name)?.iter().any(|(_, recorded)| is_open(&recorded.verdict)) {
            exposed.push("commands of a handoff that were run again".to_owned());
        }
        Ok(exposed)
    };
    let mut names: BTreeSet<String> = look(run)?.into_iter().collect();
    for label in ["working", "waiting"] {
        let others = views::runs(ledger, &[label], None, RUNS_MAX + 1)?;
        for other in others.iter().take(RUNS_MAX).filter(|other| other.stream != run) {
            names.extend(look(&other.stream)?);
        }
        if others.len() > RUNS_MAX {
            names.insert("an agent of one of many runs".to_owned());
        }
    }
    Ok(names.into_iter().take(NAMED_MAX).collect())
}

/// The answers to gates that agents could have given, of one run or of all.
pub fn unenforced(ledger: &dyn Ledger, run: Option<&str>) -> Result<usize, Error> {
    let mut from = match run {
        Some(run) => ReadFrom::Stream { stream: run.to_owned(), after: 0 },
        None => ReadFrom::Position { after: 0 },
    };
    let mut count = 0;
    loop {
        let records = ledger.read(&from, Limit(1_000))?;
        let Some(last) = records.last() else { return Ok(count) };
        match &mut from {
            ReadFrom::Stream { after, .. } => *after = last.seq,
            ReadFrom::Position { after } => *after = last.position,
        }
        let read = |body: &[u8]| serde_json::from_slice::<Enforced>(body).ok();
        let answers = records.iter().filter(|record| record.kind == codec::ENFORCED);
        count += answers.filter_map(|record| read(&record.body)).filter(|answer| !answer.enforced).count();
    }
}
