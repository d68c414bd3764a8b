//! `baton runs`: the runs of the project, and how each stands.

use std::io::{self, Write};

use baton_engine::history::views;
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
    let mut is_any_hidden = false;
    if let Some(ledger) = &ledger {
        let flow = typed.flow.as_ref().map(|flow| format!("flow:{flow}"));
        let labels: Vec<&str> = flow.as_deref().into_iter().collect();
        let heads =
            if typed.all { book::heads(ledger, &labels)? } else { book::open_heads(ledger, &labels)? };
        is_any_hidden = !typed.all && book::is_any_over(ledger, &labels)?;
        let posted = book::Posted::look(ledger)?;
        for head in heads {
            let mut summary = views::summary(ledger, &head)?;
            let waits = standing::awaited(&summary).iter().any(|one| one.kind.is_person());
            if typed.waiting && !waits {
                continue;
            }
            if typed.json {
                if summary.steps.is_none() {
                    summary = views::replayed(ledger, &head.stream)?;
                }
                objects.push(standing::json(&summary));
                continue;
            }
            rows.push(vec![
                summary.run.clone(),
                summary.flow.clone(),
                posted.words(ledger, &summary)?,
                summary.current.join(", "),
                summary.handoffs.to_string(),
                book::age(summary.last, now),
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
        say::note(match (typed.waiting, is_any_hidden) {
            (true, _) => "nothing waits for you",
            (false, false) => "no runs",
            (false, true) => "no runs are under way; `baton runs --all` shows those that are over",
        });
    }
    Ok(Outcome::Clean)
}
