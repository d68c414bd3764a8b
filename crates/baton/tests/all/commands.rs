//! Help, explain, schema, completions, man pages, and what is no command at all.

use crate::sandbox::Sandbox;

#[test]
fn every_command_teaches_with_examples() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["--help"]);
    assert_eq!(help.code, 0);
    let commands = [
        "check",
        "explain",
        "schema",
        "convert",
        "run",
        "runs",
        "show",
        "log",
        "stats",
        "resume",
        "cancel",
        "erase",
        "gate",
        "inbox",
        "ack",
        "clarify",
        "return",
        "submit",
        "signal",
        "dead",
        "retry",
        "init",
        "completions",
        "man",
    ];
    assert!(help.stdout.contains("  check        Checks handoffs and reports"), "{}", help.stdout);
    for command in commands {
        assert!(help.stdout.contains(&format!("\n  {command} ")), "{}", help.stdout);
        let own = sandbox.run(&[command, "--help"]);
        assert_eq!(own.code, 0);
        assert!(own.stdout.contains("Examples:"), "{command}: {}", own.stdout);
    }
}

#[test]
fn a_wrong_command_line_is_a_usage_error_on_the_error_stream() {
    let sandbox = Sandbox::with_manifest();
    let wrong: [&[&str]; 7] = [
        &[],
        &["chekc"],
        &["check", "--dialect", "manifst"],
        &["check", "--format", "yaml"],
        &["check", "--json", "--format", "text"],
        &["check", "--since"],
        &["schema", "flwo"],
    ];
    for args in wrong {
        let ran = sandbox.run(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(!ran.stderr.is_empty(), "{args:?}");
    }
    let dialect = sandbox.run(&["check", "--dialect", "manifst"]).stderr;
    assert!(dialect.contains("manifest, envelope, exchange, package, pipeline"), "{dialect}");
    assert!(dialect.contains("did you mean `manifest`?"), "{dialect}");
}

#[test]
fn explain_prints_the_page_of_any_rule_that_check_reports() {
    // proves A-14
    let sandbox = Sandbox::new();
    let shape = sandbox.run(&["explain", "manifest/manifest/status-enum"]);
    assert_eq!(shape.code, 0);
    assert!(
        shape.stdout.starts_with("# manifest/manifest/status-enum\n\nLevel: error, "),
        "{}",
        shape.stdout
    );
    assert!(shape.stdout.contains("## Wrong") && shape.stdout.contains("## Right"), "{}", shape.stdout);
    let config = sandbox.run(&["explain", "config/unknown-rule", "--json"]);
    assert_eq!(config.json()["level"], "warning");
    assert!(config.json()["page"].as_str().unwrap().contains("## Why"));
    assert_eq!(sandbox.run(&["explain", "config/config/check.strict-type"]).code, 0);
}

#[test]
fn explain_lists_the_rules_and_counts_those_about_fields() {
    // proves A-14
    let sandbox = Sandbox::new();
    let all = sandbox.run(&["explain"]);
    assert_eq!(all.code, 0);
    for name in ["document/unknown-key", "manifest/manifest/…", "pipeline/error/…", "config/bad-value"] {
        assert!(all.stdout.contains(&format!("\n  {name} ")), "{name}: {}", all.stdout);
    }
    assert!(all.stdout.lines().count() < 300, "{}", all.stdout);
    let kind = sandbox.run(&["explain", "manifest/manifest"]);
    assert!(kind.stdout.contains("  manifest/manifest/from-missing "), "{}", kind.stdout);
    let json = sandbox.run(&["explain", "manifest", "--json"]).json();
    let ids: Vec<&str> =
        json["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"manifest/manifest/version-enum"), "{ids:?}");
}

#[test]
fn explain_says_what_was_probably_meant() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["explain", "manifest/manifest/status-enun"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("did you mean `manifest/manifest/status-enum`?"), "{}", ran.stderr);
    assert_eq!(sandbox.run(&["explain", "nonsense"]).code, 2);
}

#[test]
fn schemas_are_printed_for_dialects_and_settings() {
    // proves A-10
    let sandbox = Sandbox::new();
    for name in ["manifest", "envelope", "exchange", "package", "pipeline", "config"] {
        let strict = sandbox.run(&["schema", name]);
        assert_eq!(strict.code, 0, "{name}");
        assert_eq!(strict.json()["$schema"], "https://json-schema.org/draft/2020-12/schema");
        let lenient = sandbox.run(&["schema", name, "--lenient"]);
        assert!(lenient.json().is_object(), "{name}");
    }
}

#[test]
fn completions_and_man_pages_come_from_the_same_table() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let ran = sandbox.run(&["completions", shell]);
        assert!(ran.stdout.contains("stdin-filename"), "{shell}");
    }
    assert!(sandbox.run(&["man"]).stdout.contains(".TH baton"));
    sandbox.folder("man1");
    assert_eq!(sandbox.run(&["man", "man1"]).code, 0);
    let page = std::fs::read_to_string(sandbox.path("man1/baton-check.1")).unwrap();
    assert!(page.contains("stdin"), "{page}");
    assert_eq!(sandbox.run(&["man", "no/such"]).code, 4);
}

#[test]
fn convert_prints_the_form_that_the_schema_describes() {
    // proves A-10
    let sandbox = Sandbox::new();
    let xml = "<handoff><from>a</from><to>b</to><issue_number>7</issue_number><requirements><requirement>x</requirement>\
               </requirements><commits><commit sha=\"1\">m</commit></commits></handoff>";
    sandbox.write("a.xml", xml);
    let ran = sandbox.run(&["convert", "a.xml", "--to", "json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let expected = serde_json::json!({"handoff": {
        "from": "a", "to": "b", "issue_number": 7,
        "requirements": {"requirement": ["x"]},
        "commits": {"commit": [{"@sha": "1", "#text": "m"}]},
    }});
    assert_eq!(ran.json(), expected);
    let schema = sandbox.run(&["schema", "pipeline"]).json();
    assert!(jsonschema::draft202012::new(&schema).unwrap().is_valid(&expected));
    let two = sandbox.run_with(format!("{xml}\nand\n{xml}\n").as_bytes(), &["convert", "-", "--to", "json"]);
    assert_eq!(two.json().as_array().map(Vec::len), Some(2), "{}", two.stderr);
}

#[test]
fn convert_refuses_what_it_cannot_read() {
    let sandbox = Sandbox::new();
    sandbox.write("broken.json", "{\"task_id\": \"a\", \"phase\": \"write\", \"instructions\": ");
    sandbox.write("other.json", "{}");
    for (file, code) in [("broken.json", 1), ("other.json", 1), ("nowhere.json", 2)] {
        let ran = sandbox.run(&["convert", file, "--to", "json"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{file}");
        assert!(ran.stderr.contains(file), "{}", ran.stderr);
    }
}

#[test]
fn convert_refuses_what_says_a_thing_twice_and_names_the_place() {
    // proves A-08
    let sandbox = Sandbox::new();
    let twice = ENVELOPE.replace("  \"summary\"", "  \"status\": \"BLOCKED\",\n  \"summary\"");
    sandbox.write("twice.json", &twice);
    for to in ["json", "package", "envelope"] {
        let ran = sandbox.run(&["convert", "twice.json", "--to", to]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{to}");
        assert!(
            ran.stderr.contains("twice.json:4:3: `status` stands twice in this map"),
            "{to}: {}",
            ran.stderr
        );
    }
}

const ENVELOPE: &str = r#"{
  "meta": {"step_id": "implement", "flow_key": "build", "agent_key": "coder", "timestamp": "2026-01-31T09:30:00Z"},
  "status": "VERIFIED",
  "summary": {"what_i_did": "Added login to src/auth.rs", "key_decisions": ["Kept the session store"]},
  "routing": {"recommendation": "CONTINUE", "next_step_suggestion": "review", "reason": "Ready for review"}
}
"#;

#[test]
fn convert_translates_and_reports_what_became_of_each_field() {
    // proves A-08
    let sandbox = Sandbox::new();
    sandbox.write("a.json", ENVELOPE);
    let ran = sandbox.run(&["convert", "a.json", "--to", "package", "--report"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("handoff:\n"), "{}", ran.stdout);
    let report: Vec<Vec<&str>> = ran.stderr.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(report[0].join(" "), "envelope/envelope became package/sequential");
    assert!(report.contains(&vec!["meta.agent_key", "carried", "from.agent"]), "{}", ran.stderr);
    assert!(report.contains(&vec!["status", "kept", "as", "extension"]), "{}", ran.stderr);

    sandbox.write("b.yaml", &ran.stdout);
    assert_eq!(sandbox.run(&["check", "b.yaml", "--strict"]).code, 0);
    let back = sandbox.run(&["convert", "b.yaml", "--to", "envelope"]);
    assert_eq!(back.json(), serde_json::from_str::<serde_json::Value>(ENVELOPE).unwrap());

    let object = sandbox.run(&["convert", "a.json", "--to", "package", "--json"]).json();
    assert_eq!(object["text"], ran.stdout.as_str());
    assert_eq!(object["handoffs"][0]["to"]["kind"], "sequential");
    let fields = object["handoffs"][0]["fields"].as_array().unwrap();
    let made = fields.iter().find(|field| field["field"] == "meta.step_id").unwrap();
    assert_eq!((made["fate"].as_str(), made["to"][0].as_str()), (Some("carried"), Some("from.step")));
}

#[test]
fn convert_says_what_is_missing_and_how_to_give_it() {
    let sandbox = Sandbox::new();
    sandbox.write("a.json", ENVELOPE.replace("\"next_step_suggestion\": \"review\", ", ""));
    let ran = sandbox.run(&["convert", "a.json", "--to", "package"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("package needs `to.agent`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--set to.agent="), "{}", ran.stderr);
    let ran = sandbox.run(&["convert", "a.json", "--to", "package", "--set", "to.agent=reviewer"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("agent: reviewer"), "{}", ran.stdout);
    for (set, says) in
        [("to.agnet=x", "did you mean `to.agent`"), ("nothing", "FIELD=VALUE"), ("to=", "cannot be")]
    {
        let ran = sandbox.run(&["convert", "a.json", "--to", "package", "--set", set]);
        assert_eq!(ran.code, 2, "{set}");
        assert!(ran.stderr.contains(says), "{set}: {}", ran.stderr);
    }
    let ran = sandbox.run(&["convert", "a.json", "--to", "packge"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains(
            "did you mean `package`? there are manifest, envelope, exchange, package, pipeline, json"
        ),
        "{}",
        ran.stderr
    );
}
