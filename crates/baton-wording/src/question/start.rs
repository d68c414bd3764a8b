//! Where each way to leave something open can start, and so which ones are tried at a word.
//!
//! What the lists say of a word is one of a few thousand sets; the ways of each are found when the crate is compiled.

use super::super::forms::{Forms, MARKS, Marks};
use super::super::lexicon::{self, Concept, Concepts, Language};
use super::super::text::{Gap, Reading};
use super::WAYS;
use super::clause::JOINTS;

/// What a way starts with: either of these.
pub(super) struct First {
    /// A word or phrase under one of these.
    here: Concepts,
    /// A word that is under one of these or that such a phrase may start with,
    may: Concepts,
    /// and that has one of these marks.
    marks: Marks,
    /// Any word that may be the first of anything and stands before a hyphen.
    is_joined: bool,
    /// Only where a clause starts.
    is_opening: bool,
}

/// A way that looks for a word or phrase under one of some concepts itself, before anything else.
pub(super) const fn here(concepts: &[Concept]) -> First {
    First {
        here: Concepts::of(concepts),
        may: Concepts::of(&[]),
        marks: [0; MARKS / 64],
        is_joined: false,
        is_opening: false,
    }
}

/// A way that looks for some words itself, before anything else: words under one of some concepts, or that may start a
/// phrase under one.
pub(super) const fn word<const N: usize>(concepts: &[Concept], texts: &Forms<N>) -> First {
    First { may: Concepts::of(concepts), marks: texts.marks(), ..here(&[]) }
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

    /// The same, where a clause starts.
    pub(super) const fn opening(self) -> Self {
        Self { is_opening: true, ..self }
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

/// The ways that start before a hyphen, and those that start where a clause does.
const JOINED: u64 = those(false);
const OPENING: u64 = those(true);

const fn those(is_opening: bool) -> u64 {
    let mut ways = 0;
    let mut way = 0;
    while way < WAYS.len() {
        let first = &WAYS[way].0;
        ways |= (if is_opening { first.is_opening } else { first.is_joined } as u64) << way;
        way += 1;
    }
    ways
}

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
            ways[mark] |= (WAYS[way].0.marks[mark / 64] >> (mark % 64) & 1) << way;
            way += 1;
        }
        mark += 1;
    }
    ways
};

/// The first place from one on at which ways can start, and these, a bit for each.
#[inline]
pub(super) fn next(reading: &Reading<'_>, from: usize) -> Option<(usize, u64)> {
    for at in from..reading.words.len() {
        let ways = ways(reading, at);
        if ways != 0 {
            return Some((at, ways));
        }
    }
    None
}

/// The ways that can start at a word, a bit for each.
#[inline(always)]
fn ways(reading: &Reading<'_>, at: usize) -> u64 {
    let word = &reading.words[at];
    let of_word = &OF_SETS[word.found.set.number()];
    if of_word.here == 0 {
        return 0;
    }
    let mut ways = of_word.here & !JOINED | of_word.may & OF_MARKS[word.tag.mark()];
    if of_word.starts & !ways != 0 {
        reading.phrases(at, &mut |set| ways |= OF_SETS[set.number()].here & !JOINED);
    }
    if ways & OPENING != 0 && word.gap == Gap::None {
        let is_joint = at.checked_sub(1).is_some_and(|before| JOINTS.have(&reading.words[before].tag));
        ways &= if is_joint { u64::MAX } else { !OPENING };
    }
    if reading.language == Language::French && reading.text.as_bytes().get(word.end()) == Some(&b'-') {
        ways |= JOINED;
    }
    ways
}
