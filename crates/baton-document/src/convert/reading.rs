//! Handoffs of a file in the words of the common model, for callers that act on them.

use crate::arena_value::{ArenaValue, Maker, Pool};
use crate::check::{Candidate, Checked, Checker, Input, Scratch};
use crate::datum::{Datum, first_key};
use crate::dialect::{DialectKind, Field};
use crate::handoff::Meaning;
use crate::tree::{Kind, NodeId, Tree};
use crate::world::World;

use super::facts::{self, Fact};
use super::name::Straight;
use super::{cast, name, normal};

/// A handoff in the words of the common model.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// Its dialect.
    pub dialect: String,
    /// Its kind.
    pub kind: String,
    /// The whole of it as its dialect means it, without the key that wraps it.
    pub document: Datum<'static>,
    /// Values with a meaning, in the order of the dialect.
    pub sayings: Vec<Saying>,
}

/// One thing that a handoff says.
#[derive(Clone, Debug, PartialEq)]
pub struct Saying {
    /// Its meaning.
    pub meaning: Meaning,
    /// The dotted path to it in the document; empty where the kind implies it.
    pub path: String,
    /// Value that the kind implies and no field holds.
    pub implied: Option<Datum<'static>>,
    /// Of text: the word of the common model for it, or the text itself where the field has no words.
    pub word: Option<String>,
}

impl Said {
    /// The first value with a meaning.
    pub fn value(&self, meaning: Meaning) -> Option<&Datum<'static>> {
        let saying = self.sayings.iter().find(|saying| saying.meaning == meaning)?;
        saying.implied.as_ref().or_else(|| self.document.at(&saying.path))
    }

    /// The first text with a meaning, as it is written.
    pub fn text(&self, meaning: Meaning) -> Option<&str> {
        self.value(meaning).and_then(Datum::as_text)
    }

    /// The word of the common model for the first value with a meaning.
    pub fn word(&self, meaning: Meaning) -> Option<&str> {
        let saying = self.sayings.iter().find(|saying| saying.meaning == meaning)?;
        saying.word.as_deref()
    }
}

/// A handoff in the words of the common model, borrowed from its document.
#[derive(Debug)]
pub struct OpenReading<'t> {
    /// Its dialect.
    pub dialect: &'t str,
    /// Its kind.
    pub kind: &'t str,
    facts: Vec<Statement<'t>>,
    document: Document<'t>,
    /// Canonical spelling of its content.
    spelled: Vec<u8>,
    pool: &'t Pool,
}

/// One thing that a handoff says.
#[derive(Clone, Copy, Debug)]
struct Statement<'t> {
    meaning: Meaning,
    /// The field that says it; none where the kind implies it.
    field: Option<&'t Field>,
    path: &'t str,
    value: Value<'t>,
}

/// A value, or where it stands.
#[derive(Clone, Copy, Debug)]
enum Value<'t> {
    Made(ArenaValue<'t>),
    Stands(NodeId),
}

/// The whole of a handoff as its dialect means it, without the key that wraps it.
#[derive(Debug)]
enum Document<'t> {
    /// As a value.
    Made(ArenaValue<'t>),
    /// In its tree, where all of it is as its dialect writes it.
    Stands(&'t Tree<'t>, NodeId),
}

impl<'t> OpenReading<'t> {
    /// The first value with a meaning.
    pub fn value(&self, meaning: Meaning) -> Option<ArenaValue<'t>> {
        self.first(meaning).map(|told| self.made(told.value))
    }

    /// The first text with a meaning, as it is written.
    pub fn text(&self, meaning: Meaning) -> Option<&'t str> {
        self.first(meaning).and_then(|told| self.text_of(told))
    }

    /// The texts of all fields with one of some meanings, as they are written and in the order of the dialect.
    pub fn texts(&self, meanings: &[Meaning]) -> impl DoubleEndedIterator<Item = &'t str> {
        let said = self.facts.iter().filter(|told| told.field.is_some() && meanings.contains(&told.meaning));
        said.filter_map(|told| self.text_of(told))
    }

    /// The word of the common model for the first value with a meaning.
    pub fn word(&self, meaning: Meaning) -> Option<&'t str> {
        self.first(meaning).and_then(|told| self.word_of(told))
    }

    /// The dotted path to the first value with a meaning; empty where the kind implies it.
    pub fn path(&self, meaning: Meaning) -> Option<&'t str> {
        self.first(meaning).map(|told| told.path)
    }

    /// The value at a dotted path in the document.
    pub fn at(&self, path: &str) -> Option<ArenaValue<'t>> {
        match self.document {
            Document::Made(document) => document.at(path),
            Document::Stands(tree, document) => {
                let (mut node, mut rest) = (document, Some(path));
                while let Some(path) = rest {
                    let (key, more) = first_key(path);
                    (node, rest) = (tree.find(node, key)?, more);
                }
                Some(plain(tree, node, self.pool))
            }
        }
    }

    /// What it says, spelled so that two are spelled alike only if they say the same, but for what changes by itself from
    /// one handoff to the next: its id, its moment, its tokens.
    pub fn spelled(&self) -> &[u8] {
        &self.spelled
    }

    /// The same, to be kept.
    pub fn to_said(&self) -> Said {
        let sayings = self.facts.iter().map(|told| self.saying(told)).collect();
        let (dialect, kind) = (self.dialect.to_owned(), self.kind.to_owned());
        let document = match self.document {
            Document::Made(document) => document,
            Document::Stands(tree, document) => plain(tree, document, self.pool),
        };
        Said { dialect, kind, document: document.into_datum(), sayings }
    }

    /// Tells whether another one says the same, and in the same way.
    fn says_as(&self, other: &OpenReading<'t>) -> bool {
        let is_same = |(one, two): (&Statement<'t>, &Statement<'t>)| {
            (one.meaning, one.path) == (two.meaning, two.path)
                && self.made(one.value) == other.made(two.value)
        };
        let are_same = self.facts.iter().zip(&other.facts).all(is_same);
        self.facts.len() == other.facts.len() && are_same && self.spelled == other.spelled
    }

    fn first(&self, meaning: Meaning) -> Option<&Statement<'t>> {
        self.facts.iter().find(|told| told.meaning == meaning)
    }

    fn made(&self, value: Value<'t>) -> ArenaValue<'t> {
        match (value, &self.document) {
            (Value::Made(value), _) => value,
            (Value::Stands(node), Document::Stands(tree, _)) => plain(tree, node, self.pool),
            (Value::Stands(_), Document::Made(_)) => ArenaValue::Null,
        }
    }

    fn text_of(&self, told: &Statement<'t>) -> Option<&'t str> {
        self.made(told.value).as_text()
    }

    fn word_of(&self, told: &Statement<'t>) -> Option<&'t str> {
        let shape = told.field.map(|field| &field.shape);
        self.text_of(told).map(|text| cast::meant(text, shape))
    }

    fn saying(&self, told: &Statement<'t>) -> Saying {
        let implied = told.field.is_none().then(|| self.made(told.value).into_datum());
        let (path, word) = (told.path.to_owned(), self.word_of(told).map(ToOwned::to_owned));
        Saying { meaning: told.meaning, path, implied, word }
    }
}

/// The value at a node of a document that is as its dialect writes it.
fn plain<'t>(tree: &'t Tree<'t>, node: NodeId, pool: &'t Pool) -> ArenaValue<'t> {
    // Most are text, and need no room.
    if tree.kind(node) == Kind::Text {
        return ArenaValue::Text(tree.text(node));
    }
    let mut maker = Maker::new(pool);
    let made = ArenaValue::of(tree, node, &mut maker);
    maker.done();
    made
}

impl Checker {
    /// Reads every handoff of a file; nothing if any part could not be read.
    pub fn said(&self, input: Input<'_>, scratch: &mut Scratch) -> Option<Vec<Said>> {
        let mut all = Vec::new();
        let mut pool = std::mem::take(&mut scratch.pool);
        let read = self.visit(input, scratch, &mut |tree, candidate| {
            all.push(self.told_by(tree, candidate, &pool).to_said());
            pool.clear();
        });
        scratch.pool = pool;
        read.map(|_| all)
    }

    /// Checks a file and hands each of its handoffs to `visit`, as far as it can be read, before it is checked.
    pub fn check_and_tell<'i>(
        &self,
        input: Input<'i>,
        world: &dyn World,
        scratch: &mut Scratch,
        mut tell: impl FnMut(&OpenReading<'_>),
    ) -> Checked<'i> {
        let mut pool = std::mem::take(&mut scratch.pool);
        let mut shown = |tree: &Tree<'_>, candidate: &Candidate| {
            let telling = self.told_by(tree, candidate, &pool);
            tell(&telling);
            let spelled = telling.spelled;
            pool.spelled.replace(spelled);
            pool.clear();
        };
        let checked = self.check_showing(input, world, scratch, Some(&mut shown));
        scratch.pool = pool;
        checked
    }

    /// The same, with all that they say to be kept.
    pub fn check_and_say<'i>(
        &self,
        input: Input<'i>,
        world: &dyn World,
        scratch: &mut Scratch,
    ) -> (Checked<'i>, Vec<Said>) {
        let mut all = Vec::new();
        let checked = self.check_and_tell(input, world, scratch, |telling| all.push(telling.to_said()));
        (checked, all)
    }

    fn told_by<'t>(&'t self, tree: &'t Tree<'_>, candidate: &Candidate, pool: &'t Pool) -> OpenReading<'t> {
        let dialect = &self.dialects().handoffs[candidate.dialect];
        let kind = &dialect.kinds[candidate.kind];
        let telling = |facts: Vec<Statement<'t>>, document: Document<'t>, spelled: Vec<u8>| OpenReading {
            dialect: &dialect.name,
            kind: &kind.name,
            facts,
            document,
            spelled,
            pool,
        };
        let made = || {
            let (document, facts, spelled) = made(tree, kind, candidate.document, pool);
            telling(facts, Document::Made(document), spelled)
        };
        let Some((spelled, facts)) = straight(tree, kind, candidate.document, pool) else { return made() };
        let straight = telling(facts, Document::Stands(tree, candidate.document), spelled);
        debug_assert!(straight.says_as(&made()), "{straight:?}");
        straight
    }
}

/// The facts of a document that is as its dialect writes it, and how it is spelled.
fn straight<'t>(
    tree: &'t Tree<'t>,
    kind: &'t DialectKind,
    document: NodeId,
    pool: &Pool,
) -> Option<(Vec<u8>, Vec<Statement<'t>>)> {
    let (spelled, mut facts) = Straight::read(tree, kind, document, pool, |meaning, field, node| {
        Statement { meaning, field: Some(field), path: &field.path, value: Value::Stands(node) }
    })?;
    for (meaning, text) in &kind.implied {
        if !facts.iter().any(|told| told.meaning == *meaning) {
            // What is put together of values needs them.
            if text.contains('{') {
                return None;
            }
            facts.push(Statement {
                meaning: *meaning,
                field: None,
                path: "",
                value: Value::Made(ArenaValue::Text(text)),
            });
        }
    }
    Some((spelled, facts))
}

/// A document as its dialect means it, its facts, and how it is spelled.
fn made<'t>(
    tree: &'t Tree<'_>,
    kind: &'t DialectKind,
    document: NodeId,
    pool: &'t Pool,
) -> (ArenaValue<'t>, Vec<Statement<'t>>, Vec<u8>) {
    let mut maker = Maker::new(pool);
    let normal = normal::with_facts(tree, kind, document, &mut maker);
    maker.done();
    let document = normal.value;
    let facts = match normal.facts {
        Some(facts) => facts::with_implied(kind, facts, document, pool),
        None => facts::gather(kind, document, pool),
    };
    let told = |fact: &Fact<'t>| {
        let Fact { meaning, field, path, value, .. } = *fact;
        Statement { meaning, field, path, value: Value::Made(value) }
    };
    let facts: Vec<Statement<'t>> = facts.all.iter().map(told).collect();
    let skipped = facts.iter().filter(|told| told.field.is_some() && name::changes(told.meaning));
    let skipped: Vec<&str> = skipped.map(|told| told.path).collect();
    let spelled = name::spelled(document, &skipped, pool);
    (document, facts, spelled)
}
