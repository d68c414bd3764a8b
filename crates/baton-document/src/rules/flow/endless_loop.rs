//! `flow/endless-loop`: a loop that nothing caps.

use std::collections::VecDeque;

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::flow::WayKind;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/endless-loop",
    level: Some(Level::Error),
    page: include_str!("endless_loop.md"),
    check: Check::Reading,
};

/// Looks for loops in which no step has `visits`; rework is capped by itself.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    let steps = &look.flow.steps;
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    for way in &look.ways {
        let is_capped = match way.kind {
            // A detour comes back, and is taken so often at most; each rejection is a person's.
            WayKind::Rework | WayKind::Detour(_) | WayKind::Rejected => true,
            WayKind::Next | WayKind::Route(_) | WayKind::Due | WayKind::Failed | WayKind::Branch => {
                steps[way.from].visits.is_some()
            }
        };
        let to = way.to.filter(|to| !is_capped && steps[*to].visits.is_none());
        below[way.from].extend(to);
    }
    let groups = groups(&below);
    for way in &look.ways {
        let Some(to) = way.to.filter(|to| below[way.from].contains(to)) else { continue };
        // One finding for each loop that closes here: at the way that leads back.
        if to > way.from || groups[way.from] != groups[to] {
            continue;
        }
        let path = path(&below, &groups, to, way.from);
        let names: Vec<&str> = path.iter().map(|at| steps[*at].name.value.as_str()).collect();
        let shown = match names.as_slice() {
            [first, .., last] if names.len() > 8 => format!("{first} → … → {last}"),
            _ => names.join(" → "),
        };
        let message = format!("the loop {shown} → {} has no cap", steps[to].name.value);
        let span = way.span.unwrap_or(steps[way.from].name.span);
        let finding = Finding::new(RULE.id, message).at(span);
        findings.push(finding.expected("`visits: 3` in one of its steps, after which a person is asked"));
    }
}

/// For each step the group of steps that all lead to each other.
fn groups(below: &[Vec<usize>]) -> Vec<usize> {
    // Tarjan's algorithm with a list of its own: a flow of many steps must not go deep.
    let count = below.len();
    let (mut order, mut low, mut group) = (vec![usize::MAX; count], vec![0; count], vec![usize::MAX; count]);
    let (mut stack, mut open, mut next) = (Vec::new(), Vec::new(), 0);
    for start in 0..count {
        if order[start] == usize::MAX {
            open.push((start, 0));
        }
        while let Some((at, child)) = open.pop() {
            if child == 0 {
                (order[at], low[at]) = (next, next);
                next += 1;
                stack.push(at);
            }
            if let Some(&to) = below[at].get(child) {
                open.push((at, child + 1));
                if order[to] == usize::MAX {
                    open.push((to, 0));
                } else if group[to] == usize::MAX {
                    low[at] = low[at].min(order[to]);
                }
                continue;
            }
            if low[at] == order[at] {
                while let Some(member) = stack.pop() {
                    group[member] = at;
                    if member == at {
                        break;
                    }
                }
            }
            if let Some((parent, _)) = open.last() {
                low[*parent] = low[*parent].min(low[at]);
            }
        }
    }
    group
}

/// The shortest path between two steps of one group.
fn path(below: &[Vec<usize>], groups: &[usize], from: usize, to: usize) -> Vec<usize> {
    let mut before = vec![None; below.len()];
    let mut open = VecDeque::from([from]);
    while let Some(at) = open.pop_front() {
        if at == to {
            break;
        }
        for &next in below[at].iter().filter(|next| groups[**next] == groups[from]) {
            if before[next].is_none() && next != from {
                before[next] = Some(at);
                open.push_back(next);
            }
        }
    }
    let mut path = vec![to];
    while let Some(at) = before[path[path.len() - 1]] {
        path.push(at);
    }
    path.reverse();
    path
}
