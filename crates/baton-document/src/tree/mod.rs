//! One spanned tree for JSON, YAML, XML and TOML.
//!
//! Nodes lie in one vector in document order; a map holds its keys and values in turn, and every node
//! knows where its subtree ends. Text is borrowed from the source where it stands there as it is.
//!
//! Invariant: parsing never fails; it gives a tree of what could be read and the syntax findings.
//! Invariant: depth, nodes and alias copies stay within [`Limits`].

mod boolean;
mod build;
mod duplicates;
pub(crate) mod findings;
mod given;
mod json;
mod keys;
mod toml;
mod xml;
mod yaml;

pub(crate) use boolean::boolean_word;
pub(crate) use duplicates::report_duplicate_keys;
pub(crate) use given::InjectedValue;
pub use keys::Keys;
pub(crate) use xml::{Token as XmlToken, Tokens as XmlTokens, has_known_references};

use crate::finding::Finding;
use crate::span::{Span, offset};

/// The notation a block of text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// JSON.
    Json,
    /// YAML 1.2 with the core schema.
    Yaml,
    /// XML without a document type.
    Xml,
    /// TOML, for `baton.toml`.
    Toml,
}

impl Syntax {
    /// The name of this notation in reports and dialect files.
    pub fn name(self) -> &'static str {
        match self {
            Syntax::Json => "json",
            Syntax::Yaml => "yaml",
            Syntax::Xml => "xml",
            Syntax::Toml => "toml",
        }
    }
}

/// The bounds of reading: hostile input meets them and is refused with a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of one file; beyond them nothing is read.
    pub file_bytes: u64,
    /// The bytes of a file of Baton itself, such as `baton.toml`: its reader takes many times as much memory.
    pub own_bytes: u64,
    /// The blocks of one file that are read, such as the lines of JSON Lines.
    pub blocks: usize,
    /// Depth to which maps and lists may nest.
    pub depth: usize,
    /// The bytes of one scalar.
    pub scalar_bytes: usize,
    /// The values and keys of one block, enough for thousands of handoffs; beyond them the rest is not read.
    pub nodes: usize,
    /// The nodes that YAML aliases may add by being copied.
    pub alias_nodes: usize,
    /// The syntax findings of one block, after which reading it stops.
    pub syntax_findings: usize,
    /// The handoffs read from one file.
    pub handoffs: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 16 * 1024 * 1024,
            own_bytes: 1024 * 1024,
            // A line is longer on average in any file that is not made to hurt.
            blocks: 500_000,
            depth: 100,
            scalar_bytes: 1024 * 1024,
            nodes: 250_000,
            alias_nodes: 1_000,
            syntax_findings: 20,
            handoffs: 10_000,
        }
    }
}

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`, or nothing at all in YAML.
    Null,
    /// `false`.
    False,
    /// `true`.
    True,
    /// A whole number.
    Integer,
    /// A number with a fraction or an exponent.
    Float,
    /// Text.
    Text,
    /// A list of items.
    List,
    /// A map of keys to values; in XML keys may repeat.
    Map,
    /// A value that could not be read; a syntax finding says why, so nothing else complains about it.
    Broken,
}

impl Kind {
    /// The word for this kind in messages.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::False | Kind::True => "a boolean",
            Kind::Integer => "an integer",
            Kind::Float => "a number",
            Kind::Text => "text",
            Kind::List => "a list",
            Kind::Map => "a map",
            Kind::Broken => "unreadable",
        }
    }
}

/// The position of a node in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// A key known to the dialects in use; compared instead of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u16);

impl Symbol {
    /// The symbol of every key that no dialect names.
    pub const UNKNOWN: Symbol = Symbol(u16::MAX);

    #[inline]
    fn bit(self) -> u64 {
        1 << (self.0 & 63)
    }
}

/// Which symbols there may be: a bit for each, which it shares with some others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Symbols(u64);

impl Symbols {
    /// These and one more.
    #[inline]
    pub(crate) fn with(self, symbol: Symbol) -> Self {
        Self(self.0 | symbol.bit())
    }

    /// Tells whether it may be among them.
    #[inline]
    pub(crate) fn may_have(self, symbol: Symbol) -> bool {
        self.0 & symbol.bit() != 0
    }

    /// Tells whether some may be among both.
    #[inline]
    pub(crate) fn may_meet(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }
}

/// One value or key; of a size that is a power of two, so that the way to a node is a shift.
#[derive(Clone, Copy, Debug)]
#[repr(align(8))]
struct Node {
    kind: Kind,
    /// True if the text lies in `decoded` and not in the source.
    is_decoded: bool,
    is_key: bool,
    symbol: Symbol,
    start: u32,
    end: u32,
    text_start: u32,
    text_end: u32,
    /// The node just past this one's subtree.
    next: u32,
}

/// An entry of a map: its key, the value, and what they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) key: NodeId,
    pub(crate) symbol: Symbol,
    pub(crate) value: NodeId,
    pub(crate) kind: Kind,
}

/// The nodes of one block of text.
#[derive(Debug)]
pub struct Tree<'s> {
    source: &'s str,
    base: u32,
    syntax: Syntax,
    nodes: Vec<Node>,
    decoded: String,
    keys: &'s Keys,
    /// Maps in which two keys may be the same.
    suspects: Vec<NodeId>,
    /// Starts of the block scalars of YAML, in order.
    blocks: Vec<u32>,
    /// True if reading stopped before the end, so that nothing can be said to be missing.
    is_cut: bool,
    /// Number of nodes that were read; what was put together from them comes after.
    read: Option<u32>,
}

/// The memory of a tree that is done, for the next one.
#[derive(Debug, Default)]
pub struct Spare {
    nodes: Vec<Node>,
    decoded: String,
}

/// A block of text to read: its notation, and where in the file it starts.
#[derive(Clone, Copy, Debug)]
pub struct Block<'s> {
    /// The text.
    pub text: &'s str,
    /// The offset of its first byte in the file.
    pub base: u32,
    /// Its notation.
    pub syntax: Syntax,
}

/// Reads a block into a tree whose keys are named; what is wrong with its syntax goes to `findings`.
pub fn parse<'s>(
    block: Block<'s>,
    keys: &'s Keys,
    limits: &Limits,
    spare: Spare,
    findings: &mut Vec<Finding>,
) -> Tree<'s> {
    let Spare { mut nodes, mut decoded } = spare;
    nodes.clear();
    decoded.clear();
    let Block { text: source, base, syntax } = block;
    let (suspects, blocks) = (Vec::new(), Vec::new());
    let mut tree =
        Tree { source, base, syntax, nodes, decoded, keys, suspects, blocks, is_cut: false, read: None };
    match block.syntax {
        Syntax::Json => json::read(&mut tree, limits, findings),
        Syntax::Yaml => yaml::read(&mut tree, limits, findings),
        Syntax::Xml => xml::read(&mut tree, limits, findings),
        Syntax::Toml => toml::read(&mut tree, limits, findings),
    }
    tree
}

impl<'s> Tree<'s> {
    /// The notation this tree was read from.
    pub fn syntax(&self) -> Syntax {
        self.syntax
    }

    /// Tells whether it is known that no text in it was written with escapes, given that all of it could be read.
    pub(crate) fn is_without_escapes(&self) -> bool {
        self.syntax == Syntax::Json && self.decoded.is_empty()
    }

    /// The text this tree was read from.
    pub fn source(&self) -> &'s str {
        self.source
    }

    /// Tells whether a key may stand in a map twice; in XML that is how lists are written.
    #[inline]
    pub(crate) fn may_repeat_keys(&self) -> bool {
        self.syntax == Syntax::Xml || !self.suspects.is_empty() || self.read.is_some()
    }

    /// Start of the text in the file.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Tells whether reading stopped before the end, so that nothing can be said to be missing.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The documents of this tree: several in a YAML stream or an XML fragment.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> + '_ {
        Siblings { tree: self, at: 0, end: self.read.unwrap_or_else(|| offset(self.nodes.len())) }
    }

    /// Kind of a node.
    #[inline]
    pub fn kind(&self, id: NodeId) -> Kind {
        self.node(id).kind
    }

    /// The text of a scalar or key; empty for lists and maps.
    #[inline]
    pub fn text(&self, id: NodeId) -> &str {
        let node = self.node(id);
        let range = node.text_start as usize..node.text_end as usize;
        if node.is_decoded { &self.decoded[range] } else { &self.source[range] }
    }

    /// Tells whether the text of a scalar starts with a visible character: then it is not blank, however it goes on.
    #[inline]
    pub(crate) fn starts_visibly(&self, id: NodeId) -> bool {
        let node = self.node(id);
        let bytes = if node.is_decoded { self.decoded.as_bytes() } else { self.source.as_bytes() };
        node.text_start < node.text_end
            && bytes.get(node.text_start as usize).is_some_and(|byte| byte.is_ascii_graphic())
    }

    /// Tells whether the text of a scalar has nothing but space.
    pub(crate) fn is_blank(&self, id: NodeId) -> bool {
        !self.starts_visibly(id) && self.text(id).trim().is_empty()
    }

    /// Place of a node in the file.
    pub fn span(&self, id: NodeId) -> Span {
        let node = self.node(id);
        Span::new(node.start, node.end).shifted(self.base)
    }

    /// The place of a node in the source of the tree, not in its file.
    pub(crate) fn local_span(&self, id: NodeId) -> Span {
        let node = self.node(id);
        Span::new(node.start, node.end)
    }

    /// Tells whether a scalar stands on lines of its own below `|` or `>`, where nothing is more than text.
    pub(crate) fn is_block(&self, id: NodeId) -> bool {
        self.blocks.binary_search(&self.node(id).start).is_ok()
    }

    /// The first character of a node, to point at where there is no key.
    pub fn first_char(&self, id: NodeId) -> Span {
        let node = self.node(id);
        let rest = self.source.get(node.start as usize..node.end as usize).unwrap_or_default();
        let width = rest.chars().next().map_or(0, char::len_utf8);
        Span::new(node.start, node.start + offset(width)).shifted(self.base)
    }

    /// The first byte of a node in the source.
    #[inline]
    pub(crate) fn first_byte(&self, id: NodeId) -> Option<u8> {
        self.source.as_bytes().get(self.node(id).start as usize).copied()
    }

    /// The symbol of a key.
    #[inline]
    pub fn symbol(&self, key: NodeId) -> Symbol {
        self.node(key).symbol
    }

    /// The entries of a map; none of anything else.
    #[inline]
    pub fn entries(&self, id: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        self.known_entries(id).map(|entry| (entry.key, entry.value))
    }

    /// The entries of a map with what is asked of each at once; none of anything else.
    #[inline]
    pub(crate) fn known_entries(&self, id: NodeId) -> impl Iterator<Item = Entry> + '_ {
        let node = self.node(id);
        let mut at = id.0 + 1;
        let end = if node.kind == Kind::Map { node.next } else { at };
        std::iter::from_fn(move || {
            let here = if at < end { self.nodes.get(at as usize..)? } else { return None };
            let [key, value, ..] = here else { return None };
            let entry =
                Entry { key: NodeId(at), symbol: key.symbol, value: NodeId(at + 1), kind: value.kind };
            at = value.next;
            Some(entry)
        })
    }

    /// The items of a list; none of anything else.
    pub fn items(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let node = self.node(id);
        let end = if node.kind == Kind::List { node.next } else { id.0 + 1 };
        Siblings { tree: self, at: id.0 + 1, end }
    }

    /// The value of a key in a map, the first where it repeats.
    pub fn find(&self, map: NodeId, key: &str) -> Option<NodeId> {
        // Most keys differ in length, which is known without looking at them.
        let is_long = |name: NodeId| {
            let node = self.node(name);
            (node.text_end - node.text_start) as usize == key.len()
        };
        let found = self.entries(map).find(|(name, _)| is_long(*name) && self.text(*name) == key);
        found.map(|(_, value)| value)
    }

    /// The text of an XML element that has attributes beside it and nothing else.
    pub fn text_among_attributes(&self, element: NodeId) -> Option<NodeId> {
        if self.syntax != Syntax::Xml {
            return None;
        }
        let mut text = None;
        for (key, value) in self.entries(element) {
            match self.text(key) {
                "#text" => text = Some(value),
                name if name.starts_with('@') => {}
                _ => return None,
            }
        }
        text
    }

    /// The symbols of the keys of a map, as bits that tell of most others that they are not among them.
    #[inline]
    pub(crate) fn symbols(&self, map: NodeId) -> Symbols {
        self.known_entries(map).fold(Symbols::default(), |all, entry| all.with(entry.symbol))
    }

    /// The value of a key in a map, by symbol.
    pub fn find_symbol(&self, map: NodeId, symbol: Symbol) -> Option<NodeId> {
        self.known_entries(map).find(|entry| entry.symbol == symbol).map(|entry| entry.value)
    }

    /// The nodes below and including one, in document order, with whether each is a key.
    pub fn subtree(&self, id: NodeId) -> impl Iterator<Item = (NodeId, bool)> + '_ {
        (id.0..self.node(id).next).map(|at| (NodeId(at), self.nodes[at as usize].is_key))
    }

    /// Gives the memory back for the next tree.
    pub fn into_spare(self) -> Spare {
        Spare { nodes: self.nodes, decoded: self.decoded }
    }

    #[inline]
    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }
}

/// The decimal digits of a number in other digits; nothing above the largest integer.
fn decimal(digits: &str, radix: u32) -> Option<String> {
    let is_digits = digits.starts_with(|first: char| first.is_digit(radix));
    u128::from_str_radix(digits, radix).ok().filter(|_| is_digits).map(|number| number.to_string())
}

struct Siblings<'t> {
    tree: &'t Tree<'t>,
    at: u32,
    end: u32,
}

impl Iterator for Siblings<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        (self.at < self.end).then(|| {
            let id = NodeId(self.at);
            self.at = self.tree.node(id).next;
            id
        })
    }
}
