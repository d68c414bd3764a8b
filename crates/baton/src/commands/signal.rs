//! `baton signal`: tells runs that something happened.

use std::io::{self, Write};

use baton_engine::records::mailbox::Wish;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::Projects;
use crate::runs::{book, wish};

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

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::to_act()?;
    let ledger = book::to_find(&project, &typed.run)?;
    let wish = Wish::Signal { name: typed.name.clone() };
    let handed = wish::hand_in(&project, &ledger, &typed.run, &wish, None)?;
    let mut out = io::stdout().lock();
    if typed.json {
        writeln!(out, "{}", json!({ "run": typed.run, "signal": typed.name, "taken": handed.is_taken() }))?;
    } else {
        writeln!(out, "told {} of {}", typed.run, typed.name)?;
        wish::tell(&typed.run, handed);
    }
    Ok(Outcome::Clean)
}
