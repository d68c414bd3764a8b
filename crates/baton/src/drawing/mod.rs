//! Drawings of a flow: as Mermaid, and as a picture of its own.
//!
//! Both draw the same graph, which is made here.

mod layout;
mod mermaid;
mod svg;

pub(crate) use mermaid::mermaid;
pub(crate) use svg::svg;

use std::collections::BTreeMap;

use baton_document::flow::{Does, Flow, JoinSpec, WayKind, Word};

/// A flow as it is drawn.
struct Graph {
    title: String,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

/// A step, or the end of the run.
struct Node {
    name: String,
    /// What is done, in a few words.
    note: String,
    look: Look,
}

/// What a node looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Agent,
    Loop,
    Gate,
    Parallel,
    Wait,
    Person,
    End,
}

/// What can follow what; ways between the same steps are one.
struct Edge {
    from: usize,
    to: usize,
    /// When it is taken; empty where no other is.
    label: String,
    /// Whether it lies beside the order: a branch, a detour, rework.
    is_aside: bool,
}

/// The characters of a label: what is longer is cut.
const LABEL_MAX: usize = 36;

impl Graph {
    fn of(flow: &Flow) -> Self {
        let mut nodes: Vec<Node> = flow
            .steps
            .iter()
            .map(|step| {
                let (note, look) = note(&step.does);
                let caps = step.visits.as_ref().map(|visits| format!(" · at most {}×", visits.value));
                let note = shortened(&format!("{note}{}", caps.unwrap_or_default()));
                Node { name: shortened(&step.name.value), note, look }
            })
            .collect();
        let mut edges = edges(flow);
        let ends = ends(flow);
        if !ends.is_empty() {
            let end = nodes.len();
            nodes.push(Node { name: "end".to_owned(), note: String::new(), look: Look::End });
            let edge = |from| Edge { from, to: end, label: String::new(), is_aside: false };
            edges.extend(ends.into_iter().map(edge));
        }
        Self { title: flow.name.value.clone(), nodes, edges }
    }
}

/// Ways between the same two steps share an arrow.
fn edges(flow: &Flow) -> Vec<Edge> {
    let mut places: BTreeMap<(usize, usize, bool), usize> = BTreeMap::new();
    let mut edges: Vec<Edge> = Vec::new();
    let mut is_usual = Vec::new();
    for way in flow.ways() {
        let Some(to) = way.to else { continue };
        let is_aside = match way.kind {
            WayKind::Rework | WayKind::Branch | WayKind::Detour(_) => true,
            WayKind::Next | WayKind::Route(_) | WayKind::Rejected | WayKind::Due | WayKind::Failed => false,
        };
        // That a branch begins is said by its arrow.
        let label = if way.kind == WayKind::Branch { String::new() } else { way.kind.says() };
        let at = *places.entry((way.from, to, is_aside)).or_insert_with(|| {
            edges.push(Edge { from: way.from, to, label: String::new(), is_aside });
            is_usual.push(false);
            edges.len() - 1
        });
        // Where the way is taken anyway, it does not matter when else.
        if way.kind == WayKind::Next {
            is_usual[at] = true;
            edges[at].label.clear();
        }
        if is_usual[at] {
            continue;
        }
        let edge = &mut edges[at];
        let joint = if edge.label.is_empty() || label.is_empty() { "" } else { ", " };
        edge.label = shortened(&format!("{}{joint}{label}", edge.label));
    }
    edges
}

/// The steps behind which the run is over.
fn ends(flow: &Flow) -> Vec<usize> {
    let mut below = vec![Vec::new(); flow.steps.len()];
    let mut has_next = vec![false; flow.steps.len()];
    for way in flow.ways() {
        let is_main = !matches!(way.kind, WayKind::Branch | WayKind::Detour(_));
        below[way.from].extend(way.to.filter(|_| is_main));
        has_next[way.from] |= way.kind == WayKind::Next;
    }
    let mut is_main = vec![false; flow.steps.len()];
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        if is_main.get(at) == Some(&false) {
            is_main[at] = true;
            open.extend(&below[at]);
        }
    }
    let ends = (0..flow.steps.len()).filter(|at| is_main[*at] && !has_next[*at]);
    ends.filter(|at| !matches!(flow.steps[*at].does, Does::End(_))).collect()
}

fn note(does: &Does) -> (String, Look) {
    match does {
        Does::Agent(pass) => (pass.agent.value.clone(), Look::Agent),
        Does::Loop(looped) => (format!("{} ⇄ {}", looped.author.value, looped.critic.value), Look::Loop),
        Does::Gate(gate) => (format!("{} gate", gate.kind.value.word()), Look::Gate),
        Does::Parallel(parallel) => {
            let join = match &parallel.join.value {
                JoinSpec::Word(word) => word.word().to_owned(),
                JoinSpec::Quorum(quorum) => format!("{quorum} of {}", parallel.branches.len()),
                JoinSpec::If(_) => "joined by an expression".to_owned(),
            };
            (join, Look::Parallel)
        }
        Does::Wait(wait) => {
            let signal = wait.signal.as_ref().map(|signal| format!(" for {}", signal.value));
            (format!("waits{}", signal.unwrap_or_default()), Look::Wait)
        }
        Does::Escalate(_) => ("asks a person".to_owned(), Look::Person),
        Does::End(outcome) => (outcome.word().to_owned(), Look::End),
    }
}

fn shortened(text: &str) -> String {
    let text: String = text.chars().map(|one| if one.is_control() { ' ' } else { one }).collect();
    match text.char_indices().nth(LABEL_MAX) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}
