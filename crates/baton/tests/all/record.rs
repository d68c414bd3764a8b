//! What the faces show of the record: what people said, which check failed, which figure is whose.

use serde_json::Value;

use crate::office::Office;

const KEY: (&str, &str) = ("BATON_GATE_KEY", "nora's passphrase");

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_people_say_is_shown_wherever_their_answer_is() {
    // proves S-02
    let office = Office::with(
        "  - write: ada\n  - ok: {gate: blocking, on-reject: write}\n  - colour: {escalate: \"Which colour?\"}\n",
    );
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let long = format!("page 2 is wrong\nand {}", "so on ".repeat(200));
    assert_eq!(office.run_with(&["gate", "reject", "article-1", "--because", &long], &[KEY]).code, 0);
    assert_eq!(office.run(&["resume"]).code, 0);
    assert_eq!(office.run_with(&["gate", "approve", "article-1"], &[KEY]).code, 0);
    assert_eq!(office.run(&["resume"]).code, 0);
    // Put together here, so that no file of the repository holds it.
    let token = ["gh", "p_", "k3J9x2Lm8QpW5rT1vB7nYc4Zd6Hf0GsAeUiO"].concat();
    assert_eq!(office.run(&["clarify", "article-1", &format!("blue, by {token}")]).code, 0);
    assert_eq!(office.run(&["resume"]).code, 0);
    let log = office.run(&["log", "article-1"]).stdout;
    let rejected = log.lines().find(|line| line.contains("rejects gate")).unwrap();
    assert!(rejected.contains(" – “page 2 is wrong and so on"), "{rejected}");
    assert!(rejected.ends_with("…”") && rejected.chars().count() < 400, "{rejected}");
    assert!(log.contains("says: go on – “blue, by ") && !log.contains(&token), "{log}");
    let json = lines(&office.run(&["log", "article-1", "--json"]).stdout);
    let why = |kind: &str| {
        let all = json.iter().filter(|line| line["kind"] == kind);
        all.map(|line| line["why"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let gates = why("gate_answered");
    assert!(gates[0].as_ref().unwrap().starts_with("“page 2 is wrong") && gates[1].is_none(), "{gates:?}");
    assert!(why("person_answered")[0].as_ref().unwrap().starts_with("“blue, by "));
    let shown = office.run(&["show", "article-1"]).stdout;
    for said in ["nora rejects gate article-1/ok – “page 2 is wrong", "nora says: go on – “blue"] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let told = &office.run(&["show", "article-1", "--json"]).json()["people"];
    assert!(told[0]["why"].as_str().unwrap().starts_with("“page 2 is wrong"), "{told}");
    assert_eq!((&told[0]["who"], &told[1]["why"]), (&"nora".into(), &Value::Null), "{told}");
}

#[test]
fn a_gate_whose_check_failed_says_which() {
    // proves P-12
    let office = Office::with(
        "  - write: ada\n  - ready: {gate: auto, checks: [\"handoff.status == 'VERIFIED'\", \"handoff.status == 'BLOCKED'\"]}\n",
    );
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let shown = office.run(&["gate", "show", "article-1"]);
    assert!(shown.stdout.contains("✘ does not hold: handoff.status == 'BLOCKED'"), "{}", shown.stdout);
    assert!(shown.stdout.contains("✔ holds: handoff.status == 'VERIFIED'"), "{}", shown.stdout);
    let checks = &office.run(&["gate", "show", "article-1", "--json"]).json()["checks"];
    assert_eq!(checks[1]["holds"], false, "{checks}");
    assert_eq!(checks[1]["check"], "handoff.status == 'BLOCKED'", "{checks}");
}

const RESEARCH: &str = "\
flow: article
agents:
  ada: {dialect: exchange, run: [sh, play.sh, ada]}
steps:
  - research: {agent: ada, task: Look at it.}
  - write: {agent: ada, task: Write it.}
";

const RESEARCHED: &str = r#""recommendations": ["Use jose in src/a.ts"]"#;
const WRITTEN: &str = r#""files_created": [], "implementation_notes": ["Keys come from the environment"]"#;

fn response(phase: &str, findings: &str, tokens: &str) -> String {
    format!(
        r#"{{"task_id": "article-1", "phase": "{phase}", "status": "complete", "decision": "PROCEED",
 "findings": {{{findings}}},
 "context_summary": "The file src/a.ts signs tokens with jose and nothing else does", {tokens}"issues": []}}"#
    )
}

#[test]
fn what_an_agent_claims_and_what_baton_counts_are_two_figures() {
    // proves X-11
    let answers = [
        ("ada-1", response("research", RESEARCHED, "\"tokens_used\": 1, ")),
        ("ada-2", response("write", WRITTEN, "")),
    ];
    let answers = answers.each_ref().map(|(name, text)| (*name, text.as_str()));
    for caps in ["", "caps: {tokens: 100000}\n"] {
        let office = Office::playing(&format!("{RESEARCH}{caps}"), &answers);
        let ran = office.run(&["run", "article"]);
        assert!(ran.stdout.contains("ends article-1: done"), "{}{}", ran.stdout, ran.stderr);
        let stats = office.run(&["stats", "article-1", "--json"]).json();
        assert_eq!(stats["handoffs"][0]["tokens_used"], 1, "{caps}");
        assert_eq!(stats["handoffs"][1]["tokens_used"], Value::Null, "{caps}");
        assert_eq!(stats["tokens_used"], 1, "{caps}");
        let (given, written) = (&stats["input_tokens"], &stats["output_tokens"]);
        let shown = office.run(&["show", "article-1"]).stdout;
        let figures = format!("2 handoffs, {given} tokens given, {written} written, 1 claimed");
        assert!(shown.contains(&figures), "{figures}: {shown}");
        let json = office.run(&["show", "article-1", "--json"]).json();
        assert_eq!((&json["input_tokens"], &json["output_tokens"]), (given, written));
    }
    let office = Office::with("  - write: ada\n");
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let runs = office.run(&["runs", "--all", "--json"]).json();
    assert_eq!(runs["runs"][0]["tokens"], Value::Null, "nobody said, and nobody counted");
    assert_eq!(office.run(&["stats", "--json"]).json()["runs"][0]["tokens_used"], Value::Null);
}

#[test]
fn a_run_has_as_many_handoffs_wherever_they_are_counted() {
    let office = Office::with("  - write: ada\n  - review: ben\ncaps: {retries: 0}\n");
    office.sandbox.write("broken-ben", "");
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let stats = office.run(&["stats", "article-1"]).stdout;
    assert!(stats.contains(", 2 handoffs, "), "{stats}");
    let shown = office.run(&["show", "article-1"]).stdout;
    assert!(shown.contains("flow article, 2 handoffs, "), "{shown}");
    assert_eq!(office.run(&["runs", "--json"]).json()["runs"][0]["handoffs"], 2, "what Baton wrote is one");
    let row = office.run(&["runs"]).stdout;
    assert!(row.lines().nth(1).unwrap().contains(" 2 "), "{row}");
}

#[test]
fn an_acknowledgement_that_nobody_has_taken_is_said_to_lie_there() {
    // proves P-10
    let office = Office::with("  - file: cleo\n");
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("starts article-1: flow article, 1 step\n"), "{}", ran.stdout);
    let inbox = office.run(&["inbox", "cleo", "--json"]).json();
    let id = inbox["inbox"][0]["id"].as_str().unwrap().to_owned();
    let accepted = office.run(&["ack", &id, "--accept"]);
    assert_eq!(accepted.code, 0, "{}", accepted.stderr);
    assert_eq!(accepted.stdout, format!("handed in for {id}: accepted\n"));
    assert!(accepted.stderr.contains("nobody drives article-1 now"), "{}", accepted.stderr);
    for args in [["show", "article-1"].as_slice(), &["runs"]] {
        let said = office.run(args).stdout;
        assert!(!said.contains("has an answer"), "{args:?}: {said}");
        assert!(said.contains("waits: cleo is awaited; what was handed in lies there"), "{args:?}: {said}");
    }
    assert_eq!(office.run(&["ack", &id, "--start"]).code, 0);
    let twice = office.run(&["ack", &id, "--start"]);
    assert_eq!((twice.code, twice.stdout.as_str()), (3, ""), "{}", twice.stderr);
    assert_eq!(office.run(&["resume"]).code, 0);
    let late = office.run(&["ack", &id, "--start"]);
    assert_eq!((late.code, late.stdout.as_str()), (3, ""), "it is recorded once: {}", late.stderr);
}
