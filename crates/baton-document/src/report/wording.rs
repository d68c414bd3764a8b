//! Words for findings that several reports share.

use std::borrow::Cow;

use crate::finding::Finding;

/// Found value, where neither the message nor the label says it already.
pub(super) fn unsaid_found(finding: &Finding) -> Option<&str> {
    // That nothing is there is what a message about something missing says.
    finding.found.as_deref().filter(|found| *found != "nothing" && !says(finding, found))
}

/// Expected value, where neither the message, the label nor the help says it already.
pub(super) fn unsaid_expected(finding: &Finding) -> Option<&str> {
    let helps = |expected: &str| finding.help.as_deref().is_some_and(|help| help.contains(expected));
    finding.expected.as_deref().filter(|expected| !says(finding, expected) && !helps(expected))
}

fn says(finding: &Finding, part: &str) -> bool {
    finding.message.contains(part) || finding.label.as_deref().is_some_and(|label| label.contains(part))
}

/// The whole finding as lines: the message, then what was found, what was expected, what helps.
pub(super) fn lines(finding: &Finding) -> String {
    let mut lines = finding.message.clone();
    let parts = [
        ("found", unsaid_found(finding)),
        ("expected", unsaid_expected(finding)),
        ("help", finding.help.as_deref()),
    ];
    for (name, text) in parts {
        if let Some(text) = text {
            lines.push_str(&format!("\n{name}: {text}"));
        }
    }
    lines
}

/// A count with its noun, as in `1 error` and `2 errors`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Text of a document in which no character controls the terminal.
pub(super) fn safe(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_control) { Cow::Owned(safe_owned(text)) } else { Cow::Borrowed(text) }
}

pub(super) fn safe_owned(text: &str) -> String {
    let mut into = String::with_capacity(text.len());
    for c in text.chars() {
        if is_control(c) { into.extend(c.escape_default()) } else { into.push(c) }
    }
    into
}

/// Control characters, and those that turn the direction of the text around them.
pub(super) fn is_control(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
