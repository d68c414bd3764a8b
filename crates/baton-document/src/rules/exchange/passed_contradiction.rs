//! `exchange/passed-contradiction`: a check that passed and has errors.

use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};
use crate::tree::Kind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "exchange/passed-contradiction",
    level: Some(Level::Warning),
    page: include_str!("passed_contradiction.md"),
    check: Check::Handoff(check),
};

/// The `passed` of a check, and the fields beside it that say it failed.
struct Pair {
    passed: &'static str,
    against: &'static [(&'static str, &'static str)],
}

const PAIRS: [Pair; 4] = [
    Pair { passed: "findings.checks.types.passed", against: &[("findings.checks.types.errors", "errors")] },
    Pair { passed: "findings.checks.lint.passed", against: &[("findings.checks.lint.errors", "errors")] },
    Pair {
        passed: "findings.checks.tests.passed",
        against: &[
            ("findings.checks.tests.failed_count", "failed tests"),
            ("findings.checks.tests.failures", "failures"),
        ],
    },
    Pair {
        passed: "findings.checks.security.passed",
        against: &[("findings.checks.security.issues", "issues")],
    },
];

fn check(case: &mut Case<'_>) {
    if case.kind() != "response" || !case.is_present("findings.checks") {
        return;
    }
    for pair in &PAIRS {
        let Some(passed) = case.value(pair.passed).filter(|value| value.truth() == Some(true)) else {
            continue;
        };
        let Some((path, what, count)) = pair
            .against
            .iter()
            .find_map(|(path, what)| Some((*path, *what, faults(case, path).filter(|count| *count > 0.0)?)))
        else {
            continue;
        };
        let finding = case
            .finding(&RULE, format!("`passed` is true beside {what}"))
            .at(passed.span())
            .label("says it passed")
            .found("true")
            .expected(format!("false, or no {what}"))
            .related(case.key_span(path), format!("{what}: {count}"))
            .help("what does not make the check fail belongs into its warnings");
        case.report(&RULE, finding);
    }
}

/// Number of faults in a field: its number, or the length of its list.
fn faults(case: &Case<'_>, path: &str) -> Option<f64> {
    let value = case.value(path)?;
    if value.kind() == Kind::List {
        #[expect(clippy::cast_precision_loss, reason = "a file has far fewer items")]
        return Some(value.items().count() as f64);
    }
    value.number()
}
