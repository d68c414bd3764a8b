//! Secrets in text: what they look like, how each is named without being told, and how they are taken out.
//!
//! Cannot: ask a vendor whether a secret works. A form is all there is to go by.
//!
//! Invariant: a fingerprint names a secret and does not tell it; nothing else of a secret leaves this module.

mod coded;
mod excerpt;
mod formats;
mod hide;
mod keyed;
mod keywords;
mod letters;
mod lines;
mod pem;
mod redact;
mod sight;
mod value;

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

pub use excerpt::{ExcerptPart, excerpt};
use formats::FORMATS;
pub(crate) use hide::{Hidden, KnownSecrets, masked};
pub use lines::Lines;
pub(crate) use redact::{Places, redaction};

use crate::scan::{Effort, TextScan};
use crate::span::{Span, offset};
use crate::tree::{self, Block, Limits, Spare, Syntax, Tree};
use coded::DEPTH;
use sight::{Sight, sights};

/// The digits of a fingerprint, and those of them that a redaction shows.
const DIGITS: usize = 16;
const SHOWN: usize = 8;

/// A secret in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Its place.
    pub span: Span,
    /// The kind, such as `github-token`.
    pub kind: &'static str,
    /// Its kind in words, such as `a GitHub token`.
    pub is: &'static str,
    /// Names it without telling it: the kind and a part of its digest.
    pub fingerprint: String,
}

impl Secret {
    /// Text in its place when it is redacted.
    pub fn mark(&self) -> String {
        let digits = self.fingerprint.rsplit(':').next().unwrap_or_default();
        format!("[redacted:{}:{}]", self.kind, &digits[..SHOWN.min(digits.len())])
    }
}

impl Secret {
    /// Tells whether it is named by one of some fingerprints, whole or as far as redactions show them.
    pub fn is_among(&self, fingerprints: &[String]) -> bool {
        let shown = self.fingerprint.len() - (DIGITS - SHOWN);
        fingerprints.iter().any(|one| *one == self.fingerprint || self.fingerprint.get(..shown) == Some(one))
    }
}

/// Tells whether there are secrets of a kind.
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

/// Names a secret that was seen in a text that starts at a place of its file.
fn named(sight: &Sight, base: u32) -> Secret {
    let span = Span::new(offset(sight.range.start), offset(sight.range.end)).shifted(base);
    secret(sight.format, span, &sight.meant)
}

fn secret(format: usize, span: Span, text: &str) -> Secret {
    let format = &FORMATS.all[format];
    let fingerprint = fingerprint(&format.id, &format.essence(text));
    Secret { span, kind: &format.id, is: &format.is, fingerprint }
}

/// Secrets of a text, in order, without overlaps.
#[derive(Debug, Default)]
pub(crate) struct FoundSecrets {
    pub(crate) all: Vec<Secret>,
    /// Those of them that only a tree shows, each with what it is: a look at the text alone finds none of them.
    pub(crate) keyed: Vec<(Secret, String)>,
    /// Place in the file where looking stopped before the end: what is behind is not known.
    pub(crate) stopped: Option<u32>,
}

/// Finds the secrets of a text that starts at a place of its file; where it was read into a tree, those too that only
/// a key gives away.
pub(crate) fn found(
    look: &TextScan<'_>,
    tree: Option<&Tree<'_>>,
    base: u32,
    effort: &mut Effort,
) -> FoundSecrets {
    let seen = sights(look, DEPTH, effort);
    let mut stopped = seen.stopped.map(|at| offset(at) + base);
    let mut all: Vec<Secret> = seen.all.iter().map(|one| named(one, base)).collect();
    let mut keyed = Vec::new();
    if let Some(tree) = tree.filter(|_| seen.has_names && stopped.is_none()) {
        let walk = keyed::Walk::over(tree, effort);
        stopped = walk.stopped;
        let told = std::mem::take(&mut all);
        let is_told = |span: Span| {
            let next = told.partition_point(|other| other.span.end <= span.start);
            told.get(next).is_some_and(|other| other.span.start < span.end)
        };
        for one in walk.found {
            if !is_told(one.span) {
                keyed.push((secret(one.format, one.span, &one.text), one.text));
            }
        }
        all = told;
        all.extend(keyed.iter().map(|(secret, _)| secret.clone()));
        all.sort_by_key(|secret| secret.span);
        all.dedup_by(|next, kept| next.span.start < kept.span.end);
    }
    FoundSecrets { all, keyed, stopped }
}

/// The secrets in a text, in order.
pub fn find(text: &str) -> Vec<Secret> {
    found(&TextScan::at(text), None, 0, &mut Effort::any()).all
}

/// A text without its secrets, and how many were taken out.
///
/// With a notation each redaction is written so that the text stays readable in it.
pub fn redacted(text: &str, syntax: Option<Syntax>) -> (String, usize) {
    let look = TextScan::at(text);
    if look.has_no_secret() {
        return (text.to_owned(), 0);
    }
    let keys = tree::Keys::none();
    let tree = syntax.map(|syntax| {
        let block = Block { text, base: 0, syntax };
        tree::parse(block, keys, &Limits::default(), Spare::default(), &mut Vec::new())
    });
    let secrets = found(&look, tree.as_ref(), 0, &mut Effort::any()).all;
    let places = tree.as_ref().filter(|_| !secrets.is_empty()).map(|tree| Places::of(tree, text, 0));
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
