//! The layout of `data/words.bin`: what its writer and its reader must agree on to the bit.
//!
//! The file is, all little-endian and without padding: the header ([`MAGIC`], then the counts of [`COUNTS`], each a
//! `u32`); the pilots, each a `u16`; the records, one for each word or stem that a list has, at the place that
//! [`place`] tells; the sets, each two sets of concepts; the nodes and the edges of the phrases.
//!
//! - A record is the letters of its word, the fields of [`field`] in each language, each a `u16`, and a byte for each
//!   language with how much the word speaks for it. A record is named by its key, which is its place and one.
//! - A set is the concepts of a word, and those that have a phrase which may start with it.
//! - A phrase is a way through nodes, from a root that the record of its first word names. A node is the set of the
//!   phrases that end there, a `u16`; none ends at a root. An edge is a `u64` with the node it starts from, the code of
//!   the word that goes on from there, and the node it leads to ([`edge`]); it stands at [`slot`] or in one of the slots
//!   behind that, before the first empty one.
//!
//! Set 0 and node 0 are empty.
//!
//! Invariant: a change here changes [`MAGIC`], and the file is made again. This file uses nothing but the standard
//! library, because the generator compiles it too.

/// The first bytes of the file.
pub(crate) const MAGIC: [u8; 8] = *b"words  3";

/// The counts of the header: pilots, records, sets, nodes, slots for edges, and codes of words by which a phrase goes on
/// that fits any work; these are the lowest codes.
pub(crate) const COUNTS: usize = 6;

/// Room for every word of the lists; a longer one is a word that no list has.
pub(crate) const WORD_BYTES_MAX: usize = 24;

/// Fewer letters behind `re` make another word, as in `react`.
pub(crate) const REPEATED_BYTES_MIN: usize = 5;

/// A word in small letters without accents, behind it zeros.
pub(crate) type Letters = [u64; WORD_BYTES_MAX / 8];

/// The fields of a record, by their position.
pub(crate) mod field {
    /// All that the lists say of the word, whatever it is a form of: a set, a root and a code.
    pub(crate) const KNOWN: usize = 0;
    /// Listing of other words with this stem: a set, a root and a code.
    pub(crate) const STEMMED: usize = 3;
    /// Listing of the form alone: a set.
    pub(crate) const FORM: usize = 6;
    /// Number of fields.
    pub(crate) const COUNT: usize = 7;

    /// Behind a set: the node of phrases that start with such a word; 0 if none does.
    pub(crate) const TO_ROOT: usize = 1;
    /// Behind a set: the number by which phrases go on with such a word; 0 if none does.
    pub(crate) const TO_CODE: usize = 2;
}

/// The most records that there may be, so that each has a key.
pub(crate) const RECORDS_MAX: usize = u16::MAX as usize;

/// Offset of a field of a language in a record.
pub(crate) const fn field_at(field: usize, language: usize) -> usize {
    WORD_BYTES_MAX + 2 * (field::COUNT * language + field)
}

/// Offset of the two weights in a record.
pub(crate) const WEIGHTS_AT: usize = field_at(0, 2);

/// The bytes of a record, a set, a node and an edge.
pub(crate) const RECORD_LEN: usize = WEIGHTS_AT + 2;
pub(crate) const SET_LEN: usize = 32;
pub(crate) const NODE_LEN: usize = 2;
pub(crate) const EDGE_LEN: usize = 8;

/// The letters of a record that has no word: no word is written so.
pub(crate) const NO_WORD: u64 = u64::MAX;

/// A word as a record has it; none if it is too long.
pub(crate) fn letters(word: &[u8]) -> Option<Letters> {
    let mut bytes = [0; WORD_BYTES_MAX];
    bytes.get_mut(..word.len())?.copy_from_slice(word);
    let (words, _) = bytes.as_chunks();
    Some([u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1]), u64::from_le_bytes(words[2])])
}

/// Mixes the letters of a word, the same way on every machine. Most words have no more than eight, and for them this is
/// one multiplication.
#[inline]
pub(crate) const fn hash(letters: &Letters) -> u64 {
    let first = letters[0].wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let second = letters[1].wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(21);
    let third = letters[2].wrapping_mul(0xa076_1d64_78bd_642f).rotate_left(43);
    let all = first ^ second ^ third;
    all ^ (all >> 32)
}

/// The pilot that decides where words with a hash have their records.
#[inline]
pub(crate) const fn pilot_of(hash: u64, pilots: usize) -> usize {
    scaled(hash >> 32, pilots)
}

/// Place of the record of a word with a hash, if it has one: pilots were chosen so that no two words share a place.
#[inline]
pub(crate) const fn place(hash: u64, pilot: u16, records: usize) -> usize {
    let turned = hash ^ (pilot as u64).wrapping_mul(0x9e37_79b9);
    scaled(turned & 0xffff_ffff, records)
}

/// Scales 32 bits to a number below a count, which spares a division and lets a table have any size.
#[inline]
const fn scaled(bits: u64, count: usize) -> usize {
    (((bits * count as u64) >> 32) & 0xffff_ffff) as usize
}

/// The edge from a node with a word, without the node it leads to.
#[inline]
pub(crate) const fn edge(node: u16, code: u16) -> u64 {
    (node as u64) << 16 | code as u64
}

/// Shift of the target node in an edge.
pub(crate) const EDGE_NODE_SHIFT: u32 = 32;

/// First slot in which an edge may be, among all slots but those at the end, which take overflow only.
#[inline]
pub(crate) const fn slot(edge: u64, slots: usize) -> usize {
    scaled(edge.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32, slots - OVERFLOW_SLOTS)
}

/// Number of slots at the end that take overflow only; the last of them is empty.
pub(crate) const OVERFLOW_SLOTS: usize = 64;
