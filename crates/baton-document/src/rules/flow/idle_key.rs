//! `flow/idle-key`: a key of an agent that has no effect.

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::flow::{AgentSpec, CourierWord, ReceptionWord, Word as _};
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/idle-key",
    level: Some(Level::Warning),
    page: include_str!("idle_key.md"),
    check: Check::Reading,
};

/// The dialect whose receivers have a checklist.
const HAS_CHECKLIST: &str = "package";

/// A key that only some couriers heed.
struct CourierKey {
    name: &'static str,
    is_said: fn(&AgentSpec) -> bool,
    heeded_by: &'static [CourierWord],
}

const KEYS: &[CourierKey] = &[
    CourierKey { name: "url", is_said: |agent| agent.url.is_some(), heeded_by: &[CourierWord::Http] },
    CourierKey { name: "secret", is_said: |agent| agent.secret.is_some(), heeded_by: &[CourierWord::Http] },
    CourierKey {
        name: "permissions",
        is_said: |agent| agent.permissions.is_some(),
        heeded_by: &[CourierWord::Acp],
    },
    CourierKey { name: "model", is_said: |agent| agent.model.is_some(), heeded_by: SESSIONS },
    CourierKey { name: "sandbox", is_said: |agent| agent.sandbox.is_some(), heeded_by: STARTED },
    CourierKey { name: "readable", is_said: |agent| agent.readable.is_some(), heeded_by: STARTED },
    CourierKey { name: "writable", is_said: |agent| agent.writable.is_some(), heeded_by: STARTED },
];

/// Those that speak with an agent in a session on this machine.
const SESSIONS: &[CourierWord] = &[CourierWord::Acp, CourierWord::Claude, CourierWord::Codex];
/// Those that start the agent.
const STARTED: &[CourierWord] =
    &[CourierWord::Program, CourierWord::Acp, CourierWord::Claude, CourierWord::Codex];

/// Looks at what the flow itself says of its agents.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    for own in &look.flow.agents {
        let name = &own.name.value;
        let Some(full) = look.full.agent(name) else { continue };
        let mut report = |key: &str, why: String, help: String| {
            let message = format!("`{key}` of the agent `{name}` changes nothing: {why}");
            findings.push(Finding::new(RULE.id, message).at(own.name.span).help(help));
        };
        let way = full.way();
        for key in KEYS.iter().filter(|key| (key.is_said)(own)) {
            let Some(way) = way.filter(|way| !key.heeded_by.contains(way)) else { continue };
            let heeds: Vec<String> = key.heeded_by.iter().map(|way| format!("`{}`", way.word())).collect();
            let why = format!("the courier `{}` does not heed it", way.word());
            report(key.name, why, format!("remove it, or use the courier {}", heeds.join(" or ")));
        }
        let dialect = full.dialect.as_ref().map(|dialect| dialect.value.as_str());
        if let Some(dialect) = dialect.filter(|dialect| *dialect != HAS_CHECKLIST)
            && own.reception == Some(ReceptionWord::Strict)
        {
            let why =
                format!("only receivers of a `{HAS_CHECKLIST}` have a checklist, and it reads `{dialect}`");
            report("reception", why, "remove it".to_owned());
        }
    }
}
