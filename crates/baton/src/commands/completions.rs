//! `baton completions`: what the shell needs to complete Baton's arguments.

use std::io::{self, Write};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use clap_complete::Shell;

use super::Row;
use crate::outcome::Outcome;
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "completions", command, run };

const ABOUT: &str = "Prints the completions for a shell";

const EXAMPLES: &str = "\
Examples:
  source <(baton completions bash)                                      in ~/.bashrc
  baton completions zsh > ~/.zfunc/_baton                               with ~/.zfunc in $fpath
  baton completions fish > ~/.config/fish/completions/baton.fish";

#[derive(Debug, Args)]
struct Typed {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let mut script = Vec::new();
    clap_complete::generate(typed.shell, &mut super::all(), "baton", &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(Outcome::Clean)
}
