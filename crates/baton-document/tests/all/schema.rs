//! The JSON Schema of a dialect and Baton agree: what one finds structurally clean, the other does too.

use baton_document::carrier::Look;
use baton_document::dialect::{DialectFile, Settings, Strictness, json_schema};
use baton_document::page::{self, Role};
use baton_document::tree::Syntax;
use baton_document::{Checker, Finding, Input, Level, Levels, Limits, NoWorld, Scratch};
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::users::{EXAMPLES, definition};

/// Rules about drift: what lenient takes and strict does not.
const DRIFT: [&str; 6] = [
    "document/boolean-word",
    "document/enum-case",
    "document/enum-synonym",
    "document/key-alias",
    "document/shorthand",
    "document/timestamp-form",
];

/// Structural rules that come from no field.
const STRUCTURE: [&str; 2] = ["document/root-missing", "document/empty"];

struct Setup {
    checker: Checker,
    validators: Vec<(String, Validator, Validator)>,
}

/// All dialects, those of Baton and the examples of users' own.
fn setup() -> Setup {
    let texts = EXAMPLES.map(definition);
    let files: Vec<DialectFile<'_>> =
        EXAMPLES.iter().zip(&texts).map(|(name, text)| DialectFile { path: name, text }).collect();
    let checker = Checker::with_dialects(&Settings::default(), Levels::default(), Limits::default(), &files);
    assert!(checker.unusable().is_empty());
    let dialects = &checker.dialects().handoffs;
    let made = dialects.iter().map(|dialect| {
        let of = |strictness| jsonschema::draft202012::new(&json_schema(dialect, strictness)).unwrap();
        (dialect.name.to_string(), of(Strictness::Strict), of(Strictness::Lenient))
    });
    let validators = made.collect();
    Setup { checker, validators }
}

fn input<'i>(dialect: &'i str, text: &'i str) -> Input<'i> {
    input_at(None, dialect, text)
}

fn input_at<'i>(path: Option<&'i str>, dialect: &'i str, text: &'i str) -> Input<'i> {
    Input { path, bytes: text.as_bytes(), dialect: Some(dialect), look: Look::Prose, is_named: true }
}

/// A handoff in the canonical form of its dialect, as a document that holds it.
fn whole(dialect: &str, form: &Value) -> Value {
    match dialect {
        "ledger" => json!({"task": "T-1", "turns": [form]}),
        "crew" => json!({"shift": "2026-06-01", "crew": {"agents": {"builder": form}}}),
        _ => form.clone(),
    }
}

fn is_structural(finding: &Finding) -> bool {
    let suffixes = ["-missing", "-type", "-enum", "-pattern"];
    let is_shape =
        finding.rule.split('/').count() == 3 && suffixes.iter().any(|end| finding.rule.ends_with(end));
    finding.level == Level::Error && (is_shape || STRUCTURE.contains(&&*finding.rule))
}

impl Setup {
    /// What Baton says: structurally right, and without drift.
    fn judge(&self, input: Input<'_>) -> (bool, bool, Vec<Finding>) {
        let checked = self.checker.check(input, &NoWorld, &mut Scratch::default());
        let is_right = !checked.findings.iter().any(is_structural);
        let is_plain = !checked.findings.iter().any(|finding| DRIFT.contains(&&*finding.rule));
        (is_right, is_right && is_plain, checked.findings)
    }

    fn validate(&self, dialect: &str, form: &Value) -> (bool, bool) {
        let (_, strict, lenient) = self.validators.iter().find(|(name, ..)| name == dialect).unwrap();
        (lenient.is_valid(form), strict.is_valid(form))
    }

    fn agree(&self, input: Input<'_>, form: &Value) -> Result<(), String> {
        let (is_right, is_plain, findings) = self.judge(input);
        let (lenient, strict) = self.validate(input.dialect.unwrap(), form);
        let text = String::from_utf8_lossy(input.bytes);
        if (is_right, is_plain) == (lenient, strict) {
            return Ok(());
        }
        Err(format!(
            "baton {is_right} {is_plain}, schema {lenient} {strict}\n{text}\n{form:#}\n{findings:#?}"
        ))
    }
}

#[test]
fn every_example_on_a_shape_page_is_judged_alike_by_schema_and_check() {
    // proves A-10
    let setup = setup();
    let mut count = 0;
    let structural = ["-missing", "-type", "-enum", "-pattern"];
    for (id, level) in page::ids(&setup.checker) {
        if id.split('/').count() != 3
            || level != Some(Level::Error)
            || id.contains("/draft/")
            || id.starts_with("config/")
            || id.starts_with("dialect/")
            || id.starts_with("flow/")
            || !structural.iter().any(|end| id.ends_with(end))
        {
            continue;
        }
        let dialect = id.split('/').next().unwrap();
        let page = page::find(&setup.checker, &id).unwrap();
        for example in page::examples_of(&page.text).iter().filter(|example| example.role != Role::Beside) {
            let text = std::str::from_utf8(&example.bytes).unwrap();
            let input = input_at(example.file.as_deref(), dialect, text);
            let forms = setup.checker.canonical(input, &mut Scratch::default());
            let forms = forms.unwrap_or_else(|| panic!("{id}: {text}"));
            if id.contains("/around/") && forms.is_empty() {
                // Without entries there is no handoff that a schema could describe.
                continue;
            }
            assert_eq!(forms.len(), 1, "{id}: one handoff in each example");
            let form = Value::from(&forms[0]);
            setup.agree(input, &form).unwrap_or_else(|fault| panic!("{id}: {fault}"));
            let (lenient, strict) = setup.validate(dialect, &form);
            assert_eq!((lenient, strict), (example.role == Role::Right, example.role == Role::Right), "{id}");
            count += 1;
        }
    }
    assert!(count > 1000, "{count} examples were judged");
}

#[test]
fn the_schemas_are_schemas() {
    let setup = setup();
    for dialect in setup.checker.dialects().handoffs.iter().chain(&setup.checker.dialects().own) {
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            let schema = json_schema(dialect, strictness);
            assert!(jsonschema::meta::is_valid(&schema), "{}", dialect.name);
        }
    }
}

/// A change to a document: which place, what happens there.
#[derive(Clone, Debug)]
struct Change {
    place: usize,
    act: Act,
}

#[derive(Clone, Debug)]
enum Act {
    Remove,
    Put(Value),
    Upper,
    Rename,
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let words = [
        "",
        " ",
        "x",
        "VERIFIED",
        "verified",
        "human",
        "yes",
        "No",
        "true",
        "2026-02-30",
        "2026-01-02",
        "blocking",
        "2026-01-02T03:04:05Z",
        "2026-01-02T03:04:05+00:00Z",
        "research",
        "LOOP",
        "partial",
        "discussion/001-a-response.md",
    ];
    let value = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|flag| json!(flag)),
        (-2i64..4).prop_map(|number| json!(number)),
        Just(json!(1.0)),
        Just(json!(2.5)),
        proptest::sample::select(words.to_vec()).prop_map(|word| json!(word)),
        Just(json!([])),
        Just(json!({})),
        Just(json!(["x"])),
        Just(json!([null])),
        Just(json!([{"severity": "high"}])),
        Just(json!({"agent": "x"})),
    ];
    let act = prop_oneof![Just(Act::Remove), value.prop_map(Act::Put), Just(Act::Upper), Just(Act::Rename)];
    proptest::collection::vec((any::<usize>(), act).prop_map(|(place, act)| Change { place, act }), 1..4)
}

/// Changes the value or key at the place, counted through the document.
fn change(form: &mut Value, change: &Change) {
    let total = count(form);
    let mut left = change.place % total.max(1);
    visit(form, &mut left, &change.act);
}

fn count(value: &Value) -> usize {
    match value {
        Value::Object(map) => map.values().map(|value| 1 + count(value)).sum(),
        Value::Array(items) => items.iter().map(|value| 1 + count(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn visit(value: &mut Value, left: &mut usize, act: &Act) -> bool {
    match value {
        Value::Object(map) => {
            let keys: Vec<String> = map.keys().cloned().collect();
            for key in keys {
                if *left == 0 {
                    match act {
                        Act::Remove => drop(map.remove(&key)),
                        Act::Put(new) => drop(map.insert(key, new.clone())),
                        Act::Upper => raise(map.get_mut(&key).unwrap()),
                        Act::Rename => {
                            let value = map.remove(&key).unwrap();
                            map.insert(format!("{key}x"), value);
                        }
                    }
                    return true;
                }
                *left -= 1;
                if visit(map.get_mut(&key).unwrap(), left, act) {
                    return true;
                }
            }
            false
        }
        Value::Array(items) => {
            for at in 0..items.len() {
                if *left == 0 {
                    match act {
                        Act::Remove | Act::Rename => drop(items.remove(at)),
                        Act::Put(new) => items[at] = new.clone(),
                        Act::Upper => raise(&mut items[at]),
                    }
                    return true;
                }
                *left -= 1;
                if visit(&mut items[at], left, act) {
                    return true;
                }
            }
            false
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn raise(value: &mut Value) {
    if let Value::String(text) = value {
        *text = if text.chars().any(char::is_lowercase) { text.to_uppercase() } else { text.to_lowercase() };
    }
}

thread_local! {
    static SETUP: Setup = setup();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_document_is_judged_alike_by_schema_and_check(example in any::<usize>(), changes in changes()) {
        // proves A-10
        SETUP.with(|setup| {
            let dialects = setup.checker.dialects().handoffs.iter().filter(|dialect| dialect.syntaxes[0] != Syntax::Xml);
            let examples: Vec<(&str, String, Option<&str>)> = dialects
                .flat_map(|dialect| dialect.kinds.iter().filter(|kind| &*kind.name != "draft").flat_map(|kind| {
                    let files = kind.example_files.iter().map(|file| file.as_deref());
                    let examples = kind.examples.iter().zip(files);
                    examples.map(|(example, file)| (&*dialect.name, example.to_string(), file))
                }))
                .collect();
            let (dialect, text, file) = &examples[example % examples.len()];
            let right = input_at(*file, dialect, text);
            let forms = setup.checker.canonical(right, &mut Scratch::default()).unwrap();
            let mut form = Value::from(&forms[0]);
            for one in &changes {
                change(&mut form, one);
            }
            let whole = whole(dialect, &form);
            let text = whole.to_string();
            let changed = input(dialect, &text);
            // What stands around a handoff is part of its form again.
            let form = match setup.checker.canonical(changed, &mut Scratch::default()) {
                Some(forms) if whole != form && forms.len() == 1 => Value::from(&forms[0]),
                _ => form,
            };
            setup.agree(changed, &form).map_err(TestCaseError::fail)
        })?;
    }
}
