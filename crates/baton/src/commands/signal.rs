//! `baton signal`: tells runs that something happened.

use std::io::{self, Write};

use baton_engine::service::Service;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::{reply, say};
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "signal", command, run };

const ABOUT: &str = "Tells a run that something happened which it waits for";

const LONG_ABOUT: &str = "\
Tells a run that something happened: a step with `wait` and `signal: NAME` goes on. A run that does not wait for it refuses.

With --json it prints run, signal and taken.";

const EXAMPLES: &str = "\
Examples:
  baton signal article-3 ci-green";

#[derive(Debug, Args)]
struct Typed {
    /// The run
    #[arg(value_name = "RUN")]
    run: String,
    /// The name of the signal
    #[arg(value_name = "NAME")]
    name: String,
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
    let reply = service.signal(&typed.run, &typed.name)?;
    if typed.json {
        reply::print(&reply)?;
    } else {
        writeln!(io::stdout().lock(), "told {} of {}", reply.run, reply.signal)?;
        say::waiting(&reply.run, reply.taken);
    }
    Ok(Outcome::Clean)
}
