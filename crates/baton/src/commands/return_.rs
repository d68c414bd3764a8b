//! `baton return`: an agent with an inbox hands in its answer.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::{Row, submit};
use crate::outcome::{Failure, Outcome};
use crate::project::Projects;
use crate::runs::{book, open};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "return", command, run };

const ABOUT: &str = "Hands in the answer to work from an inbox";

const LONG_ABOUT: &str = "\
Hands in the answer of an agent with an inbox to one delivery. The file is checked in the agent's dialect first; if something \
blocks, nothing is handed in, and the exit code is 1. An answer is taken once.

With --json it prints id and taken.";

const EXAMPLES: &str = "\
Examples:
  baton return article-3/5-1-0 answer.yaml
  agent | baton return article-3/5-1-0 -";

#[derive(Debug, Args)]
struct Typed {
    /// The delivery, as `baton inbox` names it
    #[arg(value_name = "ID")]
    id: String,
    /// The file with the answer, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::to_act()?;
    let ledger = book::to_find(&project, &typed.id)?;
    let open = open::delivery(&ledger, &typed.id)?;
    submit::answer(&project, &ledger, &open, &typed.file, typed.json)
}
