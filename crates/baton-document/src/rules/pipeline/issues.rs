//! The issues of a review: those it counts and those it lists.

use crate::rule::{Case, Value};
use crate::span::Span;
use crate::tree::Kind;

/// Severity of an issue, and the element that counts such issues.
pub(super) struct Severity {
    /// The word for it.
    pub(super) word: &'static str,
    /// The element with their number.
    pub(super) count: &'static str,
}

/// Issues that must be fixed at once.
pub(super) static CRITICAL: Severity = Severity { word: "critical", count: "critical_count" };
/// Issues that must be fixed.
pub(super) static IMPORTANT: Severity = Severity { word: "important", count: "important_count" };
/// Issues that may be fixed.
pub(super) static SUGGESTION: Severity = Severity { word: "suggestion", count: "suggestion_count" };

/// Number of issues of a severity, as a review states it.
pub(super) enum Stated {
    /// Nothing.
    Nothing,
    /// Something that is no number; the shape says so.
    Unreadable,
    /// A number, and where.
    Number(i64, Span),
}

impl Severity {
    /// The number of issues of this severity, as the review states it.
    pub(super) fn stated(&self, case: &Case<'_>) -> Stated {
        if !case.is_present(self.count) {
            return Stated::Nothing;
        }
        let value = case.value(self.count);
        // `+1` is no integer in a document, though Rust reads it as one.
        let number = value.and_then(|value| {
            let text = value.text().filter(|text| !text.starts_with('+'))?;
            Some((text.parse().ok()?, value.span()))
        });
        number.map_or(Stated::Unreadable, |(number, span)| Stated::Number(number, span))
    }

    /// The number of issues of this severity in a list, and where the first says so.
    pub(super) fn listed(&self, list: Value<'_>) -> (i64, Option<Span>) {
        let mut count = 0;
        let mut first = None;
        for severity in issues(list).filter_map(|issue| issue.at("@severity")) {
            if severity.text().is_some_and(|text| text.eq_ignore_ascii_case(self.word)) {
                count += 1;
                first = first.or(Some(severity.span()));
            }
        }
        (count, first)
    }

    /// So many issues of this severity, in words.
    pub(super) fn words(&self, count: i64) -> String {
        format!("{count} {} {}", self.word, if count == 1 { "issue" } else { "issues" })
    }
}

/// The list of blocking issues, unless there is none or it is no list.
pub(super) fn list<'c>(case: &Case<'c>) -> Option<Value<'c>> {
    case.value("blocking_issues").filter(|list| list.kind() == Kind::Map || list.is_empty())
}

/// The issues in a list; an element that says nothing is none.
pub(super) fn issues<'c>(list: Value<'c>) -> impl Iterator<Item = Value<'c>> {
    list.all("issue").filter(|issue| !issue.is_empty())
}
