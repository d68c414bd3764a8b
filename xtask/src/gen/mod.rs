//! The files of this repository that are made and not written.
//!
//! Invariant: each is made the same, byte for byte, as long as what it is made from is the same; a
//! test makes it again and compares.

mod dialects;
mod tokens;
mod words;

use crate::Task;

/// Makes the files that are made and not written.
pub(crate) const TASK: Task = Task {
    name: "gen",
    arguments: "tokens | dialects | words",
    does: "makes the table of the tokenizer again, or what a start needs of the dialects or the lists of words",
    run,
};

fn run(arguments: &[String]) -> anyhow::Result<()> {
    match arguments {
        [what] if what == "tokens" => tokens::run(),
        [what] if what == "dialects" => dialects::run(),
        [what] if what == "words" => words::run(),
        _ => anyhow::bail!("usage: cargo xtask gen tokens | dialects | words"),
    }
}
