//! A text as a reader sees it: letters that look like Latin ones taken for them, and marks that only set words off left
//! out, with the way back.
//!
//! Cannot: know all letters that look alike. Those of Cyrillic and Greek that are drawn like a Latin one are known, wide
//! ones, and those of mathematics.

use std::ops::Range;

/// A text in which something is folded.
#[derive(Debug)]
pub(crate) struct Folded {
    pub(crate) text: String,
    /// Place where a folded part ended: in the folded text, and in the other.
    steps: Vec<(usize, usize)>,
}

/// Elements of HTML that only change how words look.
const LOOKS: &[&str] =
    &["b", "i", "u", "s", "em", "strong", "mark", "small", "big", "span", "font", "sub", "sup", "tt", "code"];
/// The longest tag that is left out.
const TAG_MAX: usize = 80;

impl Folded {
    /// Folds a text; nothing where it stays as it is.
    pub(crate) fn of(text: &str) -> Option<Self> {
        if text.is_ascii()
            && memchr::memchr3(b'*', b'_', b'<', text.as_bytes()).is_none()
            && !text.contains('~')
        {
            return None;
        }
        let mut folded = Self { text: String::with_capacity(text.len()), steps: Vec::new() };
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let (plain, length) = match c {
                '*' | '_' | '~' => (None, 1),
                '<' => match tag(&text[at..]) {
                    Some(length) => (None, length),
                    None => (Some(c), 1),
                },
                '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => (None, c.len_utf8()),
                _ => (Some(latin(c).unwrap_or(c)), c.len_utf8()),
            };
            folded.text.extend(plain);
            at += length;
            if plain != Some(c) {
                folded.steps.push((folded.text.len(), at));
            }
        }
        (!folded.steps.is_empty()).then_some(folded)
    }

    /// Place of a part of the folded text in the other.
    pub(crate) fn unfolded(&self, range: &Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let next = self.steps.partition_point(|(folded, _)| *folded <= at);
            let (folded, other) = next.checked_sub(1).map_or((0, 0), |last| self.steps[last]);
            other + (at - folded)
        };
        place(range.start)..place(range.end)
    }
}

/// The length of a tag that only changes how words look.
fn tag(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('<')?;
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let end = inner.bytes().take(TAG_MAX).position(|byte| byte == b'>')?;
    let inner = inner.get(..end)?;
    let name = inner.split([' ', '/']).next().unwrap_or_default();
    let is_one = LOOKS.iter().any(|look| look.eq_ignore_ascii_case(name));
    is_one.then(|| text.find('>')).flatten().map(|end| end + 1)
}

/// The Latin letter that another is drawn like.
pub(crate) fn latin(c: char) -> Option<char> {
    alike(c).or_else(|| {
        let code = u32::from(c);
        let small = |from: u32| u8::try_from(code - from).ok().map(|more| char::from(b'!' + more));
        match c {
            '\u{ff01}'..='\u{ff5e}' => small(0xff01),
            '\u{1d400}'..='\u{1d6a3}' => {
                let number = u8::try_from((code - 0x1d400) % 52).ok()?;
                Some(char::from(if number < 26 { b'A' + number } else { b'a' + number - 26 }))
            }
            _ => None,
        }
    })
}

/// The Latin letter that one of Cyrillic or Greek is drawn like.
pub(crate) fn alike(c: char) -> Option<char> {
    let latin = match c {
        'а' => 'a',
        'е' => 'e',
        'о' | 'ο' => 'o',
        'р' | 'ρ' => 'p',
        'с' | 'ϲ' => 'c',
        'у' => 'y',
        'х' => 'x',
        'і' | 'ι' => 'i',
        'ј' => 'j',
        'ѕ' => 's',
        'һ' => 'h',
        'ԁ' => 'd',
        'ԛ' => 'q',
        'ԝ' => 'w',
        'ո' => 'n',
        'ν' => 'v',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'С' | 'Ϲ' => 'C',
        'Е' | 'Ε' => 'E',
        'Н' | 'Η' => 'H',
        'І' | 'Ι' => 'I',
        'Ј' => 'J',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Ν' => 'N',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'Ѕ' => 'S',
        'Т' | 'Τ' => 'T',
        'Х' | 'Χ' => 'X',
        'Ζ' => 'Z',
        'У' | 'Υ' => 'Y',
        _ => return None,
    };
    Some(latin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_folded_leads_back() {
        // proves A-13
        for (text, plain, written) in [
            ("say *all* **words** x", "words", "words**"),
            ("a <b class=\"x\">b</b> words", "a b words", "a <b class=\"x\">b</b> words"),
            ("\u{430}ll words", "all words", "\u{430}ll words"),
            ("\u{ff29}gnore", "Ignore", "\u{ff29}gnore"),
            ("\u{1d422}\u{1d420}no\u{200b}re it", "ignore", "\u{1d422}\u{1d420}no\u{200b}re"),
        ] {
            let folded = Folded::of(text).expect("it is folded");
            let at = folded.text.find(plain).expect(plain);
            assert_eq!(&text[folded.unfolded(&(at..at + plain.len()))], written, "{}", folded.text);
        }
        assert!(Folded::of("nothing to fold").is_none());
        assert!(Folded::of("caf\u{e9} <handoff>").is_none());
    }
}
