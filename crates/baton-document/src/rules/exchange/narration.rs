//! Tells the story of a search from its result, by what English and French sentences of it have in common.
//!
//! A story has a teller ("I", "j'ai") and a verb of searching. Verbs that also stand in plain results
//! ("read", "lu") count only in a sequence ("then I read") or with the whole repository as their object.

/// So many phrases are shown; more say nothing new.
const PHRASES_MAX: usize = 3;

/// So many words behind a verb its object is looked for.
const OBJECT_WORDS_MAX: usize = 4;

/// The words that tell of searching in one language, without accents and in small letters.
struct Language {
    tellers: &'static [&'static [&'static str]],
    helpers: &'static [&'static str],
    adverbs: &'static [&'static str],
    adverb_end: &'static str,
    search: &'static [&'static [&'static str]],
    weak: &'static [&'static str],
    sequence: &'static [&'static str],
    ordinals: &'static [&'static str],
    places: &'static [&'static str],
    relative: &'static [&'static str],
    whole: &'static [&'static str],
}

static ENGLISH: Language = Language {
    tellers: &[&["i"], &["we"]],
    helpers: &["ve", "have", "had"],
    adverbs: &["then", "also", "first", "next", "just", "now"],
    adverb_end: "ly",
    search: &[
        &["searched"],
        &["scanned"],
        &["browsed"],
        &["grepped"],
        &["skimmed"],
        &["looked", "at"],
        &["looked", "through"],
        &["looked", "into"],
        &["looked", "around"],
        &["looked", "for"],
        &["looked", "in"],
        &["looked", "over"],
        &["went", "through"],
        &["combed", "through"],
        &["dug", "into"],
        &["dug", "through"],
        &["started", "by"],
        &["started", "with"],
        &["began", "by"],
        &["began", "with"],
    ],
    weak: &[
        "reviewed",
        "examined",
        "explored",
        "read",
        "opened",
        "checked",
        "inspected",
        "visited",
        "listed",
        "ran",
        "found",
        "tried",
        "noticed",
        "saw",
        "discovered",
        "moved",
    ],
    sequence: &["first", "then", "next", "finally", "afterwards", "secondly", "lastly"],
    ordinals: &["first", "second", "third", "next", "last"],
    places: &["file", "folder", "directory", "module", "place"],
    relative: &["that", "which"],
    whole: &["codebase", "repository", "repo"],
};

static FRENCH: Language = Language {
    tellers: &[&["j", "ai"], &["nous", "avons"], &["on", "a"]],
    helpers: &[],
    adverbs: &["ensuite", "puis", "d", "abord", "aussi", "donc", "tout", "alors"],
    adverb_end: "ment",
    search: &[
        &["cherche"],
        &["recherche"],
        &["parcouru"],
        &["fouille"],
        &["regarde"],
        &["scanne"],
        &["balaye"],
        &["epluche"],
        &["commence", "par"],
        &["passe", "en", "revue"],
    ],
    weak: &[
        "lu",
        "ouvert",
        "examine",
        "consulte",
        "verifie",
        "inspecte",
        "explore",
        "trouve",
        "lance",
        "essaye",
        "vu",
        "remarque",
        "decouvert",
        "analyse",
    ],
    sequence: &["abord", "ensuite", "puis", "enfin", "apres", "premierement"],
    ordinals: &["premier", "deuxieme", "second", "prochain", "dernier"],
    places: &["fichier", "dossier", "repertoire", "module", "endroit"],
    relative: &["que"],
    whole: &["codebase", "depot", "repo"],
};

/// Finds the phrases that tell of a search, the first few of them.
pub(super) fn find(text: &str) -> Vec<&str> {
    let words = words(text);
    let mut phrases = Vec::new();
    let mut at = 0;
    while at < words.len() && phrases.len() < PHRASES_MAX {
        let rest = Rest { words: &words, at };
        let phrase = [&ENGLISH, &FRENCH].into_iter().find_map(|language| {
            rest.ordinal(language).or_else(|| rest.search(language)).or_else(|| rest.weak(language))
        });
        match phrase {
            Some((first, end)) => {
                phrases.push(&text[words[first].start..words[end - 1].end]);
                at = end;
            }
            None => at += 1,
        }
    }
    phrases
}

struct Word<'t> {
    text: &'t str,
    start: usize,
    end: usize,
    /// Whether a sentence or clause ends before it.
    is_new_clause: bool,
}

fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut is_new_clause = true;
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_letter = c.is_alphanumeric() || c == '_' || is_combining(c);
        match (start, is_letter) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                words.push(Word { text: &text[from..at], start: from, end: at, is_new_clause });
                (start, is_new_clause) = (None, false);
            }
            (Some(_), true) | (None, false) => {}
        }
        is_new_clause |= matches!(c, '.' | '!' | '?' | ';' | ':');
    }
    words
}

/// The words from a place on; what they find is the first word of a phrase and the one behind its last.
struct Rest<'w, 't> {
    words: &'w [Word<'t>],
    at: usize,
}

impl Rest<'_, '_> {
    /// "I searched", "j'ai parcouru".
    fn search(&self, language: &Language) -> Option<(usize, usize)> {
        let verb = self.teller(language, self.at)?;
        let end = language.search.iter().find_map(|phrase| self.phrase(phrase, verb))?;
        Some((self.at, end))
    }

    /// "then I read", "I reviewed the entire codebase".
    fn weak(&self, language: &Language) -> Option<(usize, usize)> {
        let verb = self.teller(language, self.at)?;
        self.one_of(language.weak, verb)?;
        let before = self.at.checked_sub(1).filter(|_| !self.words[self.at].is_new_clause);
        if let Some(before) = before.filter(|before| is_one_of(self.words[*before].text, language.sequence)) {
            return Some((before, verb + 1));
        }
        let behind = (verb + 1..self.words.len()).take(OBJECT_WORDS_MAX);
        let mut object = behind.take_while(|at| !self.words[*at].is_new_clause);
        let object = object.find(|at| is_one_of(self.words[*at].text, language.whole))?;
        Some((self.at, object + 1))
    }

    /// "first file I looked", "premier fichier que j'ai ouvert".
    fn ordinal(&self, language: &Language) -> Option<(usize, usize)> {
        if !is_one_of(self.words[self.at].text, language.ordinals) {
            return None;
        }
        let place = self.one_of(language.places, self.at + 1)?;
        let teller = self.one_of(language.relative, place).unwrap_or(place);
        let verb = self.teller(language, teller)?;
        Some((self.at, (verb + 1).min(self.words.len())))
    }

    /// The word behind a teller with its helper and adverbs.
    fn teller(&self, language: &Language, at: usize) -> Option<usize> {
        const ADVERBS_MAX: usize = 3;
        let mut next = language.tellers.iter().find_map(|teller| self.phrase(teller, at))?;
        // A lower-case `i` is an index, not a teller.
        if self.words[at].text == "i" {
            return None;
        }
        next = self.one_of(language.helpers, next).unwrap_or(next);
        for _ in 0..ADVERBS_MAX {
            let is_adverb = self.words.get(next).is_some_and(|word| {
                !word.is_new_clause
                    && (is_one_of(word.text, language.adverbs) || word.text.ends_with(language.adverb_end))
            });
            next += usize::from(is_adverb);
        }
        self.words.get(next).filter(|word| !word.is_new_clause).map(|_| next)
    }

    /// The word behind a phrase that stands at a place, in one clause but for its first word.
    fn phrase(&self, phrase: &[&str], at: usize) -> Option<usize> {
        let words = self.words.get(at..at + phrase.len())?;
        let is_here = words
            .iter()
            .zip(phrase)
            .enumerate()
            .all(|(nth, (word, wanted))| is_same(word.text, wanted) && (nth == 0 || !word.is_new_clause));
        is_here.then_some(at + phrase.len())
    }

    fn one_of(&self, wanted: &[&str], at: usize) -> Option<usize> {
        let word = self.words.get(at)?;
        (!word.is_new_clause && is_one_of(word.text, wanted)).then_some(at + 1)
    }
}

fn is_one_of(word: &str, wanted: &[&str]) -> bool {
    wanted.iter().any(|wanted| is_same(word, wanted))
}

/// Letters and accents do not count.
fn is_same(word: &str, wanted: &str) -> bool {
    let folded = word.chars().filter(|c| !is_combining(*c)).flat_map(char::to_lowercase).map(without_accent);
    folded.eq(wanted.chars())
}

fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

fn without_accent(c: char) -> char {
    match c {
        'à' | 'â' | 'ä' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'î' | 'ï' => 'i',
        'ô' | 'ö' => 'o',
        'ù' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stories_of_a_search_are_found_in_english_and_french() {
        for (text, phrases) in [
            ("I searched through the codebase", vec!["I searched"]),
            (
                "The first file I looked at was a.ts. Then I looked at…",
                vec!["first file I looked", "I looked at"],
            ),
            ("First, I read auth.ts. Then I opened user.ts.", vec!["First, I read", "Then I opened"]),
            ("I've carefully gone; I have also scanned src/", vec!["I have also scanned"]),
            (
                "I carefully reviewed the entire codebase looking for issues",
                vec!["I carefully reviewed the entire codebase"],
            ),
            ("We went through every router", vec!["We went through"]),
            ("J'ai d'abord parcouru le dépôt", vec!["J'ai d'abord parcouru"]),
            ("j’ai cherché partout. Puis j’ai ouvert auth.ts", vec!["j’ai cherché", "Puis j’ai ouvert"]),
            ("Le premier fichier que j'ai ouvert est auth.ts", vec!["premier fichier que j'ai ouvert"]),
            ("nous avons fouille\u{301} le code", vec!["nous avons fouille\u{301}"]),
            ("I searched a. I searched b. I searched c. I searched d.", vec!["I searched"; 3]),
        ] {
            assert_eq!(find(text), phrases, "{text}");
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
            assert_eq!(find(text), Vec::<&str>::new(), "{text}");
        }
    }
}
