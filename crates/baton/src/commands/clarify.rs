//! `baton clarify`: asks what was meant, or answers somebody who asks.

use std::io::{self, Write};

use baton_engine::kernel::{Choice, Reason};
use baton_engine::records::mailbox::Wish;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::Projects;
use crate::runs::names::{Named, parsed};
use crate::runs::{authority, book, caps, open, wish};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "clarify", command, run };

const ABOUT: &str = "Asks what was meant, or answers a question of a run";

const LONG_ABOUT: &str = "\
For a delivery (RUN/KEY): an agent with an inbox asks what was meant. Its sender answers, and the work comes again with the \
answer.

For a question of a run to people (RUN/?NUMBER, or the run alone if it asks one only): answers it. The step is done again \
with the answer, unless one of the options says otherwise; what a flow asks with `escalate` goes on to what follows. Where a cap \
has stopped the run, --more raises it: by a number of what it counts, or by a time such as 10m.

With --json it prints id and taken.";

const EXAMPLES: &str = "\
Examples:
  baton clarify article-3/5-1-0 'Which of the two figures?'    an agent asks
  baton clarify article-3/?7 'The second one'                  a person answers, and the step is done again
  baton clarify article-3/?7 --go-on                           on to what follows
  baton clarify article-3/?7 --to write                        to another step
  baton clarify article-3/?7 --go-on --more 10                 ten more of what was used up
  baton clarify article-3/?7 --go-on --more 10m                ten minutes more, where that was time
  baton clarify article-3/?7 --halt                            no further";

#[derive(Debug, Args)]
struct Typed {
    /// A delivery, or a question
    #[arg(value_name = "ID")]
    id: String,
    /// What is asked or answered
    #[arg(value_name = "TEXT")]
    text: Option<String>,
    /// Answers a question: on to what follows
    #[arg(long, conflicts_with_all = ["to", "halt"])]
    go_on: bool,
    /// Answers a question: to this step
    #[arg(long, value_name = "STEP", conflicts_with = "halt")]
    to: Option<String>,
    /// Answers a question: the run halts
    #[arg(long)]
    halt: bool,
    /// Raises the cap that stopped the run by so much: a number, of time such as 10m
    #[arg(long, value_name = "N")]
    more: Option<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::to_act()?;
    let ledger = book::to_find(&project, &typed.id)?;
    let (run, wish, id) = match parsed(&typed.id).1 {
        Named::Delivery(_) => {
            if typed.go_on || typed.halt || typed.to.is_some() || typed.more.is_some() {
                return Err(Failure::usage("these options answer a question, and this is a delivery"));
            }
            if typed.text.is_none() {
                return Err(Failure::usage("say what is asked"));
            }
            let open = open::delivery(&ledger, &typed.id)?;
            let id = format!("{}/{}", open.run, open.it.key);
            (open.run, Wish::Ask { key: open.it.key, attempt: open.it.attempt }, id)
        }
        Named::Run | Named::Handoff(_) | Named::Question(_) | Named::Step(_) => {
            authority::must_be_person()?;
            let open = open::question(&ledger, &typed.id)?;
            let plan = open.view.state.plan();
            let choice = match (&typed.to, typed.go_on, typed.halt) {
                (Some(step), _, _) => Choice::Go(plan.step_named(step).ok_or_else(|| Failure::Refused {
                    message: format!("{} has no step {step}", open.run),
                    hint: Some(format!("`baton show {}` lists its steps", open.run)),
                })?),
                (None, true, _) => Choice::GoOn,
                (None, false, true) => Choice::Halt,
                // Nobody works at such a step, who could do it again.
                (None, false, false) if typed.text.is_some() && open.it.reason == Reason::PlanEscalates => {
                    Choice::GoOn
                }
                (None, false, false) if typed.text.is_some() => Choice::Again,
                (None, false, false) => {
                    return Err(Failure::Usage {
                        message: "say the answer".to_owned(),
                        hint: Some("a text, --go-on, --to STEP or --halt".to_owned()),
                    });
                }
            };
            let id = format!("{}/?{}", open.run, open.it.ask.0);
            let more = typed.more.as_deref().map(|more| caps::more(open.it.reason, more)).transpose()?;
            caps::must_not_hold(&open.view.state, &open.it, choice, more)?;
            let wish = Wish::AnswerPerson { ask: open.it.ask, choice, by: book::person(), more, step: None };
            (open.run, wish, id)
        }
    };
    let text = typed.text.as_deref().map(str::as_bytes);
    let handed = wish::hand_in(&project, &ledger, &run, &wish, text)?;
    let mut out = io::stdout().lock();
    if typed.json {
        writeln!(out, "{}", json!({ "id": id, "taken": handed.is_taken() }))?;
    } else {
        writeln!(out, "handed in for {id}")?;
        wish::tell(&run, handed);
    }
    Ok(Outcome::Clean)
}
