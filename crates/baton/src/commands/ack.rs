//! `baton ack`: an agent says that it has received, taken or begun its work.

use std::io::{self, Write};

use baton_engine::kernel::Stage;
use baton_engine::records::mailbox::{Wish, lying};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::Projects;
use crate::runs::wish::{self, Handed};
use crate::runs::{book, open};

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

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::to_act()?;
    let ledger = book::to_find(&project, &typed.id)?;
    let open = open::delivery(&ledger, &typed.id)?;
    let (stage, word) = match (typed.accept, typed.start) {
        (true, _) => (Stage::Accepted, "accepted"),
        (false, true) => (Stage::Started, "started"),
        (false, false) => (Stage::Received, "received"),
    };
    let wish = Wish::Acknowledge { key: open.it.key, attempt: open.it.attempt, stage };
    let id = format!("{}/{}", open.run, open.it.key);
    if lying(&ledger, &open.run)?.contains(&wish) {
        return Err(Failure::Refused {
            message: format!("that {id} is {word} was handed in before, and waits for {} to go on", open.run),
            hint: Some(format!("`baton resume {}` lets it", open.run)),
        });
    }
    let handed = wish::hand_in(&project, &ledger, &open.run, &wish, None)?;
    let mut out = io::stdout().lock();
    if typed.json {
        writeln!(out, "{}", json!({ "id": id, "stage": word, "taken": handed.is_taken() }))?;
    } else {
        match handed {
            Handed::Taken => writeln!(out, "{word} {id}")?,
            Handed::Waiting => writeln!(out, "handed in for {id}: {word}")?,
        }
        wish::tell(&open.run, handed);
    }
    Ok(Outcome::Clean)
}
