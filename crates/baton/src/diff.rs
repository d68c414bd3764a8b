//! What a fix would change, as a unified diff that `git apply` and `patch -p1` take.
//!
//! Lines end at `\n` and nowhere else, as these programs see it; a `\r` before it is a part of the line.

use std::fmt::Write;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline, group_diff_ops};

/// The lines around a change.
const CONTEXT: usize = 3;

/// How long the smallest diff is looked for; after that a larger one is given.
const SEARCH: Duration = Duration::from_secs(2);

/// The diff from one text to another; empty where they are the same.
pub(crate) fn unified(path: &str, old: &str, new: &str) -> String {
    let mut out = String::new();
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let deadline = Some(Instant::now() + SEARCH);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline);
    for group in group_diff_ops(ops, CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        if out.is_empty() {
            out = format!("--- {}\n+++ {}\n", name("a/", path), name("b/", path));
        }
        let before = first.old_range().start..last.old_range().end;
        let after = first.new_range().start..last.new_range().end;
        // Writing to a text does not fail.
        let _ = writeln!(out, "@@ -{} +{} @@", range(&before), range(&after));
        for op in &group {
            let is_same = matches!(op, DiffOp::Equal { .. });
            lines(&mut out, if is_same { ' ' } else { '-' }, &old[op.old_range()]);
            lines(&mut out, '+', if is_same { &[] } else { &new[op.new_range()] });
        }
    }
    out
}

fn lines(out: &mut String, mark: char, lines: &[&str]) {
    for line in lines {
        out.push(mark);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// Where some lines are: the first, from 1, and how many; before the first where there are none.
fn range(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        count => format!("{},{count}", lines.start + 1),
    }
}

/// A path as git writes it: in quotes where a line could not hold it, with a tab behind it where blanks could end it.
fn name(side: &str, path: &str) -> String {
    let is_odd = path.chars().any(|c| c.is_control() || matches!(c, '"' | '\\'));
    if !is_odd {
        let end = if path.contains(' ') { "\t" } else { "" };
        return format!("{side}{path}{end}");
    }
    let mut quoted = format!("\"{side}");
    for c in path.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(quoted, "\\{byte:03o}");
                }
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_stands_among_three_lines_on_each_side() {
        let old = "1\n2\n3\n4\r\n5\n6\n7\n8\n9";
        let new = old.replace('4', "four").replace('9', "nine");
        assert_eq!(
            unified("a.txt", old, &new),
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,9 +1,9 @@\n 1\n 2\n 3\n-4\r\n+four\r\n 5\n 6\n 7\n 8\n-9\n\\ No newline \
             at end of file\n+nine\n\\ No newline at end of file\n"
        );
        assert_eq!(unified("a.txt", old, old), "");
    }

    #[test]
    fn names_are_written_as_git_reads_them() {
        assert_eq!(name("a/", "é b.yaml"), "a/é b.yaml\t");
        assert_eq!(name("a/", "a\"\n\u{85}.yaml"), "\"a/a\\\"\\012\\302\\205.yaml\"");
    }
}
