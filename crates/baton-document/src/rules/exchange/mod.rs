//! Rules of the `exchange` dialect.

pub(crate) mod aggregation_counts;
pub(crate) mod count_sum;
mod counterpart;
pub(crate) mod echo;
pub(crate) mod expected_output;
pub(crate) mod passed_contradiction;
pub(crate) mod proceed_contradiction;
pub(crate) mod raw_summary;
pub(crate) mod unknown_phase;

use crate::rule::Rule;

/// The rules of this group.
pub static RULES: &[&Rule] = &[
    &aggregation_counts::RULE,
    &count_sum::RULE,
    &echo::RULE,
    &expected_output::RULE,
    &passed_contradiction::RULE,
    &proceed_contradiction::RULE,
    &raw_summary::RULE,
    &unknown_phase::RULE,
];
