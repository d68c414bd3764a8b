//! The text that a reader of the document gets: escapes decoded, with the way back to where each stood.
//!
//! One view serves JSON, YAML and XML: what is no escape in one of them is harmless to decode there, because the
//! view is only searched and never stored. A token that is written `\u0067hp_…` is found, and one behind `\n` is not
//! taken for a part of a word. The sections of XML are joined to what stands around them, as its readers do.
//!
//! Invariant: a range of the view on character boundaries maps to a range of the source on character boundaries.

use std::borrow::Cow;
use std::ops::Range;

/// A text with its escapes decoded.
#[derive(Debug)]
pub(crate) struct DecodedText<'t> {
    pub(crate) text: Cow<'t, str>,
    source: &'t str,
    /// End of each escape: in the view, and in the source. Only some are kept, `STEP` apart; those between are
    /// found again from there.
    steps: Vec<(usize, usize)>,
    has_sections: bool,
    /// Edges in the view of sections of XML, and of lines that go on, in order.
    pub(crate) edges: Vec<usize>,
}

/// Delimiters of a section of XML; neither is a part of the value.
pub(crate) const SECTION_START: &str = "<![CDATA[";
pub(crate) const SECTION_END: &str = "]]>";

/// The bytes of the view between two steps that are kept, so that they cost little beside the text.
const STEP: usize = 512;

impl<'t> DecodedText<'t> {
    /// The text as it stands.
    pub(crate) fn raw(text: &'t str) -> Self {
        let (steps, edges) = (Vec::new(), Vec::new());
        Self { text: Cow::Borrowed(text), source: text, steps, has_sections: false, edges }
    }

    /// The text with its escapes decoded.
    pub(crate) fn decoded(text: &'t str) -> Self {
        let mut view = String::with_capacity(text.len());
        let (mut steps, mut edges) = (Vec::new(), Vec::new());
        let has_sections = has_sections(text);
        let mut taken = 0;
        for (range, decoded) in escapes(text, 0, has_sections) {
            view.push_str(&text[taken..range.start]);
            view.extend(decoded);
            taken = range.end;
            // A line that goes on parts words too.
            let is_edge = matches!(text.as_bytes()[range.start], b'<' | b']') || decoded.is_none();
            if is_edge && edges.last() != Some(&view.len()) {
                edges.push(view.len());
            }
            if steps.last().is_none_or(|(last, _)| view.len() >= last + STEP) {
                steps.push((view.len(), taken));
            }
        }
        view.push_str(&text[taken..]);
        Self { text: Cow::Owned(view), source: text, steps, has_sections, edges }
    }

    /// Place of a part of the view in the source, without what stands for nothing before and behind it.
    pub(crate) fn source(&self, range: &Range<usize>) -> Range<usize> {
        let place = |at: usize, is_end: bool| {
            let (view, source) = self.last_escape(at, is_end);
            source + (at - view)
        };
        let start = place(range.start, false);
        start..place(range.end, true).max(start)
    }

    /// Tells whether the character that ends at a place of the view was written as an escape.
    pub(crate) fn is_escaped(&self, end: usize) -> bool {
        let (view, _) = self.last_escape(end, true);
        view == end && end > 0
    }

    /// End of the last escape that at a place of the view or before it ends, in the view and in the source; the
    /// start of both where there is none. Before an end those at the place that stand for nothing do not count.
    fn last_escape(&self, at: usize, is_end: bool) -> (usize, usize) {
        if self.steps.first().is_none_or(|(view, _)| *view > at) {
            return (0, 0);
        }
        let next = self.steps.partition_point(|(view, _)| *view < at || (*view == at && !is_end));
        let (mut view, mut source) = next.checked_sub(1).map_or((0, 0), |last| self.steps[last]);
        for (range, decoded) in escapes(self.source, source, self.has_sections) {
            let end = view + (range.start - source) + decoded.map_or(0, char::len_utf8);
            if end > at || (is_end && end == at && decoded.is_none()) {
                break;
            }
            (view, source) = (end, range.end);
        }
        (view, source)
    }
}

/// Tells whether a text has sections of XML.
pub(super) fn has_sections(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Of what one starts with, this is met least.
    memchr::memchr_iter(b'!', bytes).any(|at| at > 0 && bytes[at - 1..].starts_with(SECTION_START.as_bytes()))
}

/// The escapes of a text from a place on: where each stands, and what it stands for.
fn escapes(
    text: &str,
    from: usize,
    has_sections: bool,
) -> impl Iterator<Item = (Range<usize>, Option<char>)> + use<'_> {
    let mut at = from;
    let next = move |bytes: &[u8]| match has_sections {
        true => bytes.iter().position(|byte| matches!(byte, b'\\' | b'&' | b'<' | b']')),
        false => memchr::memchr2(b'\\', b'&', bytes),
    };
    std::iter::from_fn(move || {
        loop {
            at += next(&text.as_bytes()[at..])?;
            let start = at;
            match escape(&text[at..]) {
                Some((decoded, length)) => {
                    at += length;
                    return Some((start..at, decoded));
                }
                None => at += 1,
            }
        }
    })
}

/// Character of an escape at the start of a text, and its length; none where there is none.
fn escape(text: &str) -> Option<(Option<char>, usize)> {
    let bytes = text.as_bytes();
    match bytes[0] {
        b'&' => return entity(text),
        b'<' | b']' => {
            let mark = [SECTION_START, SECTION_END].into_iter().find(|mark| text.starts_with(mark));
            return mark.map(|mark| (None, mark.len()));
        }
        _ => {}
    }
    let plain = |c: char| Some((Some(c), 2));
    match *bytes.get(1)? {
        b'n' => plain('\n'),
        b't' => plain('\t'),
        b'r' => plain('\r'),
        c @ (b'"' | b'/' | b'\\' | b'\'') => plain(char::from(c)),
        b'x' => code(text, 2, 2).map(|c| (Some(c), 4)),
        b'U' => code(text, 2, 8).map(|c| (Some(c), 10)),
        b'u' => unicode(text),
        // A line that goes on: what separates the two is not in the value.
        b'\n' => Some((None, 2 + bytes[2..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count())),
        _ => None,
    }
}

fn digits(text: &str, from: usize, length: usize) -> Option<u32> {
    let digits = text.get(from..from + length)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

fn code(text: &str, from: usize, length: usize) -> Option<char> {
    digits(text, from, length).and_then(char::from_u32)
}

fn unicode(text: &str) -> Option<(Option<char>, usize)> {
    let first = digits(text, 2, 4)?;
    if let Some(c) = char::from_u32(first) {
        return Some((Some(c), 6));
    }
    let second = text.get(6..8).filter(|next| *next == "\\u").and_then(|_| digits(text, 8, 4))?;
    let is_pair = (0xd800..0xdc00).contains(&first) && (0xdc00..0xe000).contains(&second);
    let c =
        is_pair.then(|| 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)).and_then(char::from_u32)?;
    Some((Some(c), 12))
}

fn entity(text: &str) -> Option<(Option<char>, usize)> {
    /// The longest is `&#x10FFFF;`.
    const LENGTH_MAX: usize = 10;
    let end = text.bytes().take(LENGTH_MAX).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((Some(c), end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_every_notation_are_decoded_and_lead_back() {
        let source = r#"a\u0067\/\n\x41 &#x67;&amp;&#103; \ud83d\ude00 \q &none; \u12"#;
        let view = DecodedText::decoded(source);
        assert_eq!(view.text, "ag/\nA g&g 😀 \\q &none; \\u12");
        let at = view.text.find('A').expect("it is there");
        assert_eq!(&source[view.source(&(at..at + 1))], r"\x41");
        let face = view.text.find('😀').expect("it is there");
        assert_eq!(&source[view.source(&(face..face + 4))], r"\ud83d\ude00");
        assert_eq!(&source[view.source(&(0..view.text.len()))], source);
        assert!(view.is_escaped(2) && !view.is_escaped(1) && !view.is_escaped(0));
    }

    #[test]
    fn sections_are_joined_and_what_starts_or_ends_with_them_lies_inside() {
        let source = "<a>x<![CDATA[one]]>two]]><![CDATA[3&#52;]]></a>";
        let view = DecodedText::decoded(source);
        assert_eq!(view.text, "<a>xonetwo34</a>");
        assert_eq!(view.edges, [4, 7, 10, 12]);
        let written = |text: &str| {
            let at = view.text.find(text).expect("it is there");
            &source[view.source(&(at..at + text.len()))]
        };
        assert_eq!(written("one"), "one");
        assert_eq!(written("onetwo"), "one]]>two");
        assert_eq!(written("34"), "3&#52;");
        assert_eq!(written("x"), "x");
        assert_eq!(view.source(&(4..4)), 13..13);
        assert!(view.is_escaped(12) && !view.is_escaped(4) && !view.is_escaped(7));
        // Without a section nothing is joined.
        assert_eq!(DecodedText::decoded("[[a]]>b&#67;").text, "[[a]]>bC");
    }

    #[test]
    fn the_way_back_is_the_same_however_many_escapes_there_are() {
        let source = r"a\u0067 \n".repeat(1000);
        let view = DecodedText::decoded(&source);
        assert!(view.steps.len() < 20, "{} steps are kept", view.steps.len());
        for (at, _) in view.text.match_indices('g') {
            assert_eq!(&source[view.source(&(at..at + 1))], r"\u0067");
            assert!(view.is_escaped(at + 1) && !view.is_escaped(at));
        }
    }
}
