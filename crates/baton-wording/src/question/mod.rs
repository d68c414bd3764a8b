//! Whether a text leaves a question open: says that something is undecided, waits for an answer, or asks.
//!
//! A question is told by its grammar, not by a list of sentences: a word of openness, a settling that is denied or still
//! to come, a doubt of the teller, two who differ, a word to the reader; each with who settles (`crew`, `party`) and against
//! who only uses what was made (`people`). What stands in a clause about a case, what is taken back, what is over and what the
//! same sentence settles is none.

mod apart;
mod asked;
mod awaited;
mod brought;
mod clash;
mod clause;
mod contrary;
mod denied;
mod doubt;
mod expected;
mod over;
mod start;
mod stated;
mod unsaid;
mod who;
mod wished;

use std::ops::Range;

use super::judged;
use super::lexicon::Concept;
use super::raw;
use super::text::Reading;
use start::{First, here, hyphen, word};

/// A way to leave something open: the place behind the words that start at a place and do so.
type Way = fn(&Sentence<'_, '_>, usize) -> Option<usize>;

/// Every way, with what it starts with: elsewhere it is not tried.
const WAYS: [(First, Way); 49] = [
    (here(&[Concept::Open]), |sentence, at| sentence.stated(at)),
    (here(&[Concept::Blank]), |sentence, at| sentence.alone(at)),
    (here(&[Concept::Blank, Concept::Wait]), |sentence, at| sentence.ending(at)),
    (here(&[Concept::Guess]), |sentence, at| sentence.guessed(at)),
    (here(&[Concept::Depend]), |sentence, at| sentence.depending(at)),
    (here(&[Concept::Either]), |sentence, at| sentence.either(at)),
    (here(&[Concept::Deny]), |sentence, at| sentence.denied(at)),
    (here(&[Concept::Deny]), |sentence, at| sentence.silent(at)),
    (here(&[Concept::Deny]), |sentence, at| sentence.unknown(at)),
    (here(&[Concept::Deny, Concept::Hardly]), |sentence, at| sentence.disowned(at)),
    (here(&[Concept::Nobody, Concept::Until]), |sentence, at| sentence.unanswered(at)),
    (here(&[Concept::Deny]), |sentence, at| sentence.unsaid(at)),
    (here(&[Concept::Deny]), |sentence, at| sentence.baffled(at)),
    (here(&[Concept::Deny]), |sentence, at| sentence.unproven(at)),
    (here(&[Concept::Deny]), |sentence, at| sentence.unheld(at)),
    (here(&[Concept::Answer]), |sentence, at| sentence.sought(at)),
    (here(&[Concept::Hold]), |sentence, at| sentence.opposed(at)),
    (here(&[Concept::Source]), |sentence, at| sentence.clashing(at)),
    (here(&[Concept::Against]), |sentence, at| sentence.unlike(at)),
    (here(&[Concept::Teller]), |sentence, at| sentence.meant(at)),
    (word(&[Concept::Deny], &brought::PARTED), |sentence, at| sentence.parted(at)),
    (word(&[Concept::Whether], &asked::FRONTED), |sentence, at| sentence.fronted(at)),
    (here(&[Concept::Refer]), |sentence, at| sentence.referred(at)),
    (word(&[Concept::When], &brought::REVERTED), |sentence, at| sentence.reverted(at)),
    (word(&[Concept::Account], &contrary::BY_ACCOUNT), |sentence, at| sentence.accounts(at)),
    (here(&[Concept::Dim]), |sentence, at| sentence.dim(at)),
    (here(&[Concept::Ponder]), |sentence, at| sentence.pondered(at)),
    (here(&[Concept::Omit]), |sentence, at| sentence.omitted(at)),
    (word(&[Concept::Deny], &brought::NONE_OF), |sentence, at| sentence.none_of(at)),
    (word(&[Concept::Deny], &brought::NONE_SET), |sentence, at| sentence.none_set(at)),
    (here(&[Concept::Hardly]), |sentence, at| sentence.hardly(at)),
    (here(&[Concept::Whichever]), |sentence, at| sentence.whichever(at)),
    (here(&[Concept::Scant]), |sentence, at| sentence.scant(at)),
    (word(&[Concept::With, Concept::Whom, Concept::Defer], &doubt::HELD_BY), |sentence, at| {
        sentence.held_by(at)
    }),
    (here(&[Concept::Unable]), |sentence, at| sentence.unable(at)),
    (
        word(&[Concept::Must, Concept::Will, Concept::Whom], &expected::TO_BE_SETTLED)
            .or_here(&[Concept::Must]),
        |sentence, at| sentence.to_be_settled(at),
    ),
    (word(&[Concept::Whom], &expected::TO_SETTLE), |sentence, at| sentence.to_settle(at)),
    (here(&[Concept::Must]), |sentence, at| sentence.obliged(at)),
    (here(&[Concept::Wait]), |sentence, at| sentence.awaited(at)),
    (word(&[Concept::Ask, Concept::Decide], &expected::ASKED).or_here(&[Concept::Ask]), |sentence, at| {
        sentence.requested(at)
    }),
    (here(&[Concept::You]), |sentence, at| sentence.addressed(at)),
    (here(&[Concept::Must, Concept::Will, Concept::Future]), |sentence, at| sentence.expected(at)),
    (here(&[Concept::Wish, Concept::When]), |sentence, at| {
        sentence.wished(at).or_else(|| sentence.conditional(at))
    }),
    (here(&[Concept::Lack]), |sentence, at| sentence.lacking(at)),
    (here(&[Concept::Answer, Concept::Point]), |sentence, at| sentence.deferred(at)),
    (word(&[Concept::Yet, Concept::Open], &wished::IN_TALKS), |sentence, at| sentence.in_talks(at)),
    (here(&[Concept::Consult, Concept::Whom]), |sentence, at| {
        sentence.consulted(at).or_else(|| sentence.entrusted(at))
    }),
    (hyphen(), |sentence, at| sentence.joined(at)),
    (word(&[Concept::Function], &asked::INVERTED).opening(), |sentence, at| sentence.inverted(at)),
];

/// The words that leave something open, or the question mark of a question.
pub(crate) fn left_open(text: &str) -> Option<Range<usize>> {
    let reading = Reading::new(judged(text));
    let mut sentence = Sentence { reading: &reading, words: 0..0 };
    let mut from = 0;
    while let Some((at, ways)) = start::next(&reading, from) {
        if at >= sentence.words.end {
            sentence.words = reading.sentence(at);
        }
        if let Some(open) = sentence.open(at, ways) {
            return is_told(text, &open).then_some(open);
        }
        from = at + 1;
    }
    asked::mark(&reading).filter(|open| is_told(text, open))
}

/// Whether the teller says some words of a text himself, and no tool printed them.
fn is_told(text: &str, words: &Range<usize>) -> bool {
    !raw::find(text).is_some_and(|copy| copy.range.start <= words.start && words.end <= copy.range.end)
}

struct Sentence<'r, 't> {
    reading: &'r Reading<'t>,
    words: Range<usize>,
}

impl Sentence<'_, '_> {
    /// The words that leave something open in one of some ways and start at a place.
    #[inline(never)]
    fn open(&self, at: usize, mut ways: u64) -> Option<Range<usize>> {
        let word = &self.reading.words[at];
        if word.is_code || word.is_quoted && !self.is_spoken(at) {
            return None;
        }
        let tried = std::iter::from_fn(|| {
            let way = WAYS.get(ways.trailing_zeros() as usize)?;
            ways &= ways - 1;
            Some(way)
        });
        let end = tried.map(|(_, way)| way(self, at)).find_map(|end| end)?;

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
            assert_eq!(left_open(text).map(|words| &text[words]), open, "{text}");
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
            assert!(left_open(&text).is_none_or(|open| open.len() < 200), "{word}");
        }
    }
}
