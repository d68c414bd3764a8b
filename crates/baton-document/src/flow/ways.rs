//! The ways between the steps of a flow: all that can follow what, and why.

use std::collections::HashMap;

use super::{Does, Flow, OnFail, Spanned, StepSpec, Target, When, Word};
use crate::span::Span;

/// A way from one step to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way<'f> {
    /// The step that it leaves, by its place in the flow.
    pub from: usize,
    /// The name of the step that it leads to.
    pub name: &'f str,
    /// That step; nothing where there is none of that name.
    pub to: Option<usize>,
    /// When it is taken.
    pub kind: WayKind<'f>,
    /// Place in the file that names it; nothing for the order of the list.
    pub span: Option<Span>,
}

/// When a way is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WayKind<'f> {
    /// When no other is.
    Next,
    /// When an answer fits.
    Route(&'f When),
    /// When a stop may be mended.
    Rework,
    /// When a person says no.
    Rejected,
    /// When a signal did not come.
    Due,
    /// When a join failed.
    Failed,
    /// Side by side with others, and back to the join.
    Branch,
    /// When it is recommended by this name, and back.
    Detour(&'f str),
}

impl WayKind<'_> {
    /// When it is taken, in a few words; nothing where no other way is meant.
    pub fn says(&self) -> String {
        match self {
            WayKind::Next => String::new(),
            WayKind::Route(When::Decision(word)) => word.value.clone(),
            WayKind::Route(When::Outcome(outcome)) => outcome.value.word().to_owned(),
            WayKind::Route(When::If(expression)) => format!("if {}", expression.value),
            WayKind::Rework => "rework".to_owned(),
            WayKind::Rejected => "rejected".to_owned(),
            WayKind::Due => "no signal in time".to_owned(),
            WayKind::Failed => "join failed".to_owned(),
            WayKind::Branch => "branch".to_owned(),
            WayKind::Detour(kind) => format!("detour {kind}"),
        }
    }
}

impl Flow {
    /// All ways between its steps, those of each step together.
    pub fn ways(&self) -> Vec<Way<'_>> {
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (at, step) in self.steps.iter().enumerate() {
            places.entry(&step.name.value).or_insert(at);
        }
        let mut ways = Ways { places, from: 0, all: Vec::new() };
        for (from, following) in self.following().into_iter().enumerate() {
            ways.from = from;
            ways.of(&self.steps[from], following.and_then(|next| self.steps.get(next)));
        }
        ways.all
    }
}

struct Ways<'f> {
    places: HashMap<&'f str, usize>,
    from: usize,
    all: Vec<Way<'f>>,
}

impl<'f> Ways<'f> {
    fn of(&mut self, step: &'f StepSpec, following: Option<&'f StepSpec>) {
        match &step.does {
            Does::Agent(pass) => {
                for route in &pass.routes {
                    self.named(&route.to, WayKind::Route(&route.when));
                }
                if let Some(rework) = &pass.rework {
                    self.named(&rework.to, WayKind::Rework);
                }
            }
            Does::Gate(gate) => {
                if let Some(to) = &gate.on_reject {
                    self.named(to, WayKind::Rejected);
                }
            }
            Does::Parallel(parallel) => {
                for branch in &parallel.branches {
                    self.named(branch, WayKind::Branch);
                }
                if let Some(Spanned { value: OnFail::Step(name), span }) = &parallel.on_fail {
                    self.add(name, WayKind::Failed, Some(*span));
                }
            }
            Does::Wait(wait) => {
                if let Some(to) = &wait.on_due {
                    self.named(to, WayKind::Due);
                }
            }
            Does::Loop(_) | Does::Escalate(_) | Does::End(_) => {}
        }
        for (kind, to) in &step.detours {
            self.named(to, WayKind::Detour(&kind.value));
        }
        match (&step.then, following) {
            (Some(Spanned { value: Target::Step(name), span }), _) => {
                self.add(name, WayKind::Next, Some(*span));
            }
            (None, Some(following)) => self.add(&following.name.value, WayKind::Next, None),
            (Some(Spanned { value: Target::End, .. }), _) | (None, None) => {}
        }
    }

    fn named(&mut self, name: &'f Spanned<String>, kind: WayKind<'f>) {
        self.add(&name.value, kind, Some(name.span));
    }

    fn add(&mut self, name: &'f str, kind: WayKind<'f>, span: Option<Span>) {
        let to = self.places.get(name).copied();
        self.all.push(Way { from: self.from, name, to, kind, span });
    }
}
