//! Secrets in text: what they look like, how each is named without being told, and how they are taken out.
//!
//! Cannot: ask a vendor whether a secret works. A form is all there is to go by.
//!
//! Invariant: a fingerprint names a secret and does not tell it; nothing else of a secret leaves this module.

mod formats;
mod hide;
mod keywords;
mod redact;
mod value;

use std::fmt::Write as _;
use std::ops::Range;

use sha2::{Digest, Sha256};

pub(crate) use formats::{FORMATS, Hit, Hits};
pub(crate) use hide::{Hidden, masked};
pub(crate) use redact::{Places, redaction};

use crate::scan::{Effort, Look};
use crate::span::{Span, offset};
use crate::tree::{self, Block, Limits, Spare, Syntax};

/// The digits of a fingerprint, and those of them that a redaction shows.
const DIGITS: usize = 16;
const SHOWN: usize = 8;

/// A secret in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Where it stands.
    pub span: Span,
    /// The kind, such as `github-token`.
    pub kind: &'static str,
    /// What it is in words, such as `a GitHub token`.
    pub is: &'static str,
    /// Names it without telling it: the kind and a part of its digest.
    pub fingerprint: String,
}

impl Secret {
    /// What stands in its place when it is redacted.
    pub fn mark(&self) -> String {
        let digits = self.fingerprint.rsplit(':').next().unwrap_or_default();
        format!("[redacted:{}:{}]", self.kind, &digits[..SHOWN.min(digits.len())])
    }
}

/// Whether there are secrets of a kind.
pub(crate) fn is_kind(kind: &str) -> bool {
    FORMATS.all.iter().any(|format| format.id == kind)
}

/// Names a secret: the kind is a part of what is hashed, so that the same text as another kind is another secret.
fn fingerprint(kind: &str, secret: &str) -> String {
    let digest = Sha256::new().chain_update(kind).chain_update([0]).chain_update(secret).finalize();
    let mut text = format!("{kind}:");
    for byte in &digest[..DIGITS / 2] {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Makes a secret of what was found in a view of a text.
pub(crate) fn named(look: &Look<'_>, hit: &Hit, base: u32) -> Secret {
    let format = &FORMATS.all[hit.format];
    let Range { start, end } = look.view.source(&hit.range);
    Secret {
        span: Span::new(offset(start), offset(end)).shifted(base),
        kind: &format.id,
        is: &format.is,
        fingerprint: fingerprint(&format.id, &format.essence(&look.view.text[hit.range.clone()])),
    }
}

/// The secrets in a text, in order.
pub fn find(text: &str) -> Vec<Secret> {
    let look = Look::at(text);
    look.secrets(&mut Effort::any()).all.iter().map(|hit| named(&look, hit, 0)).collect()
}

/// A text without its secrets, and how many were taken out.
///
/// With a notation each redaction is written so that the text stays readable in it.
pub fn redacted(text: &str, syntax: Option<Syntax>) -> (String, usize) {
    let secrets = find(text);
    let places = syntax.filter(|_| !secrets.is_empty()).map(|syntax| {
        let block = Block { text, base: 0, syntax };
        let keys = crate::dialect::Keys::none();
        let tree = tree::parse(block, keys, &Limits::default(), Spare::default(), &mut Vec::new());
        Places::of(&tree, text, 0)
    });
    let places = places.unwrap_or_default();
    let mut into = String::with_capacity(text.len());
    let mut taken = 0;
    for secret in &secrets {
        let range = secret.span.range();
        into.push_str(&text[taken..range.start]);
        into.push_str(&redaction(secret, &places, text, 0));
        taken = range.end;
    }
    into.push_str(&text[taken..]);
    (into, secrets.len())
}
