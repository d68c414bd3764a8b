//! The files of this repository that are made and not written.
//!
//! Invariant: each is made the same, byte for byte, as long as what it is made from is the same; a
//! test makes it again and compares.

mod dialects;
mod tokens;

use crate::Task;

/// Makes the files that are made and not written.
pub(crate) const TASK: Task = Task {
    name: "gen",
    arguments: "tokens | dialects",
    does: "makes the table of the tokenizer again, or what a start needs of the dialects",
    run,
};

fn run(arguments: &[String]) -> anyhow::Result<()> {
    match arguments {
        [what] if what == "tokens" => tokens::run(),
        [what] if what == "dialects" => dialects::run(),
        _ => anyhow::bail!("usage: cargo xtask gen tokens | dialects"),
    }
}
