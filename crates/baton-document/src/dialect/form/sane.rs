//! Contradictions within a definition, each reported at its place.

use rustc_hash::FxHashMap;

use super::super::{DialectKind, Field, MapShape, Names, Shape};
use super::map::find_field;
use super::{Compiler, NodeId};
use crate::dialect::findings;
use crate::spelling::nearest;
use crate::write::is_xml_name;

/// Keys of which a field has one at most: each says what its value is.
const SAYS_SHAPE: [&str; 6] = ["type", "words", "of", "either", "shape", "depends-on"];

/// Keys that are for a field, and that a shape without one has no use for.
const FOR_FIELDS: [&str; 5] = ["required", "aliases", "means", "or-means", "default"];

/// Keys that are read of the field itself, so that one of the shapes of `either` has no use for them either.
const FOR_WHOLE_FIELDS: [&str; 5] = ["nullable", "levels", "page", "exists", "tokens-max"];

/// A field that another one depends on.
pub(super) struct Reference {
    /// Node that names it.
    pub(super) path: NodeId,
    /// The values for each of its words.
    pub(super) cases: NodeId,
}

impl Compiler<'_, '_> {
    /// Reports settings of a field that contradict its type.
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
        self.fits_shape(node, &field.shape);
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

    /// A field of some maps is said once, whether its path has dots or leads through maps, and is one that can be.
    pub(super) fn said_once(&mut self, source: NodeId) {
        let tree = self.tree;
        if !self.looked_through.insert(source) {
            return;
        }
        let mut said: Vec<(String, NodeId, NodeId)> = Vec::new();
        let mut left = vec![(String::new(), source)];
        while let Some((around, map)) = left.pop() {
            for (key, node) in tree.entries(map) {
                let path = format!("{around}{}", tree.text(key));
                if let Some(fields) = tree.find(node, "fields") {
                    self.looked_through.insert(fields);
                    left.push((format!("{path}."), fields));
                }
                if self.is_all_xml {
                    self.fits_xml(key, node);
                }
                said.push((path, key, map));
            }
        }
        said.sort_by_key(|(_, key, _)| tree.span(*key).start);
        let mut seen: FxHashMap<&str, NodeId> = FxHashMap::default();
        for (path, key, map) in &said {
            // A key that stands twice in one map is found wherever it stands.
            if *seen.entry(path).or_insert(*map) != *map {
                self.impossible(
                    *key,
                    format!("`{path}` is a field already, said in another way before this"),
                );
            }
        }
    }

    /// Reports names that XML has no form for, in a dialect that is written in nothing else.
    fn fits_xml(&mut self, key: NodeId, node: NodeId) {
        const MANY: [&str; 5] = ["of", "fields", "values", "depends-on", "cases"];
        let tree = self.tree;
        let name = tree.text(key);
        let is_single = |part: &str| part.starts_with(['@', '#']);
        let has_many = MANY.iter().any(|one| tree.find(node, one).is_some());
        let leads_on = name.rsplit_once('.').is_some_and(|(around, _)| around.split('.').any(is_single));
        let last = name.rsplit('.').next().unwrap_or_default();
        if leads_on || (is_single(last) && has_many) {
            return self
                .impossible(key, "in XML an attribute, and text beside one, is a single value".to_owned());
        }
        let names = name.split('.').filter(|part| !part.starts_with('#'));
        let is_name = |part: &str| part.trim_start_matches('@').split(':').all(is_xml_name);
        if let Some(wrong) = names.into_iter().find(|part| !is_name(part)) {
            self.impossible(key, format!("XML has no element and no attribute that is called `{wrong}`"));
        }
    }

    /// Reports settings of a shape that contradict its type.
    fn fits_shape(&mut self, node: NodeId, shape: &Shape) {
        let tree = self.tree;
        let has = |name: &str| tree.find(node, name);
        let text = if let Shape::Text(text) = shape { Some(text) } else { None };
        let is_path = text.is_some_and(|text| text.names != Names::Nothing);
        let is_map = matches!(shape, Shape::Map(_));
        let rows = [
            ("exists", is_path, "is for fields of the type `path` or `location`"),
            ("pattern", text.is_some(), "is for text: `text`, `name`, `path` or `location`"),
            ("tokens-max", text.is_some(), "is for text: `text`, `name`, `path` or `location`"),
            ("says", has("pattern").is_some(), "puts a `pattern` into words, and there is none"),
            ("equals", matches!(shape, Shape::Integer(_)), "is for fields of the type `integer`"),
            ("shorthand", is_map, "is for maps with `fields`"),
            ("open", is_map, "is for maps with `fields`"),
        ];
        for (name, is_right, why) in rows {
            if let Some(at) = has(name).filter(|_| !is_right) {
                self.impossible(at, format!("`{name}` {why}"));
            }
        }
        for (name, least) in [("tokens-max", 1), ("equals", i64::MIN)] {
            let is_right = self.number(node, name).is_some_and(|number| number >= least);
            if let Some(at) = has(name).filter(|_| !is_right) {
                let what = if least == 1 { "a number from 1 on" } else { "a number that fits into 64 bits" };
                self.impossible(at, format!("`{name}` is {what}"));
            }
        }
    }

    /// The shapes of `either` are told apart by the type of a value, so that each must have one of its own.
    pub(super) fn told_apart(&mut self, list: NodeId, items: &[NodeId], shapes: &[Shape]) {
        if shapes.is_empty() {
            self.impossible(list, "there is no shape here that a value could have".to_owned());
        }
        for (at, (item, shape)) in items.iter().zip(shapes).enumerate() {
            self.fits_shape(*item, shape);
            for name in FOR_FIELDS.into_iter().chain(FOR_WHOLE_FIELDS) {
                if let Some(at) = self.tree.find(*item, name) {
                    let message =
                        format!("`{name}` is for a field as a whole, and this is one of its shapes");
                    self.impossible(at, message);
                }
            }
            if shapes[..at].iter().any(|before| takes_all_of(before, shape)) {
                let message = "no value gets here: a shape before this one takes all of its type".to_owned();
                self.findings.push(findings::idle(self.tree.span(*item), message));
            }
        }
    }

    /// A shape that has a name is no field, so that what is said of fields is lost on it.
    pub(super) fn is_no_field(&mut self, node: NodeId) {
        for name in FOR_FIELDS {
            if let Some(at) = self.tree.find(node, name) {
                let message = format!("`{name}` is for a field, and this is a shape that fields have");
                self.refuse(at, message, Some("say it where a field has the shape".to_owned()));
            }
        }
    }

    /// Reports references of fields to fields that do not exist.
    pub(super) fn refers_to_fields(&mut self, map: &MapShape) {
        for Reference { path, cases } in std::mem::take(&mut self.references) {
            let name = self.tree.text(path);
            match find_field(map, name) {
                Some(field) => self.cases_are_words(path, cases, &[field]),
                None => self.decides_nothing(path, "this kind"),
            }
        }
    }

    /// Reports references of named shapes to fields that no kind has.
    pub(super) fn shapes_refer_to_fields(&mut self, references: &[Reference], kinds: &[DialectKind]) {
        for Reference { path, cases } in references {
            let name = self.tree.text(*path);
            let fields: Vec<&Field> = kinds.iter().filter_map(|kind| find_field(&kind.map, name)).collect();
            if fields.is_empty() && !kinds.is_empty() {
                self.decides_nothing(*path, "any kind");
            }
            self.cases_are_words(*path, *cases, &fields);
        }
    }

    fn decides_nothing(&mut self, path: NodeId, whose: &str) {
        let name = self.tree.text(path);
        self.impossible(path, format!("`{name}` decides about another field, but is no field of {whose}"));
    }

    /// Each case is for a word that the field can be.
    fn cases_are_words(&mut self, path: NodeId, cases: NodeId, fields: &[&Field]) {
        let name = self.tree.text(path);
        let mut words = Vec::new();
        for field in fields {
            let Shape::Words(own) = &field.shape else { return };
            words.extend(own.iter().map(|word| &*word.text));
        }
        for (key, value) in self.tree.entries(cases).filter(|_| !fields.is_empty()) {
            let word = self.tree.text(key);
            if value != path && !words.iter().any(|one| one.eq_ignore_ascii_case(word)) {
                let near = nearest(word, words.iter().copied());
                let help = near.map_or_else(
                    || format!("it is one of {}", words.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                self.refuse(key, format!("`{name}` is never `{word}`, so nothing goes with it"), Some(help));
            }
        }
    }
}

/// Tells whether no value is left for a shape that comes behind another.
fn takes_all_of(before: &Shape, shape: &Shape) -> bool {
    let is_text =
        |shape: &Shape| matches!(shape, Shape::Text(_) | Shape::Words(_) | Shape::Date | Shape::Timestamp);
    let is_map = |shape: &Shape| matches!(shape, Shape::Map(_) | Shape::Depends { .. });
    match before {
        Shape::Any => true,
        Shape::Text(_) | Shape::Words(_) | Shape::Date | Shape::Timestamp => is_text(shape),
        Shape::Integer(_) => matches!(shape, Shape::Integer(_)),
        Shape::Number => matches!(shape, Shape::Integer(_) | Shape::Number),
        Shape::Boolean => matches!(shape, Shape::Boolean),
        Shape::List(_) => matches!(shape, Shape::List(_)),
        Shape::Map(_) | Shape::Depends { .. } => is_map(shape),
        Shape::Either(shapes) => shapes.iter().any(|before| takes_all_of(before, shape)),
        // What it is may not be known yet.
        Shape::Named(_) => false,
    }
}

/// Tells whether a named shape comes back to itself before anything of a value was looked at.
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
