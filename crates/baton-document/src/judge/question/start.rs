//! Where each way to leave something open can start, and so which ones are tried at a word.
//!
//! What the lists say of a word is one of a few thousand sets; the ways of each are found when the crate is compiled.

use std::ops::Range;

use super::super::lexicon::{self, Concept, Concepts, Language};
use super::super::text::{Known, Reading};
use super::super::texts::{MARKS, Texts};
use super::WAYS;

/// What a way starts with: either of these.
pub(super) struct First {
    /// A word or phrase under one of these.
    here: Concepts,
    /// A word that is under one of these or that such a phrase may start with,
    may: Concepts,
    /// and that has one of these marks.
    marks: u64,
    /// Any word that may be the first of anything and stands before a hyphen.
    is_joined: bool,
}

/// A way that looks for a word or phrase under one of some concepts itself, before anything else.
pub(super) const fn here(concepts: &[Concept]) -> First {
    First { here: Concepts::of(concepts), may: Concepts::of(&[]), marks: 0, is_joined: false }
}

/// A way that starts with any word that is under one of some concepts, or that such a phrase may start with.
pub(super) const fn may(concepts: &[Concept]) -> First {
    First { here: Concepts::of(&[]), may: Concepts::of(concepts), marks: u64::MAX, is_joined: false }
}

/// As [`may`], for a way that looks for some words itself, before anything else.
pub(super) const fn word<const N: usize>(concepts: &[Concept], texts: &Texts<N>) -> First {
    First { here: Concepts::of(&[]), may: Concepts::of(concepts), marks: texts.marks(), is_joined: false }
}

/// A way that looks for a hyphen behind its first word itself, before anything else.
pub(super) const fn hyphen() -> First {
    First { is_joined: true, ..here(&[]) }
}

impl First {
    /// The same, or a word or phrase under one of some concepts.
    pub(super) const fn or_here(self, concepts: &[Concept]) -> Self {
        Self { here: Concepts::of(concepts), ..self }
    }
}

/// The ways of a word, a bit for each.
#[derive(Clone, Copy)]
struct Ways {
    /// Those of what the word is listed under, and those that start with any word.
    here: u64,
    /// Those of the phrases that may start with it.
    starts: u64,
    /// Those of both, if the word has one of their marks.
    may: u64,
}

impl Ways {
    const NONE: Self = Self { here: 0, starts: 0, may: 0 };
}

/// The ways that start before a hyphen.
const JOINED: u64 = {
    let mut ways = 0;
    let mut way = 0;
    while way < WAYS.len() {
        ways |= (WAYS[way].0.is_joined as u64) << way;
        way += 1;
    }
    ways
};

/// What that first word may be.
const FIRST: Concepts = {
    assert!(WAYS.len() <= 64, "there are more ways than bits");
    let mut first = Concepts::of(&[Concept::Function]);
    let mut at = 0;
    while at < WAYS.len() {
        first = first.with(WAYS[at].0.here).with(WAYS[at].0.may);
        at += 1;
    }
    first
};

impl Ways {
    /// Those of what the lists say of a word.
    const fn of(concepts: Concepts, starts: Concepts) -> Self {
        let all = concepts.with(starts);
        let mut ways = Self::NONE;
        if !all.has_any(FIRST) {
            return ways;
        }
        ways.here = JOINED;
        let mut way = 0;
        while way < WAYS.len() {
            let first = &WAYS[way].0;
            ways.here |= (concepts.has_any(first.here) as u64) << way;
            ways.starts |= (starts.has_any(first.here) as u64) << way;
            ways.may |= (all.has_any(first.may) as u64) << way;
            way += 1;
        }
        ways
    }
}

/// The ways of each set.
static OF_SETS: [Ways; lexicon::get().sets()] = {
    let mut ways = [Ways::NONE; lexicon::get().sets()];
    let mut set = 0;
    while set < lexicon::get().sets() {
        let [concepts, starts] = lexicon::get().set(set);
        ways[set] = Ways::of(concepts, starts);
        set += 1;
    }
    ways
};

/// The ways that look for a word with each mark.
static OF_MARKS: [u64; MARKS] = {
    let mut ways = [0; MARKS];
    let mut mark = 0;
    while mark < MARKS {
        let mut way = 0;
        while way < WAYS.len() {
            ways[mark] |= (WAYS[way].0.marks >> mark & 1) << way;
            way += 1;
        }
        mark += 1;
    }
    ways
};

/// The first place of some at which ways can start, and these, a bit for each.
pub(super) fn next(reading: &Reading<'_>, places: Range<usize>) -> Option<(usize, u64)> {
    let words = reading.words.get(places.clone()).unwrap_or_default();
    for (behind, word) in words.iter().enumerate() {
        let at = places.start + behind;
        let ways = ways(reading, at, word);
        if ways != 0 {
            return Some((at, ways));
        }
    }
    None
}

/// The ways that can start at a word, a bit for each.
#[inline(always)]
fn ways(reading: &Reading<'_>, at: usize, word: &Known<'_>) -> u64 {
    let of_word = &OF_SETS[word.found.set.number()];
    if of_word.here == 0 {
        return 0;
    }
    let mut ways = of_word.here & !JOINED | of_word.may & OF_MARKS[word.tag.mark()];
    if of_word.starts & !ways != 0 {
        reading.phrases(at, &mut |set| ways |= OF_SETS[set.number()].here & !JOINED);
    }
    if reading.language == Language::French && reading.text.as_bytes().get(word.end()) == Some(&b'-') {
        ways |= JOINED;
    }
    ways
}
