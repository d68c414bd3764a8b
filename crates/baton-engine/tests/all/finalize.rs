//! How handoffs come out of agents that work in sessions, and what stands there when none does.

use std::sync::Arc;

use baton_courier::{Kind, What as Says};
use baton_document::carrier::Look;
use baton_document::{Input, Level, Meaning, NoWorld, Said, Scratch};
use baton_engine::project::agents::Setup;
use baton_engine::records::entry::history;

use crate::stories::{LATER, NOW, Office, envelope, order, row};

/// What Baton writes for an agent of a dialect that answers with garbage until nobody asks any more.
fn given_up(dialect: &str) -> (String, Said, Vec<String>) {
    let office = Office::new(Kind::Neither, &[("ada", dialect)]);
    let mut engine = office.engine("one");
    engine.start(order(row(&["ada"])), NOW).expect("it starts");
    for _ in 0..4 {
        office.desk.answer("I am done, I think.");
        engine.turn(NOW).expect("the ledger works");
    }
    assert_eq!(office.desk.count(), 0, "one ask and three more");
    let history = history(&office.ledger, "run").expect("the run is there");
    let made: Vec<_> = history.iter().filter(|entry| entry.record.kind == "handoff_made").collect();
    assert_eq!(made.len(), 1, "every step that is over has one handoff");
    let text = made[0].record.payload.as_ref().and_then(|payload| payload.bytes.clone());
    let text = String::from_utf8(text.expect("it is kept")).expect("it is text");
    let input = Input {
        path: None,
        bytes: text.as_bytes(),
        dialect: Some(dialect),
        look: Look::Prose,
        is_named: true,
    };
    let (checked, said) = office.checker.check_and_say(input, &NoWorld, &mut Scratch::default());
    let errors = checked.findings.iter().filter(|finding| finding.level == Level::Error);
    let errors = errors.map(|finding| finding.rule.to_string()).collect();
    let said = said.into_iter().next().unwrap_or_else(|| panic!("{dialect}: {text}"));
    (text, said, errors)
}

// proves E-06: 1 ask and 3 more, then a handoff that Baton wrote and says so, in the dialect of the step.
#[test]
fn a_step_whose_agent_gives_no_handoff_has_one_of_baton() {
    for dialect in ["envelope", "exchange", "package", "pipeline", "manifest"] {
        let (text, said, errors) = given_up(dialect);
        if dialect == "manifest" {
            assert_eq!(said.text(Meaning::Delivery), Some("failed"), "{text}");
            continue;
        }
        assert_eq!(errors, Vec::<String>::new(), "{text}");
        assert!(text.contains("Written by Baton, not by ada"), "{text}");
        match dialect {
            "envelope" => assert_eq!(said.text(Meaning::Outcome), Some("BLOCKED"), "{text}"),
            "exchange" => {
                assert_eq!(said.text(Meaning::Outcome), Some("blocked"), "{text}");
                assert_eq!(said.text(Meaning::Recommendation), Some("STOP"), "{text}");
            }
            "package" => {
                assert_eq!((said.kind.as_str(), said.text(Meaning::To)), ("escalation", Some("human")));
            }
            _ => {
                assert_eq!((said.kind.as_str(), said.text(Meaning::To)), ("error", Some("orchestrator")));
                assert!(text.contains("<recoverable>false</recoverable>"), "{text}");
            }
        }
    }
}

// proves E-06: the handoff is asked for in the same session, with the schema, and again with the findings.
#[test]
fn an_agent_in_a_session_is_asked_again_there_for_its_handoff_only() {
    let mut office = Office::new(Kind::Resumable, &[("ada", "envelope")]);
    let setup = Setup { finalizes: true, ..Setup::new(Arc::new(office.desk.clone()), "envelope") };
    office.agents.add("ada", setup);
    let mut engine = office.engine("one");
    engine.start(order(row(&["ada"])), NOW).expect("it starts");
    let (first, reports) = office.desk.next();
    let asked = first.finalization.expect("it is asked for its handoff");
    assert!(
        asked.prompt.contains("`envelope`") && asked.prompt.contains("You are `ada`"),
        "{}",
        asked.prompt
    );
    let schema: serde_json::Value = serde_json::from_str(&asked.schema).expect("it is JSON");
    assert!(schema.get("$schema").is_some() && !first.is_reask);
    for what in [Says::Session("s-1".to_owned()), Says::Answer(b"{\"status\": \"VERIFIED\"}".to_vec())] {
        let report = baton_courier::Report { key: first.key.clone(), attempt: first.attempt, what };
        reports.send(report).expect("the engine listens");
    }
    engine.turn(NOW).expect("the ledger works");
    let (again, _) = office.desk.next();
    assert!(again.is_reask, "the work is done; only its handoff is wanting");
    assert_eq!(again.session.as_deref(), Some("s-1"));
    let told = again.finalization.expect("it is asked again").prompt;
    assert!(told.contains("was not taken") && told.contains("meta.step_id"), "{told}");
}

#[test]
fn an_agent_that_was_given_the_schema_of_an_xml_dialect_may_answer_in_json() {
    let office = Office::new(Kind::Neither, &[("ada", "pipeline"), ("ben", "envelope")]);
    let mut engine = office.engine("one");
    engine.start(order(row(&["ada", "ben"])), NOW).expect("it starts");
    office.desk.answer(
        r#"{"handoff":{"from":"ada","to":"ben","issue_number":7,"status":"success","summary":"Limited loans"}}"#,
    );
    engine.turn(NOW).expect("the ledger works");
    let given = office.desk.answer(&envelope("Looked at it."));
    assert_eq!(given.receiver, "ben");
    assert!(String::from_utf8_lossy(&given.handoff).contains("Limited loans"));
    let history = history(&office.ledger, "run").expect("the run is there");
    let kept = history.iter().find(|entry| entry.record.kind == "answered").expect("it is recorded");
    let kept = kept.record.payload.as_ref().and_then(|payload| payload.bytes.clone()).unwrap_or_default();
    assert!(kept.starts_with(b"<handoff>"), "{}", String::from_utf8_lossy(&kept));
    engine.turn(LATER).expect("the ledger works");
    assert!(office.is_over());
}
