//! Tells raw data in a summary: code, output of programs, records, markup, long quotes.
//!
//! Raw data is known by its form, never by its words: lines of one make, or marks that prose does not have in
//! such numbers. One line of code in backticks is a name, not a copy.

use std::borrow::Cow;

use super::judged;
use super::text::words;

/// So many lines of a kind are a copy; fewer are an example.
const LINES_MIN: usize = 3;

/// So many rows are a table that was copied; fewer are one that was made for the reader.
const ROWS_MIN: usize = 5;

/// So many characters between quotation marks are a copy; fewer are a name or a message.
const QUOTE_CHARS_MIN: usize = 200;

/// So far behind its `[` a placeholder is closed.
const PLACEHOLDER_CHARS_MAX: usize = 40;

/// A run of so many characters without a blank is no word.
const OPAQUE_BYTES_MIN: usize = 160;

/// Raw data in a text.
pub(crate) struct Copy<'t> {
    /// The words that show it.
    pub(crate) words: &'t str,
    /// What it is.
    pub(crate) what: &'static str,
}

/// Finds the first sign of raw data.
pub(crate) fn find(text: &str) -> Option<Copy<'_>> {
    let text = judged(text);
    let marks = Marks::of(text);
    fence(text, marks)
        .or_else(|| announced(text, marks))
        .or_else(|| in_lines(text, marks))
        .or_else(|| in_line(text, marks))
        .or_else(|| long_quote(text, marks))
        .or_else(|| opaque(text))
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

fn fence(text: &str, marks: Marks) -> Option<Copy<'_>> {
    let is_possible = marks.has(Marks::FENCE);
    let at = is_possible.then(|| text.find("```").or_else(|| text.find("~~~"))).flatten()?;
    Some(Copy { words: &text[at..at + 3], what: "a code block" })
}

/// Words after which code follows, where a mark stands behind them.
const ANNOUNCED: [&str; 4] = ["following code", "code suivant", "code below", "code ci-dessous"];

/// Raw data that is announced (`the following code: …`) or stood in for (`[500 lines of code]`).
fn announced(text: &str, marks: Marks) -> Option<Copy<'_>> {
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
    Some(Copy { words, what: "code where its path would do" })
}

/// A kind of lines: what one is, how many are a copy, and what that is.
type LineKind = (fn(&str) -> bool, usize, &'static str);

/// Kinds of lines that raw data is made of.
const KINDS: [LineKind; 6] = [
    (is_code_or_output, LINES_MIN, "code or output of a program"),
    (is_change, LINES_MIN, "a list of differences"),
    (is_setting, LINES_MIN, "a file of settings"),
    (is_record, LINES_MIN, "records"),
    (is_row, ROWS_MIN, "rows of a table"),
    (is_quoted, LINES_MIN, "quoted lines"),
];

/// Lines of one kind, where there are enough of them.
fn in_lines(text: &str, marks: Marks) -> Option<Copy<'_>> {
    if !marks.has(Marks::LINE) {
        return None;
    }
    KINDS.iter().find_map(|(is_one, lines_min, what)| {
        let mut of_kind = text.lines().filter(|line| is_one(line));
        let words = of_kind.next()?.trim();
        of_kind.nth(lines_min - 2)?;
        Some(Copy { words, what })
    })
}

/// A line that was added or changed; a list of prose has one kind of bullet, and seldom these.
fn is_change(line: &str) -> bool {
    line.starts_with(['+', '~']) && !line.contains(". ") && line.contains(['_', '=', '(', '{', '.'])
}

fn is_code_or_output(line: &str) -> bool {
    let line = line.trim();
    is_code(line) || is_output(line) || is_header(line) || is_machine_made(line)
}

/// Words that a line of code starts with, in one language or another.
const KEYWORDS: [&str; 34] = [
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
    "foreach (",
    "#include",
    "use ",
    "package ",
    "interface ",
    "type ",
    "elif ",
    "except ",
    "#!/",
];

/// Words that a line of a difference starts with.
const DIFFERENCES: [&str; 6] = ["@@ -", "diff --git ", "+++ ", "--- a/", "index ", "Binary files "];

fn is_code(line: &str) -> bool {
    let is_bullet = line.starts_with(['-', '*', '•', '–'])
        || line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(". ");
    let is_difference = DIFFERENCES.iter().any(|start| line.starts_with(start));
    if is_difference || line.is_empty() || is_bullet {
        return is_difference;
    }
    let has = |marks: &[&str]| marks.iter().any(|mark| line.contains(mark));
    let is_statement =
        line.ends_with(';') && (has(&[" = ", "return", "::", "->", "+=", "="]) || has_call(line));
    let is_brace = line.ends_with('{')
        || line.chars().all(|c| matches!(c, '{' | '}' | '(' | ')' | '[' | ']' | ';' | ','));
    let is_keyword = KEYWORDS.iter().any(|word| line.starts_with(word))
        && (has(&["=", "(", "{", ";", " import ", " '", " \"", " + "]) || line.ends_with(':'));
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '[' | ']');
    let left = line.split_once(" = ").or_else(|| line.split_once(" += ")).map_or("", |(left, _)| left);
    let is_assignment = !left.is_empty() && left.chars().all(name);
    let is_pair = line.starts_with('"') && line.contains("\":");
    let is_markup = line.starts_with('<') && line.ends_with('>') && line.len() > 2;
    is_statement || is_assignment || is_brace || is_keyword || is_pair || is_markup
}

/// A name with an opening parenthesis right behind it.
fn has_call(line: &str) -> bool {
    line.match_indices('(').any(|(at, _)| line[..at].ends_with(char::is_alphanumeric))
}

/// Words that a line of output starts with.
const OUTPUT: [&str; 44] = [
    "HTTP/",
    "FAIL:",
    "FAILED (",
    "Ran ",
    "OK (",
    "Test Files ",
    "--> ",
    "| ",
    "Stack trace:",
    "stack backtrace:",
    "thread '",
    "goroutine ",
    "panic: ",
    "exit status ",
    "exit code ",
    "PHP Fatal",
    "PHP Warning",
    "On branch ",
    "Changes not staged",
    "modified: ",
    "new file: ",
    "deleted: ",
    "$ ",
    "% ",
    "# ./",
    ">>> ",
    "npm ERR!",
    "npm WARN",
    "Traceback (",
    "Caused by:",
    "Exception in",
    "error[",
    "error:",
    "warning:",
    "✓ ",
    "✔ ",
    "✗ ",
    "✘ ",
    "PASS ",
    "FAIL ",
    "ok ",
    "--- FAIL",
    "=== RUN",
    "   Compiling",
];

/// Words of a log.
const LEVELS: [&str; 8] = ["INFO", "WARN", "ERROR", "DEBUG", "TRACE", "FATAL", "NOTICE", "WARNING"];

/// Logs, traces, listings, transcripts of a shell.
fn is_output(line: &str) -> bool {
    let is_frame = (line.starts_with("at ") && line.ends_with(')') && line.contains('('))
        || (line.starts_with("File \"") && line.contains(", line "));
    let head = &line[..line.floor_char_boundary(40)];
    let has_clock = head.as_bytes().windows(8).any(|clock| {
        let is_digit = |at: usize| clock[at].is_ascii_digit();
        clock[2] == b':' && clock[5] == b':' && [0, 1, 3, 4, 6, 7].into_iter().all(is_digit)
    });
    let has_level = head.split(|c: char| !c.is_ascii_alphabetic()).any(|word| LEVELS.contains(&word));
    let is_log = has_clock || (has_level && head.starts_with(['[', '2', 'I', 'W', 'E', 'D']));
    let is_mode = |byte: &u8| matches!(byte, b'r' | b'w' | b'x' | b'-' | b's' | b't');
    let is_listing =
        line.len() > 20 && line.starts_with(['-', 'd', 'l']) && line.as_bytes()[1..10].iter().all(is_mode);
    let name = line.split(':').next().unwrap_or_default();
    let is_fault = name.len() < line.len()
        && !name.contains(' ')
        && ["Error", "Exception", "Warning"].iter().any(|end| name.ends_with(end) && name.len() > end.len());
    let is_told = is_fault || OUTPUT.iter().any(|start| line.starts_with(start));
    is_frame || is_log || is_listing || is_told
}

/// A header of a message, such as `Content-Type: text/html`.
fn is_header(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, _)| {
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        is_name && name.contains('-') && name.starts_with(|first: char| first.is_ascii_uppercase())
    })
}

/// A line without a small word of any language, and with at least two figures or a call: nobody wrote it.
fn is_machine_made(line: &str) -> bool {
    const WORDS_MAX: usize = 12;
    let is_bullet = line.starts_with(['-', '*', '•', '–', '|', '>'])
        || line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['.', ')']);
    if line.is_empty() || is_bullet || line.contains(['`', ',']) {
        return false;
    }
    let is_place = line.starts_with('#') && line[1..].starts_with(|c: char| c.is_ascii_digit());
    let is_call = line.ends_with("()") && !line.contains(' ');
    let figures =
        line.split_ascii_whitespace().take(WORDS_MAX).filter(|run| run.bytes().any(|b| b.is_ascii_digit()));
    let is_prose = || words(line).take(WORDS_MAX).any(|word| word.is_small());
    is_place || is_call || (figures.count() >= 2 && !line.ends_with(['.', ':']) && !is_prose())
}

/// Values between marks that prose does not have, as in CSV.
fn is_record(line: &str) -> bool {
    let line = line.trim();
    ['\t', ';', ','].into_iter().any(|mark| {
        let mut before = None;
        let mut count = 0;
        // A blank behind the mark is punctuation of prose.
        let is_tight = line.chars().all(|c| {
            let is_loose = before == Some(mark) && c == ' ';
            count += usize::from(c == mark);
            before = Some(c);
            !is_loose
        });
        is_tight && count >= 2 && before != Some(mark)
    })
}

/// A line of a file of settings: `NAME=value`, or a key that is set in.
fn is_setting(line: &str) -> bool {
    let is_name = |name: &str| {
        name.len() > 1 && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
    };
    let is_variable = line.split_once('=').is_some_and(|(name, _)| is_name(name));
    let is_set_in = line.starts_with("  ") || line.starts_with('\t');
    let is_header = line.split_once(": ").is_some_and(|(name, _)| name.contains('-') && is_name(name));
    let is_key = is_header
        || is_set_in
            && line
                .trim()
                .split_once(':')
                .is_some_and(|(name, value)| is_name(name) && (value.is_empty() || value.starts_with(' ')));
    is_variable || is_key
}

fn is_row(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('|') && line.matches('|').count() > 2
}

fn is_quoted(line: &str) -> bool {
    line.trim().starts_with("> ")
}

/// Raw data without line breaks: marks that prose does not have in such numbers.
fn in_line(text: &str, marks: Marks) -> Option<Copy<'_>> {
    const PAIRS_MIN: usize = 3;
    const TAGS_MIN: usize = 2;
    const KEYWORDS_MIN: usize = 3;
    const STATEMENTS_MIN: usize = 4;
    if !marks.has(Marks::CODE) {
        return None;
    }
    let prose = without_names(text, marks);
    let shown = |mark: &str, what| {
        let at = text.find(mark)?;
        let end = text.floor_char_boundary(at + QUOTE_CHARS_MIN / 4);
        Some(Copy { words: &text[at..end.max(at)], what })
    };
    if prose.matches("\":").count() + prose.matches("\" :").count() >= PAIRS_MIN {
        return shown("{", "JSON").or_else(|| shown("\"", "JSON"));
    }
    if prose.matches("</").count() >= TAGS_MIN {
        return shown("<", "markup");
    }
    if let Some(first) = sql(&prose, KEYWORDS_MIN) {
        return shown(first, "SQL");
    }
    let statements = statements(&prose);
    if statements.len() >= STATEMENTS_MIN {
        return shown(statements[0], "code");
    }
    None
}

/// A text without what stands in backticks: that names something, however it is written.
fn without_names(text: &str, marks: Marks) -> Cow<'_, str> {
    if !marks.has(Marks::FENCE) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split('`').step_by(2).collect::<Vec<_>>().join(" "))
}

/// The first keyword of SQL, where there are enough of them.
fn sql(text: &str, min: usize) -> Option<&'static str> {
    const VERBS: [&str; 5] = ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "CREATE TABLE "];
    const CLAUSES: [&str; 8] =
        [" FROM ", " WHERE ", " JOIN ", " VALUES", " SET ", " GROUP BY ", " ORDER BY ", " INTO "];
    let verbs: Vec<&'static str> = VERBS.into_iter().filter(|verb| text.contains(verb)).collect();
    let clauses = CLAUSES.iter().filter(|clause| text.contains(*clause)).count();
    verbs.first().copied().filter(|_| verbs.len() + clauses >= min)
}

/// Marks of statements, each as often as it stands there.
fn statements(text: &str) -> Vec<&'static str> {
    const MARKS: [&str; 29] = [
        "; do ",
        "; done",
        "$(",
        "export ",
        "echo ",
        "):",
        "();",
        ");",
        " += ",
        " == ",
        " != ",
        " => ",
        "->",
        "&&",
        "||",
        "};",
        "{ ",
        " }",
        "def ",
        "function ",
        "return ",
        "const ",
        "import ",
        "print(",
        "console.",
        "= ",
        "self.",
        "this.",
        "::",
    ];
    MARKS.into_iter().flat_map(|mark| text.matches(mark).map(move |_| mark)).collect()
}

/// Text between quotation marks that is longer than a name or a message.
fn long_quote(text: &str, marks: Marks) -> Option<Copy<'_>> {
    if !marks.has(Marks::QUOTE) || text.len() < QUOTE_CHARS_MIN {
        return None;
    }
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

/// A run without blanks that is too long for a word or an address.
fn opaque(text: &str) -> Option<Copy<'_>> {
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
                    return Some(Copy {
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
            assert_eq!(find(text).map(|copy| copy.words), Some(words), "{text}");
        }
    }
}
