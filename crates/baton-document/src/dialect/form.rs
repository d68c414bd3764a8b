//! Compiles a definition file into a [`Dialect`].
//!
//! The shape of such a file is itself a definition file, `dialects/dialect.yaml`; what a shape cannot
//! say (a kind like one that does not exist, a pattern that is none) is found here, with its place.

use regex::RegexBuilder;

use super::{
    Condition, Dialect, DialectKind, Fault, Field, FieldId, FieldPath, Key, Keys, MapShape, Names, Pattern,
    Place, Preset, Room, Settings, Shape, TextShape, Word,
};
use crate::datum::Datum;
use crate::finding::{Finding, Level};
use crate::handoff::{Meaning, Part};
use crate::rules::dialect::impossible;
use crate::tree::{Kind, NodeId, Syntax, Tree};

/// How large a compiled pattern may be: enough for any sensible one.
const PATTERN_BYTES_MAX: usize = 1024 * 1024;

/// The fields a kind may have: each is one bit while a map is walked.
const FIELDS_MAX: usize = 64;

/// Compiles the definition file in a tree; nothing if it cannot be used at all.
pub fn compile(
    tree: &Tree<'_>,
    settings: &Settings,
    keys: &mut Keys,
    findings: &mut Vec<Finding>,
) -> Option<Dialect> {
    let root = tree.roots().next()?;
    let mut compiler = Compiler { tree, settings, keys, findings, slots: 0, index: Keys::default() };
    compiler.dialect(root)
}

struct Compiler<'c, 's> {
    tree: &'c Tree<'s>,
    settings: &'c Settings,
    keys: &'c mut Keys,
    findings: &'c mut Vec<Finding>,
    /// The slots given out for the kind being compiled.
    slots: u16,
    index: Keys,
}

/// Where a field stands while it is compiled.
#[derive(Clone, Copy)]
struct Position<'p> {
    /// The dotted path of the map around it.
    path: &'p str,
    /// Whether it is inside a list, where fields have no slot.
    in_list: bool,
    /// Whether it is inside a map or list that means something as a whole, of which it is a part.
    in_whole: bool,
}

impl<'c> Compiler<'c, '_> {
    fn dialect(&mut self, root: NodeId) -> Option<Dialect> {
        let name = self.text(root, "dialect")?.to_owned();
        let syntaxes = self.syntaxes(root);
        let places = self.places(root);
        let recognise = match self.tree.find(root, "recognise") {
            Some(node) => self.condition(node),
            None => Condition::Not(Box::new(Condition::Always)),
        };
        let catalogue = self.tree.find(root, "fields");
        let mut kinds = Vec::new();
        if let Some(map) = self.tree.find(root, "kinds") {
            let entries: Vec<_> = self.tree.entries(map).collect();
            for (key, node) in entries {
                let kind = self.kind(map, catalogue, key, node);
                kinds.push(kind);
            }
        }
        if kinds.is_empty() || syntaxes.is_empty() {
            self.impossible(root, "a dialect needs `written-in` and `kinds`".to_owned());
            return None;
        }
        Some(Dialect {
            title: self.text(root, "title").unwrap_or(&name).into(),
            about: self.text(root, "about").unwrap_or_default().trim().into(),
            name: name.into(),
            syntaxes,
            places,
            recognise,
            kinds,
            has_extensions: self
                .tree
                .find(root, "extensions")
                .is_none_or(|node| self.tree.kind(node) != Kind::False),
        })
    }

    fn syntaxes(&mut self, root: NodeId) -> Vec<Syntax> {
        let all = [Syntax::Json, Syntax::Yaml, Syntax::Xml, Syntax::Toml];
        let words = self.tree.find(root, "written-in").map(|node| self.texts(node)).unwrap_or_default();
        words.iter().filter_map(|word| all.into_iter().find(|syntax| syntax.name() == *word)).collect()
    }

    fn places(&mut self, root: NodeId) -> Vec<Place> {
        let Some(list) = self.tree.find(root, "places") else { return Vec::new() };
        let mut places = Vec::new();
        for item in self.tree.items(list) {
            match Place::new(self.tree.text(item), self.settings) {
                Ok(place) => places.push(place),
                Err(message) => self.impossible(item, message),
            }
        }
        places
    }

    fn kind(&mut self, kinds: NodeId, catalogue: Option<NodeId>, key: NodeId, node: NodeId) -> DialectKind {
        self.slots = 0;
        self.index = Keys::default();
        let base = match self.text(node, "like") {
            Some(like) => {
                let base = self.tree.find(kinds, like);
                if base.is_none() {
                    let at = self.tree.find(node, "like").unwrap_or(node);
                    self.impossible(at, format!("no kind is called `{like}`"));
                }
                base.filter(|base| *base != node)
            }
            None => None,
        };
        let inherited = |name: &str| {
            self.tree.find(node, name).or_else(|| base.and_then(|base| self.tree.find(base, name)))
        };
        let sources: Vec<NodeId> = [
            self.tree.find(node, "fields"),
            base.and_then(|base| self.tree.find(base, "fields")),
            catalogue.filter(|_| !self.flag(node, "alone")),
        ]
        .into_iter()
        .flatten()
        .collect();
        let is_partial = self.flag(node, "partial");
        let required: Vec<String> = match inherited("required") {
            Some(list) if !is_partial => self.texts(list).into_iter().map(ToOwned::to_owned).collect(),
            Some(_) | None => Vec::new(),
        };
        let (root, root_aliases) = (inherited("root"), inherited("root-aliases"));
        let also_in = inherited("also-in").map(|name| self.keys.intern(self.tree.text(name)));
        let mut map = self.map(&sources, Position { path: "", in_list: false, in_whole: false });
        // Fields that every kind has come first, as in a document.
        let is_own = |field: &Field| {
            let own = [self.tree.find(node, "fields"), base.and_then(|base| self.tree.find(base, "fields"))];
            own.into_iter().flatten().any(|fields| self.tree.find(fields, &field.key.text).is_some())
        };
        map.fields.sort_by_key(is_own);
        for path in &required {
            if !require(&mut map, path) {
                let at = inherited("required").unwrap_or(node);
                self.impossible(at, format!("`{path}` is required but is no field"));
            }
        }
        if is_partial {
            relax(&mut map);
        }
        // The order that counts is the one in which the required fields are listed.
        let is_ordered = self.flag(node, "ordered") || base.is_some_and(|base| self.flag(base, "ordered"));
        if is_ordered {
            let rank =
                |field: &Field| required.iter().position(|path| *path == *field.path).unwrap_or(usize::MAX);
            map.fields.sort_by_key(rank);
        }
        let implied = self.implied(node);
        let mut words = vec![Vec::new(); usize::from(self.slots)];
        collect_words(&map, &mut words);
        let examples = self.tree.find(node, "examples").map(|list| self.texts(list)).unwrap_or_default();
        DialectKind {
            name: self.tree.text(key).into(),
            about: self.text(node, "about").unwrap_or_default().trim().into(),
            root: root.map(|root| {
                let aliases = root_aliases.map(|list| self.texts(list)).unwrap_or_default();
                self.key(self.tree.text(root), &aliases)
            }),
            when: self.tree.find(node, "when").map_or(Condition::Always, |when| self.condition(when)),
            room: Room::of(&map),
            map,
            also_in,
            is_ordered,
            implied,
            is_open: self.flag(node, "open"),
            examples: examples.into_iter().map(Into::into).collect(),
            words,
            index: std::mem::take(&mut self.index),
            slots: usize::from(self.slots),
        }
    }

    /// Joins the fields of several maps; the first that names a field defines it.
    fn map(&mut self, sources: &[NodeId], position: Position<'_>) -> MapShape {
        let mut fields: Vec<Field> = Vec::new();
        for source in sources {
            for (key, node) in self.tree.entries(*source).collect::<Vec<_>>() {
                let name = self.tree.text(key);
                if fields.iter().any(|field| &*field.key.text == name) {
                    continue;
                }
                if fields.len() == FIELDS_MAX {
                    self.impossible(key, format!("a map has at most {FIELDS_MAX} fields"));
                    break;
                }
                let field = self.field(name, node, position);
                fields.push(field);
            }
        }
        MapShape { fields, is_open: false, values: None, shorthand: None }
    }

    fn field(&mut self, name: &str, node: NodeId, position: Position<'_>) -> Field {
        let path = match (position.path, name) {
            (path, "") => path.to_owned(),
            ("", name) => name.to_owned(),
            (path, name) => format!("{path}.{name}"),
        };
        let id = if position.in_list { FieldId::NONE } else { self.slot(&path) };
        let aliases = self.tree.find(node, "aliases").map(|list| self.texts(list)).unwrap_or_default();
        let key = self.key(name, &aliases);
        let (means, part) = self.meaning(node, position);
        let is_whole = means.is_some() && self.tree.find(node, "fields").is_some();
        let in_whole = position.in_whole || is_whole;
        let inner = Position { path: &path, in_list: position.in_list, in_whole };
        let shape = self.shape(node, inner);
        let or_means =
            self.tree.find(node, "or-means").map(|list| self.alternatives(list)).unwrap_or_default();
        Field {
            key,
            id,
            is_required: self.flag(node, "required"),
            leads_to_required: false,
            is_nullable: self.flag(node, "nullable"),
            must_exist: self.flag(node, "exists"),
            tokens_max: self.number(node, "tokens-max").and_then(|count| usize::try_from(count).ok()),
            about: self.text(node, "about").unwrap_or_default().trim().into(),
            means,
            or_means,
            part,
            preset: self.preset(node),
            levels: self.levels(node),
            shape,
            path: path.into(),
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
        if let Some(list) = either {
            let shapes = self.tree.items(list).collect::<Vec<_>>();
            return Shape::Either(shapes.into_iter().map(|item| self.shape(item, position)).collect());
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

    fn simple(&mut self, node: NodeId) -> Shape {
        let is_word = self.tree.kind(node) == Kind::Text;
        let name = if is_word { Some(self.tree.text(node)) } else { self.text(node, "type") };
        let text = |compiler: &mut Self, names: Names, is_filled: bool| {
            Shape::Text(TextShape { pattern: compiler.pattern(node), is_filled, names })
        };
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
            Some("map") => Shape::Map(MapShape { is_open: true, ..MapShape::default() }),
            Some("any") => Shape::Any,
            Some(other) => {
                let at = self.tree.find(node, "type").unwrap_or(node);
                self.impossible(at, format!("`{other}` is no type"));
                Shape::Any
            }
        }
    }

    fn anything(&mut self) -> Field {
        Field {
            key: self.key("", &[]),
            path: "".into(),
            id: FieldId::NONE,
            is_required: false,
            leads_to_required: false,
            is_nullable: true,
            must_exist: false,
            tokens_max: None,
            about: "".into(),
            means: None,
            or_means: Vec::new(),
            part: None,
            preset: None,
            levels: Vec::new(),
            shape: Shape::Any,
        }
    }

    fn depends(&mut self, on: NodeId, cases: NodeId, position: Position<'_>) -> Shape {
        let on = self.path(on);
        let entries: Vec<_> = self.tree.entries(cases).collect();
        let cases = entries
            .into_iter()
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

    fn words(&mut self, node: NodeId) -> Vec<Word> {
        let plain = |text: &str| Word { text: text.into(), also: Vec::new(), means: None };
        if self.tree.kind(node) == Kind::List {
            return self.texts(node).into_iter().map(plain).collect();
        }
        let entries: Vec<_> = self.tree.entries(node).collect();
        entries
            .into_iter()
            .map(|(key, value)| Word {
                text: self.tree.text(key).into(),
                also: self
                    .tree
                    .find(value, "also")
                    .map(|list| self.texts(list).into_iter().map(Into::into).collect())
                    .unwrap_or_default(),
                means: self.text(value, "means").map(Into::into),
            })
            .collect()
    }

    fn pattern(&mut self, node: NodeId) -> Option<Pattern> {
        let at = self.tree.find(node, "pattern")?;
        let text = self.tree.text(at);
        match RegexBuilder::new(text).size_limit(PATTERN_BYTES_MAX).build() {
            Ok(regex) => Some(Pattern { regex, says: self.text(node, "says").unwrap_or(text).into() }),
            Err(error) => {
                let message = error.to_string();
                let last = message.lines().last().unwrap_or_default().trim_start_matches("error: ");
                self.impossible(at, format!("the pattern cannot be used: {last}"));
                None
            }
        }
    }

    /// What a field means, or of what it is a part.
    fn meaning(&mut self, node: NodeId, position: Position<'_>) -> (Option<Meaning>, Option<Part>) {
        let Some(at) = self.tree.find(node, "means") else { return (None, None) };
        if !position.in_whole {
            return (self.meaning_at(at), None);
        }
        let word = self.tree.text(at);
        let part = Part::from_word(word);
        if part.is_none() {
            let words = Part::ALL.map(|(word, _)| word).join(", ");
            self.impossible(at, format!("`{word}` is no part of an entry, which is one of: {words}"));
        }
        (None, part)
    }

    /// Meanings in order of preference; those joined with `+` are told together.
    fn alternatives(&mut self, list: NodeId) -> Vec<Vec<Meaning>> {
        let items: Vec<_> = self.tree.items(list).collect();
        let together = |item: NodeId| {
            let words = self.tree.text(item).split('+');
            words.filter_map(|word| self.meaning_of(item, word.trim())).collect()
        };
        items.into_iter().map(together).collect()
    }

    fn meaning_at(&mut self, at: NodeId) -> Option<Meaning> {
        self.meaning_of(at, self.tree.text(at))
    }

    fn meaning_of(&mut self, at: NodeId, word: &str) -> Option<Meaning> {
        let meaning = Meaning::from_word(word);
        if meaning.is_none() {
            self.impossible(at, format!("the common model has no `{word}`"));
        }
        meaning
    }

    /// What a kind means without saying it.
    fn implied(&mut self, node: NodeId) -> Vec<(Meaning, Box<str>)> {
        let Some(map) = self.tree.find(node, "implies") else { return Vec::new() };
        let entries: Vec<_> = self.tree.entries(map).collect();
        entries
            .into_iter()
            .filter_map(|(key, value)| Some((self.meaning_at(key)?, self.tree.text(value).into())))
            .collect()
    }

    fn preset(&mut self, node: NodeId) -> Option<Preset> {
        let at = self.tree.find(node, "default")?;
        match self.tree.find(at, "by") {
            Some(by) => {
                let cases = self.tree.entries(at).filter(|(key, _)| self.tree.text(*key) != "by");
                let cases = cases
                    .map(|(key, value)| {
                        (self.tree.text(key).into(), Datum::of(self.tree, value).into_owned())
                    })
                    .collect();
                Some(Preset::By { on: self.tree.text(by).into(), cases })
            }
            None => Some(Preset::Always(Datum::of(self.tree, at).into_owned())),
        }
    }

    fn levels(&mut self, node: NodeId) -> Vec<(Fault, Level)> {
        let Some(map) = self.tree.find(node, "levels") else { return Vec::new() };
        let entries = self.tree.entries(map);
        entries
            .filter_map(|(key, value)| {
                let fault = Fault::ALL.into_iter().find(|fault| fault.suffix() == self.tree.text(key))?;
                Some((fault, Level::from_word(self.tree.text(value))?))
            })
            .collect()
    }

    fn condition(&mut self, node: NodeId) -> Condition {
        if self.tree.kind(node) == Kind::Text {
            return Condition::Present(self.path(node));
        }
        if self.tree.kind(node) == Kind::True {
            return Condition::Always;
        }
        let find = |name: &str| self.tree.find(node, name);
        if let Some(list) = find("all") {
            return Condition::All(self.conditions(list));
        }
        if let Some(list) = find("any") {
            return Condition::Any(self.conditions(list));
        }
        if let Some(inner) = find("not") {
            return Condition::Not(Box::new(self.condition(inner)));
        }
        if let Some(path) = find("null") {
            return Condition::Null(self.path(path));
        }
        if let (Some(_), Some(of)) = (find("at-least"), find("of")) {
            let count = self.number(node, "at-least").and_then(|count| usize::try_from(count).ok());
            return Condition::AtLeast(count.unwrap_or(1), self.conditions(of));
        }
        if let Some(glob) = find("file") {
            return self.file_condition(glob);
        }
        if let (Some(path), Some(is)) = (find("field"), find("is")) {
            let words =
                if self.tree.kind(is) == Kind::List { self.texts(is) } else { vec![self.tree.text(is)] };
            return Condition::Is(self.path(path), words.into_iter().map(Into::into).collect());
        }
        self.impossible(node, "this is no condition".to_owned());
        Condition::Not(Box::new(Condition::Always))
    }

    fn file_condition(&mut self, node: NodeId) -> Condition {
        match globset::Glob::new(self.tree.text(node)) {
            Ok(glob) => {
                let end = glob.glob().rsplit(['*', '?', ']', '}']).next().unwrap_or_default().into();
                Condition::File { glob: glob.compile_matcher(), end }
            }
            Err(error) => {
                self.impossible(node, error.kind().to_string());
                Condition::Not(Box::new(Condition::Always))
            }
        }
    }

    fn conditions(&mut self, list: NodeId) -> Vec<Condition> {
        let items: Vec<_> = self.tree.items(list).collect();
        items.into_iter().map(|item| self.condition(item)).collect()
    }

    fn path(&mut self, node: NodeId) -> FieldPath {
        let text = self.tree.text(node);
        FieldPath { text: text.into(), symbols: text.split('.').map(|key| self.keys.intern(key)).collect() }
    }

    fn key(&mut self, name: &str, aliases: &[&str]) -> Key {
        let aliases = aliases.iter().map(|alias| ((*alias).into(), self.keys.intern(alias))).collect();
        Key { text: name.into(), symbol: self.keys.intern(name), aliases }
    }

    fn text(&self, map: NodeId, key: &str) -> Option<&'c str> {
        self.tree.find(map, key).map(|node| self.tree.text(node))
    }

    fn texts(&self, list: NodeId) -> Vec<&'c str> {
        self.tree.items(list).map(|item| self.tree.text(item)).collect()
    }

    fn flag(&self, map: NodeId, key: &str) -> bool {
        self.tree.find(map, key).is_some_and(|node| self.tree.kind(node) == Kind::True)
    }

    fn number(&self, map: NodeId, key: &str) -> Option<i64> {
        self.text(map, key).and_then(|text| text.parse().ok())
    }

    fn impossible(&mut self, node: NodeId, message: String) {
        self.findings.push(impossible::finding(self.tree.span(node), message));
    }
}

/// Makes the field at a dotted path required; says false where there is none.
fn require(map: &mut MapShape, path: &str) -> bool {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let Some(field) = map.fields.iter_mut().find(|field| &*field.key.text == first) else { return false };
    match (rest, &mut field.shape) {
        (None, _) => {
            field.is_required = true;
            true
        }
        (Some(rest), Shape::Map(inner)) => {
            field.leads_to_required = true;
            require(inner, rest)
        }
        (Some(_), _) => false,
    }
}

/// Makes every field of a draft optional.
fn relax(map: &mut MapShape) {
    for field in &mut map.fields {
        field.is_required = false;
        field.shape.maps_mut().into_iter().for_each(relax);
    }
}

/// Gathers the words of each enum field by its slot.
fn collect_words(map: &MapShape, words: &mut [Vec<Box<str>>]) {
    for field in map.fields.iter().filter(|field| field.id != FieldId::NONE) {
        let either = if let Shape::Either(shapes) = &field.shape { shapes.as_slice() } else { &[] };
        let own = std::iter::once(&field.shape).chain(either);
        if let Some(own) =
            own.into_iter().find_map(|shape| if let Shape::Words(own) = shape { Some(own) } else { None })
        {
            words[usize::from(field.id.0)] = own.iter().map(|word| word.text.clone()).collect();
        }
        field.shape.maps().into_iter().for_each(|inner| collect_words(inner, words));
    }
}
