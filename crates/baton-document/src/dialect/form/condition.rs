//! Compiles conditions over the fields of a document, and refuses those that say two things, or nothing.

use std::sync::OnceLock;

use super::super::Condition;
use super::{Compiler, NodeId};
use crate::dialect::findings;
use crate::tree::Kind;

/// The conditions that some are chosen from: a schema has to say each choice by itself.
const CHOICE_MAX: usize = 12;

/// The keys of a condition, each with the form that it belongs to and, about a field, with what it says.
const FORMS: [(&str, &str, &str); 12] = [
    ("all", "all", ""),
    ("any", "any", ""),
    ("not", "not", ""),
    ("null", "null", ""),
    ("file", "file", ""),
    ("at-least", "at-least", ""),
    ("of", "at-least", ""),
    ("field", "field", ""),
    ("is", "field", "is"),
    ("matches", "field", "matches"),
    ("from", "field", "from"),
    ("below", "field", "from"),
];

/// A condition that asks something of a field, and where it does so.
pub(super) struct FieldQuery {
    /// Node that names the field.
    pub(super) path: NodeId,
    /// Node of the requirement; the path if the field must only be present.
    pub(super) at: NodeId,
    /// The condition itself.
    pub(super) condition: Condition,
}

impl Compiler<'_, '_> {
    pub(super) fn condition(&mut self, node: NodeId) -> Condition {
        if self.tree.kind(node) == Kind::Text {
            let path = self.path(node);
            return self.asked(node, node, Condition::Present(path));
        }
        if self.tree.kind(node) == Kind::True {
            return Condition::Always;
        }
        if self.tree.kind(node) == Kind::False {
            self.impossible(node, "this can never hold".to_owned());
            return never();
        }
        if !self.says_one_thing(node) {
            return never();
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
        if let Some(at) = find("null") {
            let path = self.path(at);
            return self.asked(at, at, Condition::Null(path));
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

    /// Tells whether the keys of a condition belong together; a second form is refused where it begins.
    fn says_one_thing(&mut self, node: NodeId) -> bool {
        let (mut form, mut says) = (None, None);
        for (key, _) in self.tree.entries(node) {
            let name = self.tree.text(key);
            let Some((_, of, what)) = FORMS.into_iter().find(|(known, _, _)| *known == name) else {
                continue;
            };
            let (first, first_says) = (*form.get_or_insert((of, name)), *says.get_or_insert((what, name)));
            let before = if first.0 != of {
                Some(first.1)
            } else if !first_says.0.is_empty() && !what.is_empty() && first_says.0 != what {
                Some(first_says.1)
            } else {
                None
            };
            if let Some(before) = before {
                let message = format!("a condition says one thing, and this one says `{before}` already");
                let field = self.text(node, "field").filter(|_| of == "field" && first.0 == of);
                let of = field.map(|field| format!("field: {field}, ")).unwrap_or_default();
                let help = format!("`all: [{{{of}{before}: …}}, {{{of}{name}: …}}]` says both");
                self.refuse(key, message, Some(help));
                return false;
            }
            if first_says.0.is_empty() {
                says = Some((what, name));
            }
        }
        for (one, other) in [
            ("at-least", "of"),
            ("of", "at-least"),
            ("is", "field"),
            ("matches", "field"),
            ("from", "field"),
            ("below", "field"),
        ] {
            if let Some(at) = self.tree.find(node, one).filter(|_| self.tree.find(node, other).is_none()) {
                self.impossible(at, format!("`{one}` needs `{other}`"));
                return false;
            }
        }
        true
    }

    /// Remembers what a condition asks of a field, to be held against the fields once they are all known.
    fn asked(&mut self, path: NodeId, at: NodeId, condition: Condition) -> Condition {
        if !self.is_shipped() {
            self.asked.push(FieldQuery { path, at, condition: condition.clone() });
        }
        condition
    }

    fn at_least(&mut self, node: NodeId, at: NodeId, of: NodeId) -> Condition {
        let count = self.number(node, "at-least").and_then(|count| usize::try_from(count).ok());
        let conditions = self.conditions(of);
        let Some(count) = count else {
            self.impossible(at, "so many conditions can never hold".to_owned());
            return never();
        };
        if conditions.len() > CHOICE_MAX {
            self.impossible(of, format!("`at-least` chooses among at most {CHOICE_MAX} conditions"));
        } else if count > conditions.len() {
            let message = format!("{count} of {} conditions never hold", conditions.len());
            self.impossible(at, message);
        } else if count == 0 {
            let message = "at least none of them always hold, so this says nothing".to_owned();
            self.findings.push(findings::idle(self.tree.span(at), message));
        }
        Condition::AtLeast(count, conditions)
    }

    fn about_field(&mut self, node: NodeId, path: NodeId) -> Condition {
        let find = |name: &str| self.tree.find(node, name);
        let field = self.path(path);
        if let Some(is) = find("is") {
            return self.is_condition(is, path, field);
        }
        if let Some(pattern) = find("matches") {
            let Some(regex) = self.regex(pattern) else { return never() };
            return self.asked(path, pattern, Condition::Matches(field, regex));
        }
        let bound = |name: &str| self.text(node, name).and_then(|text| text.parse::<f64>().ok());
        let (from, below) = (bound("from"), bound("below"));
        let Some(at) = find("below").or_else(|| find("from")) else {
            let message = "this says nothing of the field: `is`, `matches`, `from` or `below` would";
            self.impossible(node, message.to_owned());
            return never();
        };
        if let (Some(from), Some(below)) = (from, below)
            && from >= below
        {
            self.impossible(at, format!("no number is {from} or more and below {below}"));
            return never();
        }
        self.asked(path, at, Condition::Within { field, from, below })
    }

    fn is_condition(&mut self, is: NodeId, path: NodeId, field: super::FieldPath) -> Condition {
        let items: Vec<NodeId> =
            if self.tree.kind(is) == Kind::List { self.tree.items(is).collect() } else { vec![is] };
        if items.is_empty() {
            self.impossible(is, "there is no word here that the field could be".to_owned());
            return never();
        }
        let mut words: Vec<Box<str>> = Vec::new();
        for item in items {
            let word: Box<str> = self.tree.text(item).into();
            match self.tree.kind(item) {
                Kind::List | Kind::Map | Kind::Null => {
                    self.impossible(item, "a field is a word, a number, `true` or `false`".to_owned());
                }
                Kind::Text | Kind::Integer | Kind::Float | Kind::True | Kind::False | Kind::Broken => {
                    self.asked(path, item, Condition::Is(field.clone(), vec![word.clone()]));
                    words.push(word);
                }
            }
        }
        Condition::Is(field, words)
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

/// A condition that never holds.
fn never() -> Condition {
    Condition::Not(Box::new(Condition::Always))
}
