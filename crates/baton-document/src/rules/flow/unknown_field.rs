//! `flow/unknown-field`: an expression over a field that no handoff has.

use super::FlowCase;
use super::expression::{ExpressionUse, asked, placed};
use crate::dialect::Dialect;
use crate::finding::{Finding, Level};
use crate::flow::Does;
use crate::flow::expression::{self, About};
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/unknown-field",
    level: Some(Level::Error),
    page: include_str!("unknown_field.md"),
    check: Check::Reading,
};

/// Looks at the fields that expressions ask for.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    let all = asked(look.flow);
    let dialects: Vec<_> = all.iter().map(|asked| dialects(look, asked).unwrap_or_default()).collect();
    let about = all.iter().zip(&dialects).map(|(asked, dialects)| {
        let variable = if asked.is_join { "branches" } else { "handoff" };
        (asked.text, About { variable, is_list: asked.is_join, dialects })
    });
    let about: Vec<_> = about.collect();
    for (asked, found) in all.iter().zip(expression::unknown(&about)) {
        findings.extend(found.iter().map(|wrong| placed(look, RULE.id, asked, wrong)));
    }
}

/// The dialects of the handoffs that an expression sees; nothing where one of them is not known.
fn dialects<'l>(look: &'l FlowCase<'_>, asked: &ExpressionUse<'_>) -> Option<Vec<&'l Dialect>> {
    let dialect_of = |name: &str| {
        let name = look.full.agent(name)?.dialect.as_ref()?;
        look.dialects.handoffs.iter().find(|dialect| *dialect.name == *name.value)
    };
    if asked.is_join {
        // A branch may end anywhere, so everybody's handoffs are meant.
        return look.full.agents.iter().map(|agent| dialect_of(&agent.name.value)).collect();
    }
    let of_step = |step: usize| match &look.flow.steps[step].does {
        Does::Agent(pass) => Some(vec![dialect_of(&pass.agent.value)?]),
        Does::Loop(looped) => {
            Some(vec![dialect_of(&looped.author.value)?, dialect_of(&looped.critic.value)?])
        }
        Does::Gate(_) | Does::Parallel(_) | Does::Wait(_) | Does::Escalate(_) | Does::End(_) => None,
    };
    if let Does::Agent(_) = look.flow.steps[asked.step].does {
        return of_step(asked.step);
    }
    let before = look.ways.iter().filter(|way| way.to == Some(asked.step));
    let all: Option<Vec<_>> = before.map(|way| of_step(way.from)).collect();
    all.map(|all| all.into_iter().flatten().collect())
}
