//! Raw data without line breaks, told by marks that prose does not have in such numbers.

use std::borrow::Cow;

use super::{Copy, Marks, QUOTE_CHARS_MIN};

/// Raw data without line breaks: marks that prose does not have in such numbers.
pub(super) fn find(text: &str, marks: Marks) -> Option<Copy<'_>> {
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

/// How many tags with attributes there are, or tags beside one that ends something.
fn tags(text: &str) -> usize {
    if !text.contains("=\"") && !text.contains("</") && !text.contains("/>") {
        return 0;
    }
    let is_tag = |at: usize| text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    text.match_indices('<').filter(|(at, _)| is_tag(*at)).count()
}

/// Whether braces hold several names with values, as objects of programs do.
fn is_object(text: &str) -> bool {
    const PAIRS_MIN: usize = 3;
    let Some((_, rest)) = text.split_once('{') else { return false };
    let Some((inside, _)) = rest.rsplit_once('}') else { return false };
    inside.matches(": ").count() >= PAIRS_MIN && inside.matches(',').count() + 1 >= PAIRS_MIN
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
        let verbs = VERBS.iter().filter(|verb| text.contains(*verb)).count();
        let upper = if verb.contains("TABLE") { clauses(&text.to_uppercase()) } else { clauses(text) };
        return (verbs + upper >= min).then_some(verb);
    }
    let verb = first(SMALL)?;
    let is_sql = SIGNS.iter().any(|sign| text.contains(sign)) && clauses(&text.to_uppercase()) + 1 >= min;
    is_sql.then_some(verb)
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
