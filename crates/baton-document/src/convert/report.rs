//! What became of each field of a handoff that was converted.

use super::KEY;
use super::facts::{Fact, gather};
use super::fill::Use;
use crate::check::describe;
use crate::dialect::{DialectKind, Field};
use crate::mixed;
use crate::plain::{Plain, Pool};
use crate::tree::Syntax;

/// What became of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It stands in these fields now.
    Carried {
        /// Their dotted paths; none where the kind says it by itself.
        to: Vec<String>,
        /// Whether it says less there, so that the original is kept beside it.
        is_kept: bool,
        /// Whether it says less there, and the rest is gone.
        is_cut: bool,
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

/// Every field of a document that stays as it is; what is kept in it of another dialect stays an extension.
pub(super) fn unchanged(kind: &DialectKind, document: Plain<'_>, pool: &Pool) -> Vec<Carried> {
    let mut paths = Vec::new();
    leaves(document, "", &gather(kind, document, pool).all, &mut paths);
    let same = |path: String| {
        let is_extension = path.split('.').any(|key| key == KEY);
        let carried = || Fate::Carried { to: vec![path.clone()], is_kept: false, is_cut: false };
        let fate = if is_extension { Fate::Extension } else { carried() };
        Carried { path, fate }
    };
    paths.into_iter().map(same).collect()
}

/// What is known of a conversion when it is done.
pub(super) struct Report<'r, 'v> {
    /// The kind of the original.
    pub(super) original: &'v DialectKind,
    /// What the original says.
    pub(super) facts: &'r [Fact<'v>],
    /// Where each of it went.
    pub(super) uses: &'r [Use<'v>],
    /// The fields that were made up.
    pub(super) made_up: &'r [&'v Field],
    /// The result.
    pub(super) document: Plain<'v>,
    /// How it is written.
    pub(super) syntax: Syntax,
    /// Its kind.
    pub(super) converted: &'v DialectKind,
    /// What the result says.
    pub(super) said: &'r [Fact<'v>],
    /// Where each of it would go on the way back.
    pub(super) back: &'r [Use<'v>],
}

impl Report<'_, '_> {
    /// What became of each field, in the order of the original; what was made up comes last.
    pub(super) fn fields(&self, kept: Option<Plain<'_>>, has_room: bool) -> Vec<Carried> {
        let mut fields = Vec::new();
        let is_kept = |path: &str| kept.is_some_and(|kept| kept.at(path).is_some());
        let aside = || if has_room { Fate::Extension } else { Fate::Lost };
        for fact in self.facts.iter().filter(|fact| fact.field.is_some()) {
            let is_less = is_kept(fact.path);
            let to = self.places(fact.path);
            let fate = match (is_less, to.is_empty()) {
                (true, true) => aside(),
                (_, _) => Fate::Carried { to, is_kept: is_less && has_room, is_cut: is_less && !has_room },
            };
            fields.push(Carried { path: fact.path.to_owned(), fate });
        }
        let mut rest = Vec::new();
        if let Some(kept) = kept {
            leaves(kept, "", self.facts, &mut rest);
        }
        let known: Vec<String> = fields.iter().map(|field| field.path.clone()).collect();
        for path in rest.into_iter().filter(|path| !known.contains(path)) {
            fields.push(Carried { path, fate: aside() });
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

    /// Where a field of the original stands in the result: where it went, or where it would come back from.
    fn places(&self, path: &str) -> Vec<String> {
        let mut to: Vec<String> = Vec::new();
        let mut add = |path: &str| {
            if !path.is_empty() && !to.iter().any(|known| known == path) {
                to.push(path.to_owned());
            }
        };
        // An element for each item of a list is none where there are no items.
        let is_written = |place: &str| {
            self.syntax != Syntax::Xml || !matches!(self.document.at(place), Some(Plain::List([])))
        };
        for (at, place) in self.uses.iter().filter(|(_, place)| is_written(place)) {
            if sources(&self.facts[*at], self.original).contains(&path) {
                add(place);
            }
        }
        for (at, _) in self.back.iter().filter(|(_, place)| *place == path) {
            sources(&self.said[*at], self.converted).into_iter().for_each(&mut add);
        }
        to
    }
}

/// The dotted paths of the fields that say something: its own, or those that the kind tells it by.
fn sources<'v>(fact: &Fact<'v>, kind: &'v DialectKind) -> Vec<&'v str> {
    if fact.field.is_some() {
        return vec![fact.path];
    }
    let implied = kind.implied.iter().filter(|(meaning, _)| *meaning == fact.meaning);
    let told = implied.flat_map(|(_, text)| text.split('{').skip(1));
    told.filter_map(|rest| rest.split_once('}').map(|(path, _)| path)).collect()
}

/// The dotted paths of the fields of a document: as deep as maps go, or as a fact that means something whole.
fn leaves(value: Plain<'_>, path: &str, facts: &[Fact<'_>], into: &mut Vec<String>) {
    let is_whole = !path.is_empty() && facts.iter().any(|fact| fact.field.is_some() && fact.path == path);
    match value {
        Plain::Map(entries) if !is_whole && !entries.is_empty() && mixed::text_of(value).is_none() => {
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
