//! Hostile files: each is refused with a clear finding, and nothing panics or grows without bound.

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::{Checker, Finding, Input, Levels, Limits, NoWorld, Scratch};
use proptest::prelude::*;

fn findings(path: &str, bytes: &[u8]) -> Vec<Finding> {
    thread_local! {
        static CHECKER: Checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
    }
    let input = Input { path: Some(path), bytes, dialect: None, look: Look::Prose, is_named: true };
    CHECKER.with(|checker| {
        let checked = checker.check(input, &NoWorld, &mut Scratch::default());
        for finding in &checked.findings {
            if let (Some(span), Some(text)) = (finding.span, checked.text) {
                assert!(text.get(span.range()).is_some(), "a span lies in the text: {finding:?}");
            }
        }
        checked.findings
    })
}

fn rules(path: &str, bytes: &[u8]) -> Vec<String> {
    findings(path, bytes).iter().map(|finding| finding.rule.to_string()).collect()
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    // proves A-11
    assert_eq!(rules("a.json", b"\xff\xfe{\x00}\x00"), ["document/not-text"]);
    assert_eq!(rules("a.json", b"{\"a\": \"\xff\"}"), ["document/not-text"]);
    assert_eq!(rules("meta/handoff.yaml", b"from: a\x00b\n"), ["document/not-text"]);
}

#[test]
fn nesting_beyond_the_limit_is_refused() {
    // proves A-11
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    assert!(rules("a.json", deep("[", "]").as_bytes()).contains(&"document/too-deep".to_owned()));
    assert!(rules("a.json", deep("{\"a\":", "}").as_bytes()).contains(&"document/too-deep".to_owned()));
    assert!(rules("a.xml", deep("<a>", "</a>").as_bytes()).contains(&"document/too-deep".to_owned()));
    assert!(
        rules("meta/handoff.yaml", deep("[", "]").as_bytes())
            .iter()
            .any(|rule| rule.ends_with("too-deep") || rule.ends_with("yaml-syntax"))
    );
    let steps: String = (0..3000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert!(
        rules("meta/handoff.yaml", steps.as_bytes())
            .iter()
            .any(|rule| rule.ends_with("too-deep") || rule.ends_with("yaml-syntax"))
    );
}

#[test]
fn aliases_that_multiply_are_refused() {
    // proves A-11
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let before = format!("*a{}", level - 1);
        text += &format!("a{level}: &a{level} [{}]\n", [before.as_str(); 9].join(", "));
    }
    assert!(rules("meta/handoff.yaml", text.as_bytes()).contains(&"document/alias-bomb".to_owned()));
}

#[test]
fn an_alias_that_is_used_with_measure_is_read() {
    let text = "version: 1\nsource_file: discussion/001-a-response.md\ngenerated_at: 2026-01-02\nfrom: &me a\nto: b\nbranch: *me\nstatus: sent\n";
    assert_eq!(rules("meta/handoff.yaml", text.as_bytes()), [""; 0]);
}

#[test]
fn entities_are_never_expanded() {
    // proves A-11
    let laughs = "<!DOCTYPE handoff [\n<!ENTITY a \"ha\">\n<!ENTITY b \"&a;&a;&a;&a;\">\n]>\n<handoff><from>&b;</from><to>x</to></handoff>";
    assert_eq!(rules("a.xml", laughs.as_bytes()), ["document/xml-doctype", "document/xml-syntax"]);
    let outside =
        "<!DOCTYPE handoff SYSTEM \"file:///etc/passwd\">\n<handoff><from>a</from><to>x</to></handoff>";
    assert_eq!(rules("a.xml", outside.as_bytes()), ["document/xml-doctype"]);
}

#[test]
fn huge_values_and_files_are_refused() {
    // proves A-11
    let huge = "x".repeat(2 * 1024 * 1024);
    let json = format!("{{\"task_id\": \"{huge}\", \"phase\": \"research\", \"instructions\": \"y\"}}");
    assert!(rules("a.json", json.as_bytes()).contains(&"document/too-large".to_owned()));
    let xml = format!("<handoff><from>{huge}</from><to>b</to></handoff>");
    assert!(rules("a.xml", xml.as_bytes()).contains(&"document/too-large".to_owned()));
    let yaml = format!("handoff:\n  from: {huge}\n");
    assert!(rules("a.yaml", yaml.as_bytes()).contains(&"document/too-large".to_owned()));
    let file = vec![b' '; 16 * 1024 * 1024 + 1];
    assert_eq!(rules("a.json", &file), ["document/too-large"]);
}

#[test]
fn more_values_than_any_handoff_has_are_not_read() {
    // proves A-11
    let json =
        format!("{{\"task_id\": \"a\", \"phase\": \"write\", \"findings\": [{}1]}}", "1,".repeat(1_100_000));
    let xml = format!("<handoff><from>a</from><to>b</to>{}</handoff>", "<x/>".repeat(600_000));
    let yaml = format!("handoff:\n  from: a\n  list: [{}x]\n", "x, ".repeat(1_100_000));
    for (path, text) in [("a.json", json), ("a.xml", xml), ("a.yaml", yaml)] {
        let rules = rules(path, text.as_bytes());
        assert!(rules.contains(&"document/too-large".to_owned()), "{path}");
        assert!(!rules.iter().any(|rule| rule.ends_with("-missing")), "{path}: nothing behind it is missing");
    }
}

#[test]
fn more_lines_than_any_log_has_are_not_read() {
    // proves A-11
    let limits = Limits { blocks: 3, ..Limits::default() };
    let checker = Checker::new(&Settings::default(), Levels::default(), limits);
    let request = r#"{"task_id": "a", "phase": "write", "instructions": "x"}"#;
    let rules = |first: &str, is_named: bool| {
        let text = [first, "{}", "{}", "{}", request].join("\n");
        let input = Input {
            path: Some("a.jsonl"),
            bytes: text.as_bytes(),
            dialect: None,
            look: Look::Whole,
            is_named,
        };
        let checked = checker.check(input, &NoWorld, &mut Scratch::default());
        let is_cut = |finding: &&Finding| finding.rule == "document/too-many";
        let places =
            checked.findings.iter().filter(is_cut).map(|finding| finding.span.map(|span| span.start));
        (checked.handoffs.len(), places.collect::<Vec<_>>())
    };
    assert_eq!(rules("{}", true), (0, vec![Some(9)]), "whoever asks is told");
    assert_eq!(rules(request, false).0, 1, "the last line is not read");
    assert_eq!(rules(request, false).1.len(), 1, "and a file with handoffs says so");
    assert_eq!(rules("{}", false), (0, vec![]), "any other file is nobody's business");
}

#[test]
fn settings_larger_than_settings_are_not_read() {
    // proves A-11
    let large = b"a = 1\n".repeat(200_000);
    let findings = findings("baton.toml", &large);
    let said: Vec<_> = findings.iter().map(|finding| (&*finding.rule, finding.expected.as_deref())).collect();
    assert_eq!(said, [("document/too-large", Some("at most 1048576 bytes"))]);
}

#[test]
fn many_keys_and_attributes_are_read_in_one_go() {
    let keys: Vec<String> = (0..50_000).map(|at| format!("\"key{at}\": {at}")).collect();
    let json = format!(
        "{{\"task_id\": \"a\", \"phase\": \"write\", \"instructions\": \"x\", {}, \"key7\": 1}}",
        keys.join(",")
    );
    assert!(rules("a.json", json.as_bytes()).contains(&"document/duplicate-key".to_owned()));
    let attributes: Vec<String> = (0..50_000).map(|at| format!("a{at}=\"{at}\"")).collect();
    let xml = format!("<handoff {}><from>a</from><to>b</to></handoff>", attributes.join(" "));
    assert!(!findings("a.xml", xml.as_bytes()).is_empty());
}

/// Text that looks like a handoff often enough to reach the far corners.
fn document() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        "\"",
        "'",
        ":",
        ",",
        "\n",
        "  ",
        "- ",
        "---\n",
        "```json\n",
        "```\n",
        "> ",
        "<handoff>",
        "</handoff>",
        "<from>",
        "</from>",
        "<",
        ">",
        "&",
        "&amp;",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<!DOCTYPE x [",
        "handoff:\n",
        "  from: a\n",
        "  to:\n",
        "    agent: b\n",
        "\"status\"",
        "\"VERIFIED\"",
        "null",
        "true",
        "1",
        "-0.5e3",
        "\\u00e9",
        "\\",
        "é",
        "\u{feff}",
        "\u{202e}",
        "\t",
        "|\n",
        ">-\n",
        "&x ",
        "*x ",
        "!!str ",
        "? ",
        "%YAML 1.2\n",
        "#",
        "|",
        "\r\n",
        "\"task_id\": \"a\", \"phase\": \"write\", \"findings\": {}",
        "\"meta\": {\"step_id\": \"a\", \"flow_key\": \"b\"}",
    ]);
    prop_oneof![
        3 => proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
    ]
}

#[test]
fn elements_that_never_close_are_looked_at_in_bounded_time() {
    // proves A-11
    for part in
        ["<handoff><a>\n```\n```\n", "<handoff><a><![CDATA[\n~~~\n~~~\n", "<handoff><handoff><a></handoff>\n"]
    {
        findings("a.md", part.repeat(50_000).as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic_or_point_outside(text in document(), name in 0..8usize) {
        // proves A-05
        let name = ["a.json", "a.yaml", "a.xml", "a.md", "a.jsonl", "meta/handoff.yaml", "a.txt", "a.toml"][name];
        findings(name, text.as_bytes());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), name in 0..4usize) {
        findings(["a.json", "a.yaml", "a.xml", "a.md"][name], &bytes);
    }
}
