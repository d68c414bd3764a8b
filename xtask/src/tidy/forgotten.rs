//! Every Rust file of a crate is compiled: some `mod` names it.

use crate::repository::{Complaint, Crate, Repository, reached};

fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for package in Crate::all(repository) {
        let reached = reached(repository, &package);
        for (path, _) in repository.rust() {
            let inside = path.strip_prefix(&package.directory).is_some_and(|rest| rest.starts_with('/'));
            if inside && !reached.contains_key(path) {
                complaints.push(Complaint::about(path, "is forgotten: no `mod` names it"));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    #[test]
    fn no_file_is_forgotten() {
        assert_clean(check);
    }

    #[test]
    fn a_file_that_nothing_names_is_found() {
        assert_complaints(
            check,
            &[
                ("crates/x/Cargo.toml", "[package]\nname = \"x\""),
                ("crates/x/src/lib.rs", "mod kept;"),
                ("crates/x/src/kept.rs", ""),
                ("crates/x/src/lost.rs", ""),
                ("crates/x/tests/it/main.rs", ""),
                ("crates/x/tests/it/lost.rs", ""),
            ],
            &[
                "crates/x/src/lost.rs:1: is forgotten: no `mod` names it",
                "crates/x/tests/it/lost.rs:1: is forgotten: no `mod` names it",
            ],
        );
    }
}
