//! Fills the fields of a kind with what another document says.
//!
//! Three rounds: what means the same, then what a field can hold instead, then what must stand there and
//! nobody said. Each field is filled once, in the slot that its kind gives it; in the end what was filled is put
//! together in the order of the dialect.

mod again;
mod complete;
mod figures;
mod kept;
mod slots;
mod together;

use super::cast::{cast, fits, meant};
use super::facts::{Fact, Facts};
use super::reread::Again;
use crate::arena_value::{ArenaValue, Maker};
use crate::dialect::{DialectKind, Field, FieldId, MapShape, Shape};
use crate::handoff::{Meaning, Meanings, outcome_within};
use figures::FigureNames;
use slots::Slot;

/// Where fields wait at all, mostly no more than these do.
const WAITING_USUAL: usize = 8;

/// A filled document.
#[derive(Debug)]
pub(super) struct Filled<'v> {
    /// The document.
    pub(super) document: ArenaValue<'v>,
    /// Which fact went where.
    pub(super) uses: Vec<Use<'v>>,
    /// The fields that were made up.
    pub(super) made_up: Vec<&'v Field>,
    /// The fields that must be there and have no source.
    pub(super) missing: Vec<&'v Field>,
}

/// The position of a fact, and the dotted path of a field it went to.
pub(super) type Use<'v> = (usize, &'v str);

/// Defaults for fields without a source.
#[derive(Clone, Copy, Debug)]
pub(super) struct FillDefaults<'g, 'v> {
    /// Values for fields, by their dotted paths.
    pub(super) set: &'g [(&'v str, ArenaValue<'v>)],
    /// The time to write where one must be written.
    pub(super) now: Option<&'v str>,
    /// True if what must be there is made up at all.
    pub(super) makes_up: bool,
    /// The field that is the key of a handoff among others, which no kind has to ask for.
    pub(super) key: Option<&'g str>,
}

impl FillDefaults<'_, '_> {
    /// Nothing is given, and nothing made up.
    pub(super) const NOTHING: FillDefaults<'static, 'static> =
        FillDefaults { set: &[], now: None, makes_up: false, key: None };
}

/// Fills the fields of a kind.
pub(super) fn fill<'v>(
    kind: &'v DialectKind,
    facts: &Facts<'v>,
    given: FillDefaults<'_, 'v>,
    maker: &mut Maker<'v>,
) -> Filled<'v> {
    draft(kind, facts, given, maker).done()
}

/// Fills the fields of a kind, up to putting them together.
pub(super) fn draft<'f, 'v>(
    kind: &'v DialectKind,
    facts: &'f Facts<'v>,
    given: FillDefaults<'f, 'v>,
    maker: &'f mut Maker<'v>,
) -> Draft<'f, 'v> {
    let filled = Filled {
        document: ArenaValue::EMPTY,
        uses: Vec::with_capacity(facts.all.len()),
        made_up: Vec::new(),
        missing: Vec::new(),
    };
    let mut draft = Draft {
        kind,
        facts,
        said: facts.said,
        given,
        filled,
        held: Meanings::default(),
        waiting: Vec::new(),
        figures: FigureNames::default(),
        slots: maker.pool.several(kind.slots, Slot::Empty),
        count: 0,
        has_maps: false,
        mixed: Vec::new(),
        order: Vec::new(),
        maker,
    };
    for (path, value) in given.set {
        draft.set(path, *value);
    }
    draft.carry(&kind.map, Round::Same);
    let waiting = std::mem::take(&mut draft.waiting);
    if kind.capacity.has_many_figures && draft.said.has(Meaning::Measurements) {
        draft.place_figures(&waiting);
    }
    if kind.capacity.is_settled {
        for field in waiting {
            let before = draft.count;
            draft.instead(field);
            if draft.count > before {
                draft.note_around(&field.path);
            }
        }
    } else {
        draft.carry(&kind.map, Round::Instead);
    }
    if given.makes_up {
        draft.complete(&kind.map, true, None);
        draft.complete_key();
    }
    draft
}
/// A map with its keys in the order of its dialect; others stay behind them.
pub(super) fn in_order<'v>(shape: &MapShape, value: ArenaValue<'v>, maker: &mut Maker<'v>) -> ArenaValue<'v> {
    let ArenaValue::Map(entries) = value else { return value };
    let start = maker.entries.len();
    let (mut last, mut is_sorted) = (0, true);
    for (name, inner) in entries {
        let rank = shape.position_of(name, last).unwrap_or(usize::MAX);
        is_sorted &= last <= rank;
        last = rank;
        let made = match shape.fields.get(rank) {
            Some(Field { shape: Shape::Map(shape), .. }) => in_order(shape, *inner, maker),
            Some(_) | None => *inner,
        };
        maker.entries.push((name, made));
    }
    if !is_sorted {
        let mut last = 0;
        maker.entries[start..].sort_by_cached_key(|(name, _)| {
            last = shape.position_of(name, last).unwrap_or(usize::MAX);
            last
        });
    }
    maker.map(start)
}
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    Same,
    Instead,
}
/// A document of a kind whose fields are filled and not yet put together.
pub(super) struct Draft<'f, 'v> {
    kind: &'v DialectKind,
    facts: &'f Facts<'v>,
    /// Their meanings: most fields have another one.
    said: Meanings,
    given: FillDefaults<'f, 'v>,
    filled: Filled<'v>,
    /// The meanings that a field holds already.
    held: Meanings,
    /// The fields that may hold something instead of what they mean, and those for figures where there are several.
    waiting: Vec<&'v Field>,
    /// The names of the figures that a field holds already, where several may.
    figures: FigureNames<'v>,
    /// Content of each field.
    slots: &'v mut [Slot<'v>],
    /// Number of times a value was put into one.
    count: usize,
    /// True if a map was put into any, in which something may stand that no slot shows.
    has_maps: bool,
    /// The fields with a value that have more below them.
    mixed: Vec<FieldId>,
    /// The paths of fields in the order in which they were filled, where that may be their order in the result.
    order: Vec<&'v str>,
    maker: &'f mut Maker<'v>,
}

impl<'v> Draft<'_, 'v> {
    /// Number of required fields without a source.
    pub(super) fn gaps(&self) -> usize {
        self.filled.missing.len()
    }

    /// Tells whether it has room for nothing of what is said.
    pub(super) fn holds_nothing(&self) -> bool {
        self.filled.uses.is_empty()
    }

    /// Tells whether the field at a dotted path, or one below it, must be there and has no source.
    fn is_gap(&self, path: &str) -> bool {
        let is_at = |rest: &str| rest.is_empty() || rest.starts_with('.');
        self.filled.missing.iter().any(|field| field.path.strip_prefix(path).is_some_and(is_at))
    }

    /// Which fact went where.
    pub(super) fn uses(self) -> Vec<Use<'v>> {
        self.filled.uses
    }

    /// Puts the document together.
    pub(super) fn done(mut self) -> Filled<'v> {
        self.filled.document = self.together(&self.kind.map, ArenaValue::EMPTY);
        self.filled
    }

    /// Puts the document together, and tells what it will say when it is read again, where that is sure.
    pub(super) fn done_and_told(mut self, again: Option<Again<'v>>) -> (Filled<'v>, Option<Facts<'v>>) {
        let told = again.and_then(|mut again| self.facts_again(&mut again));
        (self.done(), told)
    }

    fn carry(&mut self, map: &'v MapShape, round: Round) {
        debug_assert_eq!(map.reach.len(), map.fields.len(), "what a field can be filled with is noted");
        // There are many fields, and few of them can hold what is said.
        for (reach, field) in map.reach.iter().zip(&map.fields) {
            if !reach.says.meets(self.said) {
                continue;
            }
            if let Some(meaning) = field.means {
                match round {
                    Round::Same => self.same(field, meaning),
                    Round::Instead => self.instead(field),
                }
            } else if let Some(inner) = self.inner(field) {
                let before = self.count;
                self.carry(inner, round);
                self.note_below(field, before);
            }
        }
    }

    /// The fields below a field, where it has some.
    fn inner(&self, field: &'v Field) -> Option<&'v MapShape> {
        field.shape.fields_by(|path| self.word_at(path))
    }

    /// Fills a field with what means the same.
    fn same(&mut self, field: &'v Field, meaning: Meaning) {
        let is_figures = meaning == Meaning::Measurements;
        if (is_figures && self.kind.capacity.has_many_figures)
            || field.or_means.iter().flatten().any(|meaning| self.said.has(*meaning))
        {
            if self.waiting.is_empty() {
                self.waiting.reserve_exact(WAITING_USUAL);
            }
            self.waiting.push(field);
        }
        if !self.said.has(meaning) {
            return;
        }
        if is_figures {
            if !self.kind.capacity.has_many_figures {
                self.all_figures(field);
            }
            return;
        }
        // Each field is met once, so that only what is set can stand there already.
        if !self.given.set.is_empty() && matches!(self.slot(field), Slot::Value(_)) {
            return;
        }
        // A second field of one meaning takes it only where it must be there.
        if self.held.has(meaning) && !field.is_required {
            return;
        }
        // Most of what is said is one text, and goes as it is into a field for text.
        if let Shape::Text(shape) = &field.shape
            && let Some((at, fact)) = self.facts.only(meaning)
            && let ArenaValue::Text(text) = fact.value
            && !matches!(meaning, Meaning::Artifacts | Meaning::Outcome)
        {
            if fits(shape, text) {
                self.filled.uses.push((at, &*field.path));
                self.held.add(meaning);
                self.put(field, fact.value);
            }
        } else if let Some(value) = self.said(meaning, field) {
            self.held.add(meaning);
            self.put(field, value);
        }
    }

    /// Value of the facts of a meaning in a field; notes which facts those are.
    fn said(&mut self, meaning: Meaning, field: &'v Field) -> Option<ArenaValue<'v>> {
        let (shape, path) = (&field.shape, &*field.path);
        let mut said: Option<ArenaValue<'v>> = None;
        for (at, fact) in self.facts.of(meaning) {
            let from = fact.field.map(|field| &field.shape);
            let less = (meaning == Meaning::Outcome).then(|| self.less(fact)).flatten();
            let (told, from) = less.map_or((fact.value, from), |word| (ArenaValue::Text(word), None));
            let Some(value) = cast(Some(meaning), told, from, shape, self.maker) else { continue };
            let joined = match (said, value) {
                (None, value) => value,
                (Some(list @ ArenaValue::List(_)), ArenaValue::List(more)) => self.maker.both(list, more),
                (Some(list @ ArenaValue::List(_)), _) => list,
                (Some(ArenaValue::Text(text)), ArenaValue::Text(more))
                    if matches!(shape, Shape::Text(_)) && is_told_at_length(meaning) =>
                {
                    ArenaValue::Text(self.maker.pool.joined(&[text, more], "; "))
                }
                (Some(_), _) => continue,
            };
            said = Some(joined);
            self.filled.uses.push((at, path));
        }
        said
    }

    /// The outcome in the place of one that says too much by itself: this kind does not say that it should not go on.
    fn less(&self, outcome: &Fact<'v>) -> Option<&'static str> {
        if self.kind.capacity.holds.has(Meaning::Recommendation) {
            return None;
        }
        outcome_within(word_of(outcome)?, word_of(self.facts.of(Meaning::Recommendation).next()?.1)?)
    }

    /// Fills a field with what it can hold instead of what it means.
    fn instead(&mut self, field: &'v Field) {
        if field.or_means.is_empty() || self.is_filled(field) {
            return;
        }
        for together in &field.or_means {
            // What has its own field need not be told again.
            let is_told = self.told(field, together, false);
            if is_told || (field.is_required && self.told(field, together, true)) {
                return;
            }
        }
    }

    /// Fills a field with what is told together, of what other fields hold already or of the rest.
    fn told(&mut self, field: &'v Field, together: &[Meaning], is_held: bool) -> bool {
        let held = self.held;
        let start = self.maker.items.len();
        for meaning in together {
            if self.said.has(*meaning)
                && held.has(*meaning) == is_held
                && let Some(value) = self.said(*meaning, field)
            {
                self.maker.items.push(value);
                self.held.add(*meaning);
            }
        }
        let value = match &self.maker.items[start..] {
            [] => return false,
            [one] => *one,
            told => {
                let texts = told.iter().filter_map(|value| value.as_text());
                let sentences: Vec<_> = texts.map(|text| text.trim_end_matches('.')).collect();
                ArenaValue::Text(self.maker.pool.joined(&[&sentences.join(". "), "."], ""))
            }
        };
        self.maker.items.truncate(start);
        self.put(field, value);
        true
    }
}

/// The word of the common model that a fact says.
fn word_of<'v>(fact: &Fact<'v>) -> Option<&'v str> {
    Some(meant(fact.value.as_text()?, fact.field.map(|field| &field.shape)))
}
/// Tells whether several texts of this meaning can be told one after the other.
fn is_told_at_length(meaning: Meaning) -> bool {
    matches!(
        meaning,
        Meaning::Summary
            | Meaning::Did
            | Meaning::Found
            | Meaning::Error
            | Meaning::Reason
            | Meaning::Deliverable
            | Meaning::Decisions
            | Meaning::Assumptions
            | Meaning::Questions
            | Meaning::Concerns
            | Meaning::Constraints
            | Meaning::Criteria
    )
}
