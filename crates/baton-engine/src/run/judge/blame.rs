//! Why an expression could not be evaluated, in the words of its flow: `handoff.count is text, not a number`.
//!
//! Cannot: quote a value. Only what the expression itself spells, and types, are named.

use baton_document::flow::expression;
use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};
use cel::{ExecutionError, Value};

/// How many parts are evaluated to find out which one is to blame.
const PARTS_MAX: usize = 200;

type Resolved = Result<Value, ExecutionError>;

/// Why an expression could not be evaluated. `resolve` evaluates a part of it, as long as that may be.
pub(super) fn reason(
    expression: &IdedExpr,
    error: &ExecutionError,
    mut resolve: impl FnMut(&IdedExpr) -> Option<Resolved>,
) -> String {
    let mut left = PARTS_MAX;
    let mut resolve = |part: &IdedExpr| {
        left = left.checked_sub(1)?;
        resolve(part)
    };
    let mut at = expression;
    // The innermost part that fails by itself is to blame: what it is made of does not fail.
    while let Some(part) = parts(at).into_iter().find(|part| matches!(resolve(part), Some(Err(_)))) {
        at = part;
    }
    let own = resolve(at).and_then(Result::err);
    named(at, &mut resolve).unwrap_or_else(|| in_general(expression, own.as_ref().unwrap_or(error)))
}

/// The parts that can be evaluated without the whole.
fn parts(of: &IdedExpr) -> Vec<&IdedExpr> {
    match &of.expr {
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).collect(),
        Expr::Select(select) => vec![&select.operand],
        Expr::Comprehension(over) => vec![&over.iter_range],
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Ident(_) | Expr::Literal(_) | Expr::Map(_) | Expr::Struct(_) | Expr::Unspecified => Vec::new(),
    }
}

/// What is wrong with a part whose own parts are sound.
fn named(part: &IdedExpr, resolve: &mut impl FnMut(&IdedExpr) -> Option<Resolved>) -> Option<String> {
    let mut kind_of = |part: &IdedExpr| Some(kind(&resolve(part)?.ok()?));
    match &part.expr {
        Expr::Select(select) => {
            let of = kind_of(&select.operand)?;
            let (whole, operand) = (spelled(part)?, spelled(&select.operand)?);
            Some(if of == MAP {
                format!("{whole} is missing")
            } else {
                format!("{operand} is {of}, not {MAP}")
            })
        }
        Expr::Call(CallExpr { func_name, args, target: None }) => {
            let wanted = match func_name.as_str() {
                operators::INDEX => {
                    let of = kind_of(&args[0])?;
                    let (whole, operand) = (spelled(part), spelled(&args[0])?);
                    return match (of, whole) {
                        (MAP, Some(whole)) => Some(format!("{whole} is missing")),
                        (MAP | LIST, _) => Some(format!("{operand} has no such entry")),
                        (of, _) => Some(format!("{operand} is {of}, not {LIST} or {MAP}")),
                    };
                }
                operators::LOGICAL_AND
                | operators::LOGICAL_OR
                | operators::LOGICAL_NOT
                | operators::CONDITIONAL => BOOLEAN,
                operators::SUBSTRACT
                | operators::MULTIPLY
                | operators::DIVIDE
                | operators::MODULO
                | operators::NEGATE => NUMBER,
                // What stands beside it says what it should be.
                _ => {
                    kind_of(args.iter().find(|part| !matches!(part.expr, Expr::Select(_) | Expr::Ident(_)))?)?
                }
            };
            args.iter().find_map(|part| {
                let is = kind_of(part).filter(|is| *is != wanted)?;
                Some(format!("{} is {is}, not {wanted}", spelled(part)?))
            })
        }
        Expr::Comprehension(over) => {
            let is = kind_of(&over.iter_range)?;
            let range = spelled(&over.iter_range)?;
            (is != LIST && is != MAP).then(|| format!("{range} is {is}, not {LIST}"))
        }
        Expr::Call(_)
        | Expr::Ident(_)
        | Expr::List(_)
        | Expr::Literal(_)
        | Expr::Map(_)
        | Expr::Struct(_)
        | Expr::Unspecified => None,
    }
}

/// A field as its expression spells it.
fn spelled(part: &IdedExpr) -> Option<String> {
    match &part.expr {
        Expr::Ident(name) => Some(name.clone()),
        Expr::Select(select) if !select.test => {
            Some(format!("{}.{}", spelled(&select.operand)?, select.field))
        }
        Expr::Call(CallExpr { func_name, args, target: None }) if func_name == operators::INDEX => {
            let [of, index] = args.as_slice() else { return None };
            let of = spelled(of)?;
            match &index.expr {
                Expr::Literal(LiteralValue::String(key)) => Some(format!("{of}['{}']", key.inner())),
                Expr::Literal(LiteralValue::Int(index)) => Some(format!("{of}[{}]", index.inner())),
                Expr::Call(_)
                | Expr::Comprehension(_)
                | Expr::Ident(_)
                | Expr::List(_)
                | Expr::Literal(_)
                | Expr::Map(_)
                | Expr::Select(_)
                | Expr::Struct(_)
                | Expr::Unspecified => None,
            }
        }
        Expr::Call(_)
        | Expr::Comprehension(_)
        | Expr::List(_)
        | Expr::Literal(_)
        | Expr::Map(_)
        | Expr::Select(_)
        | Expr::Struct(_)
        | Expr::Unspecified => None,
    }
}

/// Whether an expression asks for a field by this name; what it looks up under a key of the document is none of these.
fn asks_for(expression: &IdedExpr, field: &str) -> bool {
    expression::parts(expression).into_iter().any(|part| asks_for(part, field))
        || matches!(&expression.expr, Expr::Select(select) if select.field == field)
}

/// An error of the language without the values that it holds.
#[expect(clippy::wildcard_enum_match_arm, reason = "the language may add errors, and some are deprecated")]
fn in_general(expression: &IdedExpr, error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) if asks_for(expression, key) => format!("the field {key} is missing"),
        ExecutionError::NoSuchKey(_) => "a field that it looks up is missing".to_owned(),
        ExecutionError::UndeclaredReference(name) => format!("nothing is called {name}"),
        ExecutionError::UnexpectedType { got, want } => {
            format!("{} stands where {} is expected", word(got), word(want))
        }
        ExecutionError::NoSuchOverload(overload) => {
            let given: Vec<&str> = overload.argument_types().iter().map(|given| word(given)).collect();
            let does = overload.function();
            match (does, given.as_slice()) {
                ("_._" | "_[_]", [of, ..]) => format!("{of} stands where {MAP} is expected"),
                _ => {
                    format!("`{}` cannot be used with {}", does.trim_matches(['_', '@']), given.join(" and "))
                }
            }
        }
        ExecutionError::ValuesNotComparable(one, other) => {
            format!("{} cannot be compared with {}", kind(one), kind(other))
        }
        ExecutionError::UnsupportedBinaryOperator(_, one, other) => {
            format!("{} and {} do not go together", kind(one), kind(other))
        }
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "it divides by zero".to_owned()
        }
        ExecutionError::Overflow(..) => "a number is out of range".to_owned(),
        ExecutionError::IndexOutOfBounds(_) => "a list has no such entry".to_owned(),
        ExecutionError::FunctionError { function, .. } => format!("{function} failed"),
        _ => "the language has no value for it".to_owned(),
    }
}

const BOOLEAN: &str = "true or false";
const LIST: &str = "a list";
const MAP: &str = "a map";
const NUMBER: &str = "a number";
const OTHER: &str = "something else";
const TEXT: &str = "text";

/// What a value is.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => BOOLEAN,
        Value::List(_) => LIST,
        Value::Map(_) => MAP,
        Value::Int(_) | Value::UInt(_) | Value::Float(_) => NUMBER,
        Value::Null => "null",
        Value::String(_) => TEXT,
        Value::Bytes(_) | Value::Function(..) | Value::Opaque(_) | Value::Struct(_) => OTHER,
    }
}

/// A type by the name that the language has for it.
fn word(name: &str) -> &'static str {
    match name {
        "bool" => BOOLEAN,
        "list" => LIST,
        "map" => MAP,
        "int" | "uint" | "double" => NUMBER,
        "null_type" => "null",
        "string" => TEXT,
        "iterable" => "a list",
        _ => OTHER,
    }
}
