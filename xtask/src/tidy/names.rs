//! A module is named for what it is, never for being left over.

use crate::repository::{Complaint, Repository, line_at, masked, next_word, word_offsets};

const EMPTY_NAMES: &[&str] =
    &["common", "core", "helper", "helpers", "misc", "types", "util", "utilities", "utils"];

fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in repository.rust() {
        let parts = path.strip_suffix(".rs").unwrap_or(path).split('/');
        for name in parts.filter(|part| EMPTY_NAMES.contains(part)) {
            complaints.push(Complaint::about(path, format!("`{name}` says nothing: name what it holds")));
        }
        let code = masked(text);
        for offset in word_offsets(&code, "mod") {
            let Some((name, end)) = next_word(&code, offset + "mod".len()) else {
                continue;
            };
            if EMPTY_NAMES.contains(&name) && code[end..].trim_start().starts_with('{') {
                let message = format!("`mod {name}` says nothing: name what it holds");
                complaints.push(Complaint::at(path, line_at(&code, offset), message));
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
    fn every_module_is_named_for_what_it_is() {
        assert_clean(check);
    }

    #[test]
    fn a_left_over_module_is_found_as_file_folder_or_inline() {
        assert_complaints(
            check,
            &[
                ("crates/x/src/utils.rs", ""),
                ("crates/x/tests/common/mod.rs", ""),
                ("crates/x/src/span.rs", "mod tests {}\nmod helpers {}\n"),
                ("crates/x/src/core_words.rs", ""),
            ],
            &[
                "crates/x/src/span.rs:2: `mod helpers` says nothing: name what it holds",
                "crates/x/src/utils.rs:1: `utils` says nothing: name what it holds",
                "crates/x/tests/common/mod.rs:1: `common` says nothing: name what it holds",
            ],
        );
    }
}
