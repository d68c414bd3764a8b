//! True if some conditions can hold of a document together: kinds that none can be are told from that.
//!
//! Invariant: a "no" is certain; where the search would take long, the answer is "yes".

use super::super::{Condition, FieldPath};

/// The steps of one search.
const STEPS_MAX: usize = 1024;

/// The parts of the conditions of one search.
const PARTS_MAX: usize = 256;

/// A condition that must hold, or must not.
#[derive(Clone, Copy)]
pub(super) enum Goal<'c> {
    /// A condition.
    Is(&'c Condition, bool),
    /// At least so many of some conditions.
    AtLeast(usize, &'c [Condition], bool),
}

/// Tells whether a document can be such that all goals are met.
pub(super) fn can_hold(goals: &[Goal<'_>]) -> bool {
    let parts: usize = goals.iter().map(|goal| if let Goal::Is(of, _) = goal { size(of) } else { 1 }).sum();
    parts > PARTS_MAX || search(goals.to_vec(), Vec::new(), &mut STEPS_MAX.clone())
}

fn size(of: &Condition) -> usize {
    match of {
        Condition::All(of) | Condition::Any(of) | Condition::AtLeast(_, of) => {
            1 + of.iter().map(size).sum::<usize>()
        }
        Condition::Not(inner) => 1 + size(inner),
        Condition::Is(_, words) => words.len(),
        Condition::Always
        | Condition::Present(_)
        | Condition::Null(_)
        | Condition::Matches(..)
        | Condition::Within { .. }
        | Condition::File { .. } => 1,
    }
}

/// Takes goals apart until only facts about single fields are left, trying each way there is.
fn search<'c>(mut goals: Vec<Goal<'c>>, mut facts: Vec<(&'c Condition, bool)>, steps: &mut usize) -> bool {
    while let Some(goal) = goals.pop() {
        if *steps == 0 {
            return true;
        }
        *steps -= 1;
        let mut either = |ways: Vec<Vec<Goal<'c>>>| {
            ways.into_iter().any(|way| {
                let goals = goals.iter().copied().chain(way).collect();
                search(goals, facts.clone(), steps)
            })
        };
        match goal {
            Goal::Is(Condition::Always, wanted) => {
                if !wanted {
                    return false;
                }
            }
            Goal::Is(Condition::Not(inner), wanted) => goals.push(Goal::Is(inner, !wanted)),
            Goal::Is(Condition::All(of), true) => goals.extend(of.iter().map(|one| Goal::Is(one, true))),
            Goal::Is(Condition::Any(of), false) => goals.extend(of.iter().map(|one| Goal::Is(one, false))),
            Goal::Is(Condition::All(of) | Condition::Any(of), wanted) => {
                return either(of.iter().map(|one| vec![Goal::Is(one, wanted)]).collect());
            }
            Goal::Is(Condition::AtLeast(count, of), wanted) => goals.push(Goal::AtLeast(*count, of, wanted)),
            Goal::AtLeast(count, of, wanted) => match of.split_first() {
                // None of them are always there, more than there are never.
                _ if (count == 0 || of.len() < count) && (count == 0) != wanted => return false,
                _ if count == 0 || of.len() < count => {}
                Some((first, rest)) => {
                    let with = vec![Goal::Is(first, true), Goal::AtLeast(count - 1, rest, wanted)];
                    let without = vec![Goal::Is(first, false), Goal::AtLeast(count, rest, wanted)];
                    return either(vec![with, without]);
                }
                None => {}
            },
            Goal::Is(
                fact @ (Condition::Present(_)
                | Condition::Null(_)
                | Condition::Is(..)
                | Condition::Matches(..)
                | Condition::Within { .. }
                | Condition::File { .. }),
                wanted,
            ) => {
                if facts
                    .iter()
                    .any(|known| excludes(*known, (fact, wanted)) || excludes((fact, wanted), *known))
                {
                    return false;
                }
                facts.push((fact, wanted));
                if !leaves_a_word(&facts, fact) {
                    return false;
                }
            }
        }
    }
    true
}

/// The field that a fact is about.
fn field_of(fact: &Condition) -> Option<&FieldPath> {
    match fact {
        Condition::Present(field)
        | Condition::Null(field)
        | Condition::Is(field, _)
        | Condition::Matches(field, _)
        | Condition::Within { field, .. } => Some(field),
        Condition::Always
        | Condition::File { .. }
        | Condition::All(_)
        | Condition::Any(_)
        | Condition::Not(_)
        | Condition::AtLeast(..) => None,
    }
}

/// Tells whether the first fact, which holds, leaves no room for the second.
fn excludes((one, holds): (&Condition, bool), (other, wanted): (&Condition, bool)) -> bool {
    if !holds {
        return false;
    }
    if let (Condition::File { glob: one, .. }, Condition::File { glob: other, .. }) = (one, other) {
        return one == other && !wanted;
    }
    let (Some(field), Some(of)) = (field_of(one), field_of(other)) else { return false };
    if let (Condition::Present(missing), false) = (other, wanted) {
        let rest = field.text.strip_prefix(&*missing.text);
        return rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    }
    if field.text != of.text {
        return false;
    }
    match (one, other) {
        (Condition::Null(_), Condition::Null(_)) => !wanted,
        (Condition::Null(_), Condition::Matches(..) | Condition::Within { .. }) => wanted,
        (Condition::Matches(_, one), Condition::Matches(_, other)) => {
            one.as_str() == other.as_str() && !wanted
        }
        (Condition::Is(_, words), Condition::Is(_, others)) if wanted => {
            !words.iter().any(|word| others.iter().any(|other| is_same(word, other)))
        }
        (Condition::Is(_, words), Condition::Within { from, below, .. }) => {
            let is_within = |word: &str| word.parse().is_ok_and(|number| lies_within(number, *from, *below));
            // A text can be such a word and is no number at all.
            wanted && !words.iter().any(|word| is_within(word))
        }
        (Condition::Within { from, below, .. }, Condition::Within { from: other, below: end, .. }) => {
            let low = from.unwrap_or(f64::NEG_INFINITY);
            let high = below.unwrap_or(f64::INFINITY);
            let (from, below) = (other.unwrap_or(f64::NEG_INFINITY), end.unwrap_or(f64::INFINITY));
            if wanted { low.max(from) >= high.min(below) } else { from <= low && high <= below }
        }
        _ => false,
    }
}

/// Tells whether a field that is one of some words can be one that no fact denies.
fn leaves_a_word(facts: &[(&Condition, bool)], last: &Condition) -> bool {
    let Condition::Is(field, _) = last else { return true };
    let of_field = |wanted: bool| {
        facts.iter().filter(move |(_, holds)| *holds == wanted).filter_map(move |(fact, _)| {
            let Condition::Is(of, words) = fact else { return None };
            (of.text == field.text).then_some(words)
        })
    };
    of_field(true).all(|words| {
        words.iter().any(|word| !of_field(false).any(|not| not.iter().any(|other| is_same(word, other))))
    })
}

fn is_same(word: &str, other: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    word.eq_ignore_ascii_case(other) || number(word).is_some_and(|one| number(other) == Some(one))
}

fn lies_within(number: f64, from: Option<f64>, below: Option<f64>) -> bool {
    from.is_none_or(|from| number >= from) && below.is_none_or(|below| number < below)
}
