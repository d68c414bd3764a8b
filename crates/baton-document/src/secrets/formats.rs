//! The forms of secrets, read from `data/secrets.toml` when the first text asks for a closer look.
//!
//! Invariant: a pattern is tried only from a keyword on, within a window, so that the work grows with the text alone.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;
use serde::Deserialize;

use super::keywords::Keywords;
use super::{pem, value};
use crate::scan::{Effort, JUDGE, TRY, TextScan};

const TABLE: &str = include_str!("../../data/secrets.toml");
/// Expansion of `{=}` in a pattern.
const ASSIGNMENT: &str = r#"["'`\\]{0,3}\]?\s{0,3}(?::|=>|:=|=|>)\s{0,3}["'`\\]{0,3}"#;
/// Bytes after a keyword in which a secret may end, and one that is a file of keys.
const WINDOW: usize = 1024;
const LONG_WINDOW: usize = 32 * 1024;
/// The bytes before a keyword in which the mark of a redaction would start.
const MARK: usize = 64;
/// The bytes behind a keyword in which an assignment may stand.
const NAME: usize = 16;
/// The bytes of a keyword that is met in no ordinary word.
const TELLING: usize = 4;

/// All forms.
pub(crate) static FORMATS: LazyLock<Formats> = LazyLock::new(|| {
    let table: Table =
        toml::from_str(TABLE).expect("the table ships with the crate and is read by its tests");
    Formats::new(table.format)
});

#[derive(Deserialize)]
struct Table {
    format: Vec<Format>,
}

/// One form of secrets.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Format {
    pub(crate) id: String,
    pub(crate) is: String,
    keywords: Vec<String>,
    pattern: String,
    #[serde(default)]
    group: usize,
    #[serde(default)]
    before: usize,
    #[serde(default)]
    inside: bool,
    #[serde(default)]
    extends: bool,
    #[serde(default)]
    long: bool,
    entropy: Option<f64>,
    #[serde(default)]
    mixed: bool,
    #[serde(default)]
    strong: bool,
    #[serde(default)]
    words: bool,
    #[serde(default)]
    digests: bool,
    #[serde(default)]
    scattered: bool,
    #[serde(default)]
    keyed: bool,
    #[serde(default)]
    apart: bool,
    #[serde(default)]
    numbered: bool,
    #[serde(default)]
    phrase: bool,
    #[serde(default)]
    wraps: bool,
    confirm: Option<Confirm>,
    #[serde(skip)]
    compiled: OnceLock<Regex>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Confirm {
    Jwt,
    Basic,
    Key,
    Body,
    Pem,
}

/// The forms, and where to try them.
pub(crate) struct Formats {
    pub(crate) all: Vec<Format>,
    keywords: Keywords,
    /// The form of each keyword.
    owners: Vec<usize>,
    /// Bytes before its keyword in which a secret may start.
    before: usize,
}

/// The secrets in a text, in order.
#[derive(Debug, Default)]
pub(crate) struct Hits {
    pub(crate) all: Vec<Hit>,
    /// Place where looking stopped before the end: what is behind is not known.
    pub(crate) stopped: Option<usize>,
    /// True if a word stands there that makes a secret of a value, so that a tree is worth a look.
    pub(crate) has_names: bool,
}

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) range: Range<usize>,
    /// The form, by its row.
    pub(crate) format: usize,
}

impl Formats {
    fn new(all: Vec<Format>) -> Self {
        let rows = all.iter().enumerate();
        let words =
            rows.flat_map(|(row, format)| format.keywords.iter().map(move |word| (row, word.as_str())));
        let (owners, words): (Vec<usize>, Vec<&str>) = words.unzip();
        let keywords = Keywords::new(&words);
        let before = all.iter().map(|format| format.before).max().unwrap_or_default();
        Self { all, keywords, owners, before }
    }

    /// The secrets in some regions of a text that do not overlap, in order, none overlapping another.
    ///
    /// At an edge a section of XML starts or ends: a secret may go on there, and may start or end there too.
    pub(crate) fn find(
        &self,
        text: &str,
        edges: &[usize],
        regions: &[Range<usize>],
        effort: &mut Effort,
    ) -> Hits {
        let mut hits = Vec::new();
        let (mut stopped, mut has_names) = (None, false);
        // Where each form was last matched, secret or not: the same one is not tried inside of that again.
        let mut tried = vec![0; self.all.len()];
        'regions: for region in regions {
            for (number, found) in self.keywords.find(&text.as_bytes()[region.clone()]) {
                let row = self.owners[number];
                let keyword = region.start + found.start;
                if effort.is_spent() {
                    stopped = Some(text.floor_char_boundary(keyword.saturating_sub(self.before)));
                    break 'regions;
                }
                effort.spend(1);
                has_names |= self.all[row].keyed;
                let is_told = found.len() >= TELLING;
                let is_new = keyword >= tried[row];
                let matched =
                    is_new.then(|| self.all[row].at(text, edges, keyword, is_told, effort)).flatten();
                let Some(range) = matched else { continue };
                tried[row] = range.end;
                effort.spend(JUDGE + range.len());
                if self.all[row].is_secret(&text[range.clone()]) {
                    effort.found_secret();
                    hits.push(Hit { range, format: row });
                }
            }
        }
        Hits { all: without_overlaps(hits), stopped, has_names }
    }
}

/// Finds the secrets in the view of a text, in order, where its prefilter found a reason to look.
pub(super) fn secrets_in(look: &TextScan<'_>, effort: &mut Effort) -> Hits {
    match look.suspects() {
        [] => Hits::default(),
        suspects => FORMATS.find(&look.view.text, &look.view.edges, suspects, effort),
    }
}

/// Of secrets that overlap the one that the table names first stays.
fn without_overlaps(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|hit| (hit.range.start, hit.format));
    let mut kept: Vec<Hit> = Vec::with_capacity(hits.len());
    for hit in hits {
        match kept.last_mut() {
            Some(last) if hit.range.start < last.range.end => {
                if hit.format < last.format {
                    *last = hit;
                }
            }
            Some(_) | None => kept.push(hit),
        }
    }
    kept
}

impl Format {
    /// Candidate for a secret of this form at a keyword.
    fn at(
        &self,
        text: &str,
        edges: &[usize],
        keyword: usize,
        is_told: bool,
        effort: &mut Effort,
    ) -> Option<Range<usize>> {
        if !text.is_char_boundary(keyword) {
            return None;
        }
        let bytes = text.as_bytes();
        let taken = bytes[..keyword].iter().rev().take(self.before);
        let start = keyword - taken.take_while(|byte| value::is_token(**byte) || **byte == b'.').count();
        let is_edge = |at: usize| edges.binary_search(&at).is_ok();
        if !self.inside && !is_edge(start) && !starts_here(&bytes[..start], is_told) {
            return None;
        }
        if is_in_mark(&text[text.floor_char_boundary(keyword.saturating_sub(MARK))..keyword]) {
            return None;
        }
        let length = if self.long { LONG_WINDOW } else { WINDOW };
        let end = text.floor_char_boundary((start + length).min(text.len()));
        let window = &text[start..end];
        effort.spend(TRY + if self.long { window.len() } else { reach(window.as_bytes()) });
        let found = match self.group {
            0 => self.regex().find(window),
            group => self.regex().captures(window).and_then(|groups| match self.phrase {
                // Each kind of quotes has a group.
                true => groups.iter().skip(group).flatten().next(),
                false => groups.get(group),
            }),
        };
        if self.is_key() {
            return key_at(text, start, window, found.map(|found| found.end()));
        }
        let found = found?;
        let (from, mut to) = (start + found.start(), start + found.end());
        if self.extends {
            let more =
                bytes[to..].iter().take_while(|byte| value::is_token(**byte) || matches!(byte, b'.' | b'='));
            to += more.count();
        } else if !self.long && self.group == 0 && !is_edge(to) && self.goes_on(&text[from..], to - from) {
            return None;
        }
        // What ends a tag or an instruction of XML is no part of a value in it.
        if bytes.get(to) == Some(&b'>') && self.group > 0 && matches!(bytes[to - 1], b'?' | b'/') {
            to -= 1;
        }
        Some(from..from + text[from..to].trim_end().len())
    }

    /// Tells whether what starts like a secret of this form, and is so long, is something else: it goes on behind that. A dash
    /// may follow what is no name.
    fn goes_on(&self, text: &str, length: usize) -> bool {
        match text.as_bytes().get(length) {
            Some(b'-' | b'_') => self.apart || !value::is_no_name(&text[..length]),
            Some(byte) => value::is_token(*byte),
            None => false,
        }
    }

    /// Part of a secret that names it: one that spans lines is the same however they are broken, indented and marked.
    pub(super) fn essence<'s>(&self, secret: &'s str) -> Cow<'s, str> {
        match self.long {
            true if self.is_key() && (!self.is_whole(secret) || pem::is_prefixed(secret)) => {
                Cow::Owned(pem::joined(secret))
            }
            true => Cow::Owned(value::joined(secret)),
            false => Cow::Borrowed(secret),
        }
    }

    /// Tells whether a secret of this form may go over line ends that are no part of it.
    pub(super) fn is_split(&self) -> bool {
        self.group == 0 || self.wraps
    }

    /// Tells whether a secret of this form has lines of its own.
    pub(super) fn is_long(&self) -> bool {
        self.long
    }

    fn is_key(&self) -> bool {
        matches!(self.confirm, Some(Confirm::Key))
    }

    fn is_whole(&self, secret: &str) -> bool {
        self.regex().find(secret).is_some_and(|found| found.end() == secret.len())
    }

    fn is_secret(&self, secret: &str) -> bool {
        let shown =
            if self.numbered { secret.split_once(':').map_or(secret, |(_, key)| key) } else { secret };
        if !self.long && value::is_placeholder(shown) {
            return false;
        }
        self.entropy.is_none_or(|least| value::entropy(secret) >= least)
            && (!self.mixed || value::is_mixed(secret))
            && (!self.strong || value::is_strong(secret))
            && (!self.words || !value::is_words(secret))
            && (!self.digests || !value::is_digest(secret))
            && (!self.scattered || value::is_scattered(secret))
            && (!self.phrase || value::is_phrase(secret))
            && match self.confirm {
                Some(Confirm::Jwt) => value::is_jwt(secret),
                Some(Confirm::Basic) => value::is_basic(secret),
                Some(Confirm::Key) => value::has_key(secret),
                Some(Confirm::Body) => value::is_key_body(secret),
                Some(Confirm::Pem) => value::is_pem(secret),
                None => true,
            }
    }

    fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            let pattern = format!("^(?:{})", self.pattern.replace("{=}", ASSIGNMENT));
            Regex::new(&pattern).expect("every pattern of the table is compiled by its tests")
        })
    }
}

/// The private key at a place: as far as the pattern takes it, or its lines with whatever stands before them; at the mark
/// of its end, the lines before that.
fn key_at(text: &str, start: usize, window: &str, matched: Option<usize>) -> Option<Range<usize>> {
    if !window.as_bytes().get(..8).is_some_and(|mark| mark.eq_ignore_ascii_case(b"-----beg")) {
        let end = pem::ends(window.lines().next()?)?;
        let from = text.floor_char_boundary(start.saturating_sub(LONG_WINDOW));
        return pem::start(&text[from..], start - from).map(|first| from + first..start + end);
    }
    let end = pem::end(window).max(matched)?;
    Some(start..start + window[..end].trim_end().len())
}

/// Bytes of a window that a pattern may read: few read past a space or a quote, except in an assignment.
fn reach(window: &[u8]) -> usize {
    let is_end = |byte: &u8| matches!(byte, b' ' | b'\n' | b'"' | b'<');
    window.iter().skip(NAME).position(is_end).unwrap_or(window.len())
}

/// Tells whether a text ends inside the mark of a redaction, whose kind may be a keyword too.
fn is_in_mark(before: &str) -> bool {
    let is_kind = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    before.trim_end_matches(is_kind).ends_with("redacted:")
}

/// Tells whether a token may start behind some bytes: at the start, or behind what is no part of one; one with a telling
/// start behind a dash too.
fn starts_here(before: &[u8], is_told: bool) -> bool {
    match before {
        // A line end that was escaped twice, as in JSON inside JSON.
        [.., b'\\', b'n' | b't' | b'r'] | [] => true,
        // A character that an address has as its number, such as `%3D`.
        [.., b'%', first, second] if first.is_ascii_hexdigit() && second.is_ascii_hexdigit() => true,
        [.., b'-' | b'_'] => is_told,
        [.., last] => !value::is_token(*last),
    }
}

#[cfg(test)]
mod tests {
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::string::string_regex;
    use proptest::test_runner::TestRunner;

    use super::*;

    #[test]
    fn every_row_of_the_table_can_be_used() {
        let mut ids: Vec<&str> = FORMATS.all.iter().map(|format| format.id.as_str()).collect();
        assert!(ids.len() >= 60, "{} forms", ids.len());
        for format in &FORMATS.all {
            assert!(format.regex().captures_len() > format.group, "{}", format.id);
            assert!(!format.is.is_empty() && !format.keywords.is_empty(), "{}", format.id);
            assert!(format.keywords.iter().all(|word| word.len() >= 2), "{}", format.id);
            let is_id = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(format.id.chars().all(is_id), "{}", format.id);
        }
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count, "each id stands there once");
    }

    #[test]
    fn what_a_form_finds_is_found_behind_the_glance() {
        // proves A-13
        let mut runner = TestRunner::deterministic();
        let mut faults = Vec::new();
        for format in &FORMATS.all {
            let pattern = format.pattern.replace("{=}", ASSIGNMENT).replace("|$)", ")");
            // Only ASCII is promised; values of any characters are made of those that people type.
            let pattern = pattern
                .replace(r"\s", r"\x20")
                .replace(r#"[^\s"#, r#"[^\x00-\x20\x7f-\x{10ffff}"#)
                .replace("[^", r"[^\x00-\x20\x7f-\x{10ffff}");
            let texts = string_regex(&pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
            let (mut found, count) = (0, faults.len());
            for _ in 0..80 {
                let text = texts.new_tree(&mut runner).expect("a text is made").current();
                for text in [text.to_ascii_uppercase(), text.clone()] {
                    let text = format!("say {text} now").replace('\u{17f}', "s").replace('\u{212a}', "k");
                    let all = FORMATS
                        .find(&text, &[], std::slice::from_ref(&(0..text.len())), &mut Effort::any())
                        .all;
                    found += all.len();
                    let look = TextScan::with(&text, false);
                    if matches!(look.view.text, Cow::Borrowed(_))
                        && secrets_in(&look, &mut Effort::any()).all != all
                        && faults.len() < count + 4
                    {
                        faults.push(format!("{}: {text}", format.id));
                    }
                }
            }
            assert!(found > 0 || format.confirm.is_some(), "{} is never found", format.id);
        }
        assert!(faults.is_empty(), "not found:\n{}", faults.join("\n"));
    }

    #[test]
    fn of_two_that_overlap_the_first_of_the_table_stays() {
        let hit = |range, format| Hit { range, format };
        let kept = without_overlaps(vec![hit(5..9, 1), hit(0..9, 7), hit(9..12, 3)]);
        assert_eq!(kept, [hit(5..9, 1), hit(9..12, 3)]);
    }
}
