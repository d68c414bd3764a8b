//! Trigger words of each pattern, so that a word is tried with few patterns.
//!
//! What the lists say of a word is one of a few thousand sets; the patterns of each are found when the crate is compiled.

use super::super::forms::{Forms, MARKS, Marks};
use super::super::lexicon::{self, Concept, Concepts, Language};
use super::super::reading::Reading;
use super::super::text::Gap;
use super::PATTERNS;
use super::clause::JOINTS;

/// Conditions of which one must hold at the first word of a pattern.
pub(super) struct Trigger {
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

/// A pattern that looks for a word or phrase under one of some concepts itself, before anything else.
pub(super) const fn here(concepts: &[Concept]) -> Trigger {
    Trigger {
        here: Concepts::of(concepts),
        may: Concepts::of(&[]),
        marks: [0; MARKS / 64],
        is_joined: false,
        is_opening: false,
    }
}

/// A pattern that looks for some words itself, before anything else: words under one of some concepts, or that may start a
/// phrase under one.
pub(super) const fn word<const N: usize>(concepts: &[Concept], texts: &Forms<N>) -> Trigger {
    Trigger { may: Concepts::of(concepts), marks: texts.marks(), ..here(&[]) }
}

/// A pattern that looks for a hyphen behind its first word itself, before anything else.
pub(super) const fn hyphen() -> Trigger {
    Trigger { is_joined: true, ..here(&[]) }
}

impl Trigger {
    /// The same, or a word or phrase under one of some concepts.
    pub(super) const fn or_here(self, concepts: &[Concept]) -> Self {
        Self { here: Concepts::of(concepts), ..self }
    }

    /// The same, where a clause starts.
    pub(super) const fn opening(self) -> Self {
        Self { is_opening: true, ..self }
    }
}

/// The patterns of a word, a bit for each.
#[derive(Clone, Copy)]
struct PatternSet {
    /// Those of what the word is listed under, and those that start with any word.
    here: u64,
    /// Those of the phrases that may start with it.
    starts: u64,
    /// Those of both, if the word has one of their marks.
    may: u64,
}

impl PatternSet {
    const NONE: Self = Self { here: 0, starts: 0, may: 0 };
}

/// The patterns that start before a hyphen, and those that start where a clause does.
const JOINED: u64 = those(false);
const OPENING: u64 = those(true);

const fn those(is_opening: bool) -> u64 {
    let mut patterns = 0;
    let mut pattern = 0;
    while pattern < PATTERNS.len() {
        let first = &PATTERNS[pattern].0;
        patterns |= (if is_opening { first.is_opening } else { first.is_joined } as u64) << pattern;
        pattern += 1;
    }
    patterns
}

/// Concepts of the first words of all patterns.
const FIRST: Concepts = {
    assert!(PATTERNS.len() <= 64, "there are more patterns than bits");
    let mut first = Concepts::of(&[Concept::Function]);
    let mut at = 0;
    while at < PATTERNS.len() {
        first = first.with(PATTERNS[at].0.here).with(PATTERNS[at].0.may);
        at += 1;
    }
    first
};

impl PatternSet {
    /// Those of what the lists say of a word.
    const fn of(concepts: Concepts, starts: Concepts) -> Self {
        let all = concepts.with(starts);
        let mut patterns = Self::NONE;
        if !all.has_any(FIRST) {
            return patterns;
        }
        patterns.here = JOINED;
        let mut pattern = 0;
        while pattern < PATTERNS.len() {
            let first = &PATTERNS[pattern].0;
            patterns.here |= (concepts.has_any(first.here) as u64) << pattern;
            patterns.starts |= (starts.has_any(first.here) as u64) << pattern;
            patterns.may |= (all.has_any(first.may) as u64) << pattern;
            pattern += 1;
        }
        patterns
    }
}

/// The patterns of each set.
static PATTERNS_OF_SETS: [PatternSet; lexicon::get().sets()] = {
    let mut patterns = [PatternSet::NONE; lexicon::get().sets()];
    let mut set = 0;
    while set < lexicon::get().sets() {
        let [concepts, starts] = lexicon::get().set(set);
        patterns[set] = PatternSet::of(concepts, starts);
        set += 1;
    }
    patterns
};

/// The patterns that look for a word with each mark.
static PATTERNS_OF_MARKS: [u64; MARKS] = {
    let mut patterns = [0; MARKS];
    let mut mark = 0;
    while mark < MARKS {
        let mut pattern = 0;
        while pattern < PATTERNS.len() {
            patterns[mark] |= (PATTERNS[pattern].0.marks[mark / 64] >> (mark % 64) & 1) << pattern;
            pattern += 1;
        }
        mark += 1;
    }
    patterns
};

/// The first place from one on at which patterns can start, and these, a bit for each.
#[inline]
pub(super) fn next(reading: &Reading<'_>, from: usize) -> Option<(usize, u64)> {
    for at in from..reading.words.len() {
        let patterns = patterns(reading, at);
        if patterns != 0 {
            return Some((at, patterns));
        }
    }
    None
}

/// The patterns that can start at a word, a bit for each.
#[inline(always)]
fn patterns(reading: &Reading<'_>, at: usize) -> u64 {
    let word = &reading.words[at];
    let of_word = &PATTERNS_OF_SETS[word.found.set.number()];
    if of_word.here == 0 {
        return 0;
    }
    let mut patterns = of_word.here & !JOINED | of_word.may & PATTERNS_OF_MARKS[word.tag.mark()];
    if of_word.starts & !patterns != 0 {
        reading.phrases(at, &mut |set| patterns |= PATTERNS_OF_SETS[set.number()].here & !JOINED);
    }
    if patterns & OPENING != 0 && word.gap == Gap::None {
        let is_joint = at.checked_sub(1).is_some_and(|before| JOINTS.have(&reading.words[before].tag));
        patterns &= if is_joint { u64::MAX } else { !OPENING };
    }
    if reading.language == Language::French && reading.text.as_bytes().get(word.end()) == Some(&b'-') {
        patterns |= JOINED;
    }
    patterns
}
