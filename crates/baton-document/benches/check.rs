//! How fast one document is checked, beside what a user would pick instead and the limit, in one run.
//!
//! Prints one line per figure, `name<TAB>nanoseconds per document`; `cargo xtask bench check` makes the ratios.
#![expect(clippy::print_stdout, reason = "a program that prints figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use baton_document::carrier::Look;
use baton_document::dialect::{Settings, Strictness, json_schema};
use baton_document::{Checker, Input, LevelSet, Levels, Limits, NoWorld, Scratch};
use serde::Deserialize;

const ENVELOPE: &str = include_str!("data/envelope.json");
const PACKAGE: &str = include_str!("data/package.yaml");
const PIPELINE: &str = include_str!("data/pipeline.xml");

/// The rules that look at the text itself: for secrets, hidden characters and instructions to the receiver.
const TEXT_RULES: [&str; 3] = ["document/secret", "document/hidden-unicode", "document/instruction"];

/// How many rounds of every contender are run, in turn, so that a noisy moment hits all of them.
const ROUNDS: usize = 30;

/// How long one contender runs in one round.
const ROUND: Duration = Duration::from_millis(40);

fn main() {
    let make = |levels| Checker::new(&Settings::default(), levels, Limits::default());
    let checker = make(Levels::default());
    let off = TEXT_RULES.map(|rule| (rule.to_owned(), None)).to_vec();
    let reading = make(Levels::new(vec![LevelSet { paths: Vec::new(), rules: off }]));
    let envelope = checker.dialects().find("envelope").expect("the dialect ships");
    let schema = json_schema(envelope, Strictness::Strict);
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is one");
    let scratch = std::cell::RefCell::new(Scratch::default());
    let check_by = |checker: &Checker, name: &str, text: &str| {
        let input = Input {
            path: Some(name),
            bytes: text.as_bytes(),
            dialect: None,
            look: Look::Whole,
            is_named: true,
        };
        let checked = checker.check(black_box(input), &NoWorld, &mut scratch.borrow_mut());
        assert!(checked.findings.is_empty() && checked.handoffs.len() == 1, "{name}: {:?}", checked.findings);
    };
    let check = |name: &str, text: &str| check_by(&checker, name, text);
    let read = |name: &str, text: &str| check_by(&reading, name, text);
    let mut contenders: Vec<Contender<'_>> = Vec::new();
    contenders.push(("baton json", Box::new(|| check("a.json", ENVELOPE))));
    contenders.push(("baton json, no look for secrets", Box::new(|| read("a.json", ENVELOPE))));
    contenders.push(("baton yaml, no look for secrets", Box::new(|| read("a.yaml", PACKAGE))));
    contenders.push(("baton xml, no look for secrets", Box::new(|| read("a.xml", PIPELINE))));
    contenders.push(("serde_json typed", Box::new(|| typed(ENVELOPE))));
    contenders.push((
        "jsonschema",
        Box::new(|| {
            let value: serde_json::Value = serde_json::from_str(black_box(ENVELOPE)).expect("it is JSON");
            assert!(validator.is_valid(&value));
        }),
    ));
    contenders.push((
        "jsonschema, first error",
        Box::new(|| {
            let value: serde_json::Value = serde_json::from_str(black_box(ENVELOPE)).expect("it is JSON");
            assert!(validator.validate(&value).is_ok());
        }),
    ));
    contenders.push((
        "jsonschema from bytes, with errors",
        Box::new(|| {
            let bytes = black_box(ENVELOPE.as_bytes());
            let value: serde_json::Value = serde_json::from_slice(bytes).expect("it is JSON");
            // Asked for its errors, as one does to learn what is wrong.
            assert!(validator.iter_errors(&value).next().is_none());
        }),
    ));
    contenders.push(("baton yaml", Box::new(|| check("a.yaml", PACKAGE))));
    contenders.push(("yaml events", Box::new(|| yaml_events(PACKAGE))));
    contenders.push(("baton xml", Box::new(|| check("a.xml", PIPELINE))));
    contenders.push(("xml tokens", Box::new(|| xml_tokens(PIPELINE))));
    // With a name only that one runs, for a profiler.
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    contenders.retain(|(name, _)| wanted.as_ref().is_none_or(|wanted| wanted == name));
    let mut best = vec![f64::INFINITY; contenders.len()];
    for _ in 0..ROUNDS {
        for (at, (_, run)) in contenders.iter_mut().enumerate() {
            best[at] = best[at].min(nanos_per_run(run));
        }
    }
    for ((name, _), nanos) in contenders.iter().zip(best) {
        println!("{name}\t{nanos:.0}");
    }
}

/// A name and what is timed under it.
type Contender<'c> = (&'static str, Box<dyn FnMut() + 'c>);

/// The time of one run, from many.
fn nanos_per_run(run: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    let mut runs = 0u32;
    while start.elapsed() < ROUND {
        for _ in 0..100 {
            run();
        }
        runs += 100;
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(runs)
}

fn yaml_events(text: &str) {
    let mut parser = granit_parser::Parser::new_from_str(black_box(text));
    while let Some(event) = parser.next_event() {
        black_box(event.expect("it is YAML"));
    }
}

fn xml_tokens(text: &str) {
    for token in xmlparser::Tokenizer::from(black_box(text)) {
        black_box(token.expect("it is XML"));
    }
}

fn typed(text: &str) {
    let envelope: Envelope = serde_json::from_str(black_box(text)).expect("it is an envelope");
    black_box(envelope);
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the reading of it is measured")]
struct Envelope {
    meta: Meta,
    status: Status,
    summary: Summary,
    concerns: Vec<Concern>,
    assumptions: Vec<Assumption>,
    routing: Routing,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the reading of it is measured")]
struct Meta {
    step_id: String,
    flow_key: String,
    agent_key: String,
    timestamp: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Status {
    Verified,
    Unverified,
    Blocked,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the reading of it is measured")]
struct Summary {
    what_i_did: String,
    what_i_found: String,
    key_decisions: Vec<String>,
    evidence: Evidence,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the reading of it is measured")]
struct Evidence {
    artifacts_produced: Vec<String>,
    commands_run: Vec<String>,
    measurements: std::collections::HashMap<String, f64>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the reading of it is measured")]
struct Concern {
    severity: Severity,
    description: String,
    location: Option<String>,
    recommendation: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Severity {
    High,
    Medium,
    Low,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the reading of it is measured")]
struct Assumption {
    assumption: String,
    why: String,
    impact_if_wrong: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the reading of it is measured")]
struct Routing {
    recommendation: Recommendation,
    next_step_suggestion: Option<String>,
    can_further_iteration_help: Option<bool>,
    reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Recommendation {
    Continue,
    Loop,
    Detour,
    Escalate,
}
