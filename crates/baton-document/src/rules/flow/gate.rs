//! `flow/gate`: a gate that is not what it says.

use std::collections::HashSet;

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::flow::{Does, GateWord, Word};
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule =
    Rule { id: "flow/gate", level: Some(Level::Error), page: include_str!("gate.md"), check: Check::Reading };

/// Looks at every gate.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    for step in &look.flow.steps {
        let Does::Gate(gate) = &step.does else { continue };
        match gate.kind.value {
            GateWord::Auto if gate.checks.is_empty() => {
                let finding = Finding::new(RULE.id, "an automatic gate without checks would pass everything");
                let finding = finding.at(gate.kind.span).expected("`checks` with one expression or more");
                findings.push(finding.help("such as `checks: [\"handoff.status == 'VERIFIED'\"]`"));
            }
            GateWord::Informative if gate.due_ms.is_none() => {
                let message = "an informative gate without `due` would wait for ever";
                let finding = Finding::new(RULE.id, message).at(gate.kind.span);
                findings.push(finding.expected("`due` with a time such as 24h, after which it goes on"));
            }
            GateWord::Blocking | GateWord::Informative if !gate.checks.is_empty() => {
                let message =
                    format!("nobody looks at the checks of a gate that is `{}`", gate.kind.value.word());
                let finding = Finding::new(RULE.id, message).at(gate.checks[0].span);
                findings.push(finding.expected("`gate: auto`, or no checks"));
            }
            GateWord::Auto | GateWord::Blocking | GateWord::Informative => {}
        }
        let mut seen = HashSet::new();
        for check in gate.checks.iter().filter(|check| !seen.insert(&check.value)) {
            let finding = Finding::new(RULE.id, "the same check stands here twice").at(check.span);
            findings.push(finding.expected("each check once"));
        }
    }
}
