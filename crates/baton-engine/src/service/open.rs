//! What is open in a run, found by its name: gates, questions and deliveries.

use crate::history::views::{RunView, show};
use baton_kernel::{OwedDelivery, OwedGate, OwedQuestion};
use baton_ledger::Ledger;

use super::moment;
use super::names::{Named, parsed};
use crate::project::fault::Fault;

/// Something open in a run.
pub(crate) struct Open<T> {
    /// The run.
    pub(crate) run: String,
    /// The run as it stands.
    pub(crate) view: RunView,
    /// What is open.
    pub(crate) it: T,
}

/// The gate that a name means: `RUN/STEP`.
pub(crate) fn gate(ledger: &dyn Ledger, id: &str) -> Result<Open<OwedGate>, Fault> {
    let (run, named) = parsed(id);
    let view = show(ledger, run, moment::now())?;
    let step = match named {
        Named::Step(step) => Some(step),
        // A run with one gate open needs no more words.
        Named::Run => None,
        Named::Handoff(_) | Named::Question(_) | Named::Delivery(_) => return Err(none(id, "no gate")),
    };
    let name = |gate: &OwedGate| view.state.plan().step(gate.step).map(|step| step.name.clone());
    let fits = |gate: &&OwedGate| !gate.checking && (step.is_none() || step == name(gate));
    let gates: Vec<OwedGate> = view.pending.gates.iter().filter(fits).cloned().collect();
    match <[OwedGate; 1]>::try_from(gates) {
        Ok([gate]) => Ok(Open { run: run.to_owned(), view, it: gate }),
        Err(none_or_many) if none_or_many.is_empty() => Err(none(id, "no gate is open there")),
        Err(_) => Err(none(id, "several gates are open there; name one as RUN/STEP")),
    }
}

/// The question to a person that a name means: `RUN/?NUMBER`, or the run if it asks one only.
pub(crate) fn question(ledger: &dyn Ledger, id: &str) -> Result<Open<OwedQuestion>, Fault> {
    let (run, named) = parsed(id);
    let view = show(ledger, run, moment::now())?;
    let fits = |question: &&OwedQuestion| match &named {
        Named::Question(ask) => question.ask == *ask,
        Named::Run => true,
        Named::Delivery(key) => question.dead == Some(*key),
        Named::Handoff(_) | Named::Step(_) => false,
    };
    let questions: Vec<OwedQuestion> = view.pending.questions.iter().filter(fits).cloned().collect();
    match <[OwedQuestion; 1]>::try_from(questions) {
        Ok([question]) => Ok(Open { run: run.to_owned(), view, it: question }),
        Err(none_or_many) if none_or_many.is_empty() => Err(none(id, "nobody is asked there")),
        Err(_) => Err(none(id, "several questions are open there; name one as RUN/?NUMBER")),
    }
}

/// The delivery that a name means: `RUN/KEY`, or the run if only one is under way.
pub(crate) fn delivery(ledger: &dyn Ledger, id: &str) -> Result<Open<OwedDelivery>, Fault> {
    let (run, named) = parsed(id);
    let view = show(ledger, run, moment::now())?;
    let fits = |owed: &&OwedDelivery| match &named {
        Named::Delivery(key) => owed.key == *key,
        Named::Run => true,
        Named::Question(_) | Named::Handoff(_) | Named::Step(_) => false,
    };
    let owed: Vec<OwedDelivery> = view.pending.deliveries.iter().filter(fits).cloned().collect();
    match <[OwedDelivery; 1]>::try_from(owed) {
        Ok([owed]) => Ok(Open { run: run.to_owned(), view, it: owed }),
        Err(none_or_many) if none_or_many.is_empty() => Err(none(id, "no delivery is under way there")),
        Err(_) => Err(none(id, "several deliveries are under way there; `baton inbox` names each")),
    }
}

/// The name of an agent of a run.
pub(crate) fn agent(view: &RunView, id: baton_kernel::AgentId) -> &str {
    view.state.plan().agents.get(usize::from(id.0)).map_or("", |agent| agent.name.as_str())
}

fn none(id: &str, what: &str) -> Fault {
    let run = id.split('/').next().unwrap_or(id);
    Fault::refused(format!("{id}: {what}"), Some(format!("`baton show {run}` shows what is open")))
}
