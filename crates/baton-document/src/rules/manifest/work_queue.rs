//! `manifest/work-queue`: an item that is not in the work queue.

use super::ids::{Ids, List};
use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};
use crate::tree::Kind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "manifest/work-queue",
    level: Some(Level::Warning),
    page: include_str!("work_queue.md"),
    check: Check::Handoff(check),
};

static WORK_QUEUE: List = List { file: "meta/work-queue.yaml", key: "items" };

fn check(case: &mut Case<'_>) {
    let Some(items) = case.value("work_queue_items").filter(|items| !items.is_empty()) else { return };
    let Some(ids) = Ids::read(&WORK_QUEUE, case.world()) else { return };
    // An item of another type or without a letter is a finding of its own.
    for item in items.items().filter(|item| item.kind() == Kind::Text && !item.is_empty()) {
        let id = item.text().unwrap_or_default().trim();
        if case.is_full() {
            return;
        }
        if ids.contains(id) {
            continue;
        }
        let finding = case
            .finding(&RULE, "an entry of `work_queue_items` is not in the work queue")
            .at(item.span())
            .label("not in the work queue");
        let finding = ids.missing(id, finding);
        case.report(&RULE, finding);
    }
}
