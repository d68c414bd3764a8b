//! What branches end with: their own handoffs, what Baton says where there is none, and what is checked behind joins.

use baton_courier::{Cause, Failure, What as Says};
use baton_kernel::{Choice, Reason};

use super::{RUN, Scene, given, play_text};

const GOAL: (&str, &str) = ("goal", "Limit loans to five.");
const PLAN: &str = "Chose a ceiling of five.";
const LEFT: &str = "Types hold in src/loans.py.";
const RIGHT: &str = "No holes in src/loans.py.";

/// A flow with two branches, a rule that joins them, and what follows.
fn flow(join: &str, behind: &str) -> String {
    format!(
        "flow: forked
inputs: {{ goal: null }}
agents:
  planner: {{ dialect: envelope }}
  left: {{ dialect: envelope }}
  right: {{ dialect: envelope }}
  closer: {{ dialect: envelope }}
caps: {{ retries: 0 }}
steps:
  - plan: planner
  - check: {{ parallel: [one, two], join: {join} }}
  - one: left
  - two: right
{behind}"
    )
}

const CLOSE: &str = "  - close: closer\n";
const ALL: &str = "{ if: \"branches.all(b, b.status == 'VERIFIED')\" }";
const ANY: &str = "{ if: \"branches.exists(b, b.status == 'VERIFIED')\" }";

pub(super) fn answers(scene: &mut Scene<'_>, step: &str, agent: &str, status: &str, did: &str) -> String {
    let text = format!(
        r#"{{"meta":{{"step_id":"{step}","flow_key":"forked","agent_key":"{agent}","timestamp":"2026-01-01T00:00:00Z"}},"status":"{status}","summary":{{"what_i_did":"{did}","what_i_found":"Old loans stay.","key_decisions":[],"evidence":{{"artifacts_produced":["src/loans.py"],"commands_run":["pytest"],"measurements":{{}}}}}},"concerns":[],"assumptions":[],"routing":{{"recommendation":"CONTINUE","reason":"see above"}}}}"#
    );
    given(&scene.answer(agent, &text))
}

pub(super) fn planned(scene: &mut Scene<'_>) {
    answers(scene, "plan", "planner", "VERIFIED", PLAN);
}

/// The agent crashes, and is given up.
fn crashes(scene: &mut Scene<'_>, agent: &str) {
    scene.says(agent, Says::Failure(Failure::new(Cause::Impossible, "it crashed")));
}

/// What the agent that was asked is given, which a replay gives too.
pub(super) fn takes(scene: &mut Scene<'_>, agent: &str) -> String {
    assert!(scene.at_work() > 0, "nobody is asked; {:?}", scene.reasons());
    let (delivery, _) = scene.office.desk.next();
    assert_eq!(delivery.receiver, agent, "{:?}", scene.reasons());
    let view = scene.view();
    let (checker, agents) = (scene.office.checker, &scene.office.agents);
    let root = scene.root.path();
    let replayed = view.parcel(checker, agents, root, &view.pending.deliveries[0], scene.now);
    let (replayed, prompt) = replayed.expect("it can be made");
    assert_eq!(replayed, delivery.handoff, "{RUN}: a replay gives the same");
    assert_eq!(prompt, delivery.prompt, "{RUN}: and tells the same");
    given(&delivery)
}

/// What the open gate shows.
fn shown(scene: &Scene<'_>) -> String {
    let view = scene.view();
    let shown = view.pending.gates.first().and_then(|gate| gate.shown).expect("a gate shows something");
    String::from_utf8(view.text(shown).expect("what is shown is there")).expect("it is text")
}

// proves E-10: an expression sees what each branch ended with, which is not what it was given.
#[test]
fn branches_whose_agents_crashed_pass_no_expression() {
    play_text(&flow(ALL, CLOSE), GOAL, |scene| {
        planned(scene);
        crashes(scene, "left");
        crashes(scene, "right");
        assert_eq!(scene.asked(), Some(Reason::JoinFailed), "{:?}", scene.reasons());
    });
    play_text(&flow(ANY, CLOSE), GOAL, |scene| {
        planned(scene);
        crashes(scene, "left");
        answers(scene, "two", "right", "VERIFIED", RIGHT);
        let asked = takes(scene, "closer");
        assert!(asked.contains(RIGHT) && asked.contains("Written by Baton, not by left"), "{asked}");
        assert!(!asked.contains(PLAN), "{asked}");
    });
}

// proves E-10, E-06: what follows a failed join gets Baton's own handoff for a branch that gave none.
#[test]
fn what_follows_a_join_gets_what_baton_wrote_for_a_branch_that_gave_nothing() {
    let behind = "  - close: { agent: closer, then: end }\n  - mend: planner\n";
    let text = flow("all-must-pass, on-fail: mend", behind);
    play_text(&text, GOAL, |scene| {
        planned(scene);
        answers(scene, "one", "left", "VERIFIED", LEFT);
        crashes(scene, "right");
        let asked = takes(scene, "planner");
        assert!(asked.contains(LEFT) && !asked.contains(PLAN), "{asked}");
        assert!(asked.contains("Written by Baton, not by right") && asked.contains("BLOCKED"), "{asked}");
    });
}

// proves P-12: a gate behind a join shows what Baton wrote in the place of a branch, and never what that was given.
#[test]
fn a_gate_behind_a_join_shows_no_branch_as_what_it_was_given() {
    let text = flow("any-verified", &format!("  - look: {{ gate: blocking }}\n{CLOSE}"));
    play_text(&text, GOAL, |scene| {
        planned(scene);
        crashes(scene, "left");
        answers(scene, "two", "right", "VERIFIED", RIGHT);
        let shown = shown(scene);
        assert!(shown.contains("Written by Baton, not by left") && shown.contains(RIGHT), "{shown}");
        assert!(!shown.contains(PLAN), "{shown}");
    });
}

// proves E-10: nor is a branch that a cap kept from its work represented by what it was given.
#[test]
fn a_branch_that_never_started_passes_nothing() {
    for (handoffs, join) in [(1, ALL), (2, ALL), (1, ANY)] {
        let text = flow(join, CLOSE).replace("retries: 0", &format!("handoffs: {handoffs}"));
        play_text(&text, GOAL, |scene| {
            planned(scene);
            if handoffs == 2 {
                answers(scene, "one", "left", "VERIFIED", LEFT);
            }
            assert_eq!(scene.asked(), Some(Reason::JoinFailed), "{join}: {:?}", scene.reasons());
        });
    }
    let text = flow("any-verified", &format!("  - look: {{ gate: blocking }}\n{CLOSE}"));
    play_text(&text.replace("retries: 0", "handoffs: 2"), GOAL, |scene| {
        planned(scene);
        answers(scene, "one", "left", "VERIFIED", LEFT);
        let shown = shown(scene);
        let why = "the step two has no handoff, because the run has used up its handoffs";
        assert!(shown.contains(LEFT) && shown.contains(why) && !shown.contains(PLAN), "{shown}");
    });
}

// proves E-10: work that was stopped half-way goes along with why it was, and counts as blocked.
#[test]
fn a_branch_that_was_stopped_half_way_hands_on_its_work_and_why() {
    let behind = "  - three: { agent: planner, then: end }\n  - close: closer\n";
    let text = |join| {
        let text = flow(join, behind).replace("one: left", "one: { agent: left, then: three, visits: 1 }");
        text.replace("join:", "then: close, join:").replace("retries: 0", "handoffs: 3")
    };
    play_text(&text(ALL), GOAL, |scene| {
        planned(scene);
        answers(scene, "one", "left", "VERIFIED", LEFT);
        answers(scene, "two", "right", "VERIFIED", RIGHT);
        assert_eq!(scene.asked(), Some(Reason::JoinFailed), "{:?}", scene.reasons());
    });
    play_text(&text(ANY).replace("handoffs: 3", "pair: 1"), GOAL, |scene| {
        planned(scene);
        // What went from the planner to the left may not come back.
        answers(scene, "one", "left", "VERIFIED", LEFT);
        answers(scene, "two", "right", "VERIFIED", RIGHT);
        let asked = takes(scene, "closer");
        assert!(asked.contains(LEFT) && asked.contains(RIGHT) && !asked.contains(PLAN), "{asked}");
        assert!(asked.contains("Stopped: Written by Baton: nothing follows the step one"), "{asked}");
    });
}

// proves E-10: what a person says to branches that gave nothing goes along with what is known of each of them.
#[test]
fn branches_that_gave_nothing_and_are_let_pass_are_told_with_the_answer() {
    play_text(&flow("all-verified", CLOSE), GOAL, |scene| {
        planned(scene);
        answers(scene, "one", "left", "VERIFIED", LEFT);
        crashes(scene, "right");
        scene.person(Choice::GoOn, Some("The types are enough."));
        let asked = takes(scene, "closer");
        for part in [LEFT, "Written by Baton, not by right", "Answer: The types are enough."] {
            assert!(asked.contains(part), "{part} is not in {asked}");
        }
        assert!(!asked.contains(PLAN), "{asked}");
    });
}

// proves P-12: the checks of a gate hold only if they hold for all that it shows.
#[test]
fn an_automatic_gate_behind_a_join_checks_every_handoff() {
    let gate = "  - look: { gate: auto, checks: [\"handoff.status == 'VERIFIED'\"] }\n";
    let text = flow("all-complete", &format!("{gate}{CLOSE}"));
    for (left, right) in [("VERIFIED", "UNVERIFIED"), ("UNVERIFIED", "VERIFIED"), ("VERIFIED", "VERIFIED")] {
        play_text(&text, GOAL, |scene| {
            planned(scene);
            answers(scene, "one", "left", left, LEFT);
            answers(scene, "two", "right", right, RIGHT);
            let holds = left == right;
            assert_eq!(scene.view().pending.gates.is_empty(), holds, "{left}, {right}");
            assert_eq!(scene.at_work(), usize::from(holds), "{left}, {right}");
        });
    }
    play_text(&flow("any-verified", &format!("{gate}{CLOSE}")), GOAL, |scene| {
        planned(scene);
        crashes(scene, "left");
        answers(scene, "two", "right", "VERIFIED", RIGHT);
        assert_eq!(scene.view().pending.gates.len(), 1, "{:?}", scene.reasons());
    });
}

// proves P-12: also where a person has said something about them.
#[test]
fn an_automatic_gate_behind_an_answer_checks_all_that_it_is_about() {
    let gate = "  - look: { gate: auto, checks: [\"handoff.status == 'VERIFIED'\"] }\n";
    play_text(&flow("all-verified", &format!("{gate}{CLOSE}")), GOAL, |scene| {
        planned(scene);
        answers(scene, "one", "left", "VERIFIED", LEFT);
        answers(scene, "two", "right", "UNVERIFIED", RIGHT);
        scene.person(Choice::GoOn, Some("Good enough."));
        assert_eq!(scene.view().pending.gates.len(), 1, "{:?}", scene.reasons());
    });
}
