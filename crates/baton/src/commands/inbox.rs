//! `baton inbox`: the work that lies ready for agents who ask for it themselves.

use std::io::{self, Write};

use baton_engine::service::{InboxItem, Service};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::table;
use crate::{reply, say};
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "inbox", command, run };

const ABOUT: &str = "Shows the work that lies ready for an agent";

const LONG_ABOUT: &str = "\
Shows the work that lies ready for agents with `inbox: true` and for people (`courier: human`), and for whom. Whoever takes \
it acknowledges it with `baton ack`, asks about it with `baton clarify`, and hands in its answer with `baton return`.

With --json it prints {\"inbox\": […]}, each with id, agent, run, step, from, dialect, handoff (the text in the agent's own \
dialect), prompt (what it is told beside it), and failure if the handoff cannot be made.";

const EXAMPLES: &str = "\
Examples:
  baton inbox                what lies ready for anybody
  baton inbox clerk          for one agent
  baton inbox clerk --json | jq -r '.inbox[0].handoff'
  baton return article-3/5-1-0 answer.yaml";

#[derive(Debug, Args)]
struct Typed {
    /// The agent; all of them unless one is named
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    /// Prints JSON, with the handoffs
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let reply = Service::open(&Projects::here()?).inbox(typed.agent.as_deref())?;
    say::no_ledger(reply.has_ledger);
    let mut out = io::stdout().lock();
    if typed.json {
        reply::print(&reply)?;
    } else if !reply.inbox.is_empty() {
        let rows: Vec<Vec<String>> = reply.inbox.iter().map(row).collect();
        for line in table::lines(&["ID", "AGENT", "STEP", "FROM", "DIALECT"], &rows, 3, table::width()) {
            writeln!(out, "{line}")?;
        }
    } else if let (Some(known), Some(agent)) = (&reply.known, &typed.agent) {
        let known = known.iter().take(20).map(String::as_str).collect::<Vec<_>>().join(", ");
        say::note(&format!("no agent is called `{agent}` in any run here; there are {known}"));
    } else if reply.has_ledger {
        say::note("nothing lies ready");
    }
    Ok(Outcome::Clean)
}

fn row(item: &InboxItem) -> Vec<String> {
    [&item.id, &item.agent, &item.step, &item.from, &item.dialect].map(Clone::clone).to_vec()
}
