//! Compiles conditions over the fields of a document.

use std::sync::OnceLock;

use super::super::Condition;
use super::{Compiler, NodeId};
use crate::rules::dialect::idle;
use crate::tree::Kind;

/// The conditions that some are chosen from: a schema has to say each choice by itself.
const CHOICE_MAX: usize = 12;

impl Compiler<'_, '_> {
    pub(super) fn condition(&mut self, node: NodeId) -> Condition {
        if self.tree.kind(node) == Kind::Text {
            return Condition::Present(self.path(node));
        }
        if self.tree.kind(node) == Kind::True {
            return Condition::Always;
        }
        let find = |name: &str| self.tree.find(node, name);
        if let Some(list) = find("all") {
            return Condition::All(self.conditions(list));
        }
        if let Some(list) = find("any") {
            return Condition::Any(self.conditions(list));
        }
        if let Some(inner) = find("not") {
            return Condition::Not(Box::new(self.condition(inner)));
        }
        if let Some(path) = find("null") {
            return Condition::Null(self.path(path));
        }
        if let (Some(at), Some(of)) = (find("at-least"), find("of")) {
            return self.at_least(node, at, of);
        }
        if let Some(glob) = find("file") {
            return self.file_condition(glob);
        }
        if let Some(path) = find("field") {
            return self.about_field(node, path);
        }
        self.impossible(node, "this is no condition".to_owned());
        never()
    }

    fn at_least(&mut self, node: NodeId, at: NodeId, of: NodeId) -> Condition {
        let count = self.number(node, "at-least").and_then(|count| usize::try_from(count).ok()).unwrap_or(1);
        let conditions = self.conditions(of);
        if conditions.len() > CHOICE_MAX {
            self.impossible(of, format!("`at-least` chooses among at most {CHOICE_MAX} conditions"));
        } else if count > conditions.len() {
            let message = format!("{count} of {} conditions never hold", conditions.len());
            self.impossible(at, message);
        } else if count == 0 {
            let message = "at least none of them always hold, so this says nothing".to_owned();
            self.findings.push(idle::finding(self.tree.span(at), message));
        }
        Condition::AtLeast(count, conditions)
    }

    fn about_field(&mut self, node: NodeId, path: NodeId) -> Condition {
        let find = |name: &str| self.tree.find(node, name);
        let field = self.path(path);
        if let Some(is) = find("is") {
            let words =
                if self.tree.kind(is) == Kind::List { self.texts(is) } else { vec![self.tree.text(is)] };
            return Condition::Is(field, words.into_iter().map(Into::into).collect());
        }
        if let Some(pattern) = find("matches") {
            return self.regex(pattern).map_or_else(never, |regex| Condition::Matches(field, regex));
        }
        let bound = |name: &str| self.text(node, name).and_then(|text| text.parse::<f64>().ok());
        let (from, below) = (bound("from"), bound("below"));
        if from.is_none() && below.is_none() {
            let message = "this says nothing of the field: `is`, `matches`, `from` or `below` would";
            self.impossible(node, message.to_owned());
            return never();
        }
        Condition::Within { field, from, below }
    }

    fn file_condition(&mut self, node: NodeId) -> Condition {
        match globset::Glob::new(self.tree.text(node)) {
            Ok(glob) => {
                let end = glob.glob().rsplit(['*', '?', ']', '}']).next().unwrap_or_default().into();
                Condition::File { glob, matcher: OnceLock::new(), end }
            }
            Err(error) => {
                self.impossible(node, error.kind().to_string());
                never()
            }
        }
    }

    fn conditions(&mut self, list: NodeId) -> Vec<Condition> {
        if self.tree.items(list).next().is_none() {
            self.impossible(list, "there is no condition in this list".to_owned());
        }
        self.tree.items(list).map(|item| self.condition(item)).collect()
    }
}

/// What never holds.
fn never() -> Condition {
    Condition::Not(Box::new(Condition::Always))
}
