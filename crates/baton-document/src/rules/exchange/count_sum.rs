//! `exchange/count-sum`: what passed and what failed add up to the total.

use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "exchange/count-sum",
    level: Some(Level::Warning),
    page: include_str!("count_sum.md"),
    check: Check::Handoff(check),
};

/// Counts that agents write beside those of the dialect.
const SKIPPED: [&str; 2] = ["skipped", "skipped_count"];

/// Places of a total and its parts.
struct Sum {
    whole: &'static str,
    total: &'static str,
    passed: &'static str,
    failed: &'static str,
}

const TESTS: Sum = Sum {
    whole: "findings.checks.tests",
    total: "findings.checks.tests.total",
    passed: "findings.checks.tests.passed_count",
    failed: "findings.checks.tests.failed_count",
};

const BRANCHES: Sum = Sum {
    whole: "findings.aggregation",
    total: "findings.aggregation.total",
    passed: "findings.aggregation.passed",
    failed: "findings.aggregation.failed",
};

fn check(case: &mut Case<'_>) {
    if case.kind() != "response" {
        return;
    }
    add_up(case, &TESTS);
    // With the results at hand each count is computed, which is another rule.
    if !case.is_present("findings.results") {
        add_up(case, &BRANCHES);
    }
}

fn add_up(case: &mut Case<'_>, sum: &Sum) {
    let number = |path: &str| case.value(path).and_then(|value| value.number());
    let (Some(total), Some(passed), Some(failed)) =
        (number(sum.total), number(sum.passed), number(sum.failed))
    else {
        return;
    };
    let whole = case.value(sum.whole);
    let skipped = whole.and_then(|whole| SKIPPED.iter().find_map(|key| whole.at(key)?.number()));
    let parts = passed + failed + skipped.unwrap_or_default();
    if total == parts {
        return;
    }
    let Some(value) = case.value(sum.total) else { return };
    let finding = case
        .finding(&RULE, format!("{passed} passed and {failed} failed do not add up to {total}"))
        .at(value.span())
        .found(total.to_string())
        .expected(parts.to_string())
        .related(case.key_span(sum.passed), format!("{passed} passed"))
        .related(case.key_span(sum.failed), format!("{failed} failed"));
    let finding = match skipped {
        Some(skipped) => finding.help(format!("{skipped} skipped are counted in")),
        None => finding.help("count again; what was neither passed nor failed goes into `skipped_count`"),
    };
    case.report(&RULE, finding);
}
