//! Tells raw data in a summary: code blocks, lines of code, quoted lines, long quotes.

/// So many lines of a kind are a copy; fewer are an example.
const LINES_MIN: usize = 3;

/// So many characters between quotation marks are a copy; fewer are a name or a message.
const QUOTE_CHARS_MIN: usize = 200;

/// So far behind its `[` a placeholder is closed.
const PLACEHOLDER_CHARS_MAX: usize = 40;

/// Raw data in a text.
pub(super) struct Copy<'t> {
    /// The words that show it.
    pub(super) words: &'t str,
    /// What it is.
    pub(super) what: &'static str,
}

/// Finds the first sign of raw data.
pub(super) fn find(text: &str) -> Option<Copy<'_>> {
    let fence = text.find("```").map(|at| Copy { words: &text[at..at + 3], what: "a code block" });
    fence
        .or_else(|| announced(text))
        .or_else(|| lines(text, is_code, "lines of code"))
        .or_else(|| lines(text, |line| line.starts_with("> "), "quoted lines"))
        .or_else(|| long_quote(text))
}

/// Words after which code follows, where a mark stands behind them.
const ANNOUNCED: [&str; 2] = ["following code", "code suivant"];

/// Raw data that is announced (`the following code: …`) or stood in for (`[500 lines of code]`).
fn announced(text: &str) -> Option<Copy<'_>> {
    let by_words = ANNOUNCED.iter().find_map(|words| {
        let (at, _) = text.match_indices(words).find(|(at, _)| {
            let is_start = !text[..*at].ends_with(char::is_alphanumeric);
            is_start && text[at + words.len()..].trim_start_matches(' ').starts_with([':', '[', '\n'])
        })?;
        Some(&text[at..at + words.len()])
    });
    let words = by_words.or_else(|| {
        text.match_indices('[').find_map(|(at, _)| {
            let rest = text[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
            let has_number = rest.len() < text[at + 1..].len();
            let is_lines = has_number && [" lines", " lignes"].iter().any(|word| rest.starts_with(word));
            let mut near = rest.char_indices().take(PLACEHOLDER_CHARS_MAX).filter(|_| is_lines);
            let (end, _) = near.find(|(_, c)| *c == ']')?;
            Some(&text[at..text.len() - rest.len() + end + 1])
        })
    })?;
    Some(Copy { words, what: "code where its path would do" })
}

/// Lines of one kind, where there are enough of them.
fn lines<'t>(text: &'t str, is_one: fn(&str) -> bool, what: &'static str) -> Option<Copy<'t>> {
    let mut of_kind = text.lines().map(str::trim).filter(|line| is_one(line));
    let words = of_kind.next()?;
    of_kind.nth(LINES_MIN - 2)?;
    Some(Copy { words, what })
}

/// Words that a line of code starts with, in one language or another.
const KEYWORDS: [&str; 26] = [
    "import ",
    "export ",
    "from ",
    "def ",
    "class ",
    "function ",
    "async ",
    "await ",
    "const ",
    "let ",
    "var ",
    "return ",
    "public ",
    "private ",
    "protected ",
    "static ",
    "fn ",
    "pub ",
    "struct ",
    "enum ",
    "func ",
    "if (",
    "for (",
    "while (",
    "switch (",
    "#include",
];

/// Words that a line of a trace or a difference starts with.
const DUMPS: [&str; 5] = ["@@ -", "diff --git ", "+++ ", "--- a/", "Traceback (most recent call last)"];

fn is_code(line: &str) -> bool {
    let is_bullet = line.starts_with(['-', '*', '•', '–'])
        || line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(". ");
    let is_dump = DUMPS.iter().any(|start| line.starts_with(start));
    if is_dump || line.is_empty() || is_bullet {
        return is_dump;
    }
    let has = |marks: &[&str]| marks.iter().any(|mark| line.contains(mark));
    let is_statement = line.ends_with(';') && (has(&[" = ", "return", "::", "->"]) || has_call(line));
    let is_brace = line.ends_with('{')
        || line.chars().all(|c| matches!(c, '{' | '}' | '(' | ')' | '[' | ']' | ';' | ','));
    let is_keyword = KEYWORDS.iter().any(|word| line.starts_with(word))
        && has(&["=", "(", "{", ";", " import ", " '", " \""]);
    let is_pair = line.starts_with('"') && line.contains("\":");
    let is_frame = (line.starts_with("at ") && line.ends_with(')') && line.contains('('))
        || (line.starts_with("File \"") && line.contains(", line "));
    is_statement || is_brace || is_keyword || is_pair || is_frame
}

/// A name with an opening parenthesis right behind it.
fn has_call(line: &str) -> bool {
    line.match_indices('(').any(|(at, _)| line[..at].ends_with(char::is_alphanumeric))
}

/// Text between quotation marks that is longer than a name or a message.
fn long_quote(text: &str) -> Option<Copy<'_>> {
    [('“', '”'), ('«', '»'), ('"', '"')].into_iter().find_map(|(open, close)| {
        let mut at = 0;
        loop {
            let mark = at + text[at..].find(open)?;
            let start = mark + open.len_utf8();
            // A mark right behind a letter or figure opens nothing, as in 5".
            if open == close && text[..mark].ends_with(char::is_alphanumeric) {
                at = start;
                continue;
            }
            let end = start + text[start..].find(close)?;
            let quote = &text[start..end];
            if quote.chars().nth(QUOTE_CHARS_MIN - 1).is_some() {
                return Some(Copy { words: quote, what: "a long quote" });
            }
            at = end + close.len_utf8();
        }
    })
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
            assert_eq!(find(text).map(|copy| copy.words), Some(words), "{text}");
        }
    }
}
