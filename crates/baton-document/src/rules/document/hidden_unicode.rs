//! `document/hidden-unicode`: characters that a reader does not see.

use std::ops::Range;

use crate::bytes;
use crate::finding::{Finding, Level, shortened};
use crate::rule::{Check, Rule};
use crate::scan::alike;
use crate::span::Span;
use crate::tree::Syntax;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/hidden-unicode",
    level: Some(Level::Warning),
    page: include_str!("hidden_unicode.md"),
    check: Check::Reading,
};

/// The code points that one message names.
const NAMED_MAX: usize = 6;

/// The hidden characters of a text, each stretch of them as a range, in order, and not many more than `most`.
pub(crate) fn find(text: &str, most: usize) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(next) = next_lead(text.as_bytes(), at) {
        at = next;
        if found.len() > most {
            break;
        }
        let Some(c) = text[at..].chars().next() else { break };
        let end = at + c.len_utf8();
        if let Some(length) = flag(&text[at..]) {
            at += length;
            continue;
        }
        if is_hidden(c) && !is_usual(c, &text[..at], &text[end..]) {
            match found.last_mut() {
                Some(last) if last.end == at => last.end = end,
                Some(_) | None => found.push(at..end),
            }
        }
        at = end;
    }
    found
}

/// The first bytes of letters of Greek and Cyrillic that look like Latin ones.
const ALIKE: [[u8; 3]; 2] = [[0xce, 0xd0, 0xd1], [0xcf, 0xd2, 0xd4]];

/// The words of a text in which letters that only look like Latin ones stand among Latin ones, in order, and not many
/// more than `most`.
pub(crate) fn mixed(text: &str, most: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_letter = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphabetic);
    let mut found: Vec<Range<usize>> = Vec::new();
    for [a, b, c] in ALIKE {
        let mut end = 0;
        for at in memchr::memchr3_iter(a, b, c, bytes) {
            // A word in another script has such letters by right, and no Latin one beside them.
            let is_beside = is_letter(at.checked_sub(1)) || is_letter(Some(at + 2));
            if at < end || !is_beside || found.len() > most {
                continue;
            }
            let part = |c: char| c.is_alphanumeric();
            let start = text[..at].trim_end_matches(part).len();
            end = text.len() - text[at..].trim_start_matches(part).len();
            let word = &text[start..end];
            let is_known = |c: char| c.is_ascii() || alike(c).is_some();
            if word.chars().filter(char::is_ascii_alphabetic).count() > 1 && word.chars().all(is_known) {
                found.push(start..end);
            }
        }
    }
    found.sort_by_key(|range| range.start);
    found.dedup();
    found
}

/// Says that a word is not what it looks like.
pub(crate) fn mixed_finding(word: &str, span: Span) -> Finding {
    let other: Vec<String> = word.chars().filter(|c| !c.is_ascii()).take(NAMED_MAX).map(named).collect();
    let plain: String = word.chars().map(|c| alike(c).unwrap_or(c)).collect();
    let message = format!("a word looks like `{}` and is not: {}", shortened(&plain), other.join(", "));
    Finding::new(RULE.id, message)
        .at(span)
        .label("letters of two scripts")
        .found(shortened(word))
        .expected("a word in the letters of one script")
        .help("write it in the letters that it seems to have")
        .fix(span, plain)
        .unsafe_fix()
}

/// Place of the next byte from a place on that may be the first of a hidden character.
fn next_lead(text: &[u8], mut at: usize) -> Option<usize> {
    while at < text.len() {
        let mut others = bytes::bits(&bytes::from(text, at, b' '), bytes::are_not_ascii);
        while others != 0 {
            let here = at + others.trailing_zeros() as usize;
            if LEADS[usize::from(text[here])] {
                return Some(here);
            }
            others &= others - 1;
        }
        at += bytes::WIDTH;
    }
    None
}

/// The first bytes of all characters that may be hidden.
static LEADS: [bool; 256] = {
    let mut leads = [false; 256];
    let bytes = [0xc2, 0xcd, 0xd8, 0xe1, 0xe2, 0xe3, 0xef, 0xf0, 0xf3];
    let mut at = 0;
    while at < bytes.len() {
        leads[bytes[at]] = true;
        at += 1;
    }
    leads
};

fn is_hidden(c: char) -> bool {
    is_control(c) || is_direction(c) || is_selector(c) || is_tag(c) || is_joiner(c) || is_empty(c)
}

/// Characters that move the cursor, ring the bell, or give orders to whatever shows the text, and ends of lines that
/// only some readers take for one.
fn is_control(c: char) -> bool {
    (c.is_control() && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The controls of ASCII that stand in a text as they are, each stretch of them as a range, and not many more than `most`.
pub(crate) fn controls(text: &str, most: usize) -> Vec<(Range<usize>, String)> {
    let is_control = |c: char| c.is_ascii() && is_control(c);
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| is_control(*c)) {
        join(&mut found, at..at + 1, c);
        if found.len() > most {
            break;
        }
    }
    found
}

/// The controls of ASCII that are escaped in a text in quotes, likewise; YAML has escapes that JSON has not.
pub(crate) fn escaped_controls(text: &str, syntax: Syntax, most: usize) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    let mut at = 0;
    while let Some(slash) = memchr::memchr(b'\\', &text.as_bytes()[at..]) {
        let start = at + slash;
        let (c, length) = escape(&text[start..], syntax == Syntax::Yaml);
        at = (start + length).min(text.len());
        if let Some(c) = c.filter(|c| c.is_ascii() && is_control(*c)) {
            join(&mut found, start..at, c);
        }
        if found.len() > most {
            break;
        }
    }
    found
}

/// Character that an escape at the start of a text stands for if it may be a control, and the length of the escape.
fn escape(text: &str, is_yaml: bool) -> (Option<char>, usize) {
    let code = |length: usize| {
        let digits =
            text.get(2..2 + length).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
        (code, if code.is_some() { 2 + length } else { 2 })
    };
    let second = text[1..].chars().next();
    match second {
        Some('b') => (Some('\u{8}'), 2),
        Some('f') => (Some('\u{c}'), 2),
        Some('u') => code(4),
        Some('x') if is_yaml => code(2),
        Some('U') if is_yaml => code(8),
        Some('e') if is_yaml => (Some('\u{1b}'), 2),
        Some('a') if is_yaml => (Some('\u{7}'), 2),
        Some('v') if is_yaml => (Some('\u{b}'), 2),
        Some('0') if is_yaml => (Some('\0'), 2),
        other => (None, 1 + other.map_or(0, char::len_utf8)),
    }
}

fn join(found: &mut Vec<(Range<usize>, String)>, range: Range<usize>, c: char) {
    match found.last_mut() {
        Some((last, text)) if last.end == range.start => {
            last.end = range.end;
            text.push(c);
        }
        Some(_) | None => found.push((range, c.to_string())),
    }
}

/// Marks, embeddings, overrides and isolates: they turn the direction of the text around them.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Characters that choose a form of the one before them.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' | '\u{180f}')
}

/// An invisible copy of ASCII.
fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Characters without a width, without a sign, or given up by Unicode.
fn is_empty(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{200b}'
            | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0080}'..='\u{e00ff}'
    )
}

/// Tells whether a hidden character stands where people who write the language of the text put it.
fn is_usual(c: char, before: &str, after: &str) -> bool {
    let last = before.chars().next_back();
    let next = after.chars().next();
    let is = |side: Option<char>, test: fn(char) -> bool| side.is_some_and(test);
    match c {
        '\u{200e}' | '\u{200f}' | '\u{61c}' => is(last, is_right_to_left) || is(next, is_right_to_left),
        '\u{200c}' => is(last, is_joining) && is(next, is_joining),
        '\u{200d}' => {
            let is_emoji =
                is(last, |c| is_pictured(c) || matches!(c, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}'));
            (is_emoji && is(next, is_pictured)) || is(last, is_joining)
        }
        '\u{180b}'..='\u{180d}' | '\u{180f}' => is(last, |c| matches!(c, '\u{1800}'..='\u{18af}')),
        '\u{e0100}'..='\u{e01ef}' => is(last, is_ideograph),
        '\u{fe00}'..='\u{fe0f}' => {
            is(last, |c| {
                matches!(c, '#' | '*' | '0'..='9') || (!c.is_ascii() && !c.is_alphabetic()) || is_ideograph(c)
            }) && !is(last, is_hidden)
        }
        _ => false,
    }
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Scripts whose letters join, or are kept from it.
fn is_joining(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{109f}' | '\u{1700}'..='\u{18af}' | '\u{1900}'..='\u{1cff}' | '\u{a800}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10a00}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{2fdf}' | '\u{3001}'..='\u{303f}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Pictures, and the signs that become pictures.
fn is_pictured(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// The length of a flag that tags are a part of, as that of Scotland.
fn flag(text: &str) -> Option<usize> {
    let tags = text.strip_prefix('\u{1f3f4}')?;
    let letters = tags
        .chars()
        .take_while(|c| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}'))
        .count();
    let is_flag = (3..=6).contains(&letters) && tags.chars().nth(letters) == Some('\u{e007f}');
    is_flag.then_some((1 + letters + 1) * 4)
}

/// Says which characters are hidden, and what they spell.
pub(crate) fn finding(hidden: &str, span: Span) -> Finding {
    let count = hidden.chars().count();
    let mut names: Vec<String> = hidden.chars().take(NAMED_MAX).map(named).collect();
    if count > NAMED_MAX {
        names.push(format!("{} more", count - NAMED_MAX));
    }
    let noun = if count == 1 { "character" } else { "characters" };
    let spelled = spelled(hidden).map(|text| format!(", which spell `{text}`")).unwrap_or_default();
    Finding::new(RULE.id, format!("{count} hidden {noun} in the text: {}{spelled}", names.join(", ")))
        .at(span)
        .label("nothing is seen here")
        .found(
            hidden
                .chars()
                .take(NAMED_MAX)
                .map(|c| format!("U+{:04X}", u32::from(c)))
                .collect::<Vec<_>>()
                .join(" "),
        )
        .expected("text that a reader sees as it is")
        .help("remove what is hidden")
        .fix(span, "")
        .unsafe_fix()
}

/// A code point, and its name where people know it by one.
fn named(c: char) -> String {
    let name = match c {
        '\0' => " null",
        '\u{7}' => " bell",
        '\u{8}' => " backspace",
        '\u{c}' => " form feed",
        '\u{1b}' => " escape",
        '\u{7f}' => " delete",
        '\u{85}' => " next line",
        '\u{ad}' => " soft hyphen",
        '\u{2028}' => " line separator",
        '\u{2029}' => " paragraph separator",
        '\u{200b}' => " zero width space",
        '\u{200c}' => " zero width non-joiner",
        '\u{200d}' => " zero width joiner",
        '\u{200e}' => " left-to-right mark",
        '\u{200f}' => " right-to-left mark",
        '\u{202a}' => " left-to-right embedding",
        '\u{202b}' => " right-to-left embedding",
        '\u{202c}' => " pop directional formatting",
        '\u{202d}' => " left-to-right override",
        '\u{202e}' => " right-to-left override",
        '\u{2060}' => " word joiner",
        '\u{2066}' => " left-to-right isolate",
        '\u{2067}' => " right-to-left isolate",
        '\u{2068}' => " first strong isolate",
        '\u{2069}' => " pop directional isolate",
        '\u{feff}' => " byte order mark",
        _ if is_control(c) => " control character",
        _ if is_tag(c) => " tag",
        _ if is_selector(c) => " variation selector",
        '\u{370}'..='\u{3ff}' => " Greek",
        '\u{400}'..='\u{52f}' => " Cyrillic",
        _ => "",
    };
    format!("U+{:04X}{name}", u32::from(c))
}

/// The text that tags or variation selectors carry.
fn spelled(hidden: &str) -> Option<String> {
    let byte = |c: char| -> Option<u8> {
        let code = u32::from(c);
        let byte = match c {
            '\u{e0020}'..='\u{e007e}' => code - 0xe0000,
            '\u{fe00}'..='\u{fe0f}' => code - 0xfe00,
            '\u{e0100}'..='\u{e01ef}' => code - 0xe0100 + 16,
            _ => return None,
        };
        u8::try_from(byte).ok()
    };
    let bytes: Vec<u8> = hidden.chars().filter_map(byte).collect();
    let text = String::from_utf8(bytes).ok()?;
    let is_shown = text.chars().count() > 1 && text.chars().all(|c| !c.is_control() && !is_hidden(c));
    is_shown.then(|| shortened(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_found_and_what_is_usual_is_not() {
        // proves A-13
        let hidden = [
            "a\u{200b}b",
            "pay\u{202e}live\u{202c}",
            "x\u{2066}y\u{2069}",
            "a\u{200d}b",
            "a\u{200c}b",
            "no\u{2060}break",
            "soft\u{ad}ly",
            "\u{e0049}\u{e0067}",
            "a\u{fe01}",
            "😀\u{fe0f}\u{fe01}\u{fe02}",
            "a\u{e0100}",
            "mid\u{feff}dle",
            "\u{3164}",
            "a\u{200e}b",
            "\u{206a}",
            "\u{fff9}",
            "\u{1d173}",
            "é\u{fe0f}",
            "🏴\u{e0069}\u{e0067}",
            "a\u{2028}b",
            "a\u{2029}b",
            "a\u{9b}31m",
        ];
        for text in hidden {
            assert!(!find(text, 9).is_empty(), "{}", text.escape_unicode());
        }
        let usual = [
            "plain",
            "é à ü – “quoted” … €",
            "👩\u{200d}💻",
            "👩🏽\u{200d}🚀",
            "❤\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "✔\u{fe0e} done",
            "🏳\u{fe0f}\u{200d}🌈",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष",
            "葛\u{e0100}",
            "שלום\u{200f}!",
            "a\u{a0}b\u{202f}c",
            "⚠\u{fe0f} x",
            // The signs of fonts for terminals are shown by some as a picture and by others as a box: by all as something.
            "\u{e0a0} main",
        ];
        for text in usual {
            assert!(find(text, 9).is_empty(), "{}", text.escape_unicode());
        }
    }

    #[test]
    fn controls_are_found_as_they_are_and_escaped() {
        // proves A-13
        let found = |all: Vec<(Range<usize>, String)>| -> Vec<String> {
            all.into_iter().map(|(range, text)| format!("{range:?} {}", text.escape_debug())).collect()
        };
        assert_eq!(found(controls("a\u{1b}\u{8}b\n\t\u{7f}", 9)), [r"1..3 \u{1b}\u{8}", r"6..7 \u{7f}"]);
        let text = r"\u001b[1m \\u001b \b\f \n\t\r \x1b \e \u00e9 \u";
        let json = [r"0..6 \u{1b}", r"18..22 \u{8}\u{c}"];
        assert_eq!(found(escaped_controls(text, Syntax::Json, 9)), json);
        let yaml = [json[0], json[1], r"30..34 \u{1b}", r"35..37 \u{1b}"];
        assert_eq!(found(escaped_controls(text, Syntax::Yaml, 9)), yaml);
        assert!(finding("\u{1b}", Span::default()).message.ends_with("U+001B escape"));
    }

    #[test]
    fn tags_and_selectors_are_read_out() {
        // proves A-13
        let tags: String = "say hi".chars().filter_map(|c| char::from_u32(0xe0000 + u32::from(c))).collect();
        let said = finding(&tags, Span::default()).message;
        assert!(said.starts_with("6 hidden characters") && said.ends_with("which spell `say hi`"), "{said}");
        let selectors: String =
            b"run".iter().filter_map(|b| char::from_u32(0xe0100 + u32::from(*b) - 16)).collect();
        assert!(finding(&selectors, Span::default()).message.ends_with("which spell `run`"));
    }
}
