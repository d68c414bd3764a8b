//! `document/yaml-syntax`: text that is not YAML.

use granit_parser::ScanError;

use crate::finding::{Finding, Level};
use crate::rules::{Check, Rule};
use crate::span::{Span, offset};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/yaml-syntax",
    level: Some(Level::Error),
    page: include_str!("yaml_syntax.md"),
    check: Check::Reading,
};

/// Reports where the parser stopped, in the original text; nothing for a line that was reported before.
pub(crate) fn finding(
    text: &str,
    base: u32,
    at: usize,
    error: &ScanError,
    reported: &[Span],
) -> Option<Finding> {
    let (start, end) = line_around(text, at);
    if reported.iter().any(|line| line.start as usize == start) {
        return None;
    }
    let line = &text[start..end];
    let at = at.min(start + line.trim_end().len());
    let width = text[at..end].chars().next().map_or(0, char::len_utf8);
    let span = Span::new(offset(at), offset(at + width)).shifted(base);
    let finding = Finding::new(RULE.id, error.info()).at(span).expected("valid YAML");
    let indent = line.len() - line.trim_start_matches(' ').len();
    if line[indent..].starts_with('\t') {
        let tabs = line[indent..].len() - line[indent..].trim_start_matches('\t').len();
        let span = Span::new(offset(start + indent), offset(start + indent + tabs)).shifted(base);
        return Some(
            finding
                .at(span)
                .help("YAML is indented with spaces, never with tabs")
                .fix(span, "  ".repeat(tabs))
                // How deep a tab was meant to be, nobody knows.
                .unsafe_fix(),
        );
    }
    Some(match unquoted_colon(line) {
        Some((from, to)) => {
            let value = &line[from..to];
            let span = Span::new(offset(start + from), offset(start + to)).shifted(base);
            let quoted = format!("'{}'", value.replace('\'', "''"));
            finding.help("a value with `: ` in it stands in quotes").fix(span, quoted)
        }
        None => finding,
    })
}

/// Reports a key that is itself a map or a list.
pub(crate) fn complex_key(span: Span) -> Finding {
    Finding::new(RULE.id, "a key must be a single word or text").at(span).expected("a plain key")
}

/// Reports a `<<` that takes over something else than maps that aliases name.
pub(crate) fn bad_merge(span: Span) -> Finding {
    Finding::new(RULE.id, "`<<` takes over maps, and this names none")
        .at(span)
        .expected("an alias of a map before it, such as `*base`, or a list of them")
        .help("in quotes, `\"<<\"` is a key like any other")
}

fn line_around(text: &str, at: usize) -> (usize, usize) {
    let start = text[..at].rfind('\n').map_or(0, |line| line + 1);
    let end = text[start..].find('\n').map_or(text.len(), |line| start + line);
    (start, end)
}

/// Finds `key: some words: more words`, the value of which lacks quotes.
fn unquoted_colon(line: &str) -> Option<(usize, usize)> {
    let from = line.find(": ")? + 2;
    let end = line[from..].find(" #").map_or(line.len(), |comment| from + comment);
    let value = line[from..end].trim();
    let is_plain = !value.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '!']);
    let from = from + line[from..end].len() - line[from..end].trim_start().len();
    (is_plain && (value.contains(": ") || value.ends_with(':'))).then(|| (from, from + value.len()))
}
