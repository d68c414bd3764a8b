//! The kernel is `no_std`: without a clock, a file or a network it can only think.

use crate::repository::{
    Complaint, Crate, Purpose, Reached, Repository, line_at, masked, reached, without_tests, word_offsets,
};

const KERNEL: &str = "baton-kernel";
const ROOT: &str = "crates/baton-kernel/src/lib.rs";

/// Crates of others that the kernel may use, because they need no `std` either.
const WITHOUT_STD: &[&str] = &["serde"];

fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    if !repository.text(ROOT).is_some_and(|text| masked(text).contains("#![no_std]")) {
        complaints.push(Complaint::about(ROOT, "the kernel must say #![no_std]"));
    }
    for package in Crate::all(repository).iter().filter(|package| package.name == KERNEL) {
        for dependency in package.dependencies() {
            let shipped = dependency.purpose != Purpose::Tests;
            if shipped && !WITHOUT_STD.contains(&dependency.package.as_str()) {
                let line = package.line_of(&dependency.key);
                let message = format!("the kernel may not use {}: it may need std", dependency.package);
                complaints.push(Complaint::at(&package.manifest(), line, message));
            }
        }
        for (path, _) in
            reached(repository, package).into_iter().filter(|&(_, reached)| reached == Reached::Always)
        {
            let code = without_tests(&masked(repository.text(&path).expect("it was reached")));
            for offset in word_offsets(&code, "std") {
                complaints.push(Complaint::at(&path, line_at(&code, offset), "the kernel may not use std"));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    const MANIFEST: &str = "crates/baton-kernel/Cargo.toml";

    #[test]
    fn the_kernel_does_without_std() {
        assert_clean(check);
    }

    #[test]
    fn std_in_any_form_is_found() {
        assert_complaints(
            check,
            &[
                (MANIFEST, "[package]\nname = \"baton-kernel\"\n[dependencies]\nrand.workspace = true"),
                (
                    ROOT,
                    "//! #![no_std]\nextern crate std;\nmod decide;\n#[cfg(test)]\nmod tests { use std::fs; }",
                ),
                ("crates/baton-kernel/src/decide.rs", "use core::fmt;\nfn f() { std::process::abort() }"),
            ],
            &[
                "crates/baton-kernel/Cargo.toml:4: the kernel may not use rand: it may need std",
                "crates/baton-kernel/src/decide.rs:2: the kernel may not use std",
                "crates/baton-kernel/src/lib.rs:1: the kernel must say #![no_std]",
                "crates/baton-kernel/src/lib.rs:2: the kernel may not use std",
            ],
        );
    }
}
