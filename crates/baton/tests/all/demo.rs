//! The demonstration, whole: all six flows in the real program, with a kill in between.

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

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

/// The runs of the flows, each with what it is given.
const FLOWS: [(&str, &str); 6] = [
    ("relay", "topic=loans"),
    ("microloop", "goal=limit loans"),
    ("orchestrate", "feature=tokens"),
    ("agency", "wish=a site"),
    ("issue-to-pr", "issue=limit loans"),
    ("babel", "goal=a search"),
];

// proves S-04: whenever its process is killed, every flow goes on; nothing counts twice, and the record holds.
#[test]
fn every_flow_goes_on_however_often_its_process_is_killed() {
    const KILLS: u64 = 4;
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["demo", "--fast", "--folder", "stage"]).code, 0);
    let stage = sandbox.path("stage");
    let baton = |arguments: &[&str]| {
        let mut command = sandbox.command("stage", arguments);
        command.env("BATON_GATE_KEY", "anybody of them");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    };
    // Whose answers count does not matter here, and the key of the demonstration is gone.
    sandbox.write("stage/baton.toml", "");
    for (flow, input) in FLOWS {
        // The scripts are played from the beginning.
        for file in std::fs::read_dir(stage.join("agents").join(flow)).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "calls") {
                std::fs::remove_file(path).unwrap();
            }
        }
        let run = format!("{flow}-2");
        let mut child = baton(&["run", flow, "--input", input]).spawn().unwrap();
        // Before it has begun there is nothing to go on with.
        while !baton(&["show", &run]).status().unwrap().success() {
            sleep(Duration::from_millis(5));
        }
        for kill in 0..KILLS {
            // Each time a little later than the last, wherever that may be.
            sleep(Duration::from_millis(20 + 35 * kill));
            let _ = child.kill();
            child.wait().unwrap();
            child = baton(&["resume", &run]).spawn().unwrap();
        }
        child.wait().unwrap();
        for _ in 0..10 {
            let shown = baton(&["show", &run, "--json"]).output().unwrap();
            let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
            if shown["state"] == "over" {
                break;
            }
            let gates = baton(&["gate", "list", "--json"]).output().unwrap();
            let gates: Value = serde_json::from_slice(&gates.stdout).unwrap();
            for gate in gates["gates"].as_array().unwrap().iter().filter(|gate| gate["run"] == run.as_str()) {
                let id = gate["id"].as_str().unwrap();
                assert!(baton(&["gate", "approve", id]).status().unwrap().success(), "{id}");
            }
            baton(&["resume", &run]).status().unwrap();
        }
        let log = baton(&["log", &run, "--json"]).output().unwrap();
        let log = String::from_utf8(log.stdout).unwrap();
        let entries: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let mut keys: Vec<String> = entries
            .iter()
            .filter(|entry| entry["kind"] == "answered")
            .map(|entry| entry["event"]["key"].to_string())
            .collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert!(count > 0 && count == keys.len(), "{run}: no delivery counts twice\n{log}");
        let awaits_nobody = entries.iter().any(|entry| entry["kind"] == "run_ended");
        let asks = entries.iter().any(|entry| entry["kind"] == "person_asked");
        assert!(awaits_nobody || asks, "{run} is over, or says whom it waits for\n{log}");
    }
    assert!(baton(&["log", "--verify"]).status().unwrap().success());
}
