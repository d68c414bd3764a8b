//! Every path that a page names exists.
//!
//! In backticks, a word is a path of this repository if it starts with one of [`ROOTS`] and a slash, or is
//! one of [`TOP_FILES`]; `meta/handoff.yaml` is a path of the reader's own project. A link is always ours.
//! A part with a placeholder (`<name>`, `*`, `{a,b}`, `…`) ends the path: what stands before it must exist.

use crate::repository::{Complaint, Repository};

const ROOTS: &[&str] = &[".cargo", ".ci", ".config", "crates", "docs", "examples", "fuzz", "xtask"];

const TOP_FILES: &[&str] = &[
    ".editorconfig",
    ".gitattributes",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "deny.toml",
    "rustfmt.toml",
];

fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (page, text) in repository.texts().filter(|(path, _)| path.ends_with(".md")) {
        for (line, text) in prose_lines(text) {
            let named = words_in_backticks(text).filter_map(path_of_ours).map(ToOwned::to_owned);
            let linked = links(text).filter_map(|target| linked_path(page, target));
            for path in named.chain(linked) {
                if !repository.exists(without_placeholders(&path)) {
                    complaints.push(Complaint::at(page, line, format!("{path} does not exist")));
                }
            }
        }
    }
    complaints
}

/// The lines outside fences, counted from 1.
fn prose_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let start = line.trim_start();
        let ticks = &start[..start.len() - start.trim_start_matches('`').len()];
        match fence {
            Some(open) => {
                if ticks.len() >= open.len() && start.trim_end() == ticks {
                    fence = None;
                }
                None
            }
            None if ticks.len() >= 3 => {
                fence = Some(ticks);
                None
            }
            None => Some((index + 1, line)),
        }
    })
}

fn words_in_backticks(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2).flat_map(str::split_whitespace)
}

/// The path that a word names, if it names one of ours.
fn path_of_ours(word: &str) -> Option<&str> {
    let word = word.split("::").next()?.trim_start_matches("./");
    let word = word.split(':').next()?.trim_matches(['"', '\'', '(', ')', ',', ';']);
    let rooted = word.split_once('/').is_some_and(|(first, _)| ROOTS.contains(&first));
    (rooted || TOP_FILES.contains(&word)).then_some(word)
}

/// The targets of `[text](target)` and of `[label]: target`.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    let reference = line.starts_with('[').then(|| line.split_once("]: ")).flatten();
    inline.chain(reference.map(|(_, target)| target.trim()))
}

/// The path from the top that a link on `page` leads to, if it leads into the repository.
fn linked_path(page: &str, target: &str) -> Option<String> {
    let target = target.split('#').next().filter(|path| !path.is_empty())?;
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.is_empty() => return Some(target.to_owned()),
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn without_placeholders(path: &str) -> &str {
    let end = path.find(['<', '*', '{', '…', '$']).map(|at| path[..at].rfind('/').unwrap_or(0));
    path[..end.unwrap_or(path.len())].trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    #[test]
    fn every_path_that_a_page_names_exists() {
        assert_clean(check);
    }

    #[test]
    fn a_path_or_link_to_nowhere_is_found() {
        assert_complaints(
            check,
            &[
                (
                    "docs/guide.md",
                    "See `crates/x/src/lost.rs`, `cargo run -- check examples/lost` and `CHANGELOG.md`.\n\
                     Read [this](lost.md) or [that](../crates/lost/).\n\
                     [far]: ../../outside.md\n\
                     `crates/lost/<name>.rs` and `crates/x/src/lost.rs:12`\n",
                ),
                ("crates/x/src/lib.rs", ""),
            ],
            &[
                "docs/guide.md:1: CHANGELOG.md does not exist",
                "docs/guide.md:1: crates/x/src/lost.rs does not exist",
                "docs/guide.md:1: examples/lost does not exist",
                "docs/guide.md:2: crates/lost does not exist",
                "docs/guide.md:2: docs/lost.md does not exist",
                "docs/guide.md:3: ../../outside.md does not exist",
                "docs/guide.md:4: crates/lost/<name>.rs does not exist",
                "docs/guide.md:4: crates/x/src/lost.rs does not exist",
            ],
        );
    }

    #[test]
    fn paths_that_exist_and_paths_of_the_reader_are_left_alone() {
        assert_complaints(
            check,
            &[
                (
                    "docs/guide.md",
                    "`crates/x/src/`, `crates/x/src/lib.rs::check`, `crates/*/src/lib.rs`, `Cargo.toml`,\n\
                     `meta/handoff.yaml`, `manifest/from-equals-to`, `and/or`,\n\
                     [lib](../crates/x/src/lib.rs#L1), [web](https://example.com/lost), [here](#there).\n\
                     ```sh\ncat `crates/lost`\n```\n````md\n```\n[x](lost.md)\n```\n````\n",
                ),
                ("crates/x/src/lib.rs", ""),
                ("Cargo.toml", ""),
                ("examples/page.md", "[x](lost.md)"),
            ],
            &[],
        );
    }
}
