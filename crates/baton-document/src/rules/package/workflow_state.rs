//! `package/workflow-state`: steps of a workflow that contradict each other.

use std::cmp::Ordering;

use crate::finding::Level;
use crate::rule::{Case, Value};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "package/workflow-state",
    level: Some(Level::Warning),
    page: include_str!("workflow_state.md"),
    check: Check::Handoff(check),
};

/// A step as one of the lists, or the current one, names it.
#[derive(Clone, Copy)]
struct Step<'c> {
    name: &'c str,
    span: Span,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Completed,
    Current,
    Remaining,
}

fn check(case: &mut Case<'_>) {
    if case.kind() == "acknowledgment" || !case.is_present("workflow_state") {
        return;
    }
    let mut steps = Vec::new();
    if let Some(completed) = case.value("workflow_state.completed_steps") {
        steps.extend(completed.items().filter_map(|item| step(item, Stage::Completed)));
    }
    if let Some(current) = case.value("workflow_state.current_step") {
        steps.extend(step(current, Stage::Current));
    }
    if let Some(remaining) = case.value("workflow_state.remaining_steps") {
        steps.extend(remaining.items().filter_map(|item| step(item, Stage::Remaining)));
    }
    // The sort is stable: of one step, the completed come first and the remaining last.
    steps.sort_by(|one, other| by_name(one.name, other.name));
    for same in steps.chunk_by(|one, other| by_name(one.name, other.name).is_eq()) {
        for (at, step) in same.iter().enumerate().skip(1) {
            report(case, &same[..at], step);
        }
    }
}

fn step(value: Value<'_>, stage: Stage) -> Option<Step<'_>> {
    value.text().map(|name| Step { name: name.trim(), span: value.span(), stage })
}

/// Steps are the same in any letters.
fn by_name(one: &str, other: &str) -> Ordering {
    one.chars().flat_map(char::to_lowercase).cmp(other.chars().flat_map(char::to_lowercase))
}

/// Reports a step that stands where the same step before it does not let it stand.
fn report(case: &mut Case<'_>, earlier: &[Step<'_>], step: &Step<'_>) {
    let same = earlier.iter().find(|other| other.stage == step.stage);
    let completed = earlier.iter().find(|other| other.stage == Stage::Completed);
    let name = step.name;
    let (message, other, said, expected) = match (step.stage, same, completed) {
        (_, Some(same), _) => {
            (format!("the step `{name}` is listed twice"), same, "first here", "each step once")
        }
        (Stage::Current, None, Some(completed)) => (
            format!("the current step `{name}` is already completed"),
            completed,
            "completed here",
            "a current step that is not completed",
        ),
        (Stage::Remaining, None, Some(completed)) => (
            format!("the step `{name}` is both completed and remaining"),
            completed,
            "completed here",
            "each step either completed or remaining",
        ),
        // The current step may still count as remaining.
        (Stage::Completed | Stage::Current | Stage::Remaining, None, _) => return,
    };
    let finding =
        case.finding(&RULE, message).at(step.span).found(name).expected(expected).related(other.span, said);
    case.report(&RULE, finding);
}
