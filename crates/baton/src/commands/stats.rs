//! `baton stats`: what runs cost, in handoffs, time and tokens.

use std::io::{self, Write};

use baton_document::flow::{Flow, Passes};
use baton_engine::history::metrics::{self, Measure, Metrics};
use baton_engine::history::projection::Projection;
use baton_engine::kernel::StepId;
use baton_engine::ledger::Ledger;
use baton_engine::project::pinned;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::runs::{book, moment, table};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "stats", command, run };

const ABOUT: &str = "Counts handoffs, time and tokens";

const LONG_ABOUT: &str = "\
Counts what runs cost. For one run: each handoff with how long it took, how often it was tried, and the tokens of what the \
agent was given and of what it wrote; then each step with its budget, and what handing on summaries saved. Without a run: a \
line for each run.

Tokens are counted by Baton on the texts (given, written); what agents say they used (claimed) stands beside it, is null where they \
say nothing, and is never added.

With --json a run is one object with handoffs, steps, input_tokens, output_tokens, tokens_used, saved and cycle_time; all \
runs are {\"runs\": […]}.";

const EXAMPLES: &str = "\
Examples:
  baton stats                 all runs
  baton stats article-3       one run, handoff by handoff
  baton stats article-3 --json | jq .saved";

#[derive(Debug, Args)]
struct Typed {
    /// A run; all of them unless one is named
    #[arg(value_name = "RUN")]
    run: Option<String>,
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
    match &typed.run {
        Some(run) => {
            let ledger = book::to_find(&project, run)?;
            one(&measured(&project, &book::whole(&ledger, run)?.history), typed.json)?;
        }
        None => {
            let Some(ledger) = book::to_read(&project)? else {
                if typed.json {
                    writeln!(io::stdout().lock(), "{}", json!({ "runs": [] }))?;
                }
                return Ok(Outcome::Clean);
            };
            all(&project, &ledger, typed.json)?;
        }
    }
    Ok(Outcome::Clean)
}

/// The figures of a run, by what its flow says.
pub(super) fn measured(project: &Project, run: &Projection) -> Metrics {
    let flow = pinned::flow(&run.pinned);
    let steps = |flow: &Flow| (0u16..).map(StepId).zip(flow.steps.clone()).collect::<Vec<_>>();
    let steps = flow.as_ref().map(steps).unwrap_or_default();
    let budget = |(id, step): &(StepId, baton_document::flow::StepSpec)| {
        Some((*id, step.work.budget.as_ref().map(|budget| budget.value)?))
    };
    let budgets: Vec<_> = steps.iter().filter_map(budget).collect();
    let summarised: Vec<_> =
        steps.iter().filter(|(_, step)| step.work.passes == Passes::Summary).map(|(id, _)| *id).collect();
    let measure = Measure { budgets: &budgets, summarised: &summarised };
    metrics::measured(&project.checker, run, measure)
}

/// How many handoffs a run has, and their tokens: as counted, and as claimed if somebody does.
pub(super) fn in_figures(figures: &Metrics) -> String {
    let handoffs = table::counted(figures.handoffs.len(), "handoff");
    let claimed = figures.tokens_used.map(|used| format!(", {used} claimed")).unwrap_or_default();
    format!("{handoffs}, {} tokens given, {} written{claimed}", figures.input_tokens, figures.output_tokens)
}

fn one(figures: &Metrics, as_json: bool) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if as_json {
        let object = serde_json::to_value(figures).unwrap_or(Value::Null);
        writeln!(out, "{object}")?;
        return Ok(());
    }
    writeln!(
        out,
        "{}  flow {}, {}, {}\n",
        figures.run,
        figures.flow,
        figures.cycle_time,
        in_figures(figures)
    )?;
    let rows: Vec<Vec<String>> = figures
        .handoffs
        .iter()
        .map(|handoff| {
            vec![
                handoff.handoff.clone(),
                if handoff.by_baton { "baton".to_owned() } else { handoff.from.clone() },
                handoff.to.clone().unwrap_or_default(),
                handoff.step.clone(),
                moment::span(handoff.elapsed_ms),
                handoff.attempts.to_string(),
                handoff.input_tokens.to_string(),
                handoff.output_tokens.to_string(),
                handoff.tokens_used.map(|used| used.to_string()).unwrap_or_else(|| "-".to_owned()),
            ]
        })
        .collect();
    let head = ["HANDOFF", "FROM", "TO", "STEP", "TOOK", "TRIES", "GIVEN", "WRITTEN", "CLAIMED"];
    for line in table::lines(&head, &rows, 3, table::width()) {
        writeln!(out, "{line}")?;
    }
    let budgeted = figures.steps.iter().filter_map(|step| {
        let used = step.input_tokens + step.output_tokens;
        let over = if step.over > 0 { format!("{} over", step.over) } else { String::new() };
        Some(vec![step.step.clone(), used.to_string(), step.budget?.to_string(), over])
    });
    let budgeted: Vec<Vec<String>> = budgeted.collect();
    if !budgeted.is_empty() {
        writeln!(out)?;
        for line in table::lines(&["STEP", "TOKENS", "BUDGET", ""], &budgeted, 0, table::width()) {
            writeln!(out, "{line}")?;
        }
    }
    if figures.saved.tokens > 0 {
        let saved = &figures.saved;
        writeln!(
            out,
            "\nsummaries: {} tokens were handed on for {}, {} less",
            saved.passed, saved.raw, saved.tokens
        )?;
    }
    Ok(())
}

fn all(project: &Project, ledger: &dyn Ledger, as_json: bool) -> Result<(), Failure> {
    let mut figures = Vec::new();
    for head in book::heads(ledger, &[])? {
        figures.push(measured(project, &book::whole(ledger, &head.stream)?.history));
    }
    let mut out = io::stdout().lock();
    if as_json {
        let objects: Vec<Value> =
            figures.iter().map(|run| serde_json::to_value(run).unwrap_or(Value::Null)).collect();
        writeln!(out, "{}", json!({ "runs": objects }))?;
        return Ok(());
    }
    let rows: Vec<Vec<String>> = figures
        .iter()
        .map(|run| {
            vec![
                run.run.clone(),
                run.flow.clone(),
                run.handoffs.len().to_string(),
                run.cycle_time.clone(),
                run.input_tokens.to_string(),
                run.output_tokens.to_string(),
                run.saved.tokens.to_string(),
            ]
        })
        .collect();
    let head = ["RUN", "FLOW", "HANDOFFS", "TOOK", "GIVEN", "WRITTEN", "SAVED"];
    for line in table::lines(&head, &rows, 1, table::width()) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
