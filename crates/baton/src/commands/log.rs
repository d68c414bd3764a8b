//! `baton log`: what happened in a run or in all of them, and whether the record of it can be trusted.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use baton_engine::history::gate_integrity;
use baton_engine::history::output::{Line, Listener};
use baton_engine::kernel::{Digest, Key};
use baton_engine::ledger::{Earlier, Ledger, Store};
use baton_engine::project::store;
use baton_engine::records::entry::history;
use baton_engine::run::exposure::UNENFORCED;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::Projects;
use crate::runs::follow::Follow;
use crate::runs::print::Printer;
use crate::runs::{book, table};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "log", command, run };

const ABOUT: &str = "Tells what happened, who did it and why";

const LONG_ABOUT: &str = "\
Tells what happened in a run, or in all of them: when (in UTC), who did it, what was done, and why; where a handoff could \
have gone elsewhere, also where. A run that is followed also tells what its agents say while they work, each line behind a \
`│`: none of that is recorded, and nothing is decided by it.

--verify reads all records and says what is proven: that each follows from the one before, that every stored text is the \
one that was recorded, that the seals hold, and that what is derived from the records to find them again says the same; it counts the answers to gates that agents could have given. --head compares with a hash that somebody kept, such as the `hash` of \
--json: if it is found, everything before it in its run is as it was then. Exit code 1 means that something does not hold.

--rebuild makes what is derived from the records again, all or nothing, and then says what is proven. It changes no record, and refuses if one is missing or damaged, or while another Baton has the record open.

With --json it prints a line for each record: run, seq, at, kind, who, what, why, hash and event; what an \
agent says has the kind `said`, and neither seq nor hash.";

const EXAMPLES: &str = "\
Examples:
  baton log article-3           one run
  baton log -f                  all runs, and what comes
  baton log --verify            whether the record can be trusted
  baton log article-3 --verify  the same, and the hash to keep of this run
  baton log --rebuild           mends what --verify finds wrong beside the records
  baton log --verify --head 5f1c…    also whether it still is what somebody saw
  baton log article-3 --json | jq -r .kind";

/// How often a log that is followed is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
struct Typed {
    /// A run; all of them unless one is named
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Goes on with what comes, until Ctrl-C
    #[arg(short, long, conflicts_with = "verify")]
    follow: bool,
    /// Says what is proven
    #[arg(long)]
    verify: bool,
    /// Makes what is derived from the records again, then says what is proven
    #[arg(long, conflicts_with = "follow")]
    rebuild: bool,
    /// A hash that somebody kept, to be found again
    #[arg(long, value_name = "HASH", requires = "verify", value_parser = hash)]
    head: Option<Digest>,
    /// Prints JSON, a line for each record
    #[arg(long)]
    json: bool,
}

fn hash(text: &str) -> Result<Digest, String> {
    Digest::from_hex(text).ok_or_else(|| "a hash has 64 hexadecimal digits".to_owned())
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::here()?;
    if typed.rebuild {
        store::rebuild(&project.root)?;
    }
    let ledger = match &typed.run {
        Some(run) => book::to_find(&project, run)?,
        None => match book::to_read(&project)? {
            Some(ledger) => ledger,
            None => return Ok(Outcome::Clean),
        },
    };
    if typed.verify || typed.rebuild { prove(&ledger, &typed) } else { tell(&ledger, &project.root, &typed) }
}

fn tell(ledger: &dyn Ledger, root: &Path, typed: &Typed) -> Result<Outcome, Failure> {
    let followed = typed.run.as_deref().filter(|_| typed.follow);
    let mut listener = followed.map(|run| Listener::new(root, run));
    let mut said = VecDeque::new();
    let mut follow = typed.run.as_deref().map_or_else(Follow::all, Follow::run);
    let mut printer = match typed.run {
        Some(_) => Printer::of_run(typed.json),
        None => Printer::of_all(typed.json),
    };
    let mut is_empty = true;
    let mut out = io::BufWriter::new(io::stdout());
    loop {
        // Heard before the records are read: whoever says something, its delivery is recorded.
        said.extend(listener.as_mut().map(Listener::heard).unwrap_or_default());
        let page = follow.next(ledger)?;
        is_empty &= page.is_empty();
        for told in &page {
            while said.front().is_some_and(|(_, line)| line.at <= told.entry.record.at) {
                hear(&follow, typed, said.pop_front(), &mut printer, &mut out)?;
            }
            printer.print(told, &mut out)?;
        }
        // Only an empty page says that there is no more.
        if page.is_empty() {
            while !said.is_empty() {
                hear(&follow, typed, said.pop_front(), &mut printer, &mut out)?;
            }
            out.flush()?;
            match &typed.run {
                Some(run) if is_empty => return Err(book::no_run(run)),
                Some(_) | None if !typed.follow => return Ok(Outcome::Clean),
                Some(_) | None => thread::sleep(LOOK_EVERY),
            }
        }
    }
}

/// Prints what an agent said; who it is, the record says.
fn hear(
    follow: &Follow,
    typed: &Typed,
    said: Option<(Key, Line)>,
    printer: &mut Printer,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (Some(name), Some((key, line))) = (typed.run.as_deref(), said) else { return Ok(()) };
    let who = follow.runs.get(name).and_then(|run| Some(run.history.delivery(key)?.to.as_str()));
    who.map_or(Ok(()), |who| printer.said(name, who, &line, out))
}

/// What is told beside a report; nothing where damage keeps it from being read, for the report says so itself.
fn beside<T>(is_sound: bool, read: Result<T, impl Into<Failure>>) -> Result<Option<T>, Failure> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(_) if !is_sound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn prove(ledger: &dyn Store, typed: &Typed) -> Result<Outcome, Failure> {
    let report = ledger.verify(typed.head).map_err(baton_engine::error::Error::from)?;
    let mut out = io::stdout().lock();
    let is_proven = report.is_proven();
    let is_sound = report.first_bad.is_none() && report.derived.is_none();
    let unenforced = beside(is_sound, gate_integrity::unenforced(ledger, typed.run.as_deref()))?;
    let last = match &typed.run {
        Some(run) => beside(is_sound, history(ledger, run))?.and_then(|mut history| history.pop()),
        None => None,
    };
    let last = last.map(|entry| (entry.record.seq, entry.record.hash));
    if typed.json {
        let earlier = report.earlier.as_ref().map(|earlier| match earlier {
            Earlier::Found { stream, seq } => json!({ "found": true, "run": stream, "seq": seq }),
            Earlier::Missing => json!({ "found": false }),
        });
        let bad = report.first_bad.as_ref();
        let bad = bad.map(|bad| json!({ "position": bad.position, "what": bad.what }));
        let object = json!({
            "proven": is_proven, "records": report.records, "streams": report.streams,
            "payloads": report.payloads, "erased": report.erased, "sealed": report.sealed,
            "unenforced": unenforced, "sealed_until": report.sealed_until, "first_bad": bad, "derived": report.derived, "head": earlier,
            "last": last.map(|(seq, hash)| json!({ "run": typed.run, "seq": seq, "hash": hash.to_string() })),
        });
        writeln!(out, "{object}")?;
        return Ok(if is_proven { Outcome::Clean } else { Outcome::Blocked });
    }
    let rows = [
        ("records", report.records, "each follows from the one before it"),
        ("streams", report.streams, "whole from the first record to the last"),
        ("texts", report.payloads, "as they were recorded"),
        ("erased", report.erased, "texts that are gone; what names them stays"),
        ("sealed", report.sealed, "heads that seals name, found as the seals say"),
    ];
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|(what, count, says)| vec![(*what).into(), count.to_string(), (*says).into()])
        .collect();
    for line in table::lines(&[], &rows, 2, table::width()) {
        writeln!(out, "{line}")?;
    }
    // A seal cannot name itself.
    let seal = u64::from(report.sealed_until > 0);
    let behind = report.records.saturating_sub(report.sealed_until).saturating_sub(seal);
    if is_sound && behind > 0 {
        let records = if behind == 1 { "record is".to_owned() } else { format!("{behind} records are") };
        writeln!(out, "The last {records} not sealed yet.")?;
    }
    match &report.earlier {
        Some(Earlier::Found { stream, seq }) => {
            writeln!(
                out,
                "The hash is record {seq} of {stream}: it and all before it there are as they were."
            )?;
        }
        Some(Earlier::Missing) => writeln!(
            out,
            "The hash is not here: what was recorded was changed since it was kept, or it is of another ledger."
        )?,
        None => {}
    }
    match &report.first_bad {
        Some(bad) => {
            let place = bad.position.map(|position| format!(" at position {position}")).unwrap_or_default();
            writeln!(out, "Not to be trusted{place}: {}", table::one_line(&bad.what))?;
        }
        None if is_proven => writeln!(out, "Nothing speaks against the record.")?,
        None => {}
    }
    if let Some(what) = &report.derived {
        let what = table::one_line(what);
        writeln!(out, "What is derived from the records is not what they say, {what}.")?;
        writeln!(out, "`baton log --rebuild` makes it again from them, while no other Baton is at work.")?;
    }
    if let Some(unenforced) = unenforced.filter(|&count| count > 0) {
        let answers = if unenforced == 1 {
            "One answer to a gate is".to_owned()
        } else {
            format!("{unenforced} answers to gates are")
        };
        writeln!(out, "{answers} {UNENFORCED}.")?;
    }
    if let (Some(run), Some((seq, hash))) = (&typed.run, last) {
        writeln!(out, "{run} has {seq} records; whoever keeps {hash} can ask for it later with --head.")?;
    }
    Ok(if is_proven { Outcome::Clean } else { Outcome::Blocked })
}
