//! One thing by its id: a run, a handoff, a gate, a question or a delivery.

use baton_kernel::{Doing, Key};
use baton_ledger::{Ledger, Store};
use schemars::JsonSchema;
use serde::Serialize;

use super::facade::Service;
use super::follow::{Run, View};
use super::gates::{self, GateReply};
use super::handoff::{self, HandoffReply};
use super::names::{Named, parsed};
use super::reception::Reception;
use super::stats::{Metrics, measured};
use super::steps::{self, GivenUp, StepEntry};
use super::summary::{self, NextStep, RunSummary};
use super::{lookup, moment, pending_files, standing};
use crate::history::output;
use crate::history::receipts::Receipt;
use crate::history::views::{RunView, show};
use crate::project::fault::{Diagnostic, Fault, Result};

/// How much is shown of what an agent says while it works.
const SAID_LINES: usize = 5;

/// What an id names.
#[derive(Clone, Debug)]
pub struct ShowReply {
    /// What is shown; several where several are open at a step.
    pub shown: Vec<Shown>,
    /// A note about files that are behind the record.
    pub note: Option<Diagnostic>,
}

/// Something that an id names.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Shown {
    /// A run.
    Run(Box<RunReply>),
    /// A handoff.
    Handoff(Box<HandoffReply>),
    /// A gate, or a permission that an agent asks for.
    Gate(Box<GateReply>),
    /// Something else that is open.
    Open(Box<OpenReply>),
}

/// A run, in full.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunReply {
    /// How it stands.
    #[serde(flatten)]
    pub summary: RunSummary,
    /// Tokens that its agents were given.
    pub input_tokens: u64,
    /// Tokens that its agents wrote.
    pub output_tokens: u64,
    /// Tokens that its agents claim.
    pub tokens_used: Option<u64>,
    /// What people answered.
    pub people: Vec<PersonAnswer>,
    /// The steps that were given up.
    pub given_up: Vec<GivenUp>,
    /// How its deliveries were received.
    pub deliveries: Vec<Reception>,
    /// Its steps.
    pub steps: Vec<StepEntry>,
    /// What can be typed next.
    pub next: Vec<NextStep>,
    /// How it stands, in words that also name what waits in its mailbox.
    #[serde(skip)]
    pub words: String,
    /// Its figures.
    #[serde(skip)]
    pub figures: Metrics,
    /// Steps of gates whose answers agents could have given.
    #[serde(skip)]
    pub unenforced: Vec<String>,
    /// Deliveries that are out, with the last lines that their agents said.
    #[serde(skip)]
    pub working: Vec<Working>,
}

/// What a person answered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PersonAnswer {
    /// When.
    pub at: String,
    /// Who.
    pub who: String,
    /// What.
    pub what: String,
    /// Why.
    pub why: Option<String>,
}

/// A delivery that is out.
#[derive(Clone, Debug)]
pub struct Working {
    /// The agent.
    pub agent: String,
    /// How it received the delivery, where there is more to say than that it was sent.
    pub reception: Option<Reception>,
    /// What it said last; none stands for a line that is not kept.
    pub said: Vec<Option<String>>,
}

/// Something that is open: a question, a delivery, a wait.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OpenReply {
    /// Its id.
    pub id: String,
    /// Its kind, as in the list of what a run awaits.
    pub kind: String,
    /// The step.
    pub step: String,
    /// Who or what is awaited.
    pub text: String,
    /// What it is about.
    pub content: Option<String>,
    /// How the delivery was received.
    pub reception: Option<Reception>,
}

impl Service {
    /// Shows what an id names.
    pub fn show(&self, id: &str) -> Result<ShowReply> {
        let ledger = self.ledger_of(id)?;
        // Ids that agents write must not hide a run, so that runs come first.
        let is_run = lookup::is_there(&ledger, parsed(id).0)?;
        let own = if is_run { None } else { handoff::by_own_id(&ledger, id)? };
        let id = own.as_deref().unwrap_or(id);
        let (name, named) = parsed(id);
        let run = lookup::whole(&ledger, name)?;
        let note = pending_files::lagging(&self.project, &ledger, Some(name))?;
        let shown = match named {
            Named::Run => vec![Shown::Run(Box::new(self.run_reply(&ledger, &run)?))],
            Named::Handoff(number) => {
                let handoff = handoff::handoff(&ledger, &self.project, &run, number)?;
                let handoff = handoff.ok_or_else(|| {
                    let hint = Some(format!("`baton log {name}` names each"));
                    Fault::refused(
                        format!("{name} has no handoff {number}; it has {}", run.progress().handoffs),
                        hint,
                    )
                })?;
                vec![Shown::Handoff(Box::new(handoff))]
            }
            Named::Question(_) | Named::Delivery(_) | Named::Step(_) => open(&ledger, &run, id, &named)?,
        };
        Ok(ShowReply { shown, note })
    }

    fn run_reply(&self, ledger: &dyn Ledger, run: &Run) -> Result<RunReply> {
        let view = run.view();
        let state = &view.state;
        let figures = measured(&self.project, &run.history);
        let people = run.people.iter().map(|(at, line)| PersonAnswer {
            at: moment::stamp(*at),
            who: line.who.clone(),
            what: line.what.clone(),
            why: line.why.clone(),
        });
        let working = state.lanes().iter().filter_map(|lane| {
            let Doing::Delivery(delivery) = &lane.doing else { return None };
            let receipt = run.history.receipts().find(|receipt| receipt.key == delivery.key);
            let reception = receipt.map(|receipt| Reception::new(state.run(), receipt));
            let said = output::last(&self.project.root, state.run(), delivery.key, SAID_LINES);
            let agent = state.plan().agents.get(usize::from(delivery.to.0));
            Some(Working {
                agent: agent.map_or_else(String::new, |agent| agent.name.clone()),
                reception: reception.filter(Reception::has_news),
                said: said.into_iter().map(|line| line.text).collect(),
            })
        });
        Ok(RunReply {
            summary: summary::summary(&view.summary),
            input_tokens: figures.input_tokens,
            output_tokens: figures.output_tokens,
            tokens_used: figures.tokens_used,
            people: people.collect(),
            given_up: steps::given_up(run, &view),
            deliveries: run.history.receipts().map(|receipt| Reception::new(state.run(), receipt)).collect(),
            steps: steps::entries(run, &view, moment::now()),
            next: summary::next(&view.summary),
            words: lookup::words(ledger, &view.summary)?,
            unenforced: run.history.unenforced.clone(),
            working: working.collect(),
            figures,
        })
    }
}

/// What is open at a step, or under an id.
fn open(ledger: &dyn Store, run: &Run, id: &str, named: &Named) -> Result<Vec<Shown>> {
    let view = run.view();
    let state = &view.state;
    if let Named::Step(step) = named
        && state.plan().step_named(step).is_none()
    {
        let names: Vec<&str> = state.plan().steps.iter().map(|step| step.name.as_str()).collect();
        let hint = Some(format!("its steps are {}", names.join(", ")));
        return Err(Fault::refused(format!("{} has no step {step}", state.run()), hint));
    }
    let carried = show(ledger, state.run(), moment::now())?;
    let open = fitting(&view, &carried, id, named);
    if open.is_empty() {
        let hint = Some(format!("`baton show {}` shows what is", state.run()));
        return Err(Fault::refused(format!("nothing is open at {id}"), hint));
    }
    let shown = open.into_iter().map(|one| {
        if one.kind == standing::Kind::Gate {
            return Ok(Shown::Gate(Box::new(gates::view(ledger, &one.id)?)));
        }
        let is_it = |receipt: &&Receipt| format!("{}/{}", state.run(), receipt.key) == one.id;
        let receipt = run.history.receipts().find(is_it);
        Ok(Shown::Open(Box::new(OpenReply {
            content: content(&carried, &one),
            reception: receipt.map(|receipt| Reception::new(state.run(), receipt)),
            kind: one.kind.word().to_owned(),
            id: one.id,
            step: one.step,
            text: one.text,
        })))
    });
    shown.collect()
}

/// What is awaited at a step, or under an id.
fn fitting(view: &View, carried: &RunView, id: &str, named: &Named) -> Vec<standing::Awaited> {
    // A delivery that was given up is known by its own id, and by that of the question about it.
    let asked = |key: Key| carried.pending.questions.iter().find(|question| question.dead == Some(key));
    let run = view.state.run();
    let asked = match named {
        Named::Delivery(key) => asked(*key).map(|question| format!("{run}/?{}", question.ask.0)),
        Named::Run | Named::Handoff(_) | Named::Question(_) | Named::Step(_) => None,
    };
    let fits = |one: &standing::Awaited| match named {
        Named::Step(step) => one.step == *step,
        Named::Question(_) | Named::Delivery(_) | Named::Run | Named::Handoff(_) => {
            one.id == id || asked.as_ref() == Some(&one.id)
        }
    };
    standing::awaited(&view.summary).into_iter().filter(fits).collect()
}

/// What an open delivery or question is about.
fn content(carried: &RunView, one: &standing::Awaited) -> Option<String> {
    let run = carried.state.run();
    let deliveries = carried.pending.deliveries.iter();
    let owed = deliveries.map(|owed| (format!("{run}/{}", owed.key), owed.content, owed.key.lane));
    let asked = carried.pending.questions.iter();
    let asked = asked.map(|asked| (format!("{run}/?{}", asked.ask.0), asked.content, asked.lane));
    let (_, content, lane) = owed.chain(asked).find(|(id, _, _)| *id == one.id)?;
    // Behind a join there is no single content: each branch ended with one.
    let texts = match content {
        Some(content) => carried.text(content).into_iter().collect(),
        None => carried.branches(lane),
    };
    let texts: Vec<_> = texts.iter().map(|text| String::from_utf8_lossy(text)).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
