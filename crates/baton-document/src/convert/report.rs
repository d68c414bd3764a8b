//! Fate of each field of a handoff that was converted.

use super::extension::is_within;
use super::facts::{Fact, gather};
use super::fill::Use;
use super::put::{Before, Put};
use crate::arena_value::{ArenaValue, Pool};
use crate::dialect::describe;
use crate::dialect::{DialectKind, Field};
use crate::handoff::EXTENSION;
use crate::mixed_content;
use crate::tree::Syntax;

/// Fate of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It stands in these fields now.
    Carried {
        /// Their dotted paths; none where the kind says it by itself.
        to: Vec<String>,
        /// True if it says less there, so that the original is kept beside it.
        is_kept: bool,
        /// True if it says less there, and the rest is gone.
        is_cut: bool,
    },
    /// It is kept under `x-baton`.
    Extension,
    /// It was made up, with what stands there now.
    MadeUp(String),
    /// It was given for this conversion.
    Set {
        /// Present value.
        value: String,
        /// True if something else stood there before, which is gone.
        is_replaced: bool,
    },
    /// It was made up or given for the conversion that is undone here, and goes with it.
    Undone,
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
            Fate::Set { .. } => "set",
            Fate::Undone => "undone",
            Fate::Lost => "lost",
        }
    }
}

/// A field and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Its dotted path: in the original, of a field that was made up or set in the result.
    pub path: String,
    /// Its fate.
    pub fate: Fate,
}

/// A field that must be there and has no source, or holds what cannot stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Its dotted path.
    pub path: String,
    /// Expected value.
    pub expected: String,
    /// True if something stands there that cannot.
    pub is_wrong: bool,
}

pub(super) fn gap(field: &Field, shapes: &[Field]) -> Gap {
    Gap { path: String::from(&*field.path), expected: describe(field, shapes), is_wrong: false }
}

/// Every field of a document that stays as it is but for what was put into it; what is kept in it of another dialect
/// stays an extension.
pub(super) fn unchanged(
    kind: &DialectKind,
    document: ArenaValue<'_>,
    puts: &[Put],
    pool: &Pool,
) -> Vec<Carried> {
    let mut paths = Vec::new();
    leaves(document, "", &gather(kind, document, pool).all, &mut paths);
    let fate = |path: &str| {
        let is_new = |put: &&Put| put.before != Before::Same && is_within(path, &put.path);
        if let Some(put) = puts.iter().find(is_new) {
            return Fate::Set { value: shown(document.at(path)), is_replaced: put.before == Before::Other };
        }
        match path.split('.').any(|key| key == EXTENSION) {
            true => Fate::Extension,
            false => Fate::Carried { to: vec![path.to_owned()], is_kept: false, is_cut: false },
        }
    };
    let told = |path: String| Carried { fate: fate(&path), path };
    paths.into_iter().map(told).collect()
}

/// A value as it is shown.
pub(super) fn shown(value: Option<ArenaValue<'_>>) -> String {
    value.map(|value| serde_json::Value::from(&value.into_datum()).to_string()).unwrap_or_default()
}

/// A finished conversion, as its report needs it.
pub(super) struct Report<'r, 'v> {
    /// The kind of the original.
    pub(super) original: &'v DialectKind,
    /// Facts of the original.
    pub(super) facts: &'r [Fact<'v>],
    /// Destination of each of them.
    pub(super) uses: &'r [Use<'v>],
    /// The fields that were made up.
    pub(super) made_up: &'r [&'v Field],
    /// Values given for fields of the result.
    pub(super) set: &'r [(&'v str, ArenaValue<'v>)],
    /// The result.
    pub(super) document: ArenaValue<'v>,
    /// Form in which it is written.
    pub(super) syntax: Syntax,
    /// Its kind.
    pub(super) converted: &'v DialectKind,
    /// Facts of the result.
    pub(super) said: &'r [Fact<'v>],
    /// Destination of each of them on the way back.
    pub(super) back: &'r [Use<'v>],
}

impl Report<'_, '_> {
    /// Fate of each field, in the order of the original; what was made up or given comes last.
    pub(super) fn fields(&self, kept: Option<ArenaValue<'_>>, has_room: bool) -> Vec<Carried> {
        let mut fields = Vec::new();
        let is_kept = |path: &str| kept.is_some_and(|kept| kept.at(path).is_some());
        let aside = || if has_room { Fate::Extension } else { Fate::Lost };
        for fact in self.facts.iter().filter(|fact| fact.field.is_some()) {
            let is_less = is_kept(fact.path);
            let to = self.places(fact.path, is_less);
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
        // Where nothing but what is absent is kept, there is no field to tell of.
        for path in rest.into_iter().filter(|path| !path.is_empty() && !known.contains(path)) {
            fields.push(Carried { path, fate: aside() });
        }
        for field in self.made_up {
            let fate = Fate::MadeUp(shown(self.document.at(&field.path)));
            fields.push(Carried { path: field.path.to_string(), fate });
        }
        for (path, value) in self.set {
            let fate = Fate::Set { value: shown(Some(*value)), is_replaced: false };
            fields.push(Carried { path: (*path).to_owned(), fate });
        }
        fields
    }

    /// Place of a field of the original in the result: where it went, or where it would come back from. What would
    /// come back in its place and is not the same is what another field says.
    fn places(&self, path: &str, is_less: bool) -> Vec<String> {
        let mut to: Vec<String> = Vec::new();
        let mut add = |path: &str| {
            if !path.is_empty() && !to.iter().any(|known| known == path) {
                to.push(path.to_owned());
            }
        };
        // An element for each item of a list is none where there are no items.
        let is_written = |place: &str| {
            self.syntax != Syntax::Xml || !matches!(self.document.at(place), Some(ArenaValue::List([])))
        };
        for (at, place) in self.uses.iter().filter(|(_, place)| is_written(place)) {
            if sources(&self.facts[*at], self.original).contains(&path) {
                add(place);
            }
        }
        for (at, _) in self.back.iter().filter(|(_, place)| *place == path && !is_less) {
            sources(&self.said[*at], self.converted).into_iter().for_each(&mut add);
        }
        to
    }
}

/// The dotted paths of the fields that say something: its own, or those that the kind tells it by.
pub(super) fn sources<'v>(fact: &Fact<'v>, kind: &'v DialectKind) -> Vec<&'v str> {
    if fact.field.is_some() {
        return vec![fact.path];
    }
    let implied = kind.implied.iter().filter(|(meaning, _)| *meaning == fact.meaning);
    let told = implied.flat_map(|(_, text)| text.split('{').skip(1));
    told.filter_map(|rest| rest.split_once('}').map(|(path, _)| path)).collect()
}

/// The dotted paths of the fields of a document: as deep as maps go, or as a fact that means something whole.
pub(super) fn leaves(value: ArenaValue<'_>, path: &str, facts: &[Fact<'_>], into: &mut Vec<String>) {
    let is_whole = !path.is_empty() && facts.iter().any(|fact| fact.field.is_some() && fact.path == path);
    match value {
        ArenaValue::Map(entries)
            if !is_whole && !entries.is_empty() && mixed_content::text_of(value).is_none() =>
        {
            for (key, inner) in entries {
                let below = if path.is_empty() { (*key).to_owned() } else { format!("{path}.{key}") };
                leaves(*inner, &below, facts, into);
            }
        }
        ArenaValue::Null
        | ArenaValue::Boolean(_)
        | ArenaValue::Number(_)
        | ArenaValue::Text(_)
        | ArenaValue::List(_)
        | ArenaValue::Map(_) => into.push(path.to_owned()),
    }
}
