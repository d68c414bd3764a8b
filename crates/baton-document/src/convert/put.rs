//! Fate of a value that was given, in a handoff that is of the dialect already.
//!
//! In a file with several handoffs of which some are converted, a given value fills a gap; it is meant
//! for the one that lacks it, and the others keep theirs.

use crate::arena_value::ArenaValue;

/// A field of a handoff that a value was given for.
#[derive(Clone, Debug)]
pub(super) struct Put {
    /// Its dotted path.
    pub(super) path: String,
    /// Former value.
    pub(super) before: Before,
}

/// Value of a field before another was given for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// Nothing.
    Nothing,
    /// The same value.
    Same,
    /// Another value, which is gone.
    Other,
}

impl Put {
    /// Puts a value into a field of a document; nothing if the field keeps its own.
    pub(super) fn of(
        document: ArenaValue<'_>,
        path: &str,
        value: ArenaValue<'_>,
        fills_only: bool,
    ) -> Option<Self> {
        let before = match document.at(path) {
            Some(before) if before == value => Before::Same,
            None | Some(ArenaValue::Null) => Before::Nothing,
            Some(_) if fills_only => return None,
            Some(_) => Before::Other,
        };
        Some(Self { path: path.to_owned(), before })
    }
}
