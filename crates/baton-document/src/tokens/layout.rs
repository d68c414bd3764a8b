//! The layout of `data/o200k.bin`: what its writer and its reader must agree on to the bit.
//!
//! The file is, all little-endian and without padding: the header ([`MAGIC`], [`VERSION`], then the
//! number of tokens, of slots, of bytes of records and of class blocks, each a `u32`); one byte per
//! block of code points, the number of its class block; the class blocks, one class byte per code
//! point; the slots, each a `u32`; the records, each its rank in three bytes, its length in one,
//! and the bytes of the token.
//!
//! Invariant: a change here changes [`VERSION`], and the file is made again. This file uses nothing
//! but the standard library, because the generator compiles it too: it must be able to make the
//! file when the crate that embeds it does not compile against the old one.

/// The first bytes of the file.
pub(crate) const MAGIC: [u8; 8] = *b"o200kbin";

/// The version of this layout.
pub(crate) const VERSION: u32 = 1;

/// The length of the header: the magic, the version and the four sizes.
pub(crate) const HEADER_LEN: usize = MAGIC.len() + 4 + 4 * 4;

/// Number of code points that share an entry of the block index.
pub(crate) const BLOCK_LEN: usize = 256;

/// Number of blocks of all code points up to `char::MAX`.
pub(crate) const BLOCK_COUNT: usize = 0x11_0000 / BLOCK_LEN;

/// The bytes of a record before those of its token.
pub(crate) const RECORD_HEAD_LEN: usize = 4;

/// The low bits of a slot, which hold the offset of a record; the others hold a fingerprint.
pub(crate) const OFFSET_BITS: u32 = 22;

/// The slot that holds no token.
pub(crate) const EMPTY: u32 = u32::MAX;

/// Class of a character for the splitter; a byte holds exactly one of these bits.
pub(crate) mod class {
    /// `\p{Lu}` and `\p{Lt}`.
    pub(crate) const UPPER: u8 = 1;
    /// `\p{Ll}`.
    pub(crate) const LOWER: u8 = 1 << 1;
    /// `\p{Lm}` and `\p{Lo}`.
    pub(crate) const CASELESS: u8 = 1 << 2;
    /// `\p{M}`.
    pub(crate) const MARK: u8 = 1 << 3;
    /// `\p{N}`.
    pub(crate) const NUMBER: u8 = 1 << 4;
    /// `\s` without the two newlines.
    pub(crate) const SPACE: u8 = 1 << 5;
    /// `\r` and `\n`.
    pub(crate) const NEWLINE: u8 = 1 << 6;
    /// Everything else.
    pub(crate) const SYMBOL: u8 = 1 << 7;
}

/// Place where the search for a token begins, and what its slot carries beside the offset.
#[derive(Clone, Copy)]
pub(crate) struct Probe {
    /// The first slot to look at; the next ones follow it and wrap around.
    pub(crate) home: usize,
    /// The bits of a slot above [`OFFSET_BITS`], so that a foreign token is rarely compared.
    pub(crate) fingerprint: u32,
}

/// Tells where in a table of `slot_count` slots the search for `bytes` begins.
#[inline]
pub(crate) fn probe(bytes: &[u8], slot_count: u32) -> Probe {
    let hash = hash(bytes);
    // Scales the high half to the number of slots, which spares a division and lets the table have
    // any size; the fingerprint comes from the low half, so that the two are independent.
    let home = ((hash >> 32) * u64::from(slot_count)) >> 32;
    Probe { home: (home & 0xffff_ffff) as usize, fingerprint: (hash & 0xffff_ffff) as u32 >> OFFSET_BITS }
}

/// Hashes the bytes of a token the same way on every machine and in every release, which the
/// hashers of the standard library do not promise.
#[inline]
fn hash(bytes: &[u8]) -> u64 {
    let mut state = bytes.len() as u64;
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let (chunks, _) = bytes[..bytes.len() - 1].as_chunks::<8>();
        for chunk in chunks.iter().skip(1) {
            state = fold(state ^ u64::from_le_bytes(*chunk));
        }
        // The last eight bytes may overlap the chunks before: that costs nothing and spares a loop
        // over the rest.
        state = fold(state ^ u64::from_le_bytes(*first));
        fold(state ^ u64::from_le_bytes(*last))
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let [first, last] = [first, last].map(|half| u64::from(u32::from_le_bytes(*half)));
        fold(fold(state ^ (first | last << 32)))
    } else if let (Some(first), Some(last)) = (bytes.first(), bytes.last()) {
        let middle = bytes[bytes.len() / 2];
        let [first, middle, last] = [*first, middle, *last].map(u64::from);
        fold(fold(state ^ (first << 8 | middle << 16 | last << 24)))
    } else {
        state
    }
}

/// Multiplies by an odd constant without pattern and lays the two halves of the product over each other.
#[inline]
fn fold(value: u64) -> u64 {
    let product = u128::from(value ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
    (product & 0xffff_ffff_ffff_ffff) as u64 ^ (product >> 64) as u64
}
