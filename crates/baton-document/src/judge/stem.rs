//! What remains of a word without the endings of its forms: `changes`, `changed` and `changing` are `chang`.
//!
//! Invariant: a stem is a beginning of its word, so that none needs memory of its own. It need not be a
//! word; it need only be the same for the forms of one word, and another for other words. Where it is not,
//! the lists say a form exactly.

/// Shorter words have one form.
const STEM_BYTES_MIN: usize = 3;

/// The stem of an English word in small letters.
pub(super) fn english(word: &str) -> &str {
    let bare = without_plural_or_tense(word);
    let bare = bare.strip_suffix(['e', 'y']).filter(|stem| stem.len() >= STEM_BYTES_MIN).unwrap_or(bare);
    undoubled(bare)
}

fn without_plural_or_tense(word: &str) -> &str {
    let strip = |end: &str, min: usize| word.strip_suffix(end).filter(|stem| stem.len() >= min);
    // By its last letter a word can have few endings.
    let tense = match word.as_bytes() {
        [.., b'e', b'd'] => strip("ied", 2).or_else(|| strip("ed", STEM_BYTES_MIN)),
        [.., b'n', b'g'] => strip("ing", STEM_BYTES_MIN),
        [.., b'e', b's'] => strip("ies", 2).or_else(|| strip("es", 2).filter(hisses)),
        _ => None,
    };
    match tense {
        Some(stem) if stem.ends_with('e') => word,
        Some(stem) => stem,
        None if ["ss", "us", "is"].iter().any(|end| word.ends_with(end)) => word,
        None => strip("s", STEM_BYTES_MIN).unwrap_or(word),
    }
}

fn hisses(stem: &&str) -> bool {
    ["s", "x", "z", "ch", "sh"].iter().any(|end| stem.ends_with(end))
}

/// `plann` of `planned` is `plan`; `process` loses one `s` too, in all its forms alike.
fn undoubled(stem: &str) -> &str {
    match stem.as_bytes() {
        [.., before, last] if before == last && last.is_ascii_alphabetic() && stem.len() > STEM_BYTES_MIN => {
            &stem[..stem.len() - 1]
        }
        _ => stem,
    }
}

/// The endings of French adjectives and verbs, by their last letter, the longest first.
fn endings(last: u8) -> [&'static [&'static str]; 2] {
    match last {
        b'e' => [&["euse", "elle", "enne", "ale", "ive"], &["ante", "ee", "e"]],
        b't' => [&[], &["eraient", "aient", "erait", "eront", "ait", "ant", "ent"]],
        b'r' => [&[], &["er"]],
        b'z' => [&[], &["ez"]],
        b'a' => [&[], &["era"]],
        b'x' => [&["aux", "eux"], &[]],
        b'l' => [&["el", "al"], &[]],
        b'n' => [&["en"], &[]],
        b'f' => [&["if"], &[]],
        _ => [&[], &[]],
    }
}

/// Less than this of an adjective would be the beginning of others.
const ADJECTIVE_BYTES_MIN: usize = 4;

/// The stem of a French word in small letters without accents.
pub(super) fn french(word: &str) -> &str {
    let single = without_s(word);
    if single.ends_with("ment") {
        return single;
    }
    let strip = |ends: &[&str], min: usize| {
        ends.iter().find_map(|end| single.strip_suffix(end).filter(|stem| stem.len() >= min))
    };
    let [adjectives, verbs] = endings(single.as_bytes().last().copied().unwrap_or_default());
    let adjective = strip(adjectives, ADJECTIVE_BYTES_MIN);
    let bare = adjective.or_else(|| strip(verbs, STEM_BYTES_MIN)).unwrap_or(single);
    // `mauvaise` is a form of `mauvais`, `nette` one of `net`.
    let bare = undoubled(without_s(bare));
    // `finir` is a form of `fini`.
    if bare.ends_with("ir") && bare.len() > STEM_BYTES_MIN + 1 { &bare[..bare.len() - 1] } else { bare }
}

fn without_s(word: &str) -> &str {
    word.strip_suffix('s').filter(|single| single.len() >= STEM_BYTES_MIN).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_word_have_one_stem() {
        for forms in [
            &["change", "changes", "changed", "changing"][..],
            &["fix", "fixes", "fixed", "fixing"],
            &["plan", "plans", "planned", "planning"],
            &["modify", "modifies", "modified", "modifying"],
            &["process", "processes", "processed"],
            &["issue", "issues"],
        ] {
            for form in forms {
                assert_eq!(english(form), english(forms[0]), "{form}");
            }
        }
        for forms in [
            &["terminer", "termine", "terminee", "terminees", "terminent", "terminait"][..],
            &["fini", "finie", "finis", "finies", "finir"],
            &["intuitif", "intuitive", "intuitives"],
            &["optimal", "optimale", "optimaux"],
            &["professionnel", "professionnelle", "professionnels"],
            &["soigneux", "soigneuse"],
            &["mauvais", "mauvaise", "mauvaises"],
            &["net", "nette", "nettes"],
        ] {
            for form in forms {
                assert_eq!(french(form), french(forms[0]), "{form}");
            }
        }
    }

    #[test]
    fn short_words_and_other_words_keep_their_letters() {
        for word in ["a", "as", "is", "need", "his", "bus"] {
            assert_eq!(english(word), word);
        }
        for word in ["un", "pas", "est", "sur"] {
            assert_eq!(french(word), word);
        }
        assert_ne!(english("test"), english("text"));
        assert_eq!(french("correctement"), "correctement");
    }
}
