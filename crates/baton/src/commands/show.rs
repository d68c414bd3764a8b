//! `baton show`: a run, a handoff, a gate, a question or a delivery.

use std::io::{self, Write};

use baton_engine::service::{
    ErasedText, HandoffReply, OpenReply, PersonAnswer, RunReply, Service, Shown, UNENFORCED, moment,
};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::{Row, gate, stats, verify};
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::{next, print, reception, steps, table};
use crate::{reply, say};
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "show", command, run };

const ABOUT: &str = "Shows a run, a handoff or a gate";

const LONG_ABOUT: &str = "\
Shows a run: which steps are done (✔), which were given up (✘, with the handoff that says why), which it is at (●), which follow (○) and which it may never need (·), what it waits \
for, what people answered, the last lines that its agents said while they work (each behind a `│`), and what to type next. Or a handoff of a run: who wrote it, where it went, how it was received, its dialect and its text. Or what is open at \
a step: a gate, a question.

With --json a run is an object as in `baton runs --json`, with input_tokens, output_tokens and tokens_used as in `baton stats --json`, \
what people answered, given_up (each with step and handoff) and deliveries; a handoff has id, run, from, by_baton (whether Baton wrote it, because that agent gave none), to, step, outcome, at, dialect, text, \
the verdict of `baton verify` with verified_at, and erased (with at, by and because) where its text was; a gate is as in `baton gate show --json`; anything else \
that is open has id, kind, step, text and content.";

const EXAMPLES: &str = "\
Examples:
  baton show article-3            a run
  baton show article-3/2          the second handoff of a run
  baton show HO-012               a handoff by the id in its text
  baton show article-3/approve    what is open at a step
  baton show article-3/2 --json | jq -r .text";

/// How many answers of people are shown; the log has all.
const PEOPLE_LINES: usize = 10;

#[derive(Debug, Args)]
struct Typed {
    /// A run, RUN/NUMBER or the id of a handoff, or RUN/STEP for a gate
    #[arg(value_name = "ID")]
    id: String,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let reply = Service::open(&Projects::here()?).show(&typed.id)?;
    reply.note.iter().for_each(say::diagnostic);
    for shown in &reply.shown {
        if typed.json {
            reply::print(shown)?;
            continue;
        }
        let mut out = anstream::stdout().lock();
        match shown {
            Shown::Run(run) => print_run(run, &mut out)?,
            Shown::Handoff(handoff) => print_handoff(handoff, &mut out)?,
            Shown::Gate(reply) => gate::print(reply)?,
            Shown::Open(open) => print_open(open, &mut out)?,
        }
    }
    Ok(Outcome::Clean)
}

fn print_run(run: &RunReply, out: &mut impl Write) -> io::Result<()> {
    let summary = &run.summary;
    writeln!(out, "{}  {}", summary.run, table::one_line(&run.words))?;
    writeln!(out)?;
    for line in steps::lines(&run.steps, table::width()) {
        writeln!(out, "{line}")?;
    }
    let now = moment::now().0;
    let until = if summary.ending.is_some() { summary.last_ms.unwrap_or(now) } else { now };
    let took = summary.started_ms.map(|started| moment::span(until.saturating_sub(started)));
    writeln!(
        out,
        "\nflow {}, {}, {}",
        table::one_line(&summary.flow),
        stats::in_figures(&run.figures),
        took.unwrap_or_default()
    )?;
    let skipped = run.people.len().saturating_sub(PEOPLE_LINES);
    for PersonAnswer { who, what, why, .. } in run.people.iter().skip(skipped) {
        let why = why.as_ref().map(|why| format!(" – {why}")).unwrap_or_default();
        writeln!(out, "{}", table::one_line(&format!("{who} {what}{why}")))?;
    }
    for step in &run.unenforced {
        writeln!(out, "answer at {}: {UNENFORCED}", table::one_line(step))?;
    }
    for working in &run.working {
        if let Some(reception) = &working.reception {
            writeln!(out)?;
            reception::print(reception, out)?;
        }
        if !working.said.is_empty() {
            writeln!(out, "\n{} says:", table::one_line(&working.agent))?;
        }
        for line in &working.said {
            writeln!(out, "{}", print::said(line.as_deref()))?;
        }
    }
    writeln!(out, "\nNext:")?;
    for line in next::lines(&run.next) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn print_handoff(handoff: &HandoffReply, out: &mut impl Write) -> io::Result<()> {
    let HandoffReply { id, from, to, step, outcome, at, dialect, text, .. } = handoff;
    let unknown = if text.is_some() { "no dialect" } else { "erased" };
    let dialect = dialect.as_deref().unwrap_or(unknown);
    let from = if handoff.by_baton { format!("baton, for {from}") } else { from.clone() };
    let head = format!("{id}  {from} → {to}, {dialect}, step {step}: {outcome}, {at}");
    writeln!(out, "{}\n", table::one_line(&head))?;
    match text {
        Some(text) => writeln!(out, "{}", say::printable(text.trim_end()))?,
        None => match &handoff.erased {
            Some(ErasedText { at, by, because }) => {
                let (by, because) = (table::one_line(by), table::one_line(because));
                writeln!(out, "(its text was erased by {by}, {at}: {because}; the record of it stays)")?;
            }
            None => writeln!(out, "(its text is gone, and no record says why; see `baton log --verify`)")?,
        },
    }
    if let (Some(verdict), Some(at)) = (&handoff.verdict, &handoff.verified_at) {
        writeln!(out, "\n{}, {at}", verify::headline(verdict))?;
        verify::tell(verdict, out)?;
    }
    if let Some(reception) = handoff.reception.as_ref().filter(|reception| reception.has_news()) {
        writeln!(out)?;
        reception::print(reception, out)?;
    }
    Ok(())
}

fn print_open(open: &OpenReply, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", table::one_line(&format!("{}  step {}: {}", open.id, open.step, open.text)))?;
    if let Some(text) = open.content.as_ref().filter(|text| !text.trim().is_empty()) {
        writeln!(out, "\n{}", say::printable(text.trim_end()))?;
    }
    if let Some(reception) = open.reception.as_ref().filter(|reception| reception.has_news()) {
        writeln!(out)?;
        reception::print(reception, out)?;
    }
    Ok(())
}
