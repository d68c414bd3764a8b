//! Expressions over checked documents: evaluated here, before the kernel decides, and recorded as what came of them.
//!
//! A value is known or it is not: what cannot be evaluated is unknown with a reason, and never counts as false by itself.
//!
//! Invariant: bounded in time, memory and stack. The language has no cost limit of its own, so that what an expression
//! costs at most is worked out before it is evaluated (`cost.rs`), and one that costs too much is unknown.
//! Cannot: quote a document. Reasons are recorded and shown, and name fields and types alone.

mod blame;
mod cost;

use std::collections::HashMap;
use std::sync::Arc;

use baton_document::flow::expression::{self, Deep};
use baton_document::{Datum, Said};
use baton_kernel::{Truth, bounds};
use cel::objects::{Key, Map};
use cel::{Context, Program, Value};

use cost::Documents;

/// Evaluates the expressions and checks of a flow.
pub trait Judge: Send + Sync {
    /// Values of expressions over handoffs, in their order: each is about all of them together.
    fn over_handoffs(&self, expressions: &[&str], handoffs: &[&Said]) -> Vec<Truth>;

    /// Value of an expression over what branches ended with.
    fn over_branches(&self, expression: &str, branches: &[Said]) -> Truth;
}

/// The expressions of the Common Expression Language, over `handoff` and `branches`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expressions;

/// Entries of a list or map that an expression sees.
const ENTRIES_MAX: usize = 5_000;
/// How deep a document is that an expression sees.
const DEPTH_MAX: usize = 320;
/// Values that what an expression is about may have together, with 32 bytes of text counted as one.
const WEIGHT_MAX: u64 = 1_000_000;
/// What all expressions that are looked at together may cost, in the units of `cost.rs`.
const WORK_MAX: u64 = 4_000_000;

impl Judge for Expressions {
    fn over_handoffs(&self, expressions: &[&str], handoffs: &[&Said]) -> Vec<Truth> {
        if handoffs.is_empty() {
            return vec![
                Truth::Unknown("there is no handoff that it could be about".to_owned());
                expressions.len()
            ];
        }
        let judged = expression::deep(|stack| {
            let mut work = WORK_MAX;
            let mut truths = vec![Truth::Holds; expressions.len()];
            let read: Vec<_> = expressions.iter().map(|text| expression::compile(stack, text)).collect();
            for said in handoffs {
                let subject = Subject::handoff(&said.document);
                for (truth, program) in truths.iter_mut().zip(&read) {
                    // One that does not hold decides, whatever the others are.
                    if *truth != Truth::Fails {
                        let of_this = judged(stack, program, &subject, &mut work);
                        *truth = both(truth, of_this);
                    }
                }
            }
            truths
        });
        judged.unwrap_or_else(|error| vec![no_room(&error); expressions.len()])
    }

    fn over_branches(&self, expression: &str, branches: &[Said]) -> Truth {
        let judged = expression::deep(|stack| {
            let program = expression::compile(stack, expression);
            let documents: Vec<_> = branches.iter().map(|said| &said.document).collect();
            let mut work = WORK_MAX;
            judged(stack, &program, &Subject::branches(&documents), &mut work)
        });
        judged.unwrap_or_else(|error| no_room(&error))
    }
}

fn no_room(error: &std::io::Error) -> Truth {
    unknown(format!("no thread could be started for it: {error}"))
}

/// What holds for both of two: unknown only where neither is known to fail.
fn both(one: &Truth, other: Truth) -> Truth {
    match (one, other) {
        (Truth::Fails, _) | (_, Truth::Fails) => Truth::Fails,
        (Truth::Unknown(why), _) => Truth::Unknown(why.clone()),
        (Truth::Holds, other) => other,
    }
}

/// Unknown, for a reason that is cut to what may be recorded.
fn unknown(mut why: String) -> Truth {
    why.truncate(why.floor_char_boundary(bounds::TEXT_BYTES_MAX));
    Truth::Unknown(why)
}

/// What an expression is about: its one variable, converted once for all expressions.
struct Subject<'d> {
    name: &'static str,
    documents: Documents<'d>,
    /// The variable with its value, or why that cannot be seen.
    context: Result<Context<'static, 'static>, String>,
}

impl<'d> Subject<'d> {
    fn handoff(document: &'d Datum<'d>) -> Self {
        let documents = Documents::one(document);
        Self::new("handoff", documents, || value(document, 0).map_err(|large| large.of("the handoff")))
    }

    fn branches(all: &[&'d Datum<'d>]) -> Self {
        Self::new("branches", Documents::list(all.to_vec()), || {
            let values: Result<Vec<_>, Large> = all.iter().map(|document| value(document, 1)).collect();
            let values = values.map_err(|large| large.of("the handoff of a branch"))?;
            Ok(Value::List(Arc::new(values)))
        })
    }

    fn new(
        name: &'static str,
        documents: Documents<'d>,
        value: impl FnOnce() -> Result<Value, String>,
    ) -> Self {
        let weight = documents.weight();
        let value = if weight <= WEIGHT_MAX {
            value()
        } else {
            Err(format!("what it is about has {weight} values, of at most {WEIGHT_MAX}"))
        };
        let context = value.map(|value| {
            let mut context = Context::default();
            context.add_variable_from_value(name, value);
            context
        });
        Self { name, documents, context }
    }
}

fn judged(
    stack: &Deep,
    program: &Result<Program, expression::Wrong>,
    subject: &Subject<'_>,
    work: &mut u64,
) -> Truth {
    let program = match program {
        Ok(program) => program,
        Err(wrong) => return unknown(wrong.message.clone()),
    };
    let context = match &subject.context {
        Ok(context) => context,
        Err(why) => return unknown(why.clone()),
    };
    let Some(cost) = subject.documents.estimate(stack, program, subject.name) else {
        return unknown("it uses what expressions of flows do not have".to_owned());
    };
    let Some(left) = work.checked_sub(cost) else {
        let left = *work;
        return unknown(format!("it could take {cost} steps, and {left} of {WORK_MAX} are left"));
    };
    *work = left;
    match program.execute(context) {
        Ok(Value::Bool(holds)) => Truth::from(holds),
        Ok(other) => unknown(format!("it is {}, neither true nor false", blame::kind(&other))),
        Err(error) => unknown(blame::reason(program.expression(), &error, |part| {
            // A part costs no more than the whole did.
            *work = work.checked_sub(cost)?;
            Some(Value::resolve(part, context))
        })),
    }
}

/// What is too large of a document for an expression.
enum Large {
    Deep,
    Long(usize),
    Number,
}

impl Large {
    fn of(&self, what: &str) -> String {
        match self {
            Self::Deep => format!("{what} is more than {DEPTH_MAX} levels deep"),
            Self::Long(entries) => {
                format!("a list or map of {what} has {entries} entries, of at most {ENTRIES_MAX}")
            }
            Self::Number => format!("a number of {what} cannot be read"),
        }
    }
}

/// A value as the language has it.
fn value(datum: &Datum<'_>, depth: usize) -> Result<Value, Large> {
    if depth > DEPTH_MAX {
        return Err(Large::Deep);
    }
    Ok(match datum {
        Datum::Null => Value::Null,
        Datum::Boolean(value) => Value::Bool(*value),
        Datum::Number(text) => match text.parse() {
            Ok(number) => Value::Int(number),
            Err(_) => Value::Float(text.parse().map_err(|_| Large::Number)?),
        },
        Datum::Text(text) => Value::String(Arc::new(text.to_string())),
        Datum::List(items) if items.len() > ENTRIES_MAX => return Err(Large::Long(items.len())),
        Datum::List(items) => {
            let items: Result<Vec<_>, Large> = items.iter().map(|item| value(item, depth + 1)).collect();
            Value::List(Arc::new(items?))
        }
        Datum::Map(entries) if entries.len() > ENTRIES_MAX => return Err(Large::Long(entries.len())),
        Datum::Map(entries) => {
            let mut map = HashMap::new();
            for (key, inner) in entries {
                map.insert(Key::from(&**key), value(inner, depth + 1)?);
            }
            Value::Map(Map { map: Arc::new(map) })
        }
    })
}

#[cfg(test)]
mod tests;
