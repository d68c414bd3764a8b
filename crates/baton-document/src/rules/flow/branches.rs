//! `flow/branches`: branches that cannot run side by side, or cannot be joined.

use std::collections::HashMap;

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::flow::{Does, JoinSpec, LoopStep, ParallelStep, StepSpec, WayKind};
use crate::rule::{Check, Rule};
use crate::span::Span;
use crate::spelling::nearest;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/branches",
    level: Some(Level::Error),
    page: include_str!("branches.md"),
    check: Check::Reading,
};

/// Looks at branches, detours and joins.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    let steps = &look.flow.steps;
    for step in steps {
        match &step.does {
            Does::Parallel(parallel) => joined(step, parallel, findings),
            Does::Loop(looped) => stalled(step, looped, findings),
            Does::Agent(_) | Does::Gate(_) | Does::Wait(_) | Does::Escalate(_) | Does::End(_) => {}
        }
    }
    let mut starts: HashMap<usize, (usize, Span)> = HashMap::new();
    for way in &look.ways {
        let (Some(to), Some(span)) = (way.to, way.span) else { continue };
        let what = match way.kind {
            WayKind::Branch => "branch",
            WayKind::Detour(_) => "detour",
            WayKind::Next
            | WayKind::Route(_)
            | WayKind::Rework
            | WayKind::Rejected
            | WayKind::Due
            | WayKind::Failed => continue,
        };
        if matches!(steps[to].does, Does::End(_)) {
            let message = format!("a {what} begins with `{}`, which is an end", way.name);
            findings
                .push(Finding::new(RULE.id, message).at(span).expected("a step in which something is done"));
        }
        if what == "branch" {
            if let Some((_, first)) = starts.get(&to) {
                let message = format!("two branches begin with `{}`", way.name);
                let finding = Finding::new(RULE.id, message).at(span).related(*first, "the first");
                findings.push(finding.expected("a step of its own for each branch"));
            }
            starts.entry(to).or_insert((way.from, span));
        }
    }
    for way in look.ways.iter().filter(|way| way.kind != WayKind::Branch) {
        let Some((parallel, branch)) = way.to.and_then(|to| starts.get(&to)) else { continue };
        let (from, parallel) = (&steps[way.from].name, &steps[*parallel].name.value);
        let message =
            format!("`{}` leads into `{}`, which is a branch of `{parallel}`", from.value, way.name);
        let finding = Finding::new(RULE.id, message).at(way.span.unwrap_or(from.span));
        let finding = finding.expected(format!("`{parallel}`, or a step that is no branch"));
        findings.push(finding.related(*branch, "the branch begins here"));
    }
}

fn joined(step: &StepSpec, parallel: &ParallelStep, findings: &mut Vec<Finding>) {
    let count = parallel.branches.len();
    if count == 0 {
        let finding = Finding::new(RULE.id, format!("`{}` has no branches", step.name.value));
        findings.push(finding.at(step.name.span).expected("the names of the steps that run side by side"));
    }
    let JoinSpec::Quorum(quorum) = parallel.join.value else { return };
    if usize::try_from(quorum).map_or(true, |quorum| quorum > count) && count > 0 {
        let message = format!("{quorum} branches can never be verified, there are only {count}");
        let finding = Finding::new(RULE.id, message).at(parallel.join.span).found(quorum.to_string());
        findings.push(finding.expected(format!("a number from 1 to {count}")));
    }
}

fn stalled(step: &StepSpec, looped: &LoopStep, findings: &mut Vec<Finding>) {
    let Some(kind) = &looped.on_stall else { return };
    let kinds = || step.detours.iter().map(|(kind, _)| kind.value.as_str());
    if kinds().any(|known| known == kind.value) {
        return;
    }
    let finding = Finding::new(RULE.id, format!("`{}` has no detour `{}`", step.name.value, kind.value));
    let finding = finding.at(kind.span).expected("the name of one of its `detours`");
    findings.push(match nearest(&kind.value, kinds()) {
        Some(near) => finding.help(format!("did you mean `{near}`?")).fix(kind.span, near).unsafe_fix(),
        None => finding.help(format!("add `detours: {{ {}: NAME-OF-A-STEP }}` to the step", kind.value)),
    });
}
