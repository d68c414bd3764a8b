//! Open questions: a statement that a point is undecided, a wait for an answer, or a question.
//!
//! A question is told by its grammar, not by a list of sentences: an adjective of openness, a verb of settling that is negated
//! or in the future, a doubt of the narrator, two opposed views, a request to the reader; each with the person who settles
//! it (`decider`, `party`) as opposed to persons who only use the product (`user`). Hypothetical clauses, statements that are
//! taken back, matters that are over and points that the same sentence settles are none.

mod actors;
mod clause;
mod contradiction;
mod dependence;
mod disagreement;
mod doubt;
mod explicit;
mod interrogative;
mod modality;
mod negation;
mod omission;
mod other_senses;
mod settlement;
mod triggers;
mod unresolved;
mod waiting;

use std::ops::Range;

use super::judged;
use super::lexicon::Concept;
use super::raw;
use super::reading::Reading;
use triggers::{Trigger, here, hyphen, word};

/// Pattern of an open question: the index behind the words that match from an index on.
type Pattern = fn(&Sentence<'_, '_>, usize) -> Option<usize>;

/// Every pattern with its trigger: at other words it is not tried.
const PATTERNS: [(Trigger, Pattern); 49] = [
    (here(&[Concept::Open]), |sentence, at| sentence.explicitly_open(at)),
    (here(&[Concept::Blank]), |sentence, at| sentence.blank_heading(at)),
    (here(&[Concept::Blank, Concept::Wait]), |sentence, at| sentence.blank_ending(at)),
    (here(&[Concept::Guess]), |sentence, at| sentence.guess(at)),
    (here(&[Concept::Depend]), |sentence, at| sentence.dependence(at)),
    (here(&[Concept::Either]), |sentence, at| sentence.choice(at)),
    (here(&[Concept::Negation]), |sentence, at| sentence.denied_settling(at)),
    (here(&[Concept::Negation]), |sentence, at| sentence.silence(at)),
    (here(&[Concept::Negation]), |sentence, at| sentence.unknown(at)),
    (here(&[Concept::Negation, Concept::Hardly]), |sentence, at| sentence.disowned(at)),
    (here(&[Concept::Nobody, Concept::Until]), |sentence, at| sentence.unanswered(at)),
    (here(&[Concept::Negation]), |sentence, at| sentence.unsaid(at)),
    (here(&[Concept::Negation]), |sentence, at| sentence.unable_to_determine(at)),
    (here(&[Concept::Negation]), |sentence, at| sentence.unproven(at)),
    (here(&[Concept::Negation]), |sentence, at| sentence.missing_document(at)),
    (here(&[Concept::Answer]), |sentence, at| sentence.wanted_answer(at)),
    (here(&[Concept::Hold]), |sentence, at| sentence.opposed_views(at)),
    (here(&[Concept::Source]), |sentence, at| sentence.contradicting_documents(at)),
    (here(&[Concept::Against]), |sentence, at| sentence.deviating_document(at)),
    (here(&[Concept::Narrator]), |sentence, at| sentence.interpretation(at)),
    (word(&[Concept::Negation], &unresolved::PARTED), |sentence, at| sentence.parted_without_answer(at)),
    (word(&[Concept::Whether], &interrogative::FRONTED), |sentence, at| sentence.fronted_question(at)),
    (here(&[Concept::Refer]), |sentence, at| sentence.referred(at)),
    (word(&[Concept::When], &unresolved::REVERTED), |sentence, at| sentence.reversible_choice(at)),
    (word(&[Concept::Account], &disagreement::BY_ACCOUNT), |sentence, at| sentence.differing_accounts(at)),
    (here(&[Concept::Obscure]), |sentence, at| sentence.obscure(at)),
    (here(&[Concept::Ponder]), |sentence, at| sentence.pondering(at)),
    (here(&[Concept::Omit]), |sentence, at| sentence.omitted(at)),
    (word(&[Concept::Negation], &unresolved::NONE_OF), |sentence, at| sentence.none_of(at)),
    (word(&[Concept::Negation], &unresolved::NONE_SET), |sentence, at| sentence.none_set(at)),
    (here(&[Concept::Hardly]), |sentence, at| sentence.hardly(at)),
    (here(&[Concept::Whichever]), |sentence, at| sentence.whichever(at)),
    (here(&[Concept::Scant]), |sentence, at| sentence.scant_evidence(at)),
    (word(&[Concept::With, Concept::Whom, Concept::Defer], &doubt::HELD_BY), |sentence, at| {
        sentence.held_by(at)
    }),
    (here(&[Concept::Unable]), |sentence, at| sentence.unable(at)),
    (
        word(&[Concept::Must, Concept::Will, Concept::Whom], &modality::TO_BE_SETTLED)
            .or_here(&[Concept::Must]),
        |sentence, at| sentence.to_be_settled(at),
    ),
    (word(&[Concept::Whom], &modality::TO_SETTLE), |sentence, at| sentence.to_settle(at)),
    (here(&[Concept::Must]), |sentence, at| sentence.obliged(at)),
    (here(&[Concept::Wait]), |sentence, at| sentence.awaited(at)),
    (word(&[Concept::Ask, Concept::Decide], &modality::ASKED).or_here(&[Concept::Ask]), |sentence, at| {
        sentence.requested(at)
    }),
    (here(&[Concept::You]), |sentence, at| sentence.addressed(at)),
    (here(&[Concept::Must, Concept::Will, Concept::Future]), |sentence, at| sentence.expected(at)),
    (here(&[Concept::RunRequest, Concept::When]), |sentence, at| {
        sentence.wished(at).or_else(|| sentence.conditional(at))
    }),
    (here(&[Concept::Lack]), |sentence, at| sentence.lacking(at)),
    (here(&[Concept::Answer, Concept::Point]), |sentence, at| sentence.deferred(at)),
    (word(&[Concept::Yet, Concept::Open], &dependence::IN_TALKS), |sentence, at| sentence.in_talks(at)),
    (here(&[Concept::Consult, Concept::Whom]), |sentence, at| {
        sentence.consulted(at).or_else(|| sentence.entrusted(at))
    }),
    (hyphen(), |sentence, at| sentence.hyphenated_question(at)),
    (word(&[Concept::Function], &interrogative::INVERTED).opening(), |sentence, at| {
        sentence.inverted_question(at)
    }),
];

/// Finds the words that leave a question open, or the question mark of a question.
pub(crate) fn find(text: &str) -> Option<Range<usize>> {
    let reading = Reading::new(judged(text));
    let mut sentence = Sentence { reading: &reading, words: 0..0 };
    let mut from = 0;
    while let Some((at, patterns)) = triggers::next(&reading, from) {
        if at >= sentence.words.end {
            sentence.words = reading.sentence(at);
        }
        if let Some(open) = sentence.open(at, patterns) {
            return is_told(text, &open).then_some(open);
        }
        from = at + 1;
    }
    interrogative::question_mark(&reading).filter(|open| is_told(text, open))
}

/// Checks whether the narrator says some words of a text himself, and no tool printed them.
fn is_told(text: &str, words: &Range<usize>) -> bool {
    !raw::find(text).is_some_and(|copy| copy.range.start <= words.start && words.end <= copy.range.end)
}

struct Sentence<'r, 't> {
    reading: &'r Reading<'t>,
    words: Range<usize>,
}

impl Sentence<'_, '_> {
    /// Finds the words from an index on that match one of some patterns.
    #[inline(never)]
    fn open(&self, at: usize, mut patterns: u64) -> Option<Range<usize>> {
        let word = &self.reading.words[at];
        if word.is_code || word.is_quoted && !self.is_spoken(at) {
            return None;
        }
        let tried = std::iter::from_fn(|| {
            let pattern = PATTERNS.get(patterns.trailing_zeros() as usize)?;
            patterns &= patterns - 1;
            Some(pattern)
        });
        let end = tried.map(|(_, pattern)| pattern(self, at)).find_map(|end| end)?;

        // "On attendait la réponse, elle est positive".
        let is_over = (at.saturating_sub(1).max(self.words.start)..end.min(self.words.end))
            .any(|at| self.is_imperfect(at));
        if is_over && self.is_past(at, end.min(self.words.end)) || self.is_replied() {
            return None;
        }
        // French denies behind the verb: "ne répond pas", not "pas".
        let is_denial = end == at + 1 && self.is_denial(at);
        let start = if is_denial { at.saturating_sub(2).max(self.words.start) } else { at };
        Some(self.reading.range_between(start, end.min(self.words.end)))
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
            ("Whether it holds I cannot judge.", Some("cannot judge")),
            ("Le code et la doc divergent, sans que je puisse départager.", Some("divergent")),
            ("Retries set, Karim to pick the number.", Some("to pick")),
            ("The timing is anything but settled.", Some("anything but settled")),
            ("Marc said green and Julie said blue.", Some("said green and Julie")),
            ("Old terms say 60, the website 120.", Some("terms say 60, the website")),
            ("Whether codes count has been put to the DPO.", Some("put to the DPO")),
            ("The wording of clause 4 is murky.", Some("murky")),
            ("Le contrat passe sous silence les retours.", Some("passe sous silence")),
            ("No target was ever set.", Some("No target was ever set")),
            ("The budget is still with finance.", Some("with finance")),
            ("Sample too small to tell.", Some("too small to tell")),
            ("The policy says 24, the contract says 36.", Some("policy says 24, the contract says")),
            ("30 days, although the terms of sale mention 14.", Some("although the terms of sale mention")),
            ("No lawyer has read it.", Some("No lawyer has read")),
            ("I took “end of month” to mean the last day.", Some("I took “end of month” to")),
            ("There was no figure in the brief.", Some("no figure in the brief")),
            ("It has no source that I could trace.", Some("no source that I could trace")),
            ("The ticket asks for 5, the note for 9; the note wins.", None),
            ("Asked which of the two is right. Answer: the net one.", None),
            ("The two notes contradicted each other; one is now marked as superseded.", None),
            ("The linter reports TODO, TBD and FIXME.", None),
            ("Si le stock est vide, la commande passe en attente.", None),
            ("The old terms said 60 and the website 120; both now say 90.", None),
            ("On attendait la réponse de la mairie, elle est positive.", None),
            ("The API does not say which field failed, on purpose.", None),
            ("We do not know their age and do not need to.", None),
            ("Form built. Should it work without JavaScript?", Some("?")),
            ("Takes the override (rendererOverride?) first.", None),
            ("Lint now rejects `???` in messages.", None),
            ("Nobody objected to the schedule.", None),
            ("The type is marked as undetermined.", None),
            ("A request stays open until a manager approves it.", None),
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
            (
                "La mise en ligne attend toujours le feu vert de la mairie.",
                Some("attend toujours le feu vert"),
            ),
            ("Le chiffrage dépend de l'arbitrage de Me Faure.", Some("dépend de l'arbitrage")),
            ("Faute de réponse du serveur, le client bascule sur le miroir.", None),
            ("L'étude répond à la question de savoir si le paillage sert : oui.", None),
            ("It had long been unclear why it drifted; a joint turned out to be loose.", None),
            ("The installer waits up to thirty seconds for a reply.", None),
            ("In doubt, the model returns the class `other`.", None),
        ] {
            assert_eq!(find(text).map(|words| &text[words]), open, "{text}");
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
            "Marc says ",
            "without having ",
            "selon lui ",
            "1 or 2, ",
            "“je dit ",
            "no x was ",
            "if it was we should ",
            "the spec says 5, ",
            "but the spec says ",
            "no native has ",
            "I took it ",
            "the brief asks while ",
        ] {
            let text = word.repeat(200_000 / word.len());
            assert!(find(&text).is_none_or(|open| open.len() < 200), "{word}");
        }
    }
}
