//! Numbers and strings in few bytes, and the sums that say whether they are still the same.

use baton_kernel::Digest;
use sha2::{Digest as _, Sha256};

/// How many bytes a sum has.
pub(super) const SUM_BYTES: usize = 8;

/// Says whether bytes at a place are those that were put there.
pub(super) fn sum(place: u64, parts: &[&[u8]]) -> [u8; SUM_BYTES] {
    let mut hasher = Sha256::new_with_prefix(place.to_be_bytes());
    parts.iter().for_each(|part| hasher.update(part));
    let [a, b, c, d, e, f, g, h, ..]: [u8; 32] = hasher.finalize().into();
    [a, b, c, d, e, f, g, h]
}

/// Splits what was stored from its sum, if that is right.
pub(super) fn summed(place: u64, stored: &[u8]) -> Option<&[u8]> {
    let (bytes, claimed) = stored.split_at_checked(stored.len().checked_sub(SUM_BYTES)?)?;
    (sum(place, &[bytes]) == claimed).then_some(bytes)
}

/// Writes a number, seven bits to a byte.
pub(super) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Writes bytes behind their length.
pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Reads what was written; every answer is `None` where the bytes end or do not fit.
pub(super) struct Unpack<'a>(pub(super) &'a [u8]);

impl<'a> Unpack<'a> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = usize::try_from(self.number()?).ok()?;
        self.take(count)
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        str::from_utf8(self.bytes()?).ok()
    }

    pub(super) fn digest(&mut self) -> Option<Digest> {
        Some(Digest(self.take(32)?.try_into().ok()?))
    }

    /// Reads a list; its claimed length reserves nothing.
    pub(super) fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(one(self)?);
        }
        Some(list)
    }
}

/// Writes labels; [`labels`] reads them.
pub(super) fn put_texts(out: &mut Vec<u8>, texts: &[String]) {
    put_number(out, texts.len() as u64);
    texts.iter().for_each(|text| put_bytes(out, text.as_bytes()));
}

/// Reads a list of strings.
pub(super) fn texts(from: &mut Unpack<'_>) -> Option<Vec<String>> {
    from.list(|from| from.text().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_number_comes_back(number: u64) {
            let mut out = Vec::new();
            put_number(&mut out, number);
            prop_assert_eq!(Unpack(&out).number(), Some(number));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = texts(&mut Unpack(&bytes));
            let _ = summed(1, &bytes);
        }
    }
}
