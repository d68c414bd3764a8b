//! What agents are asked whose dialect has requests of its own, where a flow says little or nothing to them.

use baton_courier::Delivery;
use baton_document::carrier::Look;
use baton_document::{Input, Level, NoWorld, Scratch};
use baton_engine::records::entry::history;
use baton_kernel::Reason;
use serde_json::{Value, json};

use super::{RUN, Scene, given, play_text};

const LOANS: (&str, &str) = ("subject", "Limit the loans");

/// The first flow of the documentation, as people copy it.
fn documented() -> &'static str {
    let docs = include_str!("../../../../../docs/flows.md");
    let (_, behind) = docs.split_once("```yaml\n").expect("the page begins with a flow");
    behind.split_once("```").expect("it ends").0
}

/// What an agent was asked, which must be one request without an error.
fn request(scene: &Scene<'_>, delivery: &Delivery) -> Value {
    let checker = scene.office.checker;
    let input = Input {
        path: None,
        bytes: &delivery.handoff,
        dialect: Some("exchange"),
        look: Look::Whole,
        is_named: true,
    };
    let checked = checker.check(input, &NoWorld, &mut Scratch::default());
    let errors: Vec<_> = checked.findings.iter().filter(|finding| finding.level == Level::Error).collect();
    // proves X-01: a request that is complete, whatever the flow says.
    assert!(errors.is_empty(), "{errors:?}\n{}", given(delivery));
    let kinds: Vec<_> = checked.handoffs.iter().map(|handoff| &*checker.kind_of(handoff).name).collect();
    assert_eq!(kinds, ["request"], "{}", given(delivery));
    serde_json::from_slice(&delivery.handoff).expect("it is JSON")
}

fn response(phase: &str, findings: &Value, summary: &str) -> String {
    json!({
        "task_id": RUN, "phase": phase, "status": "complete", "decision": "PROCEED",
        "findings": findings, "context_summary": summary,
    })
    .to_string()
}

fn written() -> String {
    let findings = json!({
        "files_created": [{"path": "src/loans.py", "purpose": "limits"}], "files_modified": [],
        "tests_written": [], "implementation_notes": [],
    });
    response("write", &findings, "Loans are limited to five in src/loans.py.")
}

#[test]
fn the_flow_of_the_documentation_asks_its_writer_in_a_request() {
    play_text(documented(), LOANS, |scene| {
        let asked = scene.answer("writer", &written());
        let asked = request(scene, &asked);
        // proves X-01
        assert_eq!((&asked["task_id"], &asked["phase"]), (&json!(RUN), &json!("write")));
        assert_eq!(asked["context"]["feature"], "Limit the loans");
        assert_eq!(asked["expected_output"], "files_changed");
        assert_eq!(asked["instructions"], "Do the step `write` of the flow `article`: Limit the loans");
        // proves S-01: what it answers reaches the critic in its own dialect.
        assert_eq!(scene.at_work(), 1, "{:?}", scene.reasons());
    });
}

const PHASES: &str = "\
flow: phases
agents:
  researcher: { dialect: exchange }
  writer: { dialect: exchange }
steps:
  - research: researcher
  - Write: writer
";

#[test]
fn phases_without_tasks_hand_on_what_was_found() {
    play_text(PHASES, LOANS, |scene| {
        let findings = json!({
            "existing_implementations": [], "conflicts": [], "patterns_found": [],
            "recommendations": ["Extend src/loans.py"],
        });
        let found = response("research", &findings, "Loans are kept in src/loans.py, without a limit.");
        let first = scene.answer("researcher", &found);
        assert_eq!(request(scene, &first)["expected_output"], "structured_findings");
        let second = scene.answer("writer", &written());
        let second = request(scene, &second);
        // proves X-09: what came before is passed on as previous findings.
        let previous = second["context"]["previous_findings"].as_str().expect("it is text");
        assert!(previous.contains("Loans are kept in src/loans.py"), "{second}");
        assert_eq!(second["phase"], "write", "the words of a phase are meant in any letters");
        assert!(scene.ending().is_some(), "and its echo in any: {:?}", scene.reasons());
    });
}

const REVIEWED: &str = "\
flow: reviewed
agents:
  ada: { dialect: envelope }
  eve: { dialect: exchange }
steps:
  - validate: { loop: { author: ada, critic: eve } }
";

#[test]
fn a_critic_is_asked_in_a_request_too() {
    play_text(REVIEWED, LOANS, |scene| {
        scene.answer("ada", &crate::stories::envelope("Limited loans in src/loans.py."));
        let findings = json!({
            "checks": {}, "overall_passed": true, "blocking_issues": [], "warnings": [],
        });
        let asked =
            scene.answer("eve", &response("validate", &findings, "Nothing is wrong with src/loans.py."));
        let asked = request(scene, &asked);
        // proves X-01
        let instructions = asked["instructions"].as_str().expect("it is text");
        assert!(instructions.starts_with("Review the work of the step `validate`"), "{asked}");
        assert_eq!(asked["expected_output"], "validation_result");
    });
}

const UNCLEAR: &str = "\
flow: unclear
agents:
  writer: { dialect: exchange }
steps:
  - draft: writer
";

#[test]
fn a_request_that_cannot_be_complete_is_never_sent() {
    play_text(UNCLEAR, LOANS, |scene| {
        scene.go_on(0);
        // proves X-01: nothing stands for a request that is none.
        assert_eq!(scene.at_work(), 0, "{:?}", scene.reasons());
        assert_eq!(scene.asked(), Some(Reason::Unrecoverable));
    });
}

const NAMED: &str = "\
flow: named
agents:
  eve: { dialect: exchange }
steps:
  - look: { agent: eve, give: { phase: validate, task_id: t-7 } }
";

#[test]
fn what_baton_writes_for_a_phase_echoes_what_was_asked() {
    play_text(NAMED, LOANS, |scene| {
        for _ in 0..4 {
            scene.answer("eve", "I am done, I think.");
        }
        let history = history(&scene.office.ledger, RUN).expect("the run is there");
        let made = history.iter().find(|entry| entry.record.kind == "handoff_made").expect("it is written");
        let text = made.record.payload.as_ref().and_then(|payload| payload.bytes.clone());
        let made: Value = serde_json::from_slice(&text.expect("it is kept")).expect("it is JSON");
        // proves E-06: blocked and STOP, and as a response to the request that was made.
        assert_eq!((&made["status"], &made["decision"]), (&json!("blocked"), &json!("STOP")));
        assert_eq!((&made["task_id"], &made["phase"]), (&json!("t-7"), &json!("validate")));
    });
}
