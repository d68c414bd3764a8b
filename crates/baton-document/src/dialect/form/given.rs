//! Values of a definition file, one by one, and findings about those that it cannot have.

use super::super::{FieldPath, Key, MapShape};
use super::map::find_field;
use super::{Compiler, NodeId};
use crate::dialect::findings;
use crate::tree::boolean_word;
use crate::tree::{Kind, Tree};

/// The parts of a dotted path.
const PARTS_MAX: usize = 16;

impl<'c> Compiler<'c, '_> {
    /// Asks for a field that something refers to.
    pub(super) fn must_be_field(&mut self, at: NodeId, path: &str, map: &MapShape) {
        if find_field(map, path).is_none() {
            self.impossible(at, format!("`{path}` is no field of this kind"));
        }
    }

    pub(super) fn path(&mut self, node: NodeId) -> FieldPath {
        let text = self.tree.text(node);
        if self.is_path(node, text) { self.path_of(text) } else { self.path_of("") }
    }

    /// Tells whether a text is a path that fields can have; says so where it is not.
    pub(super) fn is_path(&mut self, node: NodeId, text: &str) -> bool {
        let parts = text.split('.').count();
        if text.split('.').any(str::is_empty) {
            self.impossible(node, format!("`{text}` has a part without a name"));
        } else if parts > PARTS_MAX {
            self.impossible(node, format!("a path has at most {PARTS_MAX} parts"));
        } else {
            return true;
        }
        false
    }

    pub(super) fn path_of(&mut self, text: &str) -> FieldPath {
        FieldPath { text: text.into(), symbols: text.split('.').map(|key| self.keys.intern(key)).collect() }
    }

    pub(super) fn key(&mut self, name: &str, aliases: &[&str]) -> Key {
        let aliases = aliases.iter().map(|alias| ((*alias).into(), self.keys.intern(alias))).collect();
        Key { text: name.into(), symbol: self.keys.intern(name), aliases }
    }

    pub(super) fn text(&self, map: NodeId, key: &str) -> Option<&'c str> {
        self.tree.find(map, key).map(|node| self.tree.text(node))
    }

    pub(super) fn texts(&self, list: NodeId) -> Vec<&'c str> {
        self.tree.items(list).map(|item| self.tree.text(item)).collect()
    }

    pub(super) fn flag(&self, map: NodeId, key: &str) -> bool {
        self.truth(map, key) == Some(true)
    }

    pub(super) fn truth(&self, map: NodeId, key: &str) -> Option<bool> {
        self.tree.find(map, key).and_then(|node| truth_of(self.tree, node))
    }

    /// A whole number, however it is written: `1.0` is one.
    pub(super) fn number(&self, map: NodeId, key: &str) -> Option<i64> {
        let text = self.text(map, key)?;
        let whole = text.split_once('.').filter(|(_, rest)| rest.bytes().all(|digit| digit == b'0'));
        whole.map_or(text, |(whole, _)| whole).parse().ok()
    }

    pub(super) fn impossible(&mut self, node: NodeId, message: String) {
        self.refuse(node, message, None);
    }

    /// Says once what cannot be used, and what would help.
    pub(super) fn refuse(&mut self, node: NodeId, message: String, help: Option<String>) {
        let span = self.tree.span(node);
        if self.said.insert((span.start, message.clone())) {
            let finding = findings::impossible(span, message);
            self.findings.push(match help {
                Some(help) => finding.help(help),
                None => finding,
            });
        }
    }
}

/// Tells whether something is so; the form of dialect files takes words for it too.
pub(super) fn truth_of(tree: &Tree<'_>, node: NodeId) -> Option<bool> {
    match tree.kind(node) {
        Kind::True => Some(true),
        Kind::False => Some(false),
        Kind::Text => boolean_word(tree.text(node)),
        Kind::Null | Kind::Integer | Kind::Float | Kind::List | Kind::Map | Kind::Broken => None,
    }
}
