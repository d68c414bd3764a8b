//! What lies before and behind joins: what branches are given, what follows them, and what people say there.

use baton_kernel::{Choice, GateAnswer, Reason};

use super::{Scene, given, play_text};

const GOAL: (&str, &str) = ("goal", "Limit loans to five.");

/// A flow with two branches, of which one speaks another dialect, and what follows them.
fn flow(behind: &str) -> String {
    format!(
        "flow: forked
inputs: {{ goal: null }}
agents:
  planner: {{ dialect: envelope }}
  left: {{ dialect: envelope }}
  right: {{ dialect: exchange }}
  closer: {{ dialect: envelope }}
  asker: {{ dialect: exchange }}
steps:
  - plan: {{ agent: planner }}
  - check: {{ parallel: [one, two], join: all-verified }}
  - one: {{ agent: left }}
  - two: {{ agent: right, give: {{ phase: parallel, context.feature: loans }}, task: Look at it. }}
{behind}"
    )
}

const CLOSE: &str = "  - close: { agent: closer }\n";
const REQUEST: &str =
    "  - close: { agent: asker, give: { phase: parallel, context.feature: loans }, task: Look at it. }\n";

fn envelope(step: &str, agent: &str, status: &str, did: &str, recommends: &str) -> String {
    format!(
        r#"{{"meta":{{"step_id":"{step}","flow_key":"forked","agent_key":"{agent}","timestamp":"2026-01-01T00:00:00Z"}},"status":"{status}","summary":{{"what_i_did":"{did}","what_i_found":"Old loans stay.","key_decisions":[],"evidence":{{"artifacts_produced":["src/loans.py"],"commands_run":["pytest"],"measurements":{{}}}}}},"concerns":[],"assumptions":[],"routing":{{"recommendation":"{recommends}","reason":"see above"}}}}"#
    )
}

fn planned(scene: &mut Scene<'_>) {
    scene.answer("planner", &envelope("plan", "planner", "VERIFIED", "Chose a ceiling of five.", "CONTINUE"));
}

fn left(scene: &mut Scene<'_>, status: &str, did: &str) -> String {
    given(&scene.answer("left", &envelope("one", "left", status, did, "CONTINUE")))
}

fn right(scene: &mut Scene<'_>, decision: &str, summary: &str) -> String {
    let status = if decision == "PROCEED" { "complete" } else { "partial" };
    let text = format!(
        r#"{{"task_id":"scene-1","phase":"parallel","status":"{status}","decision":"{decision}","findings":{{"results":[],"aggregation":{{"total":0,"passed":0,"failed":0,"rule":"all_must_pass","overall_passed":true}}}},"context_summary":"{summary}"}}"#
    );
    given(&scene.answer("right", &text))
}

/// Both branches are content.
fn checked(scene: &mut Scene<'_>) {
    left(scene, "VERIFIED", "Types hold in src/loans.py.");
    right(scene, "PROCEED", "No holes in src/loans.py.");
}

/// What whoever closes is given, in either dialect.
fn closes(behind: &str, act: impl Fn(&mut Scene<'_>), has: &[&str]) {
    for (step, agent) in [(CLOSE, "closer"), (REQUEST, "asker")] {
        play_text(&flow(&format!("{behind}{step}")), GOAL, |scene| {
            planned(scene);
            act(scene);
            let asked = takes(scene, agent);
            for text in has {
                assert!(asked.contains(text), "{agent} misses `{text}` in {asked}\n{:?}", scene.reasons());
            }
        });
    }
}

/// What the agent that was asked first is given; it keeps it.
fn takes(scene: &mut Scene<'_>, agent: &str) -> String {
    assert!(scene.at_work() > 0, "nobody is asked; {:?}", scene.reasons());
    let (delivery, _) = scene.office.desk.next();
    assert_eq!(delivery.receiver, agent, "{:?}", scene.reasons());
    given(&delivery)
}

const BOTH: [&str; 2] = ["Types hold in src/loans.py.", "No holes in src/loans.py."];

// proves E-10: what follows a join gets what each branch ended with.
#[test]
fn what_follows_a_join_gets_what_each_branch_ended_with() {
    closes("", checked, &BOTH);
}

// proves E-09: the answer to an escalation behind a join is taken, and goes on with what the branches ended with.
#[test]
fn an_answer_behind_a_join_goes_on_with_what_the_branches_ended_with() {
    let escalate = "  - choose: { escalate: Which approach? }\n";
    let go_on = |text| {
        move |scene: &mut Scene<'_>| {
            checked(scene);
            assert_eq!(scene.asked(), Some(Reason::PlanEscalates));
            scene.person(Choice::GoOn, text);
        }
    };
    closes(escalate, go_on(None), &BOTH);
    closes(escalate, go_on(Some("The strict one.")), &[BOTH[0], BOTH[1], "Answer: The strict one."]);
}

// proves E-10: so does the answer to a join that failed, where the person lets it pass.
#[test]
fn a_failed_join_that_is_let_pass_goes_on_with_the_answer() {
    let act = |scene: &mut Scene<'_>| {
        right(later(scene), "PROCEED", BOTH[1]);
        left(scene, "UNVERIFIED", BOTH[0]);
        assert_eq!(scene.asked(), Some(Reason::JoinFailed));
        scene.person(Choice::GoOn, Some("Good enough."));
    };
    closes("", act, &[BOTH[0], BOTH[1], "Answer: Good enough."]);
}

/// Lets the agent that was asked first be asked last.
fn later<'s, 'o>(scene: &'s mut Scene<'o>) -> &'s mut Scene<'o> {
    scene.office.desk.put_off();
    scene
}

// proves P-12: what a person says at a gate behind a join reaches whoever works next.
#[test]
fn what_is_said_at_a_gate_behind_a_join_goes_along() {
    let act = |scene: &mut Scene<'_>| {
        checked(scene);
        scene.gate_with(GateAnswer::Approve, Some("Well done."));
    };
    closes("  - look: { gate: blocking }\n", act, &[BOTH[0], BOTH[1], "Approved: Well done."]);
}

// proves S-05: what a person says to a failed join reaches the branches that are done again, with what they were given.
#[test]
fn branches_that_are_done_again_get_what_they_were_given_and_what_was_said() {
    play_text(&flow(CLOSE), GOAL, |scene| {
        planned(scene);
        let asked = left(scene, "UNVERIFIED", "Types do not hold.");
        assert!(asked.contains("Chose a ceiling of five."), "{asked}");
        scene.office.desk.forget();
        scene.person(Choice::Again, Some("Count loans, not books."));
        let asked = left(scene, "VERIFIED", BOTH[0]);
        assert!(asked.contains("Chose a ceiling of five."), "what it was given: {asked}");
        assert!(asked.contains("Answer: Count loans, not books."), "and what was said: {asked}");
        let asked = right(scene, "STOP", "A hole in src/loans.py.");
        assert!(asked.contains("Count loans, not books."), "{asked}");
        assert!(asked.contains("Chose a ceiling of five."), "{asked}");
        assert_eq!(scene.asked(), Some(Reason::JoinFailed), "{:?}", scene.reasons());
        scene.person(Choice::Again, Some("Tests too."));
        let asked = left(scene, "VERIFIED", BOTH[0]);
        assert!(asked.contains("Chose a ceiling of five."), "{asked}");
        assert!(asked.contains("Count loans, not books.") && asked.contains("Tests too."), "both: {asked}");
        right(scene, "PROCEED", BOTH[1]);
        let asked = takes(scene, "closer");
        assert!(BOTH.iter().all(|text| asked.contains(text)) && !asked.contains("A hole"), "{asked}");
    });
    play_text(&flow(CLOSE), GOAL, |scene| {
        planned(scene);
        left(scene, "UNVERIFIED", "Types do not hold.");
        scene.office.desk.forget();
        scene.person(Choice::Again, None);
        let asked = left(scene, "VERIFIED", BOTH[0]);
        assert!(asked.contains("Chose a ceiling of five."), "{asked}");
    });
}

// proves S-05: what a person answered in a branch is not asked for again when the branches are done again.
#[test]
fn an_answer_that_was_given_in_a_branch_is_given_again() {
    play_text(&flow(CLOSE), GOAL, |scene| {
        planned(scene);
        let unclear = envelope("one", "left", "UNVERIFIED", "Loans or books?", "ESCALATE");
        scene.answer("left", &unclear);
        assert_eq!(scene.asked(), Some(Reason::EscalationAsked));
        scene.person(Choice::Again, Some("Loans."));
        right(scene, "CLARIFY", "Which folder?");
        scene.person(Choice::Again, Some("src."));
        left(scene, "UNVERIFIED", "Loans are hard to count.");
        assert_eq!(scene.asked(), Some(Reason::JoinFailed));
        scene.office.desk.forget();
        scene.person(Choice::Again, None);
        scene.answer("left", &unclear.replace("2026-01-01", "2026-01-02"));
        right(scene, "CLARIFY", "Which folder?");
        assert_eq!(scene.asked(), None, "{:?}", scene.reasons());
        let asked = left(scene, "VERIFIED", BOTH[0]);
        assert!(asked.contains("Loans or books?") && asked.contains("Answer: Loans."), "{asked}");
        assert!(right(scene, "PROCEED", BOTH[1]).contains("Answer: src."));
        assert_eq!(scene.at_work(), 1);
    });
}

// proves S-05: nor does it disappear where the agent does not ask this time.
#[test]
fn an_answer_that_was_given_in_a_branch_is_told_when_it_is_done_again() {
    play_text(&flow(CLOSE), GOAL, |scene| {
        planned(scene);
        scene.answer("left", &envelope("one", "left", "UNVERIFIED", "Loans or books?", "ESCALATE"));
        scene.person(Choice::Again, Some("Loans."));
        left(later(scene), "UNVERIFIED", "Loans are hard to count.");
        scene.office.desk.forget();
        scene.person(Choice::Again, Some("Try harder."));
        let asked = left(scene, "VERIFIED", BOTH[0]);
        assert!(
            asked.contains("Chose a ceiling of five.") && asked.contains("Answer: Try harder."),
            "{asked}"
        );
        assert!(asked.contains("Loans or books?") && asked.contains("Answer: Loans."), "{asked}");
        let asked = takes(scene, "right");
        assert!(!asked.contains("Answer: Loans."), "it was not asked there: {asked}");
    });
}

// proves P-14: the handoff that branches are given again is with them, and not what they handed in the last time.
#[test]
fn who_has_a_handoff_is_told_when_branches_are_done_again() {
    let text = flow(CLOSE).replace("planner: { dialect: envelope }", "planner: { dialect: package }");
    let text = text.replace("inputs:", "keeps: [package]\ninputs:");
    play_text(&text, GOAL, |scene| {
        let package = "handoff:\n  from:\n    agent: planner\n    step: plan\n  to:\n    agent: left\n  context:\n    summary: \"A ceiling of 5 loans, in src/loans.py\"\n";
        scene.answer("planner", package);
        left(scene, "UNVERIFIED", "Types do not hold.");
        scene.go_on(0);
        let list =
            |scene: &Scene<'_>| -> String { scene.file("state/current.json").split_whitespace().collect() };
        let before = list(scene);
        assert!(before.contains(r#""from":"planner","to":"right","status":"failed""#), "{before}");
        scene.person(Choice::Again, None);
        scene.go_on(0);
        let after = list(scene);
        assert!(after.contains(r#""from":"planner","to":"right","status":"pending""#), "{after}");
        assert!(after.contains(r#""from":"left","to":"human","status":"completed""#), "{after}");
    });
}

// proves E-10: branches behind a join are given what the branches before it ended with.
#[test]
fn a_fork_behind_a_join_is_given_what_the_branches_ended_with() {
    let behind = "  - more: { parallel: [three, four], join: all-verified }
  - three: { agent: closer }
  - four: { agent: asker, give: { phase: parallel, context.feature: loans }, task: Look at it. }
";
    play_text(&flow(behind), GOAL, |scene| {
        planned(scene);
        checked(scene);
        for agent in ["closer", "asker"] {
            let asked = takes(scene, agent);
            assert!(BOTH.iter().all(|text| asked.contains(text)), "{agent}: {asked}");
        }
    });
}

// proves E-10: a branch that ends with a join of its own ends with what its branches ended with.
#[test]
fn a_join_within_a_branch_hands_on_what_its_branches_ended_with() {
    let text = flow(CLOSE)
        .replace("  - check:", "  - outer: { parallel: [beside, check], join: all-verified }\n  - beside: { agent: planner }\n  - check:");
    play_text(&text, GOAL, |scene| {
        planned(scene);
        scene.answer("planner", &envelope("beside", "planner", "VERIFIED", "Told the desk.", "CONTINUE"));
        left(scene, "VERIFIED", BOTH[0]);
        right(scene, "PROCEED", BOTH[1]);
        let asked = takes(scene, "closer");
        assert!(asked.contains("Told the desk."), "{asked}");
        assert!(BOTH.iter().all(|text| asked.contains(text)), "{asked}");
    });
}

// proves S-05: the same words are about what they were said to, in each branch, however often it is delivered.
#[test]
fn the_same_answer_in_two_branches_is_about_each_ones_own_question() {
    play_text(&flow(CLOSE), GOAL, |scene| {
        planned(scene);
        scene.answer("left", &envelope("one", "left", "UNVERIFIED", "Old loans too?", "ESCALATE"));
        scene.person(Choice::Again, Some("Yes."));
        right(scene, "CLARIFY", "Books as well?");
        scene.person(Choice::Again, Some("Yes."));
        // The first delivery to each is followed by another attempt.
        scene.answer("left", "{");
        right(scene, "PROCEED", BOTH[1]);
        let asked = left(scene, "VERIFIED", BOTH[0]);
        assert!(asked.contains("Old loans too?") && asked.contains("Answer: Yes."), "{asked}");
        assert!(!asked.contains("Books as well?"), "{asked}");
    });
}

// proves E-10: a branch that a person let pass ends with its handoff and with what was said about it.
#[test]
fn a_branch_that_was_let_pass_ends_with_its_handoff_and_the_answer() {
    let act = |scene: &mut Scene<'_>| {
        scene.answer("left", &envelope("one", "left", "VERIFIED", BOTH[0], "ESCALATE"));
        scene.person(Choice::GoOn, Some("Leave it so."));
        right(scene, "PROCEED", BOTH[1]);
    };
    closes("", act, &[BOTH[0], BOTH[1], "Answer: Leave it so."]);
}

/// Rows of the list of all handoffs, without blanks.
fn listed(scene: &Scene<'_>) -> String {
    scene.file("state/current.json").split_whitespace().collect()
}

// proves E-10: a branch that the join no longer needs asks nobody, and what a person had of it is no longer open.
#[test]
fn what_a_person_was_asked_in_a_branch_is_withdrawn_when_the_join_is_decided() {
    for (join, gate) in [("first", ""), ("any-verified", ""), ("{ quorum: 1 }", ""), ("first", "gate")] {
        let text = flow(CLOSE).replace("join: all-verified", &format!("join: {join}"));
        let text = text.replace("inputs:", "keeps: [package]\ninputs:");
        let text = match gate {
            "" => text,
            _ => {
                text.replace("one: { agent: left }", "one: { agent: left, then: look }")
                    + "  - look: { gate: blocking, then: end }\n"
            }
        };
        play_text(&text, GOAL, |scene| {
            planned(scene);
            let recommends = if gate.is_empty() { "ESCALATE" } else { "CONTINUE" };
            scene.answer("left", &envelope("one", "left", "VERIFIED", "Old loans too?", recommends));
            scene.go_on(0);
            let asked = listed(scene);
            assert!(asked.contains(r#""from":"left","to":"human","status":"pending""#), "{join}: {asked}");
            right(scene, "PROCEED", BOTH[1]);
            let pending = scene.view().pending;
            assert_eq!((pending.questions.len(), pending.gates.len()), (0, 0), "{join}");
            scene.go_on(0);
            let after = listed(scene);
            assert!(after.contains(r#""from":"left","to":"human","status":"failed""#), "{join}: {after}");
            assert!(takes(scene, "closer").contains(BOTH[1]));
        });
    }
}
