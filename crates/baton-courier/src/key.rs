//! Key of a delivery.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// Key of a delivery: the same for all its attempts, and never used for another delivery.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Arc<str>);

impl Key {
    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key in letters, digits, `-`, `_` and `/`, for heads and names. No two keys share one.
    pub(crate) fn plain(&self) -> String {
        use fmt::Write as _;
        let mut plain = String::new();
        for byte in self.0.bytes() {
            if byte.is_ascii_alphanumeric() || b"-_/".contains(&byte) {
                plain.push(char::from(byte));
            } else {
                write!(plain, "%{byte:02X}").expect("a string takes what is written to it");
            }
        }
        plain
    }
}

impl Borrow<str> for Key {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_keys_look_alike() {
        assert_eq!(Key::from("article-3/5-1-0").plain(), "article-3/5-1-0");
        assert_eq!(Key::from("a.b c\r\nx: ü%").plain(), "a%2Eb%20c%0D%0Ax%3A%20%C3%BC%25");
    }
}
