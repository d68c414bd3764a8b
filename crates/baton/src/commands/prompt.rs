//! `baton prompt`: what agents are told, word for word.

use std::io::{self, Write};

use baton_engine::prompts::PROMPTS;
use baton_engine::roster::roster;
use baton_engine::{pinned, show};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::runs::{book, moment, open};
use crate::{flows, say};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "prompt", command, run };

const ABOUT: &str = "Shows what agents are told, word for word";

const LONG_ABOUT: &str = "\
Shows what an agent of a run is told now: beside the handoff that it works on, and at the end of its work. Without --run it \
prints the texts that Baton makes this of, each with its name; `{…}` in them is filled in.

`prompt: FILE` in the definition of an agent puts a text of your own in the place of what it is always told. A run keeps the text as \
it was when the run started. What other agents wrote stands in a fence that it cannot close, and is cut where it is too long.";

const EXAMPLES: &str = "\
Examples:
  baton prompt                            the texts
  baton prompt writer --run article-3     what the writer of a run is told now";

#[derive(Debug, Args)]
struct Typed {
    /// An agent
    #[arg(value_name = "AGENT", requires = "run")]
    agent: Option<String>,
    /// The run in which it works
    #[arg(long, value_name = "RUN", requires = "agent")]
    run: Option<String>,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let mut out = io::stdout().lock();
    let (Some(agent), Some(run)) = (&typed.agent, &typed.run) else {
        for (name, text) in PROMPTS {
            writeln!(out, "# {name}\n\n{}\n", text.trim_end())?;
        }
        return Ok(Outcome::Clean);
    };
    let project = Projects::here()?;
    let ledger = book::to_find(&project, run)?;
    let now = moment::now();
    let view = show(&ledger, run, now)?;
    let files = pinned(&ledger, run)?;
    let flow = flows::pinned(run, &files)?;
    let project = Project::pinned(&project.root, &files);
    let agents = roster(&flow, &project.root).map_err(|fault| Failure::Refused {
        message: fault.to_string(),
        hint: Some(fault.hint().to_owned()),
    })?;
    let mut is_told = false;
    for owed in view.pending.deliveries.iter().filter(|owed| open::agent(&view, owed.to) == agent) {
        is_told = true;
        let told = view.told(&project.checker, &agents, &project.root, owed, now);
        let (prompt, asked) = told.map_err(Failure::world)?;
        let prompt = prompt.unwrap_or_else(|| "(nothing beside the handoff)".to_owned());
        writeln!(out, "{}", say::printable(&prompt))?;
        if let Some(asked) = asked {
            writeln!(out, "\n# at the end of its work\n\n{}", say::printable(asked.trim_end()))?;
        }
    }
    if !is_told {
        return Err(Failure::Refused {
            message: format!("nothing is given to {agent} in {run} now"),
            hint: Some(format!("`baton show {run}` shows who works")),
        });
    }
    Ok(Outcome::Clean)
}
