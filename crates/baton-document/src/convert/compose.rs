//! Composes what a receiver gets: a handoff in its dialect, with what is said to it besides.
//!
//! A dialect whose agents are asked for work in a kind of its own (`request`) gets that kind, filled with what is said
//! here and nothing else. Any other gets the handoff before it as it stands, in its own dialect.

use super::cast::cast;
use super::facts::{Fact, Facts};
use super::fill::{FillDefaults, fill, in_order};
use super::reading::Said;
use super::report::{Gap, gap};
use super::round_trip::extension_of;
use super::set::{self, SetError};
use super::text::{attach, text_of};
use crate::arena_value::{ArenaValue, Maker, Pool};
use crate::check::Checker;
use crate::datum::Datum;
use crate::dialect::{Dialect, DialectKind, Field, MapShape, Shape};
use crate::handoff::Meaning;

/// Values for a document that is composed for a receiver.
#[derive(Clone, Debug, Default)]
pub struct Brief<'b> {
    /// Its dialect.
    pub to: &'b str,
    /// Values by their meaning; they take precedence over those of the handoff.
    pub says: Vec<(Meaning, Datum<'static>)>,
    /// Values for fields of the dialect, by their dotted path.
    pub give: Vec<(String, Datum<'static>)>,
    /// Values for fields that the kind may lack.
    pub also: Vec<(String, Datum<'static>)>,
    /// The meanings that are handed on; none means all.
    pub only: Option<&'b [Meaning]>,
    /// Earlier handoffs of the dialect, the oldest first: what they said in fields that this one lacks.
    pub earlier: &'b [Datum<'static>],
    /// The time to write where one must be written.
    pub now: Option<&'b str>,
}

/// A handoff for its receiver.
#[derive(Clone, Debug)]
pub struct Composed {
    /// Its text.
    pub text: String,
    /// The fields that must be there and have no source.
    pub gaps: Vec<Gap>,
    /// True if it can ask for work: it is a request, or says who takes over.
    pub is_asking: bool,
}

/// Meanings that belong to one handoff alone and are never taken from an earlier one.
const OWN: [Meaning; 11] = [
    Meaning::Id,
    Meaning::From,
    Meaning::To,
    Meaning::Step,
    Meaning::Written,
    Meaning::Delivery,
    Meaning::Outcome,
    Meaning::Recommendation,
    Meaning::Summary,
    Meaning::Concerns,
    Meaning::Error,
];

/// A document that would be read as another kind is worse than any that lacks something.
const FAULTS_OTHER_KIND: usize = 1_000;

impl Checker {
    /// Composes what a receiver gets. `said` is what it is handed, in its own dialect, if that is a handoff.
    pub fn compose(&self, said: Option<&Said>, brief: &Brief<'_>) -> Result<Composed, SetError> {
        let no_dialect = || SetError::NoDialect(brief.to.to_owned());
        let dialect = self.dialects().find(brief.to).ok_or_else(no_dialect)?;
        let request = dialect.kinds.iter().find(|kind| kind.is_request);
        let known = said.filter(|said| *said.dialect == *dialect.name && request.is_none());
        let kind = known.and_then(|said| dialect.kinds.iter().find(|kind| *kind.name == *said.kind));
        match (kind, known) {
            (Some(kind), Some(said)) => self.changed(dialect, kind, said, brief),
            _ => self.made(dialect, request, brief),
        }
    }

    /// A handoff with what is said besides put into it.
    fn changed(
        &self,
        dialect: &Dialect,
        kind: &DialectKind,
        said: &Said,
        brief: &Brief<'_>,
    ) -> Result<Composed, SetError> {
        let pool = Pool::default();
        let maker = &mut Maker::new(&pool);
        let mut document = said.document.clone();
        let whole = ArenaValue::of_datum(&said.document, maker);
        if let Some((extension, rest)) = extension_of(self, kind, whole, maker) {
            let short = extension.in_short(maker);
            let rest = match short {
                Some(short) => attach(dialect.usual_syntax(), kind, rest, short, maker),
                None => rest,
            };
            document = rest.into_datum();
        }
        if let Some(only) = brief.only {
            keep_only(&kind.map, &mut document, only);
        }
        for (meaning, value) in &brief.says {
            let value = ArenaValue::of_datum(value, maker);
            let Some((field, value)) = place(&kind.map, *meaning, value, maker) else { continue };
            // Where no receiver is required, the one that its agent names is a suggestion and stays.
            if *meaning != Meaning::To || field.is_required {
                document.put(field.path.to_string(), value.into_datum());
            }
        }
        put_given(dialect, kind, brief, &mut document)?;
        add_earlier(kind, brief.earlier, &mut document);
        let text = text_in_order(dialect, kind, &document);
        Ok(Composed { text, gaps: Vec::new(), is_asking: true })
    }

    /// Composes a handoff of what is said alone, in the kind that it makes complete and that would be read as such.
    pub fn compose_answer(&self, brief: &Brief<'_>) -> Result<Composed, SetError> {
        let no_dialect = || SetError::NoDialect(brief.to.to_owned());
        let dialect = self.dialects().find(brief.to).ok_or_else(no_dialect)?;
        let is_usable = |kind: &DialectKind| !kind.is_open && !kind.is_request && !kind.when.needs_file();
        let mut best: Option<(usize, Composed)> = None;
        for (at, kind) in dialect.kinds.iter().enumerate().filter(|(_, kind)| is_usable(kind)) {
            let (read_as, composed) = made_as(dialect, kind, brief)?;
            let faults = composed.gaps.len() + usize::from(read_as != Some(at)) * FAULTS_OTHER_KIND;
            if best.as_ref().is_none_or(|(fewest, _)| faults < *fewest) {
                best = Some((faults, composed));
            }
        }
        best.map(|(_, composed)| composed).ok_or_else(no_dialect)
    }

    /// A handoff that was written as the JSON that its schema describes, as its dialect writes it; nothing for what is no
    /// such JSON.
    pub fn from_canonical(&self, dialect: &str, text: &str) -> Option<String> {
        let dialect = self.dialects().find(dialect)?;
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        let pool = Pool::default();
        let maker = &mut Maker::new(&pool);
        let whole @ ArenaValue::Map(entries) = ArenaValue::of_json(&value, maker) else { return None };
        let is_root =
            |kind: &DialectKind, key: &str| kind.root.as_ref().is_some_and(|root| *root.text == *key);
        let (root, document) = match entries {
            [(key, inner @ ArenaValue::Map(_))] if dialect.kinds.iter().any(|kind| is_root(kind, key)) => {
                (Some(key), *inner)
            }
            _ => (None, whole),
        };
        let fits = |kind: &&DialectKind| {
            root.is_none_or(|root| is_root(kind, root)) && kind.when.holds_of_plain(document)
        };
        let kind = dialect.kinds.iter().find(fits)?;
        let document = in_order(&kind.map, document, maker);
        Some(text_of(dialect, kind, document, maker))
    }

    /// A handoff made of what is said alone.
    fn made(
        &self,
        dialect: &Dialect,
        request: Option<&DialectKind>,
        brief: &Brief<'_>,
    ) -> Result<Composed, SetError> {
        let kind = request.or_else(|| dialect.kinds.iter().rev().find(|kind| !kind.is_open));
        let Some(kind) = kind else { return Err(SetError::NoDialect(brief.to.to_owned())) };
        made_as(dialect, kind, brief).map(|(_, composed)| composed)
    }
}

/// A handoff of a kind made of what is said alone, and the position of the kind that it would be read as.
fn made_as(
    dialect: &Dialect,
    kind: &DialectKind,
    brief: &Brief<'_>,
) -> Result<(Option<usize>, Composed), SetError> {
    let pool = Pool::default();
    let maker = &mut Maker::new(&pool);
    let says = brief.says.iter();
    let facts: Vec<Fact<'_>> = says
        .map(|(meaning, value)| Fact::new(*meaning, None, "", ArenaValue::of_datum(value, maker)))
        .collect();
    let mut given = Datum::Map(Vec::new());
    put_given(dialect, kind, brief, &mut given)?;
    let mut flat = Vec::new();
    flatten(&given, "", &mut flat);
    let set: Vec<_> =
        flat.iter().map(|(path, value)| (path.as_str(), ArenaValue::of_datum(value, maker))).collect();
    let given = FillDefaults { set: &set, now: brief.now, makes_up: true, key: dialect.entry_key() };
    let filled = fill(kind, &Facts::new(facts), given, maker);
    let gaps = filled.missing.iter().map(|field| gap(field, &dialect.shapes)).collect();
    let is_asking = kind.is_request || names_receiver(&kind.map);
    let read_as = dialect.kinds.iter().position(|kind| kind.when.holds_of_plain(filled.document));
    let text = text_of(dialect, kind, filled.document, maker);
    Ok((read_as, Composed { text, gaps, is_asking }))
}

/// The text of a document with its keys in the order of its dialect.
fn text_in_order(dialect: &Dialect, kind: &DialectKind, document: &Datum<'_>) -> String {
    let pool = Pool::default();
    let maker = &mut Maker::new(&pool);
    let document = ArenaValue::of_datum(document, maker);
    let document = in_order(&kind.map, document, maker);
    text_of(dialect, kind, document, maker)
}

/// Adds what earlier handoffs said and this one does not, at the top or inside what counts as the top.
fn add_earlier(kind: &DialectKind, earlier: &[Datum<'static>], document: &mut Datum<'static>) {
    let fields = &kind.map.fields;
    let payload = kind.also_in.and_then(|also| fields.iter().find(|field| field.key.symbol == also));
    let payload = payload.map(|field| &*field.key.text);
    for field in fields.iter().filter(|field| !field.means.is_some_and(|means| OWN.contains(&means))) {
        let key = &*field.key.text;
        if payload == Some(key) || within(document, payload, key).is_some() {
            continue;
        }
        if let Some(value) = earlier.iter().rev().find_map(|earlier| within(earlier, payload, key)) {
            document.put(key.to_owned(), value.clone());
        }
    }
}

/// A field of a document, also where it stands in what counts as the top.
fn within<'d>(document: &'d Datum<'static>, payload: Option<&str>, key: &str) -> Option<&'d Datum<'static>> {
    document.get(key).or_else(|| document.get(payload?)?.get(key))
}

/// The first field with a meaning that can hold a value, and the value as it holds it.
fn place<'v>(
    map: &'v MapShape,
    meaning: Meaning,
    value: ArenaValue<'v>,
    maker: &mut Maker<'v>,
) -> Option<(&'v Field, ArenaValue<'v>)> {
    map.fields.iter().find_map(|field| {
        if field.means == Some(meaning) {
            return cast(Some(meaning), value, None, &field.shape, maker).map(|value| (field, value));
        }
        if let Shape::Map(inner) = &field.shape
            && field.means.is_none()
        {
            place(inner, meaning, value, maker)
        } else {
            None
        }
    })
}

/// Tells whether who takes over must be said.
fn names_receiver(map: &MapShape) -> bool {
    map.fields.iter().any(|field| match (field.means, &field.shape) {
        (Some(means), _) => means == Meaning::To && field.is_required,
        (None, Shape::Map(inner)) => names_receiver(inner),
        (None, _) => false,
    })
}

fn put_given(
    dialect: &Dialect,
    kind: &DialectKind,
    brief: &Brief<'_>,
    document: &mut Datum<'static>,
) -> Result<(), SetError> {
    for (path, value) in &brief.give {
        let field = set::field(dialect, kind, path)?;
        document.put(path.clone(), given(field, &dialect.shapes, path, value)?);
    }
    for (path, value) in &brief.also {
        if let Some(field) = set::find(kind, path)
            && let Ok(value) = given(field, &dialect.shapes, path, value)
        {
            document.put(path.clone(), value);
        }
    }
    Ok(())
}

/// A value as a field holds it.
fn given(
    field: &Field,
    shapes: &[Field],
    path: &str,
    value: &Datum<'static>,
) -> Result<Datum<'static>, SetError> {
    let pool = Pool::default();
    let maker = &mut Maker::new(&pool);
    if let Some(text) = value.as_text() {
        // A flow writes lists and maps as such, so that text is text wherever it can be.
        let is_null = field.is_nullable && text == "null";
        let said = cast(field.means, ArenaValue::Text(text), None, &field.shape, maker).filter(|_| !is_null);
        return match said {
            Some(said) => Ok(said.into_datum()),
            None => set::value(field, shapes, path, text, maker).map(ArenaValue::into_datum),
        };
    }
    let plain = ArenaValue::of_datum(value, maker);
    let cast = cast(field.means, plain, None, &field.shape, maker).map(ArenaValue::into_datum);
    Ok(cast.unwrap_or_else(|| value.clone()))
}

/// The values of a document that are no maps, by their dotted path.
fn flatten(value: &Datum<'static>, path: &str, into: &mut Vec<(String, Datum<'static>)>) {
    for (key, inner) in value.entries() {
        let path = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
        match inner {
            Datum::Map(entries) if !entries.is_empty() => flatten(inner, &path, into),
            Datum::Map(_)
            | Datum::Null
            | Datum::Boolean(_)
            | Datum::Number(_)
            | Datum::Text(_)
            | Datum::List(_) => into.push((path, inner.clone())),
        }
    }
}

/// Takes out of a document what means something else than what is handed on; what must be there stays.
fn keep_only(map: &MapShape, document: &mut Datum<'static>, only: &[Meaning]) {
    for field in &map.fields {
        let key = &*field.key.text;
        match (field.means, &field.shape) {
            (Some(means), _) if only.contains(&means) || field.is_required => {}
            (None, Shape::Map(inner)) => {
                if let Some(mut value) = document.remove(key) {
                    keep_only(inner, &mut value, only);
                    if !value.entries().is_empty() || field.is_required {
                        document.put(key.to_owned(), value);
                    }
                }
            }
            (Some(_) | None, _) if field.is_required => {}
            (Some(_) | None, _) => drop(document.remove(key)),
        }
    }
    if let Datum::Map(entries) = document {
        entries.retain(|(key, _)| map.fields.iter().any(|field| *field.key.text == **key));
    }
}
