//! `baton dead`: the deliveries that were given up.

use std::io::{self, Write};

use baton_engine::kernel::Doing;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::Projects;
use crate::runs::{book, standing, table};
use crate::say;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "dead", command, run };

const ABOUT: &str = "Lists deliveries that were given up";

const LONG_ABOUT: &str = "\
Lists the deliveries that were given up and that nobody has decided about yet: to whom, at which step, after how many \
attempts, and why. `baton retry` tries one again, with the same key.

With --json it prints {\"dead\": […]}, each with id, run, step, agent, attempts and reason.";

const EXAMPLES: &str = "\
Examples:
  baton dead
  baton retry article-3/5-1-0    tries one of them again
  baton dead --json | jq -r '.dead[].id'";

#[derive(Debug, Args)]
struct Typed {
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::here()?;
    let ledger = book::to_read(&project)?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut objects: Vec<Value> = Vec::new();
    if let Some(ledger) = &ledger {
        for head in book::heads(ledger, &["question"])? {
            let run = book::one(ledger, &head.stream)?;
            let view = run.view();
            let state = &view.state;
            for lane in state.lanes() {
                let (Doing::Person(question), Some(dead)) = (&lane.doing, &lane.dead) else { continue };
                let agent = state.plan().agents.get(usize::from(dead.to.0));
                let agent = agent.map_or("", |agent| agent.name.as_str());
                let id = format!("{}/{}", state.run(), dead.key);
                let step = standing::step_name(state, lane.step);
                let reason = question.reason.text();
                objects.push(json!({
                    "id": id, "run": state.run(), "step": step, "agent": agent,
                    "attempts": dead.attempt, "reason": reason,
                }));
                rows.push(vec![
                    id,
                    agent.to_owned(),
                    step.to_owned(),
                    dead.attempt.to_string(),
                    reason.to_owned(),
                ]);
            }
        }
    }
    let mut out = io::stdout().lock();
    if typed.json {
        writeln!(out, "{}", json!({ "dead": objects }))?;
    } else if !rows.is_empty() {
        for line in table::lines(&["ID", "AGENT", "STEP", "ATTEMPTS", "WHY"], &rows, 4, table::width()) {
            writeln!(out, "{line}")?;
        }
        say::note("`baton retry ID` tries one again");
    } else if ledger.is_some() {
        say::note("no delivery was given up");
    }
    Ok(Outcome::Clean)
}
