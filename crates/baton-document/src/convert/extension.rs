//! What another dialect cannot hold: kept under `x-baton`, and put back on the way home.
//!
//! The extension says which dialect and kind the handoff came from, the `fields` that would not come back
//! by themselves, the ones that would come back and were `absent`, and what was `given` for the conversion
//! alone. What was changed in the meantime wins over what was kept.

use std::borrow::Cow;

use super::Kinds;
use super::facts::{Fact, gather};
use super::fill::{Filled, Given, fill};
use crate::datum::{Datum, is_same_key};
use crate::dialect::DialectKind;
use crate::handoff::Meaning;
use crate::write;

/// The key of the extension; every dialect knows it.
pub(crate) const KEY: &str = "x-baton";

/// How often a handoff was carried on from a dialect it was converted into: more is a loop.
pub(super) const DEPTH_MAX: usize = 16;

/// How long a field may be that is handed on although the receiver's dialect cannot hold it.
const FIELD_BYTES_MAX: usize = 200;

/// What is kept of a handoff that was converted.
#[derive(Debug)]
pub(super) struct Extension<'v> {
    /// The dialect it came from.
    pub(super) dialect: Cow<'v, str>,
    /// The kind it was.
    pub(super) kind: Cow<'v, str>,
    /// The fields that would not come back by themselves.
    pub(super) fields: Datum<'v>,
    /// The fields that would come back and were not there.
    pub(super) absent: Vec<String>,
    /// What was given for fields of the result, which the original never said.
    pub(super) given: Datum<'v>,
}

impl<'v> Extension<'v> {
    /// What of the original would not come back by converting again; nothing if all of it would.
    pub(super) fn between(
        dialect: &'v str,
        kind: &'v DialectKind,
        mut original: Datum<'v>,
        back: &Datum<'_>,
        given: Datum<'v>,
    ) -> Option<Self> {
        let mut absent = Vec::new();
        let is_kept = keep(&mut original, back, &mut String::new(), &mut absent);
        if !is_kept && absent.is_empty() && given.is_blank() {
            return None;
        }
        let fields = if is_kept { original } else { Datum::Map(Vec::new()) };
        let (dialect, kind) = (Cow::Borrowed(dialect), Cow::Borrowed(&*kind.name));
        Some(Self { dialect, kind, fields, absent, given })
    }

    /// Reads an extension; nothing where it is none that this program wrote.
    pub(super) fn read(datum: &Datum<'v>) -> Option<Self> {
        let text = |key: &str| datum.get(key).and_then(Datum::to_text);
        let map = |key: &str| datum.get(key).cloned().unwrap_or_else(|| Datum::Map(Vec::new()));
        let absent = match datum.get("absent") {
            Some(Datum::List(paths)) => {
                paths.iter().filter_map(Datum::as_text).map(ToOwned::to_owned).collect()
            }
            Some(_) | None => Vec::new(),
        };
        Some(Self {
            dialect: text("dialect")?,
            kind: text("kind")?,
            fields: map("fields"),
            absent,
            given: map("given"),
        })
    }

    /// What of it is worth reading for whoever only receives the handoff: what is short. Nobody converts it back.
    pub(super) fn in_short(mut self) -> Option<Self> {
        if let Datum::Map(fields) = &mut self.fields {
            fields.retain(|(_, value)| !value.is_blank() && write::json_line(value).len() <= FIELD_BYTES_MAX);
        }
        (self.absent, self.given) = (Vec::new(), Datum::Map(Vec::new()));
        (!self.fields.is_blank()).then_some(self)
    }

    /// Its form in a document.
    pub(super) fn into_datum(self) -> Datum<'v> {
        let mut entries = Vec::with_capacity(5);
        entries.push(("dialect".into(), Datum::Text(self.dialect)));
        entries.push(("kind".into(), Datum::Text(self.kind)));
        if !self.fields.is_blank() {
            entries.push(("fields".into(), self.fields));
        }
        if !self.absent.is_empty() {
            let paths = self.absent.into_iter().map(|path| Datum::Text(path.into())).collect();
            entries.push(("absent".into(), Datum::List(paths)));
        }
        if !self.given.is_blank() {
            entries.push(("given".into(), self.given));
        }
        Datum::Map(entries)
    }

    /// The original of a document that was converted from it, with what was changed since.
    ///
    /// `as_written` gives a document as it would be read again.
    pub(super) fn restore(
        mut self,
        kinds: Kinds<'_>,
        mut document: Datum<'v>,
        as_written: impl Fn(&Datum<'_>) -> Option<Datum<'static>>,
    ) -> Datum<'static> {
        let Kinds { original, converted } = kinds;
        without(&mut document, &self.given);
        let document = &document;
        let said = gather(converted, document);
        let back = fill(original, &said, Given::NOTHING);
        let restored = self.over(back.document.clone());
        let again = gather(original, &restored);
        let written = said.iter().find(|fact| fact.meaning == Meaning::Written);
        let now = written.and_then(|fact| fact.value.as_text());
        let mut forward = fill(converted, &again, Given { set: &[], now, makes_up: true });
        forward.document = as_written(&forward.document).unwrap_or(forward.document);
        let changed = changes(&said, &again, &back, &forward, document);
        if changed.is_empty() {
            return restored.clone().into_owned();
        }
        for path in &changed {
            self.fields.take(path);
        }
        self.absent.retain(|absent| !changed.contains(absent));
        self.over(back.document).into_owned()
    }

    /// Lays what was kept over what came back.
    fn over(&self, mut back: Datum<'v>) -> Datum<'v> {
        overlay(&mut back, &self.fields);
        for path in &self.absent {
            back.remove(path);
        }
        back
    }
}

/// The fields of the original whose counterpart was changed since.
fn changes(
    said: &[Fact<'_, '_>],
    again: &[Fact<'_, '_>],
    back: &Filled<'_>,
    forward: &Filled<'_>,
    document: &Datum<'_>,
) -> Vec<String> {
    let is_changed = |path: &str| document.at(path) != forward.document.at(path);
    let mut changed = Vec::new();
    for (fact, path) in &forward.uses {
        if is_changed(path) {
            changed.push(again[*fact].path.to_string());
        }
    }
    for (fact, path) in &back.uses {
        if said[*fact].field.is_some() && is_changed(&said[*fact].path) {
            changed.push((*path).to_owned());
        }
    }
    changed
}

/// Leaves of the original what would not come back, and says whether that is anything; what would come back
/// and is not there goes to `absent`.
fn keep(original: &mut Datum<'_>, back: &Datum<'_>, path: &mut String, absent: &mut Vec<String>) -> bool {
    let (Datum::Map(entries), Datum::Map(others)) = (&mut *original, back) else {
        return &*original != back;
    };
    let is_new = |key: &str| !entries.iter().any(|(name, _)| is_same_key(name, key));
    let new: Vec<&str> = others.iter().map(|(key, _)| &**key).filter(|key| is_new(key)).collect();
    let length = path.len();
    let below = |path: &mut String, key: &str| {
        if length > 0 {
            path.push('.');
        }
        path.push_str(key);
    };
    entries.retain_mut(|(key, value)| {
        let Some(other) = back.get(key) else { return true };
        below(path, key);
        let is_kept = keep(value, other, path, absent);
        path.truncate(length);
        is_kept
    });
    for key in new {
        below(path, key);
        absent.push(path.clone());
        path.truncate(length);
    }
    !entries.is_empty()
}

/// Takes away what is the same in another document.
pub(super) fn without(document: &mut Datum<'_>, same: &Datum<'_>) {
    let Datum::Map(entries) = document else { return };
    entries.retain_mut(|(key, value)| match same.get(key) {
        Some(inner @ Datum::Map(_)) if matches!(value, Datum::Map(_)) => {
            without(value, inner);
            !value.is_blank()
        }
        Some(inner) => *value != *inner,
        None => true,
    });
}

fn overlay<'v>(under: &mut Datum<'v>, over: &Datum<'v>) {
    let (Datum::Map(entries), Datum::Map(more)) = (&mut *under, over) else {
        *under = over.clone();
        return;
    };
    for (key, value) in more {
        match entries.iter_mut().find(|(name, _)| name == key) {
            Some((_, inner)) => overlay(inner, value),
            None => entries.push((key.clone(), value.clone())),
        }
    }
}
