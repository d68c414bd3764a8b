//! Users' own dialects: the example dialects of the documentation, and what each key of the form does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use baton_document::carrier::Look;
use baton_document::dialect::{DialectFile, Settings, Strictness, json_schema};
use baton_document::page::{self, Role};
use baton_document::{
    Checker, Finding, Input, Level, Levels, Limits, LineIndex, MemoryWorld, Order, Scratch, SetError,
};
use proptest::prelude::*;

use crate::secret_forms::{Part, made};

/// The example dialects, each a folder of the documentation.
pub(crate) const EXAMPLES: [&str; 7] = ["board", "brief", "checkpoint", "crew", "ledger", "stamp", "trail"];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dialects").join(name)
}

/// The text of an example dialect.
pub(crate) fn definition(name: &str) -> String {
    fs::read_to_string(folder(name).join("dialects").join(format!("{name}.yaml"))).unwrap()
}

/// The files of an example, by their path from its top.
fn files(name: &str) -> BTreeMap<String, String> {
    let (top, mut found) = (folder(name), BTreeMap::new());
    let mut left = vec![top.clone()];
    while let Some(at) = left.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                let below = path.strip_prefix(&top).unwrap().to_string_lossy().into_owned();
                found.insert(below, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

pub(crate) fn with(files: &[DialectFile<'_>]) -> Checker {
    Checker::with_dialects(&Settings::default(), Levels::default(), Limits::default(), files)
}

/// A checker with one dialect, which can be used.
pub(crate) fn with_one(text: &str) -> Checker {
    let checker = with(&[DialectFile { path: "dialects/own.yaml", text }]);
    assert!(checker.unusable().is_empty(), "{:#?}", checker.unusable());
    checker
}

fn shown(text: &str, findings: &[Finding]) -> Vec<String> {
    let index = LineIndex::new(text);
    let place = |finding: &Finding| match finding.span.map(|span| index.place(span.start)) {
        Some(place) => format!("{}:{}", place.line, place.column),
        None => "-".to_owned(),
    };
    findings.iter().map(|one| format!("{} {} {}", place(one), one.level.word(), one.rule)).collect()
}

/// The findings of a file by a checker, with line and column.
fn seen(checker: &Checker, path: &str, text: &str) -> Vec<String> {
    let input =
        Input { path: Some(path), bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true };
    shown(text, &checker.check(input, &MemoryWorld::default(), &mut Scratch::default()).findings)
}

/// What is wrong with the files of the examples; all others are right.
const WRONG: &[(&str, &str, &[&str])] = &[
    (
        "board",
        "board/done/c-4.md",
        &[
            "2:1 error board/card/card-pattern",
            "2:8 error board/card/title-pattern",
            "4:9 error document/misplaced",
        ],
    ),
    ("board", "board/later/C3.md", &["2:1 error board/card/column-enum", "3:8 error board/card/hands-type"]),
    (
        "brief",
        "briefs/empty.md",
        &[
            "2:1 error brief/brief/#body-missing",
            "2:11 error brief/brief/brief_id-pattern",
            "5:8 info document/enum-synonym",
            "7:3 info document/unknown-key",
        ],
    ),
    ("brief", "briefs/untold.md", &["8:1 error brief/brief/#body-pattern"]),
    (
        "checkpoint",
        "checkpoints/old.yaml",
        &[
            "3:3 info document/key-alias",
            "5:3 info document/key-alias",
            "6:8 error checkpoint/newer/stage-type",
            "8:9 warning checkpoint/newer/checks-type",
            "9:7 info checkpoint/newer/spec-exists",
            "10:12 error checkpoint/newer/waits_for-enum",
        ],
    ),
    (
        "crew",
        "shifts/2026-06-02.yaml",
        &[
            "1:8 error crew/around/shift-pattern",
            "1:8 error document/misplaced",
            "4:5 error crew/working/agent-pattern",
            "10:15 error crew/working/task.what-missing",
            "10:16 info document/unknown-key",
            "12:7 error crew/working/next-missing",
            "12:14 error crew/working/state-enum",
        ],
    ),
    (
        "ledger",
        "ledgers/T-8.json",
        &[
            "2:11 error document/misplaced",
            "3:3 info document/unknown-key",
            "5:33 error ledger/turn/round-type",
            "6:5 error ledger/around/turns-type",
            "7:15 error ledger/turn/stage-enum",
            "7:46 error ledger/turn/written-pattern",
        ],
    ),
    (
        "stamp",
        "stamps/fffffff.xml",
        &[
            "2:16 error stamp/stamp/commit.@sha-pattern",
            "2:16 error document/misplaced",
            "3:12 info document/enum-synonym",
        ],
    ),
    (
        "trail",
        "wrong/trail.jsonl",
        &[
            "1:86 error trail/passed/score-type",
            "2:37 error trail/passed/taker-pattern",
            "3:1 error trail/returned/because-missing",
            "4:1 error trail/passed/taker-missing",
            "4:1 error trail/passed/result-missing",
            "4:28 error document/json-syntax",
        ],
    ),
];

#[test]
fn the_example_dialects_find_what_is_wrong_and_nothing_else() {
    // proves A-09
    for name in EXAMPLES {
        let (checker, files) = (with_one(&definition(name)), files(name));
        let mut world = MemoryWorld::default();
        files.iter().for_each(|(path, text)| world.insert(path, text));
        for (path, text) in files.iter().filter(|(path, _)| checker.is_placed(path)) {
            let input = Input {
                path: Some(path),
                bytes: text.as_bytes(),
                dialect: None,
                look: Look::Whole,
                is_named: false,
            };
            let checked = checker.check(input, &world, &mut Scratch::default());
            let wrong = WRONG.iter().find(|(of, file, _)| *of == name && file == path);
            assert_eq!(shown(text, &checked.findings), wrong.map_or(&[][..], |row| row.2), "{name}: {path}");
            let is_own = |handoff| &*checker.dialect_of(handoff).name == name;
            assert!(!checked.handoffs.is_empty() && checked.handoffs.iter().all(is_own), "{name}: {path}");
        }
        for (_, file, _) in WRONG.iter().filter(|(of, ..)| *of == name) {
            assert!(files.contains_key(*file) && checker.is_placed(file), "{name}: {file}");
        }
    }
}

#[test]
fn the_files_of_the_example_dialects_are_right() {
    // proves A-09
    for name in EXAMPLES {
        let text = definition(name);
        let path = format!("dialects/{name}.yaml");
        assert_eq!(seen(&with_one(&text), &path, &text), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn every_rule_of_an_example_dialect_has_a_page_whose_examples_do_what_it_says() {
    // proves A-14
    for name in EXAMPLES {
        let checker = with_one(&definition(name));
        let start = format!("{name}/");
        let pages = page::shapes_below(&checker, &start);
        assert!(pages.len() > 3, "{name}: {} pages", pages.len());
        for page in pages {
            let examples = page::examples_of(&page.text);
            let mut world = MemoryWorld::default();
            for example in examples.iter().filter(|example| example.role == Role::Beside) {
                world.insert(example.file.clone().unwrap(), "");
            }
            for example in examples.iter().filter(|example| example.role != Role::Beside) {
                let text = std::str::from_utf8(&example.bytes).unwrap();
                let input = Input {
                    path: example.file.as_deref(),
                    bytes: text.as_bytes(),
                    dialect: Some(name),
                    look: Look::Prose,
                    is_named: true,
                };
                let findings = checker.check(input, &world, &mut Scratch::default()).findings;
                let is_found = findings.iter().any(|finding| finding.rule == page.id);
                assert_eq!(is_found, example.role == Role::Wrong, "{}\n{text}\n{findings:#?}", page.id);
                let has_error = findings.iter().any(|finding| finding.level == Level::Error);
                assert!(example.role == Role::Wrong || !has_error, "{}\n{findings:#?}", page.id);
            }
        }
    }
}

#[test]
fn the_page_of_a_field_says_why_in_the_words_of_its_dialect() {
    // proves A-09
    let checker = with_one(&definition("ledger"));
    let page = page::find(&checker, "ledger/turn/stage-enum").unwrap();
    assert!(page.text.contains("a stage nobody knows stops the task"), "{}", page.text);
}

#[test]
fn users_are_asked_first_and_their_places_win() {
    // proves A-01, A-09
    let note = "dialect: note\nwritten-in: [yaml]\nplaces: [\"meta/*.yaml\"]\nkinds:\n  note:\n    fields: {from: name}\n";
    let checker = with_one(note);
    let manifest = "version: 1\nfrom: codex\nsource_file: a.md\nstatus: pending\n";
    // At its place a document is read as the user's dialect, whatever it looks like.
    assert_eq!(
        seen(&checker, "meta/handoff.yaml", manifest),
        ["1:1 info document/unknown-key", "3:1 info document/unknown-key", "4:1 info document/unknown-key"]
    );
    // Elsewhere it is recognised as what it is.
    let rules = seen(&checker, "elsewhere.yaml", manifest);
    assert!(rules.iter().any(|rule| rule.contains("manifest/manifest/")), "{rules:?}");
    let greedy = note
        .replace("places: [\"meta/*.yaml\"]", "recognise: {all: [version, from]}")
        .replace("{from: name}", "{version: integer, from: name}");
    let rules = seen(&with_one(&greedy), "elsewhere.yaml", manifest);
    assert!(!rules.iter().any(|rule| rule.contains("manifest/manifest/")), "{rules:?}");
}

#[test]
fn a_dialect_file_that_cannot_be_used_is_named_and_stands_in_nobodys_way() {
    // proves A-09
    let good = "dialect: good\nwritten-in: [yaml]\nrecognise: good\nkinds: {good: {fields: {good: name}}}\n";
    let bad =
        "dialect: bad\nwritten-in: [yaml]\nplaces: [\"bad/*.yaml\"]\nkinds: {bad: {fields: {bad: nmae}}}\n";
    let files = [
        DialectFile { path: "dialects/a.yaml", text: bad },
        DialectFile { path: "dialects/b.yaml", text: good },
        DialectFile { path: "dialects/c.yaml", text: good },
        DialectFile {
            path: "dialects/d.yaml",
            text: "dialect: manifest\nwritten-in: [yaml]\nkinds: {a: {}}\n",
        },
        DialectFile { path: "dialects/e.yaml", text: "" },
    ];
    let checker = with(&files);
    let unusable: Vec<(&str, Option<&str>)> =
        checker.unusable().iter().map(|file| (&*file.path, file.name.as_deref())).collect();
    let all = [
        ("dialects/a.yaml", Some("bad")),
        ("dialects/c.yaml", Some("good")),
        ("dialects/d.yaml", Some("manifest")),
        ("dialects/e.yaml", None),
    ];
    assert_eq!(unusable, all);
    assert_eq!(seen(&checker, "dialects/a.yaml", bad), ["4:29 error dialect/dialect/field-enum"]);
    assert_eq!(seen(&checker, "dialects/b.yaml", good), Vec::<String>::new());
    assert_eq!(seen(&checker, "dialects/c.yaml", good), ["1:10 error dialect/impossible"]);
    assert_eq!(seen(&checker, "dialects/d.yaml", files[3].text), ["1:10 error dialect/impossible"]);
    // A handoff that needs it hears of it; all others are checked as ever.
    assert_eq!(seen(&checker, "bad/one.yaml", "bad: x\n"), ["- error document/unknown-dialect"]);
    assert_eq!(seen(&checker, "b.yaml", "good: ''\n"), ["1:7 error good/good/good-pattern"]);
}

#[test]
fn a_path_gives_values_of_the_type_that_a_field_has() {
    // proves A-09
    let text = "dialect: own\nwritten-in: [yaml]\nplaces: [\"r{round}/{done}/{id}.yaml\"]\ncaptures:\n  round: {type: integer}\n  done: {type: boolean}\n  id: {type: name}\nkinds:\n  second: {when: {field: round, is: 2}, required: [more], fields: {more: text}}\n  first: {}\n";
    let checker = with_one(text);
    assert_eq!(seen(&checker, "r1/true/7.yaml", "x-baton: {}\n"), Vec::<String>::new());
    assert_eq!(
        seen(&checker, "rx/no/7.yaml", "x-baton: {}\n"),
        ["1:1 error own/first/round-type", "1:1 info document/boolean-word"]
    );
    assert_eq!(seen(&checker, "r2/true/7.yaml", "x-baton: {}\n"), ["1:1 error own/second/more-missing"]);
}

#[test]
fn a_list_on_the_way_to_the_entries_stands_for_each_of_its_items() {
    // proves A-09
    let text = "dialect: own\nwritten-in: [json]\nrecognise: sessions\nentries: {at: sessions.handoffs, around: {sessions: list}}\nkinds: {one: {required: [to], fields: {to: name}}}\n";
    let checker = with_one(text);
    let document =
        "{\"sessions\": [{\"handoffs\": [{\"to\": \"a\"}]}, {\"handoffs\": [{}, {\"to\": \"\"}]}]}";
    assert_eq!(
        seen(&checker, "a.json", document),
        ["1:58 error own/one/to-missing", "1:69 error own/one/to-pattern"]
    );
}

#[test]
fn a_secret_in_the_body_of_a_handoff_is_found() {
    // proves A-13
    let token = made("any", &[Part::Is("gh"), Part::Is("p_"), Part::Mixed(36)]);
    let text = format!(
        "---\nbrief_id: BR-001\nfrom_role: a\nfor_role: b\nstate: open\n---\n\n## Task\n\nUse {token} here.\n"
    );
    let found = seen(&with_one(&definition("brief")), "briefs/a.md", &text);
    assert_eq!(found, ["10:5 error document/secret"]);
}

#[test]
fn a_pattern_on_lines_of_the_body_holds_whatever_ends_them() {
    // proves A-11
    let checker = with_one(&definition("brief"));
    let head = "---\nbrief_id: BR-001\nfrom_role: a\nfor_role: b\nstate: open\n---\n\n";
    let told = format!("{head}## Task\n\nRead the rates in src/rates.rs.\n");
    let untold = format!("{head}## Tasks\n\nRead the rates in src/rates.rs.\n");
    for ends in ["\n", "\r\n"] {
        let with_ends = |text: &str| text.replace('\n', ends);
        assert_eq!(seen(&checker, "briefs/a.md", &with_ends(&told)), Vec::<String>::new(), "{ends:?}");
        assert_eq!(
            seen(&checker, "briefs/a.md", &with_ends(&untold)),
            ["8:1 error brief/brief/#body-pattern"],
            "{ends:?}"
        );
    }
}

#[test]
fn no_handoff_among_the_entries_is_no_fault() {
    let checker = with_one(&definition("ledger"));
    assert_eq!(seen(&checker, "a.json", "{\"task\": \"T-1\", \"turns\": []}"), Vec::<String>::new());
    let broken = "{\"task\": \"T-1\", \"turns\": [}";
    assert_eq!(seen(&checker, "a.json", broken).len(), 1);
}

/// A dialect file with the lines of one kind.
fn kind(lines: &str) -> String {
    format!("dialect: own\nwritten-in: [yaml, front-matter]\nrecognise: a\nkinds:\n  one:\n{lines}")
}

#[test]
fn what_cannot_be_used_in_a_dialect_file_is_found_at_its_place() {
    // proves A-09
    let fields = |fields: &str| kind(&format!("    fields:\n{fields}"));
    let xml = |field: &str| {
        fields(&format!("      {field}\n"))
            .replace("[yaml, front-matter]", "[xml]")
            .replace("recognise: a\n", "recognise: true\n")
    };
    let cases: &[(String, &str)] = &[
        (fields("      a: {patern: x}\n"), "7:11 info document/unknown-key"),
        (fields("      a: {type: nmae}\n"), "7:17 error dialect/dialect/field.type-enum"),
        (fields("      a: [text]\n"), "7:10 error dialect/dialect/field-type"),
        (fields("      a: {required: 1}\n"), "7:21 error dialect/dialect/field.required-type"),
        (fields("      a: {levels: {missing: loud}}\n"), "7:29 error dialect/dialect/level-enum"),
        (fields("      a: {levels: {mising: error}}\n"), "7:20 info document/unknown-key"),
        (fields("      a: {type: integer, levels: {enum: info}}\n"), "7:35 error dialect/impossible"),
        (fields("      a: {exists: true}\n"), "7:19 error dialect/impossible"),
        (fields("      a: {type: integer, pattern: '^1'}\n"), "7:35 error dialect/impossible"),
        (fields("      a: {type: integer, tokens-max: 3}\n"), "7:38 error dialect/impossible"),
        (fields("      a: {says: much}\n"), "7:17 error dialect/impossible"),
        (fields("      a: {equals: 3}\n"), "7:19 error dialect/impossible"),
        (fields("      a: {type: text, of: text}\n"), "7:27 error dialect/impossible"),
        (fields("      a: {pattern: '(a'}\n"), "7:20 error dialect/impossible"),
        (fields("      a: {pattern: '(a{1000}){1000}'}\n"), "7:20 error dialect/impossible"),
        (fields("      a: {pattern: '.*'}\n"), "7:20 warning dialect/idle"),
        (fields("      a: {means: sumary}\n"), "7:18 error dialect/impossible"),
        (fields("      a: {type: integer, means: concerns}\n"), "7:33 error dialect/impossible"),
        (fields("      a: {words: {x: {means: ended}}, means: outcome}\n"), "7:30 error dialect/impossible"),
        (fields("      a: {words: [x, X]}\n"), "7:22 error dialect/impossible"),
        (fields("      a: {aliases: [b]}\n      b: text\n"), "7:21 error dialect/impossible"),
        (fields("      a: {aliases: [c]}\n      b: {aliases: [c]}\n"), "8:21 error dialect/impossible"),
        (fields("      a: {aliases: [b]}\n      b: {aliases: [a]}\n"), "7:21 error dialect/impossible"),
        (fields("      a: text\n      a.b: text\n"), "8:7 error dialect/impossible"),
        (fields("      a.b: text\n      a: {fields: {b: integer}}\n"), "8:20 error dialect/impossible"),
        (fields("      a: {fields: {b.c: text, b: {fields: {c: text}}}}\n"), "7:44 error dialect/impossible"),
        (fields("      a: {fields: {b: text}}\n      a.b: text\n"), "8:7 error dialect/impossible"),
        (fields("      a: {shape: tree}\n"), "7:18 error dialect/impossible"),
        (fields("      a: {depends-on: z, cases: {x: {b: text}}}\n"), "7:23 error dialect/impossible"),
        (fields("      a: {default: {by: z, x: y}}\n"), "7:25 error dialect/impossible"),
        (fields("      a: {fields: {'#body': text}}\n"), "7:20 error dialect/impossible"),
        (kind("    fields: {a: text}\n    implies: {to: '{z}'}\n"), "7:19 error dialect/impossible"),
        (kind("    fields: {a: text}\n    also-in: z\n"), "7:14 error dialect/impossible"),
        (kind("    fields: {a: text}\n    when: {at-least: 2, of: [a]}\n"), "7:22 error dialect/impossible"),
        (kind("    fields: {a: text}\n    when: {field: a}\n"), "7:11 error dialect/impossible"),
        (kind("    like: two\n  two:\n    like: one\n"), "6:11 error dialect/impossible"),
        (xml("a.@b.c: text"), "7:7 error dialect/impossible"),
        (xml("'@b': {of: text}"), "7:7 error dialect/impossible"),
        (xml("a: {fields: {'#text': {fields: {b: text}}}}"), "7:20 error dialect/impossible"),
        (xml("two words: text"), "7:7 error dialect/impossible"),
        (xml("'@1': text"), "7:7 error dialect/impossible"),
        (
            "dialect: own\nwritten-in: [ymal]\nkinds: {a: {}}\n".to_owned(),
            "2:14 error dialect/dialect/written-in-enum",
        ),
        (
            "dialect: own\nwritten-in: [yaml]\nplaces: [\"x/{id}.yaml\"]\ncaptures: {ib: text}\nkinds: {a: {}}\n"
                .to_owned(),
            "4:12 error dialect/impossible",
        ),
        (
            "dialect: own\nwritten-in: [yaml]\nplaces: [\"x/{meta.id}.yaml\"]\nkinds: {a: {}}\n".to_owned(),
            "3:10 error dialect/impossible",
        ),
        (
            "dialect: own\nwritten-in: [yaml]\nplaces: [\"../{id}.yaml\"]\nkinds: {a: {}}\n".to_owned(),
            "3:10 error dialect/impossible",
        ),
        (
            "dialect: own\nwritten-in: [yaml]\nshapes: {x: {shape: y}, y: {shape: x}}\nkinds: {a: {}}\n".to_owned(),
            "3:10 error dialect/impossible",
        ),
        (
            "dialect: own\nwritten-in: [yaml]\nwritten-in: [json]\nkinds: {a: {}}\n".to_owned(),
            "3:1 error document/duplicate-key",
        ),
    ];
    let checker = with(&[]);
    for (text, expected) in cases {
        let found = seen(&checker, "dialects/own.yaml", text);
        assert!(found.iter().any(|one| one == expected), "{text}\nexpected {expected}, found {found:#?}");
        let errors = found.iter().filter(|one| one.contains(" error ")).count();
        let unusable = with(&[DialectFile { path: "dialects/own.yaml", text }]).unusable().len();
        assert_eq!(unusable, usize::from(errors > 0), "{text}");
    }
}

#[test]
fn a_hostile_dialect_file_is_refused_within_bounds() {
    // proves A-11
    let many = |count: usize, row: &dyn Fn(usize) -> String| (0..count).map(row).collect::<String>();
    let cases = [
        kind(&format!("    fields:\n{}", many(65, &|at| format!("      a{at}: text\n")))),
        kind(&format!(
            "    fields:\n      a:\n        fields:\n          b: {{aliases: [{}]}}\n",
            many(40, &|at| format!("x{at}, "))
        )),
        format!(
            "dialect: own\nwritten-in: [yaml]\nkinds:\n{}",
            many(80, &|at| format!("  k{at}: {{when: a}}\n"))
        ),
        kind(&format!(
            "    fields:\n{}",
            many(60, &|a| {
                format!(
                    "      a{a}:\n        fields:\n{}",
                    many(60, &|b| format!("          b{b}: {{values: {{of: {{fields: {{c: text}}}}}}}}\n"))
                )
            })
        )),
        kind(&format!(
            "    fields:\n{}",
            many(60, &|a| {
                format!(
                    "      a{a}:\n        fields:\n{}",
                    many(4, &|b| format!("          b{b}: {{pattern: '^x{a}-{b}$'}}\n"))
                )
            })
        )),
        kind(&format!("    fields: {}text{}\n", "{a: {fields: ".repeat(60), "}}".repeat(60))),
        format!("# {}\n", "x".repeat(DialectFile::BYTES_MAX)),
        kind(&format!("    fields:\n{}", many(70, &|at| format!("      a.b{at}: text\n")))),
        kind(&format!("    fields:\n      {}: text\n", "a.".repeat(10_000) + "a")),
        kind(&format!("    when: {}a\n    fields: {{a: text}}\n", "a.".repeat(10_000))),
        format!("dialect: own\nwritten-in: [json]\nentries: {}a\nkinds: {{a: {{}}}}\n", "a.".repeat(10_000)),
        format!(
            "dialect: own\nwritten-in: [json]\nplaces: [\"{}\"]\nkinds: {{a: {{}}}}\n",
            "{a}*".repeat(1_000)
        ),
    ];
    for text in &cases {
        let checker = with(&[DialectFile { path: "dialects/own.yaml", text }]);
        assert_eq!(checker.unusable().len(), 1, "{}", text.chars().take(300).collect::<String>());
    }
    let files: Vec<String> =
        (0..70).map(|at| format!("dialect: d{at}\nwritten-in: [yaml]\nkinds: {{a: {{}}}}\n")).collect();
    let paths: Vec<String> = (0..70).map(|at| format!("dialects/d{at:02}.yaml")).collect();
    let files: Vec<DialectFile<'_>> =
        files.iter().zip(&paths).map(|(text, path)| DialectFile { path, text }).collect();
    let checker = with(&files);
    assert_eq!(checker.unusable().len(), 70 - DialectFile::COUNT_MAX);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_dialect_file_with_any_fault_is_used_or_refused(
        example in 0..EXAMPLES.len(),
        changes in proptest::collection::vec((any::<usize>(), 0..4, any::<usize>()), 1..6),
    ) {
        // proves A-11
        let mut lines: Vec<String> = definition(EXAMPLES[example]).lines().map(ToOwned::to_owned).collect();
        for (at, act, with) in changes {
            let (at, with) = (at % lines.len(), with % lines.len());
            match act {
                0 if lines.len() > 1 => drop(lines.remove(at)),
                1 => lines.swap(at, with),
                2 => lines.insert(at, lines[with].clone()),
                _ => lines[at] = lines[at].chars().rev().collect(),
            }
        }
        let text = lines.join("\n");
        let checker = with(&[DialectFile { path: "dialects/own.yaml", text: &text }]);
        seen(&checker, "dialects/own.yaml", &text);
        for (path, text) in files(EXAMPLES[example]) {
            seen(&checker, &path, &text);
        }
        page::shapes_below(&checker, &format!("{}/", EXAMPLES[example]));
        for dialect in &checker.dialects().handoffs[..checker.dialects().users] {
            json_schema(dialect, Strictness::Lenient);
        }
    }
}

#[test]
fn a_field_whose_shape_holds_itself_is_given_as_json() {
    // proves A-09
    let checker = with_one(
        "dialect: own\nwritten-in: [yaml]\nshapes: {task: {fields: {what: {type: name}, parts: {of: {shape: task}}}}}\n\
         kinds: {a: {required: [task], fields: {task: {shape: task}, to: {type: name, means: to}}}}\n",
    );
    let text = "handoff: {from: {agent: a}, to: {agent: b}, context: {summary: 3 files in docs}}\n";
    let input = Input {
        path: Some("a.yaml"),
        bytes: text.as_bytes(),
        dialect: None,
        look: Look::Whole,
        is_named: true,
    };
    let convert = |value: &str| {
        let set = [("task".to_owned(), value.to_owned())];
        let order = Order { to: "own", set: &set, now: None, wants_report: false };
        checker.convert(input, order, &mut Scratch::default())
    };
    let made = convert(r#"{"what": "x", "parts": [{"what": "y"}]}"#).unwrap().unwrap().text;
    assert!(made.contains("what: x") && made.contains("- what: \"y\""), "{made}");
    assert!(matches!(convert("x"), Err(SetError::NoValue { .. })));
}
