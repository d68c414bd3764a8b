//! Rules of flow files: what their form cannot say.

pub(crate) mod bad_value;
pub(crate) mod unclear_step;

use super::Rule;
use crate::check::Checker;
use crate::finding::Finding;
use crate::flow::Flow;
use crate::world::World;

/// The rules of this group.
pub static RULES: &[&Rule] = &[&bad_value::RULE, &unclear_step::RULE];

/// Looks at a flow as a whole; what could not be read is said already.
pub(crate) fn check(_checker: &Checker, _flow: &Flow, _world: &dyn World, _findings: &mut Vec<Finding>) {}
