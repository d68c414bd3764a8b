//! `baton runs`: the runs of the project, and how each stands.

use std::io::{self, Write};

use baton_engine::service::{RunSummary, RunsRequest, Service, moment};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::table;
use crate::{reply, say};
use baton_engine::service::Fault;

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

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let service = Service::open(&Projects::here()?);
    let reply = service.runs(&RunsRequest { all: typed.all, flow: typed.flow, waiting: typed.waiting })?;
    say::no_ledger(reply.has_ledger);
    reply.note.iter().for_each(say::diagnostic);
    let mut out = io::stdout().lock();
    if typed.json {
        reply::print(&reply)?;
    } else if !reply.runs.is_empty() {
        let now = moment::now().0;
        let row = |run: &RunSummary| {
            let age = run.last_ms.map(|at| moment::span(now.saturating_sub(at)));
            let (current, handoffs) = (run.current.join(", "), run.handoffs.to_string());
            vec![
                run.run.clone(),
                run.flow.clone(),
                run.words.clone(),
                current,
                handoffs,
                age.unwrap_or_default(),
            ]
        };
        let rows: Vec<_> = reply.runs.iter().map(row).collect();
        let head = ["RUN", "FLOW", "STATE", "STEP", "HANDOFFS", "AGE"];
        for line in table::lines(&head, &rows, 2, table::width()) {
            writeln!(out, "{line}")?;
        }
    } else if reply.has_ledger {
        say::note(match (typed.waiting, reply.is_any_hidden) {
            (true, _) => "nothing waits for you",
            (false, false) => "no runs",
            (false, true) => "no runs are under way; `baton runs --all` shows those that are over",
        });
    }
    Ok(Outcome::Clean)
}
