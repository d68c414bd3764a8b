//! Starting and resuming runs.

use baton_document::flow::Flow;
use baton_kernel::{Does, Plan};
use baton_ledger::Ledger;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::authority::{self, Request};
use super::drive::{Begin, Desk, Driven, Observer, drive};
use super::facade::Service;
use super::person::person;
use super::relay::{receiver, send};
use super::{lookup, moment, reach};
use crate::history::views::{runs, show};
use crate::project::Project;
use crate::project::agents::Agents;
use crate::project::fault::{Diagnostic, Fault, Result, Severity};
use crate::project::flows::{self, Opened};
use crate::project::people::People;
use crate::project::pinned::Pinned;
use crate::project::plan::compile;
use crate::project::roster::roster;
use crate::project::store;
use crate::records::entry::pinned;
use crate::run::{Change, NewRun};

/// A flow to run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct StartRequest {
    /// The flow, by path or by name.
    pub flow: String,
    /// Inputs, as names and values.
    #[serde(default)]
    pub input: Vec<(String, String)>,
    /// Name of the run, unless it is numbered.
    #[serde(default)]
    pub name: Option<String>,
}

/// How driving a run ended.
#[derive(Clone, Debug)]
pub struct DrivenReply {
    /// The run.
    pub run: String,
    /// How it ended.
    pub driven: Driven,
}

impl Service {
    /// Starts a run of a flow and drives it until it is over or awaits only people.
    pub fn start(&self, request: &StartRequest, observer: &mut dyn Observer) -> Result<DrivenReply> {
        let project = &self.project;
        let opened = flows::open(project, &request.flow)?;
        let (plan, agents) = ready(project, &opened)?;
        for (name, value) in &request.input {
            flows::no_secret(project, &format!("the input {name}"), value)?;
            // A password is known by its name.
            flows::no_secret(project, &format!("the input {name}"), &format!("{name}={value}"))?;
        }
        let input = flows::input(&opened.flow, &request.input)?;
        let people = People(project.config.people.clone());
        if people.0.is_empty() && plan.steps.iter().any(|step| matches!(step.does, Does::Gate(_))) {
            observer.note(note(
                "nobody is named in [people] of baton.toml, so that any key counts at the gates of this run; `baton gate key` \
                 prints the line",
            ));
        }
        let ledger = self.ledger()?;
        let desk = Desk { project, ledger: &ledger, agents: &agents };
        let mut number = next_number(&ledger, &plan)?;
        let mut started = String::new();
        let mut next = || {
            let name = request.name.clone().unwrap_or_else(|| format!("{}-{number}", plan.name));
            number += 1;
            if request.name.is_some() && lookup::is_there(&ledger, &name)? {
                return Err(Fault::refused(
                    format!("there is a run {name} already"),
                    Some(format!("`baton resume {name}` goes on with it; another --name starts another")),
                ));
            }
            started.clone_from(&name);
            let (flow, files) = (Some(opened.path.clone()), opened.files.clone());
            let (plan, people, input) = (plan.clone(), people.clone(), input.clone());
            Ok(NewRun { run: name, plan, files, flow, people, input })
        };
        let driven = drive(&desk, Begin::New(&mut next), observer)?;
        Ok(DrivenReply { run: started, driven })
    }

    /// The run that started last of those that are not over.
    pub fn last_open(&self) -> Result<String> {
        let none = || {
            let hint = Some("`baton run FLOW` starts one".to_owned());
            Fault::refused("no run is under way", hint)
        };
        let Some(ledger) = store::existing(&self.project.root)? else { return Err(none()) };
        let heads = lookup::heads(&ledger, &[])?;
        let open = heads.into_iter().find(|head| !head.labels.iter().any(|label| label == "over"));
        open.map(|head| head.stream).ok_or_else(none)
    }

    /// Resumes a run with the files that it pinned.
    pub fn resume(&self, name: &str, observer: &mut dyn Observer) -> Result<DrivenReply> {
        let project = &self.project;
        let ledger = self.ledger_of(name)?;
        let driven = if receiver::is_relay(project, &ledger, name)? {
            send::go_on(project, &ledger, name, observer)?
        } else {
            let agents = reach::of(project, &ledger, name)?;
            let project = &Project::pinned(&project.root, &pinned(&ledger, name)?);
            let desk = Desk { project, ledger: &ledger, agents: &agents };
            drive(&desk, Begin::Resume(name.to_owned()), observer)?
        };
        Ok(DrivenReply { run: name.to_owned(), driven })
    }

    /// Resumes a run with its files as they are now.
    pub fn resume_changed(&self, name: &str, observer: &mut dyn Observer) -> Result<DrivenReply> {
        authority::must_be_person()?;
        let project = &self.project;
        let ledger = self.ledger_of(name)?;
        let before = pinned(&ledger, name)?;
        if receiver::is_relay(project, &ledger, name)? {
            return Err(Fault::refused(
                format!("{name} sends a manifest, and goes by no files that could have changed"),
                Some(format!("`baton resume {name}` goes on with it")),
            ));
        }
        let Some(flow) = before.iter().find(|file| file.is_flow) else {
            return Err(flows::no_flow(name));
        };
        let opened = flows::open_again(project, name, &flow.path)?;
        let differing = differing(&before, &opened.files);
        if differing.is_empty() {
            observer.note(note(format!("no file that {name} goes by has changed")));
            drop(ledger);
            return self.resume(name, observer);
        }
        let (plan, agents) = ready(project, &opened)?;
        let view = show(&ledger, name, moment::now())?;
        must_be_given(&opened, name, &view.given().collect::<Vec<_>>())?;
        observer.note(note(format!("changed since {name} has pinned its files: {}", differing.join(", "))));
        let people = &view.people().0;
        if people.len() != project.config.people.len()
            || !project.config.people.iter().all(|person| people.contains(person))
        {
            observer.note(note(format!(
                "[people] of baton.toml is not what {name} was started with; whose keys count at its gates stays as it was"
            )));
        }
        let (left, left_note) = reach::to_end(project, &ledger, name)?;
        left_note.into_iter().for_each(|note| observer.note(note));
        let may = authority::allowed(project, &ledger, Request::Change)?;
        let by = person();
        let mut change = || Change {
            plan: plan.clone(),
            files: opened.files.clone(),
            flow: opened.path.clone(),
            by: by.clone(),
        };
        let now = opened.files.iter().map(|(path, bytes)| Pinned {
            path: path.clone(),
            is_flow: *path == opened.path,
            bytes: bytes.clone(),
        });
        let project = &Project::pinned(&project.root, &now.collect::<Vec<_>>());
        let desk = Desk { project, ledger: &ledger, agents: &agents };
        let driven = drive(&desk, Begin::Changed(name.to_owned(), may, left, &mut change), observer)?;
        Ok(DrivenReply { run: name.to_owned(), driven })
    }

    /// Refuses a caller that comes from an agent, for what only a person may do.
    pub fn must_be_person() -> Result<()> {
        authority::must_be_person()
    }
}

/// The plan and the agents of a flow that is to be run.
fn ready(project: &Project, opened: &Opened) -> Result<(Plan, Agents)> {
    let unfit = |message: String, hint: Option<&str>| {
        Fault::refused(format!("{}: {message}", opened.path), hint.map(str::to_owned))
    };
    let plan = compile(&opened.flow)
        .map_err(|fault| unfit(fault.to_string(), Some("`baton check` says what is wrong and where")))?;
    let agents =
        roster(&opened.flow, &project.root).map_err(|fault| unfit(fault.to_string(), Some(fault.hint())))?;
    Ok((plan, agents))
}

/// Refuses a changed flow that needs an input which the run was not given.
fn must_be_given(opened: &Opened, name: &str, given: &[&str]) -> Result<()> {
    let flow: &Flow = &opened.flow;
    for input in flow.inputs.iter().filter(|input| input.default.is_none()) {
        if !given.contains(&input.name.value.as_str()) {
            let (path, input) = (&opened.path, &input.name.value);
            return Err(Fault::refused(
                format!("{path}: it must be given `{input}`, which {name} was not"),
                Some("give it a `default` in the flow".to_owned()),
            ));
        }
    }
    Ok(())
}

/// The files that a run would go by and that differ from those that it pinned, in words.
fn differing(before: &[Pinned], now: &[(String, Vec<u8>)]) -> Vec<String> {
    let had = |path: &str| before.iter().find(|file| file.path == path);
    let mut differing: Vec<String> = now
        .iter()
        .filter_map(|(path, bytes)| match had(path) {
            None => Some(format!("{path} (new)")),
            Some(file) if file.bytes != *bytes => Some(path.clone()),
            Some(_) => None,
        })
        .collect();
    let is_gone = |file: &&Pinned| !now.iter().any(|(path, _)| *path == file.path);
    differing.extend(before.iter().filter(is_gone).map(|file| format!("{} (gone)", file.path)));
    differing
}

fn note(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Severity::Note, message)
}

/// The number behind that of the run of this flow that was started last.
fn next_number(ledger: &dyn Ledger, plan: &Plan) -> Result<u64> {
    let label = format!("flow:{}", plan.name);
    let last = runs(ledger, &[&label], None, 20)?;
    let numbers =
        last.iter().filter_map(|head| head.stream.strip_prefix(&plan.name)?.strip_prefix('-')?.parse().ok());
    Ok(numbers.max().unwrap_or(0u64).saturating_add(1))
}
