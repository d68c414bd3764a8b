//! `flow/unknown-dialect`: an agent whose dialect does not exist.

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::spelling::nearest;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/unknown-dialect",
    level: Some(Level::Error),
    page: include_str!("unknown_dialect.md"),
    check: Check::Reading,
};

/// Looks at the dialects of the flow's agents.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    for dialect in look.flow.agents.iter().filter_map(|agent| agent.dialect.as_ref()) {
        let names = || look.dialects.handoffs.iter().map(|dialect| &*dialect.name);
        if names().any(|known| known == dialect.value) {
            continue;
        }
        let finding = Finding::new(RULE.id, format!("no dialect is called `{}`", dialect.value))
            .at(dialect.span)
            .found(&dialect.value)
            .expected(format!("one of {}", names().collect::<Vec<_>>().join(", ")));
        findings.push(match nearest(&dialect.value, names()) {
            Some(near) => {
                finding.help(format!("did you mean `{near}`?")).fix(dialect.span, near).unsafe_fix()
            }
            None => finding,
        });
    }
}
