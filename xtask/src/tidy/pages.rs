//! A rule and its page lie side by side, and both are named by their path.

use crate::repository::{Complaint, Repository, masked, next_word, word_offsets};

const RULES: &str = "crates/baton-document/src/rules/";

fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in repository.texts() {
        let Some(inside) = path.strip_prefix(RULES).filter(|inside| inside.contains('/')) else {
            continue;
        };
        if let Some(stem) = path.strip_suffix(".rs")
            && !inside.ends_with("/mod.rs")
            && declares_rule(text)
        {
            if !repository.exists(&format!("{stem}.md")) {
                complaints.push(Complaint::about(path, format!("the rule has no page {stem}.md")));
            }
            let id = id_of(inside);
            if !text.contains(&format!("id: \"{id}\"")) {
                complaints.push(Complaint::about(path, format!("a rule's id is its path: {id}")));
            }
        }
        if let Some(stem) = path.strip_suffix(".md") {
            if !repository.text(&format!("{stem}.rs")).is_some_and(declares_rule) {
                complaints.push(Complaint::about(path, format!("the page has no RULE in {stem}.rs")));
            }
            let title = format!("# {}", id_of(inside));
            if text.lines().next() != Some(&title) {
                complaints.push(Complaint::about(path, format!("a page starts with its rule: {title}")));
            }
        }
    }
    complaints
}

/// The id of the rule whose file has this path inside the folder of all rules.
fn id_of(inside: &str) -> String {
    inside.rsplit_once('.').map_or(inside, |(stem, _)| stem).replace('_', "-")
}

/// Tells whether the file declares a `RULE`, as a constant or a static.
fn declares_rule(text: &str) -> bool {
    let code = masked(text);
    ["const", "static"].into_iter().any(|kind| {
        word_offsets(&code, kind)
            .any(|at| next_word(&code, at + kind.len()).is_some_and(|(word, _)| word == "RULE"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    #[test]
    fn every_rule_has_its_page_and_every_page_its_rule() {
        assert_clean(check);
    }

    #[test]
    fn a_rule_or_a_page_alone_is_found() {
        let rule = |id: &str| format!("pub(crate) static RULE: Rule = Rule {{ id: \"{id}\" }};");
        assert_complaints(
            check,
            &[
                ("crates/baton-document/src/rules/mod.rs", &rule("x")),
                ("crates/baton-document/src/rules/manifest/mod.rs", &rule("x")),
                ("crates/baton-document/src/rules/manifest/words.rs", "// static RULE\nuse super::RULE;"),
                ("crates/baton-document/src/rules/manifest/both_two.rs", &rule("manifest/both-two")),
                ("crates/baton-document/src/rules/manifest/both_two.md", "# manifest/both-two\n"),
                ("crates/baton-document/src/rules/manifest/moved.rs", &rule("envelope/moved")),
                ("crates/baton-document/src/rules/manifest/moved.md", "# envelope/moved\n"),
                ("crates/baton-document/src/rules/manifest/silent.rs", &rule("manifest/silent")),
                ("crates/baton-document/src/rules/manifest/empty.md", "# manifest/empty\n"),
            ],
            &[
                "crates/baton-document/src/rules/manifest/empty.md:1: the page has no RULE in \
                 crates/baton-document/src/rules/manifest/empty.rs",
                "crates/baton-document/src/rules/manifest/moved.md:1: a page starts with its rule: # manifest/moved",
                "crates/baton-document/src/rules/manifest/moved.rs:1: a rule's id is its path: manifest/moved",
                "crates/baton-document/src/rules/manifest/silent.rs:1: the rule has no page \
                 crates/baton-document/src/rules/manifest/silent.md",
            ],
        );
    }
}
