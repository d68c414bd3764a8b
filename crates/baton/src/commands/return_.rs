//! `baton return`: an agent with an inbox hands in its answer.

use std::path::PathBuf;

use baton_engine::service::Service;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::{Row, submit};
use crate::outcome::Outcome;
use crate::project::Projects;
use baton_engine::service::Fault;

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

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let service = Service::open(&Projects::to_act()?);
    submit::answer(&service, &typed.id, &typed.file, typed.json)
}
