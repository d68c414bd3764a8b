//! `manifest/participants`: a sender or receiver that takes no part in the collaboration.

use super::ids::{Ids, List};
use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};
use crate::tree::Kind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "manifest/participants",
    level: Some(Level::Warning),
    page: include_str!("participants.md"),
    check: Check::Handoff(check),
};

static PARTICIPANTS: List = List { file: "meta/collaboration.yaml", key: "participants" };

fn check(case: &mut Case<'_>) {
    let agents = ["from", "to"].map(|name| (name, case.value(name)));
    if agents.iter().all(|(_, agent)| agent.is_none()) {
        return;
    }
    let Some(ids) = Ids::read(&PARTICIPANTS, case.world()) else { return };
    for (name, agent) in agents {
        let Some(agent) = agent.filter(|agent| agent.kind() == Kind::Text && !agent.is_empty()) else {
            continue;
        };
        let id = agent.text().unwrap_or_default().trim();
        if ids.contains(id) {
            continue;
        }
        let finding = case
            .finding(&RULE, format!("`{name}` is no participant of the collaboration"))
            .at(agent.span())
            .label("not a participant");
        let finding = ids.missing(id, finding);
        case.report(&RULE, finding);
    }
}
