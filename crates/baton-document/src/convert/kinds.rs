//! The kind that a handoff becomes in another dialect.

use std::cell::Cell;

use super::fill::{Draft, FillDefaults, Filled, draft, fill};
use super::reread::Again;
use super::set::Values;
use super::{Converter, Facts, SetError, set};
use crate::arena_value::ArenaValue;
use crate::dialect::{Capacity, Condition, Dialect, DialectKind, FieldPath, Subject};
use crate::handoff::Meanings;
use crate::tree::{Kind, Symbol};

impl<'v> Converter<'_, 'v> {
    /// The kind for what is said: the one that holds the most and lacks nothing, otherwise the one that what is said
    /// makes it, otherwise the one that lacks the least.
    pub(super) fn best_kind(
        &mut self,
        dialect: &'v Dialect,
        facts: &Facts<'v>,
    ) -> Result<Best<'v>, SetError> {
        let no_kind = || SetError::NoDialect(dialect.name.to_string());
        // Most become the kind that comes first.
        let (first, is_only) = first_choice(dialect, facts.said).ok_or_else(no_kind)?;
        let mut refused = None;
        let mut tried: Vec<Tried<'v>> = Vec::new();
        let mut meant = None;
        let mut left: Option<Vec<_>> = None;
        let mut next = Some(first);
        while let Some(at) = next {
            let attempt = match self.attempt(dialect, at, facts, is_only) {
                Ok(Ok(best)) => return Ok(best),
                Ok(Err(one)) => Ok(one),
                Err(why) => Err(why),
            };
            let left = left.get_or_insert_with(|| ranked(dialect, facts.said));
            left.retain(|(other, _)| *other != at);
            match attempt {
                Ok(one) => {
                    if let Some(other) = one.read_as.filter(|other| one.gaps == 0 && *other != at) {
                        meant = meant.or(Some(other));
                        first_of(left, other);
                    }
                    tried.push(one);
                }
                Err(why) => {
                    refused =
                        refused.filter(|before| matches!(before, SetError::NoValue { .. })).or(Some(why));
                }
            }
            next = left.first().map(|(at, _)| *at);
        }
        let rank = |one: &Tried<'_>| {
            (one.holds_nothing, meant != Some(one.at), one.read_as != Some(one.at), one.gaps)
        };
        let Tried { at, set, .. } =
            tried.into_iter().min_by_key(rank).ok_or_else(|| refused.unwrap_or_else(no_kind))?;
        let given = self.given(dialect, &set);
        let filled = fill(&dialect.kinds[at], facts, given, self.maker);
        Ok(Best { kind: at, filled, told: None, set })
    }

    /// Defaults for fields without a source.
    fn given<'g>(&self, dialect: &'g Dialect, set: &'g [(&'v str, ArenaValue<'v>)]) -> FillDefaults<'g, 'v> {
        FillDefaults { set, now: self.order.now, makes_up: true, key: dialect.entry_key() }
    }

    /// Tries a kind: what the handoff becomes, or how it did not do.
    fn attempt(
        &mut self,
        dialect: &'v Dialect,
        at: usize,
        facts: &Facts<'v>,
        is_only: bool,
    ) -> Result<Result<Best<'v>, Tried<'v>>, SetError> {
        let kind = &dialect.kinds[at];
        let set = set::values(dialect, kind, self.order.set, self.maker)?;
        let set = if self.fills_only { self.unsaid(kind, facts, set) } else { set };
        let given = self.given(dialect, &set);
        let draft = draft(kind, facts, given, self.maker);
        // A document that its dialect would take for another kind is none of this kind.
        let read_as = kind_of(dialect, kind, &draft);
        let (gaps, holds_nothing) = (draft.gaps(), draft.holds_nothing());
        if is_only || (gaps == 0 && read_as == Some(at) && !holds_nothing) {
            let (filled, told) = draft.done_and_told(Again::of(self.checker, dialect, kind));
            return Ok(Ok(Best { kind: at, filled, told, set }));
        }
        Ok(Err(Tried { at, set, gaps, holds_nothing, read_as }))
    }

    /// Values for fields without a source in the handoff.
    fn unsaid(&mut self, kind: &'v DialectKind, facts: &Facts<'v>, set: Values<'v>) -> Values<'v> {
        let said = draft(kind, facts, FillDefaults::NOTHING, self.maker);
        set.into_iter().filter(|(path, _)| said.find(path).is_none()).collect()
    }
}

/// The kind that a handoff becomes.
pub(super) struct Best<'v> {
    /// Its position.
    pub(super) kind: usize,
    /// The document of that kind.
    pub(super) filled: Filled<'v>,
    /// Facts that it will have when it is read again, where they are known.
    pub(super) told: Option<Facts<'v>>,
    /// Values given for it.
    pub(super) set: Values<'v>,
}

/// The kind that a document of a kind would be taken for.
fn kind_of(dialect: &Dialect, kind: &DialectKind, draft: &Draft<'_, '_>) -> Option<usize> {
    let asked = DraftQuery { draft, last: Cell::new((Symbol::UNKNOWN, None)) };
    let is_it = |other: &DialectKind| asked.may_be(&other.when) && other.when.holds_of(&asked, None);
    dialect.kinds.iter().position(|other| other.has_root_of(kind) && is_it(other))
}

/// A draft that is asked for the same field many times.
struct DraftQuery<'a, 'f, 'v> {
    draft: &'a Draft<'f, 'v>,
    /// Last field that was asked for, with its value.
    last: Cell<(Symbol, Option<ArenaValue<'v>>)>,
}

impl DraftQuery<'_, '_, '_> {
    /// Tells whether a condition may hold: most of those that do not ask for another word first.
    #[inline]
    fn may_be(&self, when: &Condition) -> bool {
        let Condition::All(all) = when else { return true };
        let Some(Condition::Is(field, words)) = all.first() else { return true };
        match self.find(field) {
            Some(ArenaValue::Text(text)) => words.iter().any(|word| word.eq_ignore_ascii_case(text)),
            Some(
                ArenaValue::Null
                | ArenaValue::Boolean(_)
                | ArenaValue::Number(_)
                | ArenaValue::List(_)
                | ArenaValue::Map(_),
            ) => true,
            None => false,
        }
    }
}

impl<'v> Subject for DraftQuery<'_, '_, 'v> {
    type Value = ArenaValue<'v>;

    #[inline]
    fn find(&self, field: &FieldPath) -> Option<ArenaValue<'v>> {
        let [symbol] = *field.symbols else { return self.draft.find(&field.text) };
        let (last, found) = self.last.get();
        if last == symbol && symbol != Symbol::UNKNOWN {
            return found;
        }
        let found = self.draft.find(&field.text);
        self.last.set((symbol, found));
        found
    }

    fn kind(&self, value: ArenaValue<'v>) -> Kind {
        value.kind()
    }

    fn text(&self, value: ArenaValue<'v>) -> &str {
        value.text()
    }

    fn has_only_text(&self) -> bool {
        false
    }
}

/// The kinds that a handoff may become, the last one first.
fn usable(dialect: &Dialect) -> impl Iterator<Item = (usize, &DialectKind)> {
    let is_usable = |kind: &DialectKind| !kind.is_open && !kind.capacity.is_told_by_file;
    dialect.kinds.iter().enumerate().rev().filter(move |(_, kind)| is_usable(kind))
}

/// The kind that is tried first, and whether there is no other.
fn first_choice(dialect: &Dialect, said: Meanings) -> Option<(usize, bool)> {
    let mut best: Option<(usize, i64)> = None;
    let mut count = 0;
    for (at, kind) in usable(dialect) {
        count += 1;
        let least = best.map(|(_, score)| score + 1);
        best = score(&kind.capacity, said, least).map(|score| (at, score)).or(best);
    }
    best.map(|(at, _)| (at, count == 1))
}

/// The kinds that a handoff may become with how well they hold what is said, the best first.
fn ranked(dialect: &Dialect, said: Meanings) -> Vec<(usize, i64)> {
    let scored =
        usable(dialect).map(|(at, kind)| (at, score(&kind.capacity, said, None).unwrap_or(i64::MIN)));
    let mut ranked: Vec<_> = scored.collect();
    ranked.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
    ranked
}

/// Puts a kind in front of those that are left, if it is one of them.
fn first_of(left: &mut [(usize, i64)], kind: usize) {
    if let Some(at) = left.iter().position(|(at, _)| *at == kind) {
        left.swap(0, at);
    }
}

/// A kind that was tried and did not do.
struct Tried<'v> {
    at: usize,
    /// Values given for it.
    set: Values<'v>,
    /// Number of required fields without a source.
    gaps: usize,
    /// True if it has room for nothing of what is said.
    holds_nothing: bool,
    /// The kind that its dialect would take it for, once all is there that must be.
    read_as: Option<usize>,
}

/// Rates how well a kind holds the facts: those that fit count, and required fields without a source count more. Nothing where that is
/// less than a number.
fn score(capacity: &Capacity, said: Meanings, least: Option<i64>) -> Option<i64> {
    let mut score = 6 * i64::from(capacity.holds.shared(said));
    for need in &capacity.needs {
        if least.is_some_and(|least| score < least) {
            return None;
        }
        if !need.meets(said) {
            score -= 10;
        }
    }
    least.is_none_or(|least| score >= least).then_some(score)
}
