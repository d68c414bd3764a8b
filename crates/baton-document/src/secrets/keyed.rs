//! Secrets that only a key gives away, found in a tree: the value belongs to the key there, however far the notation
//! sets the two apart.
//!
//! Invariant: what a value must be like to be a secret is said by the forms alone. Name and value are put side by side
//! for them as an assignment, and nothing else is judged here.

use std::ops::Range;

use super::formats::FORMATS;
use crate::scan::Effort;
use crate::span::{Span, offset};
use crate::tree::{Kind, NodeId, Tree};

/// Parts of the names of secrets, in small letters.
const PARTS: &[&str] = &["pass", "pwd", "secret", "key", "token", "credential"];
/// Last words of names that stand for a password where they are names, and for much else in a sentence.
const SHORT: &[&str] = &["pass", "pw", "pwd", "mdp"];
/// Keys whose value is the name of something, and those whose value is the something.
const NAMES: &[&str] = &["name", "key", "id", "var", "variable", "env", "option", "field"];
const VALUES: &[&str] =
    &["value", "val", "default", "plain", "text", "#text", "data", "content", "current", "raw"];
/// The longest name that is looked at, and the longest and shortest value.
const NAME_MAX: usize = 80;
const VALUE_MAX: usize = 512;
const VALUE_MIN: usize = 6;

/// A secret in a tree.
pub(super) struct Keyed {
    /// Its place in the file.
    pub(super) span: Span,
    /// The form, by its row.
    pub(super) format: usize,
    /// Its kind.
    pub(super) text: String,
}

/// Looks for secrets below the keys of a tree.
pub(super) struct Walk<'w, 't> {
    tree: &'w Tree<'t>,
    effort: &'w mut Effort,
    pub(super) found: Vec<Keyed>,
    /// Place in the file where looking stopped before the end.
    pub(super) stopped: Option<u32>,
}

impl<'w, 't> Walk<'w, 't> {
    /// Goes over all of a tree once.
    pub(super) fn over(tree: &'w Tree<'t>, effort: &'w mut Effort) -> Self {
        let mut walk = Self { tree, effort, found: Vec::new(), stopped: None };
        for (node, _) in tree.roots().flat_map(|root| tree.subtree(root)) {
            match tree.kind(node) {
                Kind::Map => walk.map(node),
                Kind::List => walk.list(node),
                Kind::Null
                | Kind::False
                | Kind::True
                | Kind::Integer
                | Kind::Float
                | Kind::Text
                | Kind::Broken => {}
            }
            if walk.stopped.is_some() {
                break;
            }
        }
        // Copies that aliases made stand where the first one does.
        walk.found.sort_by_key(|one| one.span);
        walk.found.dedup_by_key(|one| one.span);
        walk
    }

    fn map(&mut self, map: NodeId) {
        let tree = self.tree;
        let mut named = None;
        for (key, value) in tree.entries(map) {
            let name = tree.text(key);
            if is_one_of(NAMES, name) && tree.kind(value) == Kind::Text {
                named = named.or_else(|| spoken(tree.text(value)));
            }
            if let Some(name) = spoken(name) {
                self.below(name, value);
            }
        }
        if let Some(name) = named {
            self.values(name, map);
        }
    }

    /// Options of a program, each with what it is set to behind it.
    fn list(&mut self, list: NodeId) {
        let tree = self.tree;
        let mut option = None;
        for item in tree.items(list) {
            let text = tree.text(item);
            if let Some(name) = option.take()
                && !text.starts_with('-')
            {
                self.judge(name, item);
            }
            option = if text.starts_with('-') { spoken(text.trim_start_matches('-')) } else { None };
        }
    }

    fn below(&mut self, name: &str, value: NodeId) {
        match self.tree.kind(value) {
            Kind::List => self.tree.items(value).for_each(|item| self.judge(name, item)),
            Kind::Map => self.values(name, value),
            Kind::Null
            | Kind::False
            | Kind::True
            | Kind::Integer
            | Kind::Float
            | Kind::Text
            | Kind::Broken => self.judge(name, value),
        }
    }

    fn values(&mut self, name: &str, map: NodeId) {
        for (key, value) in self.tree.entries(map) {
            if is_one_of(VALUES, self.tree.text(key)) {
                self.judge(name, value);
            }
        }
    }

    fn judge(&mut self, name: &str, node: NodeId) {
        if !matches!(self.tree.kind(node), Kind::Text | Kind::Broken) || self.stopped.is_some() {
            return;
        }
        let value = self.tree.text(node).trim();
        let is_one = (VALUE_MIN..=VALUE_MAX).contains(&value.len()) && !value.contains(char::is_whitespace);
        if !is_one {
            return;
        }
        if self.effort.is_spent() {
            self.stopped = Some(self.tree.span(node).start);
            return;
        }
        let assigned = format!("{name}={value}");
        let start = name.len() + 1;
        let all = 0..assigned.len();
        let hits = FORMATS.find(&assigned, &[], std::slice::from_ref(&all), self.effort);
        let Some(hit) = hits.all.into_iter().find(|hit| hit.range.start == start) else { return };
        // A name with a bracket behind it is code that gets the value from elsewhere.
        if assigned[hit.range.end..].starts_with(['(', '[']) {
            return;
        }
        let place = self.place(node, value).shifted(self.tree.base());
        self.found.push(Keyed { span: place, format: hit.format, text: value.to_owned() });
    }

    /// Place of a value in the text of the tree: where it is written as it is, or all of the scalar in its quotes.
    fn place(&self, node: NodeId, value: &str) -> Span {
        let span = self.tree.span(node);
        let start = span.start.saturating_sub(self.tree.base()) as usize;
        let end = span.end.saturating_sub(self.tree.base()) as usize;
        let written = self.tree.source().get(start..end).unwrap_or_default();
        let inner = written.find(value).map_or_else(|| unquoted(written), |at| at..at + value.len());
        Span::new(offset(start + inner.start), offset(start + inner.end))
    }
}

/// The part of a scalar between its quotes, if it has some.
fn unquoted(written: &str) -> Range<usize> {
    let bytes = written.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(first @ (b'"' | b'\'')), Some(last)) if first == last && bytes.len() > 1 => 1..bytes.len() - 1,
        _ => 0..bytes.len(),
    }
}

fn is_one_of(words: &[&str], key: &str) -> bool {
    let key = key.strip_prefix('@').unwrap_or(key);
    words.iter().any(|word| word.eq_ignore_ascii_case(key))
}

/// Spelling of a name for the formats, if it may be that of a secret.
fn spoken(name: &str) -> Option<&str> {
    if name.len() > NAME_MAX {
        return None;
    }
    let last = last_word(name);
    if SHORT.iter().any(|word| word.eq_ignore_ascii_case(last)) {
        return Some("password");
    }
    let has = |part: &&str| {
        name.as_bytes().windows(part.len()).any(|some| some.eq_ignore_ascii_case(part.as_bytes()))
    };
    PARTS.iter().any(has).then_some(name)
}

/// The last word of a name such as `db_pass` or `dbPass`.
fn last_word(name: &str) -> &str {
    let is_start = |pair: &[u8]| {
        !pair[0].is_ascii_alphanumeric() || (pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
    };
    let start = name.as_bytes().windows(2).rposition(is_start).map_or(0, |at| at + 1);
    name.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_by_their_last_word_or_a_part() {
        for (name, expected) in [
            ("pass", Some("password")),
            ("dbPass", Some("password")),
            ("DB_PASS", Some("password")),
            ("db:password", Some("db:password")),
            ("apiKey", Some("apiKey")),
            ("passed", Some("passed")),
            ("summary", None),
            ("é", None),
        ] {
            assert_eq!(spoken(name), expected, "{name}");
        }
    }
}
