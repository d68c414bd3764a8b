//! `flow/unrouted`: what an agent produces and no route takes.

use super::{FlowCase, listed};
use crate::finding::{Finding, Level};
use crate::flow::{AgentStep, Does, Ends, Outcome, Produces, Spanned, StepSpec, When, Word};
use crate::rule::{Check, Rule};
use crate::spelling::nearest;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/unrouted",
    level: Some(Level::Error),
    page: include_str!("unrouted.md"),
    check: Check::Reading,
};

/// Looks at every step whose agent says what it produces.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    for step in &look.flow.steps {
        let Does::Agent(pass) = &step.does else { continue };
        let agent = look.full.agent(&pass.agent.value);
        let Some(produces) = agent.and_then(|agent| agent.produces.as_ref()) else { continue };
        let words: Vec<&str> = decisions(produces).collect();
        left_over(step, pass, &words, findings);
        let all: Vec<&str> =
            produces.iter().filter_map(|row| Some(row.word.as_ref()?.value.as_str())).collect();
        for word in
            routed(pass).filter(|word| !all.iter().any(|known| known.eq_ignore_ascii_case(&word.value)))
        {
            let message = format!("`{}` never answers with `{}`", pass.agent.value, word.value);
            let finding = Finding::new(RULE.id, message).at(word.span).found(&word.value);
            let finding = finding.expected(format!("one of {}", listed(all.iter().copied())));
            findings.push(match nearest(&word.value, all.iter().copied()) {
                Some(near) => {
                    finding.help(format!("did you mean `{near}`?")).fix(word.span, near).unsafe_fix()
                }
                None => finding,
            });
        }
    }
}

/// One word may simply go on; with several, the flow must say that they lead the same way.
fn left_over(step: &StepSpec, pass: &AgentStep, words: &[&str], findings: &mut Vec<Finding>) {
    if step.then.is_some() {
        return;
    }
    let is_routed = |word: &str| routed(pass).any(|known| known.value.eq_ignore_ascii_case(word));
    let left: Vec<&str> = words.iter().copied().filter(|word| !is_routed(word)).collect();
    if left.len() > 1 {
        let (name, agent) = (&step.name.value, &pass.agent.value);
        let message =
            format!("{} of `{agent}` all go the same way behind `{name}`", listed(left.iter().copied()));
        let finding = Finding::new(RULE.id, message).at(step.name.span);
        findings.push(finding.expected("a route for each of them but one, or `then` where this is meant"));
    }
}

/// The words for which routes ask.
fn routed(pass: &AgentStep) -> impl Iterator<Item = &Spanned<String>> {
    pass.routes.iter().filter_map(|route| match &route.when {
        When::Decision(word) => Some(word),
        When::Outcome(_) | When::If(_) => None,
    })
}

/// The words of success that decide something: what broke or is blocked is routed by the run itself.
pub(crate) fn decisions(produces: &[Produces]) -> impl Iterator<Item = &str> {
    let is_success = |row: &&Produces| row.ends.as_ref().is_none_or(|ends| ends.value == Ends::Success);
    let words = produces.iter().filter(is_success).filter_map(|row| row.word.as_ref());
    words.map(|word| word.value.as_str()).filter(|word| Outcome::from_word(word).is_none())
}
