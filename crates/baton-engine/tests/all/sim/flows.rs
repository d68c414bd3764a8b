//! Flows nobody thought of: a random plan from a seed.

use baton_kernel::{
    AgentId, GateKind, Join, OnFail, OnTimeout, OnUnknown, Outcome, Plan, Route, StepId, When,
};

use super::dice::Dice;

/// The agents of every plan; each speaks a dialect of its own in the simulated world.
pub(crate) const AGENTS: [&str; 5] = ["ada", "ben", "cyd", "dov", "eve"];

/// The field that some agents give and others do not: an expression that asks for it has a value, or none.
pub(crate) const FIELD: &str = "can_further_iteration_help";

/// A plan that holds together.
pub(crate) fn plan(dice: &mut Dice) -> Plan {
    loop {
        if let Some(plan) = attempt(dice) {
            return plan;
        }
    }
}

fn attempt(dice: &mut Dice) -> Option<Plan> {
    let mut plan = Plan::named("simulated");
    let agents: Vec<AgentId> = AGENTS.iter().map(|name| plan.agent(name)).collect();
    for agent in &agents {
        if dice.one_in(2) {
            plan.safe_to_restart(*agent);
        }
    }
    let count = 2 + dice.below(5);
    let mut steps: Vec<StepId> = Vec::new();
    for at in 0..count {
        let name = format!("step {at}");
        let (one, other) = (*dice.pick(&agents), *dice.pick(&agents));
        let step = match dice.below(12) {
            0..=3 => plan.pass(&name, one),
            4..=5 if one != other => plan.microloop(&name, one, other),
            6 => plan.gate(&name, GateKind::Blocking),
            7 => plan.gate(&name, GateKind::Informative),
            8 => {
                let check = *dice.pick(&["handoff.status == 'VERIFIED'", "handoff.status > 2"]);
                plan.gate(&name, GateKind::Auto(vec![check.to_owned()]))
            }
            9 => {
                let branches: Vec<StepId> = (0..2 + dice.below(2))
                    .map(|branch| plan.pass(&format!("{name} branch {branch}"), *dice.pick(&agents)))
                    .collect();
                let join = *dice.pick(&[
                    Join::AllComplete,
                    Join::AllVerified,
                    Join::AnyVerified,
                    Join::First,
                    Join::Quorum(2),
                    Join::AllMustPass,
                    Join::MajorityPass,
                    Join::Expression,
                ]);
                plan.parallel(&name, &branches, join)
            }
            10 => plan.wait(&name, 1_000 + dice.any() % 60_000),
            11 => plan.escalate(&name),
            _ => plan.pass(&name, other),
        };
        steps.push(step);
    }
    for pair in steps.windows(2) {
        plan.then(pair[0], pair[1]);
    }
    if dice.one_in(3) {
        let end = plan.end("end", *dice.pick(&[Outcome::Done, Outcome::Blocked]));
        plan.then(*steps.last()?, end);
    }
    for _ in 0..dice.below(3) {
        let (from, to) = (*dice.pick(&steps), *dice.pick(&steps));
        plan.detour(from, "side", to);
    }
    for step in &steps {
        if dice.one_in(3) {
            let (attempt, expiry) = (5_000 + dice.any() % 30_000, dice.one_in(3).then_some(90_000));
            let on_timeout = *dice.pick(&[OnTimeout::Retry, OnTimeout::Stop, OnTimeout::Ask]);
            plan.change(*step, |step| {
                step.limits.attempt_ms = Some(attempt);
                step.limits.on_timeout = on_timeout;
                step.limits.expires_ms = expiry;
            });
        }
        let on_unknown = *dice.pick(&[OnUnknown::Ask, OnUnknown::Ask, OnUnknown::Holds, OnUnknown::Fails]);
        let (asks, to) = (dice.one_in(2), *dice.pick(&steps));
        let (due, fail) = (dice.one_in(2).then(|| 10_000 + dice.any() % 60_000), dice.below(3));
        plan.change(*step, |step| match &mut step.does {
            baton_kernel::Does::Gate(gate) => gate.due_ms = due.or(gate.due_ms),
            baton_kernel::Does::Parallel(parallel) => {
                parallel.expression = Some(if asks {
                    format!("branches.all(b, b.routing.{FIELD})")
                } else {
                    "branches.exists(b, b.status == 'VERIFIED')".to_owned()
                });
                parallel.on_unknown = on_unknown;
                parallel.on_fail = if fail == 0 { OnFail::Halt } else { OnFail::Ask };
            }
            baton_kernel::Does::Pass(pass) if asks => {
                let when = When::Holds(format!("handoff.routing.{FIELD}"));
                pass.routes.push(Route { when, to, on_unknown });
            }
            baton_kernel::Does::Pass(_)
            | baton_kernel::Does::Microloop(_)
            | baton_kernel::Does::Wait(_)
            | baton_kernel::Does::Escalate
            | baton_kernel::Does::End(_) => {}
        });
    }
    let (handoffs, pair) = (4 + u32::try_from(dice.below(20)).ok()?, 3 + u32::try_from(dice.below(10)).ok()?);
    plan.caps(|caps| {
        caps.handoffs = handoffs;
        caps.pair = pair;
    });
    plan.start(steps[0]);
    plan.build().ok()
}
