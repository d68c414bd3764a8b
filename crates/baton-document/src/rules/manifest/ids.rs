//! The ids that a file beside the manifest lists: participants, items of the work queue.
//!
//! Invariant: a file that is missing, broken or lists nothing gives no ids, so nothing is said about it.

use std::collections::BTreeSet;

use crate::dialect::Keys;
use crate::finding::{Finding, shortened};
use crate::spelling::nearest;
use crate::tree::{Block, Kind, Limits, NodeId, Spare, Syntax, Tree, parse};
use crate::world::World;

/// A list of things with ids in a YAML file below the root.
pub(super) struct List {
    /// The path of the file.
    pub(super) file: &'static str,
    /// The key of the list.
    pub(super) key: &'static str,
}

/// The ids of a list.
pub(super) struct Ids {
    list: &'static List,
    ids: BTreeSet<String>,
}

impl Ids {
    /// Reads the ids of a list.
    pub(super) fn read(list: &'static List, world: &dyn World) -> Option<Self> {
        let text = world.read(list.file)?;
        let block = Block { text: &text, base: 0, syntax: Syntax::Yaml };
        let mut syntax = Vec::new();
        let tree = parse(block, Keys::none(), &Limits::default(), Spare::default(), &mut syntax);
        // A broken file may have lost some ids, and a warning about them would be wrong.
        if !syntax.is_empty() {
            return None;
        }
        let items = tree.roots().next().and_then(|root| tree.find(root, list.key))?;
        let ids: BTreeSet<String> = tree.items(items).filter_map(|item| id(&tree, item)).collect();
        (!ids.is_empty()).then_some(Self { list, ids })
    }

    /// Tells whether an id is listed.
    pub(super) fn contains(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// Completes a finding about an id that is not listed.
    pub(super) fn missing(&self, id: &str, finding: Finding) -> Finding {
        const SHOWN_MAX: usize = 8;
        // Enough for every real list, and a bound for a hostile one.
        const COMPARED_MAX: usize = 1_000;
        let List { file, key } = self.list;
        let expected = if self.ids.len() <= SHOWN_MAX {
            let ids: Vec<String> = self.ids.iter().map(|id| shortened(id)).collect();
            format!("one of {}", ids.join(", "))
        } else {
            format!("one of the {} ids in `{file}`", self.ids.len())
        };
        let near = nearest(id, self.ids.iter().take(COMPARED_MAX).map(String::as_str));
        let help = match near.or_else(|| self.first_word(id)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("correct the id, or add it to `{key}` in `{file}`"),
        };
        finding.found(id).expected(expected).help(help)
    }

    /// The id that a longer name starts with, as in `Grace (reviewer)` or `grace-v2`.
    fn first_word(&self, name: &str) -> Option<&str> {
        let word = name.split(|c: char| !c.is_alphanumeric()).next()?.to_lowercase();
        self.ids.get(&word).map(String::as_str)
    }
}

/// The id of an item: its `id`, or the item where it is a word alone.
fn id(tree: &Tree<'_>, item: NodeId) -> Option<String> {
    let node = if tree.kind(item) == Kind::Map { tree.find(item, "id")? } else { item };
    match tree.kind(node) {
        Kind::Text | Kind::Integer | Kind::Float | Kind::True | Kind::False => {
            Some(tree.text(node).trim().to_owned()).filter(|id| !id.is_empty())
        }
        Kind::Null | Kind::List | Kind::Map | Kind::Broken => None,
    }
}
