//! Compiles the fields of maps: what each must be, and what goes with it.

use super::super::{EnumWord, Expression, Fault, Field, FieldId, MapShape, Names, Pattern, Shape, TextShape};
use super::map::{find_among, has_room_below, open_map};
use super::meaning::usual_alternatives;
use super::{BODY, Compiler, NodeId, Position, Reference};
use crate::dialect::findings;
use crate::finding::Level;
use crate::handoff::EXTENSION;
use crate::spelling::nearest;
use crate::tree::Kind;

/// The fields a map may have: each is one bit while it is walked.
pub(super) const FIELDS_MAX: usize = 64;

/// The other names of one field.
const ALIASES_MAX: usize = 32;

/// The types of values that are said by a word.
pub(super) const TYPES: [&str; 12] = [
    "text",
    "name",
    "path",
    "location",
    "integer",
    "number",
    "boolean",
    "date",
    "timestamp",
    "list",
    "map",
    "any",
];

impl Compiler<'_, '_> {
    /// Joins the fields of several maps; the first that names a field defines it.
    pub(super) fn map(&mut self, sources: &[NodeId], position: Position<'_>) -> MapShape {
        let mut fields: Vec<Field> = Vec::new();
        // Maps that are there only because a dotted key goes through them; who names them later adds to them.
        let mut between: Vec<Box<str>> = Vec::new();
        let mut named: Vec<(Box<str>, NodeId)> = Vec::new();
        for source in sources {
            if !self.is_shipped() {
                self.said_once(*source);
            }
            for (key, node) in self.tree.entries(*source) {
                let name = self.tree.text(key);
                let known = fields.iter().position(|field| &*field.key.text == name);
                let is_between = between.iter().any(|one| **one == *name);
                if known.is_some() && !is_between {
                    continue;
                }
                if fields.len() == FIELDS_MAX {
                    self.impossible(key, format!("a map has at most {FIELDS_MAX} fields"));
                    break;
                }
                if !self.is_path(key, name) {
                    continue;
                }
                if name == EXTENSION && position.path.is_empty() && !position.in_list {
                    let message = format!("`{EXTENSION}` is known to every dialect, and never checked");
                    self.impossible(key, message);
                }
                if name == BODY {
                    self.body(key, node, position);
                }
                if name.contains('.') {
                    let first = name.split('.').next().unwrap_or_default();
                    if fields.iter().all(|field| &*field.key.text != first) {
                        between.push(first.into());
                    }
                    named.push((name.into(), node));
                    self.dotted(&mut fields, name, key, node, position);
                    continue;
                }
                named.push((name.into(), node));
                let field = self.field(name, node, position);
                match known {
                    Some(at) => {
                        let partial = std::mem::replace(&mut fields[at], field);
                        between.retain(|one| **one != *name);
                        join(&mut fields[at], partial);
                    }
                    None => fields.push(field),
                }
            }
        }
        if !self.is_shipped() {
            self.aliases(&fields, &named);
        }
        MapShape { fields, ..MapShape::default() }
    }

    /// Puts a field at a dotted path, with the maps on the way.
    fn dotted(
        &mut self,
        fields: &mut Vec<Field>,
        name: &str,
        key: NodeId,
        node: NodeId,
        position: Position<'_>,
    ) {
        let Some((first, rest)) = name.split_once('.') else {
            if fields.iter().all(|field| &*field.key.text != name) {
                let field = self.field(name, node, position);
                fields.push(field);
            }
            return;
        };
        let known = fields.iter().position(|field| &*field.key.text == first);
        let at = known.unwrap_or_else(|| {
            let map = Shape::Map(MapShape::default());
            fields.push(self.plain_field(first, position, map));
            fields.len() - 1
        });
        let (path, is_whole) = (fields[at].path.clone(), fields[at].means.is_some());
        let Shape::Map(map) = &mut fields[at].shape else {
            return self.impossible(key, format!("`{first}` is no map, so `{name}` cannot stand in it"));
        };
        let inner = Position { path: &path, in_whole: position.in_whole || is_whole, ..position };
        let mut below = std::mem::take(&mut map.fields);
        self.dotted(&mut below, rest, key, node, inner);
        let leads = below.iter().any(|field| field.is_required || field.leads_to_required);
        map.fields = below;
        fields[at].leads_to_required |= leads;
    }

    /// The text behind front matter is text, at the top.
    fn body(&mut self, key: NodeId, node: NodeId, position: Position<'_>) {
        if !self.has_front_matter {
            self.impossible(key, format!("`{BODY}` needs `front-matter` in `written-in`"));
        } else if !position.path.is_empty() || position.in_list {
            self.impossible(key, format!("`{BODY}` stands at the top of a kind"));
        } else if !matches!(self.shape(node, Position { path: BODY, ..position }), Shape::Text(_)) {
            self.impossible(node, format!("`{BODY}` is text"));
        }
    }

    /// Other names must lead to one field each.
    fn aliases(&mut self, fields: &[Field], named: &[(Box<str>, NodeId)]) {
        let mut seen: Vec<(&str, &str, &str)> = Vec::new();
        for (path, node) in named {
            let Some(list) = self.tree.find(*node, "aliases") else { continue };
            // Names are those of one map: a dotted key stands in another one.
            let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
            let around = if parent.is_empty() {
                fields
            } else {
                let map = find_among(fields, parent).and_then(|field| field.shape.as_map());
                map.map(|map| map.fields.as_slice()).unwrap_or_default()
            };
            for (count, item) in self.tree.items(list).enumerate() {
                let alias = self.tree.text(item);
                let other = around.iter().find(|field| &*field.key.text == alias);
                let before = seen.iter().find(|(map, one, _)| (*map, *one) == (parent, alias));
                if count == ALIASES_MAX {
                    self.impossible(item, format!("a field has at most {ALIASES_MAX} other names"));
                    break;
                } else if alias == EXTENSION {
                    let message = format!("`{EXTENSION}` is known to every dialect, and no other name");
                    self.impossible(item, message);
                } else if alias == name {
                    self.impossible(item, format!("`{alias}` is the name itself"));
                } else if other.is_some() {
                    self.impossible(item, format!("`{alias}` is a field of its own, so it is no other name"));
                } else if let Some((_, _, of)) = before {
                    self.impossible(item, format!("`{alias}` is another name of `{of}` already"));
                }
                seen.push((parent, alias, name));
            }
        }
    }

    pub(super) fn field(&mut self, name: &str, node: NodeId, position: Position<'_>) -> Field {
        let mut field = self.plain_field(name, position, Shape::Any);
        if self.budget.fields == 0 {
            return field;
        }
        self.budget.fields -= 1;
        if self.budget.fields == 0 {
            self.impossible(node, "the dialect has too many fields".to_owned());
        }
        let aliases = self.tree.find(node, "aliases").map(|list| self.texts(list)).unwrap_or_default();
        let (old, aliases): (Vec<&str>, Vec<&str>) =
            aliases.into_iter().partition(|alias| alias.contains('.'));
        self.old_paths(name, node, &old, position);
        field.key = self.key(name, &aliases);
        (field.means, field.part) = self.meaning(node, position);
        let is_whole = field.means.is_some() && self.tree.find(node, "fields").is_some();
        let path = field.path.clone();
        let in_whole = position.in_whole || is_whole;
        field.shape = self.shape(node, Position { path: &path, in_whole, ..position });
        field.is_required = self.flag(node, "required");
        field.is_nullable = self.flag(node, "nullable");
        field.must_exist = self.flag(node, "exists");
        field.tokens_max = self.number(node, "tokens-max").and_then(|count| usize::try_from(count).ok());
        field.about = self.text(node, "about").unwrap_or_default().trim().into();
        field.pages = self.pages(node);
        field.or_means = match self.tree.find(node, "or-means") {
            Some(list) => self.alternatives(list),
            None => usual_alternatives(&field),
        };
        field.preset = self.preset(node);
        field.levels = self.levels(node);
        if !self.is_shipped() {
            self.note_defaults(node, &field);
            self.goes_together(node, &field);
        }
        field
    }

    /// A field that says nothing but its shape.
    pub(super) fn plain_field(&mut self, name: &str, position: Position<'_>, shape: Shape) -> Field {
        let path = match (position.path, name) {
            (path, "") => path.to_owned(),
            ("", name) => name.to_owned(),
            (path, name) => format!("{path}.{name}"),
        };
        Field {
            key: self.key(name, &[]),
            id: if position.in_list { FieldId::NONE } else { self.slot(&path) },
            is_required: false,
            leads_to_required: false,
            is_nullable: false,
            must_exist: false,
            tokens_max: None,
            about: "".into(),
            pages: Vec::new(),
            means: None,
            or_means: Vec::new(),
            part: None,
            preset: None,
            levels: Vec::new(),
            shape,
            path: path.into(),
        }
    }

    /// Remembers the paths at which a field used to stand.
    fn old_paths(&mut self, name: &str, node: NodeId, old: &[&str], position: Position<'_>) {
        if old.is_empty() {
            return;
        }
        if !position.path.is_empty() || position.in_list {
            let at = self.tree.find(node, "aliases").unwrap_or(node);
            return self.impossible(at, "only a field at the top can have stood at another path".to_owned());
        }
        let items: Vec<NodeId> =
            self.tree.find(node, "aliases").into_iter().flat_map(|list| self.tree.items(list)).collect();
        for item in items.into_iter().filter(|item| old.contains(&self.tree.text(*item))) {
            let path = self.path(item);
            self.old_places.push(item);
            self.old_paths.push((path, name.into()));
        }
    }

    /// The slot of a path; the same one where several cases have a field of that name.
    fn slot(&mut self, path: &str) -> FieldId {
        let symbol = self.index.intern(path);
        self.slots = self.slots.max(symbol.0.saturating_add(1));
        FieldId(symbol.0)
    }

    fn shape(&mut self, node: NodeId, position: Position<'_>) -> Shape {
        let find = |name: &str| self.tree.find(node, name);
        let (fields, words, of) = (find("fields"), find("words"), find("of"));
        let (on, cases, either, values) = (find("depends-on"), find("cases"), find("either"), find("values"));
        if let Some(name) = find("shape") {
            return self.named(name);
        }
        if let Some(list) = either {
            return self.either(list, position);
        }
        if let (Some(on), Some(cases)) = (on, cases) {
            return self.depends(on, cases, position);
        }
        if let Some(words) = words {
            return Shape::Words(self.words(words));
        }
        if let Some(of) = of {
            let in_list = Position { in_list: true, in_whole: true, ..position };
            return Shape::List(Box::new(self.field("", of, in_list)));
        }
        if fields.is_some() || values.is_some() {
            let mut map = self.map(&fields.into_iter().collect::<Vec<_>>(), position);
            map.is_open = self.flag(node, "open");
            let in_values = Position { in_list: true, in_whole: true, ..position };
            map.values = values.map(|values| Box::new(self.field("", values, in_values)));
            map.shorthand = self.shorthand(node, &map);
            return Shape::Map(map);
        }
        self.simple(node)
    }

    fn either(&mut self, list: NodeId, position: Position<'_>) -> Shape {
        let items: Vec<NodeId> = self.tree.items(list).collect();
        let shapes: Vec<Shape> = items.iter().map(|item| self.shape(*item, position)).collect();
        if !self.is_shipped() {
            self.told_apart(list, &items, &shapes);
        }
        Shape::Either(shapes)
    }

    fn simple(&mut self, node: NodeId) -> Shape {
        let is_word = self.tree.kind(node) == Kind::Text;
        let name = if is_word { Some(self.tree.text(node)) } else { self.text(node, "type") };
        let text = |compiler: &mut Self, names: Names, is_filled: bool| {
            Shape::Text(TextShape { pattern: compiler.pattern(node), is_filled, names })
        };
        // The form of dialect files takes words in any letters.
        let name =
            name.map(|name| TYPES.into_iter().find(|one| one.eq_ignore_ascii_case(name)).unwrap_or(name));
        match name {
            None | Some("text") => text(self, Names::Nothing, false),
            Some("name") => text(self, Names::Nothing, true),
            Some("path") => text(self, Names::Path, true),
            Some("location") => text(self, Names::Location, true),
            Some("integer") => Shape::Integer(self.number(node, "equals")),
            Some("number") => Shape::Number,
            Some("boolean") => Shape::Boolean,
            Some("date") => Shape::Date,
            Some("timestamp") => Shape::Timestamp,
            Some("list") => Shape::List(Box::new(self.anything())),
            Some("map") => open_map(),
            Some("any") => Shape::Any,
            Some(other) => {
                let at = self.tree.find(node, "type").unwrap_or(node);
                let near = nearest(other, TYPES.into_iter());
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                self.impossible(at, format!("`{other}` is no type{near}"));
                Shape::Any
            }
        }
    }

    fn anything(&mut self) -> Field {
        let position = Position { in_list: true, ..Position::TOP };
        Field { is_nullable: true, ..self.plain_field("", position, Shape::Any) }
    }

    /// The shapes that have a name; each may hold any of them.
    pub(super) fn shapes(&mut self, root: NodeId) -> Vec<Field> {
        let Some(map) = self.tree.find(root, "shapes") else { return Vec::new() };
        self.shape_names = self.tree.entries(map).map(|(key, _)| self.tree.text(key)).collect();
        let position = Position { path: "", in_list: true, in_whole: true };
        let entries: Vec<_> = self.tree.entries(map).collect();
        let shapes: Vec<Field> =
            entries.iter().map(|(key, node)| self.field(self.tree.text(*key), *node, position)).collect();
        for (at, (key, node)) in entries.iter().enumerate() {
            if !self.is_shipped() {
                self.is_no_field(*node);
            }
            if !has_room_below(&shapes[at].shape) {
                self.impossible(*key, format!("a map has at most {FIELDS_MAX} fields"));
            }
            if super::sane::is_only_itself(&shapes, at) {
                let name = self.tree.text(*key);
                self.impossible(*key, format!("the shape `{name}` is nothing but itself: a cycle"));
            }
        }
        shapes
    }

    fn named(&mut self, at: NodeId) -> Shape {
        let name = self.tree.text(at);
        match self.shape_names.iter().position(|known| *known == name) {
            Some(at) => {
                self.used_shapes.insert(name);
                Shape::Named(at)
            }
            None => {
                self.impossible(at, format!("no shape is called `{name}`"));
                Shape::Any
            }
        }
    }

    fn depends(&mut self, on: NodeId, cases: NodeId, position: Position<'_>) -> Shape {
        self.references.push(Reference { path: on, cases });
        if self.tree.entries(cases).next().is_none() {
            self.impossible(cases, "there is no case here".to_owned());
        }
        let on = self.path(on);
        let cases = self
            .tree
            .entries(cases)
            .map(|(word, fields)| (self.tree.text(word).into(), self.map(&[fields], position)))
            .collect();
        Shape::Depends { on, cases }
    }

    fn shorthand(&mut self, node: NodeId, map: &MapShape) -> Option<usize> {
        let at = self.tree.find(node, "shorthand")?;
        let name = self.tree.text(at);
        let found = map.fields.iter().position(|field| &*field.key.text == name);
        if found.is_none() {
            self.impossible(at, format!("`{name}` is no field of this map"));
        }
        found
    }

    fn words(&mut self, node: NodeId) -> Vec<EnumWord> {
        let mut words: Vec<EnumWord> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut note = |compiler: &mut Self, at: NodeId| {
            let text = compiler.tree.text(at);
            if !seen.insert(text.to_lowercase()) {
                compiler.impossible(at, format!("`{text}` stands twice among the words"));
            }
        };
        for item in self.tree.items(node) {
            note(self, item);
            words.push(EnumWord { text: self.tree.text(item).into(), also: Vec::new(), means: None });
        }
        for (key, value) in self.tree.entries(node) {
            note(self, key);
            let also = self.tree.find(value, "also");
            for item in also.into_iter().flat_map(|list| self.tree.items(list)) {
                note(self, item);
            }
            words.push(EnumWord {
                text: self.tree.text(key).into(),
                also: also
                    .map(|list| self.texts(list))
                    .unwrap_or_default()
                    .into_iter()
                    .map(Into::into)
                    .collect(),
                means: self.text(value, "means").map(Into::into),
            });
        }
        if words.is_empty() {
            self.impossible(node, "there is no word that a value could be".to_owned());
        }
        words
    }

    fn pattern(&mut self, node: NodeId) -> Option<Pattern> {
        let at = self.tree.find(node, "pattern")?;
        let regex = self.regex(at)?;
        let says = self.text(node, "says").unwrap_or_else(|| self.tree.text(at));
        Some(Pattern { regex, says: says.into() })
    }

    /// Compiles a pattern.
    pub(super) fn regex(&mut self, at: NodeId) -> Option<Expression> {
        let text = self.tree.text(at);
        if let Some(known) = self.patterns.get(text) {
            return known.clone();
        }
        if self.is_shipped() {
            let known = Some(Expression::known(text));
            self.patterns.insert(text, known.clone());
            return known;
        }
        if self.budget.patterns == 0 {
            self.impossible(at, "the dialect has too many patterns".to_owned());
            return None;
        }
        self.budget.patterns -= 1;
        let made = match Expression::new(text) {
            Ok(regex) => {
                // What takes nothing as well as these takes anything.
                let takes_all = ["", "\u{1}", "Zz9 -_\u{e4}"].into_iter().all(|odd| regex.is_match(odd));
                if takes_all {
                    let message = "the pattern matches any text, so it says nothing".to_owned();
                    let help = "begin it with ^ and end it with $ to ask for all of the text";
                    self.findings.push(findings::idle(self.tree.span(at), message).help(help));
                }
                Some(regex)
            }
            Err(regex::Error::CompiledTooBig(_)) => {
                let message = "the pattern is too large: a count such as {1000} repeats all that it counts";
                self.impossible(at, message.to_owned());
                None
            }
            Err(error) => {
                let message = error.to_string();
                let last = message.lines().last().unwrap_or_default().trim_start_matches("error: ");
                self.impossible(at, format!("the pattern cannot be used: {last}"));
                None
            }
        };
        self.patterns.insert(text, made.clone());
        made
    }

    /// Why a field is as it is: for all its faults, or for each.
    fn pages(&mut self, node: NodeId) -> Vec<(Option<Fault>, Box<str>)> {
        let Some(page) = self.tree.find(node, "page") else { return Vec::new() };
        if self.tree.kind(page) == Kind::Text {
            return vec![(None, self.tree.text(page).trim().into())];
        }
        let of = |(key, value)| Some((Some(self.fault(key)?), self.tree.text(value).trim().into()));
        self.tree.entries(page).filter_map(of).collect()
    }

    fn levels(&mut self, node: NodeId) -> Vec<(Fault, Level)> {
        let Some(map) = self.tree.find(node, "levels") else { return Vec::new() };
        let level =
            |(key, value)| Some((self.fault(key)?, Level::from_word(&self.tree.text(value).to_lowercase())?));
        self.tree.entries(map).filter_map(level).collect()
    }

    fn fault(&self, key: NodeId) -> Option<Fault> {
        Fault::ALL.into_iter().find(|fault| fault.suffix() == self.tree.text(key))
    }
}

/// Adds to a map what dotted keys said of it before it was named; they come first.
fn join(field: &mut Field, partial: Field) {
    field.leads_to_required |= partial.leads_to_required;
    let (Shape::Map(map), Shape::Map(before)) = (&mut field.shape, partial.shape) else { return };
    for inner in before.fields {
        match map.fields.iter().position(|known| known.key.text == inner.key.text) {
            Some(at) => map.fields[at] = inner,
            None => map.fields.push(inner),
        }
    }
}
