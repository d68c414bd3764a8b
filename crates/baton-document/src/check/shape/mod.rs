//! Walks a document along the shape of its kind: finds its fields and what is wrong with them.
//!
//! Invariant: one pass over the entries; a document without faults allocates nothing here.

mod scalar;

use crate::dialect::{Dialect, DialectKind, Fault, Field, FieldId, FieldPath, MapShape, Shape};
use crate::dialect::{describe, type_words};
use crate::edits::{self, Style};
use crate::finding::{Finding, Level};
use crate::rule::{Levels, Slot};
use crate::rules::document;
use crate::span::Span;
use crate::spelling::{nearest, slip_of};
use crate::tree::{Entry, Kind, NodeId, Symbol, Syntax, Tree};
use crate::world::World;
use scalar::{is_integer, is_number};

/// Everything a walk needs.
pub(crate) struct Walk<'w> {
    pub(crate) tree: &'w Tree<'w>,
    pub(crate) dialect: &'w Dialect,
    pub(crate) kind: &'w DialectKind,
    pub(crate) world: &'w dyn World,
    pub(crate) levels: &'w Levels,
    pub(crate) reserved: Symbol,
    pub(crate) slots: &'w mut Vec<Slot>,
    pub(crate) out: &'w mut Vec<Finding>,
    pub(crate) handoff: usize,
    pub(crate) document: NodeId,
    /// Number of paths that were looked up.
    pub(crate) looks: usize,
    /// The lines of the file that was counted last: locations often follow each other in one file.
    pub(crate) counted: Option<(String, usize)>,
    /// Form in which the map or list that is being walked is written.
    pub(crate) style: Style,
}

/// A map that is being walked, and its key: where to say that something is missing in it.
#[derive(Clone, Copy)]
struct MapPlace {
    map: NodeId,
    key: Option<NodeId>,
}

impl Walk<'_> {
    /// Walks a document; `key` is the key or element that wraps it.
    pub(crate) fn run(&mut self, key: Option<NodeId>) {
        let document = self.document;
        self.slots.clear();
        self.slots.resize(self.kind.slots, Slot::default());
        let kind = self.kind;
        let place = MapPlace { map: document, key };
        self.enter(document);
        let mut seen = self.entries(&kind.map, document, true);
        if !kind.old_paths.is_empty() {
            seen |= self.at_old_paths(seen);
        }
        self.missing(&kind.map, seen, place);
    }

    /// Judges the document as the value of one field.
    pub(crate) fn one(&mut self, field: &Field) {
        self.value(field, self.document, self.document, self.tree.kind(self.document));
    }

    /// Fields that stand where they used to stand, where they do not stand at the top.
    #[cold]
    fn at_old_paths(&mut self, mut seen: u64) -> u64 {
        let (tree, kind) = (self.tree, self.kind);
        for (path, at) in kind.old_paths.iter().filter(|(_, at)| *at < kind.map.fields.len()) {
            let field = &kind.map.fields[*at];
            let Some((key, value)) = path.find_entry(tree, self.document).filter(|_| seen & (1 << at) == 0)
            else {
                continue;
            };
            // Without a fix: moving a field to another map takes more than another key.
            let finding = document::key_alias::finding(tree.span(key), &path.text, &field.key.text);
            self.report(finding, Level::Info);
            self.field(field, key, value, tree.kind(value));
            seen |= 1 << at;
        }
        seen
    }

    /// Tells whether a key at the top leads to where a field used to stand.
    fn is_old(&self, key: NodeId) -> bool {
        let (kind, symbol) = (self.kind, self.tree.symbol(key));
        let leads = |path: &FieldPath| path.symbols.first() == Some(&symbol);
        kind.old_paths.iter().any(|(path, _)| leads(path) && path.find(self.tree, self.document).is_some())
    }

    /// Notes how a map or list is written; gives back how the one around it is.
    fn enter(&mut self, node: NodeId) -> Style {
        let around = self.style;
        if around == Style::Block && matches!(self.tree.first_byte(node), Some(b'{' | b'[')) {
            self.style = Style::Flow;
        }
        around
    }

    /// Place of a finding about something missing in a map: its key, or its first character.
    fn opening(&self, place: MapPlace) -> Span {
        let MapPlace { map, key } = place;
        if let Some(key) = key {
            return self.tree.span(key);
        }
        let span = self.tree.span(map);
        if self.tree.syntax() == Syntax::Yaml
            && let Some((first, _)) = self.tree.entries(map).next()
            && self.tree.span(first).start == span.start
        {
            return self.tree.span(first);
        }
        self.tree.first_char(map)
    }

    /// Walks the entries of a map; gives which fields were there, one bit each.
    fn entries(&mut self, shape: &MapShape, map: NodeId, is_top: bool) -> u64 {
        let tree = self.tree;
        let is_xml = tree.syntax() == Syntax::Xml;
        let mut seen = 0u64;
        let mut in_payload = 0u64;
        let mut hint = 0;
        let mut order = 0;
        let mut present = None;
        for Entry { key, symbol, value, kind } in tree.known_entries(map) {
            if is_top && self.kind.also_in == Some(symbol) {
                in_payload |= self.payload(shape, value);
            }
            let Some((at, field)) = shape.find(symbol, hint) else {
                let claim = |at: usize| {
                    let taken = present.get_or_insert_with(|| present_fields(tree, shape, map));
                    let is_free = *taken & (1 << at) == 0;
                    *taken |= 1 << at;
                    is_free
                };
                seen |= self.other_key(shape, (key, value), seen, claim);
                continue;
            };
            hint = at + 1;
            if is_top && self.kind.is_ordered && field.is_required {
                if at < order {
                    self.out_of_order(shape, key, value, map);
                    order = 0;
                } else {
                    order = at;
                }
            }
            // In XML a repeated element is an item of a list; elsewhere the second is a finding already.
            let is_again = seen & (1 << at) != 0;
            seen |= 1 << at;
            if is_again && !(is_xml && matches!(field.shape, Shape::List(_))) {
                if is_xml {
                    self.repeated(field, key);
                }
                continue;
            }
            self.field(field, key, value, kind);
        }
        seen | in_payload
    }

    /// The entries of a payload count as if they stood at the top; what else is there is its own affair.
    fn payload(&mut self, shape: &MapShape, payload: NodeId) -> u64 {
        let tree = self.tree;
        let mut seen = 0;
        for Entry { key, symbol, value, kind } in tree.known_entries(payload) {
            if self.kind.also_in == Some(symbol) {
                continue;
            }
            if let Some(at) = shape.position(symbol, 0) {
                seen |= 1 << at;
                self.field(&shape.fields[at], key, value, kind);
            }
        }
        seen
    }

    #[cold]
    fn other_key(
        &mut self,
        shape: &MapShape,
        (key, value): (NodeId, NodeId),
        seen: u64,
        claim: impl FnOnce(usize) -> bool,
    ) -> u64 {
        let symbol = self.tree.symbol(key);
        if symbol == self.reserved && symbol != Symbol::UNKNOWN {
            return 0;
        }
        if let Some(at) = shape.position_by_alias(symbol).filter(|at| seen & (1 << at) == 0) {
            let field = &shape.fields[at];
            let (span, name) = (self.tree.span(key), &field.key.text);
            let finding = document::key_alias::finding(span, self.tree.text(key), name)
                .edits(edits::renamed(self.tree, key, value, name));
            self.report(finding, Level::Info);
            self.field(field, key, value, self.tree.kind(value));
            return 1 << at;
        }
        if let Some(values) = &shape.values {
            self.value(values, key, value, self.tree.kind(value));
            return 0;
        }
        // Once only the count would grow, a guess for each of a hundred thousand keys would take seconds.
        if shape.is_open || self.levels.is_full_for(&document::unknown_key::RULE, self.out) {
            return 0;
        }
        let is_old = std::ptr::eq(shape, &raw const self.kind.map) && self.is_old(key);
        if !is_old {
            let text = self.tree.text(key);
            let names = shape.fields.iter().map(|field| &*field.key.text);
            let near = nearest(text, names.clone());
            let mut finding = document::unknown_key::finding(self.tree.span(key), text, near);
            if let Some(near) = near {
                let at = shape.fields.iter().position(|field| &*field.key.text == near);
                // Only one key can get the name, and only where no other has it.
                let is_slip = at.is_some_and(claim) && slip_of(text, names) == Some(near);
                let field = at.map(|at| &shape.fields[at]);
                let is_slip = is_slip && field.is_some_and(|field| self.may_be(field, (key, value)));
                finding = finding.edits(edits::renamed(self.tree, key, value, near));
                finding = if is_slip { finding } else { finding.unsafe_fix() };
            }
            self.report(finding, Level::Info);
        }
        0
    }

    /// Tells whether a value would be right in a field: what brings an error there was meant otherwise.
    fn may_be(&mut self, field: &Field, (key, value): (NodeId, NodeId)) -> bool {
        let (slots, found) = (self.slots.clone(), self.out.len());
        self.field(field, key, value, self.tree.kind(value));
        let is_right = self.out[found..].iter().all(|finding| finding.level != Level::Error);
        self.out.truncate(found);
        *self.slots = slots;
        is_right
    }

    #[cold]
    fn out_of_order(&mut self, shape: &MapShape, key: NodeId, value: NodeId, map: NodeId) {
        // Each looks through the map from its start.
        if self.levels.is_full_for(&document::element_order::RULE, self.out) {
            return;
        }
        let tree = self.tree;
        let rank = |key: NodeId| shape.position(tree.symbol(key), 0);
        let own = rank(key);
        let before = tree.entries(map).map(|(other, _)| other).find(|other| {
            let other = rank(*other).filter(|at| shape.fields[*at].is_required);
            other.is_some() && other > own
        });
        if let Some(before) = before {
            let finding = document::element_order::finding(tree.span(key), tree.text(key), tree.text(before))
                .edits(edits::moved(tree, key, value, before, self.style));
            self.report(finding, Level::Info);
        }
    }

    #[cold]
    fn repeated(&mut self, field: &Field, key: NodeId) {
        let name = self.tree.text(key);
        let finding = Finding::new("", format!("`{name}` stands twice, but is not a list"))
            .at(self.tree.span(key))
            .found("a second element")
            .expected(format!("`{name}` once"));
        self.fault(field, Fault::Type, finding);
    }

    #[cold]
    fn missing_field(&mut self, field: &Field, place: MapPlace) {
        if field.is_required {
            // In a map that is there its own name is enough; where the map is missing too, the whole path is.
            let parent = field.path.rsplit_once('.');
            let is_there = |parent: &str| {
                place.key.is_none_or(|key| parent.rsplit('.').next() == Some(self.tree.text(key)))
                    && !self.is_missing(parent)
            };
            let (name, inside) = match parent {
                Some((parent, name)) if is_there(parent) => (name, format!(" in `{parent}`")),
                Some(_) | None => (&*field.path, String::new()),
            };
            let finding = Finding::new("", format!("`{name}` is missing{inside}"))
                .at(self.opening(place))
                .label(format!("`{name}` is missing here"))
                .found("nothing")
                .expected(format!("`{name}`: {}", describe(field, &self.dialect.shapes)));
            let finding = if field.about.is_empty() { finding } else { finding.help(&*field.about) };
            self.fault(field, Fault::Missing, finding);
        } else if field.leads_to_required
            && let Shape::Map(inner) = &field.shape
        {
            self.missing(inner, 0, place);
        }
    }

    /// Tells whether a field outside lists is not there.
    fn is_missing(&self, path: &str) -> bool {
        self.kind.slot(path).is_some_and(|slot| self.slots[slot].value.is_none())
    }

    #[inline]
    fn missing(&mut self, shape: &MapShape, seen: u64, place: MapPlace) {
        if seen | shape.spared == u64::MAX || self.tree.is_cut() {
            return;
        }
        for (at, field) in shape.fields.iter().enumerate() {
            if seen & (1 << at) == 0 && (field.is_required || field.leads_to_required) {
                self.missing_field(field, place);
            }
        }
    }

    #[inline(always)]
    fn field(&mut self, field: &Field, key: NodeId, value: NodeId, kind: Kind) {
        let (value, kind) = if self.is_untyped() {
            let value = self.without_attributes(field, value);
            (value, self.tree.kind(value))
        } else {
            (value, kind)
        };
        if field.id != FieldId::NONE {
            let slot = &mut self.slots[usize::from(field.id.0)];
            if slot.value.is_none() {
                *slot = Slot { key: Some(key), value: Some(value), word: None };
            }
        }
        self.value(field, key, value, kind);
    }

    /// Judges a value by its field; `kind` is what the value is.
    #[inline(always)]
    fn value(&mut self, field: &Field, key: NodeId, value: NodeId, kind: Kind) {
        if kind == Kind::Broken {
            return;
        }
        if kind == Kind::Null && !matches!(field.shape, Shape::Any | Shape::Named(_)) {
            if !field.is_nullable {
                self.wrong_type(field, value);
            }
            return;
        }
        // Nearly every value is text or a list or map of texts.
        if let Shape::Text(text) = &field.shape {
            self.text(field, text, value, kind);
        } else if let Shape::Map(map) = &field.shape {
            self.map(field, map, key, value);
        } else {
            self.shaped(field, &field.shape, key, value, kind);
        }
    }

    #[inline(never)]
    fn shaped(&mut self, field: &Field, shape: &Shape, key: NodeId, value: NodeId, kind: Kind) {
        match shape {
            Shape::Any => {}
            Shape::Text(text) => self.text(field, text, value, kind),
            Shape::Words(words) => self.word(field, words, value),
            Shape::Integer(equals) => self.integer(field, *equals, value),
            Shape::Number => {
                if !is_number(self.tree, value) {
                    self.wrong_type(field, value);
                }
            }
            Shape::Boolean => self.boolean(field, value),
            Shape::Date | Shape::Timestamp => self.time(field, shape, value),
            Shape::List(item) => self.list(field, item, key, value),
            Shape::Map(map) => self.map(field, map, key, value),
            Shape::Depends { on, cases, .. } => {
                let word = on.find(self.tree, self.document).map(|value| self.tree.text(value));
                let case =
                    word.and_then(|word| cases.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)));
                match case {
                    Some((name, map)) => {
                        self.case_word(on, name);
                        self.map(field, map, key, value);
                    }
                    None if kind != Kind::Map && !self.is_blank_element(value) => {
                        self.wrong_type(field, value);
                    }
                    None => {}
                }
            }
            Shape::Either(shapes) => match shapes.iter().find(|shape| self.fits(shape, value)) {
                Some(shape) => self.shaped(field, shape, key, value, kind),
                None => self.wrong_type(field, value),
            },
            Shape::Named(_) if kind == Kind::Null && field.is_nullable => {}
            Shape::Named(at) => self.value(&self.dialect.shapes[*at], key, value, kind),
        }
    }

    /// Tells whether a value is of the type of a shape, so that the shape can judge the rest.
    fn fits(&self, shape: &Shape, value: NodeId) -> bool {
        let kind = self.tree.kind(value);
        match shape {
            Shape::Any => true,
            Shape::Text(_) | Shape::Words(_) | Shape::Date | Shape::Timestamp => kind == Kind::Text,
            Shape::Integer(_) => is_integer(self.tree, value),
            Shape::Number => is_number(self.tree, value),
            Shape::Boolean => matches!(kind, Kind::True | Kind::False),
            Shape::List(_) => kind == Kind::List,
            Shape::Map(_) | Shape::Depends { .. } => kind == Kind::Map,
            Shape::Either(shapes) => shapes.iter().any(|shape| self.fits(shape, value)),
            Shape::Named(at) => self.fits(&self.dialect.shapes[*at].shape, value),
        }
    }

    /// The text of an element that should have nothing else; its attributes are unknown keys.
    fn without_attributes(&mut self, field: &Field, value: NodeId) -> NodeId {
        let text = if field.shape.is_scalar() { self.tree.text_among_attributes(value) } else { None };
        let Some(text) = text else { return value };
        for (key, _) in self.tree.entries(value).filter(|(_, one)| *one != text) {
            let finding = document::unknown_key::finding(self.tree.span(key), self.tree.text(key), None);
            self.report(finding, Level::Info);
        }
        text
    }

    /// Tells whether scalars are all text, and the shape alone says what they are.
    fn is_untyped(&self) -> bool {
        self.tree.syntax() == Syntax::Xml
    }

    fn list(&mut self, field: &Field, item: &Field, key: NodeId, value: NodeId) {
        let tree = self.tree;
        if tree.kind(value) == Kind::List {
            let around = self.enter(value);
            for node in tree.items(value) {
                self.value(item, node, node, tree.kind(node));
            }
            self.style = around;
        } else if self.is_untyped() {
            self.value(item, key, value, tree.kind(value));
        } else {
            self.wrong_type(field, value);
        }
    }

    #[inline(never)]
    fn map(&mut self, field: &Field, map: &MapShape, key: NodeId, value: NodeId) {
        if self.tree.kind(value) == Kind::Map {
            if map.is_open && map.fields.is_empty() && map.values.is_none() {
                return;
            }
            let around = self.enter(value);
            let seen = self.entries(map, value, false);
            self.style = around;
            let place = MapPlace { map: value, key: (key != value).then_some(key) };
            return self.missing(map, seen, place);
        }
        if self.is_untyped() && self.tree.kind(value) == Kind::Text {
            let is_blank = self.is_blank_element(value);
            // An element with text alone is the `#text` of its map, and an empty one an empty map.
            let text = map.fields.iter().position(|field| &*field.key.text == "#text");
            let seen = match text.filter(|_| !is_blank) {
                Some(at) => {
                    self.field(&map.fields[at], key, value, Kind::Text);
                    1 << at
                }
                None if is_blank => 0,
                None => return self.wrong_type(field, value),
            };
            let place = MapPlace { map: value, key: Some(key) };
            return self.missing(map, seen, place);
        }
        let is_scalar = !matches!(self.tree.kind(value), Kind::List);
        match map.shorthand.filter(|_| is_scalar) {
            Some(at) => {
                let inner = &map.fields[at];
                let found = self.tree.text(value);
                let span = self.visible(value);
                let name = &inner.key.text;
                let finding = document::shorthand::finding(span, &field.path, name, found)
                    .edits(edits::expanded(self.tree, key, value, name, self.style));
                self.report(finding, Level::Info);
                self.field(inner, key, value, self.tree.kind(value));
                self.missing(map, 1 << at, MapPlace { map: value, key: Some(key) });
            }
            None => self.wrong_type(field, value),
        }
    }

    fn is_blank_element(&self, value: NodeId) -> bool {
        self.is_untyped() && self.tree.kind(value) == Kind::Text && self.tree.text(value).is_empty()
    }

    #[cold]
    fn wrong_type(&mut self, field: &Field, value: NodeId) {
        let kind = self.tree.kind(value);
        let found = match kind {
            Kind::List | Kind::Map => kind.word().to_owned(),
            Kind::Null => "null".to_owned(),
            Kind::Text if self.tree.text(value).is_empty() => "empty text".to_owned(),
            Kind::False | Kind::True | Kind::Integer | Kind::Float | Kind::Text | Kind::Broken => {
                format!("{} (`{}`)", kind.word(), self.tree.text(value))
            }
        };
        let name = if field.path.is_empty() { "the document" } else { &*field.path };
        let finding = Finding::new(
            "",
            format!("`{name}` is {}, not {}", kind.word(), type_words(&field.shape, &self.dialect.shapes)),
        )
        .at(self.visible(value))
        .found(found)
        .expected(describe(field, &self.dialect.shapes));
        self.fault(field, Fault::Type, finding);
    }

    /// The span of a value that people look at: of a map or list only its start.
    fn visible(&self, value: NodeId) -> Span {
        match self.tree.kind(value) {
            Kind::Map | Kind::List => self.tree.first_char(value),
            Kind::Null
            | Kind::False
            | Kind::True
            | Kind::Integer
            | Kind::Float
            | Kind::Text
            | Kind::Broken => self.tree.span(value),
        }
    }

    #[cold]
    fn fault(&mut self, field: &Field, fault: Fault, mut finding: Finding) {
        finding.rule = field.rule_id(&self.dialect.name, &self.kind.name, fault).into();
        self.report(finding, field.level(fault));
    }

    #[cold]
    fn report(&mut self, mut finding: Finding, level: Level) {
        finding.handoff = Some(self.handoff);
        self.levels.push(finding, Some(level), self.out);
    }
}

/// Which fields of a shape a map has anywhere, one bit each.
fn present_fields(tree: &Tree<'_>, shape: &MapShape, map: NodeId) -> u64 {
    let fields = tree.entries(map).filter_map(|(key, _)| shape.position(tree.symbol(key), 0));
    fields.fold(0, |present, at| present | 1 << at)
}
