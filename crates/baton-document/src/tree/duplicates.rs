//! Keys that stand twice in one map.
//!
//! While a map is read, a few bits say whether a key may stand there already; only such maps are looked at again.

use std::collections::HashMap;

use super::{Limits, NodeId, Symbol, Syntax, Tree};
use crate::finding::Finding;
use crate::tree::findings;

/// Reports every key below a node that stands twice in its map, on its second place.
pub(crate) fn report_duplicate_keys(tree: &Tree<'_>, root: NodeId, limits: &Limits, out: &mut Vec<Finding>) {
    const SCAN_MAX: usize = 16;
    let within = root..NodeId(tree.node(root).next);
    for map in tree.suspects.iter().copied().filter(|map| within.contains(map)) {
        let mut seen = [(Symbol::UNKNOWN, map); SCAN_MAX];
        let mut count = 0;
        // Keys are of any author: a hash without a secret could be made to collide.
        let mut many: HashMap<&str, NodeId> = HashMap::new();
        // In XML repeated elements are a list: only attributes can stand there twice.
        let is_told = |key: &NodeId| tree.syntax != Syntax::Xml || tree.text(*key).starts_with('@');
        for key in tree.entries(map).map(|(key, _)| key).filter(is_told) {
            let symbol = tree.node(key).symbol;
            let first = if count < SCAN_MAX {
                let same = |(other, name): &&(Symbol, NodeId)| {
                    *other == symbol && (symbol != Symbol::UNKNOWN || tree.text(*name) == tree.text(key))
                };
                let first = seen[..count].iter().find(same).map(|(_, name)| *name);
                if first.is_none() {
                    seen[count] = (symbol, key);
                    count += 1;
                }
                first
            } else {
                // A scan over many keys would be quadratic on hostile input.
                if many.is_empty() {
                    many.extend(seen.iter().map(|(_, name)| (tree.text(*name), *name)));
                }
                let first = many.get(tree.text(key)).copied();
                many.entry(tree.text(key)).or_insert(key);
                first
            };
            if let Some(first) = first {
                if out.len() >= limits.syntax_findings {
                    return;
                }
                out.push(findings::duplicate_key(tree, first, key));
            }
        }
    }
}
