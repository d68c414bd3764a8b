//! What became of a value that was given, in a handoff that is of the dialect already.
//!
//! Where a file holds several handoffs and some of them are converted, what is given fills what nothing says; it is meant
//! for the one that lacks it, and the others keep theirs.

use crate::plain::Plain;

/// A field of a handoff that a value was given for.
#[derive(Clone, Debug)]
pub(super) struct Put {
    /// Its dotted path.
    pub(super) path: String,
    /// What stood there before.
    pub(super) before: Before,
}

/// What stood in a field before a value was given for it.
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
    /// How a value is put into a field of a document; nothing where the field keeps what it says.
    pub(super) fn of(document: Plain<'_>, path: &str, value: Plain<'_>, fills_only: bool) -> Option<Self> {
        let before = match document.at(path) {
            Some(before) if before == value => Before::Same,
            None | Some(Plain::Null) => Before::Nothing,
            Some(_) if fills_only => return None,
            Some(_) => Before::Other,
        };
        Some(Self { path: path.to_owned(), before })
    }
}
