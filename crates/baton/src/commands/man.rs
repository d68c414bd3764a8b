//! `baton man`: the manual pages.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use clap_mangen::Man;

use super::Row;
use crate::outcome::Outcome;
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "man", command, run };

const ABOUT: &str = "Prints the manual page, or writes one page per command into a folder";

const EXAMPLES: &str = "\
Examples:
  baton man | man -l -                         reads the manual
  baton man ~/.local/share/man/man1            writes baton.1, baton-check.1 and the others there";

#[derive(Debug, Args)]
struct Typed {
    /// The folder to write the pages into
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    match typed.folder {
        None => {
            let mut page = Vec::new();
            Man::new(super::all()).render(&mut page)?;
            io::stdout().lock().write_all(&page)?;
        }
        Some(folder) => clap_mangen::generate_to(super::all(), &folder)
            .map_err(|error| Fault::failed(format!("cannot write into {}: {error}", folder.display())))?,
    }
    Ok(Outcome::Clean)
}
