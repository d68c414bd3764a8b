//! `baton prompt`: what agents are told, word for word.

use std::io::{self, Write};

use baton_engine::service::{FlowPrompts, PROMPTS, Prompt, Service, version};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::table;
use crate::say;
use baton_engine::service::Fault;

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

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
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
    for told in Service::open(&Projects::here()?).prompts_now(agent, run)? {
        let prompt = told.prompt.unwrap_or_else(|| "(nothing beside the handoff)".to_owned());
        writeln!(out, "{}", say::printable(&prompt))?;
        if let Some(ending) = told.ending {
            writeln!(out, "\n# at the end of its work\n\n{}", say::printable(ending.trim_end()))?;
        }
    }
    Ok(Outcome::Clean)
}

/// What an agent is told, as its definition and the flows of the project say.
fn of_agent(agent: &str, flow: Option<&str>, out: &mut impl Write) -> Result<Outcome, Fault> {
    let service = Service::open(&Projects::here()?);
    let words = match flow {
        Some(flow) => vec![flow.to_owned()],
        None => service.flow_names(),
    };
    let mut is_known = false;
    for word in words {
        let Some(all) = service.prompts_of(agent, &word)? else { continue };
        is_known = true;
        let FlowPrompts { flow, dialect, tokens_max, prompts } = all;
        let head =
            format!("{agent} in {flow}: dialect {dialect}, at most {tokens_max} tokens in one message");
        writeln!(out, "{}\n", table::one_line(&head))?;
        for Prompt { name, source, version, tokens, text } in prompts {
            let head = format!("# {name} ({source}, version {version}, {tokens} tokens)");
            writeln!(out, "{}\n", table::one_line(&head))?;
            writeln!(out, "{}\n", say::printable(text.trim_end()))?;
        }
    }
    if !is_known {
        return Err(Fault::refused(
            format!("no flow of this project has an agent {agent}"),
            Some("`baton flow check` lists the flows; --flow names one that comes with Baton".to_owned()),
        ));
    }
    Ok(Outcome::Clean)
}
