//! What is kept of a handoff that was converted: what the report says of it, what comes home, and what `x-baton` may do.

use baton_document::dialect::DialectKind;
use baton_document::{Carried, Checker, Fate};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::convert::{PACKAGE, canonical, checker, convert, each_converted, try_convert};
use crate::generated::Choices;

const ENVELOPE: &str = r#"{
  "meta": {"step_id": "review", "flow_key": "build", "agent_key": "critic", "timestamp": "2026-01-02T03:04:05Z"},
  "status": "UNVERIFIED",
  "summary": {"what_i_did": "Reviewed src/auth.py", "what_i_found": "Two faults in src/auth.py"},
  "routing": {"recommendation": "CONTINUE", "next_step_suggestion": "implement", "reason": "fine"}
}"#;

#[test]
fn what_is_set_takes_nothing_of_the_original_with_it() {
    // proves A-08
    let checker = checker();
    for (text, to, home, set) in [
        (ENVELOPE, "package", "envelope", vec![("to.agent", "developer")]),
        (PACKAGE, "pipeline", "package", vec![("to", "x")]),
        (PACKAGE, "envelope", "package", vec![("summary.evidence.measurements", "{\"a\": {\"b\": 1}}")]),
        (ENVELOPE, "exchange", "envelope", vec![("phase", "write")]),
        (ENVELOPE, "exchange", "envelope", vec![("phase", "review"), ("task_id", "t")]),
        (ENVELOPE, "exchange", "envelope", vec![("phase", "write"), ("task_id", "t"), ("status", "blocked")]),
    ] {
        let there = convert(&checker, text, to, &set);
        let back = convert(&checker, &there, home, &[]);
        assert_eq!(canonical(&checker, &back), canonical(&checker, text), "{set:?}\n{there}");
    }
}

#[test]
fn what_was_set_and_changed_since_comes_home() {
    let checker = checker();
    let there = convert(&checker, ENVELOPE, "package", &[("to.agent", "developer")]);
    let back = convert(&checker, &there.replacen("developer", "tester", 1), "envelope", &[]);
    let mut expected = canonical(&checker, ENVELOPE);
    expected["routing"]["next_step_suggestion"] = json!("tester");
    assert_eq!(canonical(&checker, &back), expected);
}

#[test]
fn what_is_set_on_the_way_home_is_there() {
    let checker = checker();
    let there = convert(&checker, ENVELOPE, "package", &[]);
    let back = canonical(&checker, &convert(&checker, &there, "envelope", &[("routing.reason", "late")]));
    let mut expected = canonical(&checker, ENVELOPE);
    expected["routing"]["reason"] = json!("late");
    assert_eq!(back, expected);
}

#[test]
fn what_was_added_since_and_has_no_place_at_home_is_kept_beside_it() {
    // proves A-06
    let checker = checker();
    let there = convert(&checker, PACKAGE, "envelope", &[]);
    let there = there.replacen("\"UNVERIFIED\"", "\"VERIFIED\",\n  \"added\": [\"by hand\"]", 1);
    let home = convert(&checker, &there, "package", &[]);
    let mut form = canonical(&checker, &home);
    let kept = form["handoff"].as_object_mut().and_then(|handoff| handoff.remove("x-baton")).unwrap();
    assert_eq!(form, canonical(&checker, PACKAGE));
    assert_eq!(kept["fields"], json!({"status": "VERIFIED", "added": ["by hand"]}));
    // And it goes on from there, wherever that is.
    let again = canonical(&checker, &convert(&checker, &home, "envelope", &[]));
    assert_eq!((&again["status"], &again["added"]), (&json!("VERIFIED"), &json!(["by hand"])));
    let on = convert(&checker, &home, "exchange", &[("phase", "write")]);
    assert!(on.contains("by hand"), "{on}");
}

/// The value at a dotted path; keys may have dots themselves.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    if let Some(found) = value.get(path) {
        return Some(found);
    }
    let mut dots = path.match_indices('.');
    dots.find_map(|(dot, _)| value.get(&path[..dot]).and_then(|inner| at(inner, &path[dot + 1..])))
}

/// The paths of all that a document says; an empty map says nothing.
fn leaves(value: &Value, path: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                leaves(inner, &path, into);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            into.push(path.to_owned());
        }
    }
}

fn unwrapped(form: Value, kind: Option<&DialectKind>) -> Value {
    let root = kind.and_then(|kind| kind.root.as_ref()).and_then(|root| form.get(&*root.text)).cloned();
    root.unwrap_or(form)
}

#[test]
fn a_report_tells_of_fields_alone_where_nothing_but_what_is_absent_is_kept() {
    // proves A-08
    let text = r#"{"handoff": {"timestamp": "2026-01-31T09:30:00Z", "from": {"agent": "Implemented login in src/auth.rs"},
        "to": {"agent": "Implemented login in src/auth.rs"},
        "context": {"summary": "Implemented login in src/auth.rs", "decisions": []}}}"#;
    let set = [("meta.step_id", "Implemented login in src/auth.rs")];
    let there = try_convert(&checker(), text, "envelope", &set).unwrap();
    let paths: Vec<&str> = there.handoffs[0].fields.iter().map(|field| field.path.as_str()).collect();
    assert!(!paths.is_empty() && !paths.contains(&""), "{paths:?}\n{}", there.text);
}

#[test]
fn the_report_says_what_happened() {
    // proves A-08
    each_converted(500, |checker, dialect, text, there, (_, became)| {
        let conversion = &there.handoffs[0];
        let kind = dialect.kinds.iter().find(|kind| *kind.name == *conversion.from.1);
        let original = unwrapped(canonical(checker, text), kind);
        let result = unwrapped(canonical(checker, &there.text), Some(became));
        let extension = match (result.get("x-baton"), at(&result, "data.x-baton")) {
            (Some(Value::String(text)), _) | (None, Some(Value::String(text))) => {
                serde_json::from_str(text).unwrap()
            }
            (Some(extension), _) => extension.clone(),
            (None, _) => Value::Null,
        };
        let kept = extension.get("fields").cloned().unwrap_or_default();
        let fields = &conversion.fields;
        for Carried { path, fate } in fields {
            let told = format!("{path}: {fate:?}\n{text}\nbecame\n{}", there.text);
            match fate {
                Fate::Carried { to, is_kept, is_cut } => {
                    prop_assert!(to.iter().all(|to| at(&result, to).is_some()), "{}", told);
                    prop_assert!(!to.is_empty() || !became.implied.is_empty(), "{}", told);
                    prop_assert_eq!(*is_kept, at(&kept, path).is_some(), "{}", told);
                    prop_assert!(!is_cut, "{}", told);
                }
                Fate::Extension => prop_assert!(at(&kept, path).is_some(), "{}", told),
                Fate::MadeUp(_) | Fate::Set { is_replaced: false, .. } => {
                    prop_assert!(at(&result, path).is_some(), "{}", told);
                }
                Fate::Set { is_replaced: true, .. } => prop_assert!(false, "{}", told),
                Fate::Undone | Fate::Lost => prop_assert!(false, "{}", told),
            }
        }
        let mut paths = Vec::new();
        leaves(&original, "", &mut paths);
        let is_within = |path: &str, of: &str| {
            path.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        for path in paths {
            let is_told = |field: &&Carried| is_within(&path, &field.path) || is_within(&field.path, &path);
            let is_told = fields.iter().any(|field| is_told(&field));
            prop_assert!(is_told, "{}: {:?}\n{}\nbecame\n{}", path, fields, text, there.text);
        }
        Ok(())
    });
}

/// A value for `x-baton` that may look like one.
fn nonsense(choices: &mut Choices<'_>) -> Value {
    let mut extension = Map::new();
    for key in ["dialect", "kind", "fields", "absent", "given", "other"] {
        let value = match (key, choices.below(8)) {
            (_, 0) => any_value(choices, 3),
            ("other", _) | (_, 1) => continue,
            ("dialect", at) => {
                json!(["package", "envelope", "exchange", "pipeline", "manifest", "none"][at % 6])
            }
            ("kind", at) => json!(
                [
                    "sequential",
                    "acknowledgment",
                    "gate",
                    "envelope",
                    "response",
                    "request",
                    "other",
                    "legacy"
                ][at]
            ),
            ("absent", _) => json!([PATHS[choices.below(PATHS.len())], PATHS[choices.below(PATHS.len())]]),
            (_, _) => {
                let mut map = Map::new();
                for _ in 0..choices.below(4) {
                    put(&mut map, PATHS[choices.below(PATHS.len())], any_value(choices, 2));
                }
                Value::Object(map)
            }
        };
        extension.insert(key.to_owned(), value);
    }
    match choices.below(8) {
        0 => any_value(choices, 3),
        _ => Value::Object(extension),
    }
}

const PATHS: [&str; 14] = [
    "meta",
    "meta.agent_key",
    "summary",
    "summary.what_i_did",
    "context",
    "context.summary",
    "from",
    "from.agent",
    "to",
    "task_id",
    "phase",
    "status",
    "findings",
    "x-baton",
];

fn put(map: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        Some((key, rest)) => {
            let inner = map.entry(key).or_insert_with(|| json!({}));
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
        None => drop(map.insert(path.to_owned(), value)),
    }
}

fn any_value(choices: &mut Choices<'_>, depth: usize) -> Value {
    match choices.below(if depth == 0 { 4 } else { 7 }) {
        0 => Value::Null,
        1 => json!(choices.below(100)),
        2 => json!("write"),
        3 => json!(["human", "b", "2026-01-01", ""][choices.below(4)]),
        4 => json!([any_value(choices, depth - 1), any_value(choices, depth - 1)]),
        5 => json!({ PATHS[choices.below(PATHS.len())]: any_value(choices, depth - 1) }),
        _ => {
            let mut deep = any_value(choices, 0);
            for _ in 0..40 {
                deep = json!({ "x-baton": deep });
            }
            deep
        }
    }
}

/// A handoff in which every word is one of its own, and those words.
fn marked(dialect: usize, extension: &Value) -> (String, Vec<String>) {
    let mut form = match dialect {
        0 => json!({"meta": {"step_id": "word1", "flow_key": "word2", "agent_key": "word3",
            "timestamp": "2026-01-02T03:04:05Z"}, "status": "VERIFIED",
            "summary": {"what_i_did": "word4", "what_i_found": "word5", "key_decisions": ["word6"]},
            "concerns": [{"severity": "LOW", "description": "word7"}], "word8": "word9",
            "routing": {"recommendation": "CONTINUE", "next_step_suggestion": "word10", "reason": "word11"}}),
        1 => json!({"from": {"agent": "word1", "step": 3}, "to": {"agent": "word2", "reason": "word3"},
            "context": {"summary": "word4", "decisions": [{"id": "word5", "decision": "word6"}]},
            "expectations": {"deliverable": "word7"}, "word8": ["word9"]}),
        _ => json!({"task_id": "word1", "phase": "research", "status": "complete", "decision": "STOP",
            "findings": {"recommendations": ["word2"]}, "context_summary": "word3", "issues": ["word4"],
            "word5": {"word6": "word7"}}),
    };
    let mut words = Vec::new();
    let text = form.to_string();
    for number in 1..12 {
        let word = format!("word{number}\"");
        words.extend(text.contains(&word).then(|| word.trim_end_matches('"').to_owned()));
    }
    form["x-baton"] = extension.clone();
    let form = if dialect == 1 { json!({ "handoff": form }) } else { form };
    (form.to_string(), words)
}

/// Whether a text has a word that is not the start of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text[at + word.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

#[test]
fn nothing_of_a_handoff_is_lost_whatever_its_extension_says() {
    // proves A-06, A-08
    let checker = checker();
    let strategy = (0..3_usize, 0..5_usize, prop::collection::vec(any::<u16>(), 0..60));
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(&strategy, |(dialect, to, numbers)| {
            let (text, words) = marked(dialect, &nonsense(&mut Choices::new(&numbers)));
            let to = &*checker.dialects().handoffs[to].name;
            let converted = try_convert(&checker, &text, to, &[]).unwrap();
            for word in words {
                prop_assert!(
                    has_word(&converted.text, &word),
                    "{}: {}\nbecame\n{}",
                    word,
                    text,
                    converted.text
                );
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn an_extension_that_is_none_is_a_key_like_any_other() {
    // proves A-06
    let checker = checker();
    for extension in [
        json!([1]),
        json!("text"),
        json!({"dialect": "package", "kind": "sequential", "fields": [1]}),
        json!({"dialect": "package", "kind": "sequential", "fields": {"a": 1}, "absent": [1]}),
        json!({"dialect": "package", "kind": "sequential"}),
        json!({"dialect": "package", "kind": "none", "fields": {"a": 1}}),
        json!({"dialect": "none", "kind": "sequential", "fields": {"a": 1}}),
        json!({"dialect": "envelope", "kind": "envelope", "fields": {"a": 1}}),
        json!({"dialect": "package", "kind": "acknowledgment", "fields": {"received": true}}),
    ] {
        let mut form: Value = serde_json::from_str(ENVELOPE).unwrap();
        form["x-baton"] = extension;
        let text = form.to_string();
        for to in ["package", "pipeline"] {
            let there = convert(&checker, &text, to, &[]);
            assert_eq!(from_of(&checker, &there), "critic", "{there}");
            let back = convert(&checker, &there, "envelope", &[]);
            assert_eq!(canonical(&checker, &back), form, "{there}");
        }
    }
}

fn from_of(checker: &Checker, text: &str) -> String {
    let form = canonical(checker, text);
    let from = &form["handoff"]["from"];
    from.get("agent").unwrap_or(from).as_str().unwrap_or_default().to_owned()
}
