//! `baton log`: what happened in a run or in all of them, and whether the record of it can be trusted.

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use baton_engine::service::{EarlierHead, LastRecord, LogCursor, LogItem, ProofReply, Service, UNENFORCED};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::print::Printer;
use crate::runs::table;
use crate::{reply, say};
use baton_engine::service::Fault;

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
    head: Option<String>,
    /// Prints JSON, a line for each record
    #[arg(long)]
    json: bool,
}

fn hash(text: &str) -> Result<String, String> {
    let error = || "a hash has 64 hexadecimal digits".to_owned();
    Service::is_hash(text).then(|| text.to_owned()).ok_or_else(error)
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let service = Service::open(&Projects::here()?);
    if typed.rebuild {
        service.rebuild()?;
    }
    if typed.verify || typed.rebuild {
        let Some(report) = service.proof(typed.run.as_deref(), typed.head.as_deref())? else {
            say::no_ledger(false);
            return Ok(Outcome::Clean);
        };
        if typed.json {
            reply::print(&report)?;
            return Ok(if report.proven { Outcome::Clean } else { Outcome::Blocked });
        }
        return prove(&report);
    }
    let Some(log) = service.log(typed.run.as_deref(), typed.follow)? else {
        say::no_ledger(false);
        return Ok(Outcome::Clean);
    };
    print(log, &typed)
}

fn print(mut log: LogCursor, typed: &Typed) -> Result<Outcome, Fault> {
    let mut printer = match typed.run {
        Some(_) => Printer::of_run(typed.json),
        None => Printer::of_all(typed.json),
    };
    let mut out = io::BufWriter::new(io::stdout());
    loop {
        let page = log.next_page()?;
        for item in &page.items {
            match item {
                LogItem::Record(entry) => printer.print(entry, &mut out)?,
                LogItem::Said(line) => printer.said(line, &mut out)?,
            }
        }
        if page.is_end {
            out.flush()?;
            if !typed.follow {
                return Ok(Outcome::Clean);
            }
            thread::sleep(LOOK_EVERY);
        }
    }
}

fn prove(report: &ProofReply) -> Result<Outcome, Fault> {
    let mut out = io::stdout().lock();
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
    if report.is_sound() && behind > 0 {
        let records = if behind == 1 { "record is".to_owned() } else { format!("{behind} records are") };
        writeln!(out, "The last {records} not sealed yet.")?;
    }
    match &report.head {
        Some(EarlierHead { run: Some(stream), seq: Some(seq), .. }) => {
            writeln!(
                out,
                "The hash is record {seq} of {stream}: it and all before it there are as they were."
            )?;
        }
        Some(_) => writeln!(
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
        None if report.proven => writeln!(out, "Nothing speaks against the record.")?,
        None => {}
    }
    if let Some(what) = &report.derived {
        let what = table::one_line(what);
        writeln!(out, "What is derived from the records is not what they say, {what}.")?;
        writeln!(out, "`baton log --rebuild` makes it again from them, while no other Baton is at work.")?;
    }
    if let Some(unenforced) = report.unenforced.filter(|&count| count > 0) {
        let answers = if unenforced == 1 {
            "One answer to a gate is".to_owned()
        } else {
            format!("{unenforced} answers to gates are")
        };
        writeln!(out, "{answers} {UNENFORCED}.")?;
    }
    if let Some(LastRecord { run, seq, hash }) = &report.last {
        writeln!(out, "{run} has {seq} records; whoever keeps {hash} can ask for it later with --head.")?;
    }
    Ok(if report.proven { Outcome::Clean } else { Outcome::Blocked })
}
