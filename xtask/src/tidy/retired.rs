//! Names say what a thing is in the words of the trade: those that ARCHITECTURE.md's glossary has replaced stay away.

use crate::repository::{Complaint, Repository, line_at, masked, next_word, word_offsets};

/// Words that no public name holds any more, each with what to say instead.
const RETIRED: [(&str, &str); 14] = [
    ("air", "in flight"),
    ("belonging", "provenance"),
    ("leash", "process lock"),
    ("leftovers", "stale temporary files"),
    ("lineage", "ancestry"),
    ("mendable", "rework"),
    ("nobody", "none"),
    ("remark", "comment"),
    ("remarks", "comments"),
    ("shuttle", "relay"),
    ("somebody", "the agent or person"),
    ("tale", "event text"),
    ("whoever", "the agent or person"),
    ("wish", "request"),
];

const DECLARING: [&str; 8] = ["fn", "struct", "enum", "trait", "mod", "const", "static", "type"];

fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in repository.rust().filter(|(path, _)| path.contains("/src/")) {
        let code = masked(text);
        for offset in word_offsets(&code, "pub") {
            let line = code[offset..].lines().next().unwrap_or_default();
            let declared = DECLARING.iter().find_map(|word| {
                let at = word_offsets(line, word).next()?;
                next_word(line, at + word.len()).map(|(name, _)| name)
            });
            let Some(name) = declared else { continue };
            let parts = parts(name);
            for (word, instead) in RETIRED.iter().filter(|(word, _)| parts.iter().any(|part| part == word)) {
                let message = format!("`{name}` says `{word}`: say {instead}");
                complaints.push(Complaint::at(path, line_at(&code, offset), message));
            }
        }
    }
    complaints
}

/// The words of a name, in small letters.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for letter in name.chars() {
        let starts = letter == '_'
            || (letter.is_uppercase()
                && parts.last().is_some_and(|part| !part.ends_with(char::is_uppercase)));
        if starts {
            parts.push(String::new());
        }
        if letter != '_' {
            parts.last_mut().expect("there is one").extend(letter.to_lowercase());
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    #[test]
    fn no_public_name_has_a_retired_word() {
        assert_clean(check);
    }

    #[test]
    fn a_retired_word_is_found_in_any_public_name() {
        assert_complaints(
            check,
            &[(
                "crates/x/src/a.rs",
                "pub struct GateRemarks;\npub(crate) fn tale_of() {}\nfn leash() {}\npub fn repair() {}\n",
            )],
            &[
                "crates/x/src/a.rs:1: `GateRemarks` says `remarks`: say comments",
                "crates/x/src/a.rs:2: `tale_of` says `tale`: say event text",
            ],
        );
    }
}
