//! `flow/unknown-input`: an input that the flow does not have.

use super::FlowCase;
use crate::datum::Datum;
use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::span::Span;
use crate::spelling::nearest;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/unknown-input",
    level: Some(Level::Error),
    page: include_str!("unknown_input.md"),
    check: Check::Reading,
};

/// Looks for `{{input.NAME}}` in tasks and in what is given.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    for step in &look.flow.steps {
        if let Some(task) = &step.work.task {
            texts(look, &task.value, task.span, findings);
        }
        for (key, value) in &step.work.give {
            given(look, value, key.span, findings);
        }
    }
}

fn given(look: &FlowCase<'_>, value: &Datum<'_>, span: Span, findings: &mut Vec<Finding>) {
    match value {
        Datum::Text(text) => texts(look, text, span, findings),
        Datum::List(items) => items.iter().for_each(|item| given(look, item, span, findings)),
        Datum::Map(entries) => entries.iter().for_each(|(_, item)| given(look, item, span, findings)),
        Datum::Null | Datum::Boolean(_) | Datum::Number(_) => {}
    }
}

fn texts(look: &FlowCase<'_>, text: &str, span: Span, findings: &mut Vec<Finding>) {
    for rest in text.split("{{").skip(1) {
        let Some((inner, _)) = rest.split_once("}}") else { continue };
        let Some(name) = inner.trim().strip_prefix("input.") else { continue };
        let names = || look.flow.inputs.iter().map(|input| input.name.value.as_str());
        if names().any(|known| known == name) {
            continue;
        }
        // The name itself, where the text stands in the file as it is.
        let source = look.text.get(span.range()).unwrap_or_default();
        let wanted = format!("{{{{{inner}}}}}");
        let place = source.find(&wanted).map_or(span, |at| look.within(span, at, wanted.len()));
        let finding =
            Finding::new(RULE.id, format!("the flow has no input `{name}`")).at(place).found(&wanted);
        let finding = finding.expected("a name under `inputs`");
        findings.push(match nearest(name, names()) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => {
                finding.help(format!("add `{name}: null` under `inputs`, and give it with --input {name}=…"))
            }
        });
    }
}
