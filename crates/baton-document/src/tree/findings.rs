//! The findings of reading: text that is not of its notation, and text beyond the limits.
//!
//! Invariant: each id here is the id of a rule in `rules/document`, which has the page and the level.

use granit_parser::ScanError;

use super::{NodeId, Tree};
use crate::finding::Finding;
use crate::span::{Span, offset};

const ALIAS_BOMB: &str = "document/alias-bomb";
const DUPLICATE_KEY: &str = "document/duplicate-key";
const JSON_SYNTAX: &str = "document/json-syntax";
const TOML_SYNTAX: &str = "document/toml-syntax";
const TOO_DEEP: &str = "document/too-deep";
const TOO_LARGE: &str = "document/too-large";
const TOO_MANY: &str = "document/too-many";
const XML_DOCTYPE: &str = "document/xml-doctype";
const XML_SYNTAX: &str = "document/xml-syntax";
const YAML_SYNTAX: &str = "document/yaml-syntax";

/// The ids of all of them.
#[cfg(test)]
pub(crate) const IDS: [&str; 10] = [
    ALIAS_BOMB,
    DUPLICATE_KEY,
    JSON_SYNTAX,
    TOML_SYNTAX,
    TOO_DEEP,
    TOO_LARGE,
    TOO_MANY,
    XML_DOCTYPE,
    XML_SYNTAX,
    YAML_SYNTAX,
];

/// Starts a finding about JSON that does not parse.
pub(crate) fn json_syntax(message: &str, span: Span) -> Finding {
    Finding::new(JSON_SYNTAX, message).at(span)
}

/// Starts a finding about XML that is not well-formed.
pub(crate) fn xml_syntax(message: &str, span: Span) -> Finding {
    Finding::new(XML_SYNTAX, message).at(span)
}

/// Reports a document type; nothing in it is read.
pub(crate) fn xml_doctype(span: Span) -> Finding {
    Finding::new(XML_DOCTYPE, "a document type is not allowed in a handoff, and none of its entities is read")
        .at(span)
        .expected("no `<!DOCTYPE`")
        .help("write the text of an entity where it is used")
}

/// Reports TOML that does not parse.
pub(crate) fn toml_syntax(message: &str, span: Span) -> Finding {
    Finding::new(TOML_SYNTAX, message.trim()).at(span).expected("valid TOML")
}

/// Reports an alias that would copy more than the budget.
pub(crate) fn alias_bomb(span: Span, nodes_max: usize) -> Finding {
    Finding::new(ALIAS_BOMB, "YAML aliases copy more than a handoff needs")
        .at(span)
        .label("this alias is one too many")
        .expected(format!("at most {nodes_max} nodes copied by aliases"))
        .help("write the values out, or reference a file")
}

/// Reports nesting beyond the limit; nothing below it is read.
pub(crate) fn too_deep(span: Span, depth_max: usize) -> Finding {
    Finding::new(TOO_DEEP, format!("nested more than {depth_max} levels deep"))
        .at(span)
        .expected(format!("at most {depth_max} levels"))
}

/// Reports the second place of a key.
pub(crate) fn duplicate_key(tree: &Tree<'_>, first: NodeId, second: NodeId) -> Finding {
    let name = tree.text(second);
    Finding::new(DUPLICATE_KEY, format!("`{name}` stands twice in this map"))
        .at(tree.span(second))
        .label("again here")
        .found(name)
        .expected("each key once")
        .related(tree.span(first), "first here")
        .help("readers disagree on which of the two counts; keep one")
}

/// Reports a scalar beyond the limit.
pub(crate) fn large_scalar(span: Span, bytes_max: usize) -> Finding {
    let start = Span::new(span.start, span.start.saturating_add(1).min(span.end));
    Finding::new(TOO_LARGE, "a single value is too large for a handoff")
        .at(start)
        .found(format!("{} bytes", span.end - span.start))
        .expected(format!("at most {bytes_max} bytes"))
        .help("put the content into a file and name its path")
}

/// Reports more values than a handoff has; the rest is not read.
pub(crate) fn too_many_nodes(span: Span, nodes_max: usize) -> Finding {
    Finding::new(TOO_LARGE, format!("there are more than {nodes_max} values; nothing behind this was read"))
        .at(span)
        .expected(format!("at most {nodes_max} values"))
        .help("put the content into a file and name its path")
}

/// Says that reading stopped after a finding, so that nothing behind it was looked at.
pub(crate) fn cut_off(last: &Finding) -> Finding {
    let mut finding = Finding::new(TOO_MANY, "nothing behind this was read")
        .expected("text that can be read to its end")
        .help("mend what was found and check again");
    finding.span = last.span;
    finding
}

/// Reports where the parser stopped, in the original text; nothing for a line that was reported before.
pub(crate) fn yaml_syntax(
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
    let finding = Finding::new(YAML_SYNTAX, error.info()).at(span).expected("valid YAML");
    let indent = line.len() - line.trim_start_matches(' ').len();
    if line[indent..].starts_with('\t') {
        let tabs = line[indent..].len() - line[indent..].trim_start_matches('\t').len();
        let span = Span::new(offset(start + indent), offset(start + indent + tabs)).shifted(base);
        return Some(
            finding
                .at(span)
                .help("YAML is indented with spaces, never with tabs")
                .fix(span, "  ".repeat(tabs))
                // The intended depth of a tab is unknown.
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
    Finding::new(YAML_SYNTAX, "a key must be a single word or text").at(span).expected("a plain key")
}

/// Reports a `<<` that takes over something else than maps that aliases name.
pub(crate) fn bad_merge(span: Span) -> Finding {
    Finding::new(YAML_SYNTAX, "`<<` takes over maps, and this names none")
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
