//! `flow/definition`: a file of `workflow-agents/` that does not say all that an agent needs.

use std::collections::HashSet;

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::flow::{AgentSpec, Ends, Word, definition_path, is_name};
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/definition",
    level: Some(Level::Warning),
    page: include_str!("definition.md"),
    check: Check::Reading,
};

/// Looks at the definitions of everybody who works.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    let mut seen = HashSet::new();
    for worker in look.flow.workers() {
        let name = worker.agent;
        if !is_name(&name.value) || !seen.insert(&name.value) {
            continue;
        }
        let path = definition_path(&name.value);
        let Some(text) = look.world.read(&path) else { continue };
        let span = look.flow.agent(&name.value).map_or(name.span, |agent| agent.name.span);
        let said = |message: String, expected: &str| {
            Finding::new(RULE.id, message).at(span).expected(expected).help(format!("change {path}"))
        };
        match AgentSpec::of_definition(&path, &text) {
            None => {
                let message = format!("{path} has no front matter, so it defines nothing");
                findings.push(said(message, "front matter with name, dialect, run, accepts and produces"));
            }
            Some((agent, wrong)) => {
                for one in wrong {
                    let expected = one.expected.as_deref().unwrap_or("a value that can be used");
                    findings.push(said(format!("{path}: {}", one.message), expected));
                }
                let missing = missing(&agent);
                if !missing.is_empty() {
                    let message = format!("{path} does not say {}", missing.join(", "));
                    let expected =
                        "accepts: [KINDS], and produces: { success: WORDS, failure: WORDS, blocked: WORDS }";
                    findings.push(said(message, expected));
                }
            }
        }
    }
}

/// Gaps of a definition.
fn missing(agent: &AgentSpec) -> Vec<String> {
    let mut missing = Vec::new();
    if agent.accepts.is_none() {
        missing.push("what it accepts".to_owned());
    }
    let has = |ends: Ends| {
        agent.produces.iter().flatten().any(|row| match (&row.ends, ends) {
            (Some(said), _) => said.value == ends,
            // A word that is said without how the work ends is one of success.
            (None, Ends::Success) => true,
            (None, Ends::Failure | Ends::Blocked) => false,
        })
    };
    for ends in [Ends::Success, Ends::Failure, Ends::Blocked].into_iter().filter(|ends| !has(*ends)) {
        missing.push(format!("what it produces on {}", ends.word()));
    }
    missing
}
