//! Questions in the form of questions: with a mark, or with the verb before its subject.

use std::ops::Range;

use super::super::lexicon::{Concept, Language};
use super::super::text::{Gap, Reading};
use super::Sentence;

/// English verbs that stand before the subject in a question.
const AUXILIARIES: [&str; 13] =
    ["should", "do", "does", "did", "can", "could", "would", "will", "shall", "is", "are", "may", "am"];

/// English subjects that stand behind them, and nowhere else behind them at the start of a clause.
const SUBJECTS: [&str; 12] =
    ["we", "i", "you", "they", "it", "he", "she", "there", "someone", "somebody", "anyone", "anybody"];

impl Sentence<'_, '_> {
    /// "but should children be free", "est-ce qu'on les veut en catalan": a question that lacks its mark.
    pub(super) fn inverted(&self, at: usize) -> Option<usize> {
        let next = at + 1;
        if let Some(end) = self.joined(at) {
            return Some(end);
        }
        // Every verb that may stand first is a small word.
        if !self.reading.is(at, Concept::Function) {
            return None;
        }
        if !self.words.contains(&next)
            || self.reading.words[next].gap != Gap::None
            || !self.is_clause_start(at)
        {
            return None;
        }
        let is_joined = self.reading.text[self.reading.words[at].end()..].starts_with('-');
        let is_asking = match self.reading.language {
            Language::English => {
                let is_subject = self.is_one_of(next, &SUBJECTS);
                // "Should the disk fail, it stops" is a condition: the clause that follows says what happens.
                let is_should = self.is_one_of(at, &["should"])
                    && !is_joined
                    && !self.is_one_of(next, &["be", "have", "not", "also", "now"])
                    && !(next..self.near_end(next)).any(|at| self.reading.words[at].gap == Gap::Pause);
                // "Is the address personal data or not": nothing but a question ends so.
                let last = self.words.end - 1;
                let is_or_not = self.is_one_of(last, &["not"]) && self.is_one_of(last - 1, &["or"]);
                self.is_one_of(at, &AUXILIARIES) && (is_subject || is_should || is_or_not)
            }
            Language::French => {
                self.is_one_of(at, &["est"])
                    && self.is_one_of(next, &["ce"])
                    && self.is_one_of(next + 1, &["que", "qu"])
            }
        };
        (is_asking && !self.is_marked()).then_some(next + 1)
    }

    /// "l'adresse est-elle une donnée": a French verb with its subject behind a hyphen asks.
    fn joined(&self, at: usize) -> Option<usize> {
        let is_joined = |at: usize| self.words.contains(&(at + 1)) && self.text_before(at + 1) == "-";
        if self.reading.language != Language::French || !is_joined(at) {
            return None;
        }
        // "a-t-il": a letter between them that only sounds.
        let is_linked = self.is_one_of(at + 1, &["t"]) && is_joined(at + 1);
        let subject = if is_linked { at + 2 } else { at + 1 };
        let is_subject = self.is_one_of(subject, &["il", "elle", "ils", "elles", "on"]);
        // Behind these the subject stands there without a question: "ainsi peut-on".
        let is_told =
            self.is_one_of(self.words.start, &["aussi", "ainsi", "encore", "peut", "sans", "toujours"]);
        (is_subject && !is_told && !self.is_marked()).then_some(subject + 1)
    }
}

/// The question mark of a question that is not answered on the spot.
pub(super) fn mark<'t>(reading: &Reading<'t>, sentences: &[Range<usize>]) -> Option<&'t str> {
    let text = reading.text;
    text.match_indices('?').find_map(|(at, mark)| {
        let before = text[..at].trim_end();
        // Two marks in a row ask by themselves, and so does one between parentheses.
        let is_asked = before.ends_with(|c: char| {
            c.is_alphanumeric()
                || matches!(c, ')' | '"' | '”' | '»' | '`' | '*' | '%' | '€' | '$' | '(' | '?' | ',')
        });
        let after = text[at + 1..].chars().next();
        // Between blanks, two marks are an operator.
        let is_operator = text[at + 1..].starts_with("? ") && text[..at].ends_with(' ')
            || text[..at].ends_with(" ?") && text[at + 1..].starts_with(' ');
        let is_end =
            !is_operator && after.is_none_or(|c| c.is_whitespace() || matches!(c, '?' | '!' | ')' | '*'));
        let nth =
            sentences.partition_point(|sentence| reading.words[sentence.start].start < at).checked_sub(1)?;
        let is_open = is_asked && is_end && !is_quoted(reading, at) && !is_answered(reading, sentences, nth);
        is_open.then_some(mark)
    })
}

/// Whether a place in the text stands between quotation marks.
fn is_quoted(reading: &Reading<'_>, at: usize) -> bool {
    let last = reading.words.partition_point(|word| word.start < at).checked_sub(1);
    last.map(|last| &reading.words[last])
        .is_some_and(|word| word.is_quoted && !reading.text[word.end()..at].contains(['"', '”', '»', '`']))
}

/// Whether what follows a question answers it.
fn is_answered(reading: &Reading<'_>, sentences: &[Range<usize>], nth: usize) -> bool {
    let Some(next) = sentences.get(nth + 1) else { return false };
    let first = reading.words[sentences[nth].start].text.to_lowercase();
    if matches!(first.as_str(), "why" | "pourquoi") {
        return true;
    }
    // "No." and "No, it is not" answer; "No time to try" does not.
    let is_apart = reading.words.get(next.start + 1).is_none_or(|word| word.gap != Gap::None);
    if reading.is(next.start, Concept::Reply) && is_apart {
        return true;
    }
    let sentence = Sentence { reading, words: next.clone() };
    // What the teller chose for the time being is no answer.
    if sentence.is_one_of(next.start, &["i", "j", "je"]) {
        return false;
    }
    (next.start..sentence.near_end(next.start)).any(|at| sentence.is_settling(at))
}
