//! The kind that a handoff becomes in another dialect.

use std::cell::Cell;

use super::fill::{Draft, Filled, Given, draft, fill};
use super::reread::Again;
use super::{Converter, Facts, SetError, set};
use crate::dialect::{Dialect, DialectKind, FieldPath, Room, Subject};
use crate::handoff::Meanings;
use crate::plain::Plain;
use crate::tree::{Kind, Symbol};

impl<'v> Converter<'_, 'v> {
    /// The kind for what is said: the one that holds the most and lacks nothing, otherwise the one that what is said
    /// makes it, otherwise the one that lacks the least.
    pub(super) fn best_kind(
        &mut self,
        dialect: &'v Dialect,
        facts: &Facts<'v>,
    ) -> Result<Best<'v>, SetError> {
        let is_usable = |kind: &DialectKind| !kind.is_open && !kind.room.is_told_by_file;
        let kinds = dialect.kinds.iter().enumerate().rev().filter(|(_, kind)| is_usable(kind));
        let mut ranked: Vec<_> = kinds.map(|(at, kind)| (at, score(&kind.room, facts.said))).collect();
        // Most become what comes first: the others are put in order when that did not do.
        if let Some(first) = (0..ranked.len()).min_by_key(|at| std::cmp::Reverse(ranked[*at].1)) {
            ranked[..=first].rotate_right(1);
        }
        let is_only = ranked.len() == 1;
        let mut refused = None;
        let mut tried: Vec<Tried<'v>> = Vec::new();
        let mut meant = None;
        for turn in 0..ranked.len() {
            let at = ranked[turn].0;
            let kind = &dialect.kinds[at];
            let set = match set::values(dialect, kind, self.order.set, self.maker) {
                Ok(set) => set,
                Err(why) => {
                    rank_rest(&mut ranked, turn);
                    refused =
                        refused.filter(|before| matches!(before, SetError::NoValue { .. })).or(Some(why));
                    continue;
                }
            };
            let given = Given { set: &set, now: self.order.now, makes_up: true };
            let draft = draft(kind, facts, given, self.maker);
            // A document that its dialect would take for another kind is none of this kind.
            let read_as = kind_of(dialect, kind, &draft);
            let (gaps, holds_nothing, is_itself) = (draft.gaps(), draft.holds_nothing(), read_as == Some(at));
            if is_only || (gaps == 0 && is_itself && !holds_nothing) {
                let (filled, told) = draft.done_and_told(Again::of(self.checker, dialect, kind));
                return Ok(Best { kind: at, filled, told, set });
            }
            rank_rest(&mut ranked, turn);
            if let Some(other) = read_as.filter(|_| gaps == 0 && !is_itself) {
                meant = meant.or(Some(other));
                first_of(&mut ranked[turn + 1..], other);
            }
            tried.push(Tried { at, set, gaps, holds_nothing, is_itself });
        }
        let rank = |one: &Tried<'_>| (one.holds_nothing, meant != Some(one.at), !one.is_itself, one.gaps);
        let no_kind = || SetError::NoDialect(dialect.name.to_string());
        let Tried { at, set, .. } =
            tried.into_iter().min_by_key(rank).ok_or_else(|| refused.unwrap_or_else(no_kind))?;
        let given = Given { set: &set, now: self.order.now, makes_up: true };
        let filled = fill(&dialect.kinds[at], facts, given, self.maker);
        Ok(Best { kind: at, filled, told: None, set })
    }
}

/// The kind that a handoff becomes.
pub(super) struct Best<'v> {
    /// Its position.
    pub(super) kind: usize,
    /// The document of that kind.
    pub(super) filled: Filled<'v>,
    /// What it will say when it is read again, where that is known.
    pub(super) told: Option<Facts<'v>>,
    /// What was given for it.
    pub(super) set: set::Values<'v>,
}

/// The kind that a document of a kind would be taken for.
fn kind_of(dialect: &Dialect, kind: &DialectKind, draft: &Draft<'_, '_>) -> Option<usize> {
    let asked = Asked { draft, last: Cell::new((Symbol::UNKNOWN, None)) };
    dialect.kinds.iter().position(|other| other.has_root_of(kind) && other.when.holds_of(&asked, None))
}

/// A draft that is asked for the same field many times.
struct Asked<'a, 'f, 'v> {
    draft: &'a Draft<'f, 'v>,
    /// What was asked for last, and what stands there.
    last: Cell<(Symbol, Option<Plain<'v>>)>,
}

impl<'v> Subject for Asked<'_, '_, 'v> {
    type Value = Plain<'v>;

    #[inline]
    fn find(&self, field: &FieldPath) -> Option<Plain<'v>> {
        let [symbol] = *field.symbols else { return self.draft.find(&field.text) };
        let (last, found) = self.last.get();
        if last == symbol && symbol != Symbol::UNKNOWN {
            return found;
        }
        let found = self.draft.find(&field.text);
        self.last.set((symbol, found));
        found
    }

    fn kind(&self, value: Plain<'v>) -> Kind {
        value.kind()
    }

    fn text(&self, value: Plain<'v>) -> &str {
        value.text()
    }

    fn has_only_text(&self) -> bool {
        false
    }
}

/// Puts the kinds that were not tried in order, the best first, when the first one did not do.
fn rank_rest(ranked: &mut [(usize, i64)], turn: usize) {
    if turn == 0 {
        ranked[1..].sort_by_key(|(_, score)| std::cmp::Reverse(*score));
    }
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
    /// What was given for it.
    set: set::Values<'v>,
    /// How many fields that must be there have no source.
    gaps: usize,
    /// Whether it has room for nothing of what is said.
    holds_nothing: bool,
    /// Whether its dialect would take it for this kind, once all is there that must be.
    is_itself: bool,
}

/// How well a kind holds what is said: what it has room for counts, and what it lacks counts more.
fn score(room: &Room, said: Meanings) -> i64 {
    let lacks = room.needs.iter().filter(|need| !need.meets(said)).count();
    6 * i64::from(room.holds.shared(said)) - 10 * i64::try_from(lacks).unwrap_or_default()
}
