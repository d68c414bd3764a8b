//! Tells raw data in a summary: code, output of programs, records, markup, long quotes.
//!
//! Raw data is known by its form, never by its words: lines of one make, or marks that prose does not have in
//! such numbers. One line of code in backticks is a name, not a copy.

mod alike;
mod in_line;
mod lines;

use std::ops::Range;

use super::judged;

/// So many characters between quotation marks are a copy; fewer are a name or a message.
const QUOTE_CHARS_MIN: usize = 200;

/// So far behind its `[` a placeholder is closed.
const PLACEHOLDER_CHARS_MAX: usize = 40;

/// A run of so many characters without a blank is no word.
const OPAQUE_BYTES_MIN: usize = 160;

/// Raw data in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Copied {
    /// The words that show it.
    pub range: Range<usize>,
    /// Its kind, as the end of a sentence: "code", "rows of a table".
    pub what: &'static str,
}

/// The part of a text that shows raw data, with the kind of it.
struct Excerpt<'t> {
    words: &'t str,
    what: &'static str,
}

/// Kinds of copies that people said or wrote.
const LONG_QUOTE: &str = "a long quote";
const QUOTED: &str = "quoted lines";
const TALK: &str = "a message or a talk";

impl Copied {
    /// Tells what people said or wrote from data.
    pub(crate) fn is_speech(&self) -> bool {
        [LONG_QUOTE, QUOTED, TALK].contains(&self.what)
    }
}

/// Finds the first sign of raw data.
pub(crate) fn find(text: &str) -> Option<Copied> {
    let text = judged(text);
    let marks = Marks::of(text);
    let Excerpt { words, what } = fence(text, marks)
        .or_else(|| announced(text, marks))
        .or_else(|| lines::find(text, marks))
        .or_else(|| in_line::find(text, marks))
        .or_else(|| long_quote(text, marks))
        .or_else(|| opaque(text))?;
    let start = words.as_ptr().addr() - text.as_ptr().addr();
    Some(Copied { range: start..start + words.len(), what })
}

/// Which of the marks that raw data is made of a text has; prose without them is looked at once.
#[derive(Clone, Copy)]
struct Marks(u8);

impl Marks {
    const LINE: u8 = 1;
    const FENCE: u8 = 2;
    const BRACKET: u8 = 4;
    const QUOTE: u8 = 8;
    const CODE: u8 = 16;

    const OF_BYTE: [u8; 256] = {
        let mut marks = [0; 256];
        marks[b'\n' as usize] = Self::LINE;
        marks[b'`' as usize] = Self::FENCE;
        marks[b'~' as usize] = Self::FENCE;
        marks[b'[' as usize] = Self::BRACKET;
        marks[b'"' as usize] = Self::QUOTE | Self::CODE;
        // The first bytes of the quotation marks that are not ASCII.
        marks[0xc2] = Self::QUOTE;
        marks[0xe2] = Self::QUOTE;
        let code = b"=;{}<|&";
        let mut at = 0;
        while at < code.len() {
            marks[code[at] as usize] |= Self::CODE;
            at += 1;
        }
        marks
    };

    fn of(text: &str) -> Self {
        Self(text.bytes().fold(0, |marks, byte| marks | Self::OF_BYTE[usize::from(byte)]))
    }

    fn has(self, mark: u8) -> bool {
        self.0 & mark != 0
    }
}

fn fence(text: &str, marks: Marks) -> Option<Excerpt<'_>> {
    let is_possible = marks.has(Marks::FENCE);
    let at = is_possible.then(|| text.find("```").or_else(|| text.find("~~~"))).flatten()?;
    Some(Excerpt { words: &text[at..at + 3], what: "a code block" })
}

/// Words after which code follows, where a mark stands behind them.
const ANNOUNCED: [&str; 4] = ["following code", "code suivant", "code below", "code ci-dessous"];

/// Raw data that is announced (`the following code: …`) or stood in for (`[500 lines of code]`).
fn announced(text: &str, marks: Marks) -> Option<Excerpt<'_>> {
    let has_code = memchr::memmem::find(text.as_bytes(), b"code").is_some();
    let by_words = ANNOUNCED.iter().filter(|_| has_code).find_map(|words| {
        let (at, _) = text.match_indices(words).find(|(at, _)| {
            let is_start = !text[..*at].ends_with(char::is_alphanumeric);
            is_start && text[at + words.len()..].trim_start_matches(' ').starts_with([':', '[', '\n'])
        })?;
        Some(&text[at..at + words.len()])
    });
    let placeholder = || {
        text.match_indices('[').find_map(|(at, _)| {
            let rest = text[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
            let has_number = rest.len() < text[at + 1..].len();
            let is_lines = has_number && [" lines", " lignes"].iter().any(|word| rest.starts_with(word));
            let mut near = rest.char_indices().take(PLACEHOLDER_CHARS_MAX).filter(|_| is_lines);
            let (end, _) = near.find(|(_, c)| *c == ']')?;
            Some(&text[at..text.len() - rest.len() + end + 1])
        })
    };
    let words = by_words.or_else(|| marks.has(Marks::BRACKET).then(placeholder).flatten())?;
    Some(Excerpt { words, what: "code where its path would do" })
}

/// Text between quotation marks that is longer than a name or a message.
fn long_quote(text: &str, marks: Marks) -> Option<Excerpt<'_>> {
    if !marks.has(Marks::QUOTE) || text.len() < QUOTE_CHARS_MIN {
        return None;
    }
    [('“', '”'), ('«', '»'), ('"', '"')].into_iter().find_map(|(open, close)| {
        let mut at = 0;
        loop {
            let mark = at + text[at..].find(open)?;
            let start = mark + open.len_utf8();
            // A mark right behind a letter or figure opens nothing, as in 5", nor does one before a blank.
            let is_closing = text[..mark].ends_with(|letter: char| letter.is_alphanumeric() || letter == '.')
                || text[start..].starts_with(char::is_whitespace);
            if open == close && is_closing {
                at = start;
                continue;
            }
            let end = start + text[start..].find(close)?;
            let quote = &text[start..end];
            if quote.chars().nth(QUOTE_CHARS_MIN - 1).is_some() {
                return Some(Excerpt { words: quote, what: LONG_QUOTE });
            }
            at = end + close.len_utf8();
        }
    })
}

/// A run without blanks that is too long for a word or an address.
fn opaque(text: &str) -> Option<Excerpt<'_>> {
    let bytes = text.as_bytes();
    let mut start = 0;
    // The last blank of a stretch is where the next one starts, so that most of the text is not looked at.
    while let Some(stretch) = bytes.get(start..start + OPAQUE_BYTES_MIN) {
        match stretch.iter().rposition(u8::is_ascii_whitespace) {
            Some(blank) => start += blank + 1,
            None => {
                let end = bytes[start..]
                    .iter()
                    .position(u8::is_ascii_whitespace)
                    .map_or(bytes.len(), |end| start + end);
                let run = &bytes[start..end];
                let is_address = memchr::memmem::find(run, b"://").is_some();
                if run.is_ascii() && !is_address {
                    return Some(Excerpt {
                        words: &text[start..start + OPAQUE_BYTES_MIN / 4],
                        what: "data without words",
                    });
                }
                start = end;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_short_quotes_are_no_copies() {
        let inches = format!("The 5\" screen {} \"ok\"", "shows the index and its titles ".repeat(9));
        for text in [
            inches.as_str(),
            "- Extend auth.ts;\n- Create a router;\n- Add tests;",
            "1. Extend `auth()`;\n2. Call it (once);\n3. Test it = done;",
            "from the session store\nto the token store\nlet the router decide",
            "Error is \"no property token\" in auth.ts:42, and \"no such column\" in db.ts:7",
            "auth.ts (500 lines of code) is too long",
            "Router (tRPC);\nTests (vitest);\nLint (eslint);",
            "Keep to the following code style in src/",
            "Returns [3 items] and [12]",
            "> one quoted line\n> and another",
            "",
        ] {
            assert!(find(text).is_none(), "{text}: {}", find(text).map_or("", |copy| copy.what));
        }
    }

    #[test]
    fn code_traces_and_differences_are_copies() {
        let quote = format!("The page says “{}” there", "so and so ".repeat(20));
        for (text, words) in [
            ("See:\n```ts\nlet a = 1;\n```", "```"),
            ("It holds the following code: let a = 1", "following code"),
            ("Le fichier contient le code suivant : x", "code suivant"),
            ("auth.ts [120 lines of code] and more", "[120 lines of code]"),
            ("auth.ts [120 lignes]", "[120 lignes]"),
            ("const a = 1;\nconst b = f(a);\nexport { a, b };", "const a = 1;"),
            ("def f(x):\n  return (x)\nclass A():", "def f(x):"),
            ("{\n  \"a\": 1,\n  \"b\": 2\n}", "{"),
            ("Error\n at f (a.js:1:2)\n at g (a.js:3:4)\n at h (a.js:5:6)", "at f (a.js:1:2)"),
            ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@", "diff --git a/x b/x"),
            ("> one\n> two\n> three", "> one"),
            (&quote, quote.split(['“', '”']).nth(1).unwrap_or_default()),
        ] {
            assert_eq!(find(text).map(|copy| &text[copy.range]), Some(words), "{text}");
        }
    }
}
