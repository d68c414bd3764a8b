//! Numbers and strings in few bytes, and the sums that say whether they are still the same.

use baton_kernel::Digest;

/// Length of a sum.
pub(super) const SUM_BYTES: usize = 8;

/// Says whether bytes at a place are those that were put there.
///
/// It finds accidents. Intent is found by the chain of hashes, which costs more.
pub(super) fn sum(place: u64, parts: &[&[u8]]) -> [u8; SUM_BYTES] {
    let mut state = mixed(0x6261_746f_6e20_3120, place);
    for part in parts {
        let (words, rest) = part.as_chunks::<8>();
        state = words.iter().fold(state, |state, word| mixed(state, u64::from_be_bytes(*word)));
        let rest = rest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        state = mixed(mixed(state, rest), part.len() as u64);
    }
    mixed(state, state >> 32).to_be_bytes()
}

/// Each step can be undone, so two states that differ stay different; the halves of the product are folded so that
/// high bits reach low ones.
fn mixed(state: u64, word: u64) -> u64 {
    let state = (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state ^ state >> 32
}

/// Splits what was stored from its sum, if that is right.
pub(super) fn summed(place: u64, stored: &[u8]) -> Option<&[u8]> {
    let (bytes, claimed) = stored.split_at_checked(stored.len().checked_sub(SUM_BYTES)?)?;
    (sum(place, &[bytes]) == claimed).then_some(bytes)
}

/// Writes a number, seven bits to a byte.
pub(super) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    loop {
        let [.., bits] = number.to_be_bytes();
        number >>= 7;
        if number == 0 {
            return out.push(bits & 0x7f);
        }
        out.push(bits | 0x80);
    }
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
