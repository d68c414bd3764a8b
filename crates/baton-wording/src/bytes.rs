//! Sixty-four bytes at once: a bit for each of them that is of some kind.
//!
//! Readers that go byte by byte spend most of their time on bytes that mean nothing to them. These bits say where
//! the next one that means something stands, at the cost of a few instructions for many bytes.

use wide::u8x16;

/// Number of bytes that are read together.
pub(crate) const WIDTH: usize = 64;

/// The bytes themselves, sixteen and sixteen.
pub(crate) type Block = [u8x16; 4];

/// A bit for each byte that a test takes, the first one lowest; the test takes sixteen at a time.
#[inline(always)]
pub(crate) fn bits(block: &Block, is: impl Fn(u8x16) -> u8x16) -> u64 {
    let bits = |(at, sixteen): (usize, &u8x16)| u64::from(is(*sixteen).to_bitmask()) << (at * 16);
    block.iter().enumerate().map(bits).fold(0, |all, some| all | some)
}

/// Checks whether there is a byte that a test takes.
#[inline(always)]
pub(crate) fn has(block: &Block, is: impl Fn(u8x16) -> u8x16) -> bool {
    block.iter().fold(u8x16::ZERO, |all, some| all | is(*some)).to_bitmask() != 0
}

/// The bytes that are one byte.
#[inline]
pub(crate) fn are(bytes: u8x16, byte: u8) -> u8x16 {
    bytes.simd_eq(u8x16::splat(byte))
}

/// The bytes that are at most a byte.
#[inline]
pub(crate) fn are_at_most(bytes: u8x16, most: u8) -> u8x16 {
    bytes.min(u8x16::splat(most)).simd_eq(bytes)
}

/// The bytes that are not ASCII.
#[inline]
pub(crate) fn are_not_ascii(bytes: u8x16) -> u8x16 {
    bytes.max(u8x16::splat(0x80)).simd_eq(bytes)
}

/// The bytes from a place on, with a byte of another kind behind the last of them.
#[inline(always)]
pub(crate) fn from(bytes: &[u8], at: usize, behind: u8) -> Block {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk() {
        Some(chunk) => block(chunk),
        None => last(rest, behind),
    }
}

/// Bytes as they are looked at.
#[inline(always)]
pub(crate) fn block(bytes: &[u8; WIDTH]) -> Block {
    let (sixteens, _) = bytes.as_chunks();
    std::array::from_fn(|at| sixteens.get(at).map_or(u8x16::ZERO, |sixteen| u8x16::new(*sixteen)))
}

/// The last bytes of a text, with a byte of another kind behind them.
#[cold]
pub(crate) fn last(rest: &[u8], behind: u8) -> Block {
    let mut last = [behind; WIDTH];
    last[..rest.len()].copy_from_slice(rest);
    block(&last)
}
