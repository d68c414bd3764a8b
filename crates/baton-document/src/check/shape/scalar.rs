//! Judges one scalar by the shape of its field: text, word, figure, truth, time; what it names must exist.

use super::Walk;
use crate::dialect::{EnumWord, Fault, Field, FieldId, FieldPath, Names, Shape, TextShape, describe};
use crate::edits;
use crate::finding::{Finding, Level, shortened};
use crate::rules::document;
use crate::spelling::nearest;
use crate::timestamp::{self, Reading};
use crate::tokens;
use crate::tree::boolean_word;
use crate::tree::{Kind, NodeId, Syntax, Tree};
use crate::world::Seen;

/// The paths of one handoff that are looked up: no honest one names more.
const LOOKS_MAX: usize = 500;

impl Walk<'_> {
    #[inline(always)]
    pub(super) fn text(&mut self, field: &Field, shape: &TextShape, value: NodeId, kind: Kind) {
        let names_file = shape.names != Names::Nothing;
        let asks_more = shape.pattern.is_some() || field.tokens_max.is_some() || names_file;
        if kind != Kind::Text || asks_more || (shape.is_filled && !self.tree.starts_visibly(value)) {
            self.closely(field, shape, value, kind);
        }
    }

    /// Judges a text of which more is asked than that it says something.
    #[inline(never)]
    fn closely(&mut self, field: &Field, shape: &TextShape, value: NodeId, kind: Kind) {
        if kind != Kind::Text {
            return self.wrong_type(field, value);
        }
        let tree = self.tree;
        if shape.is_filled && tree.is_blank(value) {
            let finding = Finding::new("", format!("`{}` is empty", field.path))
                .at(self.visible(value))
                .found("empty text")
                .expected(describe(field, &self.dialect.shapes));
            return self.fault(field, Fault::Pattern, finding);
        }
        if let Some(pattern) = &shape.pattern
            && !pattern.regex.is_match(tree.text(value))
        {
            let finding = Finding::new("", format!("`{}` has another form", field.path))
                .at(self.visible(value))
                .found(tree.text(value))
                .expected(&*pattern.says);
            return self.fault(field, Fault::Pattern, finding);
        }
        if let Some(limit) = field.tokens_max
            && let Some(count) = tokens_over(tree.text(value), limit)
        {
            let finding = Finding::new("", format!("`{}` has {count} tokens, more than {limit}", field.path))
                .at(self.visible(value))
                .found(format!("{count} tokens"))
                .expected(format!("at most {limit} tokens (o200k)"))
                .help("summarise: files, patterns, decisions; leave raw data out");
            self.fault(field, Fault::Tokens, finding);
        }
        if shape.names != Names::Nothing {
            self.existence(field, shape.names, value);
        }
    }

    fn existence(&mut self, field: &Field, names: Names, value: NodeId) {
        let text = self.tree.text(value);
        let (path, line) = match names {
            Names::Nothing => return,
            Names::Path => (text, None),
            Names::Location => match location(text) {
                Some((path, line)) => (path, Some(line)),
                None => (text, None),
            },
        };
        if !field.must_exist && !leads_out(path) {
            return;
        }
        if self.looks == LOOKS_MAX {
            self.looks += 1;
            self.report(document::too_many::looks(self.tree.span(value), LOOKS_MAX), Level::Warning);
        }
        if self.looks > LOOKS_MAX {
            return;
        }
        self.looks += 1;
        let seen = self.world.look(path);
        let outside = || Some(("lies outside the project".to_owned(), "a path below the project root"));
        let problem = match seen {
            Seen::Unknown if field.must_exist => return,
            // Without a world to ask, the path speaks for itself.
            Seen::Unknown | Seen::Outside => outside(),
            Seen::Nothing if !field.must_exist => return,
            Seen::Nothing => Some(("does not exist".to_owned(), "the path of an existing file")),
            Seen::File | Seen::Folder => None,
        };
        let problem = problem.or_else(|| {
            let line = line.filter(|_| seen == Seen::File)?;
            let lines = self.lines_of(path)?;
            (line == 0 || line > lines)
                .then(|| (format!("has no line {line}: it has {lines}"), "a line that exists"))
        });
        if let Some((what, expected)) = problem {
            let message = format!("`{}` {what}", shortened(path));
            let finding = Finding::new("", message).at(self.visible(value)).found(text).expected(expected);
            self.fault(field, Fault::Exists, finding);
        }
    }

    /// Number of lines that a file has.
    fn lines_of(&mut self, path: &str) -> Option<usize> {
        if self.counted.as_ref().is_none_or(|(counted, _)| counted != path) {
            let lines = self.world.read(path)?.lines().count();
            self.counted = Some((path.to_owned(), lines));
        }
        self.counted.as_ref().map(|(_, lines)| *lines)
    }

    pub(super) fn word(&mut self, field: &Field, words: &[EnumWord], value: NodeId) {
        let text = self.tree.text(value);
        let is_text = self.tree.kind(value) == Kind::Text;
        let exact = words.iter().position(|word| &*word.text == text).filter(|_| is_text);
        let at = match exact {
            Some(at) => at,
            None => match self.other_word(field, words, value) {
                Some(at) => at,
                None => return,
            },
        };
        if field.id != FieldId::NONE {
            self.slots[usize::from(field.id.0)].word = u16::try_from(at).ok();
        }
    }

    /// A word that chooses the fields of another is understood in other letters. Where it is one of the words of its own
    /// field, that was said there.
    #[inline]
    pub(super) fn case_word(&mut self, on: &FieldPath, word: &str) {
        let Some(value) = on.find(self.tree, self.document) else { return };
        if self.tree.text(value) != word {
            self.other_case(on, value, word);
        }
    }

    #[cold]
    fn other_case(&mut self, on: &FieldPath, value: NodeId, word: &str) {
        let mut map = Some(&self.kind.map);
        let mut has_words = false;
        for key in on.text.split('.') {
            let field = map.and_then(|map| map.field(key));
            has_words = field.is_some_and(|field| matches!(field.shape, Shape::Words(_)));
            map = field.and_then(|field| field.shape.as_map());
        }
        if has_words {
            return;
        }
        let finding = document::enum_case::finding(self.visible(value), self.tree.text(value), word)
            .edits(edits::rewritten(self.tree, value, word));
        self.report(finding, Level::Info);
    }

    /// A word in other letters or another word for it is understood; anything else is a fault.
    #[cold]
    fn other_word(&mut self, field: &Field, words: &[EnumWord], value: NodeId) -> Option<usize> {
        let kind = self.tree.kind(value);
        if kind != Kind::Text {
            self.wrong_type(field, value);
            return None;
        }
        let text = self.tree.text(value);
        let span = self.visible(value);
        let same = |word: &str| word.to_lowercase() == text.to_lowercase();
        if let Some(at) = words.iter().position(|word| same(&word.text)) {
            let right = &words[at].text;
            let finding = document::enum_case::finding(span, text, right)
                .edits(edits::rewritten(self.tree, value, right));
            self.report(finding, Level::Info);
            return Some(at);
        }
        if let Some(at) = words.iter().position(|word| word.also.iter().any(|also| same(also))) {
            let own = &words[at].text;
            // The word is right in the language of its author: changing it is their choice.
            let finding = document::enum_synonym::finding(span, text, own)
                .edits(edits::rewritten(self.tree, value, own))
                .unsafe_fix();
            self.report(finding, Level::Info);
            return Some(at);
        }
        let list: Vec<&str> = words.iter().map(|word| &*word.text).collect();
        let finding = Finding::new("", format!("`{}` is `{text}`, which is none of its words", field.path))
            .at(span)
            .found(text)
            .expected(format!("one of {}{}", list.join(", "), other_maps(&field.shape)));
        let finding = match nearest(text, list.iter().copied()) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        };
        self.fault(field, Fault::Enum, finding);
        None
    }

    pub(super) fn integer(&mut self, field: &Field, equals: Option<i64>, value: NodeId) {
        if !is_integer(self.tree, value) {
            return self.wrong_type(field, value);
        }
        let Some(equals) = equals else { return };
        let text = self.tree.text(value);
        #[expect(clippy::cast_precision_loss, reason = "the numbers that dialects ask for are small")]
        let is_equal = text.parse::<f64>() == Ok(equals as f64);
        if !is_equal {
            let finding = Finding::new("", format!("`{}` must be {equals}", field.path))
                .at(self.visible(value))
                .found(text)
                .expected(equals.to_string());
            self.fault(field, Fault::Enum, finding);
        }
    }

    pub(super) fn boolean(&mut self, field: &Field, value: NodeId) {
        match self.tree.kind(value) {
            Kind::True | Kind::False => {}
            Kind::Text => {
                let text = self.tree.text(value);
                let is_exact = matches!(text, "true" | "false");
                match boolean_word(text) {
                    Some(_) if is_exact && self.is_untyped() => {}
                    Some(meant) => {
                        let finding = document::boolean_word::finding(self.visible(value), text, meant)
                            .edits(edits::replaced(self.tree, value, &meant.to_string()));
                        self.report(finding, Level::Info);
                    }
                    None => self.wrong_type(field, value),
                }
            }
            Kind::Null | Kind::Integer | Kind::Float | Kind::List | Kind::Map | Kind::Broken => {
                self.wrong_type(field, value);
            }
        }
    }

    pub(super) fn time(&mut self, field: &Field, shape: &Shape, value: NodeId) {
        if self.tree.kind(value) != Kind::Text {
            return self.wrong_type(field, value);
        }
        let text = self.tree.text(value);
        let reading =
            if matches!(shape, Shape::Date) { timestamp::date(text) } else { timestamp::timestamp(text) };
        match reading {
            Reading::Right => {}
            Reading::Drift { why, usual, is_certain } => {
                let span = self.visible(value);
                let finding = document::timestamp_form::finding(span, text, why, &usual)
                    .edits(edits::rewritten(self.tree, value, &usual));
                let finding = if is_certain { finding } else { finding.unsafe_fix() };
                self.report(finding, Level::Info);
            }
            Reading::Wrong(why) => {
                let finding = Finding::new("", format!("`{}` {why}", field.path))
                    .at(self.visible(value))
                    .found(text)
                    .expected(describe(field, &self.dialect.shapes));
                self.fault(field, Fault::Pattern, finding);
            }
        }
    }
}

/// Number of tokens that a text has, in words, if they are more than the limit.
fn tokens_over(text: &str, limit: usize) -> Option<String> {
    // No token is longer than this, so that a long text need not be counted to its end.
    const TOKEN_BYTES_MAX: usize = 128;
    const COUNTED_BYTES_MAX: usize = 256 * 1024;
    if text.len() > COUNTED_BYTES_MAX && text.len() / TOKEN_BYTES_MAX > limit {
        return Some(format!("at least {}", text.len() / TOKEN_BYTES_MAX));
    }
    tokens::exceeds(text, limit).map(|count| count.to_string())
}

/// Splits `path:line` or `path:line:column`.
fn location(text: &str) -> Option<(&str, usize)> {
    let (path, line) = split_last(text, b':')?;
    // A range such as `12-18` counts by its first line.
    let number = |part: &str| {
        let first = part.bytes().position(|byte| byte == b'-').map_or(part, |at| &part[..at]);
        first.trim_start_matches('L').parse().ok()
    };
    let line: usize = number(line)?;
    match split_last(path, b':').and_then(|(path, first)| Some((path, number(first)?))) {
        Some((path, line)) => Some((path, line)),
        None => Some((path, line)),
    }
}

/// Tells whether a path by itself leads out of the folder that it starts from.
fn leads_out(path: &str) -> bool {
    let mut depth = 0_usize;
    path.starts_with('/')
        || path.split('/').any(|part| {
            let down = usize::from(!matches!(part, "" | "." | ".."));
            match depth.checked_sub(usize::from(part == "..")) {
                Some(left) => {
                    depth = left + down;
                    false
                }
                None => true,
            }
        })
}

/// Text before and behind the last of an ASCII byte; in texts this short a loop beats a search.
fn split_last(text: &str, byte: u8) -> Option<(&str, &str)> {
    let at = text.bytes().rposition(|one| one == byte)?;
    Some((&text[..at], &text[at + 1..]))
}

pub(super) fn is_integer(tree: &Tree<'_>, value: NodeId) -> bool {
    match tree.kind(value) {
        Kind::Integer => true,
        Kind::Float => tree.text(value).parse::<f64>().is_ok_and(|number| number.fract() == 0.0),
        Kind::Text if tree.syntax() == Syntax::Xml => is_integer_text(tree.text(value)),
        Kind::Text | Kind::Null | Kind::False | Kind::True | Kind::List | Kind::Map | Kind::Broken => false,
    }
}

pub(super) fn is_number(tree: &Tree<'_>, value: NodeId) -> bool {
    match tree.kind(value) {
        Kind::Integer | Kind::Float => true,
        Kind::Text if tree.syntax() == Syntax::Xml => {
            let text = tree.text(value);
            let digits = text.strip_prefix('-').unwrap_or(text);
            digits.starts_with(|c: char| c.is_ascii_digit()) && text.parse::<f64>().is_ok_and(f64::is_finite)
        }
        Kind::Text | Kind::Null | Kind::False | Kind::True | Kind::List | Kind::Map | Kind::Broken => false,
    }
}

fn is_integer_text(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The maps that may stand in the place of a word, by their fields.
fn other_maps(shape: &Shape) -> String {
    let Shape::Either(_) = shape else { return String::new() };
    let fields = shape.maps().into_iter().flat_map(|map| &map.fields);
    fields.map(|field| format!(", {{ {}: … }}", field.key.text)).collect()
}
