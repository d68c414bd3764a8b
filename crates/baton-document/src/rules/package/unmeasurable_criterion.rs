//! `package/unmeasurable-criterion`: a success criterion on which two people would not agree.

use crate::check::Case;
use crate::finding::Level;
use crate::rules::{Check, Rule};
use crate::tree::Kind;
use baton_wording::{Criterion, criterion as judge};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "package/unmeasurable-criterion",
    level: Some(Level::Warning),
    page: include_str!("unmeasurable_criterion.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if case.kind() == "acknowledgment" || !case.is_on(&RULE) {
        return;
    }
    let Some(criteria) = case.value("expectations.success_criteria") else { return };
    for criterion in criteria.items().filter(|item| item.kind() == Kind::Text) {
        let Some(text) = criterion.text() else { continue };
        let (message, label) = match judge(text) {
            Criterion::Measurable => continue,
            Criterion::Opinion(words) => {
                let words: Vec<String> = words.into_iter().map(|word| format!("`{}`", &text[word])).collect();
                let words = words.join(", ");
                (format!("this criterion is a matter of opinion: {words}"), format!("when is it {words}?"))
            }
            Criterion::Indefinite => (
                "two people could not agree on whether this criterion is met".to_owned(),
                "no figure, name or definite condition in this".to_owned(),
            ),
        };
        let finding = case
            .finding(&RULE, message)
            .at(criterion.span())
            .label(label)
            .found(text)
            .expected("a figure, a named tool, document or approver, or a definite condition")
            .help("say how it is checked, such as `coverage above 80 %`, `no critical issue open`, `build passes in CI`");
        case.report(&RULE, finding);
    }
}
