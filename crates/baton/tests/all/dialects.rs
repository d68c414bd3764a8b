//! Users' own dialects: read from the project, checked themselves, explained, and started with `init`.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::sandbox::{MANIFEST, Sandbox};

const NOTE: &str = "dialect: note
written-in: [yaml]
places: [\"notes/{id}.yaml\"]
kinds:
  note:
    required: [id, next]
    fields:
      id: {type: name, about: Its id.}
      next: {words: [reviewer, tester], about: Who goes on., page: Nobody else answers.}
    examples:
      - |
        id: n1
        next: tester
";

fn with_note() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("dialects/note.yaml", NOTE);
    sandbox.write("notes/n1.yaml", "id: n1\nnext: reviewer\n");
    sandbox.write("notes/n2.yaml", "id: n2\nnext: nobody\n");
    sandbox
}

#[test]
fn the_dialects_of_a_project_are_read_and_their_handoffs_checked() {
    // proves A-09
    let sandbox = with_note();
    let ran = sandbox.run(&["check", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert_eq!(ran.paths(), ["notes/n1.yaml", "notes/n2.yaml"]);
    assert_eq!(ran.rules(), ["note/note/next-enum"]);
    assert_eq!(ran.json()["files"][0]["handoffs"][0]["dialect"], "note");
    // The settings know its rules and its name.
    sandbox.write(
        "baton.toml",
        "[rules]\n\"note/note/next-enum\" = \"warning\"\n[[paths]]\npaths = [\"other/*\"]\ndialect = \"note\"\n",
    );
    sandbox.write("other/x.yaml", "id: x\n");
    let ran = sandbox.run(&["check", "--json"]);
    assert_eq!(ran.rules(), ["note/note/next-enum", "note/note/next-missing"]);
    assert!(!ran.paths().contains(&"baton.toml".to_owned()), "{:?}", ran.paths());
}

#[test]
fn a_dialect_can_be_forced_by_name() {
    // proves A-01
    let sandbox = with_note();
    sandbox.write("x.yaml", "id: x\n");
    let ran = sandbox.run(&["check", "--json", "--dialect", "note", "x.yaml"]);
    assert_eq!(ran.rules(), ["note/note/next-missing"]);
    let ran = sandbox.run(&["check", "--dialect", "nope", "x.yaml"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("no dialect is called `nope`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("note, manifest, envelope"), "{}", ran.stderr);
}

#[test]
fn completions_know_the_dialects_of_baton() {
    let ran = Sandbox::new().run(&["completions", "bash"]);
    assert!(ran.stdout.contains("manifest envelope exchange package pipeline"), "{}", ran.stdout);
    let help = Sandbox::new().run(&["check", "--help"]);
    assert!(!help.stdout.contains("possible values: manifest"), "{}", help.stdout);
}

#[test]
fn a_broken_dialect_file_is_told_with_its_place_and_the_rest_is_checked() {
    // proves A-09
    let sandbox = with_note();
    sandbox.write("meta/handoff.yaml", MANIFEST.replace("status: pending", "status: gone"));
    sandbox.write("dialects/note.yaml", NOTE.replace("[reviewer, tester]", "[reviewer, reviewer]"));
    let ran = sandbox.run(&["check", "--json"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.paths(), ["dialects/note.yaml", "meta/handoff.yaml", "notes/n1.yaml", "notes/n2.yaml"]);
    assert_eq!(
        ran.rules(),
        [
            "dialect/impossible",
            "manifest/manifest/source_file-exists",
            "manifest/manifest/status-enum",
            "document/unknown-dialect",
            "document/unknown-dialect",
        ]
    );
    let first = ran.json()["files"][0]["findings"][0].clone();
    assert_eq!(
        first["span"]["start"],
        json!({"line": 9, "column": 32, "offset": first["span"]["start"]["offset"]})
    );
    assert!(ran.stderr.contains("dialects/note.yaml:9:32 is not used"), "{}", ran.stderr);
    // Whoever asks for it hears why it is not there.
    let asked: [&[&str]; 3] = [
        &["schema", "note"],
        &["explain", "note/note/next-enum"],
        &["convert", "meta/handoff.yaml", "--to", "note"],
    ];
    for args in asked {
        let ran = sandbox.run(args);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains("dialects/note.yaml defines it, but cannot be used"), "{}", ran.stderr);
    }
}

#[test]
fn a_broken_dialect_file_is_told_when_another_file_or_a_stream_is_checked() {
    let sandbox = with_note();
    sandbox.write("dialects/note.yaml", "dialect: note\nwritten-in: yaml\nkinds: {}\n");
    sandbox.write("meta/handoff.yaml", MANIFEST);
    assert_eq!(
        sandbox.run(&["check", "--json", "meta/handoff.yaml"]).paths(),
        ["dialects/note.yaml", "meta/handoff.yaml"]
    );
    let ran = sandbox.run_with(MANIFEST.as_bytes(), &["check", "-"]);
    assert!(ran.stderr.contains("dialects/note.yaml:2:13 is not used"), "{}", ran.stderr);
}

#[test]
fn a_dialect_has_a_name_of_its_own() {
    // proves A-09
    let sandbox = with_note();
    sandbox.write("dialects/other.yaml", NOTE);
    sandbox.write("dialects/package.yml", NOTE.replace("dialect: note", "dialect: package"));
    let ran = sandbox.run(&["check", "--json"]);
    assert_eq!(ran.rules(), ["dialect/impossible", "dialect/impossible", "note/note/next-enum"]);
    let findings = |at: usize| ran.json()["files"][at]["findings"][0]["message"].as_str().unwrap().to_owned();
    assert_eq!(findings(0), "`dialects/note.yaml` defines a dialect `note` already");
    assert_eq!(findings(1), "`package` is a dialect that Baton has itself");
}

#[test]
fn the_settings_say_where_dialects_lie() {
    // proves A-09
    let sandbox = Sandbox::new();
    sandbox.write("notes/n2.yaml", "id: n2\nnext: nobody\n");
    sandbox.write("tools/handoffs/deep/note.yaml", NOTE);
    for named in
        ["tools/handoffs/deep/note.yaml", "tools/handoffs/deep", "./tools/handoffs/deep/", "tools/**/*.yaml"]
    {
        sandbox.write("baton.toml", format!("dialects = [\"{named}\"]\n"));
        let ran = sandbox.run(&["check", "--json"]);
        assert_eq!(
            (ran.rules(), ran.stderr.as_str()),
            (vec!["note/note/next-enum".to_owned()], ""),
            "{named}"
        );
    }
    for named in ["tools/none", "../elsewhere", "/etc"] {
        sandbox.write("baton.toml", format!("dialects = [\"{named}\"]\n"));
        let ran = sandbox.run(&["check"]);
        assert!(ran.stderr.contains(&format!("names dialects in `{named}`")), "{}", ran.stderr);
    }
    // Nothing is read through a link that leads out of the project.
    let outside = Sandbox::bare();
    outside.write("note.yaml", NOTE);
    sandbox.write("baton.toml", "");
    sandbox.link(outside.path("note.yaml"), "dialects/note.yaml");
    assert_eq!(sandbox.run(&["schema", "note"]).code, 2);
}

#[test]
fn files_of_other_programs_in_a_folder_of_that_name_are_left_alone() {
    let sandbox = Sandbox::with_manifest();
    sandbox.write("dialects/postgres.yaml", "name: postgres\nquotes: double\n");
    let ran = sandbox.run(&["check", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str(), ran.paths()), (0, "", vec!["meta/handoff.yaml".to_owned()]));
}

#[test]
fn what_cannot_be_read_of_a_dialect_file_is_told() {
    let sandbox = Sandbox::with_manifest();
    sandbox.write("dialects/a.yaml", b"dialect: \xff\n");
    sandbox.write("dialects/b.yaml", "x".repeat(300_000));
    let ran = sandbox.run(&["check", "--json"]);
    assert_eq!(ran.paths(), ["meta/handoff.yaml"]);
    assert!(ran.stderr.contains("dialects/a.yaml cannot be read: it is not UTF-8"), "{}", ran.stderr);
    assert!(ran.stderr.contains("dialects/b.yaml cannot be read: it has 300000 bytes"), "{}", ran.stderr);
}

#[test]
fn the_rules_and_the_schema_of_a_dialect_are_printed_inside_its_project() {
    // proves A-10, A-14
    let sandbox = with_note();
    let all = sandbox.run(&["explain"]);
    assert!(all.stdout.contains("note/note/…"), "{}", all.stdout);
    let list = sandbox.run(&["explain", "note/note"]);
    assert!(list.stdout.contains("note/note/next-enum"), "{}", list.stdout);
    let page = sandbox.run(&["explain", "note/note/next-enum"]);
    assert!(page.stdout.contains("## Why\n\nNobody else answers.\n\n## Fix"), "{}", page.stdout);
    let schema = sandbox.run_in("notes", &["schema", "note"]);
    assert_eq!(schema.json()["required"], json!(["id", "next"]));
    let form = sandbox.run(&["schema", "dialect"]).json();
    assert!(form["$defs"]["field"]["anyOf"][1]["properties"]["pattern"].is_object(), "{form:#}");
    let outside = Sandbox::new().run(&["schema", "note"]);
    assert_eq!(outside.code, 2);
    assert!(outside.stderr.contains("there are manifest, envelope"), "{}", outside.stderr);
}

#[test]
fn a_handoff_of_an_own_dialect_has_a_canonical_form() {
    // proves A-10
    let sandbox = with_note();
    let ran = sandbox.run(&["convert", "notes/n1.yaml", "--to", "json"]);
    assert_eq!(ran.json(), json!({"id": "n1", "next": "reviewer"}));
}

#[test]
fn init_writes_a_dialect_that_is_right_as_it_is_and_never_overwrites() {
    // proves A-09
    let sandbox = Sandbox::new();
    sandbox.folder("deep");
    let ran = sandbox.run_in("deep", &["init", "dialect", "shift-log"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.starts_with("wrote dialects/shift-log.yaml\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("baton explain shift-log"), "{}", ran.stdout);
    let own = sandbox.run(&["check", "--json", "--strict", "dialects/shift-log.yaml"]);
    assert_eq!((own.code, own.rules()), (0, Vec::new()));
    sandbox.write("shift-log/N-1.yaml", "id: N-2\nfrom: a\nto: b\noutcome: Complete\nsummary: Did it\n");
    let ran = sandbox.run(&["check", "--json"]);
    assert_eq!(ran.rules(), ["document/misplaced", "document/enum-synonym"]);
    let before = fs::read_to_string(sandbox.path("dialects/shift-log.yaml")).unwrap();
    let again = sandbox.run(&["init", "dialect", "shift-log"]);
    assert_eq!((again.code, again.stdout.as_str()), (3, ""));
    assert!(again.stderr.contains("dialects/shift-log.yaml is there already"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(sandbox.path("dialects/shift-log.yaml")).unwrap(), before);
    for name in ["envelope", "document", "Loud", "../x", ""] {
        assert_eq!(sandbox.run(&["init", "dialect", name]).code, 2, "{name}");
    }
    // Whose dialect it is decides: a project could do without its own.
    fs::rename(sandbox.path("dialects/shift-log.yaml"), sandbox.path("dialects/log.yaml")).unwrap();
    let taken = sandbox.run(&["init", "dialect", "shift-log"]);
    assert_eq!((taken.code, taken.stdout.as_str()), (3, ""), "{}", taken.stderr);
    assert_eq!(sandbox.run(&["init", "dialect"]).code, 0);
    assert!(sandbox.path("dialects/note.yaml").exists());
}

#[test]
fn every_example_dialect_of_the_documentation_does_what_its_page_says() {
    // proves A-09
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dialects");
    let mut count = 0;
    for entry in fs::read_dir(top).unwrap() {
        let folder = entry.unwrap().path();
        let page = fs::read_to_string(folder.join("README.md")).unwrap();
        let mut lines = page.lines();
        while let Some(line) = lines.next() {
            let Some(typed) = line.strip_prefix("$ baton ") else { continue };
            let shown: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_baton"));
            let output = command.args(typed.split(' ')).current_dir(&folder).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), shown.join("\n"), "{folder:?}");
            count += 1;
        }
    }
    assert_eq!(count, 7);
}

/// Dialects of every carrier, each with room for who, to whom and what.
const CARRIERS: [(&str, &str); 5] = [
    ("memo", "written-in: [front-matter]\nplaces: [\"memos/*.md\"]\nrecognise: {all: [sender, receiver]}"),
    ("trace", "written-in: [json-lines]\nrecognise: {all: [sender, receiver]}"),
    ("slip", "written-in: [toml]\nrecognise: {all: [sender, receiver]}"),
    (
        "batch",
        "written-in: [json]\nrecognise: {all: [batch, notes]}\nentries:\n  at: notes\n  around:\n    batch: {type: name, required: true, means: thread}",
    ),
    (
        "roll",
        "written-in: [yaml]\nrecognise: {all: [agents]}\nentries:\n  at: agents\n  key: sender\n  around:\n    day: {type: date, means: written}",
    ),
];

#[test]
fn a_handoff_goes_into_an_own_dialect_of_any_carrier_and_comes_home() {
    // proves A-08, A-09
    let sandbox = Sandbox::new();
    let package = "handoff:\n  id: HO-1\n  from: {agent: coder, step: 2}\n  to: {agent: critic, reason: Ready}\n  context:\n    \
                   summary: |\n      Wrote src/auth.rs\n      and 3 tests\n    artifacts: [{path: src/auth.rs}]\n  workflow_state: {name: login}\n";
    sandbox.write("package.yaml", package);
    sandbox.write("src/auth.rs", "");
    for (name, form) in CARRIERS {
        let text = if name == "memo" { "\"#body\"" } else { "text" };
        let dialect = format!(
            "dialect: {name}\n{form}\nkinds:\n  {name}:\n    about: The only kind.\n    required: [sender, receiver, {text}]\n    \
             fields:\n      sender: {{type: name, means: from}}\n      receiver: {{type: name, means: to}}\n      {text}: {{type: text, means: summary}}\n"
        );
        sandbox.write(&format!("dialects/{name}.yaml"), dialect);
    }
    let original = sandbox.run(&["convert", "package.yaml", "--to", "json"]).json();
    for (name, _) in CARRIERS {
        let there = sandbox.run(&["convert", "package.yaml", "--to", name]);
        assert_eq!(there.code, 0, "{name}: {}", there.stderr);
        let file = match name {
            "memo" => "memos/a.md".to_owned(),
            "trace" => "a.jsonl".to_owned(),
            "slip" => "a.toml".to_owned(),
            "batch" => "b.json".to_owned(),
            _ => "r.yaml".to_owned(),
        };
        sandbox.write(&file, &there.stdout);
        let checked = sandbox.run(&["check", "--json", "--dialect", name, &file]);
        let handoffs = &checked.json()["files"][0]["handoffs"];
        assert_eq!(handoffs[0]["dialect"], name, "{}\n{}", there.stdout, checked.stdout);
        assert_eq!(checked.code, 0, "{}\n{}", there.stdout, checked.stdout);
        let back = sandbox.run(&["convert", &file, "--to", "package"]);
        assert_eq!(back.code, 0, "{name}: {}\n{}", back.stderr, there.stdout);
        sandbox.write("back.yaml", &back.stdout);
        let back = sandbox.run(&["convert", "back.yaml", "--to", "json"]).json();
        assert_eq!(back, original, "{name}:\n{}", there.stdout);
        fs::remove_file(sandbox.path(&file)).unwrap();
    }
}
