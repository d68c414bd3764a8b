//! A rule and its page lie side by side: no rule without its reason, no page without its rule.

use crate::repository::{Complaint, Repository, masked, next_word, word_offsets};

const RULES: &str = "crates/baton-document/src/rules/";

fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in repository.texts() {
        let Some((_, file)) = path.strip_prefix(RULES).and_then(|inside| inside.split_once('/')) else {
            continue;
        };
        if let Some(stem) = path.strip_suffix(".rs")
            && file != "mod.rs"
            && declares_rule(text)
            && !repository.exists(&format!("{stem}.md"))
        {
            complaints.push(Complaint::about(path, format!("the rule has no page {stem}.md")));
        }
        if let Some(stem) = path.strip_suffix(".md")
            && !repository.text(&format!("{stem}.rs")).is_some_and(declares_rule)
        {
            complaints.push(Complaint::about(
                path,
                format!("the page has no RULE in {stem}.rs"),
            ));
        }
    }
    complaints
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
        let rule = "pub(crate) static RULE: Rule = Rule {};";
        assert_complaints(
            check,
            &[
                ("crates/baton-document/src/rules/mod.rs", rule),
                ("crates/baton-document/src/rules/manifest/mod.rs", rule),
                (
                    "crates/baton-document/src/rules/manifest/words.rs",
                    "// static RULE\nuse super::RULE;",
                ),
                ("crates/baton-document/src/rules/manifest/both.rs", rule),
                (
                    "crates/baton-document/src/rules/manifest/both.md",
                    "# manifest/both",
                ),
                ("crates/baton-document/src/rules/manifest/silent.rs", rule),
                (
                    "crates/baton-document/src/rules/manifest/empty.md",
                    "# manifest/empty",
                ),
            ],
            &[
                "crates/baton-document/src/rules/manifest/empty.md:1: the page has no RULE in \
                 crates/baton-document/src/rules/manifest/empty.rs",
                "crates/baton-document/src/rules/manifest/silent.rs:1: the rule has no page \
                 crates/baton-document/src/rules/manifest/silent.md",
            ],
        );
    }
}
