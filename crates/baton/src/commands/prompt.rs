//! `baton prompt`: what agents are told, word for word.

use std::io::{self, Write};

use baton_engine::history::views::show;
use baton_engine::outbound::prompts::{BUILT_IN, Shown, endings};
use baton_engine::project::pinned::flow_of;
use baton_engine::project::roster::roster;
use baton_engine::records::entry::pinned;
use baton_engine::templates::{PROMPTS, version};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::runs::{book, moment, open, table};
use crate::say;
use baton_engine::project::flows;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "prompt", command, run };

const ABOUT: &str = "Shows what agents are told, word for word";

const LONG_ABOUT: &str = "\
Shows what an agent is told, as its definition and the flows of the project say: for its work, when it is asked for its handoff, and \
when that could not be taken; each text with where it comes from, its version and its tokens. With --run it shows what the agent is \
told now, in that run. Without an agent it prints the texts that Baton makes this of. `{…}` is filled in in a run.

One message – what the agent is told, with the handoff – may have 100000 tokens, or `prompt-tokens` of its definition. What \
it can do without is left out then, and that is said; a handoff is never cut, and is not sent if it is too long.

`prompt: FILE` in the definition of an agent puts a text of your own in the place of what it is always told. A run keeps the text as \
it was when the run started. What other agents wrote stands in a fence that it cannot close, and is cut where it is too long.";

const EXAMPLES: &str = "\
Examples:
  baton prompt                            the texts
  baton prompt writer                     what the writer is told, in any flow of the project
  baton prompt writer --flow article      in this one
  baton prompt writer --run article-3     what the writer of a run is told now";

#[derive(Debug, Args)]
struct Typed {
    /// An agent
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    /// The run in which it works
    #[arg(long, value_name = "RUN", requires = "agent")]
    run: Option<String>,
    /// The flow in which it works; all of the project unless one is named
    #[arg(long, value_name = "FLOW", requires = "agent", conflicts_with = "run")]
    flow: Option<String>,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let mut out = io::stdout().lock();
    if let (Some(agent), None) = (&typed.agent, &typed.run) {
        return of_agent(agent, typed.flow.as_deref(), &mut out);
    }
    let (Some(agent), Some(run)) = (&typed.agent, &typed.run) else {
        for (name, text) in PROMPTS {
            writeln!(out, "# {name} (version {})\n\n{}\n", version(text), text.trim_end())?;
        }
        return Ok(Outcome::Clean);
    };
    let project = Projects::here()?;
    let ledger = book::to_find(&project, run)?;
    let now = moment::now();
    let view = show(&ledger, run, now)?;
    let files = pinned(&ledger, run)?;
    let flow = flow_of(run, &files)?;
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

/// What an agent is told, as its definition and the flows of the project say.
fn of_agent(agent: &str, flow: Option<&str>, out: &mut impl Write) -> Result<Outcome, Failure> {
    let project = Projects::here()?;
    let words = match flow {
        Some(flow) => vec![flow.to_owned()],
        None => flows::names(&project.root.join(flows::FOLDER)),
    };
    let mut is_known = false;
    for word in words {
        let opened = flows::open(&project, &word)?;
        let steps = opened.flow.workers().filter(|worker| worker.agent.value == agent);
        let steps: Vec<usize> = steps.map(|worker| worker.step).collect();
        if steps.is_empty() {
            continue;
        }
        let agents = roster(&opened.flow, &project.root).map_err(|fault| Failure::Refused {
            message: fault.to_string(),
            hint: Some(fault.hint().to_owned()),
        })?;
        let Some(setup) = agents.get(agent) else { continue };
        is_known = true;
        let mut all = Vec::new();
        let own = setup.prompt_file.as_deref().and_then(|path| {
            let (_, bytes) = opened.files.iter().find(|(below, _)| below == path)?;
            Some((path, String::from_utf8_lossy(bytes).trim_end().to_owned()))
        });
        match own {
            Some((path, text)) => all.push(Shown::new("work", path, text)),
            None => all.extend(setup.prompt.clone().map(|text| Shown::new("work", BUILT_IN, text))),
        }
        for step in steps.iter().filter_map(|step| opened.flow.steps.get(*step)) {
            let task = step.work.task.as_ref().map(|task| task.value.clone());
            let name = format!("task of {}", step.name.value);
            all.extend(task.map(|task| Shown::new(name, &opened.path, task)));
        }
        all.extend(endings(&project.checker, agent, setup, &opened.flow.name.value));
        let (dialect, most) = (&setup.dialect, setup.prompt_tokens_max);
        let flow = &opened.flow.name.value;
        let head = format!("{agent} in {flow}: dialect {dialect}, at most {most} tokens in one message");
        writeln!(out, "{}\n", table::one_line(&head))?;
        for one in all {
            let Shown { name, source, version, tokens, text } = one;
            let head = format!("# {name} ({source}, version {version}, {tokens} tokens)");
            writeln!(out, "{}\n", table::one_line(&head))?;
            writeln!(out, "{}\n", say::printable(text.trim_end()))?;
        }
    }
    if !is_known {
        return Err(Failure::Refused {
            message: format!("no flow of this project has an agent {agent}"),
            hint: Some(
                "`baton flow check` lists the flows; --flow names one that comes with Baton".to_owned(),
            ),
        });
    }
    Ok(Outcome::Clean)
}
