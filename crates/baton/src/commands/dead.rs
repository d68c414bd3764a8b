//! `baton dead`: the deliveries that were given up, and one of them with all that is needed to go on by hand.

use std::io::{self, Write};

use baton_engine::history::projection::FailedAttempt;
use baton_engine::history::views::{self, show};
use baton_engine::kernel::Key;
use baton_engine::ledger::Ledger;
use baton_engine::run::awaited::{Awaited, Waiting};
use baton_engine::run::progress::TIME_OVER;
use baton_engine::run::summary::Summary;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::Projects;
use crate::runs::{book, moment, standing, table};
use crate::say;

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

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::here()?;
    let ledger = book::to_read(&project)?;
    let mut letters = Vec::new();
    if let Some(ledger) = &ledger {
        let is_whole = typed.json || typed.id.is_some();
        for head in book::heads(ledger, &["question"])? {
            let summary = views::summary(ledger, &head)?;
            let mut found = in_short(&summary);
            // Only what is shown beside a row is in the records alone.
            if is_whole && !found.is_empty() {
                found = of_run(ledger, &summary)?;
            }
            letters.extend(found);
        }
    }
    if let Some(id) = &typed.id {
        letters.retain(|letter| letter.id == *id || letter.run == *id);
        if letters.is_empty() {
            return Err(Failure::Refused {
                message: format!("{id} is no delivery that was given up"),
                hint: Some("`baton dead` lists them".to_owned()),
            });
        }
    }
    let mut out = io::stdout().lock();
    if typed.json {
        let objects: Vec<Value> = letters.iter().map(Letter::json).collect();
        writeln!(out, "{}", json!({ "dead": objects }))?;
    } else if typed.id.is_some() {
        for letter in &letters {
            letter.tell(&mut out)?;
        }
    } else if !letters.is_empty() {
        let rows: Vec<Vec<String>> = letters.iter().map(Letter::row).collect();
        for line in table::lines(&["ID", "AGENT", "STEP", "ATTEMPTS", "WHY"], &rows, 4, table::width()) {
            writeln!(out, "{line}")?;
        }
        say::note("`baton dead ID` shows all that is known of one, `baton retry ID` tries it again");
    } else if ledger.is_some() {
        say::note("no delivery was given up");
    }
    Ok(Outcome::Clean)
}

/// A delivery that was given up.
struct Letter {
    id: String,
    run: String,
    step: String,
    agent: String,
    attempts: u16,
    reason: String,
    /// Why the last attempt failed.
    last: Option<String>,
    failures: Vec<Attempt>,
    /// What it was to hand on, as its sender wrote it.
    handoff: Option<String>,
    /// What can be typed now, and what it does.
    next: Vec<(String, String)>,
}

/// An attempt that failed.
struct Attempt {
    number: u16,
    at: baton_engine::kernel::Millis,
    why: String,
    words: String,
}

/// The deliveries of a run that were given up, without what its records alone have.
fn in_short(summary: &Summary) -> Vec<Letter> {
    let letter = |one: &Awaited| {
        let Waiting::Person(question) = &one.what else { return None };
        // Whoever asks whether it may do something waits for an answer, and is not given up.
        let dead = question.dead.as_ref().filter(|_| !question.is_permission())?;
        Some(Letter {
            id: format!("{}/{}", summary.run, dead.key),
            run: summary.run.clone(),
            step: one.step.clone(),
            agent: dead.to.clone(),
            attempts: dead.attempts,
            reason: question.reason.text().to_owned(),
            last: dead.why.clone(),
            failures: Vec::new(),
            handoff: None,
            next: standing::next(summary),
        })
    };
    summary.awaited.iter().filter_map(letter).collect()
}

/// The deliveries of a run that were given up.
fn of_run(ledger: &dyn Ledger, summary: &Summary) -> Result<Vec<Letter>, Failure> {
    let run = book::whole(ledger, &summary.run)?;
    let carried = show(ledger, &summary.run, moment::now())?;
    let mut letters = in_short(summary);
    for letter in &mut letters {
        let is_it = |key: Key| format!("{}/{key}", letter.run) == letter.id;
        let asked = carried.pending.questions.iter().find(|asked| asked.dead.is_some_and(is_it));
        let handoff = asked.and_then(|asked| carried.text(asked.content?));
        letter.handoff = handoff
            .map(|handoff| String::from_utf8_lossy(&handoff).into_owned())
            .filter(|handoff| !handoff.trim().is_empty());
        let delivery = asked.and_then(|asked| run.history.delivery(asked.dead?));
        let failures = delivery.map(|delivery| delivery.failures.as_slice()).unwrap_or_default();
        letter.failures = failures.iter().map(Attempt::of).collect();
    }
    Ok(letters)
}

impl Attempt {
    fn of(failed: &FailedAttempt) -> Self {
        let why = failed.failure.signature.clone().unwrap_or_else(|| TIME_OVER.to_owned());
        let words = String::from_utf8_lossy(failed.words.as_deref().unwrap_or_default()).trim().to_owned();
        Self { number: failed.attempt, at: failed.at, why, words }
    }
}

impl Letter {
    fn why(&self) -> String {
        let last = self.last.as_ref().map(|last| format!(": {last}"));
        format!("{}{}", self.reason, last.unwrap_or_default())
    }

    fn row(&self) -> Vec<String> {
        let attempts = self.attempts.to_string();
        vec![self.id.clone(), self.agent.clone(), self.step.clone(), attempts, table::one_line(&self.why())]
    }

    fn json(&self) -> Value {
        let failures = self.failures.iter().map(|one| {
            json!({ "attempt": one.number, "at": moment::stamp(one.at), "why": one.why, "words": one.words })
        });
        let next = self.next.iter().map(|(typed, does)| json!({ "type": typed, "does": does }));
        json!({
            "id": self.id, "run": self.run, "step": self.step, "agent": self.agent, "attempts": self.attempts,
            "reason": self.reason, "failures": failures.collect::<Vec<_>>(), "handoff": self.handoff,
            "next": next.collect::<Vec<_>>(),
        })
    }

    /// All that is known of it, for people.
    fn tell(&self, out: &mut impl Write) -> io::Result<()> {
        let head = format!("{}  to {} at step {}: {}", self.id, self.agent, self.step, self.reason);
        writeln!(out, "{}", table::one_line(&head))?;
        for one in &self.failures {
            let when = format!("{} {}", moment::day(one.at), moment::clock(one.at));
            writeln!(out, "\nattempt {}, {when}: {}", one.number, table::one_line(&one.why))?;
            indented(out, &one.words)?;
        }
        match &self.handoff {
            Some(handoff) => {
                writeln!(out, "\nIt was to get this, put into its own dialect:")?;
                indented(out, handoff)?;
            }
            None => writeln!(out, "\nIt was the first to work: there is no handoff before it.")?,
        }
        writeln!(out, "\nNext:")?;
        let columns = self.next.iter().map(|(typed, _)| typed.len()).max().unwrap_or(0);
        for (typed, does) in &self.next {
            writeln!(out, "  {typed:columns$}  {does}")?;
        }
        Ok(())
    }
}

/// A text of others, line by line, so that it is not taken for one of ours.
fn indented(out: &mut impl Write, text: &str) -> io::Result<()> {
    for line in say::printable(text.trim_end()).lines() {
        writeln!(out, "  | {line}")?;
    }
    Ok(())
}
