//! `baton submit`: hands in a handoff to the run that waits for it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use baton_engine::service::project::read::{self, Content};
use baton_engine::service::{HandedReply, Service};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::{reply, say};
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "submit", command, run };

const ABOUT: &str = "Hands in a handoff to the run that waits for it";

const LONG_ABOUT: &str = "\
Hands in the answer of an agent with an inbox to the one delivery that waits for it: of the run that is named, or of the only \
one that waits. Where several do, `baton return` says which is meant. The file is checked in the agent's dialect first; if \
something blocks, nothing is handed in, and the exit code is 1.

With --json it prints id and taken.";

const EXAMPLES: &str = "\
Examples:
  baton submit answer.yaml
  baton submit answer.yaml --run article-3
  agent | baton submit - --run article-3";

#[derive(Debug, Args)]
struct Typed {
    /// The file with the handoff, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The run that waits for it
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
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
    let id = service.awaited_delivery(typed.run.as_deref())?;
    answer(&service, &id, &typed.file, typed.json)
}

/// Hands in the answer to a delivery.
pub(super) fn answer(service: &Service, id: &str, file: &Path, as_json: bool) -> Result<Outcome, Fault> {
    let (bytes, shown) = content(service.answer_bytes_max(id)?, file)?;
    handed(&service.submit(id, &bytes, &shown)?, as_json)
}

/// Prints what became of something that was handed in.
pub(super) fn handed(reply: &HandedReply, as_json: bool) -> Result<Outcome, Fault> {
    if as_json {
        reply::print(reply)?;
    } else {
        writeln!(io::stdout().lock(), "handed in for {}", reply.id)?;
        say::waiting(&reply.run, reply.taken);
    }
    Ok(Outcome::Clean)
}

fn content(bytes_max: u64, file: &Path) -> Result<(Vec<u8>, String), Fault> {
    let (content, shown) = if file == Path::new("-") {
        let read = read::stream(io::stdin().lock(), 0, bytes_max).map_err(|error| read::reason(&error));
        (read, "standard input".to_owned())
    } else {
        if file.symlink_metadata().is_err() {
            return Err(Fault::usage(format!("{} does not exist", file.display()), None));
        }
        (read::file(file, bytes_max), file.display().to_string())
    };
    match content {
        Ok(Content::Bytes(bytes)) => Ok((bytes, shown)),
        Ok(Content::TooLarge(bytes)) => {
            Err(Fault::failed(format!("cannot read {shown}: {bytes} bytes are more than {bytes_max}")))
        }
        Err(why) => Err(Fault::failed(format!("cannot read {shown}: {why}"))),
    }
}
