//! Steps whose agents give no handoff: the one that Baton writes itself is shown, listed and kept like any other.

use crate::office::Office;

const KEPT: &str = ".runs/article-1/article/handoffs/write-ada.json";

/// A flow of one step whose agent plays what lies in `answers`.
fn flow(step: &str) -> String {
    format!(
        "flow: article\nagents:\n  ada: {{dialect: envelope, run: [sh, play.sh, ada]}}\nsteps:\n  - write: {step}\nkeeps: [envelope, package]\n"
    )
}

#[test]
fn a_step_without_a_handoff_of_its_agent_has_one_that_is_shown_and_kept() {
    let office = Office::playing(&flow("ada"), &[("ada-1", "I am done, I think.")]);
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    // proves E-06: it is told, numbered, shown and marked as Baton's own.
    assert!(ran.stdout.contains("writes article-1/1 in the place of ada: blocked"), "{}", ran.stdout);
    let shown = office.run(&["show", "article-1"]).stdout;
    assert!(shown.contains("● write") && shown.contains("article-1/1 says why"), "{shown}");
    let handoff = office.run(&["show", "article-1/1"]);
    assert_eq!(handoff.code, 0, "{}", handoff.stderr);
    assert!(
        handoff.stdout.starts_with("article-1/1  baton, for ada → a person, envelope"),
        "{}",
        handoff.stdout
    );
    assert!(handoff.stdout.contains("Written by Baton, not by ada"), "{}", handoff.stdout);
    let object = office.run(&["show", "HO-001", "--json"]).json();
    assert_eq!((&object["id"], &object["by_baton"]), (&"article-1/1".into(), &true.into()));
    // proves E-05: it lies at the place of the step, and is an envelope without an error.
    assert!(office.sandbox.read(KEPT).contains("Written by Baton, not by ada"));
    let checked = office.run(&["check", KEPT]);
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    assert_eq!(office.run(&["verify", "article-1/1"]).code, 3, "it has no evidence");
    let stats = office.run(&["stats", "article-1", "--json"]).json();
    assert_eq!(stats["handoffs"][0]["by_baton"], true);
    assert_eq!(stats["output_tokens"], 0, "no agent wrote it");

    assert_eq!(office.run(&["cancel", "article-1"]).code, 0);
    let shown = office.run(&["show", "article-1"]).stdout;
    assert!(shown.contains("✘ write") && shown.contains("given up: article-1/1 says why"), "{shown}");
    let object = office.run(&["show", "article-1", "--json"]).json();
    assert_eq!(object["given_up"], serde_json::json!([{ "step": "write", "handoff": "article-1/1" }]));
}

#[test]
fn a_step_whose_time_is_over_has_a_handoff_when_the_run_halts() {
    let office = Office::playing(&flow("{agent: ada, time: 200ms, on-time: stop}"), &[]);
    office.sandbox.write("play.sh", "exec sleep 60\n");
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let shown = office.run(&["show", "article-1"]).stdout;
    // proves E-06
    assert!(shown.contains("✘ write") && shown.contains("given up: article-1/1 says why"), "{shown}");
    let kept = office.sandbox.read(KEPT);
    assert!(kept.contains("the answer did not come in time") && kept.contains("BLOCKED"), "{kept}");
    assert!(office.sandbox.read("state/current.json").contains("failed"));
}

#[test]
fn what_the_agent_hands_over_after_all_is_shown_behind_it() {
    let office = Office::playing(&flow("ada"), &[("ada-1", "I am done, I think.")]);
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let envelope = office.sandbox.read(KEPT).replace("BLOCKED", "VERIFIED").replace("ESCALATE", "CONTINUE");
    let envelope = envelope.replace("Written by Baton, not by ada", "Limited loans in src/loans.py");
    office.sandbox.write("answers/ada-5", envelope);
    let dead = office.run(&["dead", "--json"]).json();
    let id = dead["dead"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(office.run(&["retry", &id]).code, 0);
    let shown = office.run(&["show", "article-1"]).stdout;
    assert!(shown.contains("✔ write") && !shown.contains('✘'), "{shown}");
    assert_eq!(office.run(&["show", "article-1/1", "--json"]).json()["by_baton"], true);
    // proves E-06: numbers stay, and the agent's own handoff is the next one.
    assert_eq!(office.run(&["show", "article-1/2", "--json"]).json()["by_baton"], false);
    assert!(office.sandbox.read(KEPT).contains("Limited loans"));
    assert!(office.sandbox.read(&KEPT.replace(".json", ".r1.json")).contains("Written by Baton"));
}
