//! Whether the description or recommendation of a concern says what is wrong, or what to do.

use super::judged;
use super::lexicon::{Concept, Concepts};
use super::specific::names;

/// Parts that every work has name something here: "missing validation" says what to add.
const NAMING: Concepts = Concepts::of(&[Concept::Aspect]);

/// Checks whether a text names nothing that could be mended.
pub(crate) fn is_empty(text: &str) -> bool {
    !names(judged(text), NAMING)
}
