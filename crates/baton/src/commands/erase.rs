//! `baton erase`: takes texts out of the record of a run, and says there that they were there.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use baton_engine::error::Problem;
use baton_engine::history::erase;
use baton_engine::history::erase::Wanted;
use baton_engine::history::output;
use baton_engine::kernel::Digest;
use baton_engine::ledger::Ledger;
use baton_engine::mirror;
use baton_engine::project::store;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use super::{Row, show};
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::runs::follow::Follow;
use crate::runs::names::{Named, parsed};
use crate::runs::{authority, book, moment, table, wish};
use crate::say;

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

/// The kind of a record that holds a file of the project.
const PINNED: &str = "file_pinned";

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

/// A text of a run.
struct Text {
    /// The number of its record; none for what was handed in and is in no record of the run.
    record: Option<u64>,
    /// The number of the handoff that it is.
    handoff: Option<usize>,
    what: String,
    digest: Digest,
    /// How long it is, unless it is gone.
    bytes: Option<usize>,
    is_file: bool,
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    authority::must_be_person()?;
    let because = typed.because.as_deref().map(str::trim);
    if because == Some("") {
        return Err(Failure::usage("a reason is needed, and this one is empty"));
    }
    // What is erased is recorded already, and must be within reach whatever the settings say now.
    let project = Projects::here()?;
    store::secure(&project.root)?;
    let ledger = book::to_find(&project, typed.ids.first().map_or("", String::as_str))?;
    let (run, handoffs) = named(&ledger, &typed.ids)?;
    let texts = texts(&ledger, &run)?;
    let chosen = chosen(&typed, &run, &handoffs, &texts)?;
    let digests: BTreeSet<Digest> = chosen.iter().map(|text| text.digest).collect();
    let others = erase::others(&ledger, &run, &digests)?;
    let Some(because) = because.filter(|_| !typed.dry_run) else {
        let shown = Shown { run: &run, texts: &chosen, others: &others };
        shown.would_go(typed.json)?;
        if let Err(Problem::Refused(refused)) = erase::must_be_over(&ledger, &run, moment::now()) {
            say::note(&refused.to_string());
        }
        return Ok(Outcome::Clean);
    };
    let by = book::person();
    let wanted = Wanted { run: &run, texts: &digests, by: &by, because };
    let erased = wish::erase(&project, &ledger, &wanted)?;
    let gone: Vec<&Text> =
        chosen.iter().copied().filter(|text| erased.texts.contains(&text.digest)).collect();
    let before = chosen.iter().filter(|text| text.bytes.is_none()).count();
    let said_left = typed.all && !output::forget(&project.root, &run);
    let left = left(&project, &run, &erased.others, typed.all && !said_left);
    let mut out = io::stdout().lock();
    if typed.json {
        let rows: Vec<Value> = gone.iter().map(|text| text.json()).collect();
        let object = json!({
            "run": run, "dry_run": false, "erased": rows, "before": before, "others": erased.others, "left": left,
        });
        writeln!(out, "{object}")?;
        return Ok(Outcome::Clean);
    }
    if gone.is_empty() {
        writeln!(out, "nothing is left to erase: what was named in {run} had been erased before")?;
    } else {
        writeln!(out, "erased {} of {run}: {}", table::counted(gone.len(), "text"), names(&run, &gone))?;
    }
    if !erased.others.is_empty() {
        let others = Vec::from_iter(erased.others).join(", ");
        writeln!(out, "the same went from {others}, and the record there says so too")?;
    }
    if !gone.is_empty() {
        say::note("other texts and findings may repeat some of it, and copies of the ledger hold it still");
    }
    for place in left {
        say::note(&format!("{place} may hold it still; Baton leaves it to you"));
    }
    Ok(Outcome::Clean)
}

/// The run that is meant, and the handoffs of it.
fn named(ledger: &dyn Ledger, ids: &[String]) -> Result<(String, Vec<usize>), Failure> {
    let mut runs = BTreeSet::new();
    let mut handoffs = Vec::new();
    for id in ids {
        let is_run = book::is_there(ledger, parsed(id).0)?;
        let own = if is_run { None } else { show::by_own_id(ledger, id)? };
        let id = own.as_ref().unwrap_or(id);
        let (run, named) = parsed(id);
        match named {
            Named::Run => {}
            Named::Handoff(number) => handoffs.push(number),
            Named::Question(_) | Named::Delivery(_) | Named::Step(_) => {
                return Err(Failure::Usage {
                    message: format!("{id} names no handoff, and no run"),
                    hint: Some(format!("`baton erase {run} --dry-run` lists what can be erased")),
                });
            }
        }
        if !book::is_there(ledger, run)? {
            return Err(book::no_run(run));
        }
        runs.insert(run.to_owned());
    }
    let mut runs = runs.into_iter();
    match (runs.next(), runs.next()) {
        (Some(run), None) => Ok((run, handoffs)),
        _ => Err(Failure::usage("one run at a time")),
    }
}

/// All texts of a run, as the log tells them, and what was handed in for it.
fn texts(ledger: &dyn Ledger, run: &str) -> Result<Vec<Text>, Failure> {
    let mut texts = Vec::new();
    let mut handoffs = 0;
    let mut follow = Follow::run(run);
    loop {
        let page = follow.next(ledger)?;
        if page.is_empty() {
            break;
        }
        for told in &page {
            let record = &told.entry.record;
            let handoff = told.entry.is_handoff().then(|| {
                handoffs += 1;
                handoffs
            });
            let Some(payload) = &record.payload else { continue };
            // What people said is the text itself; the rest of the line is what became of it.
            let line = told.line.as_ref().map(|line| format!("{} {}", line.who, line.what));
            texts.push(Text {
                record: Some(record.seq),
                handoff,
                what: line.unwrap_or_else(|| record.kind.replace('_', " ")),
                digest: payload.digest,
                bytes: payload.bytes.as_ref().map(Vec::len),
                is_file: record.kind == PINNED,
            });
        }
    }
    let known: BTreeSet<Digest> = texts.iter().map(|text| text.digest).collect();
    for record in erase::handed_in(ledger, run)? {
        let Some(payload) = record.payload.filter(|payload| !known.contains(&payload.digest)) else {
            continue;
        };
        texts.push(Text {
            record: None,
            handoff: None,
            what: "handed in, and not taken".to_owned(),
            digest: payload.digest,
            bytes: payload.bytes.as_ref().map(Vec::len),
            is_file: false,
        });
    }
    Ok(texts)
}

/// The texts that were named.
fn chosen<'t>(
    typed: &Typed,
    run: &str,
    handoffs: &[usize],
    texts: &'t [Text],
) -> Result<Vec<&'t Text>, Failure> {
    let lists = || Some(format!("`baton erase {run} --dry-run` lists its texts"));
    for number in handoffs {
        if !texts.iter().any(|text| text.handoff == Some(*number)) {
            let message = format!("{run} has no handoff {number}");
            return Err(Failure::Refused { message, hint: lists() });
        }
    }
    for number in &typed.record {
        if !texts.iter().any(|text| text.record == Some(*number)) {
            let message = format!("record {number} of {run} has no text");
            return Err(Failure::Refused { message, hint: lists() });
        }
    }
    let is_all = typed.all && handoffs.is_empty();
    if typed.all && !handoffs.is_empty() {
        return Err(Failure::usage("either handoffs are named, or all of a run is meant"));
    }
    let is_none = handoffs.is_empty() && typed.record.is_empty() && !typed.all;
    if is_none && !typed.dry_run {
        return Err(Failure::Usage {
            message: format!("what of {run} is to go?"),
            hint: Some(format!(
                "name a handoff ({run}/1), a record (--record) or --all; `baton erase {run} --dry-run` lists them"
            )),
        });
    }
    let is_chosen = |text: &&Text| {
        is_none
            || (is_all && !text.is_file)
            || text.handoff.is_some_and(|number| handoffs.contains(&number))
            || text.record.is_some_and(|number| typed.record.contains(&number))
    };
    Ok(texts.iter().filter(is_chosen).collect())
}

impl Text {
    fn json(&self) -> Value {
        json!({
            "record": self.record, "what": self.what, "hash": self.digest.to_string(), "bytes": self.bytes,
        })
    }
}

/// What texts are called, in one line.
fn names(run: &str, texts: &[&Text]) -> String {
    let name = |text: &&Text| match (text.handoff, text.record) {
        (Some(number), _) => format!("{run}/{number}"),
        (None, Some(record)) => format!("record {record}"),
        (None, None) => "what was handed in".to_owned(),
    };
    texts.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Texts that are shown.
struct Shown<'s> {
    run: &'s str,
    texts: &'s [&'s Text],
    others: &'s BTreeMap<Digest, BTreeSet<String>>,
}

impl Shown<'_> {
    fn would_go(&self, as_json: bool) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let also = |text: &Text| self.others.get(&text.digest).cloned().unwrap_or_default();
        if as_json {
            let present = self.texts.iter().filter(|text| text.bytes.is_some());
            let rows: Vec<Value> = present.map(|text| text.json()).collect();
            let others: BTreeSet<String> = self.texts.iter().flat_map(|text| also(text)).collect();
            let before = self.texts.len() - rows.len();
            let object = json!({
                "run": self.run, "dry_run": true, "erased": rows, "before": before, "others": others, "left": [],
            });
            writeln!(out, "{object}")?;
            return Ok(());
        }
        let row = |text: &&Text| {
            let record = text.record.map_or_else(|| "–".to_owned(), |record| record.to_string());
            let bytes = text.bytes.map_or_else(|| "erased".to_owned(), |bytes| table::counted(bytes, "byte"));
            let also = Vec::from_iter(also(text)).join(", ");
            vec![record, text.what.clone(), bytes, also]
        };
        let rows: Vec<Vec<String>> = self.texts.iter().map(row).collect();
        for line in table::lines(&["record", "text", "size", "also in"], &rows, 1, table::width()) {
            writeln!(out, "{line}")?;
        }
        say::note("nothing was erased");
        Ok(())
    }
}

/// Where what was erased may be still, beside the ledger.
fn left(project: &Project, run: &str, others: &BTreeSet<String>, is_forgotten: bool) -> Vec<String> {
    let mut left = Vec::new();
    for run in std::iter::once(run).chain(others.iter().map(String::as_str)) {
        left.extend(mirror::files(&project.root, run));
    }
    let from_root = |path: &std::path::Path| {
        path.strip_prefix(&project.root).unwrap_or(path).to_string_lossy().into_owned()
    };
    if !is_forgotten {
        left.extend(output::said_in(&project.root, run).map(|path| from_root(&path)));
    }
    left.extend(store::backups(&project.root).iter().map(|path| from_root(path)));
    left
}
