//! `cargo xtask test`: all tests, or those that the arguments choose.
//!
//! cargo-nextest runs them where it is present, `cargo test` where it is not.

use anyhow::Result;

use crate::{Task, cargo};

pub(crate) const TASK: Task =
    Task {
        name: "test", arguments: "[ARGUMENT…]", does: "tests only; arguments go to the test runner", run
    };

/// Runs the tests; without arguments those in the documentation too.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let chosen = arguments.iter().map(String::as_str);
    if !cargo::has("nextest") {
        let all: Vec<&str> = ["test", "--workspace", "--no-fail-fast"].into_iter().chain(chosen).collect();
        return cargo::run_tests_and_sum("tests", &all);
    }
    // First, so that the summary of all other tests is the last thing on the screen.
    if arguments.is_empty() {
        cargo::run("tests in documentation", &["test", "--quiet", "--workspace", "--doc"])?;
    }
    let all: Vec<&str> =
        ["nextest", "run", "--workspace", "--no-fail-fast"].into_iter().chain(chosen).collect();
    cargo::run("tests", &all)
}
