//! Erasures: one record that names the payloads whose bytes go, who has them erased, and why.
//!
//! Invariant: nothing is erased without one. An append that erases brings the record in the same commit, and a
//! verification asks for it behind every payload whose bytes are gone. Its body is text:
//!
//! ```text
//! baton erasure 1
//! <digest>
//! <digest>
//! by <who>
//! because <why, to the end of the body>
//! ```

use baton_kernel::Digest;

use crate::{NewEvent, Record};

/// The kind of a record that names erased payloads, in whichever stream.
pub const ERASURE: &str = "payloads_erased";

const FORM: &str = "baton erasure 1\n";

/// Content of the record of an erasure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erasure {
    /// The payloads.
    pub digests: Vec<Digest>,
    /// Person who has them erased; one line.
    pub by: String,
    /// Why.
    pub because: String,
}

impl Erasure {
    /// The event that records it.
    pub fn event(&self) -> NewEvent {
        NewEvent { kind: ERASURE.to_owned(), body: self.text().into_bytes(), payload: None }
    }

    /// Reads the erasure of a record, if it is one.
    pub fn read(record: &Record) -> Option<Self> {
        (record.kind == ERASURE).then(|| Self::from_text(&record.body))?
    }

    /// Reads the erasure of an event, if it is one.
    pub(crate) fn of(event: &NewEvent) -> Option<Self> {
        (event.kind == ERASURE).then(|| Self::from_text(&event.body))?
    }

    /// The body of its record.
    pub fn text(&self) -> String {
        let mut text = FORM.to_owned();
        for digest in &self.digests {
            text.push_str(&format!("{digest}\n"));
        }
        let by = self.by.replace(char::is_control, " ");
        text.push_str(&format!("by {by}\nbecause {}", self.because));
        text
    }

    /// Reads the body of its record; `None` if it is none.
    pub fn from_text(body: &[u8]) -> Option<Self> {
        let mut rest = str::from_utf8(body).ok()?.strip_prefix(FORM)?;
        let mut digests = Vec::new();
        loop {
            let (line, behind) = rest.split_once('\n')?;
            rest = behind;
            if let Some(by) = line.strip_prefix("by ") {
                let because = rest.strip_prefix("because ")?;
                return Some(Self { digests, by: by.to_owned(), because: because.to_owned() });
            }
            digests.push(Digest::from_hex(line)?);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // proves S-02: why something was erased stays readable.
    #[test]
    fn the_text_of_an_erasure_is_the_one_that_was_promised() {
        let digests = vec![Digest([0xab; 32]), Digest([1; 32])];
        let erasure = Erasure { digests, by: "nora".into(), because: "a name\nby mistake".into() };
        let (ab, one) = ("ab".repeat(32), "01".repeat(32));
        let text = format!("baton erasure 1\n{ab}\n{one}\nby nora\nbecause a name\nby mistake");
        assert_eq!(erasure.text(), text);
        assert_eq!(Erasure::from_text(text.as_bytes()), Some(erasure.clone()));
        let named = Erasure { by: "nora\nbecause no".into(), ..erasure };
        let read = Erasure::from_text(named.text().as_bytes()).map(|read| (read.by, read.because));
        assert_eq!(read, Some(("nora because no".into(), "a name\nby mistake".into())));
    }

    proptest! {
        #[test]
        fn any_text_is_an_erasure_or_none(text: String) {
            let _ = Erasure::from_text(text.as_bytes());
            let _ = Erasure::from_text(format!("{FORM}{text}").as_bytes());
        }
    }
}
