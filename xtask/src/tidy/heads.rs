//! Every Rust file opens by saying what it is.

use crate::repository::{Complaint, Repository};

fn check(repository: &Repository) -> Vec<Complaint> {
    repository
        .rust()
        .filter(|(_, text)| {
            text.lines()
                .next()
                .and_then(|line| line.strip_prefix("//!"))
                .is_none_or(|head| head.trim().is_empty())
        })
        .map(|(path, _)| Complaint::about(path, "the first line must be a `//!` that says what the file is"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    #[test]
    fn every_rust_file_opens_with_its_head() {
        assert_clean(check);
    }

    #[test]
    fn a_file_without_a_head_is_found() {
        assert_complaints(
            check,
            &[("a.rs", "//! Says it.\n"), ("b.rs", "use x;\n//! Late.\n"), ("c.rs", ""), ("d.rs", "//!\n")],
            &[
                "b.rs:1: the first line must be a `//!` that says what the file is",
                "c.rs:1: the first line must be a `//!` that says what the file is",
                "d.rs:1: the first line must be a `//!` that says what the file is",
            ],
        );
    }
}
