//! `exchange/expected-output`: a request expects the form of answer that its phase gives.

use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "exchange/expected-output",
    level: Some(Level::Warning),
    page: include_str!("expected_output.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if case.kind() != "request" {
        return;
    }
    let (Some(phase), Some(output)) = (case.word("phase"), case.word("expected_output")) else { return };
    let Some(fitting) = output_of(phase).filter(|fitting| *fitting != output) else { return };
    let (Some(phase_value), Some(value)) = (case.value("phase"), case.value("expected_output")) else {
        return;
    };
    let finding = case
        .finding(&RULE, format!("`expected_output` does not fit the phase {phase}"))
        .at(value.span())
        .label(format!("a {phase} phase gives {fitting}"))
        .found(output)
        .expected(fitting)
        .related(phase_value.span(), "the phase")
        .help("correct whichever of the two is not meant");
    case.report(&RULE, finding);
}

fn output_of(phase: &str) -> Option<&'static str> {
    match phase {
        "research" => Some("structured_findings"),
        "write" => Some("files_changed"),
        "validate" => Some("validation_result"),
        "parallel" => Some("aggregated_results"),
        _ => None,
    }
}
