//! `baton ack`: an agent says that it has received, taken or begun its work.

use std::io::{self, Write};

use baton_engine::service::{AckStage, Service};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::{reply, say};
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "ack", command, run };

const ABOUT: &str = "Acknowledges work from an inbox";

const LONG_ABOUT: &str = "\
Says for an agent with an inbox that it has received a delivery; with --accept that it understood the task and takes it, with \
--start that it has begun. These are three different facts, and each is recorded once: by whoever drives the run, or when somebody \
resumes it.

With --json it prints id, stage and taken.";

const EXAMPLES: &str = "\
Examples:
  baton ack article-3/5-1-0             received
  baton ack article-3/5-1-0 --accept    understood, and taken
  baton ack article-3/5-1-0 --start     begun";

#[derive(Debug, Args)]
struct Typed {
    /// The delivery, as `baton inbox` names it
    #[arg(value_name = "ID")]
    id: String,
    /// The task is understood, and taken
    #[arg(long)]
    accept: bool,
    /// The work has begun
    #[arg(long, conflicts_with = "accept")]
    start: bool,
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
    let stage = match (typed.accept, typed.start) {
        (true, _) => AckStage::Accepted,
        (false, true) => AckStage::Started,
        (false, false) => AckStage::Received,
    };
    let reply = service.ack(&typed.id, stage)?;
    if typed.json {
        reply::print(&reply)?;
        return Ok(Outcome::Clean);
    }
    let (id, word) = (&reply.id, stage.word());
    let mut out = io::stdout().lock();
    if reply.taken {
        writeln!(out, "{word} {id}")?;
    } else {
        writeln!(out, "handed in for {id}: {word}")?;
    }
    say::waiting(&reply.run, reply.taken);
    Ok(Outcome::Clean)
}
