//! Rules of the `pipeline` dialect: contradictions inside a handoff.

pub(crate) mod approved_with_issues;
pub(crate) mod count_below_listed;
pub(crate) mod critical_not_listed;
pub(crate) mod failed_without_failures;
mod issues;
pub(crate) mod merged_without_sha;
pub(crate) mod nothing_to_change;

use crate::rule::Rule;

/// The rules of this group.
pub static RULES: &[&Rule] = &[
    &approved_with_issues::RULE,
    &count_below_listed::RULE,
    &critical_not_listed::RULE,
    &failed_without_failures::RULE,
    &merged_without_sha::RULE,
    &nothing_to_change::RULE,
];
