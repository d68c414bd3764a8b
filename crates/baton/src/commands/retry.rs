//! `baton retry`: tries a delivery again that was given up.

use baton_engine::kernel::Choice;
use baton_engine::records::mailbox::Wish;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::{Row, resume};
use crate::outcome::{Failure, Outcome};
use crate::project::Projects;
use crate::runs::{authority, book, caps, open, wish};

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

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    authority::must_be_person()?;
    let project = Projects::to_act()?;
    let ledger = book::to_find(&project, &typed.id)?;
    let open = open::question(&ledger, &typed.id)?;
    let Some(key) = open.it.dead else {
        return Err(Failure::Refused {
            message: format!("{} asks about something else than a delivery", typed.id),
            hint: Some("`baton dead` lists the deliveries that were given up".to_owned()),
        });
    };
    let more = typed.more.as_deref().map(|more| caps::more(open.it.reason, more)).transpose()?;
    caps::must_not_hold(&open.view.state, &open.it, Choice::Again, more)?;
    let by = book::person();
    let wish = match more {
        Some(_) => Wish::AnswerPerson { ask: open.it.ask, choice: Choice::Again, by, more, step: None },
        None => Wish::Retry { key, by },
    };
    let handed = wish::hand_in(&project, &ledger, &open.run, &wish, None)?;
    drop(ledger);
    if handed.is_taken() {
        crate::say::note(&format!("whoever drives {} tries it again", open.run));
        return Ok(Outcome::Clean);
    }
    resume::go_on(&project, &open.run, typed.json, true)
}
