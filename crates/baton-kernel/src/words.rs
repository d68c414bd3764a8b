//! The words that the kernel shares with the crates around it: time, content, and the names of things in a run.
//!
//! Cannot: read a clock or hash anything. Both are handed in.

use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A moment, in milliseconds since 1970 in UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Millis(pub u64);

impl Millis {
    /// The moment `span_ms` later; the end of time if there is none.
    #[must_use]
    pub fn after(self, span_ms: u64) -> Self {
        Self(self.0.saturating_add(span_ms))
    }
}

/// Names a content by its SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest that 64 hexadecimal digits write, in capitals or not.
    #[must_use]
    pub fn from_hex(hex: &str) -> Option<Self> {
        let hex = hex.as_bytes();
        let mut bytes = [0; 32];
        if hex.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            let [high, low] = pair else { return None };
            let digit = |digit: u8| char::from(digit).to_digit(16);
            *byte = u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?;
        }
        Some(Self(bytes))
    }

    fn hex(self, digits: &mut [u8; 64]) -> &str {
        for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(self.0) {
            // Four bits in each byte, and behind nine come letters, which lie 39 further: without a branch or a table, many
            // are made at once.
            *pair = [byte >> 4, byte & 15].map(|digit| b'0' + digit + 39 * u8::from(digit > 9));
        }
        core::str::from_utf8(digits).unwrap_or_default()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.hex(&mut [0; 64]))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self}")
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.hex(&mut [0; 64]))
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(HexVisitor)
    }
}

struct HexVisitor;

impl de::Visitor<'_> for HexVisitor {
    type Value = Digest;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("64 hexadecimal digits")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Digest, E> {
        Digest::from_hex(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}

/// A step of the plan, by its place in the plan's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StepId(pub u16);

/// An agent of the plan, by its place in the plan's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AgentId(pub u16);

/// A lane of a run; 0 is the main one, and no number is given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LaneId(pub u32);

/// A gate as it was opened; no number is given twice in a run, not to deliveries or questions either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GateId(pub u32);

/// A question to a person; no number is given twice in a run, not to deliveries or gates either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AskId(pub u32);

/// The fencing token of the lease under which a driver speaks; a later lease has a higher one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fence(pub u64);

/// Names one delivery of a run for ever; all attempts of the delivery share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// Counts what the run has opened; never given twice, which alone makes the key unique.
    pub number: u32,
    /// The lane that it was started in.
    pub lane: LaneId,
    /// The step that it was started for.
    pub step: StepId,
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `number-step-lane`, from behind: it is written for every delivery, and at once is faster than in parts.
        let mut text = [0; 32];
        let mut at = text.len();
        let mut put = |byte: u8| {
            at -= 1;
            text[at] = byte;
        };
        for (mut number, before) in
            [(self.lane.0, Some(b'-')), (self.step.0.into(), Some(b'-')), (self.number, None)]
        {
            loop {
                put(b'0' + u8::try_from(number % 10).unwrap_or_default());
                number /= 10;
                if number == 0 {
                    break;
                }
            }
            before.into_iter().for_each(&mut put);
        }
        out.write_str(core::str::from_utf8(&text[at..]).unwrap_or_default())
    }
}
