//! `cargo xtask attacks`: the attacks of `docs/security.md` as another user, and where no sandbox works.
//!
//! The usual tests run them as the user who builds. Root can also be another user, and hide bubblewrap from a program; anyone else
//! skips this.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::{Task, cargo};

pub(crate) const TASK: Task = Task {
    name: "attacks",
    arguments: "",
    does: "the attacks that are tests, as another user and without bubblewrap; needs root",
    run: |_| run(),
};

/// Modules of tests that are attacks.
const MODULES: [&str; 7] =
    ["wall_attacks", "git_attacks", "evidence", "private", "other_hands", "own_words", "hostile"];
/// A user without a home.
const USER: &str = "65534";

/// Runs the attacks in both ways.
pub(crate) fn run() -> Result<()> {
    if Path::new("/proc/self").metadata().map_or(true, |own| own.uid() != 0) {
        println!("== attacks: skipped, which root alone can run as another user and without bubblewrap");
        return Ok(());
    }
    let built = cargo::output(
        "attacks",
        &["test", "-p", "baton", "--test", "all", "--no-run", "--message-format=json"],
    )?;
    let program = program(&built).context("cargo names no test program")?;
    let is_reached = Command::new("setpriv")
        .args(["--reuid", USER, "--regid", USER, "--clear-groups", "test", "-x", &program])
        .status()
        .is_ok_and(|status| status.success());
    if is_reached {
        let home = tempfile::tempdir()?;
        std::os::unix::fs::chown(home.path(), Some(USER.parse()?), Some(USER.parse()?))?;
        let mut other = Command::new("setpriv");
        other.args(["--reuid", USER, "--regid", USER, "--clear-groups", &program]).args(MODULES);
        other.env("HOME", home.path()).env("USER", "nora");
        ended("as another user", &mut other)?;
    } else {
        println!("== attacks: another user does not reach {program}, and was not tried");
    }
    let can_hide = Command::new("unshare").args(["--mount", "true"]).status();
    if !can_hide.is_ok_and(|status| status.success()) {
        println!(
            "== attacks: this machine hides no program from another, and none was tried without bubblewrap"
        );
        return Ok(());
    }
    // Each folder of the system has its own bubblewrap hidden, for this program alone.
    let hidden = "for place in /usr/local/bin/bwrap /usr/bin/bwrap; do [ ! -e $place ] || mount --bind /dev/null $place || exit 1; done; exec \"$0\" \"$@\"";
    let mut without = Command::new("unshare");
    without.args(["--mount", "sh", "-c", hidden, &program]).args(MODULES);
    ended("without bubblewrap", &mut without)
}

/// The test program among what cargo says that it built.
fn program(built: &str) -> Option<String> {
    let said = built.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut tests = said.filter(|one| one["target"]["kind"][0] == "test");
    tests.find_map(|one| one["executable"].as_str().map(str::to_owned))
}

fn ended(how: &str, command: &mut Command) -> Result<()> {
    println!("== attacks {how}: {command:?}");
    let status = command
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/baton"))
        .status()
        .with_context(|| format!("the attacks {how} could not be started"))?;
    if !status.success() {
        bail!("attacks {how} did not all hold");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_program_is_found_among_other_artifacts() {
        let built = "{\"target\":{\"kind\":[\"bin\"]},\"executable\":\"/t/baton\"}\nnoise\n\
                     {\"target\":{\"kind\":[\"test\"]},\"executable\":\"/t/all-1\"}\n";
        assert_eq!(program(built).as_deref(), Some("/t/all-1"));
    }
}
