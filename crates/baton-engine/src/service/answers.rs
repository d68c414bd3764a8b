//! Requests to a run: answers to questions, acknowledgements, signals, answers from inboxes, retry and cancel.

use baton_document::carrier::Look;
use baton_document::{Finding, Input, Level, Scratch};
use baton_kernel::{Choice, OwedDelivery, Reason, Stage};
use baton_ledger::Store;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facade::Service;
use super::names::{Named, parsed};
use super::open::Open;
use super::person::person;
use super::{authority, caps, lookup, open, request};
use crate::project::Project;
use crate::project::fault::{Diagnostic, Fault, FileFindings, Result};
use crate::project::pinned::flow_of;
use crate::project::store;
use crate::records::entry::pinned;
use crate::records::mailbox::{RunRequest, lying};

/// What became of something that was handed in.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HandedReply {
    /// The delivery or question.
    pub id: String,
    /// Whether a driver has taken it.
    pub taken: bool,
    /// The run.
    #[serde(skip)]
    pub run: String,
}

/// A stage of receiving a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AckStage {
    /// The receiver has it.
    Received,
    /// The receiver takes it.
    Accepted,
    /// The work has begun.
    Started,
}

impl AckStage {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Accepted => "accepted",
            Self::Started => "started",
        }
    }
}

/// What became of an acknowledgement.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AckReply {
    /// The delivery.
    pub id: String,
    /// The stage.
    pub stage: AckStage,
    /// Whether a driver has taken it.
    pub taken: bool,
    /// The run.
    #[serde(skip)]
    pub run: String,
}

/// What becomes of a run by an answer to its question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerChoice {
    /// On to what follows.
    GoOn,
    /// To this step.
    To(String),
    /// The run halts.
    Halt,
}

/// A question of an agent, or an answer to a question of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ClarifyRequest {
    /// A delivery, or a question.
    pub id: String,
    /// What is asked or answered.
    #[serde(default)]
    pub text: Option<String>,
    /// What becomes of the run; the step is done again where there is none.
    #[serde(default)]
    pub choice: Option<AnswerChoice>,
    /// By how much the cap is raised that stopped the run: a number, or a time such as `10m`.
    #[serde(default)]
    pub more: Option<String>,
}

/// What became of a signal.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SignalReply {
    /// The run.
    pub run: String,
    /// The signal.
    pub signal: String,
    /// Whether a driver has taken it.
    pub taken: bool,
}

/// What became of a cancellation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CancelReply {
    /// The run.
    pub run: String,
    /// Whether it is cancelled; if not, its driver will do it.
    pub taken: bool,
    /// Notes about its files and agents.
    #[serde(skip)]
    pub notes: Vec<Diagnostic>,
}

impl Service {
    /// Acknowledges a delivery.
    pub fn ack(&self, id: &str, stage: AckStage) -> Result<AckReply> {
        let ledger = self.ledger_of(id)?;
        let open = open::delivery(&ledger, id)?;
        let word = stage.word();
        let kernel_stage = match stage {
            AckStage::Received => Stage::Received,
            AckStage::Accepted => Stage::Accepted,
            AckStage::Started => Stage::Started,
        };
        let wish =
            RunRequest::Acknowledge { key: open.it.key, attempt: open.it.attempt, stage: kernel_stage };
        let id = format!("{}/{}", open.run, open.it.key);
        if lying(&ledger, &open.run)?.contains(&wish) {
            let run = &open.run;
            return Err(Fault::refused(
                format!("that {id} is {word} was handed in before, and waits for {run} to go on"),
                Some(format!("`baton resume {run}` lets it")),
            ));
        }
        let handed = request::hand_in(&self.project, &ledger, &open.run, &wish, None)?;
        Ok(AckReply { id, stage, taken: handed.is_taken(), run: open.run })
    }

    /// Asks what was meant by a delivery, or answers a question of a run.
    pub fn clarify(&self, request: &ClarifyRequest) -> Result<HandedReply> {
        let ledger = self.ledger_of(&request.id)?;
        let (run, wish, id) = match parsed(&request.id).1 {
            Named::Delivery(_) => ask(&ledger, request)?,
            Named::Run | Named::Handoff(_) | Named::Question(_) | Named::Step(_) => {
                authority::must_be_person()?;
                answer_question(&ledger, request)?
            }
        };
        let text = request.text.as_deref().map(str::as_bytes);
        let handed = request::hand_in(&self.project, &ledger, &run, &wish, text)?;
        Ok(HandedReply { id, taken: handed.is_taken(), run })
    }

    /// Tells a run that something happened.
    pub fn signal(&self, run: &str, name: &str) -> Result<SignalReply> {
        let ledger = self.ledger_of(run)?;
        let wish = RunRequest::Signal { name: name.to_owned() };
        let handed = request::hand_in(&self.project, &ledger, run, &wish, None)?;
        Ok(SignalReply { run: run.to_owned(), signal: name.to_owned(), taken: handed.is_taken() })
    }

    /// Cancels a run.
    pub fn cancel(&self, run: &str) -> Result<CancelReply> {
        let ledger = self.ledger_of(run)?;
        let (handed, notes) = request::cancel(&self.project, &ledger, run, &person())?;
        Ok(CancelReply { run: run.to_owned(), taken: handed.is_taken(), notes })
    }

    /// Asks for another attempt of a delivery that was given up; a run without a driver is to be resumed then.
    pub fn retry(&self, id: &str, more: Option<&str>) -> Result<HandedReply> {
        let ledger = self.ledger_of(id)?;
        let open = open::question(&ledger, id)?;
        let Some(key) = open.it.dead else {
            return Err(Fault::refused(
                format!("{id} asks about something else than a delivery"),
                Some("`baton dead` lists the deliveries that were given up".to_owned()),
            ));
        };
        let more = more.map(|more| caps::more(open.it.reason, more)).transpose()?;
        caps::must_not_hold(&open.view.state, &open.it, Choice::Again, more)?;
        let by = person();
        let wish = match more {
            Some(_) => {
                RunRequest::AnswerPerson { ask: open.it.ask, choice: Choice::Again, by, more, step: None }
            }
            None => RunRequest::Retry { key, by },
        };
        let handed = request::hand_in(&self.project, &ledger, &open.run, &wish, None)?;
        let id = format!("{}/{key}", open.run);
        Ok(HandedReply { id, taken: handed.is_taken(), run: open.run })
    }

    /// Id of the one delivery of a run that an answer can be submitted to; of the only run that waits, if none is named.
    pub fn awaited_delivery(&self, run: Option<&str>) -> Result<String> {
        let none = || {
            let hint = Some("`baton inbox` lists what is waited for".to_owned());
            Fault::refused("no run waits for a handoff", hint)
        };
        let ledger = store::existing(&self.project.root)?.ok_or_else(none)?;
        let run = match run {
            Some(run) => run.to_owned(),
            None => {
                let heads = lookup::heads(&ledger, &[])?;
                let waits = |label: &String| label.starts_with("inbox:");
                let waiting: Vec<_> =
                    heads.into_iter().filter(|head| head.labels.iter().any(waits)).collect();
                match waiting.as_slice() {
                    [] => return Err(none()),
                    [one] => one.stream.clone(),
                    many => {
                        let names: Vec<&str> =
                            many.iter().map(|head| head.stream.as_str()).take(10).collect();
                        return Err(Fault::refused(
                            format!("{} runs wait for a handoff", many.len()),
                            Some(format!("name one with --run: {}", names.join(", "))),
                        ));
                    }
                }
            }
        };
        let open = open::delivery(&ledger, &run)?;
        Ok(format!("{}/{}", open.run, open.it.key))
    }

    /// Most bytes of an answer to a delivery, by the settings that its run pinned.
    pub fn answer_bytes_max(&self, id: &str) -> Result<u64> {
        let ledger = self.ledger_of(id)?;
        let open = open::delivery(&ledger, id)?;
        flow_of(&open.run, &pinned(&ledger, &open.run)?)?;
        Ok(Project::pinned(&self.project.root, &pinned(&ledger, &open.run)?).config.limits.file_bytes)
    }

    /// Hands in the answer to a delivery, after it was checked in the agent's dialect; `shown` is what the text is called.
    pub fn submit(&self, id: &str, text: &[u8], shown: &str) -> Result<HandedReply> {
        let ledger = self.ledger_of(id)?;
        let open: Open<OwedDelivery> = open::delivery(&ledger, id)?;
        let agent = open::agent(&open.view, open.it.to);
        let files = pinned(&ledger, &open.run)?;
        let flow = flow_of(&open.run, &files)?;
        let project = &Project::pinned(&self.project.root, &files);
        let dialect =
            flow.agent(agent).and_then(|spec| spec.dialect.as_ref()).map(|dialect| dialect.value.as_str());
        let input = Input { path: None, bytes: text, dialect, look: Look::Prose, is_named: true };
        let mut scratch = Scratch::default();
        let checked = project.checker.check(input, &project.world, &mut scratch);
        if checked.findings.iter().any(blocks) || checked.handoffs.is_empty() {
            return Err(Fault::blocked(
                format!("{shown} is not handed in"),
                Some("mend what blocks, then hand it in again".to_owned()),
                FileFindings::new(shown, checked, &project.checker),
            ));
        }
        let wish = RunRequest::Answer { key: open.it.key, attempt: open.it.attempt };
        let handed = request::hand_in(project, &ledger, &open.run, &wish, Some(text))?;
        let id = format!("{}/{}", open.run, open.it.key);
        Ok(HandedReply { id, taken: handed.is_taken(), run: open.run })
    }
}

/// Whether a finding blocks: errors, and a summary that is longer than a receiver is promised.
fn blocks(finding: &Finding) -> bool {
    finding.level == Level::Error || finding.rule.ends_with("-tokens")
}

/// The question of an agent about its delivery.
fn ask(ledger: &dyn Store, request: &ClarifyRequest) -> Result<(String, RunRequest, String)> {
    if request.choice.is_some() || request.more.is_some() {
        return Err(Fault::usage("these options answer a question, and this is a delivery", None));
    }
    if request.text.is_none() {
        return Err(Fault::usage("say what is asked", None));
    }
    let open = open::delivery(ledger, &request.id)?;
    let id = format!("{}/{}", open.run, open.it.key);
    Ok((open.run, RunRequest::Ask { key: open.it.key, attempt: open.it.attempt }, id))
}

/// The answer of a person to a question of a run.
fn answer_question(ledger: &dyn Store, request: &ClarifyRequest) -> Result<(String, RunRequest, String)> {
    let open = open::question(ledger, &request.id)?;
    let plan = open.view.state.plan();
    let choice = match &request.choice {
        Some(AnswerChoice::To(step)) => Choice::Go(plan.step_named(step).ok_or_else(|| {
            let hint = Some(format!("`baton show {}` lists its steps", open.run));
            Fault::refused(format!("{} has no step {step}", open.run), hint)
        })?),
        Some(AnswerChoice::GoOn) => Choice::GoOn,
        Some(AnswerChoice::Halt) => Choice::Halt,
        // No agent works at such a step, so that it cannot be done again.
        None if request.text.is_some() && open.it.reason == Reason::PlanEscalates => Choice::GoOn,
        None if request.text.is_some() => Choice::Again,
        None => {
            let hint = Some("a text, --go-on, --to STEP or --halt".to_owned());
            return Err(Fault::usage("say the answer", hint));
        }
    };
    let id = format!("{}/?{}", open.run, open.it.ask.0);
    let more = request.more.as_deref().map(|more| caps::more(open.it.reason, more)).transpose()?;
    caps::must_not_hold(&open.view.state, &open.it, choice, more)?;
    let wish = RunRequest::AnswerPerson { ask: open.it.ask, choice, by: person(), more, step: None };
    Ok((open.run, wish, id))
}
