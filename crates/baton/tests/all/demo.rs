//! The demonstration, whole: all six flows in the real program, with a kill in between.

use crate::sandbox::Sandbox;

// proves S-03: each of the five systems runs as a flow, and so does one of all dialects.
#[test]
fn the_demonstration_runs_all_flows_to_a_good_end() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["demo", "--fast", "--folder", "stage"]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    let shown = [
        "from build to the detour research – the same failure came twice in a row",
        "from build to publish – the rounds of the loop are used up",
        "baton       does not take the answer – ",
        "killed with SIGKILL",
        "passes gate agency-1/read-along unanswered",
        "a scripted person answers approve, with a key that was made for this and is thrown away",
        "you             approves gate agency-1/approve-design",
        "gate agency-1/ready: its checks do not hold",
        "ends babel-1: done",
        "Nothing speaks against the record.",
    ];
    for line in shown {
        assert!(ran.stdout.contains(line), "{line}\n{}", ran.stdout);
    }
    // proves S-04: what was under way when the process was killed is begun again, as a recorded decision.
    assert!(ran.stdout.contains("sent again after a crash"), "{}", ran.stdout);
    for run in ["relay-1", "microloop-1", "orchestrate-1", "agency-1", "issue-to-pr-1", "babel-1"] {
        assert!(ran.stdout.contains(&format!("ends {run}: done")), "{run}\n{}", ran.stdout);
    }
    let again = sandbox.run(&["demo", "--folder", "stage"]);
    assert_eq!(again.code, 3, "{}", again.stderr);
    assert!(again.stderr.contains("has something in it"), "{}", again.stderr);
}
