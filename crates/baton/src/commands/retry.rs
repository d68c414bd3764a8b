//! `baton retry`: tries a delivery again that was given up.

use baton_engine::service::Service;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::drive::{self, Face};
use crate::say;
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "retry", command, run };

const ABOUT: &str = "Tries a delivery again that was given up";

const LONG_ABOUT: &str = "\
Tries a delivery again that was given up, with the same key, so that an agent that did the work after all can tell. If nobody \
drives the run, it is driven here, as `baton resume` does. Where a cap has stopped the run, --more raises it: by a number of what it \
counts, or by a time such as 10m.";

const EXAMPLES: &str = "\
Examples:
  baton dead                     what was given up
  baton retry article-3/5-1-0
  baton retry article-3          the only one of a run
  baton retry article-3 --more 10m  ten minutes more, where the time of the run is used up";

#[derive(Debug, Args)]
struct Typed {
    /// The delivery, or its run
    #[arg(value_name = "ID")]
    id: String,
    /// Raises the cap that stopped the run by so much: a number, of time such as 10m
    #[arg(long, value_name = "N")]
    more: Option<String>,
    /// Prints JSON, a line for everything that happens
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    Service::must_be_person()?;
    let service = Service::open(&Projects::to_act()?);
    let reply = service.retry(&typed.id, typed.more.as_deref())?;
    if reply.taken {
        say::note(&format!("whoever drives {} tries it again", reply.run));
        return Ok(Outcome::Clean);
    }
    Ok(drive::outcome(&service.resume(&reply.run, &mut Face::new(typed.json, true))?))
}
