//! Rules of the `envelope` dialect.

pub(crate) mod critic_loop;
pub(crate) mod critic_verified;
pub(crate) mod empty_concern;
pub(crate) mod evidence;
pub(crate) mod implementer_evidence;
mod role;
pub(crate) mod routing_contradiction;

use crate::rule::Rule;

/// The rules of this group.
pub static RULES: &[&Rule] = &[
    &critic_loop::RULE,
    &critic_verified::RULE,
    &empty_concern::RULE,
    &evidence::RULE,
    &implementer_evidence::RULE,
    &routing_contradiction::RULE,
];
