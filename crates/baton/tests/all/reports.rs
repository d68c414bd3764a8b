//! The reports of the real program.

use crate::sandbox::{Sandbox, envelope};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_manifest();
    sandbox.write("a.json", envelope("one", "DONE"));
    sandbox.write("a.txt", "");
    sandbox
}

#[test]
fn text_is_plain_when_it_is_not_read_on_a_terminal() {
    // proves A-03
    let ran = sandbox().run(&["check"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert!(!ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
    assert!(ran.stdout.contains(" --> a.json:2:12\n"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("in 2 files (2 handoffs checked)\n"), "{}", ran.stdout);
}

#[test]
fn json_keeps_the_contract() {
    // proves A-03
    let ran = sandbox().run(&["check", "--format", "json"]);
    let report = ran.json();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&report), ["version", "files", "failures", "summary"]);
    assert_eq!(keys(&report["files"][0]), ["path", "handoffs", "findings"]);
    assert_eq!(keys(&report["files"][0]["handoffs"][0]), ["dialect", "kind", "span"]);
    let findings = report["files"][0]["findings"].as_array().unwrap();
    let finding = findings.iter().find(|one| one["level"] == "error").unwrap();
    let expected =
        ["rule", "level", "message", "found", "expected", "help", "handoff", "span", "related", "fix"];
    assert_eq!(keys(finding), expected);
    assert_eq!(
        finding["span"],
        serde_json::json!({"start": {"line": 2, "column": 12, "offset": 121}, "end": {"line": 2, "column": 18, "offset": 127}})
    );
    assert_eq!(finding["handoff"], 0);
    assert_eq!(report["summary"]["files"], 2);
    assert_eq!(report["summary"]["handoffs"], 2);
}

#[test]
fn json_lines_end_with_the_summary() {
    // proves A-03
    let ran = sandbox().run(&["check", "--format", "jsonl"]);
    let lines: Vec<serde_json::Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, findings) = lines.split_last().unwrap();
    assert!(findings.iter().all(|finding| finding["path"] == "a.json"), "{}", ran.stdout);
    assert_eq!(last["files"], 2);
    assert_eq!(last["errors"], 1);
}

#[test]
fn sarif_of_a_real_run_is_valid() {
    // proves A-03
    let schema = include_str!("../../../baton-document/tests/data/sarif-2.1.0.schema.json");
    let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let sandbox = sandbox();
    sandbox.link("nowhere", "über b.json");
    let ran = sandbox.run(&["check", "--format", "sarif"]);
    let faults: Vec<String> = validator.iter_errors(&ran.json()).map(|fault| fault.to_string()).collect();
    assert_eq!(faults, Vec::<String>::new());
    assert!(ran.stdout.contains("%C3%BCber%20b.json"), "{}", ran.stdout);
}

#[test]
fn github_and_junit_say_the_same() {
    // proves A-03
    let github = sandbox().run(&["check", "--format", "github"]);
    let start =
        "::error file=a.json,line=2,col=12,endLine=2,endColumn=18,title=envelope/envelope/status-enum::";
    assert!(github.stdout.contains(start), "{}", github.stdout);
    let junit = sandbox().run(&["check", "--format", "junit"]);
    assert!(junit.stdout.contains("<testsuite name=\"a.json\""), "{}", junit.stdout);
    assert!(junit.stdout.ends_with("</testsuites>\n"), "{}", junit.stdout);
}
