//! `baton resume`: goes on with a run that nobody drives.

use baton_engine::pinned;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::runs::drive::{Begin, Desk, drive};
use crate::runs::{book, crew};
use crate::shuttle::send;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "resume", command, run };

const ABOUT: &str = "Goes on with a run that was stopped";

const LONG_ABOUT: &str = "\
Goes on with a run that nobody drives: one that was stopped, whose process was killed, or that waited for somebody. The run \
goes by its flow and its agents as they were when it started. Without a name it goes on with the run that was started last \
and is not over.

A run in which `baton handoff --send` sends a manifest is gone on with in the same way: whatever ends it well is arrival, and the \
manifest says what came of it.

Work that was under way when a process was killed is begun again only where the agent says `restart: safe`; otherwise you \
are asked. Agents that you stopped yourself, with Ctrl-C, are asked again at once.";

const EXAMPLES: &str = "\
Examples:
  baton resume              the run that was started last
  baton resume article-3";

#[derive(Debug, Args)]
struct Typed {
    /// The run; the one that was started last unless one is named
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Ends when only people or inboxes are awaited, on a terminal too
    #[arg(long)]
    no_wait: bool,
    /// Prints JSON, a line for everything that happens
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::to_act()?;
    let name = match typed.run {
        Some(run) => run,
        None => last(&project)?,
    };
    go_on(&project, &name, typed.json, !typed.no_wait)
}

/// Drives a run that is there.
pub(super) fn go_on(project: &Project, name: &str, is_json: bool, waits: bool) -> Result<Outcome, Failure> {
    let ledger = book::to_find(project, name)?;
    if send::is_relay(project, &ledger, name)? {
        return send::go_on(project, &ledger, name, (is_json, waits));
    }
    let agents = crew::of(project, &ledger, name)?;
    let project = &Project::pinned(&project.root, &pinned(&ledger, name)?);
    let desk = Desk { project, ledger: &ledger, agents: &agents, is_json, is_quiet: false, waits };
    drive(&desk, Begin::Resume(name.to_owned()))
}

fn last(project: &Project) -> Result<String, Failure> {
    let none = || Failure::Refused {
        message: "no run is under way".to_owned(),
        hint: Some("`baton run FLOW` starts one".to_owned()),
    };
    let Some(ledger) = baton_engine::store::existing(&project.root)? else { return Err(none()) };
    let heads = book::heads(&ledger, &[])?;
    let open = heads.into_iter().find(|head| !head.labels.iter().any(|label| label == "over"));
    open.map(|head| head.stream).ok_or_else(none)
}
