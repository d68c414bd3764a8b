//! The kinds of a dialect: what each is like, holds and is known by.

use super::super::{Capacity, Condition, DialectKind, Field, Key, Keys, MapShape, Shape, TextShape};
use super::asks::KnownFields;
use super::field::FIELDS_MAX;
use super::given::truth_of;
use super::map::{collect_words, has_room, relax, require};
use super::{AROUND, Compiler, NodeId, Position, Shared};

/// The kinds of one dialect.
const KINDS_MAX: usize = 64;

impl Compiler<'_, '_> {
    pub(super) fn kinds(&mut self, map: NodeId, shared: &Shared<'_>, shapes: &[Field]) -> Vec<DialectKind> {
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
        self.asks_for_fields(&asked, &KnownFields { kinds: kinds.iter().collect(), shapes, is_xml });
        kinds
    }

    /// The kinds that a kind is like, the nearest first.
    pub(super) fn bases(&mut self, kinds: NodeId, node: NodeId) -> Vec<NodeId> {
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

    /// Root of a kind, given the kinds that it is like.
    pub(super) fn root(&mut self, chain: &[NodeId]) -> Option<Key> {
        let inherited = |name: &str| chain.iter().find_map(|one| self.tree.find(*one, name));
        let aliases = inherited("root-aliases").map(|list| self.texts(list)).unwrap_or_default();
        inherited("root").map(|root| self.key(self.tree.text(root), &aliases))
    }

    pub(super) fn kind(&mut self, shared: &Shared<'_>, key: NodeId, node: NodeId) -> DialectKind {
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
            self.means_once(&kind.map, &sources);
            self.kind_goes_together(key, &chain);
        }
        self.examples(node, &mut kind);
        self.positions(&mut kind);
        kind.map.note_reach();
        kind
    }

    /// A kind with the fields of some maps, of which some must be there.
    pub(super) fn made(
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
            let field = self.plain_field(key, Position::TOP, Shape::Text(TextShape::default()));
            map.fields.push(field);
        }
        if let Some(at) = sources.first().filter(|_| !has_room(&map)) {
            let most = FIELDS_MAX;
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
            capacity: Capacity::default(),
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

    pub(super) fn examples(&mut self, node: NodeId, kind: &mut DialectKind) {
        for item in self.tree.find(node, "examples").into_iter().flat_map(|list| self.tree.items(list)) {
            let text = self.text(item, "text").unwrap_or_else(|| self.tree.text(item));
            kind.examples.push(text.into());
            kind.example_files.push(self.text(item, "file").map(Into::into));
        }
    }

    /// Positions of the fields with old paths, now that they are in order.
    pub(super) fn positions(&mut self, kind: &mut DialectKind) {
        for (path, name) in std::mem::take(&mut self.old_paths) {
            if let Some(at) = kind.map.fields.iter().position(|field| field.key.text == name) {
                kind.old_paths.push((path, at));
            }
        }
    }
}
