//! What became of each field of a handoff that was converted.

use super::facts::{Fact, gather};
use super::fill::Use;
use crate::check::describe;
use crate::dialect::{DialectKind, Field};
use crate::plain::{Plain, Pool};

/// What became of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It stands in these fields now.
    Carried {
        /// Their dotted paths.
        to: Vec<String>,
        /// Whether it says less there, so that the original is kept beside it.
        is_kept: bool,
    },
    /// It is kept under `x-baton`.
    Extension,
    /// It was made up, with what stands there now.
    MadeUp(String),
    /// It is gone.
    Lost,
}

impl Fate {
    /// The word for it in reports.
    pub fn word(&self) -> &'static str {
        match self {
            Fate::Carried { .. } => "carried",
            Fate::Extension => "extension",
            Fate::MadeUp(_) => "made-up",
            Fate::Lost => "lost",
        }
    }
}

/// A field and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Its dotted path: in the original, of a field that was made up in the result.
    pub path: String,
    /// What became of it.
    pub fate: Fate,
}

/// A field that must be there and has no source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Its dotted path.
    pub path: String,
    /// What would stand there.
    pub expected: String,
}

pub(super) fn gap(field: &Field, shapes: &[Field]) -> Gap {
    Gap { path: String::from(&*field.path), expected: describe(field, shapes) }
}

/// Every field of a document that stays as it is.
pub(super) fn unchanged(kind: &DialectKind, document: Plain<'_>, pool: &Pool) -> Vec<Carried> {
    let mut paths = Vec::new();
    leaves(document, "", &gather(kind, document, pool).all, &mut paths);
    let same = |path: String| {
        let to = vec![path.clone()];
        Carried { path, fate: Fate::Carried { to, is_kept: false } }
    };
    paths.into_iter().map(same).collect()
}

pub(super) struct Report<'r, 'v> {
    pub(super) facts: &'r [Fact<'v>],
    pub(super) uses: &'r [Use<'v>],
    pub(super) made_up: &'r [&'v Field],
    pub(super) document: Plain<'v>,
}

impl Report<'_, '_> {
    /// What became of each field, in the order of the original; what was made up comes last.
    pub(super) fn fields(&self, kept: Option<Plain<'_>>, has_room: bool) -> Vec<Carried> {
        let mut fields = Vec::new();
        let is_kept = |path: &str| kept.is_some_and(|kept| kept.at(path).is_some());
        for (at, fact) in self.facts.iter().enumerate().filter(|(_, fact)| fact.field.is_some()) {
            let to: Vec<String> = self
                .uses
                .iter()
                .filter(|(fact, _)| *fact == at)
                .map(|(_, path)| (*path).to_owned())
                .collect();
            let fate = match (to.is_empty(), has_room) {
                (false, _) => Fate::Carried { to, is_kept: has_room && is_kept(fact.path) },
                (true, true) => Fate::Extension,
                (true, false) => Fate::Lost,
            };
            fields.push(Carried { path: fact.path.to_owned(), fate });
        }
        let mut rest = Vec::new();
        if let Some(kept) = kept {
            leaves(kept, "", self.facts, &mut rest);
        }
        let known: Vec<String> = fields.iter().map(|field| field.path.clone()).collect();
        for path in rest.into_iter().filter(|path| !known.contains(path)) {
            fields.push(Carried { path, fate: if has_room { Fate::Extension } else { Fate::Lost } });
        }
        for field in self.made_up {
            let value = self.document.at(&field.path);
            let shown = value.map(|value| serde_json::Value::from(&value.into_datum()).to_string());
            fields.push(Carried {
                path: field.path.to_string(),
                fate: Fate::MadeUp(shown.unwrap_or_default()),
            });
        }
        fields
    }
}

/// The dotted paths of the fields of a document: as deep as maps go, or as a fact that means something whole.
fn leaves(value: Plain<'_>, path: &str, facts: &[Fact<'_>], into: &mut Vec<String>) {
    let is_whole = !path.is_empty() && facts.iter().any(|fact| fact.field.is_some() && fact.path == path);
    match value {
        Plain::Map(entries) if !is_whole && !entries.is_empty() => {
            for (key, inner) in entries {
                let below = if path.is_empty() { (*key).to_owned() } else { format!("{path}.{key}") };
                leaves(*inner, &below, facts, into);
            }
        }
        Plain::Null
        | Plain::Boolean(_)
        | Plain::Number(_)
        | Plain::Text(_)
        | Plain::List(_)
        | Plain::Map(_) => into.push(path.to_owned()),
    }
}
