//! `baton scripted-agent`: an agent that plays a script, for the demonstration and for trying flows out.

use std::ffi::OsString;
use std::process::ExitCode;

use baton_engine::service::scripted;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "scripted-agent", command, run };

#[derive(Debug, Args)]
struct Typed {
    /// What it plays, in TOML
    script: OsString,
    /// A file that counts its calls
    calls: OsString,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about("Plays a script, as an agent of a flow").hide(true))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let played = scripted::run([typed.script, typed.calls]);
    Ok(if played == ExitCode::SUCCESS { Outcome::Clean } else { Outcome::Played(played) })
}
