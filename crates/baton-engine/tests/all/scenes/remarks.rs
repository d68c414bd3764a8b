//! What people say at gates around branches: whom it reaches, and whom it does not.

use baton_kernel::{Choice, GateAnswer, Reason};

use super::{Scene, ends, play_text};

const GOAL: (&str, &str) = ("goal", "Limit loans to five.");
const FLOW: &str = "flow: forked
inputs: { goal: null }
agents:
  planner: { dialect: envelope }
  left: { dialect: envelope }
  right: { dialect: envelope }
  closer: { dialect: envelope }
steps:
  - plan: planner
  - ok: { gate: blocking }
  - check: { parallel: [one, two], join: all-verified, then: close }
  - one: { agent: left, then: look }
  - look: { gate: blocking, then: end }
  - two: right
  - close: closer
";

fn planned(scene: &mut Scene<'_>) {
    ends::planned(scene);
    scene.gate_with(GateAnswer::Approve, Some("Mind the colour."));
}

// proves P-12: what is said at a gate before a fork reaches the first who works in each branch, and nobody else.
#[test]
fn what_is_said_before_a_fork_reaches_every_branch_and_stays_there() {
    play_text(FLOW, GOAL, |scene| {
        planned(scene);
        for (step, agent) in [("one", "left"), ("two", "right")] {
            let asked = ends::answers(scene, step, agent, "VERIFIED", "Did it in src/loans.py.");
            assert!(asked.contains("Approved: Mind the colour."), "{agent}: {asked}");
        }
        scene.gate(GateAnswer::Approve);
        let asked = ends::takes(scene, "closer");
        assert!(!asked.contains("Mind the colour."), "{asked}");
    });
}

// proves P-12: what is said at a gate at the end of a branch goes along with what follows the join.
#[test]
fn what_is_said_at_the_end_of_a_branch_goes_on_behind_the_join() {
    for is_last in [true, false] {
        play_text(FLOW, GOAL, |scene| {
            planned(scene);
            ends::answers(scene, "one", "left", "VERIFIED", "Types hold in src/loans.py.");
            if is_last {
                ends::answers(scene, "two", "right", "VERIFIED", "No holes in src/loans.py.");
            }
            scene.gate_with(GateAnswer::Approve, Some("Only for books."));
            if !is_last {
                ends::answers(scene, "two", "right", "VERIFIED", "No holes in src/loans.py.");
            }
            let asked = ends::takes(scene, "closer");
            let said = "Approved at the gate look, about the step one: Only for books.";
            assert!(asked.contains(said), "{asked}");
            assert!(!asked.contains("Mind the colour."), "{asked}");
        });
    }
}

// proves P-12, S-05: branches that are done again are told what was said before them, and their gates are answered anew.
#[test]
fn branches_that_are_done_again_are_told_what_was_said_before_them() {
    play_text(FLOW, GOAL, |scene| {
        planned(scene);
        ends::answers(scene, "one", "left", "VERIFIED", "Types hold in src/loans.py.");
        scene.gate_with(GateAnswer::Approve, Some("Only for books."));
        ends::answers(scene, "two", "right", "UNVERIFIED", "A hole in src/loans.py.");
        assert_eq!(scene.asked(), Some(Reason::JoinFailed));
        scene.person(Choice::Again, None);
        for (step, agent) in [("one", "left"), ("two", "right")] {
            let asked = ends::answers(scene, step, agent, "VERIFIED", "Did it in src/loans.py.");
            assert!(asked.contains("Approved: Mind the colour."), "{agent}: {asked}");
            assert!(!asked.contains("Only for books."), "{agent}: {asked}");
        }
        scene.gate(GateAnswer::Approve);
        assert!(!ends::takes(scene, "closer").contains("Only for books."));
    });
}

// proves P-12: what is said at each of two gates in a row reaches whoever works behind them.
#[test]
fn what_is_said_at_two_gates_in_a_row_is_told() {
    let text = FLOW.replace("  - ok:", "  - first: { gate: blocking }\n  - ok:");
    play_text(&text, GOAL, |scene| {
        ends::planned(scene);
        scene.gate_with(GateAnswer::Approve, Some("Mind the shape."));
        scene.gate_with(GateAnswer::Approve, Some("Mind the colour."));
        let asked = ends::takes(scene, "left");
        assert!(asked.contains("Mind the shape.") && asked.contains("Mind the colour."), "{asked}");
    });
}
