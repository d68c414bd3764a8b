//! `baton resume`: goes on with a run that nobody drives.

use baton_engine::service::Service;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::drive::{self, Face};
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "resume", command, run };

const ABOUT: &str = "Goes on with a run that was stopped";

const LONG_ABOUT: &str = "\
Goes on with a run that nobody drives: one that was stopped, whose process was killed, or that waited for somebody. The run \
goes by its flow and its agents as they were when it started, whatever the files say now. Without a name it goes on with the run that was started last \
and is not over.

With --changed it goes on with its flow, agents, dialects, prompts and settings as their files are now, from where it is: you \
have mended a prompt, corrected how an agent is started, or allowed more rounds. That you did is recorded with the files, and from \
then on the run goes by these. What it is using must still be there: the steps that it is at or goes back to, and the agents at work. \
Otherwise it is refused, and nothing changes. What had been allowed stays allowed. The people whose keys count at its gates \
stay those that were named when it started. An agent cannot do this.

A run in which `baton handoff --send` sends a manifest is gone on with in the same way: whatever ends it well is arrival, and the \
manifest says what came of it.

Work that was under way when a process was killed is begun again only where the agent says `restart: safe`; otherwise you \
are asked. Agents that you stopped yourself, with Ctrl-C, are asked again at once.";

const EXAMPLES: &str = "\
Examples:
  baton resume              the run that was started last
  baton resume article-3
  baton resume article-3 --changed    with its flow and agents as the files are now";

#[derive(Debug, Args)]
struct Typed {
    /// The run; the one that was started last unless one is named
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Goes on with the flow, agents, dialects and prompts as their files are now
    #[arg(long)]
    changed: bool,
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

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let service = Service::open(&Projects::to_act()?);
    let run = match typed.run {
        Some(run) => run,
        None => service.last_open()?,
    };
    let face = &mut Face::new(typed.json, !typed.no_wait);
    let reply =
        if typed.changed { service.resume_changed(&run, face)? } else { service.resume(&run, face)? };
    Ok(drive::outcome(&reply))
}
