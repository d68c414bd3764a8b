//! Rules of dialect files, the data that defines a dialect.

pub(crate) mod example;
pub(crate) mod idle;
pub(crate) mod impossible;

use crate::rule::Rule;

/// The rules of this group.
pub static RULES: &[&Rule] = &[&example::RULE, &idle::RULE, &impossible::RULE];
