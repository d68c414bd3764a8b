//! `baton show`: a run, a handoff, a gate, a question or a delivery.

use std::io::{self, Write};

use baton_document::carrier::Look;
use baton_document::{Input, Scratch};
use baton_engine::evidence::{Verdict, verdicts};
use baton_engine::history::output;
use baton_engine::history::projection::Went;
use baton_engine::history::receipts::Receipt;
use baton_engine::kernel::{Does, Doing, Key, Millis, State};
use baton_engine::ledger::{Erasure, Ledger, Store};
use baton_engine::records::entry::Entry;
use baton_engine::records::entry::history;
use baton_engine::records::ids::Ids;
use baton_engine::run::exposure::UNENFORCED;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use super::{Row, gate, stats, verify};
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::runs::follow::Run;
use crate::runs::names::{Named, parsed};
use crate::runs::tale::Line;
use crate::runs::{behind, book, moment, print, reception, standing, steps, table, tale};
use crate::say;

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

/// How much is shown of what an agent says while it works.
const SAID_LINES: usize = 5;

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

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::here()?;
    let ledger = book::to_find(&project, &typed.id)?;
    // What agents write must not hide a run, so that runs come first.
    let is_run = book::is_there(&ledger, parsed(&typed.id).0)?;
    let own = if is_run { None } else { by_own_id(&ledger, &typed.id)? };
    let id = own.unwrap_or(typed.id);
    let (name, named) = parsed(&id);
    let run = book::whole(&ledger, name)?;
    behind::tell(&project, &ledger, Some(name))?;
    match named {
        Named::Run => show_run(&project, &ledger, &run, typed.json)?,
        Named::Handoff(number) => {
            let handoff = handoff(&ledger, &project, &run, number)?.ok_or_else(|| Failure::Refused {
                message: format!("{name} has no handoff {number}; it has {}", run.progress().handoffs),
                hint: Some(format!("`baton log {name}` names each")),
            })?;
            show_handoff(&handoff, typed.json)?;
        }
        Named::Question(_) | Named::Delivery(_) | Named::Step(_) => {
            show_open(&project, &ledger, &run, &id, &named, typed.json)?;
        }
    }
    Ok(Outcome::Clean)
}

/// The name of the handoff that has this id of its own, if one has.
pub(super) fn by_own_id(ledger: &dyn Ledger, id: &str) -> Result<Option<String>, Failure> {
    let ids = Ids::read(ledger)?;
    let Some(place) = ids.find(id).map(|given| given.place.clone()) else { return Ok(None) };
    let before = history(ledger, &place.run)?.into_iter().take_while(|entry| entry.record.seq <= place.seq);
    let number = before.filter(Entry::is_handoff).count();
    Ok(Some(format!("{}/{number}", place.run)))
}

fn show_run(project: &Project, ledger: &dyn Ledger, run: &Run, as_json: bool) -> Result<(), Failure> {
    let now = moment::now();
    let view = run.view();
    let mut out = anstream::stdout().lock();
    let state = &view.state;
    let figures = stats::measured(project, &run.history);
    if as_json {
        let mut object = standing::json(&view.summary);
        object["input_tokens"] = figures.input_tokens.into();
        object["output_tokens"] = figures.output_tokens.into();
        object["tokens_used"] = figures.tokens_used.into();
        let people = run.people.iter().map(|(at, line)| {
            json!({ "at": moment::stamp(*at), "who": line.who, "what": line.what, "why": line.why })
        });
        object["people"] = people.collect();
        object["given_up"] = steps::given_up(run, &view);
        let deliveries = run.history.receipts().map(|receipt| reception::json(state.run(), receipt));
        object["deliveries"] = deliveries.collect();
        writeln!(out, "{object}")?;
        return Ok(());
    }
    writeln!(out, "{}  {}", state.run(), table::one_line(&book::words(ledger, &view.summary)?))?;
    writeln!(out)?;
    for line in steps::lines(run, &view, now, table::width()) {
        writeln!(out, "{line}")?;
    }
    let until = if state.ending().is_some() { run.progress().last.unwrap_or(now) } else { now };
    writeln!(
        out,
        "\nflow {}, {}, {}",
        table::one_line(&state.plan().name),
        stats::in_figures(&figures),
        run.progress().started.map(|started| moment::between(started, until)).unwrap_or_default()
    )?;
    let skipped = run.people.len().saturating_sub(PEOPLE_LINES);
    for (_, Line { who, what, why }) in run.people.iter().skip(skipped) {
        let why = why.as_ref().map(|why| format!(" – {why}")).unwrap_or_default();
        writeln!(out, "{}", table::one_line(&format!("{who} {what}{why}")))?;
    }
    for step in &run.history.unenforced {
        writeln!(out, "answer at {}: {UNENFORCED}", table::one_line(step))?;
    }
    for lane in state.lanes() {
        let Doing::Delivery(delivery) = &lane.doing else { continue };
        let receipt = run.history.receipts().find(|receipt| receipt.key == delivery.key);
        if let Some(receipt) = receipt.filter(|receipt| reception::is_told(receipt)) {
            writeln!(out)?;
            reception::tell(receipt, &mut out)?;
        }
        let said = output::last(&project.root, state.run(), delivery.key, SAID_LINES);
        if !said.is_empty() {
            writeln!(out, "\n{} says:", table::one_line(&agent(state, usize::from(delivery.to.0))))?;
        }
        for line in said {
            writeln!(out, "{}", print::said(line.text.as_deref()))?;
        }
    }
    writeln!(out, "\nNext:")?;
    for line in standing::next_lines(&view.summary) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// A handoff of a run.
struct Handoff {
    id: String,
    run: String,
    from: String,
    /// Whether Baton wrote it, because that agent gave none.
    by_baton: bool,
    to: String,
    step: String,
    outcome: &'static str,
    at: String,
    dialect: Option<String>,
    /// Its text, unless it was erased.
    text: Option<String>,
    /// When its text was erased, by whom and why, if it was.
    erased: Option<(String, Erasure)>,
    /// What came of looking at its evidence last, and when.
    verdict: Option<(String, Verdict)>,
    /// How it was received, if an agent got it.
    receipt: Option<Receipt>,
}

/// The n-th handoff of a run.
fn handoff(
    ledger: &dyn Ledger,
    project: &Project,
    run: &Run,
    number: usize,
) -> Result<Option<Handoff>, Failure> {
    let history = &run.history;
    let Some(it) = number.checked_sub(1).and_then(|at| history.handoffs.get(at)) else { return Ok(None) };
    let name = run.state().run();
    let text = it.text.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    // The last one counts: what was brought again was erased again.
    let names_it = |(_, erasure): &&(Millis, Erasure)| {
        it.payload.is_some_and(|payload| erasure.digests.contains(&payload))
    };
    let erased = history.erasures.iter().rfind(names_it).filter(|_| text.is_none());
    let key = history.answered(it).map(|delivery| delivery.key).filter(|_| !it.is_substitute());
    let verdict = match key {
        Some(key) => verdicts(ledger, name)?.into_iter().rfind(|(_, recorded)| recorded.key == key),
        None => None,
    };
    Ok(Some(Handoff {
        id: format!("{name}/{number}"),
        run: name.to_owned(),
        from: it.from.clone(),
        by_baton: it.by_baton,
        to: receiver(&it.went),
        step: it.step().to_owned(),
        outcome: tale::outcome(it.facts.outcome),
        at: moment::stamp(it.recorded),
        dialect: text.as_deref().and_then(|text| dialect(project, text)),
        erased: erased.map(|(at, erasure)| (moment::stamp(*at), erasure.clone())),
        text,
        verdict: verdict.map(|(at, recorded)| (moment::stamp(at), recorded.verdict)),
        receipt: history.next_of(it).map(|delivery| delivery.receipt.clone()),
    }))
}

fn agent(state: &State, id: usize) -> String {
    state.plan().agents.get(id).map_or_else(String::new, |agent| agent.name.clone())
}

/// The receiver of a handoff, as far as the plan says.
fn receiver(went: &Went) -> String {
    match went {
        Went::Nowhere => String::new(),
        Went::Step(name, Does::Gate(_), _) => format!("gate {name}"),
        Went::Step(_, does, agents) => standing::doing(does, agents),
        Went::Agent(agent) => agent.clone(),
        Went::Person => "a person".to_owned(),
        Went::Join => "its join".to_owned(),
        Went::End => "the end".to_owned(),
        Went::Halt => "nobody: the run halts".to_owned(),
    }
}

/// The dialect of the first handoff in a text.
fn dialect(project: &Project, text: &str) -> Option<String> {
    let input =
        Input { path: None, bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true };
    let mut scratch = Scratch::default();
    let checked = project.checker.check(input, &project.world, &mut scratch);
    let first = checked.handoffs.first()?;
    Some(project.checker.dialect_of(first).name.to_string())
}

fn show_handoff(handoff: &Handoff, as_json: bool) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if as_json {
        let object = json!({
            "id": handoff.id,
            "run": handoff.run,
            "from": handoff.from,
            "by_baton": handoff.by_baton,
            "to": handoff.to,
            "step": handoff.step,
            "outcome": handoff.outcome,
            "at": handoff.at,
            "dialect": handoff.dialect,
            "text": handoff.text,
            "erased": handoff.erased.as_ref().map(|(at, Erasure { by, because, .. })| {
                json!({ "at": at, "by": by, "because": because })
            }),
            "verdict": handoff.verdict.as_ref().map(|(_, verdict)| verdict),
            "verified_at": handoff.verdict.as_ref().map(|(at, _)| at),
            "reception": handoff.receipt.as_ref().map(|receipt| reception::json(&handoff.run, receipt)),
        });
        writeln!(out, "{object}")?;
        return Ok(());
    }
    let Handoff { id, from, to, step, outcome, at, dialect, text, .. } = handoff;
    let unknown = if text.is_some() { "no dialect" } else { "erased" };
    let dialect = dialect.as_deref().unwrap_or(unknown);
    let from = if handoff.by_baton { format!("baton, for {from}") } else { from.clone() };
    let head = format!("{id}  {from} → {to}, {dialect}, step {step}: {outcome}, {at}");
    writeln!(out, "{}\n", table::one_line(&head))?;
    match text {
        Some(text) => writeln!(out, "{}", say::printable(text.trim_end()))?,
        None => match &handoff.erased {
            Some((at, Erasure { by, because, .. })) => {
                let (by, because) = (table::one_line(by), table::one_line(because));
                writeln!(out, "(its text was erased by {by}, {at}: {because}; the record of it stays)")?;
            }
            None => writeln!(out, "(its text is gone, and no record says why; see `baton log --verify`)")?,
        },
    }
    if let Some((at, verdict)) = &handoff.verdict {
        writeln!(out, "\n{}, {at}", verify::headline(verdict))?;
        verify::tell(verdict, &mut out)?;
    }
    if let Some(receipt) = handoff.receipt.as_ref().filter(|receipt| reception::is_told(receipt)) {
        writeln!(out)?;
        reception::tell(receipt, &mut out)?;
    }
    Ok(())
}

/// What is open at a step, or under a name, with what it is about.
fn show_open(
    project: &Project,
    ledger: &dyn Store,
    run: &Run,
    id: &str,
    named: &Named,
    as_json: bool,
) -> Result<(), Failure> {
    let view = run.view();
    let state = &view.state;
    if let Named::Step(step) = named
        && state.plan().step_named(step).is_none()
    {
        let names: Vec<&str> = state.plan().steps.iter().map(|step| step.name.as_str()).collect();
        return Err(Failure::Refused {
            message: format!("{} has no step {step}", state.run()),
            hint: Some(format!("its steps are {}", names.join(", "))),
        });
    }
    let carried = baton_engine::history::views::show(ledger, state.run(), moment::now())?;
    let questions = &carried.pending.questions;
    // A delivery that was given up is known by its own name, and by that of the question about it.
    let asked = |key: Key| questions.iter().find(|question| question.dead == Some(key));
    let asked = match named {
        Named::Delivery(key) => asked(*key).map(|question| format!("{}/?{}", state.run(), question.ask.0)),
        Named::Run | Named::Handoff(_) | Named::Question(_) | Named::Step(_) => None,
    };
    let fits = |one: &standing::Awaited| match named {
        Named::Step(step) => one.step == *step,
        Named::Question(_) | Named::Delivery(_) | Named::Run | Named::Handoff(_) => {
            one.id == id || asked.as_ref() == Some(&one.id)
        }
    };
    let open: Vec<_> = standing::awaited(&view.summary).into_iter().filter(fits).collect();
    let content = |one: &standing::Awaited| {
        let deliveries = carried.pending.deliveries.iter();
        let owed =
            deliveries.map(|owed| (format!("{}/{}", state.run(), owed.key), owed.content, owed.key.lane));
        let asked = questions.iter();
        let asked =
            asked.map(|asked| (format!("{}/?{}", state.run(), asked.ask.0), asked.content, asked.lane));
        let (_, content, lane) = owed.chain(asked).find(|(id, _, _)| *id == one.id)?;
        // Behind a join no content names what there is: what each branch ended with.
        let texts = match content {
            Some(content) => carried.text(content).into_iter().collect(),
            None => carried.branches(lane),
        };
        let texts: Vec<_> = texts.iter().map(|text| String::from_utf8_lossy(text)).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    };
    if open.is_empty() {
        return Err(Failure::Refused {
            message: format!("nothing is open at {id}"),
            hint: Some(format!("`baton show {}` shows what is", state.run())),
        });
    }
    for one in open {
        if one.kind == standing::Kind::Gate {
            gate::show_gate(project, &one.id, as_json)?;
            continue;
        }
        let mut out = io::stdout().lock();
        let text = content(&one);
        let is_it = |receipt: &&Receipt| format!("{}/{}", state.run(), receipt.key) == one.id;
        let receipt = run.history.receipts().find(is_it);
        if as_json {
            let object: Value = json!({
                "id": one.id, "kind": one.kind.word(), "step": one.step, "text": one.text, "content": text,
                "reception": receipt.map(|receipt| reception::json(state.run(), receipt)),
            });
            writeln!(out, "{object}")?;
            continue;
        }
        writeln!(out, "{}", table::one_line(&format!("{}  step {}: {}", one.id, one.step, one.text)))?;
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            writeln!(out, "\n{}", say::printable(text.trim_end()))?;
        }
        if let Some(receipt) = receipt.filter(|receipt| reception::is_told(receipt)) {
            writeln!(out)?;
            reception::tell(receipt, &mut out)?;
        }
    }
    Ok(())
}
