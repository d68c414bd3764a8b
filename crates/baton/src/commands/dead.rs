//! `baton dead`: the deliveries that were given up, and one of them with all that is needed to go on by hand.

use std::io::{self, Write};

use baton_engine::service::{DeadLetter, Service, moment};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::table;
use crate::{reply, say};
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "dead", command, run };

const ABOUT: &str = "Lists deliveries that were given up";

const LONG_ABOUT: &str = "\
Lists the deliveries that were given up and that nobody has decided about yet: to whom, at which step, after how many \
attempts, and why. With an ID it shows one: what each attempt failed with, the last words of the agent, the handoff it was to \
get, and what can be done. `baton retry` tries one again, with the same key.

With --json it prints {\"dead\": […]}, each with id, run, step, agent, attempts, reason, failures (attempt, at, why, words), \
handoff and next.";

const EXAMPLES: &str = "\
Examples:
  baton dead
  baton dead article-3/5-1-0     all that is known of one of them
  baton retry article-3/5-1-0    tries it again
  baton dead --json | jq -r '.dead[].failures[-1].words'";

#[derive(Debug, Args)]
struct Typed {
    /// The delivery, or its run; all of them unless one is named
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let reply = Service::open(&Projects::here()?).dead(typed.id.as_deref())?;
    say::no_ledger(reply.has_ledger);
    let mut out = io::stdout().lock();
    if typed.json {
        reply::print(&reply)?;
    } else if typed.id.is_some() {
        for letter in &reply.dead {
            print(letter, &mut out)?;
        }
    } else if !reply.dead.is_empty() {
        let rows: Vec<Vec<String>> = reply.dead.iter().map(row).collect();
        for line in table::lines(&["ID", "AGENT", "STEP", "ATTEMPTS", "WHY"], &rows, 4, table::width()) {
            writeln!(out, "{line}")?;
        }
        say::note("`baton dead ID` shows all that is known of one, `baton retry ID` tries it again");
    } else if reply.has_ledger {
        say::note("no delivery was given up");
    }
    Ok(Outcome::Clean)
}

fn row(letter: &DeadLetter) -> Vec<String> {
    let last = letter.failures.last().map(|last| format!(": {}", last.why));
    let why = format!("{}{}", letter.reason, last.unwrap_or_default());
    let attempts = letter.attempts.to_string();
    vec![letter.id.clone(), letter.agent.clone(), letter.step.clone(), attempts, table::one_line(&why)]
}

/// Prints all that is known of a dead letter.
fn print(letter: &DeadLetter, out: &mut impl Write) -> io::Result<()> {
    let head = format!("{}  to {} at step {}: {}", letter.id, letter.agent, letter.step, letter.reason);
    writeln!(out, "{}", table::one_line(&head))?;
    for one in &letter.failures {
        let when = format!("{} {}", moment::day_ms(one.at_ms), moment::clock_ms(one.at_ms));
        writeln!(out, "\nattempt {}, {when}: {}", one.attempt, table::one_line(&one.why))?;
        indented(out, &one.words)?;
    }
    match &letter.handoff {
        Some(handoff) => {
            writeln!(out, "\nIt was to get this, put into its own dialect:")?;
            indented(out, handoff)?;
        }
        None => writeln!(out, "\nIt was the first to work: there is no handoff before it.")?,
    }
    writeln!(out, "\nNext:")?;
    let columns = letter.next.iter().map(|next| next.command.len()).max().unwrap_or(0);
    for next in &letter.next {
        writeln!(out, "  {:columns$}  {}", next.command, next.does)?;
    }
    Ok(())
}

/// A text of others, line by line, so that it is not taken for one of ours.
fn indented(out: &mut impl Write, text: &str) -> io::Result<()> {
    for line in say::printable(text.trim_end()).lines() {
        writeln!(out, "  | {line}")?;
    }
    Ok(())
}
