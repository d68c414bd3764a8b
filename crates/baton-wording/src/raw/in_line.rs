//! Raw data without line breaks, told by marks that prose does not have in such numbers.

use std::borrow::Cow;

use super::{Excerpt, Marks, QUOTE_CHARS_MIN};

/// So many pairs of braces are looked into.
const OBJECTS_MAX: usize = 20;

/// An object that is a smaller part of a text than one in so many is named by it.
const OBJECT_SHARE: usize = 5;

/// So far behind its verb a statement of SQL is looked at.
const SQL_BYTES_MAX: usize = 200;

/// So many marks of statements are code,
const STATEMENTS_MIN: usize = 4;

/// where they stand in so many bytes: a long text about code has as many, far from each other.
const STATEMENTS_BYTES_MAX: usize = 240;

/// Raw data without line breaks: marks that prose does not have in such numbers.
pub(super) fn find(text: &str, marks: Marks) -> Option<Excerpt<'_>> {
    const PAIRS_MIN: usize = 3;
    const TAGS_MIN: usize = 2;
    const KEYWORDS_MIN: usize = 3;
    if !marks.has(Marks::CODE) {
        return None;
    }
    let prose = without_names(text, marks);
    let shown = |mark: &str, what| {
        let at = text.find(mark)?;
        let end = text.floor_char_boundary(at + QUOTE_CHARS_MIN / 4);
        Some(Excerpt { words: &text[at..end.max(at)], what })
    };
    if prose.matches("\":").count() + prose.matches("\" :").count() >= PAIRS_MIN {
        return shown("{", "JSON").or_else(|| shown("\"", "JSON"));
    }
    if prose.matches("</").count() >= TAGS_MIN || tags(&prose) > TAGS_MIN {
        return shown("<", "markup");
    }
    if prose.matches("': ").count() >= PAIRS_MIN || is_object(&prose) {
        return shown("{", "JSON or the like");
    }
    if let Some(first) = values(&prose) {
        return shown(first, "output of a program");
    }
    if let Some(first) = sql(&prose, KEYWORDS_MIN) {
        return shown(first, "SQL");
    }
    statements(&prose).and_then(|first| shown(first, "code"))
}

/// A text without what stands in backticks: that names something, however it is written.
fn without_names(text: &str, marks: Marks) -> Cow<'_, str> {
    if !marks.has(Marks::FENCE) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split('`').step_by(2).collect::<Vec<_>>().join(" "))
}

/// Number of tags with attributes, or of tags beside an end tag.
fn tags(text: &str) -> usize {
    if !text.contains("=\"") && !text.contains("</") && !text.contains("/>") {
        return 0;
    }
    let is_tag = |at: usize| text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    text.match_indices('<').filter(|(at, _)| is_tag(*at)).count()
}

/// Checks whether a pair of braces holds several names with values, as objects of programs do.
fn is_object(text: &str) -> bool {
    const PAIRS_MIN: usize = 3;
    text.match_indices('{').take(OBJECTS_MAX).any(|(at, _)| {
        let mut depth = 0_usize;
        let end = text[at..].bytes().position(|byte| {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let inside = end.map_or("", |end| &text[at..at + end]);
        let pairs = inside.matches(": ").count();
        let is_list = inside.matches(',').count() + 1 >= PAIRS_MIN;
        // A small one in a long text is named, not copied.
        let is_much = inside.len() * OBJECT_SHARE >= text.len() || pairs > 2 * PAIRS_MIN;
        pairs >= PAIRS_MIN && is_list && is_much
    })
}

/// The first of many values with names, as programs log them: `level=info msg=…`.
fn values(text: &str) -> Option<&str> {
    const VALUES_MIN: usize = 5;
    let mut all = text.split_ascii_whitespace().filter(|run| {
        run.split_once('=').is_some_and(|(name, value)| {
            let is_name =
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b));
            is_name && !value.is_empty() && !value.ends_with(',')
        })
    });
    let first = all.next()?;
    all.nth(VALUES_MIN - 2).map(|_| first)
}

/// The first keyword of SQL, where there are enough of them.
fn sql(text: &str, min: usize) -> Option<&'static str> {
    const VERBS: [&str; 6] =
        ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "CREATE TABLE ", "ALTER TABLE "];
    const SMALL: [&str; 6] =
        ["select ", "insert into ", "update ", "delete from ", "create table ", "alter table "];
    const CLAUSES: [&str; 14] = [
        " FROM ",
        " WHERE ",
        " JOIN ",
        " VALUES",
        " SET ",
        " GROUP BY ",
        " ORDER BY ",
        " INTO ",
        " LIMIT ",
        " PRIMARY KEY",
        " NOT NULL",
        " BIGINT",
        " VARCHAR",
        " HAVING ",
    ];
    // What makes SQL of small words: "select one from the list where" is prose.
    const SIGNS: [&str; 9] = [
        " order by ",
        " group by ",
        " join ",
        "* from",
        " is null",
        " not null",
        " primary key",
        " = ",
        "values (",
    ];
    let clauses = |text: &str| CLAUSES.iter().filter(|clause| text.contains(*clause)).count();
    let first = |verbs: [&'static str; 6]| verbs.into_iter().find(|verb| text.contains(verb));
    if let Some(verb) = first(VERBS) {
        let at = text.find(verb).unwrap_or_default();
        let text = &text[at..text.floor_char_boundary(at + SQL_BYTES_MAX)];
        let verbs = VERBS.iter().filter(|verb| text.contains(*verb)).count();
        let upper = if verb.contains("TABLE") { clauses(&text.to_uppercase()) } else { clauses(text) };
        return (verbs + upper >= min).then_some(verb);
    }
    let verb = first(SMALL)?;
    let is_sql = SIGNS.iter().any(|sign| text.contains(sign)) && clauses(&text.to_uppercase()) + 1 >= min;
    is_sql.then_some(verb)
}

/// The first mark of statements where enough of them stand together.
fn statements(text: &str) -> Option<&'static str> {
    const MARKS: [&str; 30] = [
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
        "; }",
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
    let found = |mark: &'static str| text.match_indices(mark).map(move |(at, _)| (at, mark));
    let mut marks: Vec<(usize, &str)> = MARKS.into_iter().flat_map(found).collect();
    marks.retain(|(at, mark)| is_statement(text, *at, mark));
    marks.sort_unstable();
    marks.windows(STATEMENTS_MIN).find_map(|run| {
        let is_near = run[STATEMENTS_MIN - 1].0 - run[0].0 <= STATEMENTS_BYTES_MAX;
        // "Where a == 0 and b == 0", "either { a } or { b }": marks of one kind name a condition or a shape.
        let first = kind(run[0].1);
        let is_mixed = run.iter().any(|(_, mark)| kind(mark) != first);
        (is_near && is_mixed).then_some(run[0].1)
    })
}

/// The kind of a mark: those that compare, and those of braces, stand in prose about code too.
fn kind(mark: &str) -> &str {
    match mark {
        " == " | " != " | "&&" | "||" | "= " => "==",
        "{ " | " }" | "};" => "{",
        other => other,
    }
}

/// Checks whether a mark stands as code has it, and not as prose does: "(see below); then", "feat(api): add", "the export fails".
fn is_statement(text: &str, at: usize, mark: &str) -> bool {
    let before = &text[..at];
    match mark {
        "):" | ");" => before.rfind('(').is_some_and(|open| {
            let head = &text[..open];
            let name = head.trim_end_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
            let is_scope = mark == "):" && (name.is_empty() || name.ends_with('\n'));
            name.len() < head.len() && !is_scope
        }),
        "->" => before.trim_end().ends_with(')'),
        "def " | "const " => !before.ends_with(char::is_alphanumeric),
        "export " | "echo " | "return " | "function " | "import " => {
            let before = before.trim_end_matches(' ');
            before.is_empty() || before.ends_with([';', '{', '}', '(', ')', '>', ':', '=', '$', '\n'])
        }
        _ => true,
    }
}
