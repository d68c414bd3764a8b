//! What `--json` prints: golden replies, each valid by the schema of its command.
#![cfg(unix)]

use serde_json::Value;

use crate::office::Office;

/// Values that differ with every run, by their keys.
const VOLATILE: [&str; 7] = ["elapsed_ms", "took_ms", "cycle_time", "hash", "shown", "started", "ended"];

/// A reply in which what differs with every run is put aside.
fn steady(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| {
                let is_moment = key == "at" && value.is_number();
                let is_volatile = (VOLATILE.contains(&key.as_str()) && !value.is_null()) || is_moment;
                let value = if is_volatile { Value::String(format!("({key})")) } else { steady(value) };
                (key, value)
            })
            .collect(),
        Value::Array(items) => items.into_iter().map(steady).collect(),
        Value::String(text) if is_time(&text) => Value::String("(time)".to_owned()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

fn is_time(text: &str) -> bool {
    text.len() > 19 && text.ends_with('Z') && text.as_bytes()[4] == b'-' && text.as_bytes()[10] == b'T'
}

/// Compares a reply with the one that is kept, after it was held against its schema.
fn hold(office: &Office, name: &str, reply: &Value) {
    let schema = office.run(&["schema", &format!("reply/{name}")]).json();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let wrong: Vec<String> = validator.iter_errors(reply).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "reply/{name}: {wrong:#?}\n{reply:#}");
    let text = serde_json::to_string_pretty(&steady(reply.clone())).unwrap() + "\n";
    let path = format!("{}/tests/all/replies/{name}.json", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BATON_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, kept, "{path} differs; BATON_GOLDEN=1 writes it again");
}

#[test]
fn each_reply_is_as_it_is_kept_and_valid_by_its_schema() {
    let office = Office::with("  - write: ada\n  - ok: {gate: blocking}\n  - file: cleo\n");
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let json = |args: &[&str]| {
        let ran = office.run(&[args, &["--json"]].concat());
        serde_json::from_str::<Value>(ran.stdout.trim())
            .unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr))
    };
    hold(&office, "runs", &json(&["runs"]));
    hold(&office, "run", &json(&["show", "article-1"]));
    hold(&office, "handoff", &json(&["show", "article-1/1"]));
    hold(&office, "gates", &json(&["gate", "list"]));
    hold(&office, "gate", &json(&["gate", "show", "article-1/ok"]));
    hold(&office, "dead", &json(&["dead"]));
    hold(&office, "stats", &json(&["stats"]));
    hold(&office, "proof", &json(&["log", "--verify"]));
    hold(&office, "error", &json(&["show", "article-9"]));
    let log = office.run(&["log", "article-1", "--json"]).stdout;
    hold(&office, "log", &serde_json::from_str(log.lines().next().unwrap()).unwrap());
    let key = [("BATON_GATE_KEY", "7777777777777777777777777777777777777777777777777777777777777777")];
    let answer = office.run_with(&["gate", "approve", "article-1", "--json"], &key);
    hold(&office, "gate-answer", &answer.json());
    let ended = office.run(&["resume", "article-1", "--json"]).stdout;
    hold(&office, "summary", &serde_json::from_str(ended.lines().last().unwrap()).unwrap());
    let inbox = json(&["inbox"]);
    let id = inbox["inbox"][0]["id"].as_str().unwrap().to_owned();
    hold(&office, "inbox", &inbox);
    hold(&office, "open", &json(&["show", &id]));
    hold(&office, "ack", &json(&["ack", &id]));
    hold(&office, "handed", &json(&["clarify", &id, "Which one?"]));
    hold(&office, "cancel", &json(&["cancel", "article-1"]));
    hold(&office, "verify", &json(&["verify", "article-1/1"]));
    hold(&office, "erase", &json(&["erase", "article-1/1", "--dry-run"]));
}

#[test]
fn a_signal_is_replied_to_by_its_schema() {
    let office = Office::with("  - ci: {wait: 1h, signal: green}\n  - write: ada\n");
    let run = office.start(&["run", "article", "--json"]);
    let waits = || office.run(&["runs", "--json"]).json()["runs"][0]["awaits"][0]["kind"] == "time";
    let start = std::time::Instant::now();
    while !waits() {
        assert!(start.elapsed().as_secs() < 60, "it never waits");
    }
    hold(&office, "signal", &office.run(&["signal", "article-1", "green", "--json"]).json());
    assert_eq!(run.end(), Some(0));
}

#[test]
fn an_error_is_an_object_where_json_is_asked_for_and_nothing_elsewhere() {
    let office = Office::with("  - write: ada\n");
    let asked = office.run(&["resume", "article-9", "--json"]);
    assert_eq!(asked.code, 3, "{}", asked.stderr);
    let reply = asked.json();
    assert_eq!(reply["error"]["code"], "no_run");
    assert!(asked.stderr.contains(reply["error"]["message"].as_str().unwrap()), "{}", asked.stderr);
    let plain = office.run(&["resume", "article-9"]);
    assert_eq!((plain.code, plain.stdout.as_str()), (3, ""));
}

#[test]
fn every_schema_is_listed_and_is_one() {
    let office = Office::with("  - write: ada\n");
    let listed = office.run(&["schema", "reply"]).stdout;
    for line in listed.lines() {
        let name = line.split_whitespace().next().unwrap();
        let schema = office.run(&["schema", name]).json();
        jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    assert!(listed.contains("reply/runs") && listed.lines().count() > 20, "{listed}");
    assert_eq!(office.run(&["schema", "reply/nothing"]).code, 2);
}
