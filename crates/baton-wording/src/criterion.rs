//! Whether two people checking a success criterion would agree on yes or no.
//!
//! A measure settles it: a threshold, a tool or standard known for its verdicts, a path, a person who approves.
//! Without one, a word of opinion spoils it, whatever stands beside it: "all pages are nice" is still a matter of
//! taste. Without either, it must say something definite of something.

use std::ops::Range;

use super::judged;
use super::lexicon::{Concept, Concepts, Language};
use super::reading::Reading;
use super::specific::is_specific;
use super::text::{Gap, ListedWord};

/// Verdict on a criterion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Criterion {
    /// Nothing: it can be checked.
    Measurable,
    /// It rests on these words of opinion, and no measure stands beside them.
    Opinion(Vec<Range<usize>>),
    /// It names nothing that could be looked at, or states nothing of it.
    Indefinite,
}

/// Judges a criterion.
pub(crate) fn judge(text: &str) -> Criterion {
    let reading = Reading::new(judged(text));
    match judge_in(&reading) {
        Criterion::Measurable => {
            reading.in_other_language().map_or(Criterion::Measurable, |other| judge_in(&other))
        }
        lacking @ (Criterion::Opinion(_) | Criterion::Indefinite) => lacking,
    }
}

fn judge_in(reading: &Reading<'_>) -> Criterion {
    if has_measure(reading) {
        return Criterion::Measurable;
    }
    let opinions = opinions(reading, &[Concept::Opinion, Concept::Hedge]);
    if !opinions.is_empty() {
        return Criterion::Opinion(opinions);
    }
    if is_definite(reading) { Criterion::Measurable } else { Criterion::Indefinite }
}

/// Checks whether something in it gives a verdict that needs no taste.
fn has_measure(reading: &Reading<'_>) -> bool {
    has_threshold(reading)
        || reading.words.iter().any(|word| word.is_code)
        || reading.find(Concept::Verdict).is_some()
        || has_approver(reading)
}

/// A figure, but for one that only names (`v2`, `phase 2`) or counts what an opinion is held of (`the 2 pages`).
fn has_threshold(reading: &Reading<'_>) -> bool {
    let is_figure = |word: &ListedWord<'_>| {
        let is_number = word.text.starts_with(|first: char| first.is_ascii_digit());
        is_number || is_percentile(word)
    };
    (0..reading.words.len()).any(|at| {
        let is_one = is_figure(&reading.words[at]) || reading.after(at, Concept::Number).is_some();
        is_one && !only_counts(reading, at)
    })
}

/// Checks whether a number tells how many of a known thing there are or which one it is: a definite article or a word for what is
/// numbered stands before it, and no unit behind.
fn only_counts(reading: &Reading<'_>, at: usize) -> bool {
    const BEFORE: [&str; 16] = [
        "the", "these", "those", "our", "your", "their", "its", "both", "les", "ces", "nos", "vos", "leurs",
        "ses", "des", "mes",
    ];
    const NUMBERED: [&str; 20] = [
        "version",
        "release",
        "phase",
        "page",
        "pages",
        "chapter",
        "sprint",
        "milestone",
        "level",
        "act",
        "episode",
        "iteration",
        "wave",
        "lot",
        "chapitre",
        "étape",
        "jalon",
        "niveau",
        "acte",
        "vague",
    ];
    /// Names that look like figures.
    const NAMES: [&str; 6] = ["2D", "3D", "4K", "5G", "4G", "24/7"];
    const BOUNDS: [&str; 10] =
        ["under", "within", "below", "above", "over", "in", "before", "sous", "dans", "avant"];
    let is_one_of = |back: usize, words: &[&str]| {
        at.checked_sub(back).is_some_and(|before| {
            words.iter().any(|word| reading.words[before].text.eq_ignore_ascii_case(word))
        })
    };
    let word = &reading.words[at];
    let is_all = |is: fn(&u8) -> bool| word.text.as_bytes().iter().all(is);
    // `2.0` is two words.
    let back = if reading.text[..word.start].ends_with('.') { 2 } else { 1 };
    if NAMES.contains(&word.text) || is_all(u8::is_ascii_digit) && is_one_of(back, &NUMBERED) {
        return true;
    }
    let is_behind = is_one_of(1, &BEFORE) && !is_one_of(2, &BOUNDS) || at == 1 && is_one_of(1, &["all"]);
    let is_bare = is_all(u8::is_ascii_alphabetic) || is_all(u8::is_ascii_digit);
    let behind = reading.text[word.end()..].trim_start();
    is_behind && is_bare && !behind.starts_with(['%', '€', '$', '°'])
}

/// `p95` and the like.
fn is_percentile(word: &ListedWord<'_>) -> bool {
    let digits = word.text.strip_prefix(['p', 'P']);
    digits.is_some_and(|digits| digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A person who approves: "validated by the client", "le client signe le devis".
fn has_approver(reading: &Reading<'_>) -> bool {
    reading.find(Concept::Approve).is_some()
}

/// The words of opinion, each as its bytes.
fn opinions(reading: &Reading<'_>, concepts: &[Concept]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    let may_be = Concepts::of(concepts).with(Concepts::of(&[Concept::Norm, Concept::Definite]));
    while let Some(word) = reading.words.get(at) {
        let is_manner = is_manner(word, reading.language);
        let compared = compared(reading, at);
        if !is_manner && compared.is_none() && !word.found.may_be(may_be) {
            at += 1;
            continue;
        }
        if let Some(end) = norm(reading, at).or_else(|| is_manner.then_some(at + 1)).or(compared) {
            found.push(reading.range_between(at, end));
            at = end;
            continue;
        }
        let ends = concepts.iter().map(|concept| reading.after(at, *concept));
        let end = ends.flatten().max();
        // A longer phrase that is definite explains its words: "enough to check out", "en clair".
        let definite = reading.after(at, Concept::Definite).filter(|definite| *definite > at + 1);
        if definite > end {
            at = definite.unwrap_or(at + 1);
            continue;
        }
        match end.filter(|_| !reading.words[at].is_quoted) {
            Some(end) => {
                found.push(reading.range_between(at, end));
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// The place behind norms that have no name: "follows conventions", not "follows the PEP 8 conventions".
fn norm(reading: &Reading<'_>, at: usize) -> Option<usize> {
    const NAME_WORDS_MAX: usize = 3;
    let end = reading.after(at, Concept::Norm)?;
    let is_name = |word: &ListedWord<'_>| {
        word.is_quoted
            || word.has_digit()
            || word.start > 0 && word.text.chars().next().is_some_and(char::is_uppercase)
    };
    let near =
        &reading.words[at.saturating_sub(NAME_WORDS_MAX)..reading.words.len().min(end + NAME_WORDS_MAX)];
    (!near.iter().any(is_name)).then_some(end)
}

/// Checks whether a word is an adverb of manner: how something is done is a matter of taste, but for what can be looked at.
fn is_manner(word: &ListedWord<'_>, language: Language) -> bool {
    const ENGLISH: [&str; 8] = ["ally", "ently", "antly", "ously", "fully", "ingly", "ably", "ively"];
    const FRENCH: [&str; 9] =
        ["amment", "emment", "eusement", "ivement", "ablement", "iblement", "iquement", "ément", "ellement"];
    // All of them end alike.
    let (end, ends): (&str, &[&str]) = match language {
        Language::English => ("ly", &ENGLISH),
        Language::French => ("ment", &FRENCH),
    };
    word.text.ends_with(end)
        && ends.iter().any(|end| word.text.ends_with(end))
        && !word.is_code
        && !word.is_quoted
        && !word.is(Concept::Exactly)
}

/// The place behind a comparison with nothing: "more purposeful", "moins pesantes". What follows "than" may be looked at.
fn compared(reading: &Reading<'_>, at: usize) -> Option<usize> {
    const ENGLISH: [&str; 10] = ["ful", "ive", "ous", "al", "able", "ible", "ic", "ant", "ent", "less"];
    let words = &reading.words;
    let (than, more): (&[&str], &[&str]) = match reading.language {
        Language::English => (&["than"], &["more", "less"]),
        Language::French => (&["que", "qu", "de", "d"], &["plus", "moins"]),
    };
    let is = |at: usize, any: &[&str]| words.get(at).is_some_and(|word| any.contains(&word.text));
    let what = words.get(at + 1).filter(|_| is(at, more))?;
    let is_denied = reading.language == Language::French
        && words[at.saturating_sub(4)..at].iter().any(|word| matches!(word.text, "ne" | "n" | "Ne" | "N"));
    let is_quality = match reading.language {
        Language::English => ENGLISH.iter().any(|end| what.text.ends_with(end)),
        Language::French => {
            what.text.len() > 3 && !what.is(Concept::Function) && !what.has_digit() && what.gap == Gap::None
        }
    };
    let is_plain = !what.is_code && !what.is_quoted && !is_denied && !is(at + 2, than);
    (is_quality && is_plain).then_some(at + 2)
}

/// Checks whether it says something that holds or does not, of something that can be looked at.
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
fn is_state(word: &ListedWord<'_>, language: Language) -> bool {
    const LETTERS_MIN: usize = 5;
    let ends: &[&str] = match language {
        Language::English => &["ed"],
        Language::French => &["é", "ée", "és", "ées"],
    };
    let is_form = word.text.len() >= LETTERS_MIN && ends.iter().any(|end| word.text.ends_with(end));
    let is_noun = ["ité", "eed", "rté", "été", "nté"].iter().any(|end| word.text.ends_with(end));
    is_form && !is_noun && !word.is(Concept::Quality)
}
