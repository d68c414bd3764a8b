//! `baton erase`: takes texts out of the record of a run, and says there that they were there.

use std::io::{self, Write};

use baton_engine::service::{EraseReply, EraseRequest, Service, TextEntry};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::table;
use crate::{reply, say};
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "erase", command, run };

const ABOUT: &str = "Takes texts out of the record of a run";

const LONG_ABOUT: &str = "\
Takes texts of a run that is over out of the ledger for good: handoffs, by their names; any others, by the numbers of their \
records; or all that was written or said in the run. The bytes go; that there was a text, its hash, who had it erased and why \
stays in the record, and `baton log`, `baton show` and `baton log --verify` say so. Only a person can do it, and a reason is needed. --dry-run lists the texts, with \
their numbers, and erases nothing.

A text is stored once. Where other runs have the very same one it goes from them too, and their records say so; if one of them is \
not over, nothing is erased. The files of the project that a run keeps (its flow, its settings) are not among --all: other runs have \
them too, and each goes by its number.

What it does not reach: another text that repeats some of it, such as what a gate showed; what the records say themselves, such as names, \
outcomes and findings; the manifests of the project, which are no run's; files that Baton or agents wrote into the project; copies of the ledger, such as the backup that a \
newer Baton leaves beside it; and what agents said while they worked, which goes only with --all.

With --json it prints one object: run, dry_run, erased (each with record, what, hash and bytes; record is null where a text was \
handed in and never taken), before (how many had been erased before), others (the runs that had them too) and left (files that \
may hold them still).";

const EXAMPLES: &str = "\
Examples:
  baton erase article-3 --dry-run                        its texts, with their numbers
  baton erase article-3/2 --because \"a customer's name\"  its second handoff
  baton erase HO-012 --because \"a customer's name\"       a handoff by the id in its text
  baton erase article-3 --record 1 --record 9 --because \"asked to\"
  baton erase article-3 --all --because \"asked to\"       all that was written or said in it";

#[derive(Debug, Args)]
struct Typed {
    /// A run, or handoffs of one: RUN/NUMBER, or their ids
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// Also the text of this record
    #[arg(long, value_name = "NUMBER")]
    record: Vec<u64>,
    /// All that was written or said in the run
    #[arg(long, conflicts_with = "record")]
    all: bool,
    /// Why; it is recorded
    #[arg(long, value_name = "TEXT", required_unless_present = "dry_run")]
    because: Option<String>,
    /// Says what would go, and erases nothing
    #[arg(long)]
    dry_run: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    Service::must_be_person()?;
    // What is erased is recorded already, and must be within reach whatever the settings say now.
    let service = Service::open(&Projects::here()?);
    let request = EraseRequest {
        ids: typed.ids,
        records: typed.record,
        all: typed.all,
        because: typed.because,
        dry_run: typed.dry_run,
    };
    let reply = service.erase(&request)?;
    if reply.dry_run {
        would_go(&reply, typed.json)?;
        reply.refused.iter().for_each(|refused| say::note(refused));
    } else if typed.json {
        reply::print(&reply)?;
    } else {
        gone(&reply)?;
    }
    Ok(Outcome::Clean)
}

fn gone(reply: &EraseReply) -> Result<(), Fault> {
    let run = &reply.run;
    let mut out = io::stdout().lock();
    if reply.erased.is_empty() {
        writeln!(out, "nothing is left to erase: what was named in {run} had been erased before")?;
    } else {
        let texts = table::counted(reply.erased.len(), "text");
        writeln!(out, "erased {texts} of {run}: {}", names(run, &reply.erased))?;
    }
    if !reply.others.is_empty() {
        let others = Vec::from_iter(reply.others.iter().cloned()).join(", ");
        writeln!(out, "the same went from {others}, and the record there says so too")?;
    }
    if !reply.erased.is_empty() {
        say::note("other texts and findings may repeat some of it, and copies of the ledger hold it still");
    }
    for place in &reply.left {
        say::note(&format!("{place} may hold it still; Baton leaves it to you"));
    }
    Ok(())
}

/// What texts are called, in one line.
fn names(run: &str, texts: &[TextEntry]) -> String {
    let name = |text: &TextEntry| match (text.handoff, text.record) {
        (Some(number), _) => format!("{run}/{number}"),
        (None, Some(record)) => format!("record {record}"),
        (None, None) => "what was handed in".to_owned(),
    };
    texts.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn would_go(reply: &EraseReply, as_json: bool) -> Result<(), Fault> {
    if as_json {
        return reply::print(reply);
    }
    let row = |text: &TextEntry| {
        let record = text.record.map_or_else(|| "–".to_owned(), |record| record.to_string());
        let bytes = text.bytes.map_or_else(|| "erased".to_owned(), |bytes| table::counted(bytes, "byte"));
        let also = Vec::from_iter(text.also_in.iter().cloned()).join(", ");
        vec![record, text.what.clone(), bytes, also]
    };
    let rows: Vec<Vec<String>> = reply.named.iter().map(row).collect();
    let mut out = io::stdout().lock();
    for line in table::lines(&["record", "text", "size", "also in"], &rows, 1, table::width()) {
        writeln!(out, "{line}")?;
    }
    say::note("nothing was erased");
    Ok(())
}
