//! `baton inbox`: the work that lies ready for agents who ask for it themselves.

use std::io::{self, Write};

use baton_engine::history::views::show;
use baton_engine::kernel::OwedDelivery;
use baton_engine::ledger::Ledger;
use baton_engine::project::pinned::flow_of;
use baton_engine::project::roster::roster;
use baton_engine::records::entry::pinned;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::runs::{book, moment, open, standing, table};
use crate::say;

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

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::here()?;
    let ledger = book::to_read(&project)?;
    let mut found = Vec::new();
    if let Some(ledger) = &ledger {
        let label = typed.agent.as_ref().map(|agent| format!("inbox:{agent}"));
        let labels: Vec<&str> = label.as_deref().into_iter().collect();
        for head in book::heads(ledger, &labels)? {
            if head.labels.iter().any(|label| label.starts_with("inbox:")) {
                found.extend(of_run(&project, ledger, &head.stream)?);
            }
        }
    }
    found.retain(|item| typed.agent.as_ref().is_none_or(|agent| *agent == item.agent));
    let mut out = io::stdout().lock();
    if typed.json {
        let objects: Vec<Value> = found.iter().map(Item::json).collect();
        writeln!(out, "{}", json!({ "inbox": objects }))?;
    } else if !found.is_empty() {
        let rows: Vec<Vec<String>> = found.iter().map(Item::row).collect();
        for line in table::lines(&["ID", "AGENT", "STEP", "FROM", "DIALECT"], &rows, 3, table::width()) {
            writeln!(out, "{line}")?;
        }
    } else if let Some(ledger) = &ledger {
        say::note(&nothing(ledger, typed.agent.as_deref())?);
    }
    Ok(Outcome::Clean)
}

/// Says that nothing lies ready, and whether there is anybody of that name for whom something could.
fn nothing(ledger: &dyn Ledger, agent: Option<&str>) -> Result<String, Failure> {
    let usual = "nothing lies ready".to_owned();
    let Some(agent) = agent else { return Ok(usual) };
    let mut known = std::collections::BTreeSet::new();
    for head in book::heads(ledger, &[])? {
        let run = book::one(ledger, &head.stream)?;
        known.extend(run.state().plan().agents.iter().map(|agent| agent.name.clone()));
        if known.contains(agent) {
            return Ok(usual);
        }
    }
    let known = known.iter().take(20).map(String::as_str).collect::<Vec<_>>().join(", ");
    Ok(format!("no agent is called `{agent}` in any run here; there are {known}"))
}

/// A delivery that lies in an inbox.
struct Item {
    id: String,
    agent: String,
    run: String,
    step: String,
    from: String,
    dialect: String,
    /// The handoff, and what the agent is told beside it.
    parcel: Result<(String, Option<String>), String>,
}

impl Item {
    fn row(&self) -> Vec<String> {
        [&self.id, &self.agent, &self.step, &self.from, &self.dialect].map(Clone::clone).to_vec()
    }

    fn json(&self) -> Value {
        json!({
            "id": self.id, "agent": self.agent, "run": self.run, "step": self.step, "from": self.from,
            "dialect": self.dialect,
            "handoff": self.parcel.as_ref().ok().map(|(handoff, _)| handoff),
            "prompt": self.parcel.as_ref().ok().and_then(|(_, prompt)| prompt.as_ref()),
            "failure": self.parcel.as_ref().err(),
        })
    }
}

fn of_run(project: &Project, ledger: &dyn Ledger, run: &str) -> Result<Vec<Item>, Failure> {
    let now = moment::now();
    let view = show(ledger, run, now)?;
    let files = pinned(ledger, run)?;
    let flow = flow_of(run, &files)?;
    let project = Project::pinned(&project.root, &files);
    let agents = roster(&flow, &project.root).map_err(|fault| Failure::Refused {
        message: fault.to_string(),
        hint: Some(fault.hint().to_owned()),
    })?;
    let mut items = Vec::new();
    let answered = view.answered(ledger)?;
    let lies_ready = |owed: &&OwedDelivery| {
        !view.is_expired(owed.key, now) && !answered.contains(&(owed.key, owed.attempt))
    };
    for owed in view.pending.deliveries.iter().filter(lies_ready) {
        let agent = open::agent(&view, owed.to).to_owned();
        let Some(setup) = agents.get(&agent).filter(|setup| setup.is_kept()) else { continue };
        let text = view.parcel(&project.checker, &agents, &project.root, owed, now);
        items.push(Item {
            id: format!("{run}/{}", owed.key),
            run: run.to_owned(),
            step: standing::step_name(&view.state, owed.step).to_owned(),
            from: owed.from.map(|from| open::agent(&view, from).to_owned()).unwrap_or_default(),
            dialect: setup.dialect.clone(),
            parcel: text.map(|(text, prompt)| (String::from_utf8_lossy(&text).into_owned(), prompt)),
            agent,
        });
    }
    Ok(items)
}
