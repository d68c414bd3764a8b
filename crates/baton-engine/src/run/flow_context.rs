//! What the flow of a run says beside its plan: tasks, what is given along, what a run was given.
//!
//! Invariant: it is made of what the run pinned, so that a changed file changes nothing of a run that has started, until
//! a person goes on with it.

use baton_document::Datum;
use baton_document::flow::{Flow, Passes, StepSpec, Verify};
use baton_kernel::StepId;

use crate::evidence::Depth;

/// What the flow of a run says.
#[derive(Clone, Debug)]
pub(crate) struct Notes {
    flow: Flow,
    inputs: Vec<(String, String)>,
}

impl Notes {
    /// The notes of a flow file and of what a run of it was given: a map in JSON, or nothing of interest.
    pub(crate) fn read(flow: &[u8], input: &[u8]) -> Option<Self> {
        let (flow, _) = Flow::read(std::str::from_utf8(flow).ok()?);
        let given: serde_json::Value = serde_json::from_slice(input).unwrap_or_default();
        let mut inputs = Vec::new();
        for (name, value) in given.as_object().into_iter().flatten() {
            let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
            inputs.push((name.clone(), text));
        }
        Some(Self { flow: flow?, inputs })
    }

    /// The notes of another flow file, for the same run.
    pub(crate) fn changed(&self, flow: &[u8]) -> Option<Self> {
        let flow = Flow::read(std::str::from_utf8(flow).ok()?).0?;
        Some(Self { flow, inputs: self.inputs.clone() })
    }

    /// The names of what the run was given.
    pub(crate) fn given(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().map(|(name, _)| name.as_str())
    }

    /// The flow itself.
    pub(crate) fn flow(&self) -> &Flow {
        &self.flow
    }

    fn step(&self, step: StepId) -> Option<&StepSpec> {
        self.flow.steps.get(usize::from(step.0))
    }

    /// What whoever works at a step is told.
    pub(crate) fn task(&self, step: StepId) -> Option<String> {
        let task = self.step(step)?.work.task.as_ref()?;
        Some(self.filled(&task.value))
    }

    /// What is given along at a step, by the path of its field.
    pub(crate) fn give(&self, step: StepId) -> Vec<(String, Datum<'static>)> {
        let give = self.step(step).map(|step| step.work.give.as_slice()).unwrap_or_default();
        give.iter().map(|(path, value)| (path.value.clone(), self.filled_in(value))).collect()
    }

    /// Whether only the summary of what came before is handed on at a step.
    pub(crate) fn is_summary_only(&self, step: StepId) -> bool {
        self.step(step).is_some_and(|step| step.work.passes == Passes::Summary)
    }

    /// Whether what earlier agents added goes along at a step.
    pub(crate) fn accumulates(&self, step: StepId) -> bool {
        self.step(step).is_some_and(|step| step.work.accumulates)
    }

    /// What of the evidence must hold for an answer at a step to count.
    pub(crate) fn verify(&self, step: StepId) -> Option<Depth> {
        Some(match self.step(step)?.work.verify.as_ref()?.value {
            Verify::Artifacts => Depth::Artifacts,
            Verify::Rerun => Depth::Rerun,
        })
    }

    /// Whether any step hands on what earlier agents added.
    pub(crate) fn gathers(&self) -> bool {
        self.flow.steps.iter().any(|step| step.work.accumulates)
    }

    /// What the run is about, in a line: what it was given, else what the flow is for.
    pub(crate) fn subject(&self) -> String {
        match self.inputs.as_slice() {
            [(_, only)] if !only.trim().is_empty() => only.clone(),
            [] | [_] => self.flow.about.clone().unwrap_or_else(|| self.flow.name.value.clone()),
            many => {
                many.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("; ")
            }
        }
    }

    /// A text with the inputs in their places.
    fn filled(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        for (name, value) in &self.inputs {
            filled = filled.replace(&format!("{{{{input.{name}}}}}"), value);
        }
        for input in &self.flow.inputs {
            if let Some(usual) = &input.default {
                filled = filled.replace(&format!("{{{{input.{}}}}}", input.name.value), usual);
            }
        }
        filled
    }

    fn filled_in(&self, value: &Datum<'static>) -> Datum<'static> {
        match value {
            Datum::Text(text) => Datum::text(self.filled(text)),
            Datum::List(items) => Datum::List(items.iter().map(|item| self.filled_in(item)).collect()),
            Datum::Map(entries) => {
                let filled = entries.iter().map(|(key, value)| (key.clone(), self.filled_in(value)));
                Datum::Map(filled.collect())
            }
            Datum::Null | Datum::Boolean(_) | Datum::Number(_) => value.clone(),
        }
    }
}
