//! `baton retry`: tries a delivery again that was given up.

use baton_engine::mailbox::Wish;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::{Row, resume};
use crate::outcome::{Failure, Outcome};
use crate::project::Projects;
use crate::runs::{book, open, wish};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "retry", command, run };

const ABOUT: &str = "Tries a delivery again that was given up";

const LONG_ABOUT: &str = "\
Tries a delivery again that was given up, with the same key, so that an agent that did the work after all can tell. If nobody \
drives the run, it is driven here, as `baton resume` does.";

const EXAMPLES: &str = "\
Examples:
  baton dead                     what was given up
  baton retry article-3/5-1-0
  baton retry article-3          the only one of a run";

#[derive(Debug, Args)]
struct Typed {
    /// The delivery, or its run
    #[arg(value_name = "ID")]
    id: String,
    /// Prints JSON, a line for everything that happens
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::here()?;
    let ledger = book::to_find(&project, &typed.id)?;
    let open = open::question(&ledger, &typed.id)?;
    let Some(key) = open.it.dead else {
        return Err(Failure::Refused {
            message: format!("{} asks about something else than a delivery", typed.id),
            hint: Some("`baton dead` lists the deliveries that were given up".to_owned()),
        });
    };
    let handed = wish::hand_in(&project, &ledger, &open.run, &Wish::Retry { key, by: book::person() }, None)?;
    drop(ledger);
    if handed.is_taken() {
        crate::say::note(&format!("whoever drives {} tries it again", open.run));
        return Ok(Outcome::Clean);
    }
    resume::go_on(&project, &open.run, typed.json, true)
}
