//! `exchange/aggregation-counts`: the counts of a parallel phase are those of its results.

use crate::finding::Level;
use crate::rule::{Case, Value};
use crate::rule::{Check, Rule};
use crate::tree::Kind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "exchange/aggregation-counts",
    level: Some(Level::Warning),
    page: include_str!("aggregation_counts.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if case.kind() != "response" || !case.is_present("findings.aggregation") {
        return;
    }
    let Some(results) = case.value("findings.results").filter(|value| value.kind() == Kind::List) else {
        return;
    };
    let counts = Counts::of(results);
    compare_count(case, "total", counts.total);
    // A branch that does not say whether it passed leaves the rest open.
    if counts.passed + counts.failed != counts.total {
        return;
    }
    compare_count(case, "passed", counts.passed);
    compare_count(case, "failed", counts.failed);
    compare_overall(case, &counts);
}

struct Counts {
    total: usize,
    passed: usize,
    failed: usize,
}

impl Counts {
    fn of(results: Value<'_>) -> Self {
        let mut counts = Self { total: 0, passed: 0, failed: 0 };
        for result in results.items() {
            counts.total += 1;
            match result.at("passed").and_then(|passed| passed.truth()) {
                Some(true) => counts.passed += 1,
                Some(false) => counts.failed += 1,
                None => {}
            }
        }
        counts
    }

    /// Result of a rule for the counts; nothing if it is free text, or without counts.
    fn overall(&self, rule: &str) -> Option<bool> {
        if self.total == 0 {
            return None;
        }
        match rule.trim().to_ascii_lowercase().replace(['-', ' '], "_").as_str() {
            "all_must_pass" => Some(self.failed == 0),
            "any_pass" => Some(self.passed > 0),
            "majority_pass" => Some(self.passed * 2 > self.total),
            _ => None,
        }
    }
}

fn compare_count(case: &mut Case<'_>, name: &str, computed: usize) {
    let Some(value) = case.value(&format!("findings.aggregation.{name}")) else { return };
    #[expect(clippy::cast_precision_loss, reason = "a file has far fewer items")]
    let is_same = value.number().is_none_or(|stated| stated == computed as f64);
    if is_same {
        return;
    }
    let finding = case
        .finding(&RULE, format!("`{name}` is not what the results come to"))
        .at(value.span())
        .label(format!("{computed} by the results"))
        .found(value.text().unwrap_or_default())
        .expected(computed.to_string())
        .related(case.key_span("findings.results"), "counted from these")
        .help("the computed count is the one that is used")
        .edits(value.replaced(&computed.to_string()));
    case.report(&RULE, finding);
}

fn compare_overall(case: &mut Case<'_>, counts: &Counts) {
    let Some(value) = case.value("findings.aggregation.overall_passed") else { return };
    let Some(rule) = case.text("findings.aggregation.rule") else { return };
    let (Some(stated), Some(computed)) = (value.truth(), counts.overall(rule)) else { return };
    if stated == computed {
        return;
    }
    let finding = case
        .finding(&RULE, format!("`overall_passed` is not what {rule} makes of the results"))
        .at(value.span())
        .label(format!("{} of {} passed", counts.passed, counts.total))
        .found(stated.to_string())
        .expected(computed.to_string())
        .related(case.key_span("findings.aggregation.rule"), "by this rule")
        .related(case.key_span("findings.results"), "counted from these")
        .help("the computed value is the one that is used")
        // A verdict is more than a count: a person should see it turn.
        .edits(value.replaced(&computed.to_string()))
        .unsafe_fix();
    case.report(&RULE, finding);
}
