//! What a handoff is filled with on its way: values that are given as JSON, sources that stand in for others, names that
//! must be there, and what XML writes in a way of its own.

use baton_document::{Checker, Fate};
use serde_json::{Value, json};

use crate::convert::{NOW, PACKAGE, canonical, checker, convert, fate, faults, try_convert};
use crate::users::{definition, with_one};

/// The field at a path that is set, in the canonical form of the result.
fn set(checker: &Checker, text: &str, to: &str, (path, value): (&str, &str)) -> Value {
    let made = canonical(checker, &convert(checker, text, to, &[(path, value)]));
    let root = made.get("handoff").unwrap_or(&made);
    path.split('.').fold(root, |value, key| &value[key]).clone()
}

#[test]
fn an_entry_of_a_list_that_is_a_map_is_given_as_json() {
    let checker = checker();
    let concern = json!([{"description": "x"}]);
    for given in [r#"{"description":"x"}"#, r#"[{"description":"x"}]"#, r#" ["x"] "#, "x"] {
        assert_eq!(set(&checker, PACKAGE, "envelope", ("concerns", given)), concern, "{given}");
    }
    let all = r#"{"severity":"high","description":"x","recommendation":"y","own":[1]}"#;
    let expected = json!([serde_json::from_str::<Value>(&all.replace("high", "HIGH")).unwrap()]);
    assert_eq!(set(&checker, PACKAGE, "envelope", ("concerns", all)), expected);
    let assumed = r#"[{"assumption":"one","why":"two"},{"assumption":"three"}]"#;
    let expected: Value = serde_json::from_str(assumed).unwrap();
    assert_eq!(set(&checker, PACKAGE, "envelope", ("assumptions", assumed)), expected);
    // What is text stays text, however it begins.
    for text in ["{x}", "[x] y", r#"{"a": 1} and more"#] {
        let expected = json!([{"description": text}]);
        assert_eq!(set(&checker, PACKAGE, "envelope", ("concerns", text)), expected);
    }
    let decisions = set(&checker, PACKAGE, "envelope", ("summary.key_decisions", r#"["one","two"]"#));
    assert_eq!(decisions, json!(["one", "two"]));
    let map = r#"{"one":1}"#;
    assert_eq!(set(&checker, PACKAGE, "envelope", ("summary.key_decisions", map)), json!([map]));
}

#[test]
fn maps_that_are_given_join_those_given_before_and_must_fit() {
    let checker = checker();
    let envelope = convert(&checker, PACKAGE, "envelope", &[]);
    for (path, one) in [
        ("context.artifacts", r#"{"path":"a.md","type":"doc"}"#),
        ("context.decisions", r#"{"id":"D-1","decision":"x","rationale":"y"}"#),
    ] {
        let package =
            canonical(&checker, &convert(&checker, &envelope, "package", &[(path, one), (path, one)]));
        let one: Value = serde_json::from_str(one).unwrap();
        let key = path.strip_prefix("context.").unwrap();
        assert_eq!(package["handoff"]["context"][key], json!([one, one]), "{path}");
        // The same where the dialect stays.
        let stayed = set(&checker, PACKAGE, "package", (path, &one.to_string()));
        assert_eq!(stayed, json!([one]), "{path}");
    }
    for (path, wrong) in
        [("concerns", r#"{"severity":"none","description":"x"}"#), ("concerns", r#"{"description":{"a":1}}"#)]
    {
        let refused = try_convert(&checker, PACKAGE, "envelope", &[(path, wrong)]).unwrap_err().to_string();
        assert!(refused.starts_with(&format!("`{path}` cannot be `{wrong}`")), "{refused}");
    }
}

const ENVELOPE: &str = r#"{
  "meta": {"step_id": "s1", "flow_key": "f", "agent_key": "impl", "timestamp": "2026-01-02T03:04:05Z"},
  "status": "VERIFIED",
  "summary": {"what_i_did": "Wrote src/a.rs", "evidence": {"commands_run": ["make"]}},
  "routing": {"recommendation": "CONTINUE", "next_step_suggestion": "critic", "reason": "ok"}
}"#;

/// A dialect with a summary, and what its field says besides.
fn note(more: &str) -> String {
    format!(
        "dialect: note\ntitle: Note\nabout: A note.\nwritten-in: [yaml]\nrecognise: {{all: [id, summary]}}\n\
         kinds:\n  usual:\n    about: All.\n    required: [id, summary]\n    fields:\n      \
         id: {{type: name, means: id}}\n      summary: {{type: name, means: summary{more}}}\n    \
         examples:\n      - |\n        id: a\n        summary: b\n"
    )
}

#[test]
fn what_was_done_is_a_summary_where_nothing_else_is() {
    let checker = with_one(&note(""));
    let id = [("id", "N-1")];
    let package = convert(&checker, ENVELOPE, "package", &[]);
    for text in [ENVELOPE, &package] {
        let made = canonical(&checker, &convert(&checker, text, "note", &id));
        assert_eq!(made["summary"], json!("Wrote src/a.rs"));
        let home =
            canonical(&checker, &convert(&checker, &convert(&checker, text, "note", &id), "envelope", &[]));
        assert_eq!(home, canonical(&checker, ENVELOPE));
    }
    // What a file says itself counts, nothing included.
    for (more, missing) in [(", or-means: []", 1), (", or-means: [reason]", 0)] {
        let checker = with_one(&note(more));
        let converted = try_convert(&checker, ENVELOPE, "note", &id).unwrap();
        assert_eq!(converted.handoffs[0].gaps.len(), missing, "{more}: {}", converted.text);
        assert!(!converted.text.contains("summary: Wrote"), "{more}: {}", converted.text);
    }
}

#[test]
fn the_name_of_an_entry_must_be_there() {
    let checker = with_one(&definition("crew"));
    let text = "<handoff><from>implementer-agent</from><to>b</to><status>error</status></handoff>";
    let given = [("state", "busy"), ("shift", "2026-06-01")];
    let converted = try_convert(&checker, text, "crew", &given).unwrap();
    let gaps: Vec<_> = converted.handoffs[0].gaps.iter().map(|gap| gap.path.as_str()).collect();
    assert_eq!(gaps, ["agent"], "{}", converted.text);
    let [state, shift] = given;
    let made = convert(&checker, text, "crew", &[state, shift, ("agent", "builder")]);
    assert!(made.contains("builder:") && faults(&checker, &made).is_empty(), "{made}");
    let fitting = convert(&checker, &text.replace("implementer-agent", "builder"), "crew", &given);
    assert!(fitting.contains("builder:"), "{fitting}");
}

#[test]
fn text_among_elements_comes_back_as_it_was_written() {
    // proves A-06
    let checker = checker();
    for inner in [
        "Please <b>do not</b> merge <i>this</i> before <b>Monday</b>, thanks",
        "1<b>2</b>3<b>4</b>5",
        "a &amp; b <x y=\"&lt;'>\">c<z/>d</x><!-- e --> f <![CDATA[<g>]]>",
        "\n    In <b>two</b>\n    lines\n  ",
    ] {
        for (open, close) in [
            ("<note>", "</note>"),
            ("<note kind='a>b'>", "</note >"),
            ("<own><note at=\"1\">", "</note><other>x</other></own>"),
            ("<summary>", "</summary>"),
            ("<summary lang=\"en\">", "</summary>"),
            ("<data><note>", "</note></data>"),
            ("<blocking_issues><issue severity=\"critical\">", "</issue></blocking_issues>"),
        ] {
            let text = format!("<handoff><from>a</from><to>b</to>{open}{inner}{close}</handoff>");
            for to in ["package", "envelope", "exchange"] {
                let given: &[(&str, &str)] = match to {
                    "package" => &[("context.summary", "x")],
                    "exchange" => &[("phase", "write"), ("task_id", "t"), ("context_summary", "x")],
                    _ => &[],
                };
                let there = convert(&checker, &text, to, given);
                // Where text alone may stand it is asked for, as it would be found there.
                let back = try_convert(&checker, &there, "pipeline", &[]).unwrap();
                let is_whole = back.handoffs.iter().all(|handoff| handoff.gaps.is_empty());
                assert_eq!(is_whole, faults(&checker, &text).is_empty(), "{text}");
                let back = back.text;
                assert!(back.contains(&format!(">{inner}</")), "{text}\n{there}\n{back}");
                assert_eq!(canonical(&checker, &back), canonical(&checker, &text), "{there}\n{back}");
                let over = convert(&checker, &there, "manifest", MANIFEST);
                let over = try_convert(&checker, &over, "pipeline", &[]).unwrap().text;
                assert!(over.contains(&format!(">{inner}</")), "{over}");
            }
        }
    }
}

const MANIFEST: &[(&str, &str)] = &[("source_file", "discussion/001-a-response.md"), ("generated_at", NOW)];

#[test]
fn text_among_elements_is_told_in_its_order() {
    let checker = checker();
    let text = "<handoff><from>a</from><to>b</to><summary>Do <b>not</b> merge src/a.rs</summary>\
                <own>1<b>2</b>3<b>4</b>5</own><plain>a<![CDATA[b]]>c<!-- d -->e</plain></handoff>";
    let form = canonical(&checker, text);
    assert_eq!(form["handoff"]["own"], json!({"b": ["2", "4"], "#text": "1 3 5"}));
    assert_eq!(form["handoff"]["plain"], json!("abce"));
    let converted = try_convert(&checker, text, "package", &[]).unwrap();
    assert_eq!(fate(&converted.handoffs[0], "own"), &Fate::Extension);
    let package = canonical(&checker, &converted.text);
    assert_eq!(package["handoff"]["context"]["summary"], json!("Do <b>not</b> merge src/a.rs"));
}

#[test]
fn what_is_no_content_of_an_element_is_written_as_text() {
    let checker = checker();
    let text = "<handoff><from>a</from><to>b</to><note>x <b>y</b> z</note></handoff>";
    let there = convert(&checker, text, "envelope", &[]);
    let wrong = [
        "</note><to>c</to><note>",
        "<b>",
        "a & b",
        "<!DOCTYPE a>",
        "<?xml version='1.0'?>",
        "\\u0001",
        "</b>",
    ];
    for wrong in wrong {
        let there = there.replace("x <b>y</b> z", wrong);
        let back = convert(&checker, &there, "pipeline", &[]);
        assert_eq!(faults(&checker, &back), [""; 0], "{back}");
        assert_eq!(canonical(&checker, &back)["handoff"]["to"], json!("b"), "{back}");
    }
}

#[test]
fn every_character_comes_back_from_xml() {
    let checker = checker();
    let text = r#"{"task_id":"t","phase":"write","status":"complete","decision":"PROCEED","findings":{},
        "context_summary":"src/a.rs \uffff x","foo":"\ufffe \u0000 \u0001","\uffff":"\uffff"}"#;
    let there = convert(&checker, text, "pipeline", &[]);
    assert_eq!(faults(&checker, &there), [""; 0], "{there}");
    let back = convert(&checker, &there, "exchange", &[]);
    assert_eq!(canonical(&checker, &back), canonical(&checker, text), "{there}");
}
