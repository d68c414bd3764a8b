//! What a definition says that does not go together: each is said where it stands.

use super::super::{DialectKind, Field, MapShape, Names, Preset, Shape};
use super::{Compiler, NodeId, find_field};

/// Keys of which a field has one at most: each says what its value is.
const SAYS_SHAPE: [&str; 6] = ["type", "words", "of", "either", "shape", "depends-on"];

impl Compiler<'_, '_> {
    /// What goes with a field fits what the field is.
    pub(super) fn goes_together(&mut self, node: NodeId, field: &Field) {
        let tree = self.tree;
        let has = |name: &str| tree.find(node, name);
        let says: Vec<&str> = SAYS_SHAPE.into_iter().filter(|name| has(name).is_some()).collect();
        let in_map = ["fields", "values"].into_iter().find(|name| has(name).is_some());
        let both = says.into_iter().chain(in_map).collect::<Vec<_>>();
        if let [first, second, ..] = both[..] {
            let at = has(second).unwrap_or(node);
            self.impossible(at, format!("the field says what it is twice, with `{first}` and `{second}`"));
        }
        for (one, other) in [("depends-on", "cases"), ("cases", "depends-on")] {
            if let Some(at) = has(one).filter(|_| has(other).is_none()) {
                self.impossible(at, format!("`{one}` needs `{other}`"));
            }
        }
        let text = if let Shape::Text(text) = &field.shape { Some(text) } else { None };
        let is_path = text.is_some_and(|text| text.names != Names::Nothing);
        let is_map = matches!(field.shape, Shape::Map(_));
        let rows = [
            ("exists", is_path, "is for fields of the type `path` or `location`"),
            ("pattern", text.is_some(), "is for text: `text`, `name`, `path` or `location`"),
            ("tokens-max", text.is_some(), "is for text: `text`, `name`, `path` or `location`"),
            ("says", has("pattern").is_some(), "puts a `pattern` into words, and there is none"),
            ("equals", matches!(field.shape, Shape::Integer(_)), "is for fields of the type `integer`"),
            ("shorthand", is_map, "is for maps with `fields`"),
            ("open", is_map, "is for maps with `fields`"),
        ];
        for (name, is_right, why) in rows {
            if let Some(at) = has(name).filter(|_| !is_right) {
                self.impossible(at, format!("`{name}` {why}"));
            }
        }
        for (key, _) in has("levels").into_iter().flat_map(|levels| tree.entries(levels)) {
            let fault = tree.text(key);
            // A field that must be there may be so in some kinds only.
            let can = fault == "missing" || field.faults().any(|one| one.suffix() == fault);
            if !can {
                self.impossible(key, format!("nothing about this field can be wrong in the way `{fault}`"));
            }
        }
        self.can_mean(node, field);
    }

    /// What fields refer to is there.
    pub(super) fn refers_to_fields(&mut self, kind: &DialectKind, at: NodeId) {
        let mut missing = Vec::new();
        references(&kind.map, &mut |path| {
            if find_field(&kind.map, path).is_none() {
                missing.push(path.to_owned());
            }
        });
        for path in missing {
            self.impossible(
                at,
                format!("`{path}` decides about another field, but is no field of this kind"),
            );
        }
    }
}

/// Calls a function with every path by which a field depends on another.
fn references(map: &MapShape, call: &mut dyn FnMut(&str)) {
    for field in &map.fields {
        if let Shape::Depends { on, .. } = &field.shape {
            call(&on.text);
        }
        if let Some(Preset::By { on, .. }) = &field.preset {
            call(on);
        }
        for inner in field.shape.maps() {
            references(inner, call);
        }
    }
}

/// Whether a named shape comes back to itself before anything of a value was looked at.
pub(super) fn is_only_itself(shapes: &[Field], start: usize) -> bool {
    let mut seen = vec![false; shapes.len()];
    let mut left: Vec<&Shape> = vec![&shapes[start].shape];
    while let Some(shape) = left.pop() {
        if let Shape::Named(at) = shape {
            if *at == start {
                return true;
            }
            if let Some(next) = shapes.get(*at).filter(|_| !std::mem::replace(&mut seen[*at], true)) {
                left.push(&next.shape);
            }
        } else if let Shape::Either(shapes) = shape {
            left.extend(shapes);
        }
    }
    false
}
