//! The two questions about the tokens of a text: how many, and whether too many.
//!
//! Invariant: both take time that grows with n log n of the length, whatever the text.

use super::merge::Merger;
use super::split;

/// Counts the o200k tokens of a text.
pub fn count(text: &str) -> usize {
    let mut merger = Merger::default();
    split::pieces(text).map(|piece| merger.count(piece)).sum()
}

/// Says how many tokens a text has if it has more than `limit`, without looking at the table when
/// its length alone tells that it has not.
pub fn exceeds(text: &str, limit: usize) -> Option<usize> {
    // A token is at least one byte.
    if text.len() <= limit {
        return None;
    }
    Some(count(text)).filter(|count| *count > limit)
}

#[cfg(test)]
mod tests {

    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::{count, exceeds};

    fn reference(text: &str) -> usize {
        tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
    }

    /// Pieces of text at which the pattern turns one way or the other.
    const FRAGMENTS: &[&str] = &[
        " ",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "\n\n",
        "\u{a0}",
        "\u{3000}",
        "\u{85}",
        "\u{2028}",
        "\u{200b}",
        "\u{feff}",
        "'",
        "'s",
        "'S",
        "'ſ",
        "'t",
        "'re",
        "'VE",
        "'m",
        "'Ll",
        "'l",
        "'d",
        "’s",
        "a",
        "A",
        "the",
        "The",
        "HTTP",
        "Server",
        "handoff",
        "été",
        "Œuvre",
        "l’équipe",
        "ß",
        "ẞ",
        "ǅ",
        "ʰ",
        "ª",
        "中",
        "文字",
        "ひらがな",
        "カタカナ",
        "ー",
        "한국어",
        "ไทย",
        "हिन्दी",
        "عربى",
        "Ελληνικά",
        "Привет",
        "\u{301}",
        "\u{20e3}",
        "\u{fe0f}",
        "\u{200d}",
        "😀",
        "👨‍👩‍👧",
        "🇫🇷",
        "0",
        "12",
        "2024",
        "½",
        "٣",
        "Ⅷ",
        "/",
        "//",
        ".",
        "...",
        ",",
        "-",
        "--------",
        "=",
        "_",
        "#",
        "```",
        "{",
        "}",
        "();",
        "->",
        "::",
        "\"",
        "\\n",
        "<|endoftext|>",
        "\0",
        "\u{7f}",
        "\u{10ffff}",
        "\u{e000}",
    ];

    const FIXED: &[&str] = &[
        "",
        " ",
        "\n",
        "hello world",
        "Hello, world! It's what they'd've SAID: WE'LL see.",
        "fn main() {\n    println!(\"{}\", 1_000_000);\n}\n",
        "{\"task\": \"déployer l’API\", \"n\": 12345.678e-9, \"ok\": true}\n",
        "L'équipe a livré la version 2.0 ; « c'est prêt », dit-elle — à Noël.\r\n\r\n",
        "引き継ぎ文書を確認してください。請檢查交接文件。인수인계 문서를 확인하세요.",
        "👨‍👩‍👧‍👦🏳️‍🌈🇫🇷 ok 👍🏽",
        "a   b\t\tc \n  \n   d   ",
        "camelCase PascalCase SCREAMING_SNAKE kebab-case XMLHttpRequest",
        "ÀÉÎ ǅabc ʰʰA 中A文b \u{301}A\u{301}b",
        "https://example.org/a/b?c=d&e=%20#f\n/path\n//\n",
        "<|endoftext|><|endofprompt|>",
    ];

    #[test]
    fn fixed_texts_have_the_count_of_the_reference() {
        for text in FIXED {
            // proves X-06
            assert_eq!(count(text), reference(text), "{text:?}");
        }
        assert_eq!(count("hello world"), 2);
    }

    #[test]
    fn runs_of_one_character_have_the_count_of_the_reference() {
        for unit in FRAGMENTS {
            for times in (1..40).chain([63, 64, 65, 66, 99, 100, 127, 128, 129, 257, 1000]) {
                let text = unit.repeat(times);
                assert_eq!(count(&text), reference(&text), "{times} times {unit:?}");
            }
        }
    }

    #[test]
    fn only_a_text_with_more_tokens_than_the_limit_exceeds_it() {
        let text = "one two three four";
        assert_eq!(exceeds(text, 3), Some(4));
        assert_eq!(exceeds(text, 4), None);
        assert_eq!(exceeds(text, text.len()), None);
        assert_eq!(exceeds("", 0), None);
    }

    #[test]
    fn a_hostile_text_is_counted_too() {
        // A count that grew with the square of the length would not come back in a lifetime.
        for unit in ["a", " ", "\n", "=", "中", "\u{301}", "😀", "zq", "A中", "the"] {
            assert!(count(&unit.repeat((1 << 18) / unit.len())) > 0);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn any_text_has_the_count_of_the_reference(text in any::<String>()) {
            prop_assert_eq!(count(&text), reference(&text)); // proves X-06
        }

        #[test]
        fn any_mix_of_fragments_has_the_count_of_the_reference(
            fragments in vec(select(FRAGMENTS), 0..60),
        ) {
            let text = fragments.concat();
            prop_assert_eq!(count(&text), reference(&text)); // proves X-06
        }

        #[test]
        fn any_runs_of_fragments_have_the_count_of_the_reference(
            runs in vec((select(FRAGMENTS), 1..90_usize), 0..6),
        ) {
            let text: String = runs.iter().map(|(unit, times)| unit.repeat(*times)).collect();
            prop_assert_eq!(count(&text), reference(&text)); // proves X-06
        }

        #[test]
        fn any_long_word_has_the_count_of_the_reference(
            text in "[a-z]{1,300}|[A-Z]{1,200}|[aé中]{1,120}|[a-c]{60,400}|\\p{L}{1,100}|[^\\s\\w]{1,150}",
        ) {
            prop_assert_eq!(count(&text), reference(&text)); // proves X-06
        }

        #[test]
        fn any_prose_or_code_has_the_count_of_the_reference(
            text in "([ \\t\\r\\n]{0,4}([A-Za-zÀ-ÿ]{1,12}('(s|T|re|ll))?|[0-9]{1,7}|[\\-(){}\\[\\]<>;:,./#*=\"'«»]{1,4})){0,80}",
        ) {
            prop_assert_eq!(count(&text), reference(&text)); // proves X-06
        }

        #[test]
        fn a_text_exceeds_a_limit_exactly_when_its_count_does(
            text in "\\PC{0,60}",
            limit in 0..60_usize,
        ) {
            let all = count(&text);
            prop_assert_eq!(exceeds(&text, limit), (all > limit).then_some(all));
        }
    }
}
