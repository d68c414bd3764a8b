//! Conversion between dialects: what is carried, what is kept, what comes back.

use baton_document::carrier::Look;
use baton_document::dialect::{Dialect, DialectKind, Field, MapShape, Settings};
use baton_document::{
    Checker, Conversion, Converted, Datum, Fate, Input, Level, Levels, Limits, NoWorld, Order, Scratch,
    SetError,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::generated::{self, Choices};

pub(crate) const NOW: &str = "2026-03-01T12:00:00Z";

pub(crate) fn checker() -> Checker {
    Checker::new(&Settings::default(), Levels::default(), Limits::default())
}

/// A text as a file of the notation it looks like.
pub(crate) fn input(text: &str) -> Input<'_> {
    let path = match text.trim_start_matches('\u{feff}').bytes().next() {
        Some(b'<') => "a.xml",
        Some(b'{' | b'[') => "a.json",
        Some(_) | None => "a.yaml",
    };
    Input { path: Some(path), bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true }
}

pub(crate) fn try_convert(
    checker: &Checker,
    text: &str,
    to: &str,
    set: &[(&str, &str)],
) -> Result<Converted, SetError> {
    let set: Vec<_> = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let order = Order { to, set: &set, now: Some(NOW), wants_report: true };
    let converted = checker.convert(input(text), order, &mut Scratch::default())?;
    Ok(converted.unwrap_or_else(|| panic!("unread: {text}")))
}

pub(crate) fn convert(checker: &Checker, text: &str, to: &str, set: &[(&str, &str)]) -> String {
    let converted = try_convert(checker, text, to, set).unwrap();
    let gaps: Vec<_> = converted.handoffs.iter().flat_map(|handoff| &handoff.gaps).collect();
    assert!(gaps.is_empty(), "{gaps:?} in {text}");
    converted.text
}

pub(crate) fn canonical(checker: &Checker, text: &str) -> Value {
    let forms = checker.canonical(input(text), &mut Scratch::default());
    let forms: Vec<Datum<'_>> = forms.unwrap_or_else(|| panic!("unread: {text}"));
    assert_eq!(forms.len(), 1, "{text}");
    Value::from(&forms[0])
}

pub(crate) fn dialect_of(checker: &Checker, text: &str) -> Option<(String, String)> {
    let checked = checker.check(input(text), &NoWorld, &mut Scratch::default());
    let handoff = checked.handoffs.first()?;
    Some((checker.dialect_of(handoff).name.to_string(), checker.kind_of(handoff).name.to_string()))
}

/// What is wrong with the shape of a text.
pub(crate) fn faults(checker: &Checker, text: &str) -> Vec<String> {
    let checked = checker.check(input(text), &NoWorld, &mut Scratch::default());
    let is_shape = |rule: &str| {
        rule.split('/').count() == 3 || (rule.starts_with("document/") && rule != "document/unknown-key")
    };
    let faults =
        checked.findings.iter().filter(|finding| finding.level == Level::Error && is_shape(&finding.rule));
    faults.map(|finding| format!("{}: {}", finding.rule, finding.message)).collect()
}

pub(crate) fn fate<'c>(conversion: &'c Conversion, path: &str) -> &'c Fate {
    let field = conversion.fields.iter().find(|field| field.path == path);
    &field.unwrap_or_else(|| panic!("{path} is not in {:?}", conversion.fields)).fate
}

pub(crate) const PACKAGE: &str = "\
# The client waits for this.
handoff:
  id: HO-2026-001
  timestamp: \"2026-01-31T09:30:00Z\"
  from: {agent: specification, step: 2}
  to: {agent: architecture, reason: Specs validated}
  context:
    summary: 12 user stories in docs/stories.md
    decisions:
      - {id: D-001, decision: PostgreSQL 15, rationale: In production already}
    artifacts:
      - {path: docs/stories.md, type: spec, description: The stories}
  workflow_state: {name: web-project, current_step: 2}
";

#[test]
fn each_field_is_carried_kept_made_up_or_lost_and_the_report_says_which() {
    // proves A-08
    let checker = checker();
    let converted = try_convert(&checker, PACKAGE, "envelope", &[]).unwrap();
    let [conversion] = converted.handoffs.as_slice() else { panic!("{converted:?}") };
    assert_eq!(conversion.from, ("package".to_owned(), "sequential".to_owned()));
    assert_eq!(conversion.to, ("envelope".to_owned(), "envelope".to_owned()));
    let carried = |to: &str, is_kept| Fate::Carried { to: vec![to.to_owned()], is_kept, is_cut: false };
    assert_eq!(*fate(conversion, "from.agent"), carried("meta.agent_key", false));
    assert_eq!(*fate(conversion, "to.agent"), carried("routing.next_step_suggestion", false));
    assert_eq!(*fate(conversion, "context.summary"), carried("summary.what_i_did", false));
    assert_eq!(*fate(conversion, "context.decisions"), carried("summary.key_decisions", true));
    assert_eq!(*fate(conversion, "id"), Fate::Extension);
    assert_eq!(*fate(conversion, "status"), Fate::MadeUp("\"UNVERIFIED\"".to_owned()));
    let form = canonical(&checker, &converted.text);
    assert_eq!(form["summary"]["key_decisions"], json!(["D-001: PostgreSQL 15 (In production already)"]));
    assert_eq!(form["summary"]["evidence"]["artifacts_produced"], json!(["docs/stories.md"]));
    assert_eq!(form["x-baton"]["fields"]["id"], json!("HO-2026-001"));
    assert_eq!(faults(&checker, &converted.text), [""; 0]);
}

#[test]
fn a_handoff_comes_back_as_it_was_and_what_was_changed_meanwhile_wins() {
    // proves A-08
    let checker = checker();
    let envelope = convert(&checker, PACKAGE, "envelope", &[]);
    let back = convert(&checker, &envelope, "package", &[]);
    assert_eq!(canonical(&checker, &back), canonical(&checker, PACKAGE));

    let changed =
        envelope.replace("12 user stories", "14 user stories").replace("D-001: PostgreSQL 15", "MySQL 8");
    let back = canonical(&checker, &convert(&checker, &changed, "package", &[]));
    assert_eq!(back["handoff"]["context"]["summary"], json!("14 user stories in docs/stories.md"));
    assert_eq!(
        back["handoff"]["context"]["decisions"],
        json!([{"decision": "MySQL 8 (In production already)"}])
    );
    assert_eq!(back["handoff"]["id"], json!("HO-2026-001"), "what was not changed is still there");
}

#[test]
fn a_handoff_finds_its_way_home_over_several_dialects() {
    let checker = checker();
    let manifest = convert(&checker, PACKAGE, "manifest", &[("source_file", "discussion/001-a-response.md")]);
    let pipeline = convert(&checker, &manifest, "pipeline", &[]);
    assert!(pipeline.contains("<summary>12 user stories in docs/stories.md</summary>"), "{pipeline}");
    let back = convert(&checker, &pipeline, "package", &[]);
    assert_eq!(canonical(&checker, &back), canonical(&checker, PACKAGE));
}

#[test]
fn a_field_without_a_source_is_named_with_what_would_be_right() {
    let checker = checker();
    let converted = try_convert(&checker, PACKAGE, "manifest", &[]).unwrap();
    let gaps: Vec<_> = converted.handoffs[0].gaps.iter().map(|gap| (&*gap.path, &*gap.expected)).collect();
    assert_eq!(gaps, [("source_file", "discussion/NNN-<name>-response.md")]);
    let set = [("source_file", "discussion/007-claude-response.md")];
    let manifest = convert(&checker, PACKAGE, "manifest", &set);
    assert_eq!(canonical(&checker, &manifest)["source_file"], json!("discussion/007-claude-response.md"));
    assert_eq!(faults(&checker, &manifest), [""; 0]);
}

#[test]
fn what_is_set_must_be_a_field_and_fit_it() {
    let checker = checker();
    let refused = |to: &str, key: &str, value: &str| {
        try_convert(&checker, PACKAGE, to, &[(key, value)]).unwrap_err().to_string()
    };
    assert_eq!(refused("envelop", "a", "b"), "no dialect is called `envelop`");
    assert_eq!(
        refused("envelope", "statsu", "b"),
        "`statsu` is no field of envelope; did you mean `status`?"
    );
    assert_eq!(
        refused("envelope", "status", "GOOD"),
        "`status` cannot be `GOOD`: expected one of VERIFIED, UNVERIFIED, BLOCKED"
    );
    let envelope = convert(&checker, PACKAGE, "envelope", &[("status", "VERIFIED")]);
    assert_eq!(canonical(&checker, &envelope)["status"], json!("VERIFIED"));
    // A map is given as JSON.
    let given = [("summary.evidence.measurements", r#"{"coverage": 0.9}"#)];
    let envelope = canonical(&checker, &convert(&checker, PACKAGE, "envelope", &given));
    assert_eq!(envelope["summary"]["evidence"]["measurements"], json!({"coverage": 0.9}));
    let twice = [("summary.key_decisions", "one"), ("summary.key_decisions", "two")];
    let envelope = convert(&checker, PACKAGE, "envelope", &twice);
    assert_eq!(canonical(&checker, &envelope)["summary"]["key_decisions"], json!(["one", "two"]));
}

#[test]
fn a_handoff_that_stays_in_its_dialect_keeps_every_byte() {
    // proves A-08, A-15
    let checker = checker();
    let text = PACKAGE.replace('\n', "\r\n");
    for text in [PACKAGE, &text, &format!("\u{feff}{PACKAGE}# the end")] {
        assert_eq!(convert(&checker, text, "package", &[]), text);
        let set = convert(&checker, text, "package", &[("to.agent", "design")]);
        assert_eq!(set, text.replace("agent: architecture", "agent: design"));
    }
}

#[test]
fn what_is_set_where_the_dialect_stays_changes_nothing_else() {
    // proves A-08, A-15
    let checker = checker();
    let set = |text: &str, to: &str, set: &[(&str, &str)]| convert(&checker, text, to, set);
    // A field that is not there is added where its dialect has it, and so is the map around it.
    assert_eq!(
        set(PACKAGE, "package", &[("expectations.deliverable", "A plan")]),
        PACKAGE.replace("  workflow_state", "  expectations: {\"deliverable\":\"A plan\"}\n  workflow_state"),
    );
    assert_eq!(
        set(&PACKAGE.replace(", step: 2}", "}"), "package", &[("from.step", "Design, second")]),
        PACKAGE.replace(", step: 2}", ", step: \"Design, second\"}")
    );
    assert_eq!(
        set(&PACKAGE.replace('\n', "\r\n"), "package", &[("context.open_questions", "Which port?")])
            .replace("\r\n", "\n"),
        PACKAGE.replace(
            "  workflow_state",
            "    open_questions: [{\"question\":\"Which port?\"}]\n  workflow_state"
        )
    );
    // A text over several lines is replaced whole.
    for summary in [
        "|\n      Two lines\n      of text, closes #42",
        ">-\n      folded\n      text",
        "\"over\n      lines\"",
    ] {
        let text = PACKAGE.replace("12 user stories in docs/stories.md", summary);
        assert_eq!(
            set(&text, "package", &[("context.summary", "3 tests in a.rs")]),
            PACKAGE.replace("12 user stories in docs/stories.md", "\"3 tests in a.rs\"")
        );
    }
    let json = "{\n  \"task_id\": \"t\",\n  \"phase\": \"write\",\n  \"status\": \"complete\",\n  \"decision\": \"STOP\"\n}\n";
    assert_eq!(
        set(json, "exchange", &[("context_summary", "x"), ("status", "partial")]),
        json.replace("complete", "partial").replace("STOP\"", "STOP\",\n  \"context_summary\": \"x\"")
    );
    let xml = "<handoff>\n  <from>a</from>\n  <!-- who -->\n  <to>b</to>\n</handoff>\n";
    assert_eq!(
        set(xml, "pipeline", &[("to", "c & d"), ("status", "success")]),
        xml.replace(">b</to>", ">c &amp; d</to>\n  <status>success</status>")
    );
    // A comment would go with the text that it stands in.
    let commented = PACKAGE.replace("12 user", "| # why\n      12 user");
    let refused = try_convert(&checker, &commented, "package", &[("context.summary", "x")]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`context.summary` cannot be set here without changing something else: edit it by hand"
    );
}

#[test]
fn unknown_keys_go_along_and_come_back() {
    // proves A-06
    let checker = checker();
    let text = PACKAGE.replace("  workflow_state", "  ticket: [ABC-1, {deep: yes}]\n  workflow_state");
    for to in ["envelope", "exchange", "pipeline"] {
        let there = convert(&checker, &text, to, &[]);
        let back = canonical(&checker, &convert(&checker, &there, "package", &[]));
        assert_eq!(back["handoff"]["ticket"], json!(["ABC-1", {"deep": "yes"}]), "{to}");
    }
}

#[test]
fn attributes_and_names_with_a_prefix_come_back() {
    // proves A-06, A-08
    let checker = checker();
    let text = "<handoff xmlns:k=\"urn:k\">\n  <from role=\"dev\">a</from>\n  <to>b</to>\n  \
                <k:extra k:at=\"1\">v</k:extra>\n</handoff>\n";
    let form = canonical(&checker, text);
    assert_eq!(
        form["handoff"]["from"],
        json!({"@role": "dev", "#text": "a"}),
        "an unknown attribute is kept"
    );
    for to in ["envelope", "exchange", "package"] {
        let set: &[(&str, &str)] = match to {
            "exchange" => &[("task_id", "t")],
            _ => &[],
        };
        let there = try_convert(&checker, text, to, set).unwrap();
        let back = convert(&checker, &there.text, "pipeline", &[]);
        assert_eq!(canonical(&checker, &back), form, "{to}: {}\n{back}", there.text);
        assert!(back.contains("<from role=\"dev\">a</from>"), "{back}");
        assert!(back.contains("<k:extra k:at=\"1\">v</k:extra>"), "{back}");
    }
    // Readers that know of namespaces refuse a prefix that nothing declares.
    let package = PACKAGE.replace("  workflow_state", "  k:extra: v\n  workflow_state");
    let pipeline = convert(&checker, &package, "pipeline", &[]);
    assert!(!pipeline.contains("<k:extra"), "{pipeline}");
    let back = canonical(&checker, &convert(&checker, &pipeline, "package", &[]));
    assert_eq!(back["handoff"]["k:extra"], json!("v"));
}

#[test]
fn every_figure_of_a_number_comes_back() {
    // proves A-08
    let checker = checker();
    let package = PACKAGE.replace("  workflow_state", "  large: 12345678901234567890123\n  workflow_state");
    let package = package.replace("  workflow_state", "  exact: 0.12345678901234567890\n  workflow_state");
    for to in ["envelope", "exchange", "pipeline"] {
        let back = convert(&checker, &convert(&checker, &package, to, &[]), "package", &[]);
        assert!(back.contains("large: 12345678901234567890123\n"), "{to}: {back}");
        assert!(back.contains("exact: 0.12345678901234567890\n"), "{to}: {back}");
    }
}

#[test]
fn several_handoffs_become_one_text() {
    let checker = checker();
    let two = format!("{PACKAGE}---\n{PACKAGE}");
    let list = convert(&checker, &two, "envelope", &[]);
    assert_eq!(checker.canonical(input(&list), &mut Scratch::default()).map(|forms| forms.len()), Some(2));
    let elements = convert(&checker, &two, "pipeline", &[]);
    let back = convert(&checker, &elements, "package", &[]);
    assert_eq!(checker.canonical(input(&back), &mut Scratch::default()).map(|forms| forms.len()), Some(2));
}

#[test]
fn words_mean_the_same_or_less_never_more() {
    let checker = checker();
    let envelope = |status: &str, routing: &str| {
        format!(
            r#"{{"meta": {{"step_id": "s", "flow_key": "f", "agent_key": "a", "timestamp": "{NOW}"}},
            "status": "{status}", "summary": {{"what_i_did": "Wrote src/a.rs"}},
            "routing": {{"recommendation": "{routing}", "reason": "r"}}}}"#
        )
    };
    for (status, routing, expected) in [
        ("VERIFIED", "CONTINUE", ("complete", "PROCEED")),
        ("UNVERIFIED", "LOOP", ("partial", "STOP")),
        ("BLOCKED", "ESCALATE", ("blocked", "CLARIFY")),
        ("UNVERIFIED", "DETOUR", ("partial", "CLARIFY")),
    ] {
        let form = canonical(&checker, &convert(&checker, &envelope(status, routing), "exchange", &[]));
        assert_eq!(
            (form["status"].as_str(), form["decision"].as_str()),
            (Some(expected.0), Some(expected.1))
        );
    }
}

#[test]
fn what_should_not_go_on_has_not_ended_well_where_only_the_outcome_is_told() {
    // proves A-08
    let checker = checker();
    let response = |status: &str, decision: &str| {
        format!(
            r#"{{"task_id": "t", "phase": "review", "status": "{status}", "decision": "{decision}",
            "findings": {{}}, "context_summary": "Read src/a.rs"}}"#
        )
    };
    let envelope = |status: &str, routing: &str| {
        format!(
            r#"{{"meta": {{"step_id": "s", "flow_key": "f", "agent_key": "a", "timestamp": "{NOW}"}},
            "status": "{status}", "summary": {{"what_i_did": "Wrote src/a.rs"}},
            "routing": {{"recommendation": "{routing}", "reason": "r", "next_step_suggestion": "b"}}}}"#
        )
    };
    for (text, status) in [
        (response("complete", "PROCEED"), "success"),
        (response("complete", "STOP"), "blocked"),
        (response("complete", "CLARIFY"), "blocked"),
        (response("partial", "CLARIFY"), "blocked"),
        (envelope("VERIFIED", "CONTINUE"), "success"),
        (envelope("UNVERIFIED", "CONTINUE"), "success"),
        (envelope("UNVERIFIED", "LOOP"), "pending"),
        (envelope("VERIFIED", "LOOP"), "pending"),
        (envelope("UNVERIFIED", "DETOUR"), "blocked"),
        (envelope("VERIFIED", "ESCALATE"), "blocked"),
        (envelope("BLOCKED", "CONTINUE"), "blocked"),
    ] {
        let pipeline = convert(&checker, &text, "pipeline", &[]);
        assert!(pipeline.contains(&format!("<status>{status}</status>")), "{text}\n{pipeline}");
    }
    // And the other way: what is still open is not sent on.
    let handoff =
        |status: &str| format!("<handoff><from>a</from><to>b</to><status>{status}</status></handoff>");
    for (status, expected) in [
        ("success", ("VERIFIED", "CONTINUE")),
        ("pending", ("UNVERIFIED", "LOOP")),
        ("blocked", ("BLOCKED", "ESCALATE")),
        ("failure", ("BLOCKED", "ESCALATE")),
    ] {
        let form = canonical(&checker, &convert(&checker, &handoff(status), "envelope", &[]));
        let told = (form["status"].as_str(), form["routing"]["recommendation"].as_str());
        assert_eq!(told, (Some(expected.0), Some(expected.1)), "{status}");
    }
}

/// Sets some fields at random, and gives what is missing until nothing is.
fn with_gaps_filled(checker: &Checker, text: &str, to: &Dialect, choices: &mut Choices<'_>) -> Converted {
    let mut set: Vec<(String, String)> = Vec::new();
    let convert = |set: &[(String, String)]| {
        let order = Order { to: &to.name, set, now: Some(NOW), wants_report: true };
        checker.convert(input(text), order, &mut Scratch::default()).map(Option::unwrap)
    };
    let kind = |converted: &Converted| {
        to.kinds.iter().find(|kind| *kind.name == *converted.handoffs[0].to.1).unwrap()
    };
    let mut paths = Vec::new();
    settable(&kind(&convert(&set).unwrap()).map, &mut paths);
    for _ in 0..choices.below(6).saturating_sub(2) {
        let field = paths[choices.below(paths.len())];
        set.push((field.path.to_string(), value(field, choices)));
        // What is set may make it another kind, which has other fields.
        if convert(&set).is_err() {
            set.pop();
        }
    }
    for _ in 0..8 {
        let converted = convert(&set).unwrap();
        let gaps: Vec<_> = converted.handoffs.iter().flat_map(|handoff| handoff.gaps.clone()).collect();
        if gaps.is_empty() {
            return converted;
        }
        for gap in gaps {
            let field = field(&kind(&converted).map, &gap.path).unwrap();
            set.push((gap.path, value(field, choices)));
        }
    }
    panic!("there is always something missing: {set:?}\n{text}");
}

/// A value for a field as one types it.
fn value(field: &Field, choices: &mut Choices<'_>) -> String {
    let value = generated::value(field, choices);
    let value = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    if value.trim().is_empty() || value.starts_with(['[', '{']) { "word".to_owned() } else { value }
}

/// The fields that hold a single value.
fn settable<'d>(map: &'d MapShape, into: &mut Vec<&'d Field>) {
    for field in &map.fields {
        match field.shape.as_map() {
            Some(inner) => settable(inner, into),
            None => into.push(field),
        }
    }
}

fn field<'d>(map: &'d MapShape, path: &str) -> Option<&'d Field> {
    map.fields.iter().find_map(|field| match field.shape.as_map() {
        _ if *field.path == *path => Some(field),
        Some(inner) => self::field(inner, path),
        None => None,
    })
}

/// Shows handoffs of every kind, converted into every other dialect: the dialect, the text and what became of it.
pub(crate) fn each_converted(
    cases: u32,
    show: impl Fn(&Checker, &Dialect, &str, &Converted, (&Dialect, &DialectKind)) -> Result<(), TestCaseError>,
) {
    let checker = checker();
    let strategy = (any::<u8>(), any::<u8>(), any::<bool>(), prop::collection::vec(any::<u16>(), 0..160));
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases,
        max_global_rejects: 1_000_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(&strategy, |(kind, to, is_wild, numbers)| {
            let dialects = &checker.dialects().handoffs;
            let kinds: Vec<_> = dialects
                .iter()
                .flat_map(|dialect| dialect.kinds.iter().map(move |kind| (dialect, kind)))
                .filter(|(_, kind)| !kind.is_open && !kind.when.needs_file())
                .collect();
            let (dialect, kind) = kinds[usize::from(kind) % kinds.len()];
            let others: Vec<_> = dialects.iter().filter(|other| other.name != dialect.name).collect();
            let target = others[usize::from(to) % others.len()];
            let mut choices = Choices::new(&numbers);
            let text = generated::text(dialect, &generated::document(kind, &mut choices, is_wild));
            // What was meant as one dialect may look like another, or be wrong in itself.
            let is_usable = dialect_of(&checker, &text).is_some_and(|(name, _)| *name == *dialect.name)
                && faults(&checker, &text).is_empty();
            prop_assume!(is_usable);
            let there = with_gaps_filled(&checker, &text, target, &mut choices);
            let became = target.kinds.iter().find(|kind| *kind.name == *there.handoffs[0].to.1).unwrap();
            show(&checker, dialect, &text, &there, (target, became))
        })
        .unwrap();
}

#[test]
fn there_and_back_through_any_dialect_is_the_original_whatever_was_set() {
    // proves A-08, A-06
    each_converted(800, |checker, dialect, text, there, (target, _)| {
        let there = &there.text;
        let found = dialect_of(checker, there).map(|(name, _)| name);
        prop_assert_eq!(found.as_deref(), Some(&*target.name), "{}\nbecame\n{}", text, there);
        let faults = faults(checker, there);
        prop_assert!(faults.is_empty(), "{:?}\n{}\nbecame\n{}", faults, text, there);
        let back = convert(checker, there, &dialect.name, &[]);
        let (back, original) = (canonical(checker, &back), canonical(checker, text));
        prop_assert_eq!(back, original, "{}\nbecame\n{}", text, there);
        Ok(())
    });
}
