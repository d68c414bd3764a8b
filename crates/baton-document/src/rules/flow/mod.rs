//! Rules of flow files: what their form cannot say.
//!
//! Every reason to refuse a plan is found here first, with its place.

pub(crate) mod bad_name;
pub(crate) mod bad_value;
pub(crate) mod branches;
pub(crate) mod definition;
pub(crate) mod endless_loop;
pub(crate) mod expression;
pub(crate) mod gate;
pub(crate) mod idle_key;
pub(crate) mod incomplete_agent;
pub(crate) mod incomplete_request;
pub(crate) mod not_accepted;
pub(crate) mod too_large;
pub(crate) mod unclear_step;
pub(crate) mod unknown_agent;
pub(crate) mod unknown_dialect;
pub(crate) mod unknown_field;
pub(crate) mod unknown_input;
pub(crate) mod unknown_step;
pub(crate) mod unreachable_step;
pub(crate) mod unrouted;
pub(crate) mod unused_agent;
pub(crate) mod unverifiable;

use crate::dialect::Dialects;
use crate::finding::Finding;
use crate::flow::{AgentSpec, CONFIG, Flow, StepSpec, Way, bounds};
use crate::rule::Rule;
use crate::span::{Span, offset};
use crate::world::{Seen, World};

/// The rules of this group.
pub static RULES: &[&Rule] = &[
    &bad_name::RULE,
    &bad_value::RULE,
    &branches::RULE,
    &definition::RULE,
    &endless_loop::RULE,
    &expression::RULE,
    &gate::RULE,
    &idle_key::RULE,
    &incomplete_agent::RULE,
    &incomplete_request::RULE,
    &not_accepted::RULE,
    &too_large::RULE,
    &unclear_step::RULE,
    &unknown_agent::RULE,
    &unknown_dialect::RULE,
    &unknown_field::RULE,
    &unknown_input::RULE,
    &unknown_step::RULE,
    &unreachable_step::RULE,
    &unrouted::RULE,
    &unused_agent::RULE,
    &unverifiable::RULE,
];

/// Checks of a flow as a whole.
const CHECKS: &[fn(&FlowCase<'_>, &mut Vec<Finding>)] = &[
    bad_name::check,
    unknown_step::check,
    unreachable_step::check,
    endless_loop::check,
    branches::check,
    gate::check,
    unknown_agent::check,
    incomplete_agent::check,
    incomplete_request::check,
    idle_key::check,
    unknown_dialect::check,
    unused_agent::check,
    unverifiable::check,
    definition::check,
    unrouted::check,
    not_accepted::check,
    unknown_input::check,
    expression::check,
    unknown_field::check,
];

/// A field of a request that nothing fills.
#[derive(Debug)]
pub(crate) struct RequestGap {
    /// Its dotted path.
    pub(crate) path: String,
    /// Expected value.
    pub(crate) expected: String,
}

/// Finds the first gap in the request of a step to an agent of a dialect, or why there can be no request.
pub(crate) type FindGap<'f> = dyn Fn(&StepSpec, &str) -> Result<Option<RequestGap>, String> + 'f;

/// A flow as the rules see it.
pub(crate) struct FlowCase<'l> {
    pub(crate) dialects: &'l Dialects,
    /// The first gap in the request of a step to an agent of a dialect.
    pub(crate) request_gap: &'l FindGap<'l>,
    /// The flow as its file says it.
    pub(crate) flow: &'l Flow,
    /// The same with what the project knows of its agents.
    pub(crate) full: Flow,
    /// Agents as the project knows them.
    pub(crate) known: Vec<AgentSpec>,
    /// The ways between its steps.
    pub(crate) ways: Vec<Way<'l>>,
    /// The text of the file.
    pub(crate) text: &'l str,
    pub(crate) world: &'l dyn World,
}

impl FlowCase<'_> {
    /// Tells whether there is nothing around the flow that could be asked.
    pub(crate) fn is_alone(&self) -> bool {
        self.world.look(CONFIG) == Seen::Unknown
    }

    /// A part of a span, by bytes from its start.
    pub(crate) fn within(&self, span: Span, at: usize, length: usize) -> Span {
        let start = span.start.saturating_add(offset(at)).min(span.end);
        Span::new(start, start.saturating_add(offset(length)).min(span.end))
    }
}

/// Looks at a flow as a whole; what could not be read is said already.
pub(crate) fn check(
    dialects: &Dialects,
    request_gap: &FindGap<'_>,
    flow: &Flow,
    text: &str,
    world: &dyn World,
    findings: &mut Vec<Finding>,
) {
    let known = flow.known_agents(world);
    let full = flow.clone().with_agents(&known);
    let ways = if flow.steps.len() > bounds::STEPS_MAX { Vec::new() } else { flow.ways() };
    let look = FlowCase { dialects, request_gap, flow, full, known, ways, text, world };
    too_large::check(&look, findings);
    // A flow beyond all bounds cannot be judged.
    if flow.steps.len() <= bounds::STEPS_MAX {
        CHECKS.iter().for_each(|check| check(&look, findings));
    }
}

/// Some names for a message.
fn listed(names: impl Iterator<Item: AsRef<str>>) -> String {
    const SHOWN: usize = 12;
    let names: Vec<_> = names.take(SHOWN + 1).collect();
    let shown: Vec<&str> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    let more = if names.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
