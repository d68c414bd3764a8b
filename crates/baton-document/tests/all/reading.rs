//! Carriers and readers: every handoff of a file is found, spans point into it, and errors do not end it.

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::{Checked, Checker, Input, Levels, Limits, LineIndex, NoWorld, Scratch};

use crate::found::Text;

fn checker(limits: Limits) -> Checker {
    Checker::new(&Settings::default(), Levels::default(), limits)
}

fn check<'i>(checker: &Checker, path: &'i str, text: &'i str) -> Checked<'i> {
    let input =
        Input { path: Some(path), bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true };
    checker.check(input, &NoWorld, &mut Scratch::default())
}

/// The handoffs as `LINE:COL dialect/kind`, the findings as `LINE:COL level rule`.
fn seen(path: &str, text: &str) -> Vec<String> {
    let checker = checker(Limits::default());
    let checked = check(&checker, path, text);
    let index = LineIndex::new(text);
    let at = |start| {
        let place = index.place(start);
        format!("{}:{}", place.line, place.column)
    };
    let handoffs = checked.handoffs.iter().map(|handoff| {
        let (dialect, kind) = (&checker.dialect_of(handoff).name, &checker.kind_of(handoff).name);
        format!("{} {dialect}/{kind}", at(handoff.span.start))
    });
    let findings = checked.findings.iter().map(|finding| {
        let place = finding.span.map_or_else(|| "-".to_owned(), |span| at(span.start));
        format!("{place} {} {}", finding.level.word(), finding.rule)
    });
    handoffs.chain(findings).collect()
}

const RIGHT: &str = r#"{"task_id": "a", "phase": "research", "context": {"feature": "x"}, "instructions": "look", "expected_output": "structured_findings"}"#;

#[test]
fn a_whole_file_of_each_notation_is_read() {
    // proves A-01, A-02
    assert_eq!(seen("a.json", RIGHT), ["1:1 exchange/request"]);
    assert_eq!(
        seen("a.yaml", "handoff:\n  from: a\n  to: {agent: b}\n  context: {summary: 3 epics}\n")[0],
        "1:1 package/sequential"
    );
    assert_eq!(
        seen("a.xml", "<?xml version=\"1.0\"?>\n<handoff><from>a</from><to>b</to></handoff>")[0],
        "2:1 pipeline/other"
    );
}

#[test]
fn blocks_in_prose_are_read_where_they_stand() {
    // proves A-02
    let text = format!(
        "# Notes\n\nAs fenced:\n\n```json\n{RIGHT}\n```\n\n> ```yaml\n> handoff:\n>   from: a\n> ```\n\nBare: {RIGHT} and\n<handoff>\n  <from>a</from>\n</handoff>\nthe end, with {{braces}} and 1 < 2.\n"
    );
    assert_eq!(
        seen("notes.md", &text),
        [
            "6:1 exchange/request",
            "10:3 package/sequential",
            "14:7 exchange/request",
            "15:1 pipeline/other",
            "10:3 error package/sequential/to.agent-missing",
            "10:3 error package/sequential/context.summary-missing",
            "11:11 info document/shorthand",
            "15:2 error pipeline/other/to-missing",
        ]
    );
}

#[test]
fn several_handoffs_in_one_file_are_all_read() {
    // proves A-02
    assert_eq!(
        seen("a.jsonl", &format!("{RIGHT}\n\n{RIGHT}\n")),
        ["1:1 exchange/request", "3:1 exchange/request"]
    );
    assert_eq!(
        seen("a.json", &format!("[{RIGHT},\n{RIGHT}]")),
        ["1:2 exchange/request", "2:1 exchange/request"]
    );
    let yaml = "handoff: {from: {agent: a}, to: {agent: b}, context: {summary: 3 epics}}\n---\nhandoff: {from: {agent: b}}\n";
    assert_eq!(seen("a.yaml", yaml)[..2], ["1:1 package/sequential", "3:1 package/sequential"]);
    let xml = "<handoffs>\n<handoff><from>a</from><to>b</to></handoff>\n<handoff><from>b</from><to>c</to></handoff>\n</handoffs>";
    assert_eq!(seen("a.xml", xml), ["2:2 pipeline/other", "3:2 pipeline/other"]);
}

#[test]
fn front_matter_is_read() {
    // proves A-02
    let text = "---\nhandoff:\n  from: {agent: a}\n  to: {agent: b}\n  context: {summary: 3 epics done}\n---\n\n# Text\n";
    assert_eq!(seen("a.md", text), ["2:1 package/sequential"]);
}

#[test]
fn a_template_in_prose_is_passed_over_with_one_info() {
    // proves A-01
    let text =
        "```yaml\nhandoff:\n  from:\n    agent: \"[agent-id]\"\n  to:\n    agent: \"[agent-id]\"\n```\n";
    assert_eq!(seen("a.md", text), ["4:12 info document/template"]);
    let text =
        "```xml\n<handoff>\n  <from>a</from>\n  <status>success|failure|blocked</status>\n</handoff>\n```\n";
    assert_eq!(seen("a.md", text), ["4:11 info document/template"]);
}

#[test]
fn json_is_read_on_after_each_mistake() {
    // proves A-05
    let text = r#"{
  'task_id': 'a',
  "phase": research,
  "context": {"feature": "x",},
  "instructions": "look" // why
  "expected_output": "nonsense",
"#;
    assert_eq!(
        seen("a.json", text),
        [
            "1:1 exchange/request",
            "2:3 error document/json-syntax",
            "2:14 error document/json-syntax",
            "3:12 error document/json-syntax",
            "4:29 error document/json-syntax",
            "5:25 error document/json-syntax",
            "5:26 error document/json-syntax",
            "6:22 error exchange/request/expected_output-enum",
            "6:33 error document/json-syntax",
        ]
    );
}

#[test]
fn an_unclosed_string_does_not_hide_the_next_line() {
    // proves A-05
    let text = "{\n  \"task_id\": \"a,\n  \"phase\": \"nonsense\",\n  \"instructions\": \"look\"\n}\n";
    assert_eq!(
        seen("a.json", text),
        [
            "1:1 exchange/request",
            "1:1 error exchange/request/context.feature-missing",
            "1:1 error exchange/request/expected_output-missing",
            "2:14 error document/json-syntax",
            "3:12 error exchange/request/phase-enum",
        ]
    );
}

#[test]
fn yaml_is_read_on_after_a_broken_line() {
    // proves A-05
    let text = "handoff:\n  from:\n    agent: a\n  to:\n    agent: b\n  context:\n    summary: Fixed: the login\n  gate:\n    type: nonsense\n";
    let seen = seen("a.yaml", text);
    assert_eq!(seen[0], "1:1 package/gate");
    assert!(seen.contains(&"7:19 error document/yaml-syntax".to_owned()), "{seen:?}");
    assert!(seen.contains(&"9:11 error package/gate/gate.type-enum".to_owned()), "{seen:?}");
    // The value that could not be read is there: nobody says that it is missing.
    assert!(!seen.iter().any(|line| line.contains("context.summary")), "{seen:?}");
}

#[test]
fn xml_is_read_on_after_each_mistake() {
    // proves A-05
    let text = "<handoff>\n  <from>a & b</from>\n  <to>b</too>\n  <status>perhaps</status>\n  <pr_number>1 < 2</pr_number>\n  <issue_number>x</issue_number>\n";
    assert_eq!(
        seen("a.xml", text),
        [
            "1:1 pipeline/other",
            "1:2 error document/xml-syntax",
            "2:11 error document/xml-syntax",
            "3:8 error document/xml-syntax",
            "4:11 error pipeline/other/status-enum",
            "5:16 error document/xml-syntax",
            "6:17 error pipeline/other/issue_number-type",
        ]
    );
}

#[test]
fn a_duplicate_key_is_found_on_its_second_place() {
    // proves A-04
    let text = "version: 1\nsource_file: discussion/001-a-response.md\ngenerated_at: 2026-01-02\nfrom: a\nto: b\nstatus: sent\nfrom: c\n";
    assert_eq!(
        seen("meta/handoff.yaml", text),
        ["1:1 manifest/manifest", "7:1 error document/duplicate-key"]
    );
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_normal() {
    // proves A-11
    let text = "\u{feff}version: 1\r\nsource_file: discussion/001-a-response.md\r\ngenerated_at: 2026-01-02\r\nfrom: a\r\nto: b\r\nstatus: lost\r\n";
    assert_eq!(
        seen("meta/handoff.yaml", text),
        ["1:1 manifest/manifest", "6:9 error manifest/manifest/status-enum"]
    );
    let json = format!("\u{feff}{}", RIGHT.replace("research", "nonsense"));
    assert_eq!(seen("a.json", &json), ["1:1 exchange/request", "1:27 error exchange/request/phase-enum"]);
    let xml = "\u{feff}<handoff>\r\n  <from>a</from>\r\n  <to></to>\r\n</handoff>\r\n";
    assert_eq!(seen("a.xml", xml), ["1:1 pipeline/other", "3:7 error pipeline/other/to-pattern"]);
}

#[test]
fn a_file_that_is_no_handoff_is_said_to_be_none_when_it_was_named() {
    assert_eq!(seen("package.json", "{\"name\": \"x\"}"), ["- info document/not-a-handoff"]);
    let checker = checker(Limits::default());
    let input = Input {
        path: Some("package.json"),
        bytes: b"{\"name\": 1}",
        dialect: None,
        look: Look::Whole,
        is_named: false,
    };
    let checked = checker.check(input, &NoWorld, &mut Scratch::default());
    assert!(checked.findings.is_empty() && checked.handoffs.is_empty());
}

#[test]
fn a_broken_line_among_handoffs_is_not_lost() {
    // proves A-05
    let checker = checker(Limits::default());
    let text = format!("{RIGHT}\n{{\"task_id\": \n");
    let input = Input {
        path: Some("a.jsonl"),
        bytes: text.as_bytes(),
        dialect: None,
        look: Look::Whole,
        is_named: false,
    };
    let checked = checker.check(input, &NoWorld, &mut Scratch::default());
    assert_eq!(checked.handoffs.len(), 1);
    assert!(checked.findings.iter().any(|finding| finding.rule == "document/json-syntax"));
    assert_eq!(checker.canonical(input, &mut Scratch::default()), None);
}

#[test]
fn an_alias_is_read_with_its_keys() {
    let text = "handoff:\n  from: &who {agent: a}\n  to: *who\n  context: {summary: 3 epics}\n";
    assert_eq!(seen("a.yaml", text), ["1:1 package/sequential"]);
}

#[test]
fn where_reading_stops_nothing_behind_it_is_said_to_be_missing() {
    // proves A-05
    let broken = "\"a\": x,\n".repeat(30);
    let text = format!("{{\"task_id\": \"a\", \"phase\": \"write\",\n{broken}\"instructions\": \"y\"}}");
    let seen = seen("a.json", &text);
    assert!(seen.iter().any(|line| line.ends_with("error document/too-many")), "{seen:?}");
    assert!(!seen.iter().any(|line| line.ends_with("-missing")), "{seen:?}");
}

#[test]
fn more_handoffs_than_are_read_are_said_to_be_left_out() {
    let checker = checker(Limits { handoffs: 2, ..Limits::default() });
    let text = format!("[{RIGHT}, {RIGHT}, {RIGHT}]");
    let checked = check(&checker, "a.json", &text);
    assert_eq!(checked.handoffs.len(), 2);
    assert_eq!(
        checked.findings.iter().map(|finding| &*finding.rule).collect::<Vec<_>>(),
        ["document/too-many"]
    );
    let lines = format!("{RIGHT}\n{RIGHT}\n{RIGHT}\n");
    assert_eq!(check(&checker, "a.jsonl", &lines).findings.len(), 1);
    let two = format!("[{RIGHT}, {RIGHT}]");
    assert_eq!(check(&checker, "a.json", &two).findings, []);
}

#[test]
fn an_unclosed_quote_or_bracket_in_yaml_does_not_hide_the_next_lines() {
    // proves A-05
    let text = "version: 1\nsource_file: discussion/058-codex-response.md\ngenerated_at: \"2026-02-09\nfrom: codex\nto: codex\nstatus: BAD\n";
    assert_eq!(
        seen("meta/handoff.yaml", text),
        [
            "1:1 manifest/manifest",
            "3:15 error document/yaml-syntax",
            "4:7 error manifest/from-equals-to",
            "6:9 error manifest/manifest/status-enum",
        ]
    );
    let text = text
        .replace("\"2026-02-09", "2026-02-09")
        .replace("to: codex", "to: nora\nfiles_changed: [a.ts, b.ts");
    assert_eq!(
        seen("meta/handoff.yaml", &text),
        [
            "1:1 manifest/manifest",
            "6:16 error document/yaml-syntax",
            "7:9 error manifest/manifest/status-enum",
        ]
    );
}

#[test]
fn a_quote_inside_a_text_is_told_from_its_end() {
    // proves A-05
    let text = RIGHT.replace("\"look\"", "\"say \"hello\" to me\"");
    assert_eq!(
        seen("a.json", &text),
        ["1:1 exchange/request", "1:89 error document/json-syntax", "1:95 error document/json-syntax"]
    );
}

#[test]
fn text_around_a_document_is_one_finding() {
    let seen = seen("a.json", &format!("{RIGHT}\nHope this helps!\n"));
    assert_eq!(seen, ["1:1 exchange/request", "2:1 error document/json-syntax"]);
}

#[test]
fn an_element_that_is_only_talked_about_is_no_handoff() {
    // proves A-02
    let talk = "I filled the `<handoff>` with <from> and the <handoff> element.\n";
    let real = "<handoff>\n<from>a</from>\n<to>b</to>\n</handoff>\n";
    assert_eq!(seen("a.md", &format!("{talk}{real}")), ["2:1 pipeline/other"]);
}

#[test]
fn a_root_says_what_a_document_is_whatever_it_lacks() {
    // proves A-16
    assert_eq!(
        seen("a.xml", "<handoff></handoff>"),
        [
            "1:1 pipeline/other",
            "1:2 error pipeline/other/from-missing",
            "1:2 error pipeline/other/to-missing"
        ]
    );
    assert_eq!(seen("a.yaml", "handoff:\n  id: HO-1\n")[0], "1:1 package/sequential");
    assert_eq!(
        seen("a.xml", "<handoff><from>a</from><to>orchestrator</to><status>failure</status></handoff>")[..2],
        ["1:1 pipeline/error", "1:2 error pipeline/error/error-missing"]
    );
}

#[test]
fn keys_beside_the_root_and_other_names_of_it_are_told() {
    // proves A-06
    let text = "acknowledgement:\n  received: true\nextra: 1\nx-baton: {}\n";
    assert_eq!(
        seen("a.yaml", text),
        ["2:3 package/acknowledgment", "1:1 info document/key-alias", "3:1 info document/unknown-key"]
    );
}

#[test]
fn an_attribute_nobody_knows_is_an_info() {
    // proves A-06
    let text =
        "<handoff>\n<from id=\"1\">a</from>\n<to>b</to>\n<pr_number x=\"1\">many</pr_number>\n</handoff>";
    assert_eq!(
        seen("a.xml", text),
        [
            "1:1 pipeline/other",
            "2:7 info document/unknown-key",
            "4:12 info document/unknown-key",
            "4:18 error pipeline/other/pr_number-type",
        ]
    );
}

#[test]
fn every_wrong_escape_is_found() {
    // proves A-05
    let text = RIGHT.replace("look", "C:\\path\\qux");
    assert_eq!(seen("a.json", &text).len(), 3);
}

/// A package as a whole, with lines in its summary.
fn package_with(lines: &str) -> String {
    let lines: String = lines.lines().map(|line| format!("      {line}\n")).collect();
    format!(
        "handoff:\n  from: {{agent: a}}\n  to: {{agent: b}}\n  context:\n    summary: |\n      12 files in src/\n{lines}  expectations: {{deliverable: x}}\n"
    )
}

#[test]
fn blocks_in_the_text_of_a_yaml_handoff_are_part_of_it() {
    // proves A-01, A-02
    let answer = r#"{"task_id":"a","phase":"research","status":"complete","decision":"PROCEED","findings":{},"context_summary":"src/a.rs"}"#;
    let blocks = [
        "```yaml\na: 1\n```\ndone",
        "~~~\na: 1\n~~~",
        "```json\n{\"a\": 1}",
        "```yaml\nhandoff: {from: {agent: c}}\n```",
        "<handoff><from>a</from><to>b</to></handoff>",
        answer,
    ];
    for block in blocks {
        let text = package_with(block);
        assert_eq!(seen("a.txt", &text), ["1:1 package/delegation"], "{block}");
        assert_eq!(seen("a.txt", &text.replace('\n', "\r\n")), ["1:1 package/delegation"], "{block}");
        let twice = format!("# first\n{text}---\n{text}");
        assert_eq!(seen("a.txt", &twice).len(), 2, "{block}");
        let broken = text.replace("to: {agent: b}", "to: {agent: b");
        assert_eq!(seen("a.txt", &broken)[..1], ["1:1 package/delegation"], "{block}");
        let forced = Text { dialect: Some("package"), ..Text::default() };
        assert_eq!(forced.found(&text), Vec::<String>::new(), "{block}");
    }
}

#[test]
fn blocks_below_lines_that_only_look_like_entries_are_read() {
    // proves A-02
    let fence = format!("```json\n{RIGHT}\n```\n");
    let indented = format!("  ```json\n  {RIGHT}\n  ```\n");
    let element = "<handoff>\n<from>a</from>\n<to>b</to>\n</handoff>\n";
    assert_eq!(seen("a.txt", &format!("Note: it is done\n\n{fence}")), ["4:1 exchange/request"]);
    assert_eq!(seen("a.txt", &format!("Status: done\nResult:\n\n{indented}")), ["5:3 exchange/request"]);
    assert_eq!(seen("a.txt", &format!("handoff: below\n\n{element}")), ["3:1 pipeline/other"]);
    assert_eq!(seen("a.txt", &format!("handoff: below\n\n{indented}")), ["4:3 exchange/request"]);
    let pipeline = Text { dialect: Some("pipeline"), ..Text::default() };
    let element = element.replace('\n', "\n  ");
    assert_eq!(pipeline.found(&format!("Status: done\nResult:\n  {element}\n")), Vec::<String>::new());
    let front = format!("---\ntitle: x\n---\n\nNote: below\n\n{indented}");
    assert_eq!(seen("a.txt", &front), ["8:3 exchange/request"]);
}

#[test]
fn a_fence_in_an_element_is_part_of_it() {
    // proves A-02
    let element = "<handoff><from>a</from><to>b</to><summary>x\n```yaml\na: 1\n```\n</summary></handoff>\n";
    for path in ["a.txt", "a.md"] {
        assert_eq!(seen(path, element), ["1:1 pipeline/other"]);
        let text = format!("First:\n{element}```json\n{RIGHT}\n```\n{element}");
        let found = ["2:1 pipeline/other", "8:1 exchange/request", "10:1 pipeline/other"];
        assert_eq!(seen(path, &text), found);
        // Tags in a comment or in CDATA are none.
        let coded = element.replace("a: 1\n", "<![CDATA[</handoff>]]><!-- </handoff> -->\n");
        assert_eq!(seen(path, &coded)[..1], seen("a.xml", &coded)[..1]);
        assert!(!seen(path, &coded).iter().any(|line| line.contains("syntax")), "{:?}", seen(path, &coded));
    }
    // One that never closes leaves the block behind it alone.
    let open = "<handoff>\n<from>a</from>\n\n```xml\n<handoff><from>a</from><to>b</to></handoff>\n```\n";
    assert_eq!(seen("a.md", open)[..2], ["1:1 pipeline/other", "5:1 pipeline/other"]);
}

#[test]
fn many_elements_in_prose_are_all_read() {
    // proves A-02
    let text = "then <handoff><from>a</from><to>b</to></handoff>\n".repeat(40);
    assert_eq!(seen("a.md", &text).len(), 40);
}

#[test]
fn a_dialect_file_is_no_handoff_and_is_held_against_its_own_form() {
    // proves A-09
    for file in &baton_document::dialect::BUILT_IN {
        assert_eq!(seen("dialects/a.yaml", file.text), Vec::<String>::new(), "{}", file.name);
    }
}

#[test]
fn a_dialect_can_be_forced() {
    // proves A-01
    let checker = checker(Limits::default());
    let input = Input {
        path: Some("a.json"),
        bytes: b"{\"x\": 1}",
        dialect: Some("envelope"),
        look: Look::Whole,
        is_named: true,
    };
    let checked = checker.check(input, &NoWorld, &mut Scratch::default());
    assert_eq!(checked.handoffs.len(), 1);
    assert_eq!(checked.findings.iter().filter(|finding| finding.rule.ends_with("-missing")).count(), 8);
}
