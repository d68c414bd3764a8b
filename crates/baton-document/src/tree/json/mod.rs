//! Reads JSON: quickly where nothing is wrong, and again with patience where something may be.

mod forgiving;
mod quick;

use std::ops::Range;

use super::{Kind, Limits, Tree};
use crate::finding::Finding;

/// Reads all values of the source; more than one is a finding, and is read all the same.
pub(super) fn read(tree: &mut Tree<'_>, limits: &Limits, findings: &mut Vec<Finding>) {
    if !quick::read(tree, limits) {
        tree.begin_again();
        forgiving::read(tree, limits, findings);
    }
}

/// Kind and length of a number at the start of some bytes.
fn number(bytes: &[u8]) -> Option<(Kind, usize)> {
    let digits = |at: usize| bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(at);
    if whole == 0 || (whole > 1 && bytes[at] == b'0') {
        return None;
    }
    at += whole;
    let mut kind = Kind::Integer;
    if bytes.get(at) == Some(&b'.') {
        kind = Kind::Float;
        let fraction = digits(at + 1);
        at += 1 + fraction;
        if fraction == 0 {
            return None;
        }
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        kind = Kind::Float;
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at);
        at += exponent;
        if exponent == 0 {
            return None;
        }
    }
    Some((kind, at))
}

/// A text without its escapes; says where one of them means nothing.
fn unescaped(raw: &str, mut wrong: impl FnMut(Range<usize>)) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(slash) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..slash]);
        let escape = &rest[slash..];
        let at = raw.len() - escape.len();
        let (decoded, length) = decode_escape(escape);
        match decoded {
            Some(character) => text.push(character),
            None => {
                wrong(at..at + length);
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        rest = &escape[length..];
    }
    text.push_str(rest);
    text
}

/// Reads one escape; gives its character, if it is right, and its length.
fn decode_escape(escape: &str) -> (Option<char>, usize) {
    let simple = |character| (Some(character), 2);
    match escape.as_bytes().get(1) {
        Some(b'"') => simple('"'),
        Some(b'\\') => simple('\\'),
        Some(b'/') => simple('/'),
        Some(b'b') => simple('\u{8}'),
        Some(b'f') => simple('\u{c}'),
        Some(b'n') => simple('\n'),
        Some(b'r') => simple('\r'),
        Some(b't') => simple('\t'),
        Some(b'u') => decode_unicode(escape),
        Some(_) => (None, 1 + escape[1..].chars().next().map_or(0, char::len_utf8)),
        None => (None, 1),
    }
}

fn decode_unicode(escape: &str) -> (Option<char>, usize) {
    let unit = |from: usize| {
        let digits = escape.get(from..from + 4)?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    };
    let Some(first) = unit(2) else { return (None, 2) };
    if !(0xd800..0xe000).contains(&first) {
        return (char::from_u32(first), 6);
    }
    let second = if escape.get(6..8) == Some("\\u") { unit(8) } else { None };
    match second {
        Some(second) if first < 0xdc00 && (0xdc00..0xe000).contains(&second) => {
            (char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)), 12)
        }
        Some(_) | None => (None, 6),
    }
}

/// Writes a text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("text is always a JSON string")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Block, Kind, Limits, Spare, Syntax, Tree, parse};
    use super::{forgiving, quick};
    use crate::finding::Finding;
    use crate::tree::Keys;

    fn parsed<'t>(text: &'t str, findings: &mut Vec<Finding>) -> Tree<'t> {
        let block = Block { text, base: 0, syntax: Syntax::Json };
        parse(block, Keys::none(), &Limits::default(), Spare::default(), findings)
    }

    /// An empty tree of a text, for a reader to fill.
    fn unread(text: &str) -> Tree<'_> {
        let mut tree = parsed("", &mut Vec::new());
        tree.source = text;
        tree
    }

    /// Asserts that what is read quickly is what patience reads; gives whether each saw nothing wrong.
    fn compare(text: &str) -> (bool, bool) {
        let limits = Limits { depth: 6, scalar_bytes: 150, nodes: 60, ..Limits::default() };
        let (mut fast, mut slow, mut findings) = (unread(text), unread(text), Vec::new());
        forgiving::read(&mut slow, &limits, &mut findings);
        let is_read = quick::read(&mut fast, &limits);
        if is_read {
            assert!(findings.is_empty(), "{text}: {findings:?}");
            assert_eq!(format!("{fast:?}"), format!("{slow:?}"), "{text}");
        }
        (is_read, findings.is_empty())
    }

    fn space() -> impl Strategy<Value = String> {
        prop_oneof![4 => Just(String::new()), 2 => "[ \n\t\r]{1,3}", 1 => " {50,70}"]
    }

    fn text() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            6 => "[a-z :,{}\\[\\]/'é€]{0,9}",
            1 => "[a-z]{60,70}",
            1 => prop_oneof![Just(r"\n"), Just(r#"\""#), Just(r"\\"), Just(r"\u00e9"), Just(r"\ud83d\ude00")]
                .prop_map(str::to_owned),
        ];
        prop::collection::vec(part, 0..4).prop_map(|parts| format!("\"{}\"", parts.concat()))
    }

    /// JSON with keys that are mostly plain, because keys with escapes are left to patience.
    fn json() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            Just("true"),
            Just("false"),
            Just("null"),
            Just("0"),
            Just("-12"),
            Just("3.50"),
            Just("1e9"),
            Just("-0.1E-7")
        ];
        let leaf = prop_oneof![text(), word.prop_map(str::to_owned)];
        leaf.prop_recursive(5, 40, 5, |inner| {
            let spaced = (space(), inner, space())
                .prop_map(|(before, value, behind)| before + &value + &behind)
                .boxed();
            let key = "[a-z_é{}:,]{0,20}";
            let entry = (space(), key, space(), spaced.clone());
            let entry =
                entry.prop_map(|(before, key, behind, value)| format!("{before}\"{key}\"{behind}:{value}"));
            let list = (prop::collection::vec(spaced, 0..5), space());
            let map = (prop::collection::vec(entry, 0..5), space());
            prop_oneof![
                list.prop_map(|(items, space)| format!("[{}{space}]", items.join(","))),
                map.prop_map(|(entries, space)| format!("{{{}{space}}}", entries.join(","))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_right_is_read_quickly_and_as_with_patience((before, json) in (space(), json())) {
            let (is_read, is_right) = compare(&format!("{before}{json}"));
            prop_assert_eq!(is_read, is_right && json.starts_with(['{', '[']));
        }

        #[test]
        fn what_may_be_wrong_is_left_to_patience(
            json in json(),
            at in any::<prop::sample::Index>(),
            sign in prop_oneof![
                Just(""), Just("\""), Just("\\"), Just(","), Just(":"), Just("}"), Just("["), Just("1"), Just("x"),
                Just("\n"), Just("\u{1}"), Just("\u{b}"), Just("'"), Just("//"), Just("\u{7f}"), Just(" ")
            ],
            is_instead in any::<bool>(),
        ) {
            let mut places: Vec<usize> = json.char_indices().map(|(at, _)| at).collect();
            places.push(json.len());
            let at = at.index(places.len());
            let end = places.get(at + usize::from(is_instead)).copied().unwrap_or(json.len());
            compare(&[&json[..places[at]], sign, &json[end..]].concat());
        }
    }

    #[test]
    fn a_handoff_is_read_quickly() {
        let handoff = r#"{"a": ["b", {"c": -1.5e3}], "d": "e\n", "f": true}"#;
        assert_eq!(compare(handoff), (true, true));
        assert_eq!(compare(&handoff.replace(' ', "\r\n\t ")), (true, true));
        // A key with an escape is rare enough to be left to patience.
        assert_eq!(compare(r#"{"a\n": 1}"#), (false, true));
        assert_eq!(compare(r#"{"a": 1,}"#), (false, false));
    }

    #[test]
    fn texts_and_space_of_any_length_are_read() {
        let space = [" ", "\n", "\t", "\r", "\n    "];
        for length in 0..140 {
            let text = "\u{e9}x".repeat(length);
            let gap = space[length % space.len()].repeat(length);
            let source = format!("{{{gap}\"{text}\":{gap}[\"{text}\\\"\",{gap}{length}{gap}]{gap}}}");
            let mut findings = Vec::new();
            let tree = parsed(&source, &mut findings);
            assert!(findings.is_empty(), "{source}: {findings:?}");
            let root = tree.roots().next().expect("there is a value");
            let (key, list) = tree.entries(root).next().expect("there is an entry");
            assert_eq!(tree.text(key), text);
            let items: Vec<_> = tree.items(list).collect();
            assert_eq!(tree.text(items[0]), format!("{text}\""));
            assert_eq!((tree.kind(items[1]), tree.text(items[1])), (Kind::Integer, &*length.to_string()));
            assert_eq!(tree.span(root).range(), 0..source.len());
        }
    }

    #[test]
    fn a_control_character_is_no_space() {
        for control in ["\u{1}", "\u{b}", "\u{c}", "\u{1f}"] {
            let mut findings = Vec::new();
            let source = format!("{{\"a\": {control}1}}");
            parsed(&source, &mut findings);
            assert!(!findings.is_empty(), "{source:?}");
        }
    }
}
