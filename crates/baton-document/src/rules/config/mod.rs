//! Rules of `baton.toml`: names that mean nothing, values that cannot be used.

pub(crate) mod bad_value;
pub(crate) mod unknown_rule;

use crate::dialect::Dialects;
use crate::finding::Finding;
use crate::rule::Rule;
use crate::tree::{NodeId, Tree};

/// The rules of this group.
pub static RULES: &[&Rule] = &[&bad_value::RULE, &unknown_rule::RULE];

/// Looks at a `baton.toml`; the ids of all rules are asked for only where it names rules.
pub(crate) fn check(
    dialects: &Dialects,
    rule_ids: &dyn Fn() -> Vec<String>,
    tree: &Tree<'_>,
    root: NodeId,
    findings: &mut Vec<Finding>,
) {
    bad_value::check(dialects, tree, root, findings);
    unknown_rule::check(rule_ids, tree, root, findings);
}
