//! `cargo xtask ready`: everything that must hold before a change goes in; CI runs this and nothing else.

use anyhow::{Context as _, Result, ensure};

use crate::{Task, agents, attacks, cargo, test};

pub(crate) const TASK: Task = Task {
    name: "ready",
    arguments: "",
    does: "formatting, dependencies, lints, attacks, all tests, flows across real agents; exactly CI",
    run,
};

fn run(arguments: &[String]) -> Result<()> {
    ensure!(arguments.is_empty(), "takes no arguments");
    cargo::run("format", &["fmt", "--all", "--check"]).context("`cargo fmt --all` mends it")?;
    dependencies()?;
    cargo::run("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    // First, so that the summary of all tests comes behind it.
    attacks::run()?;
    test::run(&[])?;
    agents::run_locked().context("all else has passed; `cargo xtask agents claude codex` repeats this")
}

/// Checks licences, bans and sources; advisories would need the network on each run.
fn dependencies() -> Result<()> {
    ensure!(
        cargo::has("deny"),
        "cargo-deny is missing: `cargo install --locked --debug --no-default-features cargo-deny@0.20.2`"
    );
    // Versions that are there twice are warnings, with trees that hide what matters.
    cargo::run("dependencies", &["deny", "--log-level", "error", "check", "licenses", "bans", "sources"])
}
