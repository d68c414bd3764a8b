//! Rules of the `package` dialect.

pub(crate) mod acknowledgment_contradiction;
pub(crate) mod artifacts_created;
pub(crate) mod empty_summary;
pub(crate) mod gate_receiver;
pub(crate) mod hidden_questions;
pub(crate) mod unmeasurable_criterion;
pub(crate) mod vague_summary;
pub(crate) mod workflow_state;

use crate::rule::Rule;

/// The rules of this group.
pub static RULES: &[&Rule] = &[
    &acknowledgment_contradiction::RULE,
    &artifacts_created::RULE,
    &empty_summary::RULE,
    &gate_receiver::RULE,
    &hidden_questions::RULE,
    &unmeasurable_criterion::RULE,
    &vague_summary::RULE,
    &workflow_state::RULE,
];
