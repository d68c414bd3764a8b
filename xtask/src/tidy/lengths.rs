//! A file stays short enough to be read in one sitting.

use crate::repository::{Complaint, Repository};

const LINES_MAX: usize = 1000;

/// A file that may be longer, because it is a table of data, and the reason.
struct Long {
    path: &'static str,
    reason: &'static str,
}

const LONG: &[Long] = &[];

fn check(repository: &Repository) -> Vec<Complaint> {
    check_but(repository, LONG)
}

fn check_but(repository: &Repository, long: &[Long]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in repository.rust() {
        let lines = text.lines().count();
        if lines > LINES_MAX && !long.iter().any(|row| row.path == path) {
            let message = format!("{lines} lines of at most {LINES_MAX}: split it by what it does");
            complaints.push(Complaint::about(path, message));
        }
    }
    for row in long {
        let lines = repository.text(row.path).map_or(0, |text| text.lines().count());
        if lines <= LINES_MAX {
            let message = format!("is not long: take it off the list ({})", row.reason);
            complaints.push(Complaint::about(row.path, message));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    #[test]
    fn no_file_is_too_long() {
        assert_clean(check);
    }

    #[test]
    fn one_line_too_many_is_found() {
        assert_complaints(
            check,
            &[("a.rs", &"\n".repeat(LINES_MAX)), ("b.rs", &"\n".repeat(LINES_MAX + 1))],
            &["b.rs:1: 1001 lines of at most 1000: split it by what it does"],
        );
    }

    #[test]
    fn the_list_of_long_files_holds_long_files_only() {
        let listed = |repository: &Repository| {
            check_but(repository, &[Long { path: "table.rs", reason: "a table of characters" }])
        };
        assert_complaints(listed, &[("table.rs", &"\n".repeat(LINES_MAX + 1))], &[]);
        assert_complaints(
            listed,
            &[("table.rs", "\n")],
            &["table.rs:1: is not long: take it off the list (a table of characters)"],
        );
    }
}
