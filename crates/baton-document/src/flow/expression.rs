//! The expressions of flows: their bounds, their syntax, and which fields they ask for.
//!
//! The language has no cost limit of its own, so an expression is short and has few macros that go over lists. The
//! engine evaluates with the same bounds, and adds one for what an expression costs on a document.
//!
//! Invariant: an expression is read, walked and evaluated on a stack that the deepest one within the bounds fits on; see
//! [`deep`].

use std::io;

use cel::Program;
use cel::common::ast::{EntryExpr, Expr, IdedExpr, LiteralValue};

use crate::dialect::{Dialect, MapShape, Shape};
use crate::spelling::nearest;

/// Bytes of an expression: one that is longer should be a check of its own.
pub const BYTES_MAX: usize = 10_000;
/// Macros that go over a list.
pub const MACROS_MAX: usize = 20;
/// Depth of brackets: the parser of the language gives up at 96.
pub const BRACKETS_MAX: usize = 80;
/// Depth of operators: `a + a + a` is two deep.
pub const OPERATORS_MAX: usize = 1_000;
/// The stack for one expression. An unoptimized build needs 16 MiB for 80 brackets, and as much for 10,000 operators.
const STACK_BYTES: usize = 64 * 1024 * 1024;

const MACROS: [&str; 5] = ["all(", "exists(", "exists_one(", "map(", "filter("];

/// Names that the language itself knows.
const TYPES: [&str; 12] = [
    "bool",
    "bytes",
    "double",
    "duration",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "timestamp",
    "type",
    "uint",
];

/// An error in an expression, with its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The byte at which it is found.
    pub at: usize,
    /// Length in bytes; none for a place between two.
    pub length: usize,
    /// Message of the error.
    pub message: String,
    /// Expected value.
    pub expected: Option<String>,
    /// A guess of what is meant.
    pub near: Option<String>,
}

impl Wrong {
    fn all(text: &str, message: String, expected: String) -> Self {
        Self { at: 0, length: text.len(), message, expected: Some(expected), near: None }
    }

    fn no_room(text: &str, error: &io::Error) -> Self {
        Self::all(text, format!("the expression cannot be read: {error}"), "room for a thread".to_owned())
    }
}

/// A stack that any expression within the bounds fits on.
#[derive(Debug)]
pub struct Deep(());

/// Runs something on a stack that any expression within the bounds fits on, whatever the stack of the caller.
///
/// # Errors
/// The system has no room for another thread.
pub fn deep<T: Send>(work: impl FnOnce(&Deep) -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("baton-expression".to_owned()).stack_size(STACK_BYTES);
        let done = thread.spawn_scoped(scope, || work(&Deep(())))?.join();
        Ok(done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// First error of each of these expressions, if it has one.
pub(crate) fn faults(texts: &[&str]) -> Vec<Option<Wrong>> {
    let read = deep(|stack| texts.iter().map(|text| compile(stack, text).err()).collect());
    read.unwrap_or_else(|error| texts.iter().map(|text| Some(Wrong::no_room(text, &error))).collect())
}

/// Compiles an expression within its bounds.
///
/// # Errors
/// What is wrong with it.
pub fn compile(_: &Deep, text: &str) -> Result<Program, Wrong> {
    if text.len() > BYTES_MAX {
        let message = format!("the expression has {} bytes", text.len());
        return Err(Wrong::all(text, message, format!("at most {BYTES_MAX} bytes")));
    }
    let macros: usize = MACROS.iter().map(|name| text.matches(name).count()).sum();
    if macros > MACROS_MAX {
        let message = format!("the expression goes over lists {macros} times");
        return Err(Wrong::all(
            text,
            message,
            format!("at most {MACROS_MAX} of all, exists, exists_one, map, filter"),
        ));
    }
    if let Some(at) = too_deep(text) {
        let message = "the brackets of the expression lie too deep in each other".to_owned();
        let expected = Some(format!("at most {BRACKETS_MAX} brackets in each other"));
        return Err(Wrong { at, length: 1, message, expected, near: None });
    }
    let program = Program::compile(text).map_err(|errors| {
        let first = errors.errors.first();
        let at = first.map_or(0, |error| offset_of(text, error.pos));
        let length = text[at..].chars().next().map_or(0, char::len_utf8);
        let said = first.map_or("", |error| error.msg.as_str()).lines().next().unwrap_or_default();
        Wrong { at, length, message: "the expression cannot be read".to_owned(), expected: None, near: None }
            .saying(said)
    })?;
    let depth = depth(program.expression());
    if depth > OPERATORS_MAX {
        let message = format!("the operators of the expression lie {depth} deep in each other");
        return Err(Wrong::all(text, message, format!("at most {OPERATORS_MAX} operators in each other")));
    }
    Ok(program)
}

/// Depth of an expression.
fn depth(expression: &IdedExpr) -> usize {
    1 + parts(expression).into_iter().map(depth).max().unwrap_or(0)
}

/// The expressions that an expression is made of.
pub fn parts(expression: &IdedExpr) -> Vec<&IdedExpr> {
    match &expression.expr {
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).collect(),
        Expr::Comprehension(over) => {
            vec![&over.iter_range, &over.accu_init, &over.loop_cond, &over.loop_step, &over.result]
        }
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => entries(&map.entries),
        Expr::Struct(made) => entries(&made.entries),
        Expr::Select(select) => vec![&select.operand],
        Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified => Vec::new(),
    }
}

fn entries(entries: &[cel::common::ast::IdedEntryExpr]) -> Vec<&IdedExpr> {
    let parts = entries.iter().flat_map(|entry| match &entry.expr {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    });
    parts.collect()
}

impl Wrong {
    /// Adds what the reader of the language says.
    fn saying(mut self, said: &str) -> Self {
        let said = said.trim().trim_start_matches("Syntax error: ");
        if !said.is_empty() {
            self.message = format!("{}: {said}", self.message);
        }
        self
    }
}

/// The first bracket that is too deep; those in quotes count too, since nothing sensible has so many.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            // What stands behind a question mark is read like something in brackets, and never closed.
            b'(' | b'[' | b'{' | b'?' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > BRACKETS_MAX {
            return Some(at);
        }
    }
    None
}

/// The byte at a line and a column, both from 1.
fn offset_of(text: &str, (line, column): (isize, isize)) -> usize {
    let line = usize::try_from(line).unwrap_or(1).saturating_sub(1);
    let column = usize::try_from(column).unwrap_or(1).saturating_sub(1);
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    rest.char_indices().nth(column).map_or(text.len(), |(at, _)| start + at)
}

/// Subject of an expression: the one variable that it sees, with its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'d> {
    /// The name of the variable.
    pub(crate) variable: &'static str,
    /// True if it is a list of handoffs.
    pub(crate) is_list: bool,
    /// The dialects of the handoffs; none where they are not known.
    pub(crate) dialects: &'d [&'d Dialect],
}

/// Finds names and fields of expressions that do not exist; nothing of one that cannot be read.
pub(crate) fn unknown(asked: &[(&str, About<'_>)]) -> Vec<Vec<Wrong>> {
    let found = deep(|stack| {
        let found = asked.iter().map(|&(text, about)| {
            let program = compile(stack, text).ok()?;
            Some(unknown_in(text, &program, about))
        });
        found.map(Option::unwrap_or_default).collect()
    });
    // That there is no room is found by the rule that looks at the syntax.
    found.unwrap_or_default()
}

fn unknown_in(text: &str, program: &Program, about: About<'_>) -> Vec<Wrong> {
    let maps = about
        .dialects
        .iter()
        .flat_map(|dialect| dialect.kinds.iter().map(|kind| Value { map: Some(&kind.map), dialect }));
    let maps: Vec<Value<'_>> = maps.collect();
    let is_open = about.dialects.iter().any(|dialect| dialect.kinds.iter().any(|kind| kind.is_open));
    let known = (!maps.is_empty() && !is_open).then_some(maps);
    let known =
        if about.is_list { known.map(|maps| vec![ValueType::ListOf(maps)]) } else { known.map(as_known) };
    let mut walk =
        Walk { text, program, variables: vec![(about.variable.to_owned(), known)], wrong: Vec::new() };
    walk.value(program.expression());
    walk.wrong
}

/// A value of a dialect: a map, or something without fields.
#[derive(Clone, Copy, Debug)]
struct Value<'d> {
    map: Option<&'d MapShape>,
    dialect: &'d Dialect,
}

#[derive(Clone, Debug)]
enum ValueType<'d> {
    One(Value<'d>),
    ListOf(Vec<Value<'d>>),
}

/// Possible types of a value; nothing where it may be anything.
type Maybe<'d> = Option<Vec<ValueType<'d>>>;

fn as_known(values: Vec<Value<'_>>) -> Vec<ValueType<'_>> {
    values.into_iter().map(ValueType::One).collect()
}

struct Walk<'w, 'd> {
    text: &'w str,
    program: &'w Program,
    variables: Vec<(String, Maybe<'d>)>,
    wrong: Vec<Wrong>,
}

impl<'d> Walk<'_, 'd> {
    /// Computes the types of an expression; reports unknown fields on the way.
    fn value(&mut self, expression: &IdedExpr) -> Maybe<'d> {
        match &expression.expr {
            Expr::Ident(name) => self.variable(name, expression.id),
            Expr::Select(select) => {
                let below = self.value(&select.operand);
                self.field(below, &select.field, expression.id)
            }
            Expr::Call(call) => {
                if let Some(target) = &call.target {
                    self.value(target);
                }
                let mut args: Vec<Maybe<'d>> = call.args.iter().map(|arg| self.value(arg)).collect();
                if call.func_name != "_[_]" || args.len() != 2 {
                    return None;
                }
                let of = args.swap_remove(0);
                match call.args.get(1).map(|arg| &arg.expr) {
                    Some(Expr::Literal(LiteralValue::String(key))) => {
                        let (key, id) = (key.inner().to_owned(), call.args[1].id);
                        self.field(of, &key, id)
                    }
                    Some(_) | None => items(of),
                }
            }
            Expr::Comprehension(over) => {
                let range = self.value(&over.iter_range);
                let before = self.variables.len();
                let item = items(range);
                self.variables.push((over.iter_var.clone(), item));
                self.variables.extend(over.iter_var2.clone().map(|name| (name, None)));
                self.variables.push((over.accu_var.clone(), None));
                for part in [&over.accu_init, &over.loop_cond, &over.loop_step, &over.result] {
                    self.value(part);
                }
                self.variables.truncate(before);
                None
            }
            Expr::List(_) | Expr::Map(_) | Expr::Struct(_) => {
                for part in parts(expression) {
                    self.value(part);
                }
                None
            }
            Expr::Literal(_) | Expr::Unspecified => None,
        }
    }

    fn variable(&mut self, name: &str, id: u64) -> Maybe<'d> {
        if let Some((_, known)) = self.variables.iter().rev().find(|(known, _)| known == name) {
            return known.clone();
        }
        if !TYPES.contains(&name) {
            let there = self.variables.first().map_or("", |(name, _)| name.as_str()).to_owned();
            let near = nearest(name, [there.as_str()].into_iter()).map(str::to_owned);
            self.found(id, name, format!("nothing is called `{name}` here"), format!("`{there}`"), near);
        }
        None
    }

    fn field(&mut self, of: Maybe<'d>, name: &str, id: u64) -> Maybe<'d> {
        let of = of?;
        // Undefined keys may always be added under a name of one's own.
        if name.starts_with("x-") || name.starts_with("x_") {
            return None;
        }
        let (mut next, mut names) = (Vec::new(), Vec::new());
        for known in &of {
            let ValueType::One(value) = known else { continue };
            match value.field(name) {
                FieldLookup::Anything => return None,
                FieldLookup::Shape(shapes) => next.extend(shapes),
                FieldLookup::Not(others) => names.extend(others),
            }
        }
        if !next.is_empty() {
            return Some(next);
        }
        names.sort_unstable();
        names.dedup();
        let near = nearest(name, names.iter().copied()).map(str::to_owned);
        let shown = names.iter().take(12).copied().collect::<Vec<_>>().join(", ");
        let more = if names.len() > 12 { ", …" } else { "" };
        let expected = if names.is_empty() {
            "a value without fields".to_owned()
        } else {
            format!("one of {shown}{more}")
        };
        self.found(id, name, format!("no handoff has a field `{name}` there"), expected, near);
        None
    }

    fn found(&mut self, id: u64, name: &str, message: String, expected: String, near: Option<String>) {
        let start = self.program.source_info().offset_for(id).map_or(0, |(start, _)| start);
        let start = usize::try_from(start).unwrap_or(0);
        let start = self.text.char_indices().nth(start).map_or(0, |(at, _)| at);
        // A field stands behind its dot.
        let at = self.text[start..].find(name).map_or(start, |behind| start + behind);
        self.wrong.push(Wrong { at, length: name.len(), message, expected: Some(expected), near });
    }
}

enum FieldLookup<'d> {
    Anything,
    Shape(Vec<ValueType<'d>>),
    Not(Vec<&'d str>),
}

impl<'d> Value<'d> {
    fn field(&self, name: &str) -> FieldLookup<'d> {
        let Some(map) = self.map else { return FieldLookup::Not(Vec::new()) };
        if let Some(field) = map.fields.iter().find(|field| &*field.key.text == name) {
            return shapes(&field.shape, self.dialect).map_or(FieldLookup::Anything, FieldLookup::Shape);
        }
        if let Some(values) = &map.values {
            return shapes(&values.shape, self.dialect).map_or(FieldLookup::Anything, FieldLookup::Shape);
        }
        if map.is_open {
            FieldLookup::Anything
        } else {
            FieldLookup::Not(map.fields.iter().map(|field| &*field.key.text).collect())
        }
    }
}

/// Types of a field; nothing where it may hold anything.
fn shapes<'d>(shape: &'d Shape, dialect: &'d Dialect) -> Maybe<'d> {
    let one = |map| ValueType::One(Value { map, dialect });
    match shape {
        Shape::Any => None,
        Shape::Map(map) if map.fields.is_empty() && map.values.is_none() => None,
        Shape::Map(map) => Some(vec![one(Some(map))]),
        Shape::Depends { cases, .. } => Some(cases.iter().map(|(_, map)| one(Some(map))).collect()),
        Shape::List(item) => {
            let items = shapes(&item.shape, dialect)?;
            let items = items.into_iter().filter_map(|known| match known {
                ValueType::One(value) => Some(value),
                ValueType::ListOf(_) => None,
            });
            Some(vec![ValueType::ListOf(items.collect())])
        }
        Shape::Either(all) => {
            let mut known = Vec::new();
            for shape in all {
                known.extend(shapes(shape, dialect)?);
            }
            Some(known)
        }
        // A shape may hold itself: what is below it is not looked at.
        Shape::Named(_) => None,
        Shape::Text(_)
        | Shape::Words(_)
        | Shape::Integer(_)
        | Shape::Number
        | Shape::Boolean
        | Shape::Date
        | Shape::Timestamp => Some(vec![one(None)]),
    }
}

/// Types of the items of a list.
fn items(of: Maybe<'_>) -> Maybe<'_> {
    let mut all = Vec::new();
    for known in of? {
        match known {
            ValueType::ListOf(values) => all.extend(as_known(values)),
            // Going over a map gives its keys.
            ValueType::One(_) => return None,
        }
    }
    (!all.is_empty()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_found_at_its_byte() {
        let wrong = |text: &str| faults(&[text]).remove(0).map(|wrong| (wrong.at, wrong.message));
        assert_eq!(wrong("handoff.count > 0"), None);
        assert_eq!(wrong("handoff.count > ]").map(|(at, _)| at), Some(16));
        assert_eq!(
            wrong("'é' == handoff.count >").map(|(at, _)| at),
            Some(23),
            "bytes are counted, not letters"
        );
        for (open, close) in
            [("(", ")"), ("[", "]"), ("{'a': ", "}"), ("f(", ")"), ("!(", ")"), ("a[", "]"), ("-(", ")")]
        {
            let nested = |depth: usize| format!("{}true{}", open.repeat(depth), close.repeat(depth));
            assert_eq!(wrong(&nested(BRACKETS_MAX)), None, "{open}");
            assert!(wrong(&nested(BRACKETS_MAX + 1)).is_some(), "{open}");
        }
        assert_eq!(wrong(&format!("{}c", "a ? b : ".repeat(BRACKETS_MAX))), None);
    }

    #[test]
    fn whatever_stands_in_an_expression_it_is_read_and_looked_at_without_going_deep() {
        for part in [
            "a.", "!", "-", "a||", "a&&b||", "a+", "[", "{a:", "a?b:", "\"", "'\\", "a(", "a.b[0]", "é",
            "0x", "{{",
        ] {
            let text = part.repeat(BYTES_MAX / part.len());
            for text in [text.clone(), format!("{}a", &text[..text.len() - part.len()])] {
                unknown(&[(&text, About { variable: "handoff", is_list: false, dialects: &[] })]);
            }
        }
    }
}
