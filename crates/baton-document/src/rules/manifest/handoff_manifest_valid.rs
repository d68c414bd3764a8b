//! `manifest/handoff-manifest-valid`: one summary of the project's manifest, off unless configured.

use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "manifest/handoff-manifest-valid",
    level: None,
    page: include_str!("handoff_manifest_valid.md"),
    check: Check::Last(check),
};

/// Path of the manifest of a project.
const MANIFEST: &str = "meta/handoff.yaml";

fn check(case: &mut Case<'_>) {
    const SHOWN_MAX: usize = 3;
    if case.path() != Some(MANIFEST) {
        return;
    }
    let mut errors = 0_usize;
    let mut places: Vec<(Span, String)> = Vec::new();
    // Of the whole file: what is wrong with its syntax was said before this handoff was looked at.
    for finding in &*case.out {
        if finding.rule == RULE.id {
            return;
        }
        if finding.level == Level::Error {
            errors += 1;
            let span = finding.span.filter(|_| places.len() < SHOWN_MAX);
            places.extend(span.map(|span| (span, finding.message.clone())));
        }
    }
    if errors == 0 {
        return;
    }
    let count = if errors == 1 { "1 error".to_owned() } else { format!("{errors} errors") };
    let mut finding = case
        .finding(&RULE, format!("the project's handoff manifest is not valid: it has {count}"))
        .at(case.head())
        .found(count)
        .expected("a manifest without errors")
        .help("the other findings in this file say what is wrong");
    for (span, message) in places {
        finding = finding.related(span, message);
    }
    case.report(&RULE, finding);
}
