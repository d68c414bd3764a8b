//! `baton run`: starts a run of a flow and drives it.

use baton_engine::service::{Service, StartRequest};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::drive::{self, Face};
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "run", command, run };

const ABOUT: &str = "Starts a run of a flow, and drives it";

const LONG_ABOUT: &str = "\
Starts a run of a flow and drives it: calls its agents one after the other, hands each what the one before handed on, in \
its own dialect, and records everything in .baton/ before it happens. The run is called FLOW-1, FLOW-2 and so on. Flows that \
come with Baton say what their agents speak; how those are reached stands in [agents.NAME] of baton.toml.

On a terminal it shows each step while it is worked at, and goes on waiting when only people are awaited; Ctrl-C stops the \
agents and leaves the run as `baton resume` can go on with it. In a pipe it prints a line for everything that happens, and \
ends when only people or inboxes are awaited, saying what to type. If the process is killed, nothing is lost: `baton resume` \
goes on.

Exit codes: 0 the run came to a good end, or people are awaited; 1 it was halted, failed or cancelled, or the flow has \
errors; 130 it was stopped.

With --json it prints a line for everything that happens, as `baton log --json` does, and last one with how the run stands, \
as in `baton runs --json`.";

const EXAMPLES: &str = "\
Examples:
  baton run article                        flows/article.yaml
  baton run flows/article.yaml             the same
  baton run article --input feature=jwt    with something to work on
  baton run article --name jwt             under a name of your own
  baton run article --json | jq -r .what";

/// How long the name of a run may be: files are named by it.
const NAME_MAX: usize = 64;

#[derive(Debug, Args)]
struct Typed {
    /// A name in flows/, the path of a flow file, or a flow that comes with Baton
    #[arg(value_name = "FLOW")]
    flow: String,
    /// Gives the run something that its flow asks for; again for more
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    input: Vec<(String, String)>,
    /// The name of the run, unless it is numbered
    #[arg(long, value_name = "RUN", value_parser = run_name)]
    name: Option<String>,
    /// Ends when only people or inboxes are awaited, on a terminal too
    #[arg(long)]
    no_wait: bool,
    /// Prints JSON, a line for everything that happens
    #[arg(long)]
    json: bool,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        Some(_) | None => Err("write it as NAME=VALUE, such as feature=jwt".to_owned()),
    }
}

fn run_name(text: &str) -> Result<String, String> {
    let is_name = text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.len() <= NAME_MAX
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if is_name {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "a run's name has letters, digits, -, _ and ., begins with a letter or digit, and has at most {NAME_MAX} of them"
        ))
    }
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let service = Service::open(&Projects::to_act()?);
    let request = StartRequest { flow: typed.flow, input: typed.input, name: typed.name };
    let reply = service.start(&request, &mut Face::new(typed.json, !typed.no_wait))?;
    Ok(drive::outcome(&reply))
}
