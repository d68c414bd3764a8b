//! `cargo xtask new KIND NAME`: starts a member of one of the open sets from its template.

mod rule;

use anyhow::{Result, bail};

use crate::Task;

pub(crate) const TASK: Task = Task {
    name: "new",
    arguments: "rule DIALECT/NAME",
    does: "starts a rule and its page, and says which row to add",
    run,
};

/// A kind of thing that can be started.
struct Kind {
    name: &'static str,
    start: fn(&str) -> Result<()>,
}

const KINDS: &[Kind] = &[Kind { name: "rule", start: rule::start }];

fn run(arguments: &[String]) -> Result<()> {
    let [kind, name] = arguments else { bail!("wants two arguments: {}", TASK.arguments) };
    match KINDS.iter().find(|row| row.name == kind) {
        Some(row) => (row.start)(name),
        None => bail!("cannot start a {kind:?}; wants: {}", TASK.arguments),
    }
}
