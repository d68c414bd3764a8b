//! `baton clarify`: asks what was meant, or answers somebody who asks.

use baton_engine::service::{AnswerChoice, ClarifyRequest, Service};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::{Row, submit};
use crate::outcome::Outcome;
use crate::project::Projects;
use baton_engine::service::Fault;

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

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let service = Service::open(&Projects::to_act()?);
    let choice = match (typed.to, typed.go_on, typed.halt) {
        (Some(step), _, _) => Some(AnswerChoice::To(step)),
        (None, true, _) => Some(AnswerChoice::GoOn),
        (None, false, true) => Some(AnswerChoice::Halt),
        (None, false, false) => None,
    };
    let request = ClarifyRequest { id: typed.id, text: typed.text, choice, more: typed.more };
    submit::handed(&service.clarify(&request)?, typed.json)
}
