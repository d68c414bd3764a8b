//! Author of an envelope, and gaps in the contract of that role.

use crate::rule::Case;
use crate::span::Span;
use crate::tree::Kind;

/// The field that only critics fill in.
pub(super) const FURTHER: &str = "routing.can_further_iteration_help";

/// Tells whether the envelope may be asked for what is not there: a draft may still come to it.
pub(super) fn is_finished(case: &Case<'_>) -> bool {
    case.kind() == "envelope"
}

/// Tells whether a critic wrote it: it says whether another round helps, or asks for one.
#[inline(always)]
pub(super) fn is_critic(case: &Case<'_>) -> bool {
    case.value(FURTHER).is_some_and(|value| value.kind() != Kind::Null)
        || case.is("routing.recommendation", "LOOP")
}

/// Tells whether the envelope has a summary that can be looked into; one that is missing is a finding already.
pub(super) fn has_summary(case: &Case<'_>) -> bool {
    case.value("summary").is_some_and(|value| value.kind() == Kind::Map)
}

/// Tells whether a field is not there or says nothing; one that cannot be read is a finding already.
#[inline(always)]
pub(super) fn is_lacking(case: &Case<'_>, path: &str) -> bool {
    match case.value(path) {
        Some(value) => value.is_empty(),
        None => !case.is_present(path),
    }
}

/// Place of a finding about something missing: the key of the first of these fields that is present.
pub(super) fn nearest_key(case: &Case<'_>, paths: &[&str]) -> Span {
    let present = paths.iter().find(|path| case.is_present(path));
    present.map_or_else(|| case.head(), |path| case.key_span(path))
}
