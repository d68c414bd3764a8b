//! What remains of a word without the endings of its forms: `changes`, `changed` and `changing` are `chang`.
//!
//! Invariant: a stem is a beginning of its word, so that none needs memory of its own. It need not be a
//! word; it need only be the same for the forms of one word, and another for other words. Where it is not,
//! the lists say a form exactly.

/// Shorter words have one form.
const STEM_BYTES_MIN: usize = 3;

/// The stem of an English word in small letters.
pub(crate) fn english(word: &[u8]) -> &[u8] {
    let bare = without_plural_or_tense(word);
    let bare = match bare {
        [stem @ .., b'e' | b'y'] if stem.len() >= STEM_BYTES_MIN => stem,
        bare => bare,
    };
    undoubled(bare)
}

fn without_plural_or_tense(word: &[u8]) -> &[u8] {
    let strip = |end: &[u8], min: usize| word.strip_suffix(end).filter(|stem| stem.len() >= min);
    // By its last letter a word can have few endings.
    let tense = match word {
        [.., b'e', b'd'] => strip(b"ied", 2).or_else(|| strip(b"ed", STEM_BYTES_MIN)),
        [.., b'n', b'g'] => strip(b"ing", STEM_BYTES_MIN),
        [.., b'e', b's'] => strip(b"ies", 2).or_else(|| strip(b"es", 2).filter(hisses)),
        _ => None,
    };
    match tense {
        Some([.., b'e']) => word,
        Some(stem) => stem,
        None if matches!(word, [.., b's' | b'u' | b'i', b's']) => word,
        None => strip(b"s", STEM_BYTES_MIN).unwrap_or(word),
    }
}

fn hisses(stem: &&[u8]) -> bool {
    matches!(stem, [.., b's' | b'x' | b'z'] | [.., b'c' | b's', b'h'])
}

/// `plann` of `planned` is `plan`; `process` loses one `s` too, in all its forms alike.
fn undoubled(stem: &[u8]) -> &[u8] {
    match stem {
        [rest @ .., before, last]
            if before == last && last.is_ascii_alphabetic() && stem.len() > STEM_BYTES_MIN =>
        {
            &stem[..=rest.len()]
        }
        _ => stem,
    }
}

/// Less than this of an adjective would be the beginning of others.
const ADJECTIVE_BYTES_MIN: usize = 4;

/// The stem of a French word in small letters without accents.
pub(crate) fn french(word: &[u8]) -> &[u8] {
    let single = without_s(word);
    if single.ends_with(b"ment") {
        return single;
    }
    let bare = adjective(single).or_else(|| verb(single)).unwrap_or(single);
    // `mauvaise` is a form of `mauvais`, `nette` one of `net`.
    let bare = undoubled(without_s(bare));
    // `finir` is a form of `fini`.
    match bare {
        [stem @ .., b'r'] if stem.ends_with(b"i") && stem.len() > STEM_BYTES_MIN => stem,
        bare => bare,
    }
}

/// An adjective without its ending, the longest first.
fn adjective(word: &[u8]) -> Option<&[u8]> {
    match word {
        [stem @ .., b'e', b'u', b's', b'e']
        | [stem @ .., b'e', b'l', b'l', b'e']
        | [stem @ .., b'e', b'n', b'n', b'e']
        | [stem @ .., b'a', b'l', b'e']
        | [stem @ .., b'i', b'v', b'e']
        | [stem @ .., b'a' | b'e', b'u', b'x']
        | [stem @ .., b'e' | b'a', b'l']
        | [stem @ .., b'e', b'n']
        | [stem @ .., b'i', b'f']
            if stem.len() >= ADJECTIVE_BYTES_MIN =>
        {
            Some(stem)
        }
        _ => None,
    }
}

/// A verb without its ending, the longest first.
fn verb(word: &[u8]) -> Option<&[u8]> {
    match word {
        [stem @ .., b'a', b'n', b't', b'e']
        | [stem @ .., b'e', b'e']
        | [stem @ .., b'e']
        | [stem @ .., b'e', b'r', b'a', b'i', b'e', b'n', b't']
        | [stem @ .., b'a', b'i', b'e', b'n', b't']
        | [stem @ .., b'e', b'r', b'a', b'i', b't']
        | [stem @ .., b'e', b'r', b'o', b'n', b't']
        | [stem @ .., b'a', b'i', b't']
        | [stem @ .., b'a' | b'e', b'n', b't']
        | [stem @ .., b'e', b'r']
        | [stem @ .., b'e', b'z']
        | [stem @ .., b'e', b'r', b'a']
            if stem.len() >= STEM_BYTES_MIN =>
        {
            Some(stem)
        }
        _ => None,
    }
}

fn without_s(word: &[u8]) -> &[u8] {
    word.strip_suffix(b"s").filter(|single| single.len() >= STEM_BYTES_MIN).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    fn english(word: &str) -> &[u8] {
        super::english(word.as_bytes())
    }

    fn french(word: &str) -> &[u8] {
        super::french(word.as_bytes())
    }

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
            assert_eq!(english(word), word.as_bytes());
        }
        for word in ["un", "pas", "est", "sur"] {
            assert_eq!(french(word), word.as_bytes());
        }
        assert_ne!(english("test"), english("text"));
        assert_eq!(french("correctement"), b"correctement");
    }
}
