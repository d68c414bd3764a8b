//! Gates and permissions: what is open, what it shows, and a person's signed answer.

use std::collections::BTreeMap;

use baton_document::flow::{Does, Flow};
use baton_kernel::{Digest, Event, GateAnswer, GateId, Held, Truth};
use baton_ledger::Store;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::authority;
use super::facade::Service;
use super::permission::{self, Permission};
use super::person::person;
use super::signer::{Signer, signer};
use super::{lookup, moment, open, request, standing};
use crate::history::gate_integrity;
use crate::history::views::{self, show};
use crate::project::fault::{Diagnostic, Fault, Result};
use crate::project::people::{Home, People, Person, Secret, Statement};
use crate::project::pinned::flow_of;
use crate::records::entry::{Entry, history, pinned};
use crate::records::mailbox::RunRequest;
use crate::run::awaited::{Awaited, Waiting};

pub use crate::run::exposure::UNENFORCED;

/// How many digits of a hash are enough.
const SHORT: usize = 8;

/// What waits for a yes or no.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct GatesReply {
    /// The gates, then the permissions that agents ask for.
    pub gates: Vec<OpenGate>,
    /// Whether the project has a ledger.
    #[serde(skip)]
    pub has_ledger: bool,
}

/// Something that waits for a yes or no.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum OpenGate {
    /// A gate.
    Gate(GateEntry),
    /// A permission that an agent asks for.
    Permission(PermissionEntry),
}

/// A gate that is open.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GateEntry {
    /// Its id.
    pub id: String,
    /// The run.
    pub run: String,
    /// The step.
    pub step: String,
    /// The flow.
    pub flow: String,
    /// When it opened.
    pub since: Option<String>,
    /// When it is due.
    pub due: Option<String>,
    /// When it opened, in milliseconds.
    #[serde(skip)]
    pub since_ms: Option<u64>,
    /// When it is due, in milliseconds.
    #[serde(skip)]
    pub due_ms: Option<u64>,
}

/// A permission that an agent asks for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PermissionEntry {
    /// Its id.
    pub id: String,
    /// The run.
    pub run: String,
    /// The flow.
    pub flow: String,
    /// The agent.
    pub agent: String,
    /// What it wants to do, in its first line.
    pub wants: String,
}

/// What a gate or a request for permission shows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum GateReply {
    /// A gate.
    Gate(GateView),
    /// A permission that an agent asks for.
    Permission(PermissionView),
}

/// What a gate shows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GateView {
    /// Its id.
    pub id: String,
    /// What is to be validated.
    pub items: Vec<String>,
    /// What the answers are called.
    pub options: BTreeMap<String, String>,
    /// Its checks, as they came out last.
    pub checks: Vec<GateCheck>,
    /// Hash of what it shows.
    pub shown: Option<String>,
    /// What it shows.
    pub text: Option<String>,
    /// Whether no agent could give the answer itself.
    pub enforced: bool,
    /// The agents that could.
    #[serde(skip)]
    pub exposed: Vec<String>,
}

/// A check of a gate.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GateCheck {
    /// Its name.
    pub check: String,
    /// Whether it holds.
    pub holds: bool,
    /// Why that is unknown, where it is.
    pub unknown: Option<String>,
}

/// What an agent wants to do.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PermissionView {
    /// Id of the question.
    pub id: String,
    /// The agent.
    pub agent: String,
    /// Hash of what is shown.
    pub shown: String,
    /// What it wants to do.
    pub text: String,
}

/// The answers to a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateWord {
    /// The run goes on.
    Approve,
    /// The work goes back, or the run halts.
    Reject,
    /// Something is to be explained first.
    Ask,
}

/// A person's answer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AnswerGate {
    /// The gate as RUN/STEP, or the question of an agent.
    pub gate: String,
    /// The answer.
    pub answer: GateWord,
    /// Why, for the record.
    #[serde(default)]
    pub because: Option<String>,
    /// The beginning of the hash that the person saw.
    #[serde(default)]
    pub shown: Option<String>,
    /// The person, if the key of no other is to be tried.
    #[serde(default)]
    pub who: Option<String>,
}

/// What became of an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnswerGateReply {
    /// What was answered.
    pub id: String,
    /// The answer.
    pub answer: GateWord,
    /// Whether a driver has taken it.
    pub taken: bool,
    /// Whether no agent could have given it; none for a permission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enforced: Option<bool>,
    /// The run.
    #[serde(skip)]
    pub run: String,
    /// Whether it answers a permission.
    #[serde(skip)]
    pub is_permission: bool,
    /// Whether no person is listed, so that any key counts.
    #[serde(skip)]
    pub is_anyone: bool,
    /// The agents that could have given it.
    #[serde(skip)]
    pub exposed: Vec<String>,
    /// Notes of the signing.
    #[serde(skip)]
    pub notes: Vec<Diagnostic>,
    /// The entry of the person, where it is to be replaced by one with a salt.
    #[serde(skip)]
    pub older: Option<(Person, Secret)>,
}

impl Service {
    /// Lists what waits for a yes or no.
    pub fn gates(&self) -> Result<GatesReply> {
        let Some(ledger) = self.existing()? else { return Ok(GatesReply::default()) };
        let mut gates = Vec::new();
        for head in lookup::heads(&ledger, &["gate"])? {
            let summary = views::summary(&ledger, &head)?;
            for one in &summary.awaited {
                let Waiting::Gate { due, .. } = one.what else { continue };
                gates.push(OpenGate::Gate(GateEntry {
                    id: one.id.clone(),
                    run: summary.run.clone(),
                    step: one.step.clone(),
                    flow: summary.flow.clone(),
                    since: one.since.map(moment::stamp),
                    due: due.map(moment::stamp),
                    since_ms: one.since.map(|at| at.0),
                    due_ms: due.map(|at| at.0),
                }));
            }
        }
        let now = moment::now();
        for head in lookup::heads(&ledger, &["question"])? {
            let summary = views::summary(&ledger, &head)?;
            let asks = |one: &Awaited| matches!(&one.what, Waiting::Person(it) if it.is_permission());
            if !summary.awaited.iter().any(asks) {
                continue;
            }
            let view = show(&ledger, &head.stream, now)?;
            let flow = &view.state.plan().name;
            gates.extend(permission::of_run(&head.stream, &view).into_iter().map(|one| {
                OpenGate::Permission(PermissionEntry {
                    id: one.id,
                    run: one.run,
                    flow: flow.clone(),
                    agent: one.agent,
                    wants: one.text.lines().next().unwrap_or_default().to_owned(),
                })
            }));
        }
        Ok(GatesReply { gates, has_ledger: true })
    }

    /// What a gate or a request for permission shows.
    pub fn gate(&self, id: &str) -> Result<GateReply> {
        view(&self.ledger_of(id)?, id)
    }

    /// Signs and hands in a person's answer. The secret is asked for last, when nothing else stands in the way.
    pub fn answer_gate(
        &self,
        request: &AnswerGate,
        secret: &mut dyn FnMut() -> Result<Secret>,
    ) -> Result<AnswerGateReply> {
        authority::must_be_person()?;
        let ledger = self.ledger_of(&request.gate)?;
        if let Some(one) = permission::find(&ledger, &request.gate)? {
            return self.permit(&ledger, &one, request, secret);
        }
        let open = open::gate(&ledger, &request.gate)?;
        let step = standing::step_name(&open.view.state, open.it.step).to_owned();
        let id = format!("{}/{step}", open.run);
        let Some(shown) = open.it.shown else {
            let hint = Some(format!("`baton resume {}` goes on", open.run));
            return Err(Fault::refused(format!("{id} shows nothing yet"), hint));
        };
        must_show(&id, shown, request.shown.as_deref())?;
        let exposed = gate_integrity::exposed(&ledger, &open.run, moment::now())?;
        let home = Home::of(&self.project.root, &ledger)?;
        let people = open.view.people();
        let signer = self.signer(people, &home, request, secret)?;
        let answer = kernel_answer(request.answer);
        let statement = Statement { home: &home, run: &open.run, gate: open.it.gate, answer, shown };
        let signed = signer.key.sign(&person(), &statement);
        let wish = RunRequest::AnswerGate { gate: open.it.gate, answer, shown, signed };
        let because = request.because.as_deref().map(str::as_bytes);
        let handed = request::hand_in(&self.project, &ledger, &open.run, &wish, because)?;
        Ok(AnswerGateReply {
            id,
            answer: request.answer,
            taken: handed.is_taken(),
            enforced: Some(exposed.is_empty()),
            run: open.run.clone(),
            is_permission: false,
            is_anyone: people.is_empty(),
            exposed,
            notes: signer.notes,
            older: signer.older.map(|older| (older, signer.secret)),
        })
    }

    fn signer(
        &self,
        people: &People,
        home: &Home,
        request: &AnswerGate,
        secret: &mut dyn FnMut() -> Result<Secret>,
    ) -> Result<Signer> {
        signer(people, home, secret()?, request.who.as_deref())
    }

    /// Says whether an agent may do what it asks for.
    fn permit(
        &self,
        ledger: &dyn Store,
        one: &Permission,
        request: &AnswerGate,
        secret: &mut dyn FnMut() -> Result<Secret>,
    ) -> Result<AnswerGateReply> {
        let Permission { id, run, ask, key, shown, .. } = one;
        must_show(id, *shown, request.shown.as_deref())?;
        if request.answer == GateWord::Ask {
            let message = format!("{id} is a request of an agent: approve or reject it");
            return Err(Fault::usage(message, None));
        }
        let answer = kernel_answer(request.answer);
        let people = show(ledger, run, moment::now())?.people().clone();
        let home = Home::of(&self.project.root, ledger)?;
        let signer = self.signer(&people, &home, request, secret)?;
        let statement = Statement { home: &home, run, gate: GateId(ask.0), answer, shown: *shown };
        let signed = signer.key.sign(&person(), &statement);
        let wish = RunRequest::Permit { ask: *ask, key: *key, answer, shown: *shown, signed };
        let because = request.because.as_deref().map(str::as_bytes);
        let handed = request::hand_in(&self.project, ledger, run, &wish, because)?;
        Ok(AnswerGateReply {
            id: id.clone(),
            answer: request.answer,
            taken: handed.is_taken(),
            enforced: None,
            run: run.clone(),
            is_permission: true,
            is_anyone: false,
            exposed: Vec::new(),
            notes: signer.notes,
            older: signer.older.map(|older| (older, signer.secret)),
        })
    }
}

/// What a gate or a request for permission shows.
pub(super) fn view(ledger: &dyn Store, id: &str) -> Result<GateReply> {
    if let Some(one) = permission::find(ledger, id)? {
        let Permission { id, agent, shown, text, .. } = one;
        return Ok(GateReply::Permission(PermissionView { id, agent, shown: shown.to_string(), text }));
    }
    let open = open::gate(ledger, id)?;
    let step = standing::step_name(&open.view.state, open.it.step).to_owned();
    let flow = flow_of(&open.run, &pinned(ledger, &open.run)?).ok();
    let (items, options) = said(flow.as_ref(), &step);
    let exposed = gate_integrity::exposed(ledger, &open.run, moment::now())?;
    let checks = checked(&history(ledger, &open.run)?, open.it.gate);
    let text = open.it.shown.and_then(|shown| open.view.text(shown));
    Ok(GateReply::Gate(GateView {
        id: format!("{}/{step}", open.run),
        items,
        options,
        checks: checks.into_iter().map(check).collect(),
        shown: open.it.shown.map(|shown| shown.to_string()),
        text: text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        enforced: exposed.is_empty(),
        exposed,
    }))
}

fn check(held: Held) -> GateCheck {
    let Held { name, truth, .. } = held;
    GateCheck {
        check: name,
        holds: matches!(truth, Truth::Holds),
        unknown: truth.unknown().map(ToString::to_string),
    }
}

/// What a flow says of a gate: what is validated, and what the answers are called.
fn said(flow: Option<&Flow>, step: &str) -> (Vec<String>, BTreeMap<String, String>) {
    let step = flow.and_then(|flow| flow.steps.iter().find(|spec| spec.name.value == step));
    match step.map(|step| &step.does) {
        Some(Does::Gate(gate)) => (gate.items.clone(), gate.options.iter().cloned().collect()),
        _ => (Vec::new(), BTreeMap::new()),
    }
}

/// The checks of a gate, as they came out last.
fn checked(history: &[Entry], of: GateId) -> Vec<Held> {
    let last = history.iter().rev().find_map(|entry| {
        let Some(Event::GateChecked { gate, checks, .. }) = &entry.event else { return None };
        (*gate == of).then_some(checks)
    });
    last.cloned().unwrap_or_default()
}

fn kernel_answer(word: GateWord) -> GateAnswer {
    match word {
        GateWord::Approve => GateAnswer::Approve,
        GateWord::Reject => GateAnswer::Reject,
        GateWord::Ask => GateAnswer::Question,
    }
}

/// As much of a hash as people type.
pub fn short(shown: &str) -> String {
    shown.chars().take(SHORT).collect()
}

/// Refuses an answer to something else than the person saw.
fn must_show(id: &str, shown: Digest, seen: Option<&str>) -> Result<()> {
    let Some(seen) = seen else { return Ok(()) };
    let is_hash = seen.len() >= SHORT && seen.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hash {
        let hint = format!("at least {SHORT} digits of the hash, as `baton gate show {id}` prints them");
        return Err(Fault::usage(format!("--shown {seen} names nothing"), Some(hint)));
    }
    let shown = shown.to_string();
    if shown.starts_with(&seen.to_ascii_lowercase()) {
        return Ok(());
    }
    Err(Fault::refused(
        format!("{id} shows something else by now: {}", short(&shown)),
        Some(format!("`baton gate show {id}` shows it")),
    ))
}
