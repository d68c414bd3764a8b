//! A function stays short enough to be read at once.
//!
//! Cannot: see a function that a macro makes; tests are free, as their tables of cases may be long.

use crate::repository::{Complaint, Repository, line_at, masked, next_word, without_tests, word_offsets};

const LINES_MAX: usize = 80;

/// A folder or file whose functions may be longer for now, and the reason.
struct Long {
    path: &'static str,
    reason: &'static str,
}

const LONG: &[Long] = &[Long {
    path: "crates/baton-engine/src/",
    reason: "reports, records and views of its driver are being cut",
}];

fn check(repository: &Repository) -> Vec<Complaint> {
    check_but(repository, LONG)
}

fn check_but(repository: &Repository, long: &[Long]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut needed = vec![false; long.len()];
    for (path, text) in repository.rust().filter(|(path, _)| path.contains("src/")) {
        let found = in_file(path, &without_tests(&masked(text)));
        match long.iter().position(|row| path.starts_with(row.path)) {
            Some(row) => needed[row] |= !found.is_empty(),
            None => complaints.extend(found),
        }
    }
    for (row, needed) in long.iter().zip(needed) {
        if !needed && repository.rust().any(|(path, _)| path.starts_with(row.path)) {
            let message = format!("has no long function: take it off the list ({})", row.reason);
            complaints.push(Complaint::about(row.path, message));
        }
    }
    complaints
}

fn in_file(path: &str, code: &str) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for offset in word_offsets(code, "fn") {
        let Some((name, _)) = next_word(code, offset + "fn".len()) else { continue };
        let Some(end) = body_end(code, offset) else { continue };
        let lines = code[offset..end].matches('\n').count() + 1;
        if lines > LINES_MAX {
            let message =
                format!("`{name}` has {lines} lines of at most {LINES_MAX}: split it by what it does");
            complaints.push(Complaint::at(path, line_at(code, offset), message));
        }
    }
    complaints
}

/// The end of the body of the function at `start`; nothing for one that is only declared.
fn body_end(code: &str, start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' => depth = depth.checked_sub(1)?,
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    #[test]
    fn no_function_is_too_long() {
        assert_clean(check);
    }

    #[test]
    fn one_line_too_many_is_found() {
        let function = |lines: usize| format!("x();\nfn f(a: [u8; 2]) -> T {{{}}}\n", "\n".repeat(lines - 1));
        let test = format!("#[cfg(test)]\nmod tests {{ {} }}\ntrait T {{ fn g(); }}", function(200));
        let planted = [("src/a.rs", &*function(80)), ("src/b.rs", &*function(81)), ("src/c.rs", &*test)];
        assert_complaints(
            check,
            &planted,
            &["src/b.rs:2: `f` has 81 lines of at most 80: split it by what it does"],
        );
    }

    #[test]
    fn the_list_of_long_functions_holds_long_functions_only() {
        let listed = |repository: &Repository| {
            let row = |path| Long { path, reason: "later" };
            check_but(repository, &[row("src/old/"), row("src/new/"), row("src/gone/")])
        };
        let long = format!("fn f() {{{}}}", "\n".repeat(90));
        assert_complaints(
            listed,
            &[("src/old/a.rs", &*long), ("src/new/a.rs", "fn g() {}")],
            &["src/new/:1: has no long function: take it off the list (later)"],
        );
    }
}
