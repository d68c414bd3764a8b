//! Whether a plan holds together: every id leads somewhere, every number is within its bound.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use core::fmt;

use super::{Caps, Does, GateKind, Join, OnFail, Plan, Step, When};
use crate::facts::Outcome;
use crate::{AgentId, StepId, bounds};

/// Fault of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanFault {
    /// A name is empty, too long, or used twice.
    Name {
        /// The name.
        name: String,
    },
    /// An expression is empty or too long.
    Expression {
        /// Its first letters.
        beginning: String,
        /// The limit in bytes.
        max: usize,
    },
    /// There are none or too many of something.
    Count {
        /// The step or the plan that has them.
        of: String,
        /// The count.
        found: usize,
        /// The limit.
        max: usize,
    },
    /// A step leads to a step or an agent that does not exist.
    Nowhere {
        /// The step.
        step: String,
    },
    /// A cap, a limit or a quorum is zero or beyond its bound.
    Bound {
        /// The step or the plan.
        of: String,
    },
    /// A route asks for an outcome that the kernel itself routes: blocked goes to a person, and running goes nowhere.
    Route {
        /// The step.
        step: String,
    },
    /// A branch or a detour begins with an end.
    Empty {
        /// The step.
        step: String,
    },
}

impl fmt::Display for PlanFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { name } => {
                let max = bounds::NAME_BYTES_MAX;
                write!(out, "the name '{name}' is empty, used twice, or longer than {max} bytes")
            }
            Self::Expression { beginning, max } => {
                write!(out, "the expression '{beginning}' is empty or longer than {max} bytes")
            }
            Self::Count { of, found, max } => {
                write!(out, "'{of}' has {found} where there may be 1 to {max}")
            }
            Self::Nowhere { step } => write!(out, "'{step}' leads to a step or an agent that does not exist"),
            Self::Bound { of } => write!(out, "a cap, limit or quorum of '{of}' is zero or too large"),
            Self::Route { step } => {
                write!(out, "'{step}' routes blocked or running answers, which only the kernel does")
            }
            Self::Empty { step } => write!(out, "a branch or detour of '{step}' begins with an end"),
        }
    }
}

impl core::error::Error for PlanFault {}

impl Plan {
    /// Checks that the plan holds together.
    ///
    /// # Errors
    /// The first fault that is found.
    pub fn check(&self) -> Result<(), PlanFault> {
        name(&self.name)?;
        count(&self.name, self.steps.len(), bounds::STEPS_MAX)?;
        count(&self.name, self.agents.len().max(1), bounds::AGENTS_MAX)?;
        unique(&self.agents, |agent| &agent.name)?;
        unique(&self.steps, |step| &step.name)?;
        within(&self.name, self.caps.within_bounds())?;
        self.leads(&self.name, self.start)?;
        self.steps.iter().try_for_each(|step| self.check_step(step))
    }

    fn check_step(&self, step: &Step) -> Result<(), PlanFault> {
        let of = &step.name;
        let span =
            |span_ms: Option<u64>| span_ms.is_none_or(|span_ms| (1..=bounds::SPAN_MS_MAX).contains(&span_ms));
        within(of, span(step.limits.attempt_ms) && span(step.limits.expires_ms))?;
        within(of, step.visits_max.is_none_or(|visits| (1..=bounds::ROUNDS_MAX).contains(&visits)))?;
        step.next.map_or(Ok(()), |next| self.leads(of, next))?;
        count(of, step.detours.len().max(1), bounds::ROUTES_MAX)?;
        unique(&step.detours, |detour| &detour.kind)?;
        step.detours.iter().try_for_each(|detour| self.begins(of, detour.to))?;
        match &step.does {
            Does::Pass(pass) => {
                self.works(of, pass.agent)?;
                count(of, pass.routes.len().max(1), bounds::ROUTES_MAX)?;
                for route in &pass.routes {
                    self.leads(of, route.to)?;
                    match &route.when {
                        When::Decision(word) => name(word)?,
                        When::Holds(expression) => written(expression, bounds::EXPRESSION_BYTES_MAX)?,
                        When::Outcome(Outcome::Blocked | Outcome::Running) => {
                            return Err(PlanFault::Route { step: of.clone() });
                        }
                        When::Outcome(
                            Outcome::Done
                            | Outcome::Concerns
                            | Outcome::Partial
                            | Outcome::Failed
                            | Outcome::Skipped,
                        ) => {}
                    }
                }
                let Some(rework) = pass.rework else { return Ok(()) };
                within(of, rework.max <= bounds::ROUNDS_MAX)?;
                self.leads(of, rework.to)
            }
            Does::Microloop(microloop) => {
                self.works(of, microloop.author)?;
                self.works(of, microloop.critic)?;
                let detour = microloop.on_stall.as_ref();
                if detour.is_some_and(|kind| !step.detours.iter().any(|detour| detour.kind == *kind)) {
                    return Err(PlanFault::Nowhere { step: of.clone() });
                }
                within(of, (1..=bounds::ROUNDS_MAX).contains(&microloop.rounds_max))
            }
            Does::Gate(gate) => {
                within(of, span(gate.due_ms))?;
                gate.on_reject.map_or(Ok(()), |to| self.leads(of, to))?;
                match &gate.kind {
                    GateKind::Blocking => Ok(()),
                    // Without a due time it would be blocking, and say that it is not.
                    GateKind::Informative => within(of, gate.due_ms.is_some()),
                    GateKind::Auto(checks) => {
                        count(of, checks.len(), bounds::ROUTES_MAX)?;
                        checks.iter().try_for_each(|one| written(one, bounds::EXPRESSION_BYTES_MAX))?;
                        distinct(checks, |check| check)
                    }
                }
            }
            Does::Parallel(parallel) => {
                count(of, parallel.branches.len(), bounds::LANES_MAX - 1)?;
                parallel.branches.iter().try_for_each(|&branch| self.begins(of, branch))?;
                if let Some(expression) = &parallel.expression {
                    written(expression, bounds::JOIN_EXPRESSION_BYTES_MAX)?;
                }
                if let OnFail::Step(to) = parallel.on_fail {
                    self.leads(of, to)?;
                }
                let Join::Quorum(quorum) = parallel.join else { return Ok(()) };
                within(of, quorum > 0 && usize::from(quorum) <= parallel.branches.len())
            }
            Does::Wait(wait) => {
                within(of, span(Some(wait.for_ms)))?;
                wait.signal.as_ref().map_or(Ok(()), |signal| name(signal))?;
                wait.on_due.map_or(Ok(()), |to| self.leads(of, to))
            }
            Does::Escalate | Does::End(_) => Ok(()),
        }
    }

    fn leads(&self, of: &str, to: StepId) -> Result<(), PlanFault> {
        self.step(to).map(|_| ()).ok_or_else(|| PlanFault::Nowhere { step: of.to_string() })
    }

    /// That a branch or detour may begin there.
    fn begins(&self, of: &str, to: StepId) -> Result<(), PlanFault> {
        self.leads(of, to)?;
        match self.step(to).map(|step| &step.does) {
            Some(Does::End(_)) => Err(PlanFault::Empty { step: of.to_string() }),
            Some(
                Does::Pass(_)
                | Does::Microloop(_)
                | Does::Gate(_)
                | Does::Parallel(_)
                | Does::Wait(_)
                | Does::Escalate,
            )
            | None => Ok(()),
        }
    }

    fn works(&self, of: &str, agent: AgentId) -> Result<(), PlanFault> {
        let known = usize::from(agent.0) < self.agents.len();
        if known { Ok(()) } else { Err(PlanFault::Nowhere { step: of.to_string() }) }
    }
}

impl Caps {
    fn within_bounds(&self) -> bool {
        (1..=bounds::HANDOFFS_MAX).contains(&self.handoffs)
            && (1..=bounds::HANDOFFS_MAX).contains(&self.pair)
            && (1..=bounds::SPAN_MS_MAX).contains(&self.time_ms)
            && self.tokens != Some(0)
            && self.retries < bounds::ATTEMPTS_MAX
            && self.detours <= bounds::ROUNDS_MAX
    }
}

fn name(name: &str) -> Result<(), PlanFault> {
    let fits = !name.is_empty() && name.len() <= bounds::NAME_BYTES_MAX;
    if fits { Ok(()) } else { Err(PlanFault::Name { name: name.chars().take(40).collect() }) }
}

/// That an expression is there, and no longer than it may be.
fn written(expression: &str, max: usize) -> Result<(), PlanFault> {
    let fits = !expression.is_empty() && expression.len() <= max;
    if fits {
        Ok(())
    } else {
        Err(PlanFault::Expression { beginning: expression.chars().take(40).collect(), max })
    }
}

fn unique<T>(named: &[T], name_of: impl Fn(&T) -> &str) -> Result<(), PlanFault> {
    named.iter().try_for_each(|one| name(name_of(one)))?;
    distinct(named, name_of)
}

fn distinct<T>(named: &[T], name_of: impl Fn(&T) -> &str) -> Result<(), PlanFault> {
    let mut seen = BTreeSet::new();
    for one in named.iter().map(name_of) {
        if !seen.insert(one) {
            return Err(PlanFault::Name { name: one.to_string() });
        }
    }
    Ok(())
}

fn count(of: &str, found: usize, max: usize) -> Result<(), PlanFault> {
    if (1..=max).contains(&found) { Ok(()) } else { Err(PlanFault::Count { of: of.to_string(), found, max }) }
}

fn within(of: &str, within: bool) -> Result<(), PlanFault> {
    if within { Ok(()) } else { Err(PlanFault::Bound { of: of.to_string() }) }
}
