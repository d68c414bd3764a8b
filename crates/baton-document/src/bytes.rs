//! Sixty-four bytes at once: a bit for each of them that is of some kind.
//!
//! Readers that go byte by byte spend most of their time on bytes that mean nothing to them. These bits say where
//! the next one that means something stands, at the cost of a few instructions for many bytes.

use wide::u8x16;

/// How many bytes are looked at together.
pub(crate) const WIDTH: usize = 64;

/// A bit for each byte that a test takes, the first one lowest; the test takes sixteen at a time.
#[inline]
pub(crate) fn bits(bytes: &[u8; WIDTH], is: impl Fn(u8x16) -> u8x16) -> u64 {
    let (sixteens, _) = bytes.as_chunks();
    let bits =
        |(at, sixteen): (usize, &[u8; 16])| u64::from(is(u8x16::new(*sixteen)).to_bitmask()) << (at * 16);
    sixteens.iter().enumerate().map(bits).fold(0, |all, some| all | some)
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
#[inline]
pub(crate) fn from(bytes: &[u8], at: usize, behind: u8) -> [u8; WIDTH] {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk() {
        Some(chunk) => *chunk,
        None => {
            let mut last = [behind; WIDTH];
            last[..rest.len()].copy_from_slice(rest);
            last
        }
    }
}
