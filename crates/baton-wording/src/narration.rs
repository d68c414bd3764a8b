//! Tells the story of a search from its result.
//!
//! A story has a teller and verbs of searching. Verbs that also stand in plain results ("read", "lu") count
//! only in a sequence, in numbers, or with the whole repository as their object.

use std::ops::Range;

use super::judged;
use super::letters;
use super::lexicon::{Concept, Language};
use super::raw::Copied;
use super::reading::Reading;
use super::text::Gap;

/// So many phrases are shown; more say nothing new.
const PHRASES_MAX: usize = 3;

/// So many words may stand between a teller and the verb: "I have also very quickly read".
const HELPERS_MAX: usize = 5;

/// So many words behind a verb its object is looked for.
const OBJECT_WORDS_MAX: usize = 4;

/// So many steps are a story even without words that put them in order.
const STEPS_MIN: usize = 3;

/// So many verbs in order are a story even without a teller.
const UNTOLD_MIN: usize = 3;

/// One of them in more words than this is a verb of a result.
const UNTOLD_WORDS_MAX: usize = 15;

/// So many are one without words of order too.
const UNORDERED_MIN: usize = 4;

/// Verbs of the narrator that make a story, whatever they tell.
const TOLD_MIN: usize = 3;

/// So many parts of sentences that start with a word of order are a story.
const ORDERS_MIN: usize = 3;

/// So many verbs behind commas, all of one subject, are a story: "the agent has read it, has closed it, …".
const CHAIN_MIN: usize = 2;

/// So many phrases before what is copied are a story, and no introduction.
const INTRODUCTION_MAX: usize = 2;

/// The phrases that tell of a search and are not part of what a text copies; none if the text tells none.
pub(crate) fn beside(text: &str, copy: Option<&Copied>) -> Vec<Range<usize>> {
    let Some(copy) = copy else { return find(text) };
    // Who is quoted may tell stories.
    if copy.is_speech() {
        return Vec::new();
    }
    // So may what is copied; and "I looked at the log and found this:" only introduces it.
    let mut story = find(text);
    story.retain(|phrase| phrase.start < copy.range.start);
    if story.len() > INTRODUCTION_MAX { story } else { Vec::new() }
}

/// The phrases that tell of a search, the first few of them; none if the text tells none.
fn find(text: &str) -> Vec<Range<usize>> {
    let text = judged(text);
    if !may_tell(text) {
        return Vec::new();
    }
    let reading = Reading::new(text);
    let mut story = Story {
        reading: &reading,
        searches: Vec::new(),
        steps: Vec::new(),
        others: 0,
        untold: Vec::new(),
        told: Vec::new(),
        chain: Vec::new(),
        openings: Vec::new(),
        orders: 0,
        is_ordered: false,
    };
    for sentence in reading.sentences() {
        story.read(sentence);
    }
    let is_dense = story.untold.len() * UNTOLD_WORDS_MAX >= reading.words.len();
    let is_untold = story.untold.len() >= UNTOLD_MIN && story.orders > 0;
    if is_dense && (is_untold || story.untold.len() >= UNORDERED_MIN) {
        story.steps.append(&mut story.untold);
        story.is_ordered = true;
    }
    for (places, min) in
        [(&mut story.told, TOLD_MIN), (&mut story.chain, CHAIN_MIN), (&mut story.openings, ORDERS_MIN)]
    {
        if places.len() >= min {
            story.searches.append(places);
        }
    }
    let steps = story.steps.len();
    let is_listed = steps > story.others || steps > 1;
    let is_story =
        !story.searches.is_empty() || steps >= STEPS_MIN || story.is_ordered && is_listed && steps > 0;
    if !is_story {
        return Vec::new();
    }
    let mut places = story.searches;
    places.append(&mut story.steps);
    places.sort_by_key(|place| place.start);
    places.iter().take(PHRASES_MAX).map(|place| reading.range_between(place.start, place.end)).collect()
}

/// Checks whether a text has a word without which it tells no story: a teller, or a word of order. Most have none, and are
/// not read further.
fn may_tell(text: &str) -> bool {
    let bytes = text.as_bytes();
    letters::starts(bytes).any(|at| is_cue(bytes[at], &bytes[at + 1..]))
}

/// Checks whether a word that starts with a byte is one of those, or starts like it.
fn is_cue(first: u8, rest: &[u8]) -> bool {
    let is = |end: &[u8]| {
        let after = rest.get(end.len());
        rest.len() >= end.len()
            && rest[..end.len()].eq_ignore_ascii_case(end)
            && after.is_none_or(|after| !after.is_ascii_alphanumeric())
    };
    match first {
        b'i' | b'I' => is(b""),
        b'w' | b'W' => is(b"e"),
        b'j' | b'J' => is(b"") || is(b"e"),
        b'o' | b'O' => is(b"n a") || is(b"n s") || is(b"n est") || is(b"pened") || is(b"uvert"),
        b'n' | b'N' => is(b"ous") || is(b"otre") || is(b"ext"),
        b'm' | b'M' => is(b"") || is(b"y") || is(b"a") || is(b"es") || is(b"on"),
        b't' | b'T' => is(b"hen") || is(b"ried"),
        b'p' | b'P' => is(b"uis") || is("remière".as_bytes()),
        b'l' | b'L' => is(b"et") || is(b"ooked") || is(b"ecture"),
        b'b' | b'B' => is(b"egan"),
        b'c' | b'C' => is(b"hecked") || is(b"hecking"),
        b'd' | b'D' => is(b"ans un"),
        b'r' | b'R' => is(b"ead") || is(b"eading") || is("egardé".as_bytes()),
        b's' | b'S' => is(b"pent") || is(b"earch") || is(b"earched"),
        b'v' | b'V' => is(b"oyons"),
        b'a' | b'A' => is(b"fter") || is(b"fterwards") || is(b"gain"),
        b'e' | b'E' => is(b"nsuite") || is(b"n") || is(b"nfin"),
        b'f' | b'F' => is(b"inally") || is(b"irst"),
        _ => false,
    }
}

struct Story<'r, 't> {
    reading: &'r Reading<'t>,
    /// Phrases that make a story by themselves.
    searches: Vec<Range<usize>>,
    /// Phrases that make a story only beside others.
    steps: Vec<Range<usize>>,
    /// Number of steps that are no verbs of a search.
    others: usize,
    /// Verbs of searching without a teller: "opened it, then read it".
    untold: Vec<Range<usize>>,
    /// Phrases in which the narrator did anything at all.
    told: Vec<Range<usize>>,
    /// Verbs behind a comma whose subject stands before it.
    chain: Vec<Range<usize>>,
    /// Words of order that open a part of a sentence.
    openings: Vec<Range<usize>>,
    /// Number of words of order.
    orders: usize,
    /// True if a step has a word of order before it.
    is_ordered: bool,
}

impl Story<'_, '_> {
    fn read(&mut self, sentence: Range<usize>) {
        let mut is_told = false;
        let steps = self.steps.len();
        let mut at = sentence.start;
        while at < sentence.end {
            let word = &self.reading.words[at];
            if word.is_quoted {
                at += 1;
                continue;
            }
            if let Some(end) = self.reading.after(at, Concept::Story) {
                self.searches.push(at..end);
                at = end;
                continue;
            }
            if let Some(end) = self.chained(at) {
                self.chain.push(at..end);
            }
            if self.is_teller(at) {
                is_told = true;
                self.tells(at, sentence.end);
                if let Some((verb, end)) = self.verb(at, sentence.end) {
                    self.note(at, verb, end);
                    at = end;
                    continue;
                }
            } else if self.is_next_in_list(at, &sentence)
                && let Some((verb, end)) = match is_told {
                    true => self.goes_on(at, sentence.end),
                    false => self.search_or_step(at).map(|end| (at, end)),
                }
            {
                // "I opened it, read it and went back": one teller, many verbs.
                if is_told {
                    self.note(at, verb, end);
                } else {
                    self.untold.push(at..end);
                }
                at = end;
                continue;
            }
            if let Some(end) = self.reading.after(at, Concept::Sequence) {
                self.orders += 1;
                if at == sentence.start || self.reading.words[at].gap == Gap::Pause {
                    self.openings.push(at..end);
                }
            }
            at += 1;
        }
        // "I visited five shops one by one", "I checked the wiki first, then the code": wherever they stand, a phrase or two
        // words of order make a story of one step.
        let order = sentence.filter_map(|at| self.reading.after(at, Concept::Sequence).map(|end| end - at));
        let (told, order) = (self.steps.len() - steps, order.sum::<usize>());
        self.is_ordered |= told > 0 && order > 0 && told + order > 2 || told > 0 && order > 1;
    }

    /// Notes that a person tells of himself; of "we" only what they did, because they also decide and recommend.
    fn tells(&mut self, at: usize, end: usize) {
        let is_one = ["i", "j", "je"].iter().any(|one| self.reading.words[at].text.eq_ignore_ascii_case(one));
        // "I'll add it", "I need it", "I think so": what is to come, and what he thinks, is no story.
        const THOUGHT: [&str; 20] = [
            "ll", "m", "can", "need", "think", "believe", "suspect", "may", "might", "would", "will",
            "should", "want", "don", "do", "d", "pense", "crois", "peux", "vais",
        ];
        let is_thought = self.reading.words.get(at + 1).is_some_and(|next| THOUGHT.contains(&next.text));
        if is_one && !is_thought || self.verb(at, end).is_some() {
            self.told.push(at..(at + 2).min(end));
        }
    }

    /// Notes a verb with its teller.
    fn note(&mut self, start: usize, verb: usize, end: usize) {
        let is_search = self.reading.after(verb, Concept::Search).is_some();
        let before = start.checked_sub(1).filter(|_| start > 0);
        let order =
            (start.saturating_sub(3)..=start).find(|at| self.reading.after(*at, Concept::Sequence).is_some());
        let inner = (start..verb).any(|at| self.reading.after(at, Concept::Sequence).is_some());
        self.is_ordered |= inner || (before.is_some() && order.is_some());
        let object = (end..self.reading.words.len()).take(OBJECT_WORDS_MAX).find(|at| self.is_whole(*at));
        if is_search || object.is_some() {
            self.searches.push(start..object.map_or(end, |object| object + 1));
        } else {
            self.others += usize::from(self.search_or_step(verb).is_none());
            self.steps.push(start..end);
        }
    }

    /// The verb of a teller, behind helpers and adverbs.
    fn verb(&self, teller: usize, end: usize) -> Option<(usize, usize)> {
        let near = (teller + 1..end).take(HELPERS_MAX);
        for at in near {
            if self.reading.words[at].gap == Gap::Stop {
                return None;
            }
            if let Some(verb_end) = self.search_or_step(at).or_else(|| self.told(at)) {
                return Some((at, verb_end));
            }
            if !self.is_helper(at) {
                return None;
            }
        }
        None
    }

    /// Any other verb in the past, but for those of results: "I printed the plans".
    fn told(&self, at: usize) -> Option<usize> {
        let text = self.reading.words[at].text;
        let is_past = match self.reading.language {
            Language::English => text.len() > 4 && text.ends_with("ed"),
            Language::French => ["é", "ée", "és", "ées"].iter().any(|end| text.ends_with(end)),
        };
        let is_known = self.reading.is(at, Concept::Made) || self.reading.is(at, Concept::Function);
        (is_past && !is_known && !self.reading.words[at].is_quoted).then_some(at + 1)
    }

    /// The verb that goes on with what a teller did: "…, read it and have closed it".
    fn goes_on(&self, at: usize, end: usize) -> Option<(usize, usize)> {
        let verb = (at..end).take(HELPERS_MAX).find(|at| !self.reading.is(*at, Concept::Helper))?;
        // "The number has then doubled" has a subject of its own.
        let is_other = self.reading.words[at].gap == Gap::None
            && at.checked_sub(2).is_some_and(|before| self.reading.is(before, Concept::Helper));
        let told = || self.told(verb).filter(|_| !is_other);
        self.search_or_step(verb).or_else(told).map(|end| (verb, end))
    }

    fn search_or_step(&self, at: usize) -> Option<usize> {
        let search = self.reading.after(at, Concept::Search);
        search.or_else(|| self.reading.after(at, Concept::Step))
    }

    /// End of a verb whose auxiliary stands behind a comma, so that it shares the subject before: ", a ouvert".
    fn chained(&self, at: usize) -> Option<usize> {
        const HELPERS: [&str; 5] = ["a", "ont", "s", "n", "en"];
        let is_french = self.reading.language == Language::French;
        let word = &self.reading.words[at];
        let is_behind = is_french && word.gap == Gap::Pause && HELPERS.contains(&word.text);
        let verb =
            (at + 1..self.reading.words.len()).take(HELPERS_MAX).take_while(|_| is_behind).find(|at| {
                let text = self.reading.words[*at].text;
                !["a", "est", "ont", "sont", "pas", "y"].contains(&text)
            })?;
        self.search_or_step(verb).or_else(|| self.told(verb))
    }

    fn is_teller(&self, at: usize) -> bool {
        let word = &self.reading.words[at];
        let is_told = self.reading.is(at, Concept::Narrator);
        // A small `i` behind "for" or before a sign is an index.
        let before = at.checked_sub(1).map(|before| self.reading.words[before].text);
        let is_index = word.text == "i"
            && (matches!(before, Some("for" | "int" | "let" | "var"))
                || self.reading.text[word.end()..]
                    .trim_start()
                    .starts_with(['=', '<', '>', '+', '-', ';', ')', ']']));
        // A single letter that nothing was left out of is a mark.
        let is_mark = word.text.eq_ignore_ascii_case("j")
            && !self.reading.text[word.end()..].starts_with(['\'', '’', '\u{2bc}']);
        is_told && !is_index && !is_mark && !word.is_code
    }

    fn is_helper(&self, at: usize) -> bool {
        let text = self.reading.words[at].text;
        let end = match self.reading.language {
            Language::English => "ly",
            Language::French => "ment",
        };
        text.ends_with(end) || self.reading.is(at, Concept::Helper)
    }

    /// Checks whether a word opens another part of a list of verbs: behind a comma or a word of order.
    fn is_next_in_list(&self, at: usize, sentence: &Range<usize>) -> bool {
        let before = at.checked_sub(1).filter(|before| sentence.contains(before));
        if before.is_none() {
            return true;
        }
        let is_linked = before.is_some_and(|before| {
            let text = self.reading.words[before].text;
            matches!(text, "and" | "et") || self.reading.is(before, Concept::Sequence)
        });
        is_linked || self.reading.words[at].gap == Gap::Pause
    }

    /// A word for all there is to search.
    fn is_whole(&self, at: usize) -> bool {
        self.reading.is(at, Concept::Whole)
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stories_of_a_search_are_found_in_english_and_french() {
        for (text, phrases) in [
            ("I searched through the codebase", vec!["I searched through the codebase"]),
            ("The first file I looked at was a.ts. Then I looked at…", vec!["file I looked", "I looked at"]),
            ("First, I read auth.ts. Then I opened user.ts.", vec!["I read", "I opened"]),
            ("I've carefully gone; I have also scanned src/", vec!["I have also scanned"]),
            ("I carefully reviewed the entire codebase", vec!["I carefully reviewed the entire codebase"]),
            ("We went through every router", vec!["We went through"]),
            ("J'ai d'abord parcouru le module", vec!["J'ai d'abord parcouru"]),
            ("j’ai cherché partout. Puis j’ai ouvert auth.ts", vec!["j’ai cherché", "j’ai ouvert"]),
            ("Le premier fichier que j'ai ouvert est auth.ts", vec!["fichier que j'ai"]),
            ("nous avons fouille\u{301} le code", vec!["nous avons fouille\u{301}"]),
            ("Opened a.ts, read it, then searched b.ts", vec!["Opened", "read", "searched"]),
            ("I searched a. I searched b. I searched c. I searched d.", vec!["I searched"; 3]),
        ] {
            let found: Vec<&str> = find(text).into_iter().map(|words| &text[words]).collect();
            assert_eq!(found, phrases, "{text}");
        }
    }

    #[test]
    fn results_are_no_stories() {
        for text in [
            "Existing auth at src/lib/auth.ts (session-based). Recommend extending auth.ts with JWT.",
            "The index is searched by name; users are looked up by id.",
            "Searched src/ for auth: only session.ts.",
            "Phase I. Looked at from outside it is one router.",
            "I recommend JWT. I read the limits as hard ones.",
            "for i looked at in turn",
            "We checked with the user: sessions stay.",
            "Then we need a router. First file to change: auth.ts",
            "Le premier fichier à modifier est auth.ts. On a deux routeurs, cherchés par nom.",
            "J'ai retenu JWT. La recherche se fait par nom.",
            "",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
