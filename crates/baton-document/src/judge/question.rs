//! Whether a text leaves a question open: says that something is undecided, waits for an answer, or asks.

use std::ops::Range;

use super::judged;
use super::lexicon::{Concept, Language};
use super::text::{Gap, Reading};

/// So many words may stand between a denial and the verb it denies: "has not yet been formally decided".
const DENIED_WORDS_MAX: usize = 5;

/// So far around a word its sentence is looked at; a longer one would be looked at again for each of its words.
const SENTENCE_WORDS_MAX: usize = 40;

/// So far behind "until" stands what has to happen, and who has to do it.
const UNTIL_WORDS_MAX: usize = 9;

/// So far behind an obligation stands its verb, and so far before it who is obliged.
const OBLIGED_WORDS_MAX: usize = 4;

/// So far behind a verb of waiting stands what is waited for.
const AWAITED_WORDS_MAX: usize = 7;

/// The words that leave something open, or the question mark of a question.
pub(crate) fn left_open(text: &str) -> Option<&str> {
    let reading = Reading::new(judged(text));
    let sentences: Vec<Range<usize>> = reading.sentences().collect();
    let said =
        sentences.iter().find_map(|sentence| Sentence { reading: &reading, words: sentence.clone() }.open());
    said.or_else(|| asked(&reading, &sentences))
}

struct Sentence<'r, 't> {
    reading: &'r Reading<'t>,
    words: Range<usize>,
}

impl<'t> Sentence<'_, 't> {
    /// The first words that leave something open.
    fn open(&self) -> Option<&'t str> {
        self.words.clone().find_map(|at| {
            if self.reading.words[at].is_quoted || self.reading.words[at].is_code {
                return None;
            }
            let end = self
                .stated(at)
                .or_else(|| self.denied(at))
                .or_else(|| self.unanswered(at))
                .or_else(|| self.unsaid(at))
                .or_else(|| self.unable(at))
                .or_else(|| self.to_be_settled(at))
                .or_else(|| self.obliged(at))
                .or_else(|| self.awaited(at))
                .or_else(|| self.requested(at))?;
            Some(self.reading.words_between(at, end.min(self.words.end)))
        })
    }

    /// "still to be decided", "reste à trancher".
    fn stated(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Open).filter(|end| *end <= self.words.end)?;
        // One word before a noun or behind an article is a part of a name: "undecided voters".
        let is_word = end == at + 1;
        let is_noun = self.ends_with_noun(end) && self.is_before_noun(end);
        let is_name = is_noun || is_word && (self.is_before_noun(end) || self.is_behind_article(at));
        let is_taken_back = is_name || self.is_denied(at) || self.is_settled(at, end);
        (!is_taken_back).then_some(end)
    }

    /// "not yet decided", "nobody has defined", "no decision so far".
    fn denied(&self, at: usize) -> Option<usize> {
        if !self.is_denial(at) {
            return None;
        }
        let near = (at + 1..self.words.end).take(DENIED_WORDS_MAX);
        for next in near.take_while(|at| self.reading.words[*at].gap == Gap::None) {
            let verb = self.reading.after(next, Concept::Settle).filter(|_| self.is_participle(next));
            if verb.is_some() {
                return verb;
            }
            if let Some(end) = self.reading.after(next, Concept::Closed).filter(|_| self.is_participle(next))
            {
                let is_ours = self.is_subject_ours(at) || self.has_between(at, next, Concept::Yet);
                let is_passive = self.has_word(at, next, &["been", "été", "ete"]);
                let is_relative = self.has_word(
                    self.near_start(at),
                    at,
                    &["who", "that", "which", "whose", "qui", "que", "dont", "if", "si"],
                );
                return ((is_ours || is_passive) && !is_relative).then_some(end);
            }
            if let Some(end) = self.reading.after(next, Concept::Answer) {
                let is_missed = self.has_behind(end, Concept::Yet) && !self.has_behind(end, Concept::Need);
                return is_missed.then_some(end);
            }
            if !self.reading.is(next, Concept::Function) && !self.reading.is(next, Concept::Deny) {
                return None;
            }
        }
        None
    }

    /// "nobody could tell me", "until finance confirms them", "tant que la banque ne répond pas".
    fn unanswered(&self, at: usize) -> Option<usize> {
        const NOBODY: [&str; 4] = ["nobody", "Nobody", "personne", "Personne"];
        const UNTIL: [&str; 4] = ["until", "Until", "tant", "Tant"];
        let text = self.reading.words[at].text;
        let (is_nobody, is_until) = (NOBODY.contains(&text), UNTIL.contains(&text));
        if !is_nobody && !is_until {
            return None;
        }
        let near = || (at + 1..self.words.end).take(UNTIL_WORDS_MAX);
        let is_verb = |at: usize| {
            let verbs = [Concept::Settle, Concept::Closed, Concept::Decide];
            verbs.iter().find_map(|verb| self.reading.after(at, *verb))
        };
        let is_ours = is_nobody || near().any(|at| self.reading.is(at, Concept::Party));
        near().find_map(is_verb).filter(|_| is_ours)
    }

    /// "the spec does not say what happens", "ne précise pas si".
    fn unsaid(&self, at: usize) -> Option<usize> {
        const SAY: [&str; 18] = [
            "say",
            "specify",
            "state",
            "mention",
            "explain",
            "tell",
            "define",
            "says",
            "cover",
            "dit",
            "précise",
            "precise",
            "mentionne",
            "indique",
            "explique",
            "définit",
            "definit",
            "prévoit",
        ];
        const WHETHER: [&str; 20] = [
            "what", "which", "whether", "how", "if", "who", "when", "where", "ce", "si", "quel", "quelle",
            "quels", "quelles", "qui", "comment", "quand", "où", "combien", "pourquoi",
        ];
        let is = |at: usize, list: &[&str]| {
            self.words.contains(&at) && list.contains(&self.reading.words[at].text)
        };
        if !self.is_denial(at) {
            return None;
        }
        // English denies before the verb, French behind it.
        let whether = match self.reading.language {
            Language::English => Some(at + 2).filter(|_| is(at + 1, &SAY)),
            Language::French => Some(at + 1).filter(|_| at.checked_sub(1).is_some_and(|verb| is(verb, &SAY))),
        };
        whether.filter(|whether| is(*whether, &WHETHER)).map(|whether| whether + 1)
    }

    /// "could not determine whether", "pas réussi à savoir".
    fn unable(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Unable)?;
        let mut near = (end..self.words.end).take(OBLIGED_WORDS_MAX);
        near.find_map(|at| self.reading.after(at, Concept::Decide))
    }

    /// "has to be clarified", "doit être confirmée avec le DPO".
    fn to_be_settled(&self, at: usize) -> Option<usize> {
        let must = self.reading.after(at, Concept::Must).filter(|end| *end <= self.words.end)?;
        let be = self.reading.words.get(must).filter(|_| must < self.words.end)?;
        if !["be", "être", "etre"].contains(&be.text) {
            return None;
        }
        let verb = (must + 1..self.words.end).take(2).find(|at| self.is_participle(*at))?;
        let settle = self.reading.after(verb, Concept::Settle);
        let closed = self.reading.after(verb, Concept::Closed);
        let is_ours = closed.is_some_and(|end| {
            let by = self.reading.words.get(end).map_or("", |word| word.text);
            let is_by = ["with", "by", "avec", "par"].contains(&by);
            is_by && (end..self.words.end).take(4).any(|at| self.reading.is(at, Concept::Party))
        });
        settle.or(closed.filter(|_| is_ours || self.has_between(self.near_start(at), at, Concept::Yet)))
    }

    /// "we still have to pick", "il faut encore choisir"; what users have to do is no question.
    fn obliged(&self, at: usize) -> Option<usize> {
        let must = self.reading.after(at, Concept::Must).filter(|end| *end <= self.words.end)?;
        let mut near = (must..self.words.end).take(OBLIGED_WORDS_MAX);
        let verb = near.find_map(|at| self.reading.after(at, Concept::Decide))?;
        let is_ours =
            at == self.words.start || self.reading.words[at].gap != Gap::None || self.is_subject_ours(at);
        (is_ours && !self.is_denied(at)).then_some(verb)
    }

    /// "waiting for confirmation", "en attente du tarif".
    fn awaited(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Wait).filter(|end| *end <= self.words.end)?;
        if self.is_denied(at) {
            return None;
        }
        let mut near = (end..self.words.end).take(AWAITED_WORDS_MAX);
        let answer = near.find_map(|at| self.reading.after(at, Concept::Answer));
        let before = at.checked_sub(1).filter(|_| self.reading.words[at].gap == Gap::None);
        let is_predicate = before.is_none_or(|before| self.is_predicate_word(before));
        let is_name = before.is_some_and(|before| self.is_article(before));
        let is_direct = self.reading.after(end, Concept::Answer).is_some() && !is_name;
        // "Pending invoices" are invoices; "pending the answer" waits.
        let is_noun =
            end == at + 1 && self.is_before_noun(end) && !is_direct && !self.reading.is(end, Concept::Party);
        if is_noun {
            return None;
        }
        (is_predicate || is_direct).then_some(answer.unwrap_or(end))
    }

    /// "please confirm", "merci de valider".
    fn requested(&self, at: usize) -> Option<usize> {
        self.reading.after(at, Concept::Ask).filter(|end| *end <= self.words.end && !self.is_denied(at))
    }

    /// Whether somebody behind the work stands right before a word, or is it.
    fn is_subject_ours(&self, at: usize) -> bool {
        let before = (self.words.start..at).rev().take(OBLIGED_WORDS_MAX);
        let mut clause = before.take_while(|before| self.reading.words[before + 1].gap == Gap::None);
        self.reading.is(at, Concept::Party) || clause.any(|before| self.reading.is(before, Concept::Party))
    }

    /// The start of the sentence, or of what is looked at of a long one.
    fn near_start(&self, at: usize) -> usize {
        self.words.start.max(at.saturating_sub(SENTENCE_WORDS_MAX))
    }

    /// The end of the sentence, or of what is looked at of a long one.
    fn near_end(&self, at: usize) -> usize {
        self.words.end.min(at + SENTENCE_WORDS_MAX)
    }

    fn has_between(&self, from: usize, to: usize, concept: Concept) -> bool {
        (from..to).any(|at| self.reading.after(at, concept).is_some())
    }

    fn has_word(&self, from: usize, to: usize, wanted: &[&str]) -> bool {
        self.reading.words[from..to].iter().any(|word| wanted.contains(&word.text))
    }

    /// Whether the word before this place is a name for something open.
    fn ends_with_noun(&self, end: usize) -> bool {
        const NOUNS: [&str; 8] =
            ["issue", "issues", "item", "items", "point", "points", "question", "decision"];
        NOUNS.contains(&self.reading.words[end - 1].text)
    }

    fn is_before_noun(&self, at: usize) -> bool {
        let word = self.reading.words.get(at).filter(|_| at < self.words.end);
        word.is_some_and(|word| word.gap == Gap::None && !word.is(Concept::Function, self.reading.language))
    }

    fn is_behind_article(&self, at: usize) -> bool {
        let before = at.checked_sub(1).filter(|before| *before >= self.words.start);
        before.is_some_and(|before| self.is_article(before))
    }

    fn is_denial(&self, at: usize) -> bool {
        self.reading.is(at, Concept::Deny) && !self.reading.words[at].is_quoted
    }

    /// Whether a word before this one in the same clause takes it back.
    fn is_denied(&self, at: usize) -> bool {
        let before = (self.near_start(at)..at).rev();
        let mut clause = before.take_while(|before| self.reading.words[before + 1].gap == Gap::None);
        clause.any(|before| self.is_denial(before))
    }

    /// Whether the same sentence says that it was settled: behind it, or before it in the same clause.
    fn is_settled(&self, start: usize, end: usize) -> bool {
        let before = (self.near_start(start)..start).rev();
        let mut clause = before.take_while(|at| self.reading.words[at + 1].gap == Gap::None);
        (end..self.near_end(end)).any(|at| self.is_settling(at)) || clause.any(|at| self.is_settling(at))
    }

    /// A verb that says that a question was closed.
    fn is_settling(&self, at: usize) -> bool {
        let is_verb =
            [Concept::Settle, Concept::Closed].iter().any(|verb| self.reading.after(at, *verb).is_some());
        is_verb && self.is_participle(at) && !self.is_near_denial(at)
    }

    fn is_near_denial(&self, at: usize) -> bool {
        (self.words.start..at).rev().take(3).any(|before| self.is_denial(before))
    }

    /// A verb in a form that says that it happened.
    fn is_participle(&self, at: usize) -> bool {
        const HELPERS: [&str; 14] = [
            "est", "sont", "a", "ai", "ont", "avons", "avez", "avait", "ete", "été", "fut", "était", "etait",
            "étaient",
        ];
        let text = self.reading.words[at].text;
        let ends = |ends: &[&str]| ends.iter().any(|end| text.ends_with(end));
        match self.reading.language {
            Language::English => {
                ends(&["ed", "en", "ose", "old", "ept", "ave", "ent", "aid", "ot", "ame", "ack", "one", "up"])
            }
            Language::French => {
                let before = at.checked_sub(1).map(|before| self.reading.words[before].text);
                let is_helped = before.is_some_and(|word| HELPERS.contains(&word));
                ends(&[
                    "é", "ée", "és", "ées", "i", "ie", "is", "ies", "u", "ue", "us", "ues", "clos", "close",
                    "dit",
                ]) || (is_helped && ends(&["e", "es", "ee", "ees", "it", "rt", "mise", "mis"]))
                    || ends(&["mise", "mis"])
            }
        }
    }

    fn has_behind(&self, at: usize, concept: Concept) -> bool {
        (at..self.near_end(at)).any(|at| self.reading.after(at, concept).is_some())
    }

    fn is_article(&self, at: usize) -> bool {
        const ARTICLES: [&str; 14] =
            ["a", "an", "the", "this", "of", "while", "le", "la", "les", "un", "une", "des", "de", "statut"];
        ARTICLES.iter().any(|word| self.reading.words[at].text.eq_ignore_ascii_case(word))
    }

    fn is_predicate_word(&self, at: usize) -> bool {
        const WORDS: [&str; 24] = [
            "is",
            "are",
            "am",
            "m",
            "re",
            "s",
            "still",
            "currently",
            "now",
            "and",
            "but",
            "we",
            "est",
            "sont",
            "suis",
            "sommes",
            "on",
            "nous",
            "toujours",
            "encore",
            "j",
            "mais",
            "actuellement",
            "reste",
        ];
        let text = self.reading.words[at].text;
        WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
    }
}

/// The question mark of a question that is not answered on the spot.
fn asked<'t>(reading: &Reading<'t>, sentences: &[Range<usize>]) -> Option<&'t str> {
    let text = reading.text;
    text.match_indices('?').find_map(|(at, mark)| {
        let before = text[..at].trim_end();
        let is_asked =
            before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | '"' | '”' | '»' | '`' | '*'));
        let after = text[at + 1..].chars().next();
        let is_end = after.is_none_or(|c| c.is_whitespace() || matches!(c, '?' | '!' | ')' | '*'));
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
    let answer = reading.words[next.start].text.to_lowercase();
    if matches!(answer.as_str(), "yes" | "no" | "oui" | "non") {
        return true;
    }
    let sentence = Sentence { reading, words: next.clone() };
    (next.start..sentence.near_end(next.start)).any(|at| sentence.is_settling(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_that_leave_something_open_are_shown() {
        for (text, open) in [
            ("Cart built, the currency is still undecided.", Some("still undecided")),
            ("The caterer has not been selected.", Some("not been selected")),
            ("We still have to pick a provider.", Some("have to pick")),
            ("Panier fait. Quelle devise ?", Some("?")),
            ("La spec ne dit pas si le port est compris.", Some("pas si")),
            ("En attente de la réponse du client", Some("En attente de la réponse")),
            ("Undecided voters are 38 %.", None),
            ("Users who have not confirmed see a banner.", None),
            ("Why did it fail? The index was wrong.", None),
            ("Ajout de la page « Qui sommes-nous ? »", None),
            ("Aucune question ouverte.", None),
        ] {
            assert_eq!(left_open(text), open, "{text}");
        }
    }

    #[test]
    fn a_sentence_without_end_is_read_in_bounds() {
        for word in ["unclear voters ", "why? ", "not ", "no question open ", "pas "] {
            let text = word.repeat(200_000 / word.len());
            assert!(left_open(&text).is_none_or(|open| open.len() < 200), "{word}");
        }
    }
}
