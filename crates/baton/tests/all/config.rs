//! `baton.toml`: levels, exclusions, prose, dialects, and what is wrong with it.

use crate::sandbox::{MANIFEST, Sandbox, envelope};

fn broken() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.json", envelope("one", "DONE"));
    sandbox.write("old/b.json", envelope("two", "DONE"));
    sandbox
}

const STATUS: &str = "envelope/envelope/status-enum";

#[test]
fn a_level_is_set_for_all_files_or_for_some() {
    // proves A-04
    let sandbox = broken();
    assert_eq!(sandbox.run(&["check"]).code, 1);
    sandbox.write(
        "baton.toml",
        format!("[rules]\n\"{STATUS}\" = \"warning\"\n[[paths]]\npaths = [\"old/**\"]\nrules = {{ \"{STATUS}\" = \"off\" }}\n"),
    );
    let ran = sandbox.run(&["check", "--json"]);
    let report = ran.json();
    let levels: Vec<_> = report["files"].as_array().unwrap().iter().map(|file| &file["findings"]).collect();
    let of_status = |at: usize| levels[at].as_array().unwrap().iter().find(|one| one["rule"] == STATUS);
    assert_eq!(of_status(0).unwrap()["level"], "warning");
    assert_eq!(of_status(1), None);
    assert_eq!(ran.code, 0);
    assert_eq!(sandbox.run(&["check", "--strict"]).code, 1);
}

#[test]
fn strict_lets_warnings_block_from_the_command_line_or_the_settings() {
    // proves A-04
    let sandbox = Sandbox::new();
    sandbox.write("meta/handoff.yaml", MANIFEST);
    let usual = sandbox.run(&["check", "--json"]);
    assert_eq!((usual.code, &usual.json()["summary"]["warnings"]), (0, &serde_json::json!(1)));
    assert_eq!(sandbox.run(&["check", "--strict"]).code, 1);
    sandbox.write("baton.toml", "[check]\nstrict = true\n");
    assert_eq!(sandbox.run(&["check"]).code, 1);
}

#[test]
fn excluded_files_are_passed_over_unless_they_are_named() {
    let sandbox = broken();
    sandbox.write("baton.toml", "[check]\nexclude = [\"old/**\", \"*.yaml\"]\n");
    sandbox.write("b.yaml", MANIFEST);
    sandbox.write("deep/c.yaml", MANIFEST);
    assert_eq!(sandbox.run(&["check", "--json"]).paths(), ["a.json", "deep/c.yaml"]);
    assert_eq!(sandbox.run(&["check", "--json", "old/b.json"]).paths(), ["old/b.json"]);
}

#[test]
fn prose_is_searched_where_the_settings_say_so() {
    // proves A-01
    let sandbox = Sandbox::new();
    let prose = format!("Here it is:\n\n```yaml\n{MANIFEST}```\n");
    sandbox.write("answers/one.md", &prose);
    sandbox.write("notes/two.md", &prose);
    assert_eq!(sandbox.run(&["check", "--json"]).paths(), Vec::<String>::new());
    sandbox.write("baton.toml", "[check]\nprose = [\"answers/*.md\"]\n");
    assert_eq!(sandbox.run(&["check", "--json"]).paths(), ["answers/one.md"]);
}

#[test]
fn the_files_at_a_path_may_have_a_dialect() {
    // proves A-01
    let sandbox = Sandbox::new();
    sandbox.write("legacy/x.yaml", "a: 1\n");
    sandbox.write("baton.toml", "[[paths]]\npaths = [\"legacy/*\"]\ndialect = \"package\"\n");
    let report = sandbox.run(&["check", "--json"]).json();
    assert_eq!(report["files"][0]["handoffs"][0]["dialect"], "package");
    let forced = sandbox.run(&["check", "--json", "--dialect", "manifest", "legacy/x.yaml"]).json();
    assert_eq!(forced["files"][0]["handoffs"][0]["dialect"], "manifest");
}

#[test]
fn what_is_wrong_with_the_settings_is_a_finding_with_its_place() {
    let sandbox = broken();
    sandbox.write("baton.toml", "[check]\nexclud = []\nstrict = \"maybe\"\n[rules]\n\"envelope/envelope/status-enun\" = \"off\"\n\"*\" = \"loud\"\n");
    let ran = sandbox.run(&["check", "--json", "a.json"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.paths(), ["a.json", "baton.toml"]);
    let report = ran.json();
    assert_eq!(report["files"][1]["handoffs"], serde_json::json!([]));
    let findings = report["files"][1]["findings"].as_array().unwrap();
    let seen: Vec<String> = findings
        .iter()
        .map(|finding| {
            format!(
                "{} {}:{}",
                finding["rule"].as_str().unwrap(),
                finding["span"]["start"]["line"],
                finding["span"]["start"]["column"]
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            "document/unknown-key 2:1",
            "config/config/check.strict-type 3:10",
            "config/unknown-rule 5:1",
            "config/config/rules-enum 6:7",
        ]
    );
    assert_eq!(findings[0]["help"], "did you mean `exclude`?");
    assert_eq!(findings[2]["help"], "did you mean `envelope/envelope/status-enum`?");
    // The settings themselves can be named.
    assert_eq!(sandbox.run(&["check", "--json", "baton.toml"]).paths(), ["baton.toml"]);
}

#[test]
fn settings_that_cannot_be_read_as_toml_are_a_finding_and_the_rest_is_checked() {
    let sandbox = broken();
    sandbox.write("baton.toml", "[check\nstrict = true\n");
    let ran = sandbox.run(&["check", "--json"]);
    assert_eq!(ran.paths(), ["a.json", "baton.toml", "old/b.json"]);
    assert!(ran.rules().contains(&"document/toml-syntax".to_owned()), "{:?}", ran.rules());
    assert_eq!(ran.code, 1);
    sandbox.write("baton.toml", b"\xff\xfe");
    assert!(sandbox.run(&["check", "--json"]).rules().contains(&"document/not-text".to_owned()));
}

#[test]
fn settings_without_faults_are_not_listed() {
    let sandbox = Sandbox::with_manifest();
    sandbox.write("baton.toml", "[check]\nstrict = false\n[settings]\nrun-base = \"runs/{run}\"\n");
    sandbox.write("runs/r1/build/handoffs/one-author.json", envelope("two", "VERIFIED"));
    let ran = sandbox.run(&["check", "--json"]);
    assert_eq!(ran.paths(), ["meta/handoff.yaml", "runs/r1/build/handoffs/one-author.json"]);
    assert!(ran.rules().contains(&"document/misplaced".to_owned()), "{:?}", ran.rules());
}

#[test]
fn a_secret_blocks_until_its_fingerprint_is_allowed() {
    // proves A-13
    let sandbox = Sandbox::new();
    // Put together here, so that no file of the repository holds it.
    let token = ["gh", "p_", "k3J9x2Lm8QpW5rT1vB7nYc4Zd6Hf0GsAeUiO"].concat();
    sandbox.write("a.json", envelope("one", "UNVERIFIED").replace("one", &token));
    let ran = sandbox.run(&["check", "--json"]);
    let report = ran.json();
    let secret = |report: &serde_json::Value| {
        let findings = report["files"][0]["findings"].as_array().cloned().unwrap_or_default();
        findings.into_iter().find(|finding| finding["rule"] == "document/secret")
    };
    let fingerprint = secret(&report).unwrap()["found"].as_str().unwrap().to_owned();
    assert_eq!(ran.code, 1);
    for format in ["text", "json", "jsonl", "sarif", "github", "junit"] {
        let ran = sandbox.run(&["check", "--format", format]);
        assert!(
            ran.stdout.contains(&fingerprint) && !ran.stdout.contains(&token[..12]),
            "{format}: {}",
            ran.stdout
        );
    }
    sandbox.write("baton.toml", format!("[secrets]\nallow = [\"{fingerprint}\"]\n"));
    assert_eq!(secret(&sandbox.run(&["check", "--json"]).json()), None);
}
