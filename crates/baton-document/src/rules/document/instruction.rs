//! `document/instruction`: text that instructs the receiver beyond its task.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::scan::{APART, Effort, Folded, PLACE, TextScan, WINDOW};
use crate::span::Span;
use crate::tree::Syntax;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/instruction",
    level: Some(Level::Warning),
    page: include_str!("instruction.md"),
    check: Check::Reading,
};

const TABLE: &str = include_str!("../../../data/instructions.toml");
/// Bytes before one of its words in which an instruction may start, and after it in which it may end.
const BEFORE: usize = 120;
const AFTER: usize = 2 * APART;
/// Replacement for `\b` in a pattern: one that knows all letters is slow on most texts that are not ASCII.
const ASCII_BOUNDARY: &str = r"(?-u:\b)";
/// Bytes around a quotation in which words may say that it is one.
const AROUND: usize = 120;
/// Bytes between a text and its quotes.
const QUOTES: usize = 48;

/// Beginnings of words that speak about an instruction instead of giving it.
const ABOUT: &[&str] = &[
    "test",
    "detect",
    "refus",
    "reject",
    "filter",
    "block",
    "saniti",
    "escap",
    "strip",
    "inject",
    "jailbreak",
    "attack",
    "phrase",
    "pattern",
    "example",
    "string",
    "such as",
    "contain",
    "hostile",
    "advers",
    "malicious",
    "payload",
    "warn",
    "flag",
    "guard",
    "match",
    "deny",
    "denies",
    "e.g.",
    "mention",
    "quote",
    "rule",
    "look-alike",
    "regex",
    "marker",
    "literal",
    "input",
    "detec",
    "d\u{e9}tect",
    "rejet",
    "filtr",
    "bloqu",
    "exemple",
    "tel que",
    "telle que",
    "motif",
    "attaque",
    "essai",
    "r\u{e8}gle",
];

#[derive(Deserialize)]
struct Table {
    phrase: Vec<Row>,
}

/// A kind of instruction.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    says: String,
    /// True if it is no sentence but a mark, of which people speak without quotes.
    #[serde(default)]
    marks: bool,
    near: Vec<Vec<String>>,
    patterns: Vec<Pattern>,
}

/// A pattern, made ready when the first text comes that may fit: that takes longer than all else in a small check.
#[derive(Deserialize)]
#[serde(from = "String")]
struct Pattern {
    text: String,
    ready: OnceLock<Regex>,
}

impl From<String> for Pattern {
    fn from(text: String) -> Self {
        Self { text, ready: OnceLock::new() }
    }
}

impl Pattern {
    fn regex(&self) -> &Regex {
        self.ready.get_or_init(|| {
            RegexBuilder::new(&self.text.replace(r"\b", ASCII_BOUNDARY))
                .case_insensitive(true)
                .build()
                .expect("every pattern of the table is compiled by its tests")
        })
    }
}

impl Row {
    /// Tells whether a text in small letters, of which the pairs are known, may fit one of the patterns.
    fn is_near(&self, text: &str, pairs: &Pairs) -> bool {
        let is_in = |word: &str| pairs.may_have(word) && text.contains(word);
        self.near.iter().all(|list| list.iter().any(|word| is_in(word)))
    }
}

/// Which two bytes stand side by side in a text, as bits that some of them share: most words are seen not to be in it
/// without a search for each.
struct Pairs([u64; 64]);

impl Pairs {
    fn of(text: &str) -> Self {
        let mut pairs = [0; 64];
        for (row, bit) in Self::places(text) {
            pairs[row] |= bit;
        }
        Self(pairs)
    }

    /// Tells whether a word may be in the text.
    fn may_have(&self, word: &str) -> bool {
        Self::places(word).all(|(row, bit)| self.0[row] & bit != 0)
    }

    fn places(text: &str) -> impl Iterator<Item = (usize, u64)> {
        text.as_bytes().array_windows().map(|[first, second]| (usize::from(first & 63), 1 << (second & 63)))
    }
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let table: Table =
        toml::from_str(TABLE).expect("the table ships with the crate and is read by its tests");
    table.phrase
});

/// An instruction in a text: where in the view, and the row it fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) range: Range<usize>,
    row: usize,
}

/// The instructions in a text, in order, and where looking stopped if it did before the end.
pub(crate) fn find(
    look: &TextScan<'_>,
    syntax: Syntax,
    effort: &mut Effort,
) -> (Vec<Instruction>, Option<usize>) {
    let mut told: Vec<Instruction> = Vec::new();
    let mut stopped = None;
    for at in look.instructions() {
        if effort.is_spent_on_instructions() {
            stopped = Some(look.view.text.floor_char_boundary(*at));
            break;
        }
        let text = &look.view.text;
        let end = text.ceil_char_boundary((at + AFTER).min(text.len()));
        let start = text.floor_char_boundary(at.saturating_sub(BEFORE));
        effort.spend_on_instructions(WINDOW);
        in_window(look, start..end, syntax, effort, &mut told);
    }
    told.sort_by_key(|one| (one.range.start, one.row));
    told.dedup_by(|next, kept| next.range.start < kept.range.end);
    (told, stopped)
}

fn in_window(
    look: &TextScan<'_>,
    window: Range<usize>,
    syntax: Syntax,
    effort: &mut Effort,
    told: &mut Vec<Instruction>,
) {
    let text = &look.view.text[window.clone()];
    for folded in [None, Folded::of(text)].into_iter().enumerate().filter_map(|(turn, folded)| {
        // First as it is written, then as it is seen if that is another text.
        (turn == 0 || folded.is_some()).then_some(folded)
    }) {
        let text = folded.as_ref().map_or(text, |folded| &folded.text);
        let small = in_small_letters(text);
        let pairs = Pairs::of(&small);
        let near = ROWS.iter().enumerate().filter(|(_, row)| row.is_near(&small, &pairs));
        for (row, regex) in near.flat_map(|(at, row)| row.patterns.iter().map(move |one| (at, one.regex()))) {
            for found in regex.find_iter(text) {
                effort.spend_on_instructions(PLACE);
                let shift = found.len() - found.as_str().trim_start().len();
                let range = found.start() + shift..found.end();
                let range = folded.as_ref().map_or(range.clone(), |folded| folded.unfolded(&range));
                let range = window.start + range.start..window.start + range.end;
                let is_spoken_of = ROWS[row].marks && is_named(look, &range, syntax);
                if !is_spoken_of && !is_mention(look, &range, syntax) {
                    told.push(Instruction { range, row });
                }
            }
        }
    }
}

/// Nouns after a mark that is only mentioned.
const NOUNS: &[&str] =
    &["tag", "token", "marker", "element", "block", "delimiter", "syntax", "string", "sequence"];

/// Tells whether a mark is a part of the notation itself, or is followed by a word for what it is.
fn is_named(look: &TextScan<'_>, range: &Range<usize>, syntax: Syntax) -> bool {
    let text = &*look.view.text;
    let mark = &text[range.clone()];
    let is_own = match syntax {
        Syntax::Xml => mark.starts_with("<sys") && !look.view.is_escaped(range.start + 1),
        Syntax::Json => {
            let quote = mark.find('"').filter(|_| mark.starts_with('{'));
            quote.is_some_and(|at| !look.view.is_escaped(range.start + at + 1))
        }
        Syntax::Yaml | Syntax::Toml => false,
    };
    let behind = text[range.end..].trim_start_matches([' ', '`', '"', '\'', '\u{201d}', '\u{bb}']);
    is_own
        || NOUNS
            .iter()
            .any(|noun| behind.get(..noun.len()).is_some_and(|start| start.eq_ignore_ascii_case(noun)))
}

/// Tells whether something stands by itself in brackets, behind words that say what it is.
fn is_in_brackets(look: &TextScan<'_>, range: &Range<usize>) -> bool {
    let text = &*look.view.text;
    let before = text[..range.start].trim_end_matches([' ', '"', '\'', '`']);
    let before = before.strip_suffix("e.g.").map_or(before, str::trim_end);
    let behind = text[range.end..].trim_start_matches([' ', '.', '!', '"', '\'', '`', '\u{2026}']);
    let Some(before) = before.strip_suffix('(').filter(|_| behind.starts_with(')')) else { return false };
    let start = text.floor_char_boundary(before.len().saturating_sub(AROUND));
    // Only what is said in the same sentence.
    let said = before[start..].rsplit(['.', '!', '?', '\n']).next().unwrap_or_default();
    speaks(said)
}

/// Tells whether a text has words that speak about an instruction.
fn speaks(part: &str) -> bool {
    let part = part.to_lowercase();
    ABOUT.iter().any(|word| part.match_indices(word).any(|(at, _)| starts_word(&part, at)))
}

/// A text in small letters as patterns know them, for which the long s is an s too.
fn in_small_letters(text: &str) -> String {
    let small = text.to_lowercase();
    if small.contains('\u{17f}') { small.replace('\u{17f}', "s") } else { small }
}

/// Tells whether something stands in quotes or backticks, and the words around it say that it is spoken of.
fn is_mention(look: &TextScan<'_>, range: &Range<usize>, syntax: Syntax) -> bool {
    if is_in_brackets(look, range) {
        return true;
    }
    let text = &*look.view.text;
    let near = look.around(range, QUOTES);
    let Some(before) = opened(look, near.start..range.start, syntax) else { return false };
    let closes = match text[before..].chars().next() {
        Some('“') => '”',
        Some('«') => '»',
        Some('‘') => '’',
        Some(mark) => mark,
        None => return false,
    };
    if !text[range.end..near.end].contains(closes) {
        return false;
    }
    let wide = look.around(range, AROUND);
    speaks(&text[wide.start..before]) || speaks(&text[range.end..wide.end])
}

fn starts_word(text: &str, at: usize) -> bool {
    !text[..at].chars().next_back().is_some_and(char::is_alphanumeric)
}

/// Place where the quotes open that a text stands in, if they are no part of the notation.
fn opened(look: &TextScan<'_>, before: Range<usize>, syntax: Syntax) -> Option<usize> {
    let text = &look.view.text[before.clone()];
    let mut marks = text.char_indices().rev();
    let (at, mark) =
        marks.find(|(_, c)| matches!(c, '`' | '"' | '\'' | '“' | '«' | '‘' | '”' | '»' | '\n'))?;
    let place = before.start + at;
    let left = look.view.text[..place].trim_end_matches(' ');
    match mark {
        '`' | '“' | '«' | '‘' => Some(place),
        '"' if syntax == Syntax::Json => look.view.is_escaped(place + 1).then_some(place),
        // An apostrophe is inside a word; a quote behind these opens a value.
        '"' | '\'' => {
            let opens_value = left.is_empty() || left.ends_with([':', ',', '[', '{', '-', '=', '\n']);
            let is_apostrophe = left.len() == place && left.ends_with(char::is_alphanumeric);
            (!opens_value && !is_apostrophe).then_some(place)
        }
        _ => None,
    }
}

/// Says that a text instructs the receiver.
pub(crate) fn finding(told: &Instruction, span: Span, text: &str) -> Finding {
    Finding::new(RULE.id, format!("this {}", ROWS[told.row].says))
        .at(span)
        .found(text.trim())
        .expected("text that describes the task and what was done")
        .help("leave it out; what is only spoken of stands in backticks, with a word on what it is an example of")
}

#[cfg(test)]
mod tests {
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::string::string_regex;
    use proptest::test_runner::TestRunner;

    use super::*;

    #[test]
    fn every_row_of_the_table_can_be_used() {
        for row in &*ROWS {
            assert!(!row.says.is_empty() && !row.patterns.is_empty(), "{}", row.says);
            assert!(row.patterns.iter().all(|pattern| !pattern.regex().is_match("")), "{}", row.says);
        }
    }

    /// Some texts that fit a pattern: its words one space, a line end or a wrapped line apart.
    fn texts_of(pattern: &str) -> Vec<String> {
        let mut runner = TestRunner::deterministic();
        let plain = pattern.replace(r"\b", "").replace(r"\w+", "[a-z]+");
        let plain = ["[^.!?\\n]*", "[^!?\\n]*", "[^<>]*"]
            .iter()
            .fold(plain, |text, any| text.replace(any, "[a-z ]{0,9}"));
        let mut made = Vec::new();
        for gap in [r"\x20", r"\n", r"\x20{2,3}", r"\n\x20{4}"] {
            let one = if gap.contains('{') { r"\x20" } else { gap };
            let spaced =
                plain.replace(r"\s+", gap).replace(r"\s*", &format!("(?:{gap})?")).replace(r"\s", one);
            let texts = string_regex(&spaced).expect("texts can be made for every pattern");
            made.extend((0..60).map(|_| texts.new_tree(&mut runner).expect("a text is made").current()));
        }
        made
    }

    #[test]
    fn every_text_that_fits_a_pattern_is_near_it_and_found() {
        // proves A-13
        let mut faults = Vec::new();
        for pattern in ROWS.iter().flat_map(|row| row.patterns.iter().map(move |pattern| (row, pattern))) {
            let (row, pattern) = pattern;
            let count = faults.len();
            for text in texts_of(&pattern.text) {
                for text in [text.replace('s', "\u{17f}"), text.to_uppercase(), text] {
                    let small = in_small_letters(&text);
                    assert!(row.is_near(&small, &Pairs::of(&small)), "{text:?} fits {}", pattern.text);
                    if !pattern.regex().is_match(&text) {
                        continue;
                    }
                    // As it stands, and as it is written in JSON.
                    let written = serde_json::to_string(&text).expect("text can be written");
                    for (around, syntax) in [
                        (format!("{text} "), Syntax::Yaml),
                        (format!("Done. {text}."), Syntax::Yaml),
                        (written, Syntax::Json),
                    ] {
                        let look = TextScan::at(&around);
                        let is_told = !find(&look, syntax, &mut Effort::any()).0.is_empty();
                        if !is_told && faults.len() < count + 4 {
                            faults.push(format!("{around:?} fits {}", pattern.text));
                        }
                    }
                }
            }
        }
        assert!(faults.is_empty(), "not found:\n{}", faults.join("\n"));
    }
}
