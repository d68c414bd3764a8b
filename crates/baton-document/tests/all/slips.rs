//! Small slips: blank texts, words in other letters, fixes that would bring an error, values that are no JSON, and fields
//! that mean the same.

use baton_document::{NoWorld, Scratch};
use serde_json::json;

use crate::convert::{canonical, checker, convert, input, try_convert};

fn findings(text: &str) -> Vec<baton_document::Finding> {
    checker().check(input(text), &NoWorld, &mut Scratch::default()).findings
}

#[test]
fn a_fix_that_would_bring_an_error_is_not_called_safe() {
    // proves A-15
    let fix_of = |text: &str| {
        let found = findings(text).into_iter().find(|finding| finding.rule == "document/unknown-key");
        found.and_then(|finding| finding.fix).map(|fix| fix.safe)
    };
    let wrong = "<handoff><from>a</from><to>b</to><requirement>DPA</requirement></handoff>";
    assert_eq!(fix_of(wrong), Some(false));
    let right = "<handoff><from>a</from><to>b</to><requirments><requirement>DPA</requirement></requirments></handoff>";
    assert_eq!(fix_of(right), Some(true));
}

#[test]
fn a_text_of_blanks_says_nothing() {
    // proves A-08
    let checker = checker();
    let text = json!({"meta": {"step_id": "a", "flow_key": "f", "agent_key": "b", "timestamp": "2026-01-02T03:04:05Z"},
        "status": "VERIFIED", "summary": {"what_i_did": "", "what_i_found": "  "},
        "routing": {"recommendation": "CONTINUE", "reason": "fine", "next_step_suggestion": "c"}})
    .to_string();
    let there = try_convert(&checker, &text, "package", &[]).unwrap();
    let gaps: Vec<&str> = there.handoffs[0].gaps.iter().map(|gap| gap.path.as_str()).collect();
    assert_eq!(gaps, ["context.summary"], "{}", there.text);
    let there = convert(&checker, &text, "package", &[("context.summary", "Nothing yet")]);
    let back = convert(&checker, &there, "envelope", &[]);
    assert_eq!(canonical(&checker, &back), canonical(&checker, &text), "{there}");
    let one = text.replace("\"  \"", "\"A fault in src/a.rs\"");
    let summary =
        &canonical(&checker, &convert(&checker, &one, "package", &[]))["handoff"]["context"]["summary"];
    assert_eq!(*summary, json!("A fault in src/a.rs"));
}

#[test]
fn a_phase_in_other_letters_is_told_in_a_response_too() {
    // proves A-07
    let text = r#"{"task_id": "T-1", "phase": "Validate", "status": "complete", "decision": "PROCEED",
      "findings": {"overall_passed": true}, "context_summary": "All 12 tests in tests/login.rs pass"}"#;
    let found: Vec<_> =
        findings(text).into_iter().filter(|finding| finding.rule == "document/enum-case").collect();
    let [finding] = found.as_slice() else { panic!("{found:?}") };
    assert!(finding.fix.as_ref().is_some_and(|fix| fix.safe), "{finding:?}");
    assert_eq!(finding.expected.as_deref(), Some("validate"));
}

#[test]
fn what_is_given_as_json_and_is_none_is_refused_with_what_is_wrong() {
    // proves A-08
    let checker = checker();
    let text = crate::convert::PACKAGE;
    for given in [("to", "[1"), ("context.decisions", "{\"decision\": 1"), ("context.artifacts", "[\"a.rs\"")]
    {
        let refused = try_convert(&checker, text, "package", &[given]).unwrap_err().to_string();
        assert!(refused.contains("no JSON: "), "{refused}");
    }
    // A text may look like anything.
    convert(&checker, text, "package", &[("context.summary", "[WIP] Login in src/login.rs")]);
}

#[test]
fn of_two_fields_that_say_who_hands_over_the_second_is_refused() {
    // proves A-09
    let text = |second: &str| {
        format!(
            "dialect: own\nwritten-in: [yaml]\nrecognise: {{all: [a, b]}}\nkinds:\n  own:\n    fields:\n      \
             a: {{type: name, means: from}}\n      b: {{type: name, means: {second}}}\n"
        )
    };
    let found = |second: &str| {
        let text = text(second);
        let input = baton_document::Input { path: Some("own.dialect.yaml"), ..input(&text) };
        let checked = checker().check(input, &NoWorld, &mut Scratch::default());
        let index = baton_document::LineIndex::new(&text);
        let line = |finding: &baton_document::Finding| finding.span.map(|span| index.place(span.start).line);
        let found = checked.findings.iter().filter(|finding| finding.rule == "dialect/impossible");
        found.map(line).collect::<Vec<_>>()
    };
    assert_eq!(found("from"), [Some(8)]);
    assert_eq!(found("to"), []);
    assert_eq!(found("concerns"), []);
}
