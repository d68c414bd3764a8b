//! Raw data that is told by its lines: several of one make, or a few that no one writes by hand.

use super::super::text::words;
use super::{Excerpt, Marks, QUOTED, TALK, alike};

/// So many lines of a kind are a copy; fewer are an example.
const LINES_MIN: usize = 3;

/// So many rows are a table that was copied; fewer are one that was made for the reader.
const ROWS_MIN: usize = 5;

/// So many short lines without a stop or a bullet are output; prose in lines has one or the other.
const FRAGMENTS_MIN: usize = 6;

/// A kind of lines: how much one line of it weighs, how much is a copy, and what that is.
type LineKind = (fn(&str) -> usize, usize, &'static str);

/// Kinds of lines that raw data is made of.
const KINDS: [LineKind; 7] = [
    (weight, LINES_MIN, "code or output of a program"),
    (|line| is_change(line).into(), LINES_MIN, "a list of differences"),
    (|line| is_setting(line).into(), LINES_MIN, "a file of settings"),
    (|line| is_record(line).into(), LINES_MIN, "records"),
    (|line| is_row(line).into(), ROWS_MIN, "rows of a table"),
    (|line| is_quoted(line).into(), LINES_MIN, QUOTED),
    (message, LINES_MIN, TALK),
];

/// Lines of one kind, where there are enough of them.
pub(super) fn find(text: &str, marks: Marks) -> Option<Excerpt<'_>> {
    if !marks.has(Marks::LINE) {
        return None;
    }
    let of_kind = KINDS.iter().find_map(|(weigh, min, what)| {
        let mut weights = text.lines().map(|line| (line, weigh(line))).filter(|(_, weight)| *weight > 0);
        let (first, mut sum) = weights.next()?;
        let is_copy = sum >= *min
            || weights.any(|(_, weight)| {
                sum += weight;
                sum >= *min
            });
        is_copy.then_some(Excerpt { words: first.trim(), what })
    });
    of_kind.or_else(|| repeated(text)).or_else(|| fragments(text)).or_else(|| alike::find(text))
}

/// Lines that start with the same mark of a program, such as `E/Runtime(41):`.
fn repeated(text: &str) -> Option<Excerpt<'_>> {
    let mut count = 1;
    let mut before = "";
    text.lines().find_map(|line| {
        let first = line.split_ascii_whitespace().next().unwrap_or_default();
        let is_mark = first.len() > 2
            && first.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[')
            && first.contains(['/', '(', '[', '=', '<', '@', '\'']);
        count = if is_mark && first == before { count + 1 } else { 1 };
        before = first;
        (count == LINES_MIN).then_some(Excerpt { words: first, what: "output of a program" })
    })
}

/// Many short lines that start small and end without a stop, with figures among them.
fn fragments(text: &str) -> Option<Excerpt<'_>> {
    const WORDS_MAX: usize = 8;
    let is_fragment = |line: &str| {
        let line = line.trim();
        line.starts_with(char::is_lowercase)
            && !line.ends_with(['.', ',', ';', ':', '!', '?'])
            && line.split_ascii_whitespace().count() <= WORDS_MAX
    };
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let has_value = text.contains('=');
    let first = lines.clone().next()?;
    let is_all = has_value && lines.clone().nth(FRAGMENTS_MIN - 1).is_some() && lines.all(is_fragment);
    is_all.then_some(Excerpt { words: first.trim(), what: "output of a program" })
}

/// Weight of a line for code or output: a line of weight two is never written by hand.
fn weight(line: &str) -> usize {
    let is_set_in = line.starts_with([' ', '\t']);
    let line = line.trim();
    if is_frame(line)
        || is_columns(line)
        || is_rule(line)
        || is_dump(line)
        || is_verdict(line)
        || is_log(line)
        || is_head_of_change(line)
    {
        return 2;
    }
    // `name@1.2.3` is how packages are listed.
    let is_package = line.split_ascii_whitespace().any(|run| {
        run.split_once('@').is_some_and(|(_, version)| version.starts_with(|c: char| c.is_ascii_digit()))
    });
    if is_package
        && line.split_ascii_whitespace().count() > 2
        && !line.ends_with('.')
        && !line.starts_with('-')
    {
        return 2;
    }
    usize::from(
        is_code_or_output(line)
            || is_query(line)
            || is_command(line)
            || is_dense(line)
            || is_branch(line)
            || is_set_in && line.starts_with('/'),
    )
}

/// A line of a drawn tree, such as `├── index.ts` or `|-- index.ts`.
fn is_branch(line: &str) -> bool {
    line.starts_with(['├', '└', '│', '┣', '┗', '┃'])
        || ["|-- ", "`-- ", "+-- ", "|   "].iter().any(|start| line.starts_with(start))
}

/// Checks for a line that only tools write above a change.
fn is_head_of_change(line: &str) -> bool {
    ["@@ -", "diff --git "].iter().any(|start| line.starts_with(start))
}

/// A line of a query, whose large words stand first.
fn is_query(line: &str) -> bool {
    const STARTS: [&str; 18] = [
        "SELECT ",
        "FROM ",
        "WHERE ",
        "AND ",
        "OR ",
        "ON ",
        "ORDER BY ",
        "GROUP BY ",
        "HAVING ",
        "LIMIT ",
        "JOIN ",
        "LEFT JOIN ",
        "INNER JOIN ",
        "INSERT INTO ",
        "UPDATE ",
        "SET ",
        "VALUES ",
        "DELETE FROM ",
    ];
    STARTS.iter().any(|start| line.starts_with(start)) && !line.ends_with('.')
}

/// A place in a program, as a trace has it: `at f (a.js:1:2)`, `from a.rb:3:in`, `0: core::panic`.
fn is_frame(line: &str) -> bool {
    const WORDS_MAX: usize = 6;
    let is_place = |run: &str| {
        let run = run.trim_end_matches([')', ',']);
        run.rsplit_once(':')
            .is_some_and(|(name, at)| name.contains('.') && at.starts_with(|c: char| c.is_ascii_digit()))
    };
    let behind = ["at ", "à ", "from ", "in "].iter().find_map(|word| line.strip_prefix(word));
    let is_behind = behind.is_some_and(|rest| {
        let is_call =
            rest.contains('(') && (rest.ends_with(')') || rest.contains(") in ") || rest.contains(") dans "));
        let is_short = || rest.split_ascii_whitespace().take(WORDS_MAX).count() < WORDS_MAX;
        is_call && !rest.contains(", ")
            || is_short() && rest.split_ascii_whitespace().any(is_place) && !rest.contains(" to ")
    });
    let numbered = line.split_once(": ").filter(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()));
    let is_numbered = numbered.is_some_and(|(number, name)| {
        !number.is_empty()
            && !name.contains(' ')
            && (name.contains("::") || name.contains('_') || name.contains('.'))
    });
    let is_file = line.starts_with("File \"") && line.contains(", line ");
    is_behind || is_numbered || is_file || line.contains(":in `") || line.contains(" +0x")
}

/// Cells that blanks keep in columns, as listings have them.
fn is_columns(line: &str) -> bool {
    const CELLS_MIN: usize = 3;
    if !line.contains("  ") && !line.contains('\t') || line.starts_with(['-', '*', '•', '–', '|', '>']) {
        return false;
    }
    let cells = line.split("  ").flat_map(|part| part.split('\t')).filter(|cell| !cell.trim().is_empty());
    !line.contains(". ") && cells.take(CELLS_MIN).count() == CELLS_MIN
}

/// A line drawn between the head and the rows of a table: `----+-----`.
fn is_rule(line: &str) -> bool {
    line.len() > 3 && line.contains('+') && line.bytes().all(|b| matches!(b, b'-' | b'+' | b'=' | b'|'))
}

/// Bytes in figures, or the head of a commit.
fn is_dump(line: &str) -> bool {
    const BYTES_MIN: usize = 6;
    let is_hex = |run: &str| !run.is_empty() && run.bytes().all(|b| b.is_ascii_hexdigit());
    let mut runs = line.split_ascii_whitespace();
    let first = runs.next().unwrap_or_default().trim_end_matches(':');
    let bytes = runs.clone().take_while(|run| matches!(run.len(), 2 | 4) && is_hex(run)).count();
    let is_commit = first == "commit" && runs.next().is_some_and(|id| id.len() >= 7 && is_hex(id));
    is_commit || is_hex(first) && first.len() >= 4 && bytes >= BYTES_MIN
}

/// A name that starts a line and a verdict that ends it, as runners of tests write them.
fn is_verdict(line: &str) -> bool {
    let verdict =
        line.trim_end_matches(|c: char| c == ']' || c == '%' || c == '[' || c == ' ' || c.is_ascii_digit());
    let is_run =
        verdict.ends_with(" PASSED") || verdict.ends_with(" FAILED") || verdict.ends_with(" SKIPPED");
    is_run && verdict.contains("::") || line.contains(" ... ok") || line.contains(" ... FAILED")
}

/// A line of a log: a clock in its head, or what servers write of a request.
fn is_log(line: &str) -> bool {
    let is_request = line.contains(" - - [") && line.contains("] \"");
    is_request || is_clocked(line) && line.starts_with(|c: char| c.is_ascii_digit() || c == '[')
}

/// A command with an option, or one of a loop in a shell.
fn is_command(line: &str) -> bool {
    const WORDS_MAX: usize = 14;
    if line.starts_with(['-', '*', '•', '–', '>']) || line.contains(['`', '.']) && line.ends_with(['.', ':'])
    {
        return false;
    }
    let mut runs = line.split_ascii_whitespace().take(WORDS_MAX);
    let is_name = runs.next().is_some_and(|first| {
        first
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.' | b'/'))
    });
    let is_option = |run: &str| {
        let name = run.trim_start_matches('-');
        name.len() < run.len() && name.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    let is_loop = line.ends_with("; do")
        || line.ends_with("; then")
        || matches!(line, "done" | "fi" | "esac" | "end" | "else");
    let has_option = is_name && runs.any(is_option);
    is_loop || has_option && !words(line).take(WORDS_MAX).any(|word| word.is_small())
}

/// A line with more marks of code than prose has.
fn is_dense(line: &str) -> bool {
    const MARKS_MIN: usize = 4;
    const BYTES_PER_MARK: usize = 9;
    if line.starts_with(['-', '*', '•', '–', '>']) || line.contains('`') {
        return false;
    }
    let marks = line.bytes().filter(|b| b"{}[]();=<>|&$@\\#\"".contains(b)).count();
    marks >= MARKS_MIN && marks * BYTES_PER_MARK >= line.len() && !line.ends_with('.')
}

/// Weight of a line for a letter or a talk: its head or a turn, or the words that end a letter.
fn message(line: &str) -> usize {
    const HEADS: [&str; 19] = [
        "Madame,",
        "Monsieur,",
        "From: ",
        "To: ",
        "Cc: ",
        "Subject: ",
        "Sent: ",
        "Date: ",
        "De : ",
        "À : ",
        "Objet : ",
        "Envoyé : ",
        "Dear ",
        "Hi ",
        "Hello ",
        "Bonjour",
        "Q: ",
        "A: ",
        "R : ",
    ];
    const ENDS: [&str; 9] = [
        "Best regards",
        "Kind regards",
        "Regards",
        "Cordialement",
        "Bien à vous",
        "Yours ",
        "Sincerely",
        "Je vous prie d'agréer",
        "Veuillez agréer",
    ];
    let line = line.trim();
    let is_turn = line.strip_prefix('[').is_some_and(|rest| {
        rest.split_once("] ")
            .is_some_and(|(clock, said)| clock.contains(':') && clock.len() <= 8 && said.contains(": "))
    });
    let starts_with_any = |starts: &[&str]| starts.iter().any(|start| line.starts_with(start));
    if starts_with_any(&ENDS) {
        return 2;
    }
    usize::from(is_turn || starts_with_any(&HEADS))
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
const KEYWORDS: [&str; 62] = [
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
    "val ",
    "fun ",
    "guard ",
    "local ",
    "my $",
    "impl ",
    "match ",
    "mod ",
    "trait ",
    "namespace ",
    "using ",
    "module ",
    "typedef ",
    "@",
    "<?",
    "print(",
    "puts ",
    "throw ",
    "raise ",
    "SELECT ",
    "FROM ",
    "WHERE ",
    "JOIN ",
    "GROUP BY ",
    "ORDER BY ",
    "INSERT INTO ",
    "VALUES ",
    "UPDATE ",
];

/// Words that start a line of code which opens a block; prose starts with them too.
const BLOCKS: [&str; 7] = ["for ", "while ", "with ", "if ", "else ", "elsif ", "case "];

/// Words that start a line of a recipe for an image.
const RECIPE: [&str; 10] =
    ["FROM ", "RUN ", "COPY ", "CMD ", "WORKDIR ", "ENV ", "EXPOSE ", "ENTRYPOINT ", "ARG ", "ADD "];

/// Words that a line of a difference starts with.
const DIFFERENCES: [&str; 6] = ["@@ -", "diff --git ", "+++ ", "--- a/", "index ", "Binary files "];

fn is_code(line: &str) -> bool {
    let is_bullet = line.starts_with(['-', '*', '•', '–'])
        || line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(". ");
    // `\section{…}` and the like.
    if line.strip_prefix('\\').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic())) {
        return true;
    }
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
    let is_recipe = RECIPE.iter().any(|word| line.starts_with(word)) && !line.ends_with('.');
    let is_block = line.ends_with([':', '{']) && BLOCKS.iter().any(|word| line.starts_with(word));
    is_recipe || is_block || is_statement || is_assignment || is_brace || is_keyword || is_pair || is_markup
}

/// A name with an opening parenthesis right behind it.
fn has_call(line: &str) -> bool {
    line.match_indices('(').any(|(at, _)| line[..at].ends_with(char::is_alphanumeric))
}

/// Words that a line of output starts with.
const OUTPUT: [&str; 80] = [
    "avertissement :",
    "avertissement:",
    "erreur :",
    "erreur:",
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
    "Compiling ",
    "npm warn",
    "npm error",
    "npm notice",
    "Collecting ",
    "Downloading ",
    "Installing collected",
    "Successfully ",
    "Requirement already",
    "Cloning into",
    "remote: ",
    "Receiving objects",
    "Unpacking ",
    "Setting up ",
    "running ",
    "test result:",
    "Untracked files",
    "Your branch",
    "Sur la branche",
    "Modifications ",
    "Fichiers non suivis",
    "modifié :",
    "nouveau fichier :",
    "supprimé :",
    "< ",
    "fatal:",
    "hint:",
    "Aborting",
    "✕ ",
    "× ",
    "Tests: ",
    "Test Suites:",
    "Snapshots:",
];

/// Words of a log.
const LEVELS: [&str; 8] = ["INFO", "WARN", "ERROR", "DEBUG", "TRACE", "FATAL", "NOTICE", "WARNING"];

/// Checks whether a clock stands in the head of a line.
fn is_clocked(line: &str) -> bool {
    let head = &line[..line.floor_char_boundary(40)];
    head.as_bytes().windows(8).any(|clock| {
        let is_digit = |at: usize| clock[at].is_ascii_digit();
        clock[2] == b':' && clock[5] == b':' && [0, 1, 3, 4, 6, 7].into_iter().all(is_digit)
    })
}

/// Logs, listings, transcripts of a shell.
fn is_output(line: &str) -> bool {
    let head = &line[..line.floor_char_boundary(40)];
    let has_level = head.split(|c: char| !c.is_ascii_alphabetic()).any(|word| LEVELS.contains(&word));
    let is_log = is_clocked(line) || (has_level && head.starts_with(['[', '2', 'I', 'W', 'E', 'D']));
    let is_mode = |byte: &u8| matches!(byte, b'r' | b'w' | b'x' | b'-' | b's' | b't');
    let is_listing =
        line.len() > 20 && line.starts_with(['-', 'd', 'l']) && line.as_bytes()[1..10].iter().all(is_mode);
    let name = line.split(':').next().unwrap_or_default();
    let is_fault = name.len() < line.len()
        && !name.contains(' ')
        && ["Error", "Exception", "Warning"].iter().any(|end| name.ends_with(end) && name.len() > end.len());
    let is_told = is_fault || OUTPUT.iter().any(|start| line.starts_with(start));
    let is_author = line.contains(" <") && line.contains('@') && line.ends_with('>');
    let is_hash = line.split_once(' ').is_some_and(|(id, rest)| {
        let is_hex =
            (7..=40).contains(&id.len()) && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        is_hex && id.bytes().any(|b| b.is_ascii_digit()) && !rest.is_empty()
    });
    is_log || is_listing || is_told || is_author || is_hash
}

/// A header of a message, such as `Content-Type: text/html`.
fn is_header(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, _)| {
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        is_name && name.contains('-') && name.starts_with(|first: char| first.is_ascii_uppercase())
    })
}

/// A line without a small word of any language, and with at least two figures or a call: no one wrote it.
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
        // What ends with a mark is a list of prose, unless cells are empty.
        is_tight && count >= 2 && (before != Some(mark) || count > 3)
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
    line.trim_start().starts_with('|') && line.matches('|').count() > 2
}

fn is_quoted(line: &str) -> bool {
    line.trim().starts_with("> ")
}
