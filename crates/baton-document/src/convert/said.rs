//! What the handoffs of a file say, in the words of the common model: for whoever acts on them.

use crate::check::{Candidate, Checked, Checker, Input, Scratch};
use crate::datum::Datum;
use crate::handoff::Meaning;
use crate::plain::{Maker, Pool};
use crate::tree::Tree;
use crate::world::World;

use super::{cast, facts, normal};

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

impl Checker {
    /// What every handoff in a file says; nothing where something could not be read.
    pub fn said(&self, input: Input<'_>, scratch: &mut Scratch) -> Option<Vec<Said>> {
        let mut all = Vec::new();
        self.visit(input, scratch, &mut |tree, candidate| all.push(self.said_by(tree, candidate)))?;
        Some(all)
    }

    /// Checks a file and tells what its handoffs say, as far as they can be read.
    pub fn check_and_say<'i>(
        &self,
        input: Input<'i>,
        world: &dyn World,
        scratch: &mut Scratch,
    ) -> (Checked<'i>, Vec<Said>) {
        let mut all = Vec::new();
        let mut say = |tree: &Tree<'_>, candidate: &Candidate| all.push(self.said_by(tree, candidate));
        let checked = self.check_showing(input, world, scratch, Some(&mut say));
        (checked, all)
    }

    fn said_by(&self, tree: &Tree<'_>, candidate: &Candidate) -> Said {
        let dialect = &self.dialects().handoffs[candidate.dialect];
        let kind = &dialect.kinds[candidate.kind];
        let pool = Pool::default();
        let document = normal::of(tree, kind, candidate.document, &mut Maker::new(&pool));
        let sayings = facts::gather(kind, document, &pool).all.iter().map(saying).collect();
        let document = document.into_datum();
        Said { dialect: dialect.name.to_string(), kind: kind.name.to_string(), document, sayings }
    }
}

fn saying(fact: &facts::Fact<'_>) -> Saying {
    let shape = fact.field.map(|field| &field.shape);
    let word = fact.value.as_text().map(|text| cast::meant(text, shape).to_owned());
    let path = fact.path.to_owned();
    let implied = fact.field.is_none().then(|| fact.value.into_datum());
    Saying { meaning: fact.meaning, path, implied, word }
}
