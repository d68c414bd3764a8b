//! `flow/unknown-step`: a name that leads to no step.

use super::{FlowCase, listed};
use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::spelling::nearest;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/unknown-step",
    level: Some(Level::Error),
    page: include_str!("unknown_step.md"),
    check: Check::Reading,
};

/// Looks at every name that leads somewhere.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    for way in look.ways.iter().filter(|way| way.to.is_none()) {
        let (Some(span), false) = (way.span, look.flow.unread.iter().any(|name| name == way.name)) else {
            continue;
        };
        let finding =
            Finding::new(RULE.id, format!("there is no step `{}`", way.name)).at(span).found(way.name);
        if way.name == "end" {
            let finding = finding.expected("a step such as `- stop: { end: done }`");
            findings.push(
                finding.help("only `then` may be `end`; elsewhere an end is a step that says its status"),
            );
            continue;
        }
        let names = || look.flow.steps.iter().map(|step| step.name.value.as_str());
        let finding = finding.expected("the name of a step of this flow");
        findings.push(match nearest(way.name, names()) {
            Some(near) => finding.help(format!("did you mean `{near}`?")).fix(span, near).unsafe_fix(),
            None => finding.help(format!("the steps are {}", listed(names()))),
        });
    }
}
