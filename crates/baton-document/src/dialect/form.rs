//! Compiles a definition file into a [`Dialect`].
//!
//! The shape of such a file is itself a definition file, `dialects/dialect.yaml`; what a shape cannot
//! say (a kind like one that does not exist, a pattern that is none) is found here, with its place.
//!
//! Invariant: time and memory are bounded by what a file may hold; see [`Budget`].

mod asks;
mod condition;
mod entries;
mod field;
mod given;
mod holds;
mod kind;
mod map;
mod meaning;
mod sane;
mod whole;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    BuiltIn, Carrier, Condition, Dialect, DialectKind, Expression, Field, FieldPath, Forms, Keys, Roots,
    Settings, Source, shipped,
};
use crate::datum::Datum;
use crate::finding::Finding;
use crate::span::Span;
use crate::tree::{Kind, NodeId, Symbol, Syntax, Tree};
use asks::KnownFields;
use condition::FieldQuery;
use holds::{Goal, can_hold};
use sane::Reference;

/// The field that is the text behind front matter.
pub(crate) const BODY: &str = "#body";

/// Name of the kind around the handoffs of a file: the second part of its rules' ids.
pub(crate) const AROUND: &str = "around";

/// A compiled definition file, with the values that are still to be held against its fields.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// The dialect.
    pub(crate) dialect: Dialect,
    pub(crate) defaults: Vec<DefaultValue>,
}

/// Content of a field when nothing says it.
#[derive(Debug)]
pub(crate) struct DefaultValue {
    /// Its place in the dialect file.
    pub(crate) span: Span,
    /// The field.
    pub(crate) field: Field,
    /// The value.
    pub(crate) value: Datum<'static>,
}

/// Compiles the definition file in a tree; nothing if it cannot be used at all.
pub(crate) fn compile(
    tree: &Tree<'_>,
    settings: &Settings,
    keys: &mut Keys,
    findings: &mut Vec<Finding>,
) -> Option<Compiled> {
    let root = tree.roots().next()?;
    let mut compiler = Compiler::new(tree, settings, Numbers::Growing(keys), findings);
    let dialect = compiler.dialect(root)?;
    Some(Compiled { dialect, defaults: std::mem::take(&mut compiler.given) })
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
    /// True if documents of the dialect may be front matter, which has a body.
    has_front_matter: bool,
    /// True if they are all XML, where names and attributes are not just anything.
    is_all_xml: bool,
    /// The shapes that have a name.
    shape_names: Vec<&'c str>,
    /// Old places of fields of the kind being compiled.
    old_paths: Vec<(FieldPath, Box<str>)>,
    /// Fields that conditions refer to.
    asked: Vec<FieldQuery>,
    /// Fields that those of the kind being compiled depend on.
    references: Vec<Reference>,
    /// Default values of fields, each once.
    given: Vec<DefaultValue>,
    /// Other names of the kind being compiled that are old places, where they are said.
    old_places: Vec<NodeId>,
    /// The shapes with a name that something has.
    used_shapes: FxHashSet<&'c str>,
    /// Findings so far, by place: fields that all kinds share are compiled for each of them.
    said: FxHashSet<(u32, String)>,
    /// The maps of fields that were looked through for fields that stand there twice.
    looked_through: FxHashSet<NodeId>,
    budget: Budget,
    /// Each pattern is compiled once, however many kinds have it.
    patterns: FxHashMap<&'c str, Option<Expression>>,
}

/// Source of the symbols of keys.
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

/// Remaining budget of one definition file.
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

/// Place of a field while it is compiled.
#[derive(Clone, Copy)]
struct Position<'p> {
    /// The dotted path of the map around it.
    path: &'p str,
    /// True if it is inside a list, where fields have no slot.
    in_list: bool,
    /// True if it is inside a map or list that means something as a whole, of which it is a part.
    in_whole: bool,
}

impl Position<'_> {
    /// At the top of a kind.
    const TOP: Position<'static> = Position { path: "", in_list: false, in_whole: false };
}

/// Parts that all kinds of a dialect share.
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
    /// Node with the place of the handoffs.
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
            is_all_xml: false,
            shape_names: Vec::new(),
            old_paths: Vec::new(),
            asked: Vec::new(),
            references: Vec::new(),
            given: Vec::new(),
            old_places: Vec::new(),
            used_shapes: FxHashSet::default(),
            said: FxHashSet::default(),
            looked_through: FxHashSet::default(),
            budget: Budget::default(),
            patterns: FxHashMap::default(),
        }
    }

    /// Tells whether the file ships with Baton, so that nothing in it needs to be proven.
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
        self.asks_for_fields(&asked, &KnownFields { kinds, shapes: &forms.shapes, is_xml });
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

    /// Compiles the marks of its documents, but for the roots of the kinds and the captures of paths.
    fn head(&mut self, root: NodeId, forms: Source) -> Option<Dialect> {
        let name = self.text(root, "dialect")?;
        let carriers = self.carriers(root);
        self.has_front_matter = carriers.contains(&Carrier::FrontMatter);
        self.is_all_xml = carriers.iter().all(|carrier| *carrier == Carrier::Text(Syntax::Xml));
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

    /// Compiles the forms of its documents.
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
}
