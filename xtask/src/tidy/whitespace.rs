//! Text files hold no tab, no blank at the end of a line, no carriage return, and end with one line feed.

use crate::repository::{Complaint, Repository};

const ENDINGS: &[&str] = &[".md", ".rs", ".toml", ".yaml", ".yml"];

fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in repository.texts() {
        let by_hand = ENDINGS.iter().any(|ending| path.ends_with(ending)) || path.starts_with(".ci/");
        if !by_hand || text.is_empty() {
            continue;
        }
        let mut fenced = false;
        for (index, line) in text.split('\n').enumerate() {
            // What a page shows in a fence is an example and keeps its faults.
            if path.ends_with(".md") && line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            if fenced {
                continue;
            }
            if line.contains('\t') {
                complaints.push(Complaint::at(path, index + 1, "a tab"));
            }
            if line.ends_with([' ', '\t', '\r']) {
                complaints.push(Complaint::at(path, index + 1, "blanks at the end of the line"));
            }
        }
        if !text.ends_with('\n') || text.ends_with("\n\n") {
            let message = "the file must end with one line feed";
            complaints.push(Complaint::at(path, text.lines().count(), message));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    #[test]
    fn every_text_file_is_clean() {
        assert_clean(check);
    }

    #[test]
    fn tabs_blanks_and_missing_line_feeds_are_found() {
        assert_complaints(
            check,
            &[
                ("a.rs", "fn f() {\n\tg();\n}\n"),
                ("b.toml", "a = 1 \nb = 2\r\n"),
                ("c.md", "```yaml\n\tx: \n```\nno line feed"),
                ("d.yaml", "a: 1\n\n"),
                ("e.svg", "\t"),
            ],
            &[
                "a.rs:2: a tab",
                "b.toml:1: blanks at the end of the line",
                "b.toml:2: blanks at the end of the line",
                "c.md:4: the file must end with one line feed",
                "d.yaml:2: the file must end with one line feed",
            ],
        );
    }
}
