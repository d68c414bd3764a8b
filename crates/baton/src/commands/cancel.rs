//! `baton cancel`: ends a run that is not wanted any more.

use std::io::{self, Write};

use baton_engine::service::Service;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::{reply, say};
use baton_engine::service::Fault;

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

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    Service::must_be_person()?;
    // Cancelling goes by what the run pinned, and must be possible whatever the settings say now.
    let reply = Service::open(&Projects::here()?).cancel(&typed.run)?;
    reply.notes.iter().for_each(say::diagnostic);
    if typed.json {
        reply::print(&reply)?;
    } else {
        let is_over = if reply.taken { "is cancelled" } else { "will be cancelled by whoever drives it" };
        writeln!(io::stdout().lock(), "{} {is_over}", reply.run)?;
    }
    Ok(Outcome::Clean)
}
