//! What the handoffs of a file say, in the words of the common model: for whoever acts on them.

use crate::check::{Candidate, Checked, Checker, Input, Scratch};
use crate::datum::Datum;
use crate::handoff::Meaning;
use crate::plain::{Maker, Plain, Pool};
use crate::tree::Tree;
use crate::world::World;

use super::facts::{self, Fact, Facts};
use super::{cast, normal};

/// What a handoff says.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// Its dialect.
    pub dialect: String,
    /// Its kind.
    pub kind: String,
    /// The whole of it as its dialect means it, without the key that wraps it.
    pub document: Datum<'static>,
    /// What its fields say, in the order of the dialect.
    pub sayings: Vec<Saying>,
}

/// One thing that a handoff says.
#[derive(Clone, Debug, PartialEq)]
pub struct Saying {
    /// What it means.
    pub meaning: Meaning,
    /// The dotted path to it in the document; empty where the kind implies it.
    pub path: String,
    /// What the kind implies and no field says.
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

/// What a handoff says, for as long as its document is at hand: nothing of it is copied.
#[derive(Debug)]
pub struct Telling<'t> {
    /// Its dialect.
    pub dialect: &'t str,
    /// Its kind.
    pub kind: &'t str,
    /// The whole of it as its dialect means it, without the key that wraps it.
    pub document: Plain<'t>,
    facts: Facts<'t>,
}

impl<'t> Telling<'t> {
    /// What its fields say, in the order of the dialect: the meaning, the dotted path and the value of each.
    pub fn sayings(&self) -> impl DoubleEndedIterator<Item = (Meaning, &'t str, Plain<'t>)> {
        let said = self.facts.all.iter().filter(|fact| fact.field.is_some());
        said.map(|fact| (fact.meaning, fact.path, fact.value))
    }

    /// The first value with a meaning.
    pub fn value(&self, meaning: Meaning) -> Option<Plain<'t>> {
        self.first(meaning).map(|fact| fact.value)
    }

    /// The first text with a meaning, as it is written.
    pub fn text(&self, meaning: Meaning) -> Option<&'t str> {
        self.value(meaning).and_then(Plain::as_text)
    }

    /// The word of the common model for the first value with a meaning.
    pub fn word(&self, meaning: Meaning) -> Option<&'t str> {
        self.first(meaning).and_then(word)
    }

    /// The dotted path to the first value with a meaning; empty where the kind implies it.
    pub fn path(&self, meaning: Meaning) -> Option<&'t str> {
        self.first(meaning).map(|fact| fact.path)
    }

    /// The same, to be kept.
    pub fn to_said(&self) -> Said {
        let sayings = self.facts.all.iter().map(saying).collect();
        let (dialect, kind) = (self.dialect.to_owned(), self.kind.to_owned());
        Said { dialect, kind, document: self.document.into_datum(), sayings }
    }

    fn first(&self, meaning: Meaning) -> Option<&Fact<'t>> {
        self.facts.of(meaning).next().map(|(_, fact)| fact)
    }
}

impl Checker {
    /// What every handoff in a file says; nothing where something could not be read.
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

    /// Checks a file and tells somebody what each of its handoffs says, as far as it can be read, before it is checked.
    pub fn check_and_tell<'i>(
        &self,
        input: Input<'i>,
        world: &dyn World,
        scratch: &mut Scratch,
        mut tell: impl FnMut(&Telling<'_>),
    ) -> Checked<'i> {
        let mut pool = std::mem::take(&mut scratch.pool);
        let mut shown = |tree: &Tree<'_>, candidate: &Candidate| {
            tell(&self.told_by(tree, candidate, &pool));
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

    fn told_by<'t>(&'t self, tree: &'t Tree<'_>, candidate: &Candidate, pool: &'t Pool) -> Telling<'t> {
        let dialect = &self.dialects().handoffs[candidate.dialect];
        let kind = &dialect.kinds[candidate.kind];
        let mut maker = Maker::new(pool);
        let normal = normal::with_facts(tree, kind, candidate.document, &mut maker);
        maker.done();
        let document = normal.value;
        let facts = match normal.facts {
            Some(facts) => facts::with_implied(kind, facts, document, pool),
            None => facts::gather(kind, document, pool),
        };
        Telling { dialect: &dialect.name, kind: &kind.name, document, facts }
    }
}

fn word<'t>(fact: &Fact<'t>) -> Option<&'t str> {
    let shape = fact.field.map(|field| &field.shape);
    fact.value.as_text().map(|text| cast::meant(text, shape))
}

fn saying(fact: &Fact<'_>) -> Saying {
    let implied = fact.field.is_none().then(|| fact.value.into_datum());
    let (path, word) = (fact.path.to_owned(), word(fact).map(ToOwned::to_owned));
    Saying { meaning: fact.meaning, path, implied, word }
}
