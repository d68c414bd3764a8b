//! What handoffs say in the words of the common model, whatever their dialect.

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::{Checker, Input, Levels, Limits, Meaning, NoWorld, Said, Scratch};

fn said(path: &str, text: &str) -> Vec<Said> {
    let checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
    let input =
        Input { path: Some(path), bytes: text.as_bytes(), dialect: None, look: Look::Whole, is_named: true };
    checker.said(input, &mut Scratch::default()).expect("it can be read")
}

#[test]
fn words_of_a_dialect_are_said_in_those_of_the_common_model() {
    let text = r#"{"task_id": "t-1", "phase": "write", "status": "partial", "decision": "clarify",
        "findings": {}, "context_summary": "Half of the pages are written."}"#;
    let [said] = &said("answer.json", text)[..] else { panic!("one handoff") };
    assert_eq!((said.dialect.as_str(), said.kind.as_str()), ("exchange", "response"));
    assert_eq!(said.word(Meaning::Outcome), Some("partial"));
    assert_eq!(said.word(Meaning::Recommendation), Some("ask"), "in any letters");
    assert_eq!(said.text(Meaning::Recommendation), Some("CLARIFY"), "and as the dialect has it");
    assert_eq!(said.text(Meaning::To), Some("orchestrator"), "what the kind implies is said");
    assert_eq!(said.document.at("task_id").and_then(|id| id.as_text()), Some("t-1"));
}

#[test]
fn every_handoff_of_a_file_says_its_own() {
    let one = |sha| {
        format!(
            "<handoff><from>reviewer-agent</from><to>validator-agent</to><data><pr_number>7</pr_number>\
             <review_status>approved</review_status><merge_sha>{sha}</merge_sha></data></handoff>"
        )
    };
    let all = said("handoffs.xml", &format!("{}\n{}", one("a"), one("b")));
    let words: Vec<_> = all.iter().map(|said| said.word(Meaning::Outcome)).collect();
    assert_eq!(words, [Some("done"), Some("done")]);
    assert_eq!(all[0].text(Meaning::Outcome), Some("approved"));
}

#[test]
fn a_file_that_cannot_be_read_says_nothing() {
    let checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
    let input = Input {
        path: Some("a.json"),
        bytes: b"{\"status\": ",
        dialect: Some("envelope"),
        look: Look::Whole,
        is_named: true,
    };
    assert_eq!(checker.said(input, &mut Scratch::default()), None);
}

#[test]
fn a_check_can_tell_what_was_said_on_the_way() {
    let checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
    let text = r#"{"task_id": "t-1", "phase": "write", "status": "done", "decision": "PROCEED",
        "findings": {}, "context_summary": "Half of the pages are written."}"#;
    let input = Input {
        path: None,
        bytes: text.as_bytes(),
        dialect: Some("exchange"),
        look: Look::Prose,
        is_named: true,
    };
    let scratch = &mut Scratch::default();
    let (checked, said) = checker.check_and_say(input, &NoWorld, scratch);
    let alone = checker.check(input, &NoWorld, scratch);
    assert_eq!(checked.findings, alone.findings);
    assert!(!checked.findings.is_empty(), "`done` is no word for it");
    assert_eq!(Some(said), checker.said(input, scratch));
}

/// How the only handoff of a text is spelled.
fn spelled(dialect: &str, text: &str) -> Vec<u8> {
    let checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
    let (bytes, dialect) = (text.as_bytes(), Some(dialect));
    let input = Input { path: None, bytes, dialect, look: Look::Prose, is_named: true };
    let mut all = Vec::new();
    checker.check_and_tell(input, &NoWorld, &mut Scratch::default(), |telling| {
        // What is looked for in the tree is what is found in the whole document.
        let said = telling.to_said();
        for path in ["meta", "meta.step_id", "summary.evidence.measurements", "meta.nothing", "nothing"] {
            let found = telling.at(path).map(|value| value.into_datum());
            assert_eq!(found.as_ref(), said.document.at(path), "{path}");
        }
        assert_eq!(telling.text(Meaning::Outcome), said.text(Meaning::Outcome));
        assert_eq!(telling.word(Meaning::Outcome), said.word(Meaning::Outcome));
        all.push(telling.spelled().to_owned());
    });
    let [one] = &all[..] else { panic!("one handoff") };
    one.clone()
}

fn envelope(written: &str, status: &str, more: &str) -> String {
    format!(
        r#"{{"meta": {{"step_id": "s", "flow_key": "f", "agent_key": "a", "timestamp": "{written}"}},
            "status": "{status}", "summary": {{"what_i_did": "Limited loans.", "what_i_found": "Nothing.",
            "key_decisions": ["One"], "evidence": {{"artifacts_produced": [], "commands_run": ["pytest"],
            "measurements": {{"passed": 14, "share": 1.50, "all": true}}}}}}, "concerns": [], "assumptions": null,
            {more} "routing": {{"recommendation": "CONTINUE", "reason": "Done."}}}}"#
    )
}

#[test]
fn two_handoffs_are_spelled_alike_if_they_say_the_same_at_another_time() {
    let one = spelled("envelope", &envelope("2026-03-02T10:15:00Z", "VERIFIED", ""));
    let is_same = |text: &str| spelled("envelope", text) == one;
    assert!(is_same(&envelope("2027-01-01T00:00:00Z", "VERIFIED", "")), "what changes by itself is left out");
    assert!(is_same(&envelope("2027-01-01 00:00:00", "verified", "")), "other letters say the same");
    assert!(!is_same(&envelope("2026-03-02T10:15:00Z", "BLOCKED", "")));
    for more in [r#""more": 1,"#, r#""status": "BLOCKED","#, r#""a.b": {"meta.timestamp": 1},"#] {
        assert!(!is_same(&envelope("2026-03-02T10:15:00Z", "VERIFIED", more)), "{more}");
    }
    assert!(!is_same(&envelope("2026-03-02T10:15:00Z", "VERIFIED", "").replace("14", "15")));
    assert!(!is_same(&envelope("2026-03-02T10:15:00Z", "VERIFIED", "").replace("null", "[]")));
    let long = "x".repeat(300);
    let longer =
        envelope("2026-03-02T10:15:00Z", "VERIFIED", &format!(r#""more": ["{long}", {{"a": null}}],"#));
    let text = String::from_utf8_lossy(&spelled("envelope", &longer)).into_owned();
    assert!(text.contains(&long) && text.starts_with("{t\u{4}meta{t\u{7}step_idt\u{1}s"), "{text}");
}
