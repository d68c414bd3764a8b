//! Which file is one of Baton itself – `baton.toml`, a dialect file, a flow – and by which form.

use super::{Checker, Input, recognise};
use crate::carrier;
use crate::dialect::{self, Dialect, Match};
use crate::span::BOM;
use crate::tree::{self, Block, Spare};

/// The form of dialect files.
pub(crate) const DIALECT: &str = "dialect";

/// The form of `baton.toml`.
pub(crate) const CONFIG: &str = "config";

/// The form of flow files.
pub(crate) const FLOW: &str = "flow";

impl Checker {
    /// The form of Baton's own files that lie at a path.
    pub(super) fn own_form(&self, path: Option<&str>) -> Option<&Dialect> {
        let path = path?;
        let is_here = |place: &dialect::Place| place.matches(path) == Some(Match::Whole);
        let placed = self.dialects.own.iter().find(|form| form.places.iter().any(is_here));
        placed
            .or_else(|| self.users.paths.iter().find(|own| ***own == *path).and_then(|_| self.definitions()))
    }

    /// The form of Baton's own files that a file is held against.
    pub(super) fn form_of(&self, input: Input<'_>, text: &str) -> Option<&Dialect> {
        // A folder `flows` may hold files of other programs, which count only if they are named.
        let is_meant = |form: &&Dialect| &*form.name != FLOW || input.is_named || has_key(text, "steps:");
        match self.own_form(input.path) {
            Some(form) => Some(form).filter(is_meant),
            None => self.named_form(input, text),
        }
    }

    /// The form of dialect files or of flows, for a file that was named and reads like one.
    fn named_form(&self, input: Input<'_>, text: &str) -> Option<&Dialect> {
        let is_asked = input.is_named && input.dialect.is_none();
        let path = input.path.filter(|_| is_asked)?;
        let form = if self.looks_like(path, text, ["dialect:", "kinds:"]) {
            DIALECT
        } else if self.looks_like(path, text, ["flow:", "steps:"]) {
            FLOW
        } else {
            return None;
        };
        self.dialects.own.iter().find(|one| &*one.name == form)
    }

    pub(crate) fn definitions(&self) -> Option<&Dialect> {
        self.dialects.own.iter().find(|form| &*form.name == DIALECT)
    }

    /// Tells whether a file reads like one of Baton's own; most are told apart without reading them.
    fn looks_like(&self, path: &str, text: &str, keys: [&str; 2]) -> bool {
        let is_yaml = path.ends_with(".yaml") || path.ends_with(".yml");
        if !is_yaml || !keys.into_iter().all(|key| has_key(text, key)) || self.is_placed(path) {
            return false;
        }
        let Some(piece) = carrier::whole(Some(path), text) else { return false };
        let block = Block { text: &piece.text, base: piece.base, syntax: piece.syntax };
        let keys = &self.dialects.keys;
        let tree = tree::parse(block, keys, &self.limits, Spare::default(), &mut Vec::new());
        tree.roots().next().is_some_and(|root| recognise::is_own(self, &tree, root, Some(path)))
    }
}

/// Tells whether a line of a text begins with a key.
fn has_key(text: &str, key: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), key).any(|at| {
        let before = text[..at].trim_end_matches(BOM);
        before.is_empty() || before.ends_with('\n')
    })
}
