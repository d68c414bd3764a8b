//! Contradictions of a kind, a capture or the entries, each reported at its place.

use super::super::{Condition, DialectKind, Field, MapShape, Place, Shape};
use super::given::truth_of;
use super::holds::{Goal, can_hold};
use super::map::find_field;
use super::meaning::words_of;
use super::{Compiler, NodeId};
use crate::dialect::findings;
use crate::handoff::Meaning;
use crate::span::Span;
use crate::spelling::nearest;
use crate::tree::Kind;

impl Compiler<'_, '_> {
    /// Some document is of a kind: its condition can hold, and no kind before it takes all that it is for.
    pub(super) fn can_be_reached(
        &mut self,
        key: NodeId,
        node: NodeId,
        kind: &DialectKind,
        before: &[DialectKind],
    ) {
        // What stands twice, or is no map, was said.
        if self.tree.kind(node) != Kind::Map || before.iter().any(|one| one.name == kind.name) {
            return;
        }
        let own = Goal::Is(&kind.when, true);
        if !can_hold(&[own]) {
            let when = self.tree.find(node, "when").filter(|when| self.tree.kind(*when) == Kind::Map);
            return when.into_iter().for_each(|when| {
                self.never_holds(when, "this can never hold, so no document is of this kind");
            });
        }
        let root_of = |kind: &DialectKind| kind.root.as_ref().map(|root| root.text.clone());
        let before: Vec<&DialectKind> = before.iter().filter(|one| root_of(one) == root_of(kind)).collect();
        let all: Vec<Goal<'_>> = before.iter().map(|one| Goal::Is(&one.when, false)).chain([own]).collect();
        if can_hold(&all) {
            return;
        }
        let alone = before.iter().find(|one| !can_hold(&[Goal::Is(&one.when, false), own]));
        let (who, help) = match alone {
            Some(one) if matches!(one.when, Condition::Always) => {
                let help = format!("give `{}` a `when`, or let it come last", one.name);
                (format!("`{}` takes all of them", one.name), help)
            }
            Some(one) => {
                let help = format!(
                    "put `{}` before `{}`: the first kind whose `when` holds is the one",
                    kind.name, one.name
                );
                (format!("`{}` takes all that it is for", one.name), help)
            }
            None => {
                ("the kinds before it take all that it is for".to_owned(), "put it before them".to_owned())
            }
        };
        let message = format!("no document is a `{}`: {who}", kind.name);
        self.findings.push(findings::idle(self.tree.span(key), message).help(help));
    }

    /// Says that a condition never holds, unless what is wrong within it was said.
    pub(super) fn never_holds(&mut self, node: NodeId, message: &str) {
        let whole = self.tree.span(node);
        let is_within = |span: Span| whole.start <= span.start && span.end <= whole.end;
        if !self.findings.iter().filter_map(|finding| finding.span).any(is_within) {
            self.impossible(node, message.to_owned());
        }
    }

    /// Reports contradictions of a kind; `chain` are the kinds that it is like, itself first.
    pub(super) fn kind_goes_together(&mut self, key: NodeId, chain: &[NodeId]) {
        let tree = self.tree;
        let name = tree.text(key);
        if name.is_empty() || name.contains(|c: char| c == '/' || c.is_whitespace() || c.is_control()) {
            self.impossible(
                key,
                "the name of a kind is one word: it is part of the ids of its rules".to_owned(),
            );
        }
        let Some(own) = chain.first() else { return };
        let has = |name: &str| tree.find(*own, name);
        let inherited = |name: &str| chain.iter().find_map(|one| tree.find(*one, name));
        let is_set = |name: &str| inherited(name).is_some_and(|flag| truth_of(tree, flag) == Some(true));
        if let Some(at) = has("root-aliases").filter(|_| inherited("root").is_none()) {
            self.impossible(at, "`root-aliases` needs `root`".to_owned());
        }
        let root = inherited("root").map(|root| tree.text(root));
        for item in has("root-aliases").into_iter().flat_map(|list| tree.items(list)) {
            if Some(tree.text(item)) == root {
                self.impossible(item, format!("`{}` is the root itself", tree.text(item)));
            }
        }
        let is_partial = truth_of(tree, has("partial").unwrap_or(*own)) == Some(true);
        let rows = [
            ("required", is_partial, "anything may be missing in a kind that is `partial`"),
            ("required", is_set("open"), "nothing is asked of a kind that is `open`"),
            ("fields", is_set("open"), "nothing is asked of a kind that is `open`"),
            (
                "ordered",
                inherited("required").is_none(),
                "the order is the one of `required`, and there is none",
            ),
        ];
        for (name, is_lost, why) in rows {
            if let Some(at) = has(name).filter(|_| is_lost) {
                let message = format!("`{name}` has no effect: {why}");
                self.findings.push(findings::idle(tree.span(at), message));
            }
        }
    }

    /// Reports implied meanings that do not exist.
    pub(super) fn implies_something(&mut self, value: NodeId, meaning: Option<Meaning>, fields: &MapShape) {
        let text = self.tree.text(value);
        let (mut rest, mut is_plain) = (text, true);
        while let Some((_, after)) = rest.split_once('{') {
            is_plain = false;
            let Some((name, after)) = after.split_once('}') else {
                return self.impossible(value, "a `{` is not closed".to_owned());
            };
            rest = after;
            match find_field(fields, name) {
                None => self.impossible(value, format!("`{name}` is no field of this kind")),
                Some(Field { shape: Shape::List(_) | Shape::Map(_) | Shape::Depends { .. }, .. }) => {
                    self.impossible(value, format!("`{name}` is no single value that could stand in a text"));
                }
                Some(_) => {}
            }
        }
        let known = meaning.map(words_of).unwrap_or_default();
        if text.trim().is_empty() {
            self.impossible(value, "this says nothing".to_owned());
        } else if is_plain && !known.is_empty() && !known.contains(&text) {
            let help = nearest(text, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
            self.refuse(value, format!("`{text}` is none of: {}", known.join(", ")), help);
        }
    }

    /// Reports captures that are no single value.
    pub(super) fn captures_are_single(&mut self, captures: NodeId, kinds: &[DialectKind], places: &[Place]) {
        for (key, node) in self.tree.entries(captures) {
            let name = self.tree.text(key);
            let is_taken = places.iter().any(|place| place.captures().any(|capture| capture == name));
            let mut fields = kinds.iter().filter_map(|kind| find_field(&kind.map, name)).peekable();
            let can_be = |shape: &Shape| {
                shape.is_scalar() || matches!(shape, Shape::Any | Shape::Either(_) | Shape::Named(_))
            };
            if is_taken && fields.peek().is_some() && !fields.any(|field| can_be(&field.shape)) {
                self.impossible(node, format!("a path gives one value, and `{name}` is none"));
            }
        }
    }

    /// The way to the entries leads through maps and lists.
    pub(super) fn entries_can_stand(&mut self, at: NodeId, path: &str, key: Option<&str>, around: &MapShape) {
        let parts: Vec<&str> = path.split('.').collect();
        for end in 1..=parts.len() {
            let before = parts[..end].join(".");
            if find_field(around, &before).is_some_and(|field| field.shape.is_scalar()) {
                return self
                    .impossible(at, format!("`{before}` is a single value, so no handoffs stand there"));
            }
        }
        if let Some(key) = key.filter(|key| key.contains('.')) {
            self.impossible(at, format!("`{key}` has a dot: the key of a handoff is a field at its top"));
        }
    }

    /// Reports an old place of a field that is the place of another one.
    pub(super) fn old_places_are_free(&mut self, kind: &DialectKind, aliases: &[NodeId]) {
        for item in aliases {
            let path = self.tree.text(*item);
            let Some((first, _)) = path.split_once('.') else { continue };
            if find_field(&kind.map, path).is_some() {
                self.impossible(*item, format!("`{path}` is a field of its own, so it is no other name"));
            } else if find_field(&kind.map, first).is_some_and(|field| field.shape.is_scalar()) {
                self.impossible(
                    *item,
                    format!("`{first}` is a single value, so nothing ever stood at `{path}`"),
                );
            }
        }
    }

    /// Each shape that has a name is the shape of something.
    pub(super) fn shapes_are_used(&mut self, shapes: NodeId) {
        for (key, _) in self.tree.entries(shapes) {
            let name = self.tree.text(key);
            if !self.used_shapes.contains(name) {
                let message = format!("no field has the shape `{name}`");
                self.findings.push(findings::idle(self.tree.span(key), message));
            }
        }
    }
}
