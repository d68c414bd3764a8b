//! Prompts: what agents are told beside their handoffs.

use super::facade::Service;
use super::{moment, open};
use crate::history::views::show;
use crate::outbound::prompts::{BUILT_IN, endings};
use crate::project::Project;
use crate::project::fault::{Fault, Result};
use crate::project::flows::{self, Opened};
use crate::project::pinned::flow_of;
use crate::project::roster::roster;
use crate::records::entry::pinned;

pub use crate::outbound::prompts::Shown as Prompt;
pub use crate::templates::{PROMPTS, version};

/// What an agent is told with a delivery.
#[derive(Clone, Debug)]
pub struct TaskPrompt {
    /// The prompt beside the handoff.
    pub prompt: Option<String>,
    /// The request for the handoff at the end of the work.
    pub ending: Option<String>,
}

/// What an agent is told in the runs of one flow.
#[derive(Debug)]
pub struct FlowPrompts {
    /// The flow.
    pub flow: String,
    /// The dialect of the agent.
    pub dialect: String,
    /// The tokens that one message may have.
    pub tokens_max: usize,
    /// The prompts.
    pub prompts: Vec<Prompt>,
}

impl Service {
    /// What an agent is told in a run now.
    pub fn prompts_now(&self, agent: &str, run: &str) -> Result<Vec<TaskPrompt>> {
        let ledger = self.ledger_of(run)?;
        let now = moment::now();
        let view = show(&ledger, run, now)?;
        let files = pinned(&ledger, run)?;
        let flow = flow_of(run, &files)?;
        let project = Project::pinned(&self.project.root, &files);
        let agents = roster(&flow, &project.root)
            .map_err(|fault| Fault::refused(fault.to_string(), Some(fault.hint().to_owned())))?;
        let owed = view.pending.deliveries.iter().filter(|owed| open::agent(&view, owed.to) == agent);
        let prompts = owed.map(|owed| {
            let told = view.prompts(&project.checker, &agents, &project.root, owed, now);
            let (prompt, ending) = told.map_err(Fault::failed)?;
            Ok(TaskPrompt { prompt, ending })
        });
        let prompts = prompts.collect::<Result<Vec<_>>>()?;
        if prompts.is_empty() {
            let hint = Some(format!("`baton show {run}` shows who works"));
            return Err(Fault::refused(format!("nothing is given to {agent} in {run} now"), hint));
        }
        Ok(prompts)
    }

    /// Names of the flows of the project.
    pub fn flow_names(&self) -> Vec<String> {
        flows::names(&self.project.root.join(flows::FOLDER))
    }

    /// What an agent is told in runs of a flow; none where the flow does not have it.
    pub fn prompts_of(&self, agent: &str, word: &str) -> Result<Option<FlowPrompts>> {
        let opened = flows::open(&self.project, word)?;
        let steps = opened.flow.workers().filter(|worker| worker.agent.value == agent);
        let steps: Vec<usize> = steps.map(|worker| worker.step).collect();
        if steps.is_empty() {
            return Ok(None);
        }
        let agents = roster(&opened.flow, &self.project.root)
            .map_err(|fault| Fault::refused(fault.to_string(), Some(fault.hint().to_owned())))?;
        let Some(setup) = agents.get(agent) else { return Ok(None) };
        let mut prompts = Vec::new();
        match setup.prompt_file.as_deref().and_then(|path| Some((path, own(&opened, path)?))) {
            Some((path, text)) => prompts.push(Prompt::new("work", path, text)),
            None => prompts.extend(setup.prompt.clone().map(|text| Prompt::new("work", BUILT_IN, text))),
        }
        for step in steps.iter().filter_map(|step| opened.flow.steps.get(*step)) {
            let task = step.work.task.as_ref().map(|task| task.value.clone());
            let name = format!("task of {}", step.name.value);
            prompts.extend(task.map(|task| Prompt::new(name, &opened.path, task)));
        }
        let flow = opened.flow.name.value.clone();
        prompts.extend(endings(&self.project.checker, agent, setup, &flow));
        let (dialect, tokens_max) = (setup.dialect.clone(), setup.prompt_tokens_max);
        Ok(Some(FlowPrompts { flow, dialect, tokens_max, prompts }))
    }
}

/// The text of an agent's own prompt file.
fn own(opened: &Opened, path: &str) -> Option<String> {
    let (_, bytes) = opened.files.iter().find(|(below, _)| below == path)?;
    Some(String::from_utf8_lossy(bytes).trim_end().to_owned())
}
