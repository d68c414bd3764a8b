//! The document crate and the wording crate open no file, read no clock, start no process, reach no network.
//!
//! The document crate asks its `World` trait; the wording crate has its text alone.

use crate::repository::{
    Complaint, Crate, Reached, Repository, line_at, masked, next_word, reached, without_tests, word_offsets,
};

/// The crates whose results depend on their arguments alone.
const PURE: &[&str] = &["baton-document", "baton-wording"];

/// What reaches out of a pure function.
const FORBIDDEN: &[&str] = &[
    "std::env",
    "std::fs",
    "std::net",
    "std::os",
    "std::process",
    "std::time::Instant",
    "std::time::SystemTime",
];

/// Methods of `std::path::Path` that look at the disk; those of `World` take arguments.
const LOOKS_AT_DISK: &[&str] = &[
    ".canonicalize()",
    ".exists()",
    ".is_dir()",
    ".is_file()",
    ".is_symlink()",
    ".metadata()",
    ".read_dir()",
    ".read_link()",
    ".symlink_metadata()",
    ".try_exists()",
];

fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for package in Crate::all(repository).iter().filter(|package| PURE.contains(&package.name.as_str())) {
        for (path, _) in
            reached(repository, package).into_iter().filter(|&(_, reached)| reached == Reached::Always)
        {
            let code = without_tests(&masked(repository.text(&path).expect("it was reached")));
            complaints.extend(in_file(&package.name, &path, &code));
        }
    }
    complaints
}

fn in_file(package: &str, path: &str, code: &str) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (offset, used) in word_offsets(code, "std").flat_map(|offset| paths_from(code, offset)) {
        let used = used.trim_end_matches("::*").trim_end_matches("::self");
        // Taking in a whole module brings in what is forbidden inside it.
        let forbidden =
            FORBIDDEN.iter().find(|&&forbidden| is_within(used, forbidden) || is_within(forbidden, used));
        if let Some(forbidden) = forbidden {
            let message = format!("{package} may not use {forbidden} (here as {used})");
            complaints.push(Complaint::at(path, line_at(code, offset), message));
        }
    }
    for method in LOOKS_AT_DISK {
        for (offset, _) in code.match_indices(method) {
            let message = format!("{package} may not look at the disk with {method}");
            complaints.push(Complaint::at(path, line_at(code, offset), message));
        }
    }
    complaints
}

fn is_within(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The full paths that the path or `use` tree at `offset` names, each with the place where it ends.
fn paths_from(code: &str, offset: usize) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    follow(code, offset, "", &mut found);
    found
}

/// Follows the tree at `offset` below `prefix`; gives back where it ends.
fn follow(code: &str, offset: usize, prefix: &str, found: &mut Vec<(usize, String)>) -> usize {
    let start = code.len() - code[offset..].trim_start().len();
    let rest = &code[start..];
    if rest.starts_with('*') {
        found.push((start, format!("{prefix}*")));
        return start + 1;
    }
    if rest.starts_with('{') {
        let mut at = start + 1;
        loop {
            at = follow(code, at, prefix, found);
            // Behind a name there may be `as other`, then a comma or the end of the group.
            let Some(stop) = code[at..].find([',', '}', ';']) else {
                return code.len();
            };
            at += stop + 1;
            if !code[..at].ends_with(',') {
                return at;
            }
        }
    }
    let Some((word, end)) = next_word(code, start) else {
        return start;
    };
    let path = format!("{prefix}{word}");
    let behind = code[end..].trim_start();
    match behind.strip_prefix("::") {
        Some(deeper) if !deeper.trim_start().starts_with('<') => {
            follow(code, code.len() - deeper.len(), &format!("{path}::"), found)
        }
        _ => {
            found.push((start, path));
            end
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    const MANIFEST: (&str, &str) =
        ("crates/baton-document/Cargo.toml", "[package]\nname = \"baton-document\"");
    const ROOT: &str = "crates/baton-document/src/lib.rs";

    #[test]
    fn the_pure_crates_do_not_reach_out() {
        assert_clean(check);
    }

    #[test]
    fn every_way_out_is_found() {
        assert_complaints(
            check,
            &[
                MANIFEST,
                (
                    ROOT,
                    "use std::fs;\n\
                     use std::{borrow::Cow, net::{self, IpAddr}, path as p,};\n\
                     use std::time::{Duration, Instant as Clock};\n\
                     use std::time;\n\
                     use std::*;\n\
                     fn f() { std::process::exit(std::mem::size_of::<u8>() as i32) }\n\
                     fn g(p: &std::path::Path) -> bool { p.exists() }\n\
                     use std as outside;",
                ),
            ],
            &[
                "crates/baton-document/src/lib.rs:1: baton-document may not use std::fs (here as std::fs)",
                "crates/baton-document/src/lib.rs:2: baton-document may not use std::net (here as std::net)",
                "crates/baton-document/src/lib.rs:2: baton-document may not use std::net (here as std::net::IpAddr)",
                "crates/baton-document/src/lib.rs:3: baton-document may not use std::time::Instant (here as \
                 std::time::Instant)",
                "crates/baton-document/src/lib.rs:4: baton-document may not use std::time::Instant (here as std::time)",
                "crates/baton-document/src/lib.rs:5: baton-document may not use std::env (here as std)",
                "crates/baton-document/src/lib.rs:6: baton-document may not use std::process (here as \
                 std::process::exit)",
                "crates/baton-document/src/lib.rs:7: baton-document may not look at the disk with .exists()",
                "crates/baton-document/src/lib.rs:8: baton-document may not use std::env (here as std)",
            ],
        );
    }

    #[test]
    fn the_wording_crate_is_held_to_the_same() {
        let manifest = ("crates/baton-wording/Cargo.toml", "[package]\nname = \"baton-wording\"");
        assert_complaints(
            check,
            &[manifest, ("crates/baton-wording/src/lib.rs", "use std::ops::Range;\nuse std::fs;")],
            &["crates/baton-wording/src/lib.rs:2: baton-wording may not use std::fs (here as std::fs)"],
        );
    }

    #[test]
    fn tests_strings_and_harmless_modules_may_name_them() {
        assert_complaints(
            check,
            &[
                MANIFEST,
                (
                    ROOT,
                    "//! Not std::fs.\n\
                     use std::collections::{BTreeMap, HashMap};\n\
                     use std::time::Duration;\n\
                     fn f(world: &dyn World) -> bool { world.exists(\"std::fs\") }\n\
                     #[cfg(test)]\nmod tests { use std::fs; }\n\
                     #[cfg(test)]\nmod more_tests;",
                ),
                ("crates/baton-document/src/more_tests.rs", "use std::fs;"),
                ("crates/baton-document/tests/all/main.rs", "use std::fs;"),
            ],
            &[],
        );
    }
}
