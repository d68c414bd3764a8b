//! `baton show`: a run, a handoff, a gate, a question or a delivery.

use std::io::{self, Write};

use baton_document::carrier::Look;
use baton_document::{Input, Scratch};
use baton_engine::evidence::{Verdict, verdicts};
use baton_engine::history::output;
use baton_engine::history::receipts::{Receipt, receipts};
use baton_engine::kernel::{
    Digest, Does, Doing, Event, Key, Outcome as KernelOutcome, State, StepId, Target, evolve,
};
use baton_engine::ledger::{Erasure, Ledger, Store};
use baton_engine::records::entry::Entry;
use baton_engine::records::entry::history;
use baton_engine::records::ids::Ids;
use baton_engine::records::substitute::Made;
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
    let run = book::one(&ledger, name)?;
    behind::tell(&project, &ledger, Some(name))?;
    match named {
        Named::Run => show_run(&project, &ledger, &run, typed.json)?,
        Named::Handoff(number) => {
            let handoff = handoff(&ledger, &project, name, number)?.ok_or_else(|| Failure::Refused {
                message: format!("{name} has no handoff {number}; it has {}", run.handoffs),
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
    let receipts = receipts(&history(ledger, state.run())?);
    let figures = stats::measured(project, ledger, state.run())?;
    if as_json {
        let mut object = standing::json(run);
        object["input_tokens"] = figures.input_tokens.into();
        object["output_tokens"] = figures.output_tokens.into();
        object["tokens_used"] = figures.tokens_used.into();
        let people = run.people.iter().map(|(at, line)| {
            json!({ "at": moment::stamp(*at), "who": line.who, "what": line.what, "why": line.why })
        });
        object["people"] = people.collect();
        object["given_up"] = steps::given_up(run, &view);
        let deliveries = receipts.iter().map(|receipt| reception::json(state.run(), receipt));
        object["deliveries"] = deliveries.collect();
        writeln!(out, "{object}")?;
        return Ok(());
    }
    writeln!(out, "{}  {}", state.run(), table::one_line(&book::words(ledger, &view)?))?;
    writeln!(out)?;
    for line in steps::lines(run, &view, now, table::width()) {
        writeln!(out, "{line}")?;
    }
    let until = if state.ending().is_some() { run.last.unwrap_or(now) } else { now };
    writeln!(
        out,
        "\nflow {}, {}, {}",
        table::one_line(&state.plan().name),
        stats::in_figures(&figures),
        run.started.map(|started| moment::between(started, until)).unwrap_or_default()
    )?;
    let skipped = run.people.len().saturating_sub(PEOPLE_LINES);
    for (_, Line { who, what, why }) in run.people.iter().skip(skipped) {
        let why = why.as_ref().map(|why| format!(" – {why}")).unwrap_or_default();
        writeln!(out, "{}", table::one_line(&format!("{who} {what}{why}")))?;
    }
    for step in &run.unenforced {
        writeln!(out, "answer at {}: {UNENFORCED}", table::one_line(step))?;
    }
    for lane in state.lanes() {
        let Doing::Delivery(delivery) = &lane.doing else { continue };
        let receipt = receipts.iter().find(|receipt| receipt.key == delivery.key);
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
    for line in standing::next_lines(&view) {
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
    run: &str,
    number: usize,
) -> Result<Option<Handoff>, Failure> {
    let mut state = State::new();
    let mut handoffs = 0;
    let mut found: Option<(Handoff, Key)> = None;
    let mut received = None;
    let all = history(ledger, run)?;
    let receipts = receipts(&all);
    let erasures: Vec<(String, Erasure)> =
        all.iter().filter_map(|it| Some((moment::stamp(it.record.at), Erasure::read(&it.record)?))).collect();
    // The last one counts: what was brought again was erased again.
    let erased = |text: &Option<String>, digest: Option<Digest>| {
        let names_it =
            |(_, erasure): &&(String, Erasure)| digest.is_some_and(|it| erasure.digests.contains(&it));
        erasures.iter().rfind(names_it).filter(|_| text.is_none()).cloned()
    };
    for entry in all {
        let is_it = entry.is_handoff() && {
            handoffs += 1;
            handoffs == number
        };
        let Some(event) = &entry.event else {
            if let Some(made) = entry.made().filter(|_| is_it) {
                let digest = entry.record.payload.as_ref().map(|payload| payload.digest);
                let mut handoff = given_up(project, &state, format!("{run}/{number}"), made, entry);
                handoff.erased = erased(&handoff.text, digest);
                return Ok(Some(handoff));
            }
            continue;
        };
        if let Some((handoff, key)) = &mut found {
            // Where it went is what its lane did next.
            if let Event::Routed { lane, winner, .. } = event
                && *lane == key.lane
            {
                handoff.to = receiver(&state, *lane, *winner);
            } else if let Event::DeliveryStarted { key: next, to, .. } = event
                && next.lane == key.lane
            {
                handoff.to = agent(&state, usize::from(to.0));
                received = Some(*next);
                break;
            } else if let Event::Answered { .. } | Event::GateOpened { .. } | Event::RunEnded { .. } = event {
                break;
            }
        } else if let Event::Answered { key, facts, .. } = event
            && is_it
        {
            let digest = entry.record.payload.as_ref().map(|payload| payload.digest);
            let bytes = entry.record.payload.and_then(|payload| payload.bytes);
            let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let step = state.lane(key.lane).map_or(key.step, |lane| lane.step);
            let from = state.delivery(*key).map(|delivery| agent(&state, usize::from(delivery.to.0)));
            let handoff = Handoff {
                id: format!("{run}/{number}"),
                run: run.to_owned(),
                from: from.unwrap_or_default(),
                by_baton: false,
                to: String::new(),
                step: standing::step_name(&state, step).to_owned(),
                outcome: tale::outcome(facts.outcome),
                at: moment::stamp(entry.record.at),
                dialect: text.as_deref().and_then(|text| dialect(project, text)),
                erased: erased(&text, digest),
                text,
                verdict: None,
                receipt: None,
            };
            found = Some((handoff, *key));
        }
        evolve(&mut state, event);
    }
    let Some((mut handoff, key)) = found else { return Ok(None) };
    handoff.receipt = receipts.into_iter().find(|receipt| Some(receipt.key) == received);
    let mut verdicts = verdicts(ledger, run)?.into_iter().filter(|(_, recorded)| recorded.key == key);
    handoff.verdict = verdicts.next_back().map(|(at, recorded)| (moment::stamp(at), recorded.verdict));
    Ok(Some(handoff))
}

/// What stands for a delivery that was given up. A person was asked about it then, or the run has halted.
fn given_up(project: &Project, state: &State, id: String, made: Made, entry: Entry) -> Handoff {
    let bytes = entry.record.payload.and_then(|payload| payload.bytes);
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let to = if state.ending().is_some() { "nobody: the run halts" } else { "a person" };
    Handoff {
        id,
        run: state.run().to_owned(),
        from: made.agent,
        by_baton: !made.is_error,
        to: to.to_owned(),
        step: made.step,
        outcome: tale::outcome(KernelOutcome::Blocked),
        at: moment::stamp(entry.record.at),
        dialect: text.as_deref().and_then(|text| dialect(project, text)),
        text,
        erased: None,
        verdict: None,
        receipt: None,
    }
}

fn agent(state: &State, id: usize) -> String {
    state.plan().agents.get(id).map_or_else(String::new, |agent| agent.name.clone())
}

/// Who gets what a lane carries to a target, as far as the plan says.
fn receiver(state: &State, lane: baton_engine::kernel::LaneId, target: Target) -> String {
    let doer = |step: StepId| match state.plan().step(step).map(|step| &step.does) {
        Some(Does::Gate(_)) => format!("gate {}", standing::step_name(state, step)),
        _ => standing::doer(state, step),
    };
    let here = state.lane(lane).map(|lane| lane.step);
    match target {
        Target::Step(step) => doer(step),
        Target::Delegate(id) | Target::Sender(id) => agent(state, usize::from(id.0)),
        Target::Person => "a person".to_owned(),
        Target::Join => "its join".to_owned(),
        Target::End => "the end".to_owned(),
        Target::Halt => "nobody: the run halts".to_owned(),
        Target::Detour(_) | Target::Author | Target::Critic | Target::Back | Target::Again => {
            here.map(doer).unwrap_or_default()
        }
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
    let receipts = receipts(&history(ledger, state.run())?);
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
    let open: Vec<_> = standing::awaited(&view).into_iter().filter(fits).collect();
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
        let receipt = receipts.iter().find(is_it);
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
