//! Fate of the fields of a handoff that went home first, told by the names that they have in it.
//!
//! Each step of the way is told by itself, from the document before to the one behind, and the steps are joined.

use super::extension::{Extension, Restored, is_within};
use super::put::{Before, Put};
use super::report::{Carried, Fate, leaves, shown, sources};
use crate::arena_value::ArenaValue;
use crate::dialect::{DialectKind, Field};
use crate::handoff::EXTENSION;

/// One step home: a document, and what it was restored to.
pub(super) struct Step<'s, 'v> {
    /// The document, without its extension.
    pub(super) document: ArenaValue<'v>,
    /// The dotted path of its extension.
    pub(super) key: &'s str,
    /// Values of the original that were kept there.
    pub(super) kept: ArenaValue<'v>,
    /// Values given for the conversion.
    pub(super) given: ArenaValue<'v>,
    /// The kind of the original.
    pub(super) original: &'v DialectKind,
    /// The original.
    pub(super) restored: &'s Restored<'v>,
    /// True if the original has room for what it has no field for.
    pub(super) has_room: bool,
}

impl Step<'_, '_> {
    /// Fate of each field of the document, and of what was kept in it.
    pub(super) fn fields(&self) -> Vec<Carried> {
        let mut paths = Vec::new();
        if !self.document.entries().is_empty() {
            leaves(self.document, "", &self.restored.said.all, &mut paths);
        }
        let mut fields: Vec<Carried> = paths.into_iter().map(|path| self.told(path)).collect();
        let mut kept = Vec::new();
        if !self.kept.entries().is_empty() {
            leaves(self.kept, "", &self.restored.again.all, &mut kept);
        }
        for path in kept {
            // What was changed since counts more.
            let is_back = self.restored.value.at(&path) == self.kept.at(&path);
            let fate = if is_back { carried(vec![path.clone()]) } else { Fate::Lost };
            fields.push(Carried { path: format!("{}.fields.{path}", self.key), fate });
        }
        fields
    }

    fn told(&self, path: String) -> Carried {
        let Restored { value, left, said, back, again, made } = self.restored;
        let mut to: Vec<String> = Vec::new();
        let mut is_implied = false;
        let mut add = |place: &str| {
            if value.at(place).is_some() && !to.iter().any(|known| known == place) {
                to.push(place.to_owned());
            }
        };
        for (at, place) in &back.uses {
            if is_same_way(said.all[*at].path, &path) {
                add(place);
            }
        }
        for (at, place) in &made.uses {
            if is_same_way(place, &path) {
                let sources = sources(&again.all[*at], self.original);
                is_implied |= sources.is_empty();
                sources.into_iter().for_each(&mut add);
            }
        }
        let is_left = left.as_ref().is_some_and(|left: &Extension<'_>| left.fields.at(&path).is_some());
        let fate = match (is_left, to.is_empty()) {
            (true, true) if self.has_room => Fate::Extension,
            (true, true) => Fate::Lost,
            (true, false) => Fate::Carried { to, is_kept: self.has_room, is_cut: !self.has_room },
            (false, false) => carried(to),
            (false, true) if is_implied => carried(to),
            // A value that the conversion would make again has no source.
            (false, true) if self.is_made(&path) => Fate::Undone,
            (false, true) => Fate::Lost,
        };
        Carried { path, fate }
    }

    /// Tells whether a field was made up or given for the conversion.
    fn is_made(&self, path: &str) -> bool {
        let made = &self.restored.made;
        let is_given = self.given.at(path).is_some_and(|given| self.document.at(path) == Some(given));
        is_given || (self.document.at(path).is_some() && made.document.at(path) == self.document.at(path))
    }
}

fn carried(to: Vec<String>) -> Fate {
    Fate::Carried { to, is_kept: false, is_cut: false }
}

/// Tells whether one dotted path leads to another one, or through it.
fn is_same_way(one: &str, other: &str) -> bool {
    is_within(one, other) || is_within(other, one)
}

/// Joins what became of fields on the way with what became of those that they became.
pub(super) fn joined(before: Vec<Carried>, next: Vec<Carried>) -> Vec<Carried> {
    let is_new = |field: &Carried| matches!(field.fate, Fate::MadeUp(_) | Fate::Set { .. });
    let (new, next): (Vec<Carried>, Vec<Carried>) = next.into_iter().partition(is_new);
    let further = |path: &str| {
        let met: Vec<&Fate> =
            next.iter().filter(|field| is_same_way(&field.path, path)).map(|field| &field.fate).collect();
        met
    };
    let on = |Carried { path, fate }: Carried| {
        let met = match &fate {
            Fate::Carried { to, .. } => to.iter().flat_map(|place| further(place)).collect(),
            Fate::Extension => next
                .iter()
                .filter(|field| field.path.split('.').any(|key| key == EXTENSION))
                .map(|field| &field.fate)
                .collect(),
            Fate::MadeUp(_) | Fate::Set { .. } | Fate::Undone | Fate::Lost => Vec::new(),
        };
        let fate = if met.is_empty() { fate } else { together(&met) };
        Carried { path, fate }
    };
    before.into_iter().map(on).chain(new).collect()
}

/// Fate of a field that became several: where any of them stands, it stands.
fn together(met: &[&Fate]) -> Fate {
    let mut all: Option<(Vec<String>, bool, bool)> = None;
    let (mut is_kept, mut is_undone) = (false, false);
    for fate in met {
        match fate {
            Fate::Carried { to, is_kept, is_cut } => {
                let (places, kept, cut) = all.get_or_insert_with(Default::default);
                let new: Vec<_> = to.iter().filter(|place| !places.contains(place)).cloned().collect();
                places.extend(new);
                *kept |= is_kept;
                *cut |= is_cut;
            }
            Fate::Extension => is_kept = true,
            Fate::Undone => is_undone = true,
            Fate::MadeUp(_) | Fate::Set { .. } | Fate::Lost => {}
        }
    }
    match all {
        Some((to, kept, is_cut)) => Fate::Carried { to, is_kept: kept || is_kept, is_cut },
        None if is_kept => Fate::Extension,
        None if is_undone => Fate::Undone,
        None => Fate::Lost,
    }
}

/// Ends a way that led into the dialect itself: what was made up or given there, and what stands there as an extension.
pub(super) fn ended(
    way: Vec<Carried>,
    document: ArenaValue<'_>,
    puts: &[Put],
    made_up: &[&Field],
) -> Vec<Carried> {
    let is_replaced = |place: &str| {
        let mut put = puts.iter().filter(|put| put.before == Before::Other);
        put.any(|put| is_within(place, &put.path))
    };
    let mut fields: Vec<Carried> = way;
    for field in &mut fields {
        let Fate::Carried { to, .. } = &mut field.fate else { continue };
        let was_said = to.is_empty();
        to.retain(|place| !is_replaced(place));
        let is_kept = !to.is_empty() && to.iter().all(|place| place.split('.').any(|key| key == EXTENSION));
        if is_kept {
            field.fate = Fate::Extension;
        } else if to.is_empty() && !was_said {
            field.fate = Fate::Lost;
        }
    }
    let made = made_up.iter().map(|field| {
        let fate = Fate::MadeUp(shown(document.at(&field.path)));
        Carried { path: field.path.to_string(), fate }
    });
    fields.extend(made);
    let is_new = |put: &&Put| put.before != Before::Same;
    fields.extend(puts.iter().filter(is_new).map(|put| {
        let fate =
            Fate::Set { value: shown(document.at(&put.path)), is_replaced: put.before == Before::Other };
        Carried { path: put.path.clone(), fate }
    }));
    fields
}
