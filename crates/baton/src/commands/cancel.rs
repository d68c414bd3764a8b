//! `baton cancel`: ends a run that is not wanted any more.

use std::io::{self, Write};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::Projects;
use crate::runs::{authority, book, wish};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "cancel", command, run };

const ABOUT: &str = "Ends a run that is not wanted any more";

const LONG_ABOUT: &str = "\
Ends a run for good: its agents are stopped, its gates are closed, and nothing of it is delivered any more. What was recorded \
stays. If another baton drives the run, that one is told; agents that a baton which was killed left at work are ended too.

With --json it prints {\"run\": …, \"taken\": true} or, if nobody has taken it yet, false.";

const EXAMPLES: &str = "\
Examples:
  baton cancel article-3";

#[derive(Debug, Args)]
struct Typed {
    /// The run
    #[arg(value_name = "RUN")]
    run: String,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    authority::must_be_person()?;
    // Ending a run goes by what it pinned, and must be possible whatever the settings say now.
    let project = Projects::here()?;
    let ledger = book::to_find(&project, &typed.run)?;
    let handed = wish::cancel(&project, &ledger, &typed.run, &book::person())?;
    let mut out = io::stdout().lock();
    if typed.json {
        writeln!(out, "{}", json!({ "run": typed.run, "taken": handed.is_taken() }))?;
    } else {
        let is_over =
            if handed.is_taken() { "is cancelled" } else { "will be cancelled by whoever drives it" };
        writeln!(out, "{} {is_over}", typed.run)?;
    }
    Ok(Outcome::Clean)
}
