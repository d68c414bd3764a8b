//! Whether two people checking a success criterion would agree on yes or no.
//!
//! A measure settles it: a threshold, a tool or standard known for its verdicts, a path, somebody who approves.
//! Without one, a word of opinion spoils it, whatever stands beside it: "all pages are nice" is still a matter of
//! taste. Without either, it must say something definite of something.

use super::judged;
use super::lexicon::{Concept, Language};
use super::specific::is_specific;
use super::text::{Known, Reading};

/// What a criterion lacks.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Criterion<'t> {
    /// Nothing: it can be checked.
    Measurable,
    /// It rests on these words of opinion, and no measure stands beside them.
    Opinion(Vec<&'t str>),
    /// It names nothing that could be looked at, or states nothing of it.
    Indefinite,
}

/// Judges a criterion.
pub(crate) fn judge(text: &str) -> Criterion<'_> {
    let reading = Reading::new(judged(text));
    match judge_in(&reading) {
        Criterion::Measurable => {
            reading.in_other_language().map_or(Criterion::Measurable, |other| judge_in(&other))
        }
        lacking @ (Criterion::Opinion(_) | Criterion::Indefinite) => lacking,
    }
}

fn judge_in<'t>(reading: &Reading<'t>) -> Criterion<'t> {
    if has_measure(reading) {
        return Criterion::Measurable;
    }
    let opinions = opinions(reading, &[Concept::Opinion, Concept::Hedge]);
    if !opinions.is_empty() {
        return Criterion::Opinion(opinions);
    }
    if is_definite(reading) { Criterion::Measurable } else { Criterion::Indefinite }
}

/// Whether something in it gives a verdict that needs no taste.
fn has_measure(reading: &Reading<'_>) -> bool {
    has_threshold(reading)
        || reading.words.iter().any(|word| word.is_code)
        || reading.find(Concept::Verdict).is_some()
        || has_approver(reading)
}

/// A figure, but for one that only names (`v2`, `phase 2`) or counts what an opinion is held of.
fn has_threshold(reading: &Reading<'_>) -> bool {
    let is_figure = |word: &Known<'_>| {
        let is_number = word.text.starts_with(|first: char| first.is_ascii_digit());
        is_number || is_percentile(word)
    };
    reading.words.iter().any(is_figure) || reading.find(Concept::Number).is_some()
}

/// `p95` and the like.
fn is_percentile(word: &Known<'_>) -> bool {
    let digits = word.text.strip_prefix(['p', 'P']);
    digits.is_some_and(|digits| digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Somebody who approves: "validated by the client", "le client signe le devis".
fn has_approver(reading: &Reading<'_>) -> bool {
    reading.find(Concept::Approve).is_some()
}

/// The words of opinion, as they are written.
fn opinions<'t>(reading: &Reading<'t>, concepts: &[Concept]) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < reading.words.len() {
        if let Some(end) = norm(reading, at).or_else(|| manner(reading, at)) {
            found.push(reading.words_between(at, end));
            at = end;
            continue;
        }
        let ends = concepts.iter().map(|concept| reading.after(at, *concept));
        // A longer phrase that is definite explains the word: "enough to check out".
        let definite = reading.after(at, Concept::Definite);
        match ends.flatten().max() {
            Some(end) if !reading.words[at].is_quoted && definite <= Some(end) => {
                found.push(reading.words_between(at, end));
                at = end;
            }
            _ => at += 1,
        }
    }
    found
}

/// The place behind norms that have no name: "follows conventions", not "follows the PEP 8 conventions".
fn norm(reading: &Reading<'_>, at: usize) -> Option<usize> {
    const NAME_WORDS_MAX: usize = 3;
    let end = reading.after(at, Concept::Norm)?;
    let is_name = |word: &Known<'_>| {
        word.is_quoted
            || word.has_digit()
            || word.start > 0 && word.text.chars().next().is_some_and(char::is_uppercase)
    };
    let near =
        &reading.words[at.saturating_sub(NAME_WORDS_MAX)..reading.words.len().min(end + NAME_WORDS_MAX)];
    (!near.iter().any(is_name)).then_some(end)
}

/// The place behind an adverb of manner: how something is done is a matter of taste, but for what can be looked at.
fn manner(reading: &Reading<'_>, at: usize) -> Option<usize> {
    const ENGLISH: [&str; 8] = ["ally", "ently", "antly", "ously", "fully", "ingly", "ably", "ively"];
    const FRENCH: [&str; 9] =
        ["amment", "emment", "eusement", "ivement", "ablement", "iblement", "iquement", "ément", "ellement"];
    let word = &reading.words[at];
    let ends: &[&str] = match reading.language {
        Language::English => &ENGLISH,
        Language::French => &FRENCH,
    };
    let is_manner = ends.iter().any(|end| word.text.ends_with(end)) && !word.is_code && !word.is_quoted;
    (is_manner && !word.is(Concept::Exactly)).then_some(at + 1)
}

/// Whether it says something that holds or does not, of something that can be looked at.
fn is_definite(reading: &Reading<'_>) -> bool {
    let is_condition = reading.find(Concept::Definite).is_some()
        || reading.words.iter().any(|word| is_state(word, reading.language));
    let is_named = is_specific(reading.text) || reading.words.iter().any(|word| word.is_quoted);
    let is_quality = reading.find(Concept::Quality).is_some();
    match (is_condition, is_named) {
        (true, _) => reading.words.len() > 1,
        (false, true) => !is_quality && reading.words.len() > 1,
        (false, false) => false,
    }
}

/// A word for a state that is reached or not, such as `deployed` or `documentée`.
fn is_state(word: &Known<'_>, language: Language) -> bool {
    const LETTERS_MIN: usize = 5;
    let ends: &[&str] = match language {
        Language::English => &["ed"],
        Language::French => &["é", "ée", "és", "ées"],
    };
    let is_form = word.text.len() >= LETTERS_MIN && ends.iter().any(|end| word.text.ends_with(end));
    let is_noun = ["ité", "eed", "rté", "été", "nté"].iter().any(|end| word.text.ends_with(end));
    is_form && !is_noun && !word.is(Concept::Quality)
}
