//! Rules of `baton.toml`: names that mean nothing, values that cannot be used.

pub(crate) mod bad_value;
pub(crate) mod unknown_rule;

use super::Rule;
use crate::check::Checker;
use crate::dialect::Dialect;
use crate::finding::Finding;
use crate::tree::{NodeId, Tree};

/// The rules of this group.
pub static RULES: &[&Rule] = &[&bad_value::RULE, &unknown_rule::RULE];

/// Looks at a configuration; files of other forms are none of its business.
pub(crate) fn check(
    checker: &Checker,
    form: &Dialect,
    tree: &Tree<'_>,
    root: NodeId,
    findings: &mut Vec<Finding>,
) {
    if &*form.name == "config" {
        bad_value::check(checker, tree, root, findings);
        unknown_rule::check(checker, tree, root, findings);
    }
}
