//! Settings that cannot be relied on: whoever acts refuses, and whoever only reads says so.

use crate::office::Office;
use crate::sandbox::Sandbox;

const KEY: (&str, &str) = ("BATON_GATE_KEY", "nora's passphrase");
const PERSON: &str = "nora = \"ed25519:d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a\"\n";

#[test]
fn no_run_starts_by_settings_with_an_error() {
    // proves P-12
    let office = Office::with("  - write: ada\n");
    let broken = [
        ("[people\n", "document/toml-syntax"),
        (&format!("[people]\n{PERSON}[people]\n"), "baton.toml:"),
        ("[sandbox]\nagents = \"requiredd\"\n", "required"),
        ("[people]\nnora = \"no key\"\n", "ed25519"),
        ("[peoples]\n", "did you mean `people`?"),
        ("[sandbox]\nagent = \"required\"\n", "did you mean `agents`?"),
        ("[agents.ada]\nsandbx = \"required\"\n", "did you mean `sandbox`?"),
        // What a project says of rules for its handoffs excuses nothing here.
        ("[peoples]\n[rules]\n\"*\" = \"off\"\n", "did you mean `people`?"),
        ("[sandbox]\nagents = \"requiredd\"\n[rules]\nconfig = \"off\"\n", "required"),
    ];
    for (text, said) in broken {
        office.sandbox.write("baton.toml", text);
        let ran = office.run(&["run", "article"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{text}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{text}: {}", ran.stderr);
        assert!(ran.stderr.contains("error: baton.toml cannot be relied on"), "{text}: {}", ran.stderr);
        assert!(!office.sandbox.path("calls").exists() && !office.sandbox.path(".baton").exists(), "{text}");
    }
    office.sandbox.write("baton.toml", b"[people]\n\xff\n");
    assert_eq!(office.run(&["run", "article"]).code, 1);
    std::fs::remove_file(office.sandbox.path("baton.toml")).unwrap();
    office.sandbox.folder("baton.toml");
    let unread = office.run(&["run", "article"]);
    assert_eq!(unread.code, 4, "it cannot be read: {}", unread.stderr);
}

#[test]
fn nothing_is_handed_in_by_settings_with_an_error_and_reading_goes_on_with_a_warning() {
    // proves P-12
    let office = Office::with("  - write: ada\n  - file: cleo\n  - ok: {gate: blocking}\n");
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let inbox = office.run(&["inbox", "cleo", "--json"]).json();
    let id = inbox["inbox"][0]["id"].as_str().unwrap().to_owned();
    office.answer("answer.json");
    office.sandbox.write("baton.toml", "[people\n");
    let acting: [&[&str]; 11] = [
        &["resume"],
        &["gate", "approve", "article-1"],
        &["gate", "reject", "article-1"],
        &["ack", &id],
        &["clarify", &id, "what?"],
        &["return", &id, "answer.json"],
        &["submit", "answer.json"],
        &["signal", "article-1", "x"],
        &["retry", "article-1"],
        &["verify", "article-1/1"],
        &["handoff", "--send"],
    ];
    for args in acting {
        let ran = office.run_with(args, &[KEY]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("document/toml-syntax"), "{args:?}: {}", ran.stderr);
    }
    let reading: [&[&str]; 8] = [
        &["show", "article-1"],
        &["log", "article-1"],
        &["runs"],
        &["stats"],
        &["inbox"],
        &["dead"],
        &["gate", "list"],
        &["explain", "config/bad-value"],
    ];
    for args in reading {
        let ran = office.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("warning: baton.toml cannot be relied on"), "{args:?}: {}", ran.stderr);
    }
    // What is not wanted any more can be ended all the same.
    let cancelled = office.run(&["cancel", "article-1"]);
    assert_eq!(cancelled.code, 0, "{}", cancelled.stderr);
    assert!(cancelled.stderr.contains("warning: baton.toml cannot be relied on"), "{}", cancelled.stderr);
}

#[test]
fn a_key_that_nobody_knows_is_said_and_stops_nothing() {
    let office = Office::with("  - write: ada\n");
    let text = "[zebra]\nx = 1\n[sandbox]\nwallpaper = \"x\"\n[agents.ada]\nfavourite = \"x\"\n";
    office.sandbox.write("baton.toml", text);
    for args in [["run", "article"].as_slice(), &["runs", "--all"], &["show", "article-1"]] {
        let ran = office.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        for key in ["1:2: `zebra`", "4:1: `wallpaper`", "6:1: `favourite`"] {
            assert!(
                ran.stderr.contains(&format!("warning: baton.toml:{key}")),
                "{args:?}, {key}: {}",
                ran.stderr
            );
        }
    }
    let check = Sandbox::new();
    check.write("baton.toml", text);
    assert_eq!(check.run(&["check"]).code, 0, "check goes by its levels, as before");
    assert!(!check.run(&["check"]).stderr.contains("warning"));
}

#[test]
fn a_run_with_gates_says_once_that_nobody_is_named() {
    // proves P-12
    let office = Office::with("  - write: ada\n  - ok: {gate: blocking}\n");
    let said = "nobody is named in [people] of baton.toml";
    let ran = office.run(&["run", "article"]);
    assert_eq!((ran.code, ran.stderr.matches(said).count()), (0, 1), "{}", ran.stderr);
    let without = Office::with("  - write: ada\n");
    assert!(!without.run(&["run", "article"]).stderr.contains(said));
    office.sandbox.write("baton.toml", format!("[people]\n{PERSON}"));
    assert!(!office.run(&["run", "article"]).stderr.contains(said));
}
