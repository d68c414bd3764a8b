//! Questions in interrogative form: with a question mark, or with the verb before its subject.

use std::ops::Range;

use super::super::forms::{Forms, count, forms, listed};
use super::super::lexicon::{Concept, Language};
use super::super::reading::Reading;
use super::super::text::Gap;
use super::Sentence;

/// English verbs that stand before the subject in a question.
const AUXILIARIES: Forms<{ count("auxiliaries") }> = Forms::listed("auxiliaries");

/// English subjects that stand behind them, and nowhere else behind them at the start of a clause.
const SUBJECTS: Forms<{ count("pronouns") }> = Forms::listed("pronouns");

/// Words by which a question stands first.
pub(super) const FRONTED: Forms<{ count("interrogatives") }> = Forms::listed("interrogatives");

/// Every word with which a question in its own form starts, but for what stands before a hyphen.
pub(super) const INVERTED: Forms<23> = AUXILIARIES.and::<6, 22>(&ASKING).and(&FRENCH);

/// The French verb that stands before "ce que".
const FRENCH: Forms<1> = Forms::of(["est"]);

/// English words by which a question goes on: "but what is the limit".
const ASKING: Forms<6> = Forms::of(["what", "who", "where", "which", "how", "when"]);

impl Sentence<'_, '_> {
    /// Matches "but should children be free", "est-ce qu'on les veut en catalan": a question that lacks its mark.
    pub(super) fn inverted_question(&self, at: usize) -> Option<usize> {
        let next = at + 1;
        if !self.words.contains(&next) || self.reading.words[next].gap != Gap::None {
            return None;
        }
        let is_asking = match self.reading.language {
            Language::English => {
                // "The import is ok but what is the limit".
                let is_what = self.is_one_of(at, forms!["what"]) && self.is_one_of(next, forms!["is", "are"]);
                let is_asked =
                    is_what && at > self.words.start && self.reading.is(next + 1, Concept::Article);
                if is_asked {
                    return Some(next + 1);
                }
                if !self.is_one_of(at, &AUXILIARIES) {
                    return None;
                }
                // "Do it twice" is an order.
                let is_order = self.is_one_of(at, forms!["do"]) && self.is_one_of(next, forms!["it"]);
                let is_subject = self.is_one_of(next, &SUBJECTS) && !is_order;
                // "Should the disk fail, it stops" is a condition: the clause that follows says what happens.
                let is_should = self.is_one_of(at, forms!["should"])
                    && self.has_subject(next)
                    && self.after_any(next, &[Concept::Rule, Concept::Settle, Concept::Closed]).is_none()
                    && !(next..self.near_end(next)).any(|at| self.reading.words[at].gap == Gap::Pause);
                // "Is guest checkout in or out of scope".
                let is_or = at == self.words.start
                    && self.is_one_of(at, forms!["is", "are", "does", "do", "should"])
                    && (next..self.near_end(next)).any(|at| self.is_one_of(at, forms!["or"]));
                is_subject || is_should || is_or
            }
            Language::French => {
                self.is_one_of(at, forms!["est"])
                    && self.is_one_of(next, forms!["ce"])
                    && self.is_one_of(next + 1, forms!["que", "qu"])
            }
        };
        (is_asking && !self.is_marked()).then_some(next + 1)
    }

    /// Checks whether a person or something stands behind "should", and not only what it does: "Should report no error".
    fn has_subject(&self, next: usize) -> bool {
        self.reading.is(next, Concept::Function)
            || self.clause_behind(next).take(4).any(|at| self.is_one_of(at, listed!("verbs without subject")))
    }

    /// Matches "Quel nom mettre page 3, on nous le dira", "Whose name goes there, we shall hear": what is asked stands first.
    pub(super) fn fronted_question(&self, at: usize) -> Option<usize> {
        if at != self.words.start || !self.is_one_of(at, &FRONTED) {
            return None;
        }
        let end = self.near_end(at);
        if let Some(end) = self.bare(at) {
            return Some(end);
        }
        let pause = (at + 1..end).find(|at| self.reading.words[*at].gap == Gap::Pause)?;
        let is_ours = (pause..end).take(2).any(|at| self.reading.is(at, Concept::Narrator));
        is_ours.then_some(pause)
    }

    /// Matches "Which address goes with which brand", "Whether it is closed decides the plan".
    fn bare(&self, at: usize) -> Option<usize> {
        const BARE_WORDS_MAX: usize = 12;
        const WHICH: Forms<6> = Forms::of(["which", "whose", "quel", "quelle", "quels", "quelles"]);
        let words = self.near_end(at).saturating_sub(at);
        let is_told = (at + 1..self.near_end(at))
            .any(|at| self.reading.language == Language::English && self.is_participle(at));
        let is_head = self.text_before(self.words.end).contains(':');
        let is_which =
            self.is_one_of(at, &WHICH) && (4..=BARE_WORDS_MAX).contains(&words) && !is_told && !is_head;
        let decides = || {
            const DECIDES: Forms<6> =
                Forms::of(["decides", "determines", "governs", "drives", "commande", "détermine"]);
            self.clause_behind(at).find(|at| self.is_one_of(*at, &DECIDES))
        };
        if is_which {
            return Some(at + 1);
        }
        if self.is_one_of(at, forms!["whether"]) { decides().map(|verb| verb + 1) } else { None }
    }

    /// Matches "l'adresse est-elle une donnée": a French verb with its subject behind a hyphen asks.
    pub(super) fn hyphenated_question(&self, at: usize) -> Option<usize> {
        let is_joined = |at: usize| {
            let end = self.reading.words[at].end();
            let next = self.reading.words.get(at + 1).filter(|_| self.words.contains(&(at + 1)));
            next.is_some_and(|next| next.start == end + 1)
                && self.reading.text.as_bytes().get(end) == Some(&b'-')
        };
        if self.reading.language != Language::French || !is_joined(at) {
            return None;
        }
        // "a-t-il": a letter between them that only sounds.
        let is_linked = self.is_one_of(at + 1, forms!["t"]) && is_joined(at + 1);
        let subject = if is_linked { at + 2 } else { at + 1 };
        let is_plain = self.is_one_of(subject, forms!["il", "elle", "ils", "elles", "on", "je"]);
        // "On le fait-tu": in Québec the verb has its subject before it too.
        let is_doubled = self.is_one_of(subject, forms!["tu"]);
        let is_subject = is_plain || is_doubled;
        (is_subject && !self.is_marked()).then_some(subject + 1)
    }
}

/// The question mark of a question that is not answered on the spot.
pub(super) fn question_mark(reading: &Reading<'_>) -> Option<Range<usize>> {
    let text = reading.text;
    let mut marks = memchr::memchr_iter(b'?', text.as_bytes()).peekable();
    marks.peek()?;
    let sentences: Vec<Range<usize>> = reading.sentences().collect();
    marks.find_map(|at| {
        let before = text[..at].trim_end();
        // Two marks in a row ask by themselves, and so does one between parentheses.
        let is_asked = before.ends_with(|c: char| {
            c.is_alphanumeric()
                || matches!(c, ')' | '"' | '”' | '»' | '`' | '*' | '%' | '€' | '$' | '(' | '?' | ',' | ':')
        });
        let after = text[at + 1..].chars().next();
        // "cond ? a : b", "VALUES ? AS x": only French sets a blank before the mark of a question.
        let is_operator = reading.language == Language::English
            && text[..at].ends_with(' ')
            && text[at + 1..].starts_with(' ')
            && !text[at + 1..].trim_start_matches(' ').is_empty();
        let is_end =
            !is_operator && after.is_none_or(|c| c.is_whitespace() || matches!(c, '?' | '!' | ')' | '*'));
        let nth =
            sentences.partition_point(|sentence| reading.words[sentence.start].start < at).checked_sub(1)?;
        let is_open = is_asked
            && is_end
            && !is_quoted(reading, at)
            && !is_optional(before)
            && !is_title(text, at)
            && !is_answered(reading, &sentences, nth);
        is_open.then_some(at..at + 1)
    })
}

/// Checks whether a question is a title: one of the questions that parentheses list: "two questions (does it work? is it safe?)".
fn is_title(text: &str, at: usize) -> bool {
    let open = text[..at].rfind(['(', ')']).filter(|open| text[*open..].starts_with('('));
    open.is_some_and(|open| {
        let before = text[..open].trim_end();
        before.ends_with("questions") || before.ends_with("question")
    })
}

/// Checks whether a text ends with a name as programs write them: `rendererOverride?` is an optional one.
fn is_optional(before: &str) -> bool {
    let word = before.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
    let mut letters = word.bytes().zip(word.bytes().skip(1)).skip(1);
    word.starts_with(|letter: char| letter.is_ascii_lowercase())
        && letters.any(|(letter, next)| letter.is_ascii_lowercase() && next.is_ascii_uppercase())
}

/// Checks whether a place in the text stands between quotation marks.
fn is_quoted(reading: &Reading<'_>, at: usize) -> bool {
    let last = reading.words.partition_point(|word| word.start < at).checked_sub(1);
    last.map(|last| &reading.words[last]).is_some_and(|word| {
        let between = &reading.text[word.end()..at];
        match word.is_quoted {
            true => !between.contains(['"', '”', '»', '`']),
            // Quoted marks have no word with them: "rejects `???` in messages".
            false => between.contains([' ', '(']) && between.contains(['“', '«', '`']),
        }
    })
}

/// Checks whether what follows a question answers it.
fn is_answered(reading: &Reading<'_>, sentences: &[Range<usize>], nth: usize) -> bool {
    let Some(next) = sentences.get(nth + 1) else { return false };
    let first = reading.words[sentences[nth].start].text.to_lowercase();
    if matches!(first.as_str(), "why" | "pourquoi") {
        return true;
    }
    // "Two routes are alike? It now takes the shorter one".
    let answer = Sentence { reading, words: next.clone() };
    if next.clone().skip(1).take(3).any(|at| {
        answer.is_one_of(at, forms!["now", "désormais", "maintenant"])
            && !answer.is_one_of(at - 1, forms!["for"])
    }) {
        return true;
    }
    // "La question a été posée en réunion, et la réponse est non".
    let is_given = |at: usize| {
        answer.is_one_of(at, forms!["answer", "réponse", "verdict", "décision", "decision"])
            && answer.is_one_of(at + 1, forms!["is", "was", "est", "était", "fut"])
    };
    if next.clone().any(is_given) {
        return true;
    }

    let is_yes = || {
        matches!(
            reading.words[next.start].text.to_lowercase().as_str(),
            "yes" | "oui" | "yep" | "true" | "false"
        )
    };
    if is_yes() {
        return true;
    }
    let sentence = Sentence { reading, words: next.clone() };
    // What the narrator chose for the time being is no answer.
    if sentence.is_one_of(next.start, forms!["i", "j", "je"]) {
        return false;
    }
    (next.start..sentence.near_end(next.start)).any(|at| sentence.is_settling(at))
}
