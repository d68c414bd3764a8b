//! Whether a text leaves a question open: says that something is undecided, waits for an answer, or asks.
//!
//! A question is told by its grammar, not by a list of sentences: a word of openness, a settling that is denied or still
//! to come, a doubt of the teller, a word to the reader; each with who settles (`crew`, `party`) and against who only uses
//! what was made (`people`). What stands in a clause about a case, what is taken back, and what the same sentence settles
//! is none.

mod asked;
mod clause;
mod denied;
mod expected;
mod stated;

use std::ops::Range;

use super::judged;
use super::lexicon::{Concept, Concepts};
use super::text::Reading;

/// A way to leave something open: the place behind the words that start at a place and do so.
type Way = fn(&Sentence<'_, '_>, usize) -> Option<usize>;

/// Every way, with what its first word is: at others it is not tried.
const WAYS: [(Concepts, Way); 27] = [
    (Concepts::of(&[Concept::Open]), |sentence, at| sentence.stated(at)),
    (Concepts::of(&[Concept::Blank]), |sentence, at| sentence.alone(at)),
    (Concepts::of(&[Concept::Blank]), |sentence, at| sentence.remaining(at)),
    (Concepts::of(&[Concept::Blank, Concept::Wait]), |sentence, at| sentence.ending(at)),
    (Concepts::of(&[Concept::Guess]), |sentence, at| sentence.guessed(at)),
    (Concepts::of(&[Concept::Depend]), |sentence, at| sentence.depending(at)),
    (Concepts::of(&[Concept::Either]), |sentence, at| sentence.either(at)),
    (Concepts::of(&[Concept::Deny]), |sentence, at| sentence.denied(at)),
    (Concepts::of(&[Concept::Deny]), |sentence, at| sentence.silent(at)),
    (Concepts::of(&[Concept::Deny]), |sentence, at| sentence.unknown(at)),
    (Concepts::of(&[Concept::Deny]), |sentence, at| sentence.unchosen(at)),
    (Concepts::of(&[Concept::Deny]), |sentence, at| sentence.disowned(at)),
    (Concepts::of(&[Concept::Nobody, Concept::Until]), |sentence, at| sentence.unanswered(at)),
    (Concepts::of(&[Concept::Deny]), |sentence, at| sentence.unsaid(at)),
    (Concepts::of(&[Concept::Unable]), |sentence, at| sentence.unable(at)),
    (Concepts::of(&[Concept::Must, Concept::Will, Concept::Whom]), |sentence, at| sentence.to_be_settled(at)),
    (Concepts::of(&[Concept::Whom]), |sentence, at| sentence.to_settle(at)),
    (Concepts::of(&[Concept::Must]), |sentence, at| sentence.obliged(at)),
    (Concepts::of(&[Concept::Wait]), |sentence, at| sentence.awaited(at)),
    (Concepts::of(&[Concept::Ask, Concept::Decide]), |sentence, at| sentence.requested(at)),
    (Concepts::of(&[Concept::You]), |sentence, at| sentence.addressed(at)),
    (Concepts::of(&[Concept::Must, Concept::Will, Concept::Future]), |sentence, at| sentence.expected(at)),
    (Concepts::of(&[Concept::Wish, Concept::When]), |sentence, at| {
        sentence.wished(at).or_else(|| sentence.conditional(at))
    }),
    (Concepts::of(&[Concept::Lack]), |sentence, at| sentence.lacking(at)),
    (Concepts::of(&[Concept::Answer, Concept::Point]), |sentence, at| sentence.deferred(at)),
    (Concepts::of(&[Concept::Yet, Concept::Open]), |sentence, at| sentence.in_talks(at)),
    (Concepts::of(&[Concept::Consult, Concept::Whom]), |sentence, at| {
        sentence.consulted(at).or_else(|| sentence.entrusted(at))
    }),
];

/// What the first word of any way is.
const FIRST: Concepts = {
    let mut first = Concepts::of(&[Concept::Function]);
    let mut at = 0;
    while at < WAYS.len() {
        first = first.with(WAYS[at].0);
        at += 1;
    }
    first
};

/// The words that leave something open, or the question mark of a question.
pub(crate) fn left_open(text: &str) -> Option<&str> {
    let reading = Reading::new(judged(text));
    let sentences: Vec<Range<usize>> = reading.sentences().collect();
    let said =
        sentences.iter().find_map(|sentence| Sentence { reading: &reading, words: sentence.clone() }.open());
    said.or_else(|| asked::mark(&reading, &sentences))
}

struct Sentence<'r, 't> {
    reading: &'r Reading<'t>,
    words: Range<usize>,
}

impl<'t> Sentence<'_, 't> {
    /// The first words that leave something open.
    fn open(&self) -> Option<&'t str> {
        self.words.clone().find_map(|at| {
            let word = &self.reading.words[at];
            if word.is_quoted || word.is_code {
                return None;
            }
            let first = self.reading.starts(at);
            if !first.has_any(FIRST) {
                return None;
            }
            let ways = WAYS.iter().filter(|(starts, _)| first.has_any(*starts));
            let end = ways.map(|(_, way)| way(self, at)).find_map(|end| end).or_else(|| self.inverted(at))?;
            // French denies behind the verb: "ne répond pas", not "pas".
            let is_denial = end == at + 1 && self.is_denial(at);
            let start = if is_denial { at.saturating_sub(2).max(self.words.start) } else { at };
            Some(self.reading.words_between(start, end.min(self.words.end)))
        })
    }
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
            ("The rate that finance has not validated is 3.2 %.", Some("not validated")),
            ("Exit song to be picked by the couple.", Some("to be picked")),
            ("Exécuteur à désigner par le client.", Some("à désigner")),
            ("L'expéditeur ne répond pas.", Some("ne répond pas")),
            ("Blue or green, you choose.", Some("you choose")),
            ("Act 3 depends on the director.", Some("depends on the director")),
            ("Open: parking at the gate.", Some("Open")),
            ("Fares done but should children be free", Some("should children")),
            ("Seats: which row? I took the first.", Some("?")),
            ("Undecided voters are 38 %.", None),
            ("Orders that have not been confirmed expire.", None),
            ("Si la banque ne répond pas, le paiement est retenté.", None),
            ("La page peut être imprimée.", None),
            ("The guide explains why it was unclear.", None),
            ("Should a disk fail, the array rebuilds itself.", None),
            ("The status can be draft, pending or approved.", None),
            ("VERIFIED advances, UNVERIFIED loops.", None),
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
        for word in [
            "unclear voters ",
            "why? ",
            "not ",
            "no question open ",
            "pas ",
            "if it is not ",
            "you still need to be ",
            "le client a dit que ",
            "who was unclear that ",
        ] {
            let text = word.repeat(200_000 / word.len());
            assert!(left_open(&text).is_none_or(|open| open.len() < 200), "{word}");
        }
    }
}
