//! All the ways in which a text is looked through for secrets, and what was seen, at its place in the source: as it
//! stands, with what splits it taken out, and in what stands there in base 64.
//!
//! Invariant: what was seen does not overlap, and comes in order.

use std::ops::Range;

use super::coded;
use super::formats::{FORMATS, Hit, secrets_in};
use crate::scan::{Effort, Joined, Split, TextScan};

/// Secrets seen in a text.
#[derive(Debug, Default)]
pub(super) struct Sights {
    pub(super) all: Vec<Sight>,
    /// Place in the source where looking stopped before the end.
    pub(super) stopped: Option<usize>,
    /// True if a word stands there that makes a secret of a value, so that a tree is worth a look.
    pub(super) has_names: bool,
}

/// A secret that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sight {
    /// Its place in the source.
    pub(super) range: Range<usize>,
    /// The form, by its row.
    pub(super) format: usize,
    /// Its kind.
    pub(super) meant: String,
}

/// Looks through a text; base 64 in base 64 is looked through so many times.
pub(super) fn sights(look: &TextScan<'_>, depth: usize, effort: &mut Effort) -> Sights {
    let hits = secrets_in(look, effort);
    let view = &look.view;
    let mut stopped = hits.stopped.map(|at| view.source(&(at..at)).start);
    let seen = |hit: &Hit| Sight {
        range: view.source(&hit.range),
        format: hit.format,
        meant: view.text[hit.range.clone()].to_owned(),
    };
    let mut all: Vec<Sight> = hits.all.iter().map(seen).collect();
    let mut has_names = hits.has_names;
    if let Some(joined) = look.joined.as_deref().filter(|_| stopped.is_none()) {
        let more = FORMATS.find(&joined.text, &joined.edges, &joined.regions, effort);
        let source = |range: &Range<usize>| view.source(&joined.source(range));
        let mut split = Vec::new();
        for hit in more.all.iter().filter(|hit| may_be_split(joined, hit)) {
            let meant = joined.text[hit.range.clone()].to_owned();
            let sight = Sight { range: source(&hit.range), format: hit.format, meant };
            split.extend(not_whole(&mut all, sight, joined, hit));
        }
        if !split.is_empty() {
            all.extend(split);
            all.sort_by_key(|one| one.range.start);
        }
        stopped = more.stopped.map(|at| source(&(at..at)).start);
        has_names |= more.has_names;
    }
    if depth > 0 && stopped.is_none() {
        let (mut coded, coded_to) =
            coded::sights_of(&view.text, look.suspects(), &|range| view.source(range), &all, depth, effort);
        if let Some(joined) = look.joined.as_deref() {
            let source = |range: &Range<usize>| view.source(&joined.source(range));
            // The whole of a block that is wrapped goes before its lines.
            let (more, more_to) =
                coded::sights_of(&joined.text, &joined.regions, &source, &all, depth, effort);
            coded.retain(|one| !overlaps(one, &more));
            coded.extend(more);
            coded.sort_by_key(|one| one.range.start);
            stopped = more_to;
        }
        // All of what is decoded goes before a part of it.
        all.retain(|one| !overlaps(one, &coded));
        all.extend(coded);
        stopped = stopped.into_iter().chain(coded_to).min();
        all.sort_by_key(|one| one.range.start);
    }
    Sights { all, stopped, has_names }
}

/// Tells whether one of some others, in order, stands where this one does.
fn overlaps(one: &Sight, others: &[Sight]) -> bool {
    let next = others.partition_point(|other| other.range.end <= one.range.start);
    others.get(next).is_some_and(|other| other.range.start < one.range.end)
}

/// Tells whether a form may be split in the way in which it was: what a name gives away ends with its line.
fn may_be_split(joined: &Joined, hit: &Hit) -> bool {
    let format = &FORMATS.all[hit.format];
    let is_apart = |split| matches!(split, Split::Beside | Split::Wrapped);
    joined.is_cut_near(&hit.range) && (format.is_split() || !joined.splits(&hit.range).any(is_apart))
}

/// Puts a secret that is split in place of its part that is one by itself, if the rest belongs to it; gives it back where
/// nothing of it was seen.
fn not_whole(all: &mut [Sight], sight: Sight, joined: &Joined, hit: &Hit) -> Option<Sight> {
    let from = all.partition_point(|other| other.range.end <= sight.range.start);
    let to = from + all[from..].iter().take_while(|other| other.range.start < sight.range.end).count();
    let belongs = || {
        let has = |one: Split| joined.splits(&hit.range).any(|split| split == one);
        // What has lines of its own is found with them; only what cannot be seen splits those.
        if FORMATS.all[hit.format].is_long() { has(Split::Invisible) } else { !has(Split::Beside) }
    };
    let covers = |other: &Sight| {
        other.range.start >= sight.range.start
            && other.range.end <= sight.range.end
            && other.range != sight.range
    };
    match &all[from..to] {
        [] => return Some(sight),
        [other] if covers(other) && belongs() => all[from] = sight,
        _ => {}
    }
    None
}
