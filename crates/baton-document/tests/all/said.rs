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
