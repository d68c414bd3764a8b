//! `baton runs`: the runs of the project, and how each stands.

use std::io::{self, Write};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::Projects;
use crate::runs::{behind, book, moment, standing, table};
use crate::say;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "runs", command, run };

const ABOUT: &str = "Lists runs, and how each stands";

const LONG_ABOUT: &str = "\
Lists the runs of this project that are not over, the one that started last first: how each stands, the step that it is \
at, how many handoffs were taken, and how long ago something last happened.

With --json it prints {\"runs\": […]}, each with run, flow, state (working, waiting for people, or over), ending, current, \
completed, remaining, awaits, handoffs, tokens, started and last. `tokens` is what counts against the cap of the run: what agents \
claim, with `caps: {tokens: …}` at least what Baton counts, and null where nothing is known.";

const EXAMPLES: &str = "\
Examples:
  baton runs                    the runs that are not over
  baton runs --waiting          those that wait for you
  baton runs --all              also those that are over
  baton runs --flow article     those of one flow
  baton runs --json | jq -r '.runs[].run'";

#[derive(Debug, Args)]
struct Typed {
    /// Also runs that are over
    #[arg(long)]
    all: bool,
    /// Only runs of this flow
    #[arg(long, value_name = "FLOW")]
    flow: Option<String>,
    /// Only runs that wait for a person
    #[arg(long, conflicts_with = "all")]
    waiting: bool,
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
    let now = moment::now();
    let ledger = book::to_read(&project)?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut objects: Vec<Value> = Vec::new();
    let mut hidden = 0;
    if let Some(ledger) = &ledger {
        let flow = typed.flow.as_ref().map(|flow| format!("flow:{flow}"));
        let labels: Vec<&str> = flow.as_deref().into_iter().collect();
        for head in book::heads(ledger, &labels)? {
            let is_over = head.labels.iter().any(|label| label == "over");
            if is_over && !typed.all {
                hidden += 1;
                continue;
            }
            let run = book::one(ledger, &head.stream)?;
            let view = run.view();
            let waits = standing::awaited(&view).iter().any(|one| one.kind.is_person());
            if typed.waiting && !waits {
                continue;
            }
            if typed.json {
                objects.push(standing::json(&run));
                continue;
            }
            let current = view.position.current.iter().map(|step| standing::step_name(&view.state, *step));
            rows.push(vec![
                view.state.run().to_owned(),
                view.state.plan().name.clone(),
                book::words(ledger, &view)?,
                current.collect::<Vec<_>>().join(", "),
                run.handoffs.to_string(),
                book::age(run.last, now),
            ]);
        }
    }
    if let Some(ledger) = &ledger {
        behind::tell(&project, ledger, None)?;
    }
    let mut out = io::stdout().lock();
    if typed.json {
        writeln!(out, "{}", json!({ "runs": objects }))?;
    } else if !rows.is_empty() {
        let head = ["RUN", "FLOW", "STATE", "STEP", "HANDOFFS", "AGE"];
        for line in table::lines(&head, &rows, 2, table::width()) {
            writeln!(out, "{line}")?;
        }
    } else if ledger.is_some() {
        say::note(match (typed.waiting, hidden) {
            (true, _) => "nothing waits for you",
            (false, 0) => "no runs",
            (false, _) => "no runs are under way; `baton runs --all` shows those that are over",
        });
    }
    Ok(Outcome::Clean)
}
