//! Erasure of texts from the ledger, with the reason on record.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use baton_kernel::Digest;
use baton_ledger::Ledger;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facade::Service;
use super::follow::Follow;
use super::names::{Named, parsed};
use super::person::person;
use super::{authority, handoff, lookup, moment, request as requests};
use crate::error::Problem;
use crate::history::erase::{self, Wanted};
use crate::history::output;
use crate::mirror;
use crate::project::fault::{Fault, Result};
use crate::project::{Project, store};
use crate::records::codec::PINNED;

/// Texts to erase.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct EraseRequest {
    /// A run, or handoffs of one.
    pub ids: Vec<String>,
    /// Numbers of records whose texts go.
    #[serde(default)]
    pub records: Vec<u64>,
    /// All that was written or said in the run.
    #[serde(default)]
    pub all: bool,
    /// The reason, which is recorded.
    #[serde(default)]
    pub because: Option<String>,
    /// Only lists what would go.
    #[serde(default)]
    pub dry_run: bool,
}

/// Texts that were erased, or would be.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EraseReply {
    /// The run.
    pub run: String,
    /// Whether nothing was erased.
    pub dry_run: bool,
    /// The texts.
    pub erased: Vec<TextEntry>,
    /// How many were erased before.
    pub before: usize,
    /// Other runs that had the same texts.
    pub others: BTreeSet<String>,
    /// Where they may be still, beside the ledger.
    pub left: Vec<String>,
    /// All texts that were named, also those that were erased before.
    #[serde(skip)]
    pub named: Vec<TextEntry>,
    /// Why nothing can be erased yet.
    #[serde(skip)]
    pub refused: Option<String>,
}

/// A text of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TextEntry {
    /// Number of its record; none for one that is in no record of the run.
    pub record: Option<u64>,
    /// What it is.
    pub what: String,
    /// Its hash.
    pub hash: String,
    /// Its length, unless it is gone.
    pub bytes: Option<usize>,
    /// Number of the handoff that it is.
    #[serde(skip)]
    pub handoff: Option<usize>,
    /// Other runs that have it too.
    #[serde(skip)]
    pub also_in: BTreeSet<String>,
}

/// A text of a run.
struct Text {
    record: Option<u64>,
    handoff: Option<usize>,
    what: String,
    digest: Digest,
    bytes: Option<usize>,
    is_file: bool,
}

impl Text {
    fn entry(&self, others: &BTreeMap<Digest, BTreeSet<String>>) -> TextEntry {
        TextEntry {
            record: self.record,
            what: self.what.clone(),
            hash: self.digest.to_string(),
            bytes: self.bytes,
            handoff: self.handoff,
            also_in: others.get(&self.digest).cloned().unwrap_or_default(),
        }
    }
}

impl Service {
    /// Erases texts of a run that is over, or lists what would go.
    pub fn erase(&self, request: &EraseRequest) -> Result<EraseReply> {
        authority::must_be_person()?;
        let because = request.because.as_deref().map(str::trim);
        if because == Some("") {
            return Err(Fault::usage("a reason is needed, and this one is empty", None));
        }
        let project = &self.project;
        store::secure(&project.root)?;
        let ledger = self.ledger_of(request.ids.first().map_or("", String::as_str))?;
        let (run, handoffs) = named(&ledger, &request.ids)?;
        let texts = texts(&ledger, &run)?;
        let chosen = chosen(request, &run, &handoffs, &texts)?;
        let digests: BTreeSet<Digest> = chosen.iter().map(|text| text.digest).collect();
        let others = erase::others(&ledger, &run, &digests)?;
        let named: Vec<TextEntry> = chosen.iter().map(|text| text.entry(&others)).collect();
        let Some(because) = because.filter(|_| !request.dry_run) else {
            let erased: Vec<_> = named.iter().filter(|text| text.bytes.is_some()).cloned().collect();
            let refused = match erase::must_be_over(&ledger, &run, moment::now()) {
                Err(Problem::Refused(refused)) => Some(refused.to_string()),
                Ok(()) | Err(Problem::Failed(_)) => None,
            };
            return Ok(EraseReply {
                run,
                dry_run: true,
                before: named.len() - erased.len(),
                erased,
                others: named.iter().flat_map(|text| text.also_in.clone()).collect(),
                left: Vec::new(),
                named,
                refused,
            });
        };
        let by = person();
        let wanted = Wanted { run: &run, texts: &digests, by: &by, because };
        let erased = requests::erase(project, &ledger, &wanted)?;
        let gone = chosen.iter().filter(|text| erased.texts.contains(&text.digest));
        let gone: Vec<TextEntry> = gone.map(|text| text.entry(&others)).collect();
        let before = chosen.iter().filter(|text| text.bytes.is_none()).count();
        let said_left = request.all && !output::forget(&project.root, &run);
        let left = left(project, &run, &erased.others, request.all && !said_left);
        let others = erased.others;
        Ok(EraseReply { run, dry_run: false, erased: gone, before, others, left, named, refused: None })
    }
}

/// The run that is meant, and the handoffs of it.
fn named(ledger: &dyn Ledger, ids: &[String]) -> Result<(String, Vec<usize>)> {
    let mut runs = BTreeSet::new();
    let mut handoffs = Vec::new();
    for id in ids {
        let is_run = lookup::is_there(ledger, parsed(id).0)?;
        let own = if is_run { None } else { handoff::by_own_id(ledger, id)? };
        let id = own.as_ref().unwrap_or(id);
        let (run, named) = parsed(id);
        match named {
            Named::Run => {}
            Named::Handoff(number) => handoffs.push(number),
            Named::Question(_) | Named::Delivery(_) | Named::Step(_) => {
                return Err(Fault::usage(
                    format!("{id} names no handoff, and no run"),
                    Some(format!("`baton erase {run} --dry-run` lists what can be erased")),
                ));
            }
        }
        if !lookup::is_there(ledger, run)? {
            return Err(lookup::no_run(run));
        }
        runs.insert(run.to_owned());
    }
    let mut runs = runs.into_iter();
    match (runs.next(), runs.next()) {
        (Some(run), None) => Ok((run, handoffs)),
        _ => Err(Fault::usage("one run at a time", None)),
    }
}

/// All texts of a run, as the log tells them, and what was handed in for it.
fn texts(ledger: &dyn Ledger, run: &str) -> Result<Vec<Text>> {
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
    request: &EraseRequest,
    run: &str,
    handoffs: &[usize],
    texts: &'t [Text],
) -> Result<Vec<&'t Text>> {
    let lists = || Some(format!("`baton erase {run} --dry-run` lists its texts"));
    for number in handoffs {
        if !texts.iter().any(|text| text.handoff == Some(*number)) {
            let message = format!("{run} has no handoff {number}");
            return Err(Fault::refused(message, lists()));
        }
    }
    for number in &request.records {
        if !texts.iter().any(|text| text.record == Some(*number)) {
            let message = format!("record {number} of {run} has no text");
            return Err(Fault::refused(message, lists()));
        }
    }
    let is_all = request.all && handoffs.is_empty();
    if request.all && !handoffs.is_empty() {
        return Err(Fault::usage("either handoffs are named, or all of a run is meant", None));
    }
    let is_none = handoffs.is_empty() && request.records.is_empty() && !request.all;
    if is_none && !request.dry_run {
        return Err(Fault::usage(
            format!("what of {run} is to go?"),
            Some(format!(
                "name a handoff ({run}/1), a record (--record) or --all; `baton erase {run} --dry-run` lists them"
            )),
        ));
    }
    let is_chosen = |text: &&Text| {
        is_none
            || (is_all && !text.is_file)
            || text.handoff.is_some_and(|number| handoffs.contains(&number))
            || text.record.is_some_and(|number| request.records.contains(&number))
    };
    Ok(texts.iter().filter(is_chosen).collect())
}

/// Where what was erased may be still, beside the ledger.
fn left(project: &Project, run: &str, others: &BTreeSet<String>, is_forgotten: bool) -> Vec<String> {
    let mut left = Vec::new();
    for run in std::iter::once(run).chain(others.iter().map(String::as_str)) {
        left.extend(mirror::files(&project.root, run));
    }
    let from_root =
        |path: &Path| path.strip_prefix(&project.root).unwrap_or(path).to_string_lossy().into_owned();
    if !is_forgotten {
        left.extend(output::said_in(&project.root, run).map(|path| from_root(&path)));
    }
    left.extend(store::backups(&project.root).iter().map(|path| from_root(path)));
    left
}
