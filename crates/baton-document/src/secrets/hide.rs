//! Keeps secrets out of what is shown: of the source lines, and of what findings say.

use std::borrow::Cow;

use super::coded::DEPTH;
use super::sight::sights;
use super::{Secret, named};
use crate::finding::Finding;
use crate::scan::{Effort, TextScan};
use crate::span::{Span, offset};

/// Text shown in place of a secret.
const MASK: &str = "***";
/// The bytes of the start of a secret that are hidden where the rest was cut off.
const START_MIN: usize = 6;
/// Number of secrets before a text in the alphabet that are compared with it.
const NEAR: usize = 4;

/// The secrets of a file, in the order of the alphabet, each as it is written and as it is meant.
#[derive(Debug, Default)]
pub(crate) struct Hidden<'t> {
    texts: Vec<Cow<'t, str>>,
    pub(crate) spans: Vec<Span>,
    /// Place where looking for them stopped; what is behind is shown nowhere.
    pub(crate) stopped: Option<Span>,
}

/// Secrets of a file that a scan of its text does not find.
#[derive(Debug, Default)]
pub(crate) struct KnownSecrets {
    /// The secrets, each with what it is.
    pub(crate) secrets: Vec<(Secret, String)>,
    /// Place where looking stopped.
    pub(crate) stopped: Option<u32>,
}

impl<'t> Hidden<'t> {
    /// Finds what must not be shown of a text, beside what is known of it already.
    pub(crate) fn of(
        text: &'t str,
        secrets_max: usize,
        known: KnownSecrets,
        is_allowed: impl Fn(&Secret) -> bool,
    ) -> Self {
        let look = TextScan::at(text);
        let mut hidden = Self::default();
        let seen = sights(&look, DEPTH, &mut Effort::for_file(secrets_max));
        let told = seen.all.into_iter().map(|one| (named(&one, 0), one.meant));
        let mut all: Vec<(Secret, String)> =
            told.chain(known.secrets).filter(|(one, _)| !is_allowed(one)).collect();
        all.sort_by_key(|(secret, _)| secret.span);
        for (secret, meant) in all {
            let Some(written) = text.get(secret.span.range()) else { continue };
            if meant != written {
                hidden.texts.push(Cow::Owned(meant));
            }
            hidden.texts.push(Cow::Borrowed(written));
            let start = hidden.spans.last().map_or(0, |last| last.end).max(secret.span.start);
            if start < secret.span.end {
                hidden.spans.push(Span::new(start, secret.span.end));
            }
        }
        let told_to = seen.stopped.map(offset);
        if let Some(from) = told_to.into_iter().chain(known.stopped).min() {
            hidden.spans.retain(|span| span.start < from);
            let from = hidden.spans.last().map_or(from, |last| last.end.max(from));
            let rest = Span::new(from, offset(text.len()));
            hidden.spans.push(rest);
            hidden.stopped = Some(rest);
        }
        hidden.texts.sort_unstable();
        hidden.texts.dedup();
        hidden
    }

    /// Takes the secrets out of a finding, and where not all of them are known, the text.
    pub(crate) fn hide(&self, finding: &mut Finding) {
        if self.stopped.is_some_and(|stopped| may_tell(finding, stopped)) {
            finding.message = format!(
                "`{}` finds something here; what is not told, as not all secrets of the file are known",
                finding.rule
            );
            finding.related.clear();
            finding.fix = None;
            for text in [&mut finding.found, &mut finding.expected, &mut finding.label, &mut finding.help] {
                *text = None;
            }
            return;
        }
        let Finding { message, found, expected, label, help, related, fix, .. } = finding;
        self.mask(message);
        for text in [found, expected, label, help].into_iter().flatten() {
            self.mask(text);
        }
        for one in related {
            self.mask(&mut one.message);
        }
        // An edit that writes a secret elsewhere cannot be shown, and masked it would be wrong.
        let tells = |text: &str| self.next(text, 0).is_some();
        if fix.as_ref().is_some_and(|fix| fix.edits.iter().any(|edit| tells(&edit.text))) {
            *fix = None;
        }
    }

    fn mask(&self, text: &mut String) {
        if self.next(text, 0).is_none() {
            return;
        }
        let mut into = String::with_capacity(text.len());
        let mut at = 0;
        while let Some((start, end)) = self.next(text, at) {
            into.push_str(&text[at..start]);
            into.push_str(MASK);
            at = end;
        }
        into.push_str(&text[at..]);
        *text = into;
    }

    /// The next secret in a text, or the start of one that was cut off.
    fn next(&self, text: &str, from: usize) -> Option<(usize, usize)> {
        text[from..].char_indices().find_map(|(at, _)| {
            let start = from + at;
            self.length_at(&text[start..]).map(|length| (start, start + length))
        })
    }

    /// Length of the secret that a text starts with, if the text has all of it or ends within it.
    fn length_at(&self, text: &str) -> Option<usize> {
        // In the alphabet the secret with most in common with a text stands beside it; a few more are looked at, as
        // one may be the start of another.
        let next = self.texts.partition_point(|secret| **secret <= *text);
        let near = self.texts[next.saturating_sub(NEAR)..].iter().take(NEAR + 1);
        let lengths = near.filter_map(|secret| {
            let same = secret.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
            let same = text.floor_char_boundary(same);
            let rest = &text[same..];
            let is_cut = same >= START_MIN && (rest.is_empty() || rest.starts_with('…'));
            (same == secret.len() || is_cut).then_some(same)
        });
        lengths.max()
    }
}

/// Tells whether a finding may say something of a text in which secrets are not known.
fn may_tell(finding: &Finding, unknown: Span) -> bool {
    let rule = &*finding.rule;
    let is_known = ["document/instruction", "document/hidden-unicode"].contains(&rule)
        && finding.span.is_some_and(|span| span.end <= unknown.start);
    !is_known && !["document/secret", "document/too-many"].contains(&rule)
}

/// A text in which the secrets at some places are covered, each character by one as long, so that nothing moves.
pub(crate) fn masked<'t>(text: &'t str, spans: &[Span]) -> Cow<'t, str> {
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut into = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        let range = span.range();
        into.push_str(&text[at..range.start]);
        into.extend(text[range.clone()].chars().map(cover));
        at = range.end;
    }
    into.push_str(&text[at..]);
    Cow::Owned(into)
}

fn cover(c: char) -> char {
    match (c, c.len_utf8()) {
        ('\n' | '\r', _) => c,
        (_, 1) => '*',
        (_, 2) => '·',
        (_, 3) => '•',
        _ => '🔒',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_covered_text_is_as_long_as_before() {
        let text = "a é中😀\nb";
        let covered = masked(text, &[Span::new(2, 12)]);
        assert_eq!(covered, "a ·•🔒\nb");
        assert_eq!(covered.len(), text.len());
    }

    #[test]
    fn a_secret_is_taken_out_whole_or_cut() {
        let texts = ["abcdefghij", "abcdefghzz", "q1w2e3r4t5"].map(Cow::Borrowed).into();
        let hidden = Hidden { texts, ..Hidden::default() };
        for (text, expected) in [
            ("say abcdefghij and q1w2e3r4t5.", "say *** and ***."),
            ("cut `abcdefg…", "cut `***…"),
            ("abcdefg is none", "abcdefg is none"),
            ("abcdefghzz", "***"),
        ] {
            let mut text = text.to_owned();
            hidden.mask(&mut text);
            assert_eq!(text, expected);
        }
    }
}
