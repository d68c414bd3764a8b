//! Expressions over checked documents: evaluated here, before the kernel decides, and recorded as what came of them.
//!
//! Invariant: bounded. The language has no cost limit of its own, so an expression is short, has few macros that go
//! over lists – as when its flow was checked, by the same bounds – and sees documents whose lists are not long. What cannot be evaluated does not hold.

use std::collections::HashMap;
use std::sync::Arc;

use baton_document::flow::expression;
use baton_document::{Datum, Said};
use cel::objects::{Key, Map};
use cel::{Context, Value};

/// Says whether expressions and checks of a flow hold.
pub trait Judge: Sync {
    /// Whether an expression holds of a handoff.
    fn holds(&self, expression: &str, said: &Said) -> bool;

    /// Whether an expression holds of the handoffs that branches ended with.
    fn joins(&self, expression: &str, branches: &[Said]) -> bool;
}

/// The expressions of the Common Expression Language, over `handoff` and `branches`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expressions;

/// Entries of a list that an expression sees.
const ENTRIES_MAX: usize = 500;
/// How deep a document is that an expression sees.
const DEPTH_MAX: usize = 32;

impl Judge for Expressions {
    fn holds(&self, expression: &str, said: &Said) -> bool {
        evaluated(expression, "handoff", value(&said.document, 0))
    }

    fn joins(&self, expression: &str, branches: &[Said]) -> bool {
        let branches = branches.iter().map(|said| value(&said.document, 1)).collect::<Option<Vec<_>>>();
        evaluated(expression, "branches", branches.map(|branches| Value::List(Arc::new(branches))))
    }
}

fn evaluated(text: &str, name: &str, value: Option<Value>) -> bool {
    let Some(value) = value else { return false };
    let Ok(program) = expression::compile(text) else { return false };
    let mut context = Context::default();
    context.add_variable_from_value(name, value);
    matches!(program.execute(&context), Ok(Value::Bool(true)))
}

/// A value as the language has it; nothing where it is too large.
fn value(datum: &Datum<'_>, depth: usize) -> Option<Value> {
    if depth > DEPTH_MAX {
        return None;
    }
    Some(match datum {
        Datum::Null => Value::Null,
        Datum::Boolean(value) => Value::Bool(*value),
        Datum::Number(text) => match text.parse() {
            Ok(number) => Value::Int(number),
            Err(_) => Value::Float(text.parse().ok()?),
        },
        Datum::Text(text) => Value::String(Arc::new(text.to_string())),
        Datum::List(items) if items.len() > ENTRIES_MAX => return None,
        Datum::List(items) => {
            Value::List(Arc::new(items.iter().map(|item| value(item, depth + 1)).collect::<Option<_>>()?))
        }
        Datum::Map(entries) if entries.len() > ENTRIES_MAX => return None,
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
mod tests {
    use super::*;

    fn said(entries: Vec<(&'static str, Datum<'static>)>) -> Said {
        let entries = entries.into_iter().map(|(key, value)| (key.into(), value)).collect();
        let document = Datum::Map(entries);
        Said { dialect: String::new(), kind: String::new(), document, sayings: Vec::new() }
    }

    #[test]
    fn an_expression_sees_the_fields_of_the_handoff() {
        let said = said(vec![
            ("count", Datum::Number("3".into())),
            ("state", Datum::text("open")),
            ("tests", Datum::List(vec![Datum::Boolean(true), Datum::Boolean(false)])),
        ]);
        let holds = |expression| Expressions.holds(expression, &said);
        assert!(holds("handoff.count > 2 && handoff.state == 'open'"));
        assert!(holds("handoff.tests.exists(t, !t)"));
        assert!(!holds("handoff.tests.all(t, t)"));
        assert!(!holds("handoff.missing == 1"), "what is not there does not hold");
        assert!(!holds("handoff.count"), "a number is no answer");
        assert!(!holds("handoff.count >"), "what cannot be read does not hold");
    }

    #[test]
    fn branches_are_seen_together() {
        let branch = |passed| said(vec![("passed", Datum::Boolean(passed))]);
        let all = [branch(true), branch(false), branch(true)];
        assert!(Expressions.joins("branches.filter(b, b.passed).size() >= 2", &all));
        assert!(!Expressions.joins("branches.all(b, b.passed)", &all));
    }

    #[test]
    fn what_could_take_for_ever_does_not_hold() {
        let long = said(vec![("list", Datum::List(vec![Datum::Null; ENTRIES_MAX + 1]))]);
        assert!(!Expressions.holds("handoff.list.size() > 1", &long));
        let small = said(vec![("list", Datum::List(vec![Datum::Null; 3]))]);
        assert!(Expressions.holds("handoff.list.all(a, handoff.list.all(b, true))", &small));
        let three = "handoff.list.all(a, handoff.list.all(b, handoff.list.all(c, true)))";
        assert!(!Expressions.holds(three, &small));
        assert!(!Expressions.holds(&format!("true{}", " || true".repeat(200)), &small));
    }
}
