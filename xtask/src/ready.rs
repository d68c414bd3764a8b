//! `cargo xtask ready`: everything that must hold before a change goes in; CI runs this and nothing else.

use anyhow::{Context as _, Result, ensure};

use crate::{Task, agents, cargo, test};

pub(crate) const TASK: Task = Task {
    name: "ready",
    arguments: "",
    does: "formatting, lints, all tests, flows across real agents; exactly CI",
    run,
};

fn run(arguments: &[String]) -> Result<()> {
    ensure!(arguments.is_empty(), "takes no arguments");
    cargo::run("format", &["fmt", "--all", "--check"]).context("`cargo fmt --all` mends it")?;
    cargo::run("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    test::run(&[])?;
    agents::run_locked().context("all else has passed; `cargo xtask agents claude codex` repeats this")
}
