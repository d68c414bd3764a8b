//! The lists of words, one file per concept and language, and the look-up of a word in all of them at once.
//!
//! A list opens with the reason for it behind `#`; then words and phrases follow, between commas or on lines
//! of their own, in small letters without accents. A word stands for all its forms; one behind `=` stands for
//! this form alone: what is no form of another word, or a form that means something else than the others.
//!
//! `data/words.bin` is made from the lists by `cargo xtask gen words` and looked up where it lies in the binary.
//!
//! Cannot: be loaded, fail or hold state. The header is checked when the crate is compiled.

#[expect(dead_code, reason = "what only the generator asks")]
mod concept;
#[expect(dead_code, reason = "what only the generator asks")]
mod layout;
mod stem;

pub(super) use concept::{Concept, Concepts, GENERAL, Language};
pub(super) use layout::{Letters, WORD_BYTES_MAX};

use std::num::NonZeroU16;

use layout::{COUNTS, EDGE_LEN, MAGIC, NODE_LEN, RECORD_LEN, RECORDS_MAX, SET_LEN, WEIGHTS_AT, field};

/// A word or stem that the lists know: the place of its record, and one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key(NonZeroU16);

impl Key {
    #[inline]
    fn of(key: u16) -> Option<Self> {
        NonZeroU16::new(key).map(Self)
    }
}

/// Record of a word whose form the lists have.
#[derive(Clone, Copy)]
pub(super) struct Record(&'static [u8; RECORD_LEN]);

impl Record {
    #[inline]
    fn field(self, field: usize, language: Language) -> u16 {
        u16_at(self.0, layout::field_at(field, language.index()))
    }

    #[inline]
    fn found(self, field: usize, language: Language) -> Found {
        let of = |field| self.field(field, language);
        Found { set: Set(of(field)), root: of(field + field::TO_ROOT), code: of(field + field::TO_CODE) }
    }

    /// Listing of the word in a language.
    #[inline]
    pub(super) fn known(self, language: Language) -> Found {
        self.found(field::KNOWN, language)
    }

    /// Concepts of the form alone in a language.
    #[inline]
    pub(super) fn of_form(self, language: Language) -> Concepts {
        Set(self.field(field::FORM, language)).concepts()
    }

    /// Weight for each language.
    #[inline]
    pub(super) fn weights(self) -> [u8; 2] {
        [self.0[WEIGHTS_AT], self.0[WEIGHTS_AT + 1]]
    }
}

/// A word in small letters without accents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folded {
    letters: Letters,
    length: usize,
}

impl Folded {
    /// A word of which the letters are known, the rest being zeros.
    #[inline]
    pub(super) fn new(letters: Letters, length: usize) -> Self {
        Self { letters, length }
    }

    /// A word, or the empty one if it is too long for the lists.
    pub(super) fn of(word: &[u8]) -> Self {
        layout::letters(word).map_or(Self::new([0; 3], 0), |letters| Self::new(letters, word.len()))
    }

    /// Its letters, eight and eight.
    #[inline]
    pub(super) fn letters(&self) -> &Letters {
        &self.letters
    }

    /// Its letters, and zeros behind them.
    #[inline]
    pub(super) fn bytes(&self) -> [u8; WORD_BYTES_MAX] {
        let mut bytes = [0; WORD_BYTES_MAX];
        for (room, letters) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(self.letters) {
            *room = letters.to_le_bytes();
        }
        bytes
    }

    /// Checks whether it ends with one of some pairs of letters.
    #[inline]
    pub(super) fn ends_with<const N: usize>(&self, ends: [&[u8; 2]; N]) -> bool {
        self.length >= 2 && ends.iter().any(|end| self.bytes()[self.length - 2..self.length] == **end)
    }

    /// Its first letters.
    #[inline]
    fn start(&self, length: usize) -> Self {
        let mut letters = self.letters;
        for (at, eight) in letters.iter_mut().enumerate() {
            *eight &= low_bytes(length.saturating_sub(8 * at));
        }
        Self { letters, length }
    }
}

/// The letters of a word, behind it zeros.
#[inline]
pub(super) fn letters(bytes: &[u8; WORD_BYTES_MAX]) -> Letters {
    let (eights, _) = bytes.as_chunks();
    [u64::from_le_bytes(eights[0]), u64::from_le_bytes(eights[1]), u64::from_le_bytes(eights[2])]
}

/// The mask of the first bytes of eight.
#[inline]
fn low_bytes(count: usize) -> u64 {
    if count >= 8 { u64::MAX } else { (1 << (8 * count)) - 1 }
}

/// The number of a set of concepts that the lists say of a word, and of those that have a phrase which may start with it.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Set(u16);

impl Set {
    /// Its number, below [`Lexicon::sets`].
    #[inline]
    pub(super) fn number(self) -> usize {
        usize::from(self.0)
    }

    /// The concepts of the word.
    #[inline]
    pub(super) fn concepts(self) -> Concepts {
        LEXICON.set(self.number())[0]
    }
}

/// Listing of a word in one language.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// The set of it.
    pub(super) set: Set,
    /// The node of phrases that start with it.
    root: u16,
    /// The number by which phrases go on with it.
    code: u16,
}

impl Found {
    /// The concepts it is listed under.
    #[inline]
    pub(super) fn concepts(&self) -> Concepts {
        self.set.concepts()
    }

    /// Checks whether it is listed under one of some concepts, or one of them has a phrase which may start with it.
    #[inline]
    pub(super) fn may_be(&self, concepts: Concepts) -> bool {
        let [own, starts] = LEXICON.set(self.set.number());
        own.with(starts).has_any(concepts)
    }

    /// Checks whether a phrase under a general concept may go on with it.
    #[inline]
    pub(super) fn goes_on_generally(&self) -> bool {
        // Code 0 is none.
        self.code.wrapping_sub(1) < LEXICON.general_codes
    }

    /// The concepts that have a phrase which may start with it.
    #[inline]
    pub(super) fn starts(&self) -> Concepts {
        LEXICON.set(self.set.number())[1]
    }
}

/// A word of a text, as phrases are compared with it.
pub(super) trait Spoken: Copy {
    /// Listing of it in a language.
    fn found(self, language: Language) -> Found;
}

/// All lists.
pub(super) struct Lexicon {
    pilots: &'static [[u8; 2]],
    records: &'static [[u8; RECORD_LEN]],
    sets: &'static [[u8; SET_LEN]],
    nodes: &'static [[u8; NODE_LEN]],
    edges: &'static [[u8; EDGE_LEN]],
    /// Up to this code, a phrase under a general concept goes on with a word.
    general_codes: u16,
}

static LEXICON: Lexicon = Lexicon::open(include_bytes!("../../data/words.bin"));

/// The lists.
#[inline]
pub(super) const fn get() -> &'static Lexicon {
    &LEXICON
}

impl Lexicon {
    /// Cuts the file into its parts; a file of another layout does not compile.
    const fn open(file: &'static [u8]) -> Self {
        let (magic, rest) = file.split_at(MAGIC.len());
        let mut at = 0;
        while at < MAGIC.len() {
            assert!(magic[at] == MAGIC[at], "words of another layout: run `cargo xtask gen words`");
            at += 1;
        }
        let (counts, rest) = rest.split_at(4 * COUNTS);
        let (counts, _) = counts.as_chunks::<4>();
        assert!(u32::from_le_bytes(counts[1]) as usize <= RECORDS_MAX, "more words than keys");
        let (pilots, rest) = rest.split_at(u32::from_le_bytes(counts[0]) as usize * 2);
        let (records, rest) = rest.split_at(u32::from_le_bytes(counts[1]) as usize * RECORD_LEN);
        let (sets, rest) = rest.split_at(u32::from_le_bytes(counts[2]) as usize * SET_LEN);
        let (nodes, edges) = rest.split_at(u32::from_le_bytes(counts[3]) as usize * NODE_LEN);
        assert!(edges.len() == u32::from_le_bytes(counts[4]) as usize * EDGE_LEN, "the words are cut");
        Self {
            pilots: pilots.as_chunks().0,
            records: records.as_chunks().0,
            sets: sets.as_chunks().0,
            nodes: nodes.as_chunks().0,
            edges: edges.as_chunks().0,
            // There are no more codes than this has room for.
            general_codes: u16::from_le_bytes([counts[5][0], counts[5][1]]),
        }
    }

    /// The key of a word.
    #[inline]
    pub(super) fn key_of(&self, word: &Folded) -> Option<Key> {
        self.key_of_letters(&word.letters)
    }

    /// The key of a word of which the letters are known, the rest being zeros.
    #[inline(always)]
    pub(super) fn key_of_letters(&self, letters: &Letters) -> Option<Key> {
        self.meet(letters).map(|(key, _)| key)
    }

    /// The key and the record of a word of which the letters are known, the rest being zeros.
    #[inline(always)]
    pub(super) fn meet(&self, letters: &Letters) -> Option<(Key, Record)> {
        let hash = layout::hash(letters);
        let pilot = u16::from_le_bytes(self.pilots[layout::pilot_of(hash, self.pilots.len())]);
        let place = layout::place(hash, pilot, self.records.len());
        let record = &self.records[place];
        let eights = record.as_chunks::<8>().0;
        let is = |at: usize| u64::from_le_bytes(eights[at]) == letters[at];
        // Behind its last letter a word has zeros.
        let is_same = is(0) && is(1) && (letters[1] == 0 || is(2));
        if !is_same {
            return None;
        }
        let key = Key::of(u16::try_from(place + 1).unwrap_or_default())?;
        Some((key, Record(record)))
    }

    #[inline]
    fn record(&self, key: Key) -> Record {
        Record(&self.records[usize::from(key.0.get()) - 1])
    }

    /// The two sets that are kept under a number.
    #[inline]
    pub(super) const fn set(&self, number: usize) -> [Concepts; 2] {
        let (sets, _) = self.sets[number].as_chunks::<16>();
        [Concepts::from_bits(u128::from_le_bytes(sets[0])), Concepts::from_bits(u128::from_le_bytes(sets[1]))]
    }

    /// Number of sets.
    pub(super) const fn sets(&self) -> usize {
        self.sets.len()
    }

    /// Weight of a word for each language.
    #[inline]
    pub(super) fn weights(&self, key: Key) -> [u8; 2] {
        self.record(key).weights()
    }

    /// Concepts of the form of a word alone in a language, which is enough for most words of a text.
    #[inline]
    pub(super) fn of_form(&self, key: Option<Key>, language: Language) -> Concepts {
        key.map(|key| self.record(key).of_form(language)).unwrap_or_default()
    }

    /// Listing of a word whose form the lists have.
    #[inline]
    pub(super) fn known(&self, key: Key, language: Language) -> Found {
        self.record(key).known(language)
    }

    /// Listing of a word in a language by its stem, where the lists lack its form.
    #[inline(always)]
    pub(super) fn other(&self, word: &Folded, language: Language) -> Found {
        let found = self.stemmed(word, language);
        if found.set == Set::default() && word.bytes().starts_with(b"re") {
            return self.again(word, found, language);
        }
        found
    }

    /// Listing of a word that starts with `re`: `recheck` is to check again.
    #[inline(never)]
    fn again(&self, word: &Folded, found: Found, language: Language) -> Found {
        let bytes = word.bytes();
        match bytes[..word.length].strip_prefix(b"re") {
            Some(again) if again.len() >= layout::REPEATED_BYTES_MIN => {
                let again = Folded::of(again);
                let set = match self.key_of(&again) {
                    Some(key) => self.known(key, language).set,
                    None => self.stemmed(&again, language).set,
                };
                // A phrase may only have it as it is.
                Found { set, ..found }
            }
            _ => found,
        }
    }

    /// Listing of the stem of a word in a language.
    #[inline(always)]
    fn stemmed(&self, word: &Folded, language: Language) -> Found {
        let bytes = word.bytes();
        let length = language.stem(&bytes[..word.length]).len();
        if length == word.length {
            return Found::default();
        }
        let stem = match word.length {
            // Most words are so short.
            ..=8 => self.meet(&[word.letters[0] & low_bytes(length), 0, 0]),
            _ => self.meet(&word.start(length).letters),
        };
        stem.map(|(_, stem)| stem.found(field::STEMMED, language)).unwrap_or_default()
    }

    /// Calls with the length and the set of every phrase that starts with a word and goes on with the others.
    #[inline(always)]
    pub(super) fn phrases<S: Spoken>(
        &self,
        first: S,
        rest: impl Iterator<Item = S>,
        language: Language,
        visit: &mut impl FnMut(usize, Set),
    ) {
        let mut node = first.found(language).root;
        if node == 0 {
            return;
        }
        for (before, word) in (1..).zip(rest) {
            let Some(next) = self.step(node, word.found(language).code) else { return };
            node = next;
            let set = Set(u16::from_le_bytes(self.nodes[usize::from(node)]));
            if set != Set::default() {
                visit(before + 1, set);
            }
        }
    }

    /// The node behind a word, if a phrase goes on with it from a node.
    #[inline(always)]
    fn step(&self, node: u16, code: u16) -> Option<u16> {
        if code == 0 {
            return None;
        }
        let edge = layout::edge(node, code);
        let mut at = layout::slot(edge, self.edges.len());
        loop {
            let slot = u64::from_le_bytes(*self.edges.get(at)?);
            if slot & ((1 << layout::EDGE_NODE_SHIFT) - 1) == edge {
                return u16::try_from(slot >> layout::EDGE_NODE_SHIFT).ok();
            }
            if slot == 0 {
                return None;
            }
            at += 1;
        }
    }

    /// Length in words of the longest phrase under one of some concepts that starts with a word.
    pub(super) fn longest<S: Spoken>(
        &self,
        first: S,
        rest: impl Iterator<Item = S>,
        concepts: Concepts,
        language: Language,
    ) -> Option<usize> {
        let mut longest = None;
        self.phrases(first, rest, language, &mut |length, set| {
            if set.concepts().has_any(concepts) {
                longest = longest.max(Some(length));
            }
        });
        longest
    }
}

#[inline]
fn u16_at<const N: usize>(bytes: &[u8; N], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A word of a phrase, as it stands in its list.
    #[derive(Clone, Copy)]
    struct Listed<'t>(&'t str);

    fn found(word: &str, language: Language) -> Found {
        let folded = Folded::of(word.as_bytes());
        match get().key_of(&folded) {
            Some(key) => get().known(key, language),
            None => get().other(&folded, language),
        }
    }

    impl Spoken for Listed<'_> {
        fn found(self, language: Language) -> Found {
            found(self.0, language)
        }
    }

    #[test]
    fn every_entry_of_every_list_is_found_under_its_concept() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/words");
        for (concept, name) in concept::LISTS {
            for language in Language::ALL {
                let path = folder.join(language.folder()).join(format!("{name}.txt"));
                let text = std::fs::read_to_string(&path).expect("each concept has a list in each language");
                let lines = text.lines().filter(|line| !line.starts_with('#'));
                let entries = lines.flat_map(|line| line.split(',')).map(str::trim);
                for entry in entries.filter(|entry| !entry.is_empty()) {
                    let mut words = entry.split(' ').map(|word| Listed(word.trim_start_matches('=')));
                    let first = words.next().expect("an entry has a word");
                    let length = words.clone().count() + 1;
                    let is_found = match length {
                        1 => found(first.0, language).concepts().has(*concept),
                        _ => get().longest(first, words, Concepts::of(&[*concept]), language) >= Some(length),
                    };
                    assert!(
                        is_found,
                        "{name}: {entry:?}; `cargo xtask gen words` makes data/words.bin again"
                    );
                }
            }
        }
    }

    #[test]
    fn a_word_stands_for_its_forms_and_a_marked_one_for_itself() {
        let has = |word, concept| found(word, Language::English).concepts().has(concept);
        assert!(has("change", Concept::General) && has("changed", Concept::General));
        assert!(has("changes", Concept::General) && has("rechanged", Concept::General), "again is to do it");
        assert!(has("read", Concept::Step) && !has("ready", Concept::Step) && !has("reads", Concept::Step));
        assert!(found("zyzzyva", Language::English).concepts().is_empty());
        assert!(!found("read", Language::French).concepts().has(Concept::Step));
        assert!(get().key_of(&Folded::of(b"")).is_none());
        assert!(get().key_of(&Folded::of(&[b'a'; WORD_BYTES_MAX + 1])).is_none());
    }
}
