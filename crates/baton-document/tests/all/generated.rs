//! Handoffs nobody wrote: documents made along the shapes of a dialect, with nasty values in them.

use baton_document::dialect::{Dialect, DialectKind, Field, MapShape, Names, Shape};
use baton_document::tree::Syntax;
use serde_json::{Map, Value, json};

/// Texts that notations stumble over.
const TEXTS: [&str; 28] = [
    "Implemented login in src/auth.rs",
    "yes",
    "null",
    "~",
    "123",
    "1e3",
    "- item",
    "key: value",
    "# no comment",
    "it's \"quoted\"",
    "two\nlines",
    "tail\n",
    " spaces around ",
    "<b>&amp; ]]>",
    "éàü – 日本 🎉",
    "{\"a\": [1]}",
    "[a|b]",
    "back\\slash\ttab",
    "@at %percent `tick`",
    "2026-01-31",
    "true",
    "*anchor &alias",
    "!tag",
    "| pipe > fold",
    "del \u{7f} nel \u{85} line \u{2028} bom \u{feff}",
    "one\n\n  two \n",
    "key: |\n  block",
    "a: b # c",
];

const KEYS: [&str; 8] = ["tests_passed", "note to self", "x", "y", "on", "12", "clé", "a.b"];

/// Draws from a list of numbers; when it is used up, always the first choice.
pub(crate) struct Choices<'c> {
    numbers: std::slice::Iter<'c, u16>,
}

impl<'c> Choices<'c> {
    pub(crate) fn new(numbers: &'c [u16]) -> Self {
        Self { numbers: numbers.iter() }
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::from(self.numbers.next().copied().unwrap_or_default()) % count.max(1)
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// A document of a kind, under its root; `is_wild` adds keys that nobody knows.
pub(crate) fn document(kind: &DialectKind, choices: &mut Choices<'_>, is_wild: bool) -> Value {
    let inner = map(&kind.map, choices, true);
    let mut inner = if let Value::Object(inner) = inner { inner } else { Map::new() };
    // Fields that depend on another were left open until that one was known.
    for field in &kind.map.fields {
        if let Shape::Depends { on, cases } = &field.shape
            && (field.is_required || inner.contains_key(&*field.key.text))
        {
            let word = inner.get(&*on.text).and_then(Value::as_str).unwrap_or_default();
            let case = cases.iter().find(|(case, _)| &**case == word);
            let value = case.map_or_else(|| json!({}), |(_, shape)| map(shape, choices, false));
            inner.insert(field.key.text.to_string(), value);
        }
    }
    if is_wild {
        inner.insert("added_by_hand".to_owned(), json!([choices.one(&TEXTS), {"deep": choices.one(&TEXTS)}]));
    }
    match &kind.root {
        Some(root) => json!({ &*root.text: inner }),
        None => Value::Object(inner),
    }
}

fn map(shape: &MapShape, choices: &mut Choices<'_>, is_top: bool) -> Value {
    let mut made = Map::new();
    for field in &shape.fields {
        let is_needed = field.is_required || field.leads_to_required;
        if is_needed || choices.below(10) < 6 {
            made.insert(field.key.text.to_string(), value(field, choices));
        }
    }
    if !is_top && shape.fields.is_empty() {
        for _ in 0..choices.below(4) {
            let number = choices.below(2000);
            let one = if number.is_multiple_of(2) { json!(number) } else { json!(choices.one(&TEXTS)) };
            made.insert(choices.one(&KEYS).to_owned(), one);
        }
    }
    Value::Object(made)
}

/// A value that fits a field.
pub(crate) fn value(field: &Field, choices: &mut Choices<'_>) -> Value {
    if field.is_nullable && choices.below(5) == 1 {
        return Value::Null;
    }
    shaped(&field.shape, choices)
}

fn shaped(shape: &Shape, choices: &mut Choices<'_>) -> Value {
    match shape {
        Shape::Any | Shape::Named(_) => json!({"any": choices.one(&TEXTS)}),
        Shape::Text(text) => {
            let pattern = text.pattern.as_ref();
            let fitting = ["96%", "discussion/058-codex-response.md", "TASK-12"];
            let fits = |text: &&&str| pattern.is_some_and(|pattern| pattern.regex.is_match(text));
            match (fitting.iter().find(fits), text.names) {
                (Some(text), _) => json!(text),
                (None, Names::Path) => json!("src/auth.rs"),
                (None, Names::Location) => json!("src/auth.rs:1"),
                (None, Names::Nothing) => json!(choices.one(&TEXTS)),
            }
        }
        Shape::Words(words) => json!(&*words[choices.below(words.len())].text),
        Shape::Integer(only) => json!(only.unwrap_or(choices.below(500) as i64)),
        Shape::Number => match choices.below(3) {
            0 => json!(choices.below(100)),
            1 => json!(choices.below(100) as f64 + 0.5),
            _ => json!(0.1),
        },
        Shape::Boolean => json!(choices.below(2) == 0),
        Shape::Date => json!("2026-02-09"),
        Shape::Timestamp => json!(choices.one(&["2026-01-31T09:30:00Z", "2026-01-31T09:30:00.25+02:00"])),
        Shape::List(item) => {
            let count = choices.below(4);
            Value::Array((0..count).map(|_| shaped(&item.shape, choices)).collect())
        }
        Shape::Map(inner) => map(inner, choices, false),
        Shape::Depends { .. } => json!({}),
        Shape::Either(shapes) => {
            let at = choices.below(shapes.len());
            shaped(&shapes[at], choices)
        }
    }
}

/// The text of a document in the usual notation of its dialect.
pub(crate) fn text(dialect: &Dialect, document: &Value) -> String {
    match dialect.syntaxes[0] {
        Syntax::Json | Syntax::Yaml | Syntax::Toml => document.to_string(),
        Syntax::Xml => {
            let mut out = String::new();
            for (name, value) in document.as_object().into_iter().flatten() {
                element(name, value, &mut out);
            }
            out
        }
    }
}

fn escaped(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn element(name: &str, value: &Value, out: &mut String) {
    let is_name = name.starts_with(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    match value {
        _ if !is_name => {}
        Value::Array(items) => items.iter().for_each(|item| element(name, item, out)),
        Value::Null => {}
        Value::Object(map) => {
            out.push_str(&format!("<{name}"));
            for (key, value) in map {
                if let Some(key) = key.strip_prefix('@') {
                    out.push_str(&format!(" {key}=\"{}\"", escaped(value).replace(['\n', '\t'], " ")));
                }
            }
            out.push('>');
            out.push_str(&map.get("#text").map(escaped).unwrap_or_default());
            map.iter()
                .filter(|(key, _)| !key.starts_with(['@', '#']))
                .for_each(|(key, value)| element(key, value, out));
            out.push_str(&format!("</{name}>"));
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&format!("<{name}>{}</{name}>", escaped(value)));
        }
    }
}
