//! Several handoffs in one file, converted together; what the report says of each.

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

const RESPONSE: &str = r#"{"task_id":"a","phase":"research","status":"complete","decision":"PROCEED","findings":{},"context_summary":"src/a.rs"}"#;

const PACKAGE: &str = "handoff: {from: {agent: a}, to: {agent: b}, context: {summary: 12 files in src/}}\n";

fn manifest(number: &str) -> String {
    format!(
        "version: 1\nsource_file: discussion/{number}-a-response.md\ngenerated_at: \"2026-01-02\"\nfrom: ann\nto: ben\nstatus: pending\n"
    )
}

/// How many handoffs and errors a text has, as a file of a name.
fn checked(sandbox: &Sandbox, name: &str, text: &str) -> (usize, usize) {
    sandbox.write(name, text);
    let file = sandbox.run(&["check", "--json", name]).json()["files"][0].clone();
    let findings = file["findings"].as_array().unwrap().clone();
    let errors = findings.iter().filter(|finding| finding["level"] == "error").count();
    (file["handoffs"].as_array().unwrap().len(), errors)
}

/// The lines of a report, each blank once.
fn report(ran: &Ran) -> Vec<String> {
    ran.stderr.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn handoffs_that_stay_stand_among_the_others_with_their_comments() {
    // proves A-08, A-15
    let sandbox = Sandbox::new();
    let first = "handoff:\n  from: {agent: a}   # keep\n  to: {agent: b}\n  context: {summary: \"12 files in src/\"}\n";
    let second =
        "# lead\nhandoff:\n  from: {agent: c}\n  to: {agent: d}\n  context: {summary: \"13 files\"} # tail\n";
    let block = "handoff:\n  from: {agent: e}\n  to: {agent: f}\n  context:\n    summary: |+\n      14 files\n      in src/\n\n";
    let listed = "- handoff:\n    from: {agent: g}\n    to: {agent: h}\n    context: {summary: 15 files}\n";
    sandbox.write(
        "mix.md",
        format!("```json\n{RESPONSE}\n```\n\n```yaml\n{first}```\n\n```yaml\n{second}---\n{block}---\n{listed}```\n"),
    );
    let ran = sandbox.run(&["convert", "mix.md", "--to", "package"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains(&format!("---\n{first}---\n{second}---\n{block}---\n")), "{}", ran.stdout);
    assert!(ran.stdout.ends_with('\n'), "{}", ran.stdout);
    assert_eq!(checked(&sandbox, "mix.yaml", &ran.stdout), (5, 0), "{}", ran.stdout);
    let forms = sandbox.run(&["convert", "mix.yaml", "--to", "json"]).json();
    let summaries: Vec<&Value> =
        forms.as_array().unwrap().iter().map(|form| &form["handoff"]["context"]["summary"]).collect();
    assert_eq!(
        json!(summaries),
        json!(["src/a.rs", "12 files in src/", "13 files", "14 files\nin src/\n\n", "15 files"])
    );
}

#[test]
fn a_handoff_that_stays_is_written_anew_where_the_others_have_another_notation() {
    // proves A-08
    let sandbox = Sandbox::new();
    let yaml = "task_id: b\nphase: write\nstatus: complete\ndecision: PROCEED\nfindings: {} # c\ncontext_summary: src/b.rs\n";
    let xml = "<handoff><from>a</from><to>b</to><summary>x 1</summary></handoff>";
    sandbox.write("mix.md", format!("{RESPONSE}\n\n```yaml\n{yaml}```\n\n{xml}\n"));
    let ran = sandbox.run(&["convert", "mix.md", "--to", "exchange", "--set", "task_id=q"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(checked(&sandbox, "mix.json", &ran.stdout), (3, 0), "{}", ran.stdout);
    let list = ran.json();
    let ids: Vec<&Value> = list.as_array().unwrap().iter().map(|one| &one["task_id"]).collect();
    assert_eq!(json!(ids), json!(["a", "b", "q"]));
    assert_eq!(list[1]["context_summary"], "src/b.rs");
}

#[test]
fn several_handoffs_are_refused_where_a_file_holds_one() {
    // proves A-08, A-09
    let sandbox = Sandbox::new();
    for (name, carrier) in [("memo", "front-matter"), ("slip", "toml")] {
        sandbox.write(
            &format!("dialects/{name}.yaml"),
            format!(
                "dialect: {name}\nwritten-in: [{carrier}]\nrecognise: {{all: [sender, receiver]}}\nkinds:\n  {name}:\n    about: The only kind.\n    \
                 required: [sender, receiver]\n    fields:\n      sender: {{type: name, means: from}}\n      receiver: {{type: name, means: to}}\n"
            ),
        );
        sandbox.write("one.yaml", PACKAGE);
        assert_eq!(sandbox.run(&["convert", "one.yaml", "--to", name]).code, 0, "{name}");
        sandbox.write("two.yaml", format!("{PACKAGE}---\n{PACKAGE}"));
        let ran = sandbox.run(&["convert", "two.yaml", "--to", name]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{name}");
        assert!(
            ran.stderr.contains(&format!("2 handoffs do not fit into one file of {name}")),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("a file of its own"), "{}", ran.stderr);
    }
}

#[test]
fn what_is_given_among_several_fills_only_what_is_missing() {
    // proves A-08
    let sandbox = Sandbox::new();
    sandbox.write("multi.yaml", format!("{}---\n{PACKAGE}---\n{}", manifest("058"), manifest("059")));
    let ran = sandbox.run(&["convert", "multi.yaml", "--to", "manifest"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("nothing in handoff 2 of 3 (line 8) says it"), "{}", ran.stderr);

    let source = "source_file=discussion/001-x-response.md";
    let ran = sandbox.run(&["convert", "multi.yaml", "--to", "manifest", "--set", source, "--report"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(checked(&sandbox, "made.yaml", &ran.stdout), (3, 0), "{}", ran.stdout);
    let files = ran.stdout.lines().filter_map(|line| line.strip_prefix("source_file: discussion/"));
    assert_eq!(files.collect::<Vec<_>>(), ["058-a-response.md", "001-x-response.md", "059-a-response.md"]);
    let told = report(&ran);
    let of = |line: &str| told.iter().filter(|told| *told == line).count();
    assert_eq!(of("source_file carried source_file"), 2, "{}", ran.stderr);
    assert_eq!(of("source_file set \"discussion/001-x-response.md\""), 1, "{}", ran.stderr);

    // What would change nothing is refused.
    let ran = sandbox.run(&["convert", "multi.yaml", "--to", "manifest", "--set", source, "--set", "to=zed"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("`to` is said by each of the 3 handoffs"), "{}", ran.stderr);
}

#[test]
fn what_is_given_where_no_dialect_changes_is_put_into_each_and_the_report_says_so() {
    // proves A-08
    let sandbox = Sandbox::new();
    sandbox.write("two.yaml", format!("{}---\n{}", manifest("058"), manifest("059")));
    let args = ["convert", "two.yaml", "--to", "manifest", "--set", "to=zed", "--set", "status=pending"];
    let ran = sandbox.run(&[&args[..], &["--report"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout, sandbox.read("two.yaml").replace("to: ben", "to: zed"));
    let told = report(&ran);
    let of = |line: &str| told.iter().filter(|told| *told == line).count();
    assert_eq!(of("to set \"zed\" (what was there is lost)"), 2, "{}", ran.stderr);
    assert_eq!(of("status carried status"), 2, "{}", ran.stderr);
    let object = sandbox.run(&[&args[..], &["--json"]].concat()).json();
    let fields = object["handoffs"][1]["fields"].as_array().unwrap();
    let to = fields.iter().find(|field| field["field"] == "to").unwrap();
    assert_eq!((&to["fate"], &to["value"], &to["replaced"]), (&json!("set"), &json!("zed"), &json!(true)));
}

#[test]
fn a_field_that_another_one_stands_for_is_kept_and_not_carried() {
    // proves A-08
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.json",
        r#"{"meta": {"step_id": "s1", "flow_key": "f", "agent_key": "impl", "timestamp": "2026-01-02T03:04:05Z"},
 "status": "VERIFIED", "summary": {"what_i_did": "Wrote src/a.rs"},
 "routing": {"recommendation": "CONTINUE", "reason": "ok", "next_step_suggestion": "review"}}"#,
    );
    let told = report(&sandbox.run(&["convert", "a.json", "--to", "exchange", "--report"]));
    assert!(told.contains(&"meta.step_id carried phase".to_owned()), "{told:?}");
    assert!(told.contains(&"meta.agent_key kept as extension".to_owned()), "{told:?}");
    let source = "source_file=discussion/001-x-response.md";
    let told = report(&sandbox.run(&["convert", "a.json", "--to", "manifest", "--set", source, "--report"]));
    assert!(told.contains(&"meta.agent_key carried from".to_owned()), "{told:?}");
    assert!(told.contains(&"meta.step_id kept as extension".to_owned()), "{told:?}");
    assert!(
        told.contains(&"meta.timestamp carried generated_at (the original is kept)".to_owned()),
        "{told:?}"
    );
}

#[test]
fn what_is_missing_is_named_as_a_shell_takes_it() {
    // proves A-08
    let sandbox = Sandbox::new();
    sandbox.write(
        "dialects/memo.yaml",
        "dialect: memo\nwritten-in: [front-matter]\nrecognise: {all: [by]}\nkinds:\n  memo:\n    required: [by, '#body']\n    fields: {by: {type: name}, '#body': {type: text}}\n",
    );
    sandbox.write("a.yaml", manifest("001"));
    let ran = sandbox.run(&["convert", "a.yaml", "--to", "memo"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("give it with --set by=… (non-empty text)"), "{}", ran.stderr);
    assert!(ran.stderr.contains("give it with --set '#body=…' (text)"), "{}", ran.stderr);
}

#[test]
fn a_conversion_that_is_refused_is_reported_as_such() {
    // proves A-08
    let sandbox = Sandbox::new();
    sandbox.write("h.yaml", PACKAGE);
    let ran = sandbox.run(&["convert", "h.yaml", "--to", "manifest", "--report"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert_eq!(report(&ran)[0], "package/sequential was refused as manifest/manifest");
    // A value that was taken out on the way is asked for on the way home.
    let mut there = sandbox.run(&["convert", "h.yaml", "--to", "envelope"]).json();
    there["routing"].as_object_mut().unwrap().remove("next_step_suggestion");
    sandbox.write("there.json", there.to_string());
    let ran = sandbox.run(&["convert", "there.json", "--to", "package"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("--set to.agent="), "{}", ran.stderr);
}
