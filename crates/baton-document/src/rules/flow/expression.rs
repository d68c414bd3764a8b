//! `flow/expression`: an expression that cannot be evaluated.

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::flow::bounds::EXPRESSION_BYTES_MAX;
use crate::flow::expression::{self, Wrong};
use crate::flow::{Does, Flow, JoinSpec, Spanned, When};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/expression",
    level: Some(Level::Error),
    page: include_str!("expression.md"),
    check: Check::Reading,
};

/// Looks at the syntax and the bounds of every expression.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    let all = asked(look.flow);
    let texts: Vec<&str> = all.iter().map(|asked| asked.text).collect();
    for (asked, wrong) in all.iter().zip(expression::faults(&texts)) {
        if asked.text.len() > asked.bytes_max {
            let finding = Finding::new(RULE.id, format!("the expression has {} bytes", asked.text.len()));
            findings.push(finding.at(asked.span).expected(format!("at most {} bytes", asked.bytes_max)));
        } else if let Some(wrong) = wrong {
            findings.push(placed(look, RULE.id, asked, &wrong));
        }
    }
}

/// An expression of a flow, and who asks for it.
pub(crate) struct ExpressionUse<'f> {
    pub(crate) text: &'f str,
    pub(crate) span: Span,
    pub(crate) step: usize,
    /// True if it is about all branches of a join.
    pub(crate) is_join: bool,
    bytes_max: usize,
}

/// All expressions of a flow.
pub(crate) fn asked(flow: &Flow) -> Vec<ExpressionUse<'_>> {
    let mut all = Vec::new();
    for (step, spec) in flow.steps.iter().enumerate() {
        let one = |expression: &'_ Spanned<String>| (expression.span, false, EXPRESSION_BYTES_MAX);
        match &spec.does {
            Does::Agent(pass) => all.extend(pass.routes.iter().filter_map(|route| match &route.when {
                When::If(expression) => {
                    let (span, is_join, bytes_max) = one(expression);
                    Some(ExpressionUse { text: &expression.value, span, step, is_join, bytes_max })
                }
                When::Decision(_) | When::Outcome(_) => None,
            })),
            Does::Gate(gate) => all.extend(gate.checks.iter().map(|check| {
                let (span, is_join, bytes_max) = one(check);
                ExpressionUse { text: &check.value, span, step, is_join, bytes_max }
            })),
            Does::Parallel(parallel) => {
                if let JoinSpec::If(text) = &parallel.join.value {
                    let span = parallel.join.span;
                    all.push(ExpressionUse {
                        text,
                        span,
                        step,
                        is_join: true,
                        bytes_max: expression::BYTES_MAX,
                    });
                }
            }
            Does::Loop(_) | Does::Wait(_) | Does::Escalate(_) | Does::End(_) => {}
        }
    }
    all
}

/// A finding at the place inside of an expression.
pub(crate) fn placed(
    look: &FlowCase<'_>,
    rule: &'static str,
    asked: &ExpressionUse<'_>,
    wrong: &Wrong,
) -> Finding {
    let source = look.text.get(asked.span.range()).unwrap_or_default();
    // What is written with escapes or over several lines is pointed at as a whole.
    let span = match source.find(asked.text) {
        Some(start) => look.within(asked.span, start + wrong.at, wrong.length),
        None => asked.span,
    };
    let finding = Finding::new(rule, wrong.message.as_str()).at(span);
    let finding = match &wrong.expected {
        Some(expected) => finding.expected(expected.as_str()),
        None => finding.expected("an expression such as handoff.status == 'VERIFIED'"),
    };
    match &wrong.near {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding,
    }
}
