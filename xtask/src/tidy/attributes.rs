//! Nothing is silenced and nothing pretends: no `allow`, no ignored test, no code left for later.

use crate::repository::{Complaint, Repository, line_at, masked, word_offsets};

fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in repository.rust() {
        let code = masked(text);
        let mut complain = |offset, message: &str| {
            complaints.push(Complaint::at(path, line_at(&code, offset), message));
        };
        for offset in word_offsets(&code, "allow") {
            if is_attribute(&code, offset) && code[offset..].starts_with("allow(") {
                complain(offset, "write `expect` with a reason instead of `allow`");
            }
        }
        for offset in word_offsets(&code, "ignore") {
            let behind = code[offset + "ignore".len()..].trim_start();
            if is_attribute(&code, offset) && behind.starts_with([']', '=', ')']) {
                complain(offset, "a test is never ignored: make it run or take it out");
            }
        }
        for word in ["todo", "unimplemented"] {
            for offset in word_offsets(&code, word) {
                if code[offset + word.len()..].starts_with('!') {
                    complain(offset, "nothing pretends: write it or leave it out");
                }
            }
        }
    }
    complaints
}

/// Tells whether the word at `offset` stands in an attribute, that of a `cfg_attr` included.
fn is_attribute(code: &str, offset: usize) -> bool {
    let Some(start) = code[..offset].rfind("#[").max(code[..offset].rfind("#![")) else {
        return false;
    };
    let inside = code[start..offset].split_once('[').map_or("", |(_, inside)| inside).trim();
    inside.is_empty() || (inside.starts_with("cfg_attr") && !inside.contains(']'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    #[test]
    fn nothing_is_silenced_and_nothing_pretends() {
        assert_clean(check);
    }

    #[test]
    fn every_silenced_or_pretending_line_is_found() {
        assert_complaints(
            check,
            &[(
                "a.rs",
                "#![allow(dead_code)]\n#[allow(unused)]\n#[cfg_attr(test, allow(unused))]\n\
                 #[ignore]\n#[ignore = \"slow\"]\n#[cfg_attr(windows, ignore)]\n\
                 fn f() { todo!() }\nfn g() { unimplemented!(\"later\") }\n",
            )],
            &[
                "a.rs:1: write `expect` with a reason instead of `allow`",
                "a.rs:2: write `expect` with a reason instead of `allow`",
                "a.rs:3: write `expect` with a reason instead of `allow`",
                "a.rs:4: a test is never ignored: make it run or take it out",
                "a.rs:5: a test is never ignored: make it run or take it out",
                "a.rs:6: a test is never ignored: make it run or take it out",
                "a.rs:7: nothing pretends: write it or leave it out",
                "a.rs:8: nothing pretends: write it or leave it out",
            ],
        );
    }

    #[test]
    fn words_in_prose_and_in_other_code_are_left_alone() {
        assert_complaints(
            check,
            &[(
                "a.rs",
                "// #[allow(x)] and todo!()\n#[derive(Debug)]\nfn allow(x: u8) { allow(x); }\n\
                 use ignore::Walk;\nconst A: &str = \"#[ignore] todo!()\";\n#[expect(unused, reason = \"\")]\n",
            )],
            &[],
        );
    }
}
