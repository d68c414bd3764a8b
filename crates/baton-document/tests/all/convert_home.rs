//! Handoffs on their way home: what was changed since, and what became of each field of the one that goes.

use baton_document::{Carried, Converted, Fate};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::convert::{PACKAGE, canonical, checker, convert, each_converted, fate, faults, try_convert};
use crate::generated::Choices;

const RESPONSE: &str = r#"{"task_id": "T-1", "phase": "write", "status": "complete", "decision": "PROCEED",
  "findings": {"implementation_notes": ["Login in src/login.rs"]}, "context_summary": "Login form in src/login.rs"}"#;

fn gaps(converted: &Converted) -> Vec<&str> {
    converted.handoffs.iter().flat_map(|handoff| &handoff.gaps).map(|gap| gap.path.as_str()).collect()
}

#[test]
fn what_must_be_there_and_was_taken_out_on_the_way_is_asked_for() {
    // proves A-08, A-16
    let checker = checker();
    let mut there: Value = canonical(&checker, &convert(&checker, PACKAGE, "envelope", &[]));
    there["routing"].as_object_mut().unwrap().remove("next_step_suggestion");
    let there = there.to_string();
    let home = try_convert(&checker, &there, "package", &[]).unwrap();
    assert_eq!(gaps(&home), ["to.agent"], "{}", home.text);
    let home = convert(&checker, &there, "package", &[("to.agent", "testing")]);
    assert_eq!(faults(&checker, &home), [""; 0], "{home}");
    assert_eq!(canonical(&checker, &home)["handoff"]["to"]["agent"], json!("testing"));
    assert_eq!(canonical(&checker, &home)["handoff"]["id"], json!("HO-2026-001"));
}

#[test]
fn what_must_be_there_and_has_a_default_is_made_up_on_the_way_home() {
    // proves A-08
    let checker = checker();
    let envelope = r#"{"meta": {"step_id": "a", "flow_key": "f", "agent_key": "b", "timestamp": "2026-01-02T03:04:05Z"},
      "status": "BLOCKED", "summary": {"what_i_did": "Looked at src/a.rs"},
      "routing": {"recommendation": "ESCALATE", "next_step_suggestion": "lead", "reason": "no key"}}"#;
    let there = convert(&checker, envelope, "package", &[]);
    let mut form = canonical(&checker, &there);
    form["handoff"]["to"].as_object_mut().unwrap().remove("reason");
    let home = try_convert(&checker, &form.to_string(), "envelope", &[]).unwrap();
    assert_eq!(gaps(&home), [""; 0]);
    assert_eq!(*fate(&home.handoffs[0], "routing.reason"), Fate::MadeUp("\"not given\"".to_owned()));
    assert_eq!(faults(&checker, &home.text), [""; 0], "{}", home.text);
}

#[test]
fn an_extension_that_claims_to_be_the_target_is_held_to_it() {
    // proves A-08
    let checker = checker();
    let envelope = |extension: Value, suggestion: Option<&str>| {
        json!({"meta": {"step_id": "a", "flow_key": "f", "agent_key": "b", "timestamp": "2026-01-02T03:04:05Z"},
            "status": "VERIFIED", "summary": {"what_i_did": "Looked at src/a.rs"},
            "routing": {"recommendation": "CONTINUE", "reason": "fine", "next_step_suggestion": suggestion}, "x-baton": extension})
        .to_string()
    };
    let text = envelope(json!({"dialect": "pipeline", "kind": "other", "fields": {"branch": "main"}}), None);
    assert_eq!(gaps(&try_convert(&checker, &text, "pipeline", &[]).unwrap()), ["to"]);
    // What has the wrong type is asked for as well.
    let fields = json!({"to": {"agent": "c"}, "expectations": [1]});
    let text = envelope(json!({"dialect": "package", "kind": "sequential", "fields": fields}), Some("c"));
    assert_eq!(gaps(&try_convert(&checker, &text, "package", &[]).unwrap()), ["expectations"]);
    let home = convert(&checker, &text, "package", &[("expectations", "{\"deliverable\": \"Tests\"}")]);
    assert_eq!(faults(&checker, &home), [""; 0], "{home}");
}

#[test]
fn a_time_that_was_made_up_and_changed_since_is_said() {
    // proves A-08
    let checker = checker();
    let there = convert(&checker, RESPONSE, "envelope", &[]);
    let mut form = canonical(&checker, &there);
    assert_eq!(
        canonical(&checker, &convert(&checker, &there, "exchange", &[])),
        canonical(&checker, RESPONSE)
    );
    form["meta"]["timestamp"] = json!("2026-05-05T05:05:05Z");
    let text = form.to_string();
    let home = try_convert(&checker, &text, "exchange", &[]).unwrap();
    assert_eq!(*fate(&home.handoffs[0], "meta.timestamp"), Fate::Extension);
    assert!(home.text.contains("2026-05-05T05:05:05Z"), "{}", home.text);
    let on = try_convert(&checker, &text, "pipeline", &[]).unwrap();
    assert!(on.text.contains("2026-05-05T05:05:05Z"), "{}", on.text);
    assert_eq!(*fate(&on.handoffs[0], "meta.timestamp"), Fate::Extension);
    // The same where home has a place for it and said nothing there.
    let package = PACKAGE.replace("  timestamp: \"2026-01-31T09:30:00Z\"\n", "");
    let mut form = canonical(&checker, &convert(&checker, &package, "envelope", &[]));
    form["meta"]["timestamp"] = json!("2026-05-05T05:05:05Z");
    let home = canonical(&checker, &convert(&checker, &form.to_string(), "package", &[]));
    assert_eq!(home["handoff"]["timestamp"], json!("2026-05-05T05:05:05Z"));
}

#[test]
fn the_report_of_a_way_home_names_the_fields_of_the_one_that_goes() {
    // proves A-08
    let checker = checker();
    let there = convert(&checker, PACKAGE, "envelope", &[]);
    let home = try_convert(&checker, &there, "package", &[]).unwrap();
    let carried = |to: &str| Fate::Carried { to: vec![to.to_owned()], is_kept: false, is_cut: false };
    assert_eq!(*fate(&home.handoffs[0], "meta.agent_key"), carried("from.agent"));
    assert_eq!(*fate(&home.handoffs[0], "summary.key_decisions"), carried("context.decisions"));
    assert_eq!(*fate(&home.handoffs[0], "x-baton.fields.id"), carried("id"));
    assert_eq!(*fate(&home.handoffs[0], "status"), Fate::Undone);
    let on = try_convert(&checker, &there, "exchange", &[("phase", "write")]).unwrap();
    assert_eq!(*fate(&on.handoffs[0], "meta.agent_key"), Fate::Extension);
    assert_eq!(*fate(&on.handoffs[0], "summary.what_i_did"), carried("context_summary"));
    assert_eq!(*fate(&on.handoffs[0], "x-baton.fields.id"), Fate::Extension);
}

/// Changes something in a document at random.
fn edit(value: &mut Value, choices: &mut Choices<'_>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let at = choices.below(map.len());
            let Some(key) = map.keys().nth(at).cloned() else { return };
            match choices.below(6) {
                0 => drop(map.remove(&key)),
                1 => drop(map.insert(format!("{key}_too"), json!("new"))),
                _ => map.values_mut().nth(at).into_iter().for_each(|inner| edit(inner, choices)),
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let at = choices.below(items.len());
            match choices.below(3) {
                0 => drop(items.remove(at)),
                _ => edit(&mut items[at], choices),
            }
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => {
            let others = [
                json!("edited"),
                json!(""),
                json!("  "),
                json!(7),
                json!(true),
                Value::Null,
                json!(["a", 1]),
                json!({"a": "b"}),
                json!("2026-07-07T07:07:07Z"),
                json!("BLOCKED"),
                json!("research"),
            ];
            *value = others[choices.below(others.len())].clone();
        }
    }
}

/// The dotted paths of what a document says, without what is kept in it; an empty map says nothing.
fn leaves(value: &Value, path: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map.iter().filter(|(key, _)| *key != "x-baton") {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                leaves(inner, &path, into);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            into.push(path.to_owned());
        }
    }
}

#[test]
fn what_was_changed_at_random_comes_home_whole_or_is_refused_and_every_field_is_told() {
    // proves A-08
    let strategy = prop::collection::vec(any::<u16>(), 48);
    let seeds = std::cell::RefCell::new(proptest::test_runner::TestRunner::deterministic());
    each_converted(700, |checker, dialect, text, there, (target, became)| {
        use proptest::strategy::ValueTree;
        let numbers = strategy.new_tree(&mut seeds.borrow_mut()).unwrap().current();
        let mut choices = Choices::new(&numbers);
        let mut form = canonical(checker, &there.text);
        for _ in 0..=choices.below(3) {
            edit(&mut form, &mut choices);
        }
        let changed = crate::generated::text(target, &form);
        let Some(_) = checker.canonical(crate::convert::input(&changed), &mut Default::default()) else {
            return Ok(());
        };
        for to in checker.dialects().handoffs.iter().filter(|to| to.name != target.name) {
            let Ok(home) = try_convert(checker, &changed, &to.name, &[]) else { continue };
            let [conversion] = home.handoffs.as_slice() else { continue };
            let told =
                format!("{text}\nbecame\n{changed}\nand {}\n{}\n{:?}", to.name, home.text, conversion.fields);
            if conversion.from.0 != *target.name || conversion.from.1 != *became.name {
                continue;
            }
            let is_draft = conversion.to.1 == "draft";
            if conversion.gaps.is_empty() && !is_draft {
                let faults = faults(checker, &home.text);
                prop_assert!(faults.is_empty(), "{:?}\n{}", faults, told);
            }
            let root = became.root.as_ref().map(|root| &*root.text);
            let form = canonical(checker, &changed);
            let inner = root.and_then(|root| form.get(root)).unwrap_or(&form);
            let mut paths = Vec::new();
            leaves(inner, "", &mut paths);
            let is_within = |path: &str, of: &str| {
                path.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            for path in paths {
                let is_told = |field: &Carried| {
                    let is_source = !matches!(field.fate, Fate::MadeUp(_) | Fate::Set { .. });
                    is_source && (is_within(&path, &field.path) || is_within(&field.path, &path))
                };
                prop_assert!(conversion.fields.iter().any(is_told), "{} in {}", path, told);
            }
        }
        let _ = dialect;
        Ok(())
    });
}
