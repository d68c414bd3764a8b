//! JSON Schema (2020-12) of a dialect, from its definition file.
//!
//! Invariant: a document whose shape has no fault validates, and one that validates has none; strict
//! knows the dialect's own words only, lenient takes drift too. Rules that look at the world, judge
//! wording or count tokens are not shape.

use serde_json::{Map, Value, json};

use super::{
    Condition, Dialect, DialectKind, EnumWord, Fault, Field, FieldPath, Key, MapShape, Shape, TextShape,
};
use crate::finding::Level;
use crate::timestamp::{DATE_PATTERN, LENIENT_TIME_PATTERN, TIME_PATTERN};

/// True if a schema takes drift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// The dialect's own words and forms only.
    Strict,
    /// Also accepts values that get an info.
    Lenient,
}

/// Makes the schema of a dialect in its canonical JSON form.
pub fn json_schema(dialect: &Dialect, strictness: Strictness) -> Value {
    let writer = Writer { strictness, shapes: &dialect.shapes };
    let mut schema = writer.kinds(&dialect.kinds);
    let head = [
        ("$schema", json!("https://json-schema.org/draft/2020-12/schema")),
        ("title", json!(dialect.title)),
        ("description", json!(dialect.about)),
    ];
    let mut whole: Map<String, Value> =
        head.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    if let Value::Object(schema) = &mut schema {
        schema.remove("description");
        whole.append(schema);
    }
    writer.define(&mut whole);
    Value::Object(whole)
}

/// Makes the schema of one kind of a dialect.
pub fn json_schema_of_kind(dialect: &Dialect, kind: &DialectKind, strictness: Strictness) -> Value {
    let writer = Writer { strictness, shapes: &dialect.shapes };
    let mut schema = writer.kind(kind);
    if let Value::Object(schema) = &mut schema {
        writer.define(schema);
        schema.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
        schema.insert("title".into(), json!(format!("{}: {}", dialect.title, kind.name)));
    }
    schema
}

struct Writer<'w> {
    strictness: Strictness,
    /// The shapes that have a name.
    shapes: &'w [Field],
}

impl Writer<'_> {
    /// Adds the shapes that have a name, which may hold themselves.
    fn define(&self, schema: &mut Map<String, Value>) {
        let named = |shape: &Field| (shape.key.text.to_string(), self.field(shape, &mut Vec::new()));
        let all: Map<String, Value> = self.shapes.iter().map(named).collect();
        if !all.is_empty() {
            schema.insert("$defs".into(), Value::Object(all));
        }
    }

    fn is_lenient(&self) -> bool {
        self.strictness == Strictness::Lenient
    }

    /// The first kind whose condition holds, as nested if, then, else.
    fn kinds(&self, kinds: &[DialectKind]) -> Value {
        // A kind that only a file's name makes cannot be told from the document.
        let told: Vec<&DialectKind> = kinds.iter().filter(|kind| !kind.when.needs_file()).collect();
        let Some((last, before)) = told.split_last() else { return json!(true) };
        let mut schema = self.kind(last);
        for kind in before.iter().rev() {
            schema = json!({"if": self.chooses(kind), "then": self.kind(kind), "else": schema});
        }
        schema
    }

    fn chooses(&self, kind: &DialectKind) -> Value {
        let when = condition(&kind.when);
        match &kind.root {
            Some(root) => self.under(root, &when),
            None => when,
        }
    }

    /// A schema for what a key wraps.
    fn under(&self, root: &Key, inner: &Value) -> Value {
        let names = std::iter::once(&root.text).chain(root.aliases.iter().map(|(alias, _)| alias));
        let each: Vec<Value> = names
            .take(if self.is_lenient() { usize::MAX } else { 1 })
            .map(|name| json!({"type": "object", "required": [name], "properties": {&**name: inner}}))
            .collect();
        one_or_any(each)
    }

    fn kind(&self, kind: &DialectKind) -> Value {
        if kind.is_open {
            return json!({"description": kind.about});
        }
        let mut conditions = Vec::new();
        let mut map = self.map(&kind.map, &mut conditions);
        if let Some(payload) = kind.also_in {
            self.spread_payload(&mut map, kind, payload);
        }
        self.old_paths(kind, &mut map);
        add_all(&mut map, conditions);
        let mut schema = match &kind.root {
            Some(root) => self.under(root, &map),
            None => map,
        };
        if !kind.about.is_empty() {
            schema["description"] = json!(kind.about);
        }
        schema
    }

    /// Required fields may stand in the payload too.
    fn spread_payload(&self, map: &mut Value, kind: &DialectKind, payload: crate::tree::Symbol) {
        let Some(payload) = kind.map.fields.iter().find(|field| field.key.symbol == payload) else { return };
        let name = &payload.key.text;
        let mut inner = map["properties"].clone();
        if let Value::Object(inner) = &mut inner {
            inner.remove(&**name);
        }
        let required = map["required"].as_array().cloned().unwrap_or_default();
        if let Value::Object(map) = map {
            map.remove("required");
        }
        map["properties"][&**name] = json!({"properties": inner});
        let either = required.into_iter().map(|field| {
            json!({"anyOf": [
                {"required": [field]},
                {"required": [name], "properties": {&**name: {"type": "object", "required": [field]}}}
            ]})
        });
        add_all(map, either.collect());
    }

    /// Old places of fields: lenient accepts them, strict does not.
    fn old_paths(&self, kind: &DialectKind, map: &mut Value) {
        for (path, at) in &kind.old_paths {
            let field = &kind.map.fields[*at];
            let name = &*field.key.text;
            if !self.is_lenient() {
                let there = nested(path, &json!(true));
                add_all(map, vec![json!({"anyOf": [{"required": [name]}, {"not": there}]})]);
                continue;
            }
            let schema = self.field(field, &mut Vec::new());
            let old = path.text.rsplit('.').fold(schema, |inner, key| json!({"properties": {key: inner}}));
            add_all(map, vec![json!({"anyOf": [{"required": [name]}, old]})]);
        }
        for field in kind.map.fields.iter().filter(|field| self.is_lenient() && is_needed(field)) {
            let old = kind.old_paths.iter().filter(|(_, at)| kind.map.fields[*at].key.text == field.key.text);
            let old: Vec<Value> = old.map(|(path, _)| nested(path, &json!(true))).collect();
            if !old.is_empty() {
                let own = names_of(field).map(|name| json!({"required": [name]}));
                let either: Vec<Value> = own.chain(old).collect();
                let required = map.get_mut("required").and_then(Value::as_array_mut);
                required.into_iter().for_each(|all| all.retain(|one| *one != *field.key.text));
                add_all(map, vec![json!({"anyOf": either})]);
            }
        }
    }

    fn map(&self, map: &MapShape, conditions: &mut Vec<Value>) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut choices = Vec::new();
        for field in &map.fields {
            let schema = self.field(field, conditions);
            let is_required = is_needed(field);
            for (alias, _) in &field.key.aliases {
                let of_alias = if self.is_lenient() { schema.clone() } else { json!(false) };
                properties.insert(alias.to_string(), of_alias);
            }
            properties.insert(field.key.text.to_string(), schema);
            if is_required && self.is_lenient() && !field.key.aliases.is_empty() {
                let each = names_of(field).map(|name| json!({"required": [name]}));
                choices.push(json!({"anyOf": each.collect::<Vec<_>>()}));
            } else if is_required {
                required.push(json!(field.key.text));
            }
        }
        let mut schema = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            schema["required"] = Value::Array(required);
        }
        if !choices.is_empty() {
            schema["allOf"] = Value::Array(choices);
        }
        if let Some(values) = &map.values {
            schema["additionalProperties"] = self.field(values, conditions);
        }
        schema
    }

    fn field(&self, field: &Field, conditions: &mut Vec<Value>) -> Value {
        let is_error = |fault| field.level(fault) == Level::Error;
        let mut schema = if is_error(Fault::Enum) && is_error(Fault::Pattern) {
            self.shape(field, &field.shape, conditions)
        } else {
            relaxed(field).unwrap_or_else(|| self.shape(field, &field.shape, conditions))
        };
        if field.is_nullable && !matches!(field.shape, Shape::Any) {
            schema = json!({"anyOf": [schema, {"type": "null"}]});
        }
        if !is_error(Fault::Type)
            && let Some(types) = types_of(&field.shape)
        {
            schema = json!({"anyOf": [schema, {"not": {"type": types}}]});
        }
        if let Value::Object(schema) = &mut schema
            && !field.about.is_empty()
        {
            schema.insert("description".into(), json!(field.about));
        }
        schema
    }

    fn shape(&self, field: &Field, shape: &Shape, conditions: &mut Vec<Value>) -> Value {
        match shape {
            Shape::Any => json!(true),
            Shape::Named(at) => match self.shapes.get(*at) {
                Some(named) => json!({"$ref": format!("#/$defs/{}", named.key.text)}),
                None => json!(true),
            },
            Shape::Text(text) => text_schema(text),
            Shape::Words(words) => self.words(words),
            Shape::Integer(Some(equals)) => json!({"const": equals}),
            Shape::Integer(None) => json!({"type": "integer"}),
            Shape::Number => json!({"type": "number"}),
            Shape::Boolean if self.is_lenient() => {
                let words = ["true", "yes", "false", "no"].map(any_letters).join("|");
                json!({"anyOf": [{"type": "boolean"}, {"type": "string", "pattern": format!("^(?:{words})$")}]})
            }
            Shape::Boolean => json!({"type": "boolean"}),
            Shape::Date => {
                json!({"type": "string", "format": "date", "pattern": format!("^{DATE_PATTERN}$")})
            }
            Shape::Timestamp => {
                let time = if self.is_lenient() { LENIENT_TIME_PATTERN } else { TIME_PATTERN };
                json!({"type": "string", "pattern": format!("^{DATE_PATTERN}{time}$")})
            }
            Shape::List(item) => json!({"type": "array", "items": self.field(item, conditions)}),
            Shape::Map(map) => {
                let whole = self.map(map, conditions);
                match map.shorthand.map(|at| &map.fields[at]) {
                    Some(short) if self.is_lenient() && is_enough(map, short) => {
                        json!({"anyOf": [whole, self.field(short, conditions)]})
                    }
                    Some(_) | None => whole,
                }
            }
            Shape::Depends { on, cases } => {
                for (word, map) in cases {
                    let then = self.map(map, &mut Vec::new());
                    let is_word = condition(&Condition::Is(on.clone(), vec![word.clone()]));
                    let mut then = json!({"properties": {&*field.key.text: then}});
                    if !self.is_lenient() {
                        // In other letters it is drift, wherever it chooses something.
                        let own = json!({"anyOf": [{"const": word}, {"not": {"type": "string"}}]});
                        then["if"] = json!({"required": [&*field.key.text]});
                        then["then"] = nested(on, &own);
                    }
                    conditions.push(json!({"if": is_word, "then": then}));
                }
                json!({"type": "object"})
            }
            Shape::Either(shapes) => {
                // A word for a boolean is text, and text has a shape of its own here.
                let strict = Writer { strictness: Strictness::Strict, shapes: self.shapes };
                let each = shapes.iter().map(|shape| match shape {
                    Shape::Boolean => strict.shape(field, shape, conditions),
                    Shape::Any
                    | Shape::Text(_)
                    | Shape::Words(_)
                    | Shape::Integer(_)
                    | Shape::Number
                    | Shape::Date
                    | Shape::Timestamp
                    | Shape::List(_)
                    | Shape::Map(_)
                    | Shape::Depends { .. }
                    | Shape::Either(_)
                    | Shape::Named(_) => self.shape(field, shape, conditions),
                });
                json!({"anyOf": each.collect::<Vec<_>>()})
            }
        }
    }

    fn words(&self, words: &[EnumWord]) -> Value {
        let own: Vec<&str> = words.iter().map(|word| &*word.text).collect();
        if !self.is_lenient() {
            return json!({"type": "string", "enum": own});
        }
        let all = words.iter().flat_map(|word| std::iter::once(&word.text).chain(&word.also));
        let pattern: Vec<String> = all.map(|word| any_letters(word)).collect();
        json!({"type": "string", "pattern": format!("^(?:{})$", pattern.join("|"))})
    }
}

/// Tells whether a plain word is all a map needs.
fn is_enough(map: &MapShape, short: &Field) -> bool {
    !map.fields.iter().any(|field| is_needed(field) && field.key.symbol != short.key.symbol)
}

/// Tells whether it is an error that a field, or one that must be there below it, is missing.
fn is_needed(field: &Field) -> bool {
    let below = || field.shape.maps().into_iter().any(|map| map.fields.iter().any(is_needed));
    (field.is_required && field.level(Fault::Missing) == Level::Error) || (field.leads_to_required && below())
}

/// The key of a field, and its other names.
fn names_of(field: &Field) -> impl Iterator<Item = &str> {
    std::iter::once(&*field.key.text).chain(field.key.aliases.iter().map(|(alias, _)| &**alias))
}

/// Adds conditions to those that a schema has.
fn add_all(schema: &mut Value, more: Vec<Value>) {
    if more.is_empty() {
        return;
    }
    match schema.get_mut("allOf").and_then(Value::as_array_mut) {
        Some(all) => all.extend(more),
        None => schema["allOf"] = Value::Array(more),
    }
}

/// The schema of a field whose words or form are no matter of errors: its type alone.
fn relaxed(field: &Field) -> Option<Value> {
    let is_loose = match &field.shape {
        Shape::Words(_) | Shape::Integer(Some(_)) => field.level(Fault::Enum) != Level::Error,
        Shape::Text(_) | Shape::Date | Shape::Timestamp => field.level(Fault::Pattern) != Level::Error,
        Shape::Any
        | Shape::Integer(None)
        | Shape::Number
        | Shape::Boolean
        | Shape::List(_)
        | Shape::Map(_)
        | Shape::Depends { .. }
        | Shape::Either(_)
        | Shape::Named(_) => false,
    };
    types_of(&field.shape).filter(|_| is_loose).map(|types| json!({"type": types}))
}

/// The JSON types of the values of a shape, where they are known.
fn types_of(shape: &Shape) -> Option<&'static [&'static str]> {
    match shape {
        Shape::Text(_) | Shape::Words(_) | Shape::Date | Shape::Timestamp => Some(&["string"]),
        Shape::Integer(_) => Some(&["integer"]),
        Shape::Number => Some(&["number"]),
        Shape::Boolean => Some(&["boolean"]),
        Shape::List(_) => Some(&["array"]),
        Shape::Map(_) | Shape::Depends { .. } => Some(&["object"]),
        Shape::Any | Shape::Either(_) | Shape::Named(_) => None,
    }
}

fn text_schema(text: &TextShape) -> Value {
    let mut schema = json!({"type": "string"});
    match (&text.pattern, text.is_filled) {
        (Some(pattern), _) => schema["pattern"] = json!(pattern.regex.as_str()),
        (None, true) => schema["pattern"] = json!("\\S"),
        (None, false) => {}
    }
    schema
}

fn condition(of: &Condition) -> Value {
    match of {
        Condition::Always => json!(true),
        Condition::Present(path) => nested(path, &json!(true)),
        Condition::Null(path) => nested(path, &json!({"type": "null"})),
        Condition::Is(path, words) => {
            let pattern: Vec<String> = words.iter().map(|word| any_letters(word)).collect();
            let word = json!({"type": "string", "pattern": format!("^(?:{})$", pattern.join("|"))});
            let others: Vec<Value> = words.iter().filter_map(|word| other_value(word)).collect();
            let is = if others.is_empty() { word } else { json!({"anyOf": [word, {"enum": others}]}) };
            nested(path, &is)
        }
        Condition::Matches(path, regex) => {
            nested(path, &json!({"type": "string", "pattern": regex.as_str()}))
        }
        Condition::Within { field, from, below } => {
            let mut within = json!({"type": "number"});
            if let Some(from) = from {
                within["minimum"] = json!(from);
            }
            if let Some(below) = below {
                within["exclusiveMaximum"] = json!(below);
            }
            nested(field, &within)
        }
        // Nothing in a document says what its file is called.
        Condition::File { .. } => json!(false),
        Condition::All(all) => json!({"allOf": all.iter().map(condition).collect::<Vec<_>>()}),
        Condition::Any(any) => json!({"anyOf": any.iter().map(condition).collect::<Vec<_>>()}),
        Condition::Not(inner) => json!({"not": condition(inner)}),
        Condition::AtLeast(count, of) => at_least(*count, of),
    }
}

/// A word's other value: the number or truth value that is written like it.
fn other_value(word: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(&word.to_lowercase()).ok()?;
    (value.is_number() || value.is_boolean()).then_some(value)
}

/// So many of some conditions: the first holds with one fewer of the rest, or so many of the rest hold.
fn at_least(count: usize, of: &[Condition]) -> Value {
    match of.split_first() {
        _ if count == 0 => json!(true),
        _ if of.len() < count => json!(false),
        Some((first, rest)) => json!({"anyOf": [
            {"allOf": [condition(first), at_least(count - 1, rest)]},
            at_least(count, rest)
        ]}),
        None => json!(false),
    }
}

fn nested(path: &FieldPath, inner: &Value) -> Value {
    path.text.rsplit('.').fold(
        inner.clone(),
        |inner, key| json!({"type": "object", "required": [key], "properties": {key: inner}}),
    )
}

/// A pattern for a word in any letters, for readers whose patterns have no flag for it.
fn any_letters(word: &str) -> String {
    word.chars()
        .map(|c| {
            let (lower, upper) = (c.to_lowercase().to_string(), c.to_uppercase().to_string());
            if lower == upper {
                regex::escape(&c.to_string()).replace("\\-", "-")
            } else {
                format!("[{lower}{upper}]")
            }
        })
        .collect()
}

fn one_or_any(mut each: Vec<Value>) -> Value {
    if each.len() == 1 { each.remove(0) } else { json!({"anyOf": each}) }
}
