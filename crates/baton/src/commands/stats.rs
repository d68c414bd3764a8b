//! `baton stats`: what runs cost, in handoffs, time and tokens.

use std::io::{self, Write};

use baton_engine::service::{Metrics, Service, StatsReply, moment};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::table;
use crate::{reply, say};
use baton_engine::service::Fault;

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

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let service = Service::open(&Projects::here()?);
    if let Some(run) = &typed.run {
        one(&service.stats_of(run)?, typed.json)?;
        return Ok(Outcome::Clean);
    }
    let reply = service.stats()?;
    say::no_ledger(reply.has_ledger);
    if typed.json {
        reply::print(&reply)?;
    } else if reply.has_ledger {
        all(&reply)?;
    }
    Ok(Outcome::Clean)
}

/// How many handoffs a run has, and their tokens: as counted, and as claimed if somebody does.
pub(super) fn in_figures(figures: &Metrics) -> String {
    let handoffs = table::counted(figures.handoffs.len(), "handoff");
    let claimed = figures.tokens_used.map(|used| format!(", {used} claimed")).unwrap_or_default();
    format!("{handoffs}, {} tokens given, {} written{claimed}", figures.input_tokens, figures.output_tokens)
}

fn one(figures: &Metrics, as_json: bool) -> Result<(), Fault> {
    let mut out = io::stdout().lock();
    if as_json {
        drop(out);
        return reply::print(figures);
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

fn all(reply: &StatsReply) -> Result<(), Fault> {
    let mut out = io::stdout().lock();
    let rows: Vec<Vec<String>> = reply
        .runs
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
