//! Compiles a definition file into a [`Dialect`].
//!
//! The shape of such a file is itself a definition file, `dialects/dialect.yaml`; what a shape cannot
//! say (a kind like one that does not exist, a pattern that is none) is found here, with its place.
//!
//! Invariant: time and memory are bounded by what a file may hold; see [`Budget`].

mod asks;
mod condition;
mod field;
mod holds;
mod meaning;
mod sane;
mod whole;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    BuiltIn, Carrier, Condition, Dialect, DialectKind, Entries, Expression, Field, FieldId, FieldPath, Forms,
    Key, Keys, MapShape, Place, Room, Roots, Settings, Shape, Source, shipped,
};
use crate::check::{Given, boolean_word, misfits};
use crate::finding::Finding;
use crate::rules::dialect::impossible;
use crate::tree::{Kind, NodeId, Symbol, Syntax, Tree};
use asks::Known;
use condition::Asked;
use holds::{Goal, can_hold};
use sane::Reference;

/// The field that is the text behind front matter.
pub(crate) const BODY: &str = "#body";

/// What stands around the handoffs of a file, as a kind: the second part of its rules' ids.
pub(crate) const AROUND: &str = "around";

/// The kinds of one dialect.
const KINDS_MAX: usize = 64;

/// The places of one dialect.
const PLACES_MAX: usize = 64;

/// The characters of a place.
const PLACE_CHARS_MAX: usize = 1024;

/// The parts of a dotted path.
const PARTS_MAX: usize = 16;

/// Compiles the definition file in a tree; nothing if it cannot be used at all.
pub fn compile(
    tree: &Tree<'_>,
    settings: &Settings,
    keys: &mut Keys,
    findings: &mut Vec<Finding>,
) -> Option<Dialect> {
    let root = tree.roots().next()?;
    let mut compiler = Compiler::new(tree, settings, Numbers::Growing(keys), findings);
    let dialect = compiler.dialect(root)?;
    let given = std::mem::take(&mut compiler.given);
    misfits(&dialect, &given, keys, findings);
    Some(dialect)
}

/// Compiles of a definition file that ships what its documents are recognised by; the rest follows when one comes.
pub(super) fn brief(tree: &Tree<'_>, settings: &Settings, file: &'static BuiltIn) -> Option<Dialect> {
    let root = tree.roots().next()?;
    let (numbers, findings) = (Numbers::Shipped(shipped::keys()), &mut Vec::new());
    let mut compiler = Compiler::new(tree, settings, numbers, findings);
    let mut dialect = compiler.head(root, Source::Shipped(file))?;
    let shared = compiler.shared(root);
    dialect.captures = compiler.captures(&shared, &mut dialect.places);
    for (_, kind) in tree.entries(shared.kinds) {
        let chain = compiler.bases(shared.kinds, kind);
        dialect.roots.add(compiler.root(&chain));
    }
    Some(dialect)
}

/// Compiles of a definition file that ships what its documents look like.
pub(super) fn forms(tree: &Tree<'_>) -> Option<Forms> {
    let root = tree.roots().next()?;
    let (settings, findings) = (Settings::default(), &mut Vec::new());
    let mut compiler = Compiler::new(tree, &settings, Numbers::Shipped(shipped::keys()), findings);
    compiler.has_front_matter = compiler.carriers(root).contains(&Carrier::FrontMatter);
    let shared = compiler.shared(root);
    Some(compiler.forms(root, &shared))
}

struct Compiler<'c, 's> {
    tree: &'c Tree<'s>,
    settings: &'c Settings,
    keys: Numbers<'c>,
    findings: &'c mut Vec<Finding>,
    /// The slots given out for the kind being compiled.
    slots: u16,
    index: Keys,
    /// Whether documents of the dialect may be front matter, which has a body.
    has_front_matter: bool,
    /// The shapes that have a name.
    shape_names: Vec<&'c str>,
    /// Where fields of the kind being compiled used to stand.
    old_paths: Vec<(FieldPath, Box<str>)>,
    /// What conditions ask of fields.
    asked: Vec<Asked>,
    /// What fields of the kind being compiled depend on.
    references: Vec<Reference>,
    /// What stands in fields when nothing says it, each once.
    given: Vec<Given>,
    /// Other names of the kind being compiled that are old places, where they are said.
    old_places: Vec<NodeId>,
    /// The shapes with a name that something has.
    used_shapes: FxHashSet<&'c str>,
    /// What was said, and where: fields that all kinds share are compiled for each of them.
    said: FxHashSet<(u32, String)>,
    budget: Budget,
    /// Each pattern is compiled once, however many kinds have it.
    patterns: FxHashMap<&'c str, Option<Expression>>,
}

/// What gives keys their symbols.
enum Numbers<'k> {
    /// A key that is new gets a new one.
    Growing(&'k mut Keys),
    /// All keys of the files that ship have theirs, and the files are known to be right.
    Shipped(&'static Keys),
}

impl Numbers<'_> {
    fn intern(&mut self, key: &str) -> Symbol {
        match self {
            Numbers::Growing(keys) => keys.intern(key),
            Numbers::Shipped(keys) => keys.symbol(key),
        }
    }
}

/// What one definition file may still use.
struct Budget {
    /// Fields, counted in every kind that has them.
    fields: usize,
    /// Different patterns.
    patterns: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { fields: 4096, patterns: 128 }
    }
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

impl Position<'_> {
    /// At the top of a kind.
    const TOP: Position<'static> = Position { path: "", in_list: false, in_whole: false };
}

/// What every kind of a dialect shares.
struct Shared<'r> {
    root: NodeId,
    kinds: NodeId,
    /// Fields that every kind may have.
    catalogue: Option<NodeId>,
    /// Fields that stand around the handoffs of a file.
    around: Option<NodeId>,
    /// Fields that the path of a file gives.
    captures: Option<NodeId>,
    /// The field that the key of a handoff gives.
    key: Option<&'r str>,
    /// What says where the handoffs stand.
    entries: Option<NodeId>,
}

impl<'c, 's> Compiler<'c, 's> {
    fn new(
        tree: &'c Tree<'s>,
        settings: &'c Settings,
        keys: Numbers<'c>,
        findings: &'c mut Vec<Finding>,
    ) -> Self {
        Self {
            tree,
            settings,
            keys,
            findings,
            slots: 0,
            index: Keys::default(),
            has_front_matter: false,
            shape_names: Vec::new(),
            old_paths: Vec::new(),
            asked: Vec::new(),
            references: Vec::new(),
            given: Vec::new(),
            old_places: Vec::new(),
            used_shapes: FxHashSet::default(),
            said: FxHashSet::default(),
            budget: Budget::default(),
            patterns: FxHashMap::default(),
        }
    }

    /// Whether the file ships with Baton, so that nothing in it needs to be proven.
    fn is_shipped(&self) -> bool {
        matches!(self.keys, Numbers::Shipped(_))
    }

    fn dialect(&mut self, root: NodeId) -> Option<Dialect> {
        let none = Forms { kinds: Vec::new(), entries: None, has_body: false, shapes: Vec::new() };
        let mut dialect = self.head(root, Source::Made(Box::new(none)))?;
        let shared = self.shared(root);
        let asked = std::mem::take(&mut self.asked);
        let forms = self.forms(root, &shared);
        if forms.kinds.is_empty() || dialect.syntaxes.is_empty() {
            self.says_nothing(root);
            return None;
        }
        let is_xml = dialect.syntaxes.contains(&Syntax::Xml);
        let around = forms.entries.as_deref().map(|entries| &entries.around);
        let kinds = around.map_or_else(|| forms.kinds.iter().collect(), |around| vec![around]);
        self.asks_for_fields(&asked, &Known { kinds, shapes: &forms.shapes, is_xml });
        let recognise = self.tree.find(root, "recognise").filter(|node| self.tree.kind(*node) == Kind::Map);
        if let Some(node) = recognise.filter(|_| !can_hold(&[Goal::Is(&dialect.recognise, true)])) {
            self.never_holds(node, "this can never hold");
        }
        dialect.captures = self.captures(&shared, &mut dialect.places);
        self.captured_fields(root, &dialect.places, &forms.kinds);
        if let Some(captures) = shared.captures {
            self.captures_are_single(captures, &forms.kinds, &dialect.places);
        }
        if let Some(shapes) = self.tree.find(root, "shapes") {
            self.shapes_are_used(shapes);
        }
        forms.kinds.iter().for_each(|kind| dialect.roots.add(kind.root.clone()));
        dialect.forms = Source::Made(Box::new(forms));
        Some(dialect)
    }

    /// Says what a dialect lacks; what is there and is of another form is said by the form of dialect files.
    fn says_nothing(&mut self, root: NodeId) {
        for (key, what) in [("written-in", "notation"), ("kinds", "kind")] {
            match self.tree.find(root, key) {
                None => self.impossible(root, format!("a dialect needs `{key}`")),
                Some(at)
                    if self.tree.items(at).next().is_none() && self.tree.entries(at).next().is_none() =>
                {
                    self.impossible(at, format!("there is no {what} here, and a dialect needs one"));
                }
                Some(_) => {}
            }
        }
    }

    /// What documents are recognised by, but for the roots of the kinds and what a path gives.
    fn head(&mut self, root: NodeId, forms: Source) -> Option<Dialect> {
        let name = self.text(root, "dialect")?;
        let carriers = self.carriers(root);
        self.has_front_matter = carriers.contains(&Carrier::FrontMatter);
        let places = self.places(root);
        let recognise = match self.tree.find(root, "recognise") {
            Some(node) => self.condition(node),
            None => Condition::Not(Box::new(Condition::Always)),
        };
        let mut syntaxes = Vec::new();
        for syntax in carriers.iter().map(|carrier| carrier.syntax()) {
            if !syntaxes.contains(&syntax) {
                syntaxes.push(syntax);
            }
        }
        Some(Dialect {
            title: self.text(root, "title").unwrap_or(name).into(),
            about: self.text(root, "about").unwrap_or_default().trim().into(),
            name: name.into(),
            carriers,
            syntaxes,
            places,
            recognise,
            roots: Roots::default(),
            captures: Vec::new(),
            has_extensions: self.truth(root, "extensions") != Some(false),
            forms,
        })
    }

    /// What documents look like once they are recognised.
    fn forms(&mut self, root: NodeId, shared: &Shared<'_>) -> Forms {
        let shapes = self.shapes(root);
        let of_shapes = std::mem::take(&mut self.references);
        let kinds: Vec<DialectKind> =
            self.tree.find(root, "kinds").map(|map| self.kinds(map, shared, &shapes)).unwrap_or_default();
        self.shapes_refer_to_fields(&of_shapes, &kinds);
        let entries = shared.entries.filter(|_| !kinds.is_empty() && !self.carriers(root).is_empty());
        let entries = entries.map(|at| Box::new(self.entries(at, shared)));
        let is_body = |field: &Field| &*field.key.text == BODY;
        let has_body = kinds.iter().any(|kind| kind.map.fields.iter().any(is_body));
        Forms { kinds, entries, has_body, shapes }
    }

    fn shared(&self, root: NodeId) -> Shared<'c> {
        let entries = self.tree.find(root, "entries");
        Shared {
            root,
            kinds: self.tree.find(root, "kinds").unwrap_or(root),
            catalogue: self.tree.find(root, "fields"),
            around: entries.and_then(|entries| self.tree.find(entries, AROUND)),
            captures: self.tree.find(root, "captures"),
            key: entries.and_then(|entries| self.text(entries, "key")),
            entries: entries.map(|entries| self.tree.find(entries, "at").unwrap_or(entries)),
        }
    }

    fn carriers(&mut self, root: NodeId) -> Vec<Carrier> {
        let words = self.tree.find(root, "written-in").map(|node| self.texts(node)).unwrap_or_default();
        let carrier = |word: &str| Carrier::ALL.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
        words.into_iter().filter_map(|word| carrier(word).map(|(_, carrier)| carrier)).collect()
    }

    fn places(&mut self, root: NodeId) -> Vec<Place> {
        let Some(list) = self.tree.find(root, "places") else { return Vec::new() };
        let mut places = Vec::new();
        for item in self.tree.items(list) {
            if places.len() == PLACES_MAX {
                self.impossible(item, format!("a dialect has at most {PLACES_MAX} places"));
                break;
            }
            let text = self.tree.text(item);
            if text.len() > PLACE_CHARS_MAX {
                self.impossible(item, format!("a place has at most {PLACE_CHARS_MAX} characters"));
                continue;
            }
            let leads_out = text.starts_with('/') || text.split('/').any(|part| part == "..");
            let made = if self.is_shipped() { Place::known } else { Place::new };
            match made(text, self.settings) {
                Ok(_) if leads_out => {
                    self.impossible(item, "a place is a path below the root of the project".to_owned());
                }
                Ok(place) => places.push(place),
                Err(message) => self.impossible(item, message),
            }
        }
        places
    }

    fn kinds(&mut self, map: NodeId, shared: &Shared<'_>, shapes: &[Field]) -> Vec<DialectKind> {
        let mut kinds: Vec<DialectKind> = Vec::new();
        let mut asked = Vec::new();
        for (key, node) in self.tree.entries(map) {
            if kinds.len() == KINDS_MAX {
                self.impossible(key, format!("a dialect has at most {KINDS_MAX} kinds"));
                break;
            }
            let mut kind = self.kind(shared, key, node);
            if shared.entries.is_some() && &*kind.name == AROUND {
                self.impossible(key, format!("`{AROUND}` is what stands around the entries, and no kind"));
            }
            // Of an open kind anything can be asked: it is known by nothing else.
            asked.extend(std::mem::take(&mut self.asked).into_iter().filter(|_| !kind.is_open));
            if !self.is_shipped() {
                self.can_be_reached(key, node, &kind, &kinds);
            }
            kind.leave_to(&kinds);
            kinds.push(kind);
        }
        let is_xml = self
            .tree
            .find(shared.root, "written-in")
            .is_some_and(|list| self.texts(list).iter().any(|word| word.eq_ignore_ascii_case("xml")));
        self.asks_for_fields(&asked, &Known { kinds: kinds.iter().collect(), shapes, is_xml });
        kinds
    }

    /// The kinds that a kind is like, the nearest first.
    fn bases(&mut self, kinds: NodeId, node: NodeId) -> Vec<NodeId> {
        let mut chain = vec![node];
        let mut at = node;
        while let Some(like) = self.tree.find(at, "like") {
            let name = self.tree.text(like);
            match self.tree.find(kinds, name) {
                None => {
                    self.impossible(like, format!("no kind is called `{name}`"));
                    break;
                }
                Some(base) if chain.contains(&base) => {
                    self.impossible(like, format!("`{name}` is like this kind already: a cycle"));
                    break;
                }
                Some(base) => {
                    chain.push(base);
                    at = base;
                }
            }
        }
        chain
    }

    /// What wraps a kind, given the kinds that it is like.
    fn root(&mut self, chain: &[NodeId]) -> Option<Key> {
        let inherited = |name: &str| chain.iter().find_map(|one| self.tree.find(*one, name));
        let aliases = inherited("root-aliases").map(|list| self.texts(list)).unwrap_or_default();
        inherited("root").map(|root| self.key(self.tree.text(root), &aliases))
    }

    fn kind(&mut self, shared: &Shared<'_>, key: NodeId, node: NodeId) -> DialectKind {
        let tree = self.tree;
        let chain = self.bases(shared.kinds, node);
        let inherited = |name: &str| chain.iter().find_map(|one| tree.find(*one, name));
        let is_set = |name: &str| inherited(name).is_some_and(|flag| truth_of(tree, flag) == Some(true));
        let own = chain.iter().filter_map(|one| tree.find(*one, "fields"));
        let catalogue = shared.catalogue.filter(|_| !is_set("alone"));
        let sources: Vec<NodeId> = own.chain(catalogue).chain(shared.around).chain(shared.captures).collect();
        let is_partial = self.flag(node, "partial");
        let required = inherited("required").filter(|_| !is_partial);
        let mut kind = self.made(tree.text(key), &sources, required, shared.key);
        // Fields that every kind has come first, as in a document.
        let is_own = |field: &Field| {
            let names = |fields| tree.entries(fields).map(|(key, _)| tree.text(key));
            let mut own = chain.iter().filter_map(|one| tree.find(*one, "fields")).flat_map(names);
            own.any(|name| name.split('.').next() == Some(&*field.key.text))
        };
        kind.map.fields.sort_by_key(is_own);
        if is_partial {
            relax(&mut kind.map);
        }
        // The order that counts is the one in which the required fields are listed.
        kind.is_request = is_set("request");
        kind.is_ordered = is_set("ordered");
        if kind.is_ordered {
            let required = required.map(|list| self.texts(list)).unwrap_or_default();
            let rank =
                |field: &Field| required.iter().position(|path| **path == *field.path).unwrap_or(usize::MAX);
            kind.map.fields.sort_by_key(rank);
        }
        kind.about = self.text(node, "about").unwrap_or_default().trim().into();
        kind.root = self.root(&chain);
        if let Some(root) = inherited("root").filter(|_| shared.entries.is_some()) {
            self.impossible(root, "handoffs that are entries have no root of their own".to_owned());
        }
        if let Some(when) = tree.find(node, "when") {
            kind.when = self.condition(when);
        }
        if let Some(name) = inherited("also-in") {
            kind.also_in = Some(self.keys.intern(tree.text(name)));
            self.must_be_field(name, tree.text(name), &kind.map);
        }
        kind.implied = inherited("implies").map(|map| self.implied(map, &kind.map)).unwrap_or_default();
        kind.is_open = is_set("open");
        if !self.is_shipped() {
            let old_places = std::mem::take(&mut self.old_places);
            self.old_places_are_free(&kind, &old_places);
            self.refers_to_fields(&kind.map);
            self.kind_goes_together(key, &chain);
        }
        self.examples(node, &mut kind);
        self.positions(&mut kind);
        kind.map.note_reach();
        kind
    }

    /// A kind with the fields of some maps, of which some must be there.
    fn made(
        &mut self,
        name: &str,
        sources: &[NodeId],
        required: Option<NodeId>,
        key: Option<&str>,
    ) -> DialectKind {
        self.slots = 0;
        self.index = Keys::default();
        self.old_paths = Vec::new();
        self.references = Vec::new();
        self.old_places = Vec::new();
        let mut map = self.map(sources, Position::TOP);
        if let Some(key) = key.filter(|key| map.fields.iter().all(|field| *field.key.text != **key)) {
            let field = self.plain_field(key, Position::TOP, Shape::Text(super::TextShape::default()));
            map.fields.push(field);
        }
        if let Some(at) = sources.first().filter(|_| !has_room(&map)) {
            let most = field::FIELDS_MAX;
            self.impossible(*at, format!("a map has at most {most} fields, those of dotted keys included"));
            map = MapShape::default();
        }
        for item in required.into_iter().flat_map(|list| self.tree.items(list)) {
            let path = self.tree.text(item);
            if !require(&mut map, path) {
                self.impossible(item, format!("`{path}` is required but is no field"));
            }
        }
        let mut words = vec![Vec::new(); usize::from(self.slots)];
        collect_words(&map, &mut words);
        DialectKind {
            name: name.into(),
            about: "".into(),
            root: None,
            when: Condition::Always,
            room: Room::default(),
            map,
            also_in: None,
            is_request: false,
            is_ordered: false,
            implied: Vec::new(),
            is_open: false,
            examples: Vec::new(),
            example_files: Vec::new(),
            old_paths: Vec::new(),
            words,
            index: std::mem::take(&mut self.index),
            slots: usize::from(self.slots),
        }
    }

    fn examples(&mut self, node: NodeId, kind: &mut DialectKind) {
        for item in self.tree.find(node, "examples").into_iter().flat_map(|list| self.tree.items(list)) {
            let text = self.text(item, "text").unwrap_or_else(|| self.tree.text(item));
            kind.examples.push(text.into());
            kind.example_files.push(self.text(item, "file").map(Into::into));
        }
    }

    /// Where the fields with old paths stand, now that they are in order.
    fn positions(&mut self, kind: &mut DialectKind) {
        for (path, name) in std::mem::take(&mut self.old_paths) {
            if let Some(at) = kind.map.fields.iter().position(|field| field.key.text == name) {
                kind.old_paths.push((path, at));
            }
        }
    }

    /// What stands around the handoffs of a file.
    fn entries(&mut self, at: NodeId, shared: &Shared<'_>) -> Entries {
        let sources: Vec<NodeId> = shared.around.into_iter().collect();
        let mut around = self.made(AROUND, &sources, None, None);
        self.refers_to_fields(&around.map);
        around.about = "What stands around the handoffs of a file.".into();
        let shared_keys = around.map.fields.iter().map(|field| field.key.clone()).collect();
        self.positions(&mut around);
        let path = self.path(at);
        self.entries_can_stand(at, &path.text, shared.key, &around.map);
        let first = path.text.split('.').next().unwrap_or_default();
        if around.map.fields.iter().all(|field| &*field.key.text != first) {
            let one = self.plain_field("", Position { in_list: true, ..Position::TOP }, open_map());
            let one = Field { path: path.text.clone(), ..one };
            let shape = match shared.key {
                Some(_) => Shape::Map(MapShape { values: Some(Box::new(one)), ..MapShape::default() }),
                None => Shape::List(Box::new(one)),
            };
            self.put_entries(&mut around, &path.text, shape);
        }
        if around.map.fields.len() > field::FIELDS_MAX {
            self.impossible(at, "there is no room around the entries for one more field".to_owned());
            around.map.fields.truncate(field::FIELDS_MAX);
        }
        let key = shared.key.map(|key| self.key(key, &[]));
        Entries { at: path, key, around, shared: shared_keys }
    }

    /// Puts the field of the entries into what stands around them, which needs it.
    fn put_entries(&mut self, around: &mut DialectKind, path: &str, shape: Shape) {
        self.index = std::mem::take(&mut around.index);
        self.slots = u16::try_from(around.slots).unwrap_or(u16::MAX);
        let mut names: Vec<&str> = path.split('.').collect();
        let last = names.pop().unwrap_or_default();
        let parents = names.join(".");
        let mut field = self.plain_field(last, Position { path: &parents, ..Position::TOP }, shape);
        field.is_required = true;
        field.about = "The handoffs.".into();
        for at in (0..names.len()).rev() {
            let parents = names[..at].join(".");
            let map = MapShape { fields: vec![field], ..MapShape::default() };
            field =
                self.plain_field(names[at], Position { path: &parents, ..Position::TOP }, Shape::Map(map));
            field.leads_to_required = true;
        }
        around.map.fields.push(field);
        around.index = std::mem::take(&mut self.index);
        around.slots = usize::from(self.slots);
        around.words.resize(around.slots, Vec::new());
    }

    /// The fields that the path of a file gives.
    fn captures(&mut self, shared: &Shared<'_>, places: &mut [Place]) -> Vec<Key> {
        let Some(map) = shared.captures else { return Vec::new() };
        let mut captures = Vec::new();
        for (key, _) in self.tree.entries(map) {
            let name = self.tree.text(key);
            if name.contains('.') {
                self.impossible(key, format!("`{name}` has a dot: a path gives fields at the top only"));
            } else if !places.iter().any(|place| place.captures().any(|capture| capture == name)) {
                self.impossible(key, format!("no place has a capture `{{{name}}}`"));
            } else {
                captures.push(self.key(name, &[]));
            }
        }
        if let Some(message) = places.iter_mut().find_map(|place| place.take_captures().err()) {
            self.impossible(map, message);
        }
        captures
    }

    /// A capture with a dot means a field, so that there must be one.
    fn captured_fields(&mut self, root: NodeId, places: &[Place], kinds: &[DialectKind]) {
        let Some(list) = self.tree.find(root, "places") else { return };
        for item in self.tree.items(list) {
            let place = places.iter().find(|place| *place.text == *self.tree.text(item));
            let names = place.into_iter().flat_map(Place::captures).filter(|name| name.contains('.'));
            for name in names {
                if kinds.iter().all(|kind| kind.slot(name).is_none()) {
                    self.impossible(item, format!("`{{{name}}}` is the path of no field"));
                }
            }
        }
    }

    /// Asks for a field that something refers to.
    fn must_be_field(&mut self, at: NodeId, path: &str, map: &MapShape) {
        if find_field(map, path).is_none() {
            self.impossible(at, format!("`{path}` is no field of this kind"));
        }
    }

    fn path(&mut self, node: NodeId) -> FieldPath {
        let text = self.tree.text(node);
        if self.is_path(node, text) { self.path_of(text) } else { self.path_of("") }
    }

    /// Whether a text is a path that fields can have; says so where it is not.
    fn is_path(&mut self, node: NodeId, text: &str) -> bool {
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

    fn path_of(&mut self, text: &str) -> FieldPath {
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
        self.truth(map, key) == Some(true)
    }

    fn truth(&self, map: NodeId, key: &str) -> Option<bool> {
        self.tree.find(map, key).and_then(|node| truth_of(self.tree, node))
    }

    /// A whole number, however it is written: `1.0` is one.
    fn number(&self, map: NodeId, key: &str) -> Option<i64> {
        let text = self.text(map, key)?;
        let whole = text.split_once('.').filter(|(_, rest)| rest.bytes().all(|digit| digit == b'0'));
        whole.map_or(text, |(whole, _)| whole).parse().ok()
    }

    fn impossible(&mut self, node: NodeId, message: String) {
        self.refuse(node, message, None);
    }

    /// Says once what cannot be used, and what would help.
    fn refuse(&mut self, node: NodeId, message: String, help: Option<String>) {
        let span = self.tree.span(node);
        if self.said.insert((span.start, message.clone())) {
            let finding = impossible::finding(span, message);
            self.findings.push(match help {
                Some(help) => finding.help(help),
                None => finding,
            });
        }
    }
}

/// Whether something is so; the form of dialect files takes words for it too.
fn truth_of(tree: &Tree<'_>, node: NodeId) -> Option<bool> {
    match tree.kind(node) {
        Kind::True => Some(true),
        Kind::False => Some(false),
        Kind::Text => boolean_word(tree.text(node)),
        Kind::Null | Kind::Integer | Kind::Float | Kind::List | Kind::Map | Kind::Broken => None,
    }
}

/// Whether each map has few enough fields to be walked.
fn has_room(map: &MapShape) -> bool {
    let fields = || map.fields.iter().chain(map.values.as_deref());
    map.fields.len() <= field::FIELDS_MAX && fields().all(|field| has_room_below(&field.shape))
}

fn has_room_below(shape: &Shape) -> bool {
    match shape {
        Shape::List(item) => has_room_below(&item.shape),
        Shape::Map(map) => has_room(map),
        Shape::Depends { cases, .. } => cases.iter().all(|(_, map)| has_room(map)),
        Shape::Either(shapes) => shapes.iter().all(has_room_below),
        Shape::Any
        | Shape::Text(_)
        | Shape::Words(_)
        | Shape::Integer(_)
        | Shape::Number
        | Shape::Boolean
        | Shape::Date
        | Shape::Timestamp
        | Shape::Named(_) => true,
    }
}

/// A map of anything.
fn open_map() -> Shape {
    Shape::Map(MapShape { is_open: true, ..MapShape::default() })
}

/// The field at a dotted path, through maps.
fn find_field<'m>(map: &'m MapShape, path: &str) -> Option<&'m Field> {
    find_among(&map.fields, path)
}

fn find_among<'m>(fields: &'m [Field], path: &str) -> Option<&'m Field> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let field = fields.iter().find(|field| &*field.key.text == first)?;
    match rest {
        None => Some(field),
        Some(rest) => field.shape.maps().into_iter().find_map(|inner| find_field(inner, rest)),
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
        field.leads_to_required = false;
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
