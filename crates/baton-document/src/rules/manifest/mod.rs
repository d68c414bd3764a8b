//! Rules of the `manifest` dialect.

pub(crate) mod files_changed;
pub(crate) mod from_equals_to;
pub(crate) mod handoff_manifest_valid;
mod ids;
pub(crate) mod legacy;
pub(crate) mod participants;
pub(crate) mod work_queue;

use crate::rule::Rule;

/// The rules of this group.
pub static RULES: &[&Rule] = &[
    &files_changed::RULE,
    &from_equals_to::RULE,
    &handoff_manifest_valid::RULE,
    &legacy::RULE,
    &participants::RULE,
    &work_queue::RULE,
];
