//! The `manifest` dialect: its fields, the comparisons between them, and the files around it.

use baton_document::{Finding, Level};

use crate::found::Text;

const VALID: &str = "\
version: 1
source_file: discussion/007-ada-response.md
generated_at: \"2026-03-02\"
from: ada
to: grace
branch: handoff/7-ada-to-grace
work_queue_items:
  - login-form
files_changed:
  - src/login.rs
status: pending
sent_at: null
session_key: null
";

const SOURCE: (&str, &str) = ("discussion/007-ada-response.md", "Over to you.\n");
const COLLABORATION: &str = "participants:\n  - id: ada\n  - id: grace\n    role: review\n  - id: human\n";
const QUEUE: &str = "items:\n  - id: login-form\n    status: done\n  - {id: password-reset, status: ready}\n";

/// The manifest of a project in which only its source exists.
fn manifest() -> Text<'static> {
    Text { path: Some("meta/handoff.yaml"), beside: &[SOURCE], ..Text::default() }
}

/// The valid manifest with one line replaced by another; an empty one takes it out.
fn with(line: &str, other: &str) -> String {
    assert!(VALID.contains(line), "no line {line}");
    let other = if other.is_empty() { String::new() } else { format!("{other}\n") };
    VALID.replace(&format!("{line}\n"), &other)
}

/// Each row: a line of the valid manifest, what stands there instead, and what is found.
fn check_rows(rows: &[(&str, &str, &[&str])]) {
    for (line, other, expected) in rows {
        assert_eq!(manifest().found(&with(line, other)), *expected, "{line} → {other}");
    }
}

fn one<'f>(findings: &'f [Finding], rule: &str) -> &'f Finding {
    let mut own = findings.iter().filter(|finding| finding.rule == rule);
    let first = own.next().expect("the rule finds something");
    assert!(own.next().is_none(), "{rule} speaks twice");
    first
}

#[test]
fn a_complete_manifest_and_the_smallest_one_are_clean() {
    // proves M-01, A-16
    assert_eq!(manifest().found(VALID), [""; 0]);
    let smallest = "version: 1\nsource_file: discussion/007-ada-response.md\ngenerated_at: 2026-03-02\nfrom: ada\nto: grace\nstatus: failed\n";
    assert_eq!(manifest().found(smallest), [""; 0]);
    let sent = with("sent_at: null", "sent_at: \"2026-03-02T10:30:00Z\"").replace("y: null", "y: agent:main");
    assert_eq!(manifest().found(&sent), [""; 0]);
}

#[test]
fn a_required_field_that_is_missing_is_found_at_the_first_key() {
    // proves M-01
    check_rows(&[
        (
            "source_file: discussion/007-ada-response.md",
            "",
            &["error manifest/manifest/source_file-missing 1:1"],
        ),
        ("generated_at: \"2026-03-02\"", "", &["error manifest/manifest/generated_at-missing 1:1"]),
        ("from: ada", "", &["error manifest/manifest/from-missing 1:1"]),
        ("to: grace", "", &["error manifest/manifest/to-missing 1:1"]),
        ("status: pending", "", &["error manifest/manifest/status-missing 1:1"]),
        ("branch: handoff/7-ada-to-grace", "", &[]),
        ("sent_at: null", "", &[]),
        ("session_key: null", "", &[]),
    ]);
}

#[test]
fn a_field_of_another_type_is_found_at_its_value() {
    // proves M-01
    check_rows(&[
        ("version: 1", "version: one", &["error manifest/manifest/version-type 1:10"]),
        ("version: 1", "version: \"1\"", &["error manifest/manifest/version-type 1:10"]),
        (
            "source_file: discussion/007-ada-response.md",
            "source_file: [a]",
            &["error manifest/manifest/source_file-type 2:14"],
        ),
        (
            "generated_at: \"2026-03-02\"",
            "generated_at: 20260302",
            &["error manifest/manifest/generated_at-type 3:15"],
        ),
        ("from: ada", "from: {agent: ada}", &["error manifest/manifest/from-type 4:7"]),
        ("to: grace", "to: 7", &["error manifest/manifest/to-type 5:5"]),
        ("branch: handoff/7-ada-to-grace", "branch: [main]", &["error manifest/manifest/branch-type 6:9"]),
        ("  - login-form", "  - 7", &["error manifest/manifest/work_queue_items-type 8:5"]),
        (
            "  - src/login.rs",
            "  - {path: src/login.rs}",
            &["error manifest/manifest/files_changed-type 10:5"],
        ),
        ("status: pending", "status: [pending]", &["error manifest/manifest/status-type 11:9"]),
        ("sent_at: null", "sent_at: 7", &["error manifest/manifest/sent_at-type 12:10"]),
        ("session_key: null", "session_key: [a]", &["error manifest/manifest/session_key-type 13:14"]),
    ]);
    let scalar = with("work_queue_items:\n  - login-form", "work_queue_items: login-form");
    assert_eq!(manifest().found(&scalar), ["error manifest/manifest/work_queue_items-type 7:19"]);
}

#[test]
fn null_is_allowed_where_the_table_allows_it_and_nowhere_else() {
    // proves M-01
    check_rows(&[
        ("sent_at: null", "sent_at: ~", &[]),
        ("session_key: null", "session_key:", &[]),
        ("version: 1", "version: null", &["error manifest/manifest/version-type 1:10"]),
        ("from: ada", "from: null", &["error manifest/manifest/from-type 4:7"]),
        ("status: pending", "status: null", &["error manifest/manifest/status-type 11:9"]),
        ("branch: handoff/7-ada-to-grace", "branch: null", &["error manifest/manifest/branch-type 6:9"]),
        ("  - src/login.rs", "  - null", &["error manifest/manifest/files_changed-type 10:5"]),
    ]);
}

#[test]
fn the_version_is_one() {
    // proves M-02
    check_rows(&[
        ("version: 1", "version: 2", &["error manifest/manifest/version-enum 1:10"]),
        ("version: 1", "version: 0", &["error manifest/manifest/version-enum 1:10"]),
        ("version: 1", "version: -1", &["error manifest/manifest/version-enum 1:10"]),
        ("version: 1", "version: 1.5", &["error manifest/manifest/version-type 1:10"]),
    ]);
    let finding = &manifest().findings(&with("version: 1", "version: 2"))[0];
    assert_eq!((finding.found.as_deref(), finding.expected.as_deref()), (Some("2"), Some("1")));
}

#[test]
fn the_source_file_has_the_form_of_a_response() {
    // proves M-03
    let wrong = [
        "discussion/07-ada-response.md",
        "discussion/0007-ada-response.md",
        "discussion/007-response.md",
        "discussion/007--response.md/x",
        "discussion/007-ada/b-response.md",
        "discussion/007-ada-response.markdown",
        "discussion/007-ada-response.md.bak",
        "./discussion/007-ada-response.md",
        "notes/007-ada-response.md",
        "discussion/٠٠٧-ada-response.md",
    ];
    for path in wrong {
        let text = with("source_file: discussion/007-ada-response.md", &format!("source_file: {path}"));
        assert_eq!(manifest().found(&text), ["error manifest/manifest/source_file-pattern 2:14"], "{path}");
    }
    let other =
        with("source_file: discussion/007-ada-response.md", "source_file: discussion/120-a.b-c-response.md");
    let beside = &[("discussion/120-a.b-c-response.md", "")];
    assert_eq!(Text { beside, ..manifest() }.found(&other), [""; 0]);
}

#[test]
fn the_date_is_a_real_one() {
    // proves M-04
    let pattern: &[&str] = &["error manifest/manifest/generated_at-pattern 3:15"];
    for date in ["2026-99-99", "2026-02-30", "2025-02-29", "2026-3-2", "02.03.2026", "yesterday", "\"\""] {
        let text = with("generated_at: \"2026-03-02\"", &format!("generated_at: {date}"));
        assert_eq!(manifest().found(&text), pattern, "{date}");
    }
    for date in ["2024-02-29", "'2026-12-31'"] {
        let text = with("generated_at: \"2026-03-02\"", &format!("generated_at: {date}"));
        assert_eq!(manifest().found(&text), [""; 0], "{date}");
    }
}

#[test]
fn the_agents_have_names() {
    // proves M-05
    check_rows(&[
        ("from: ada", "from: \"\"", &["error manifest/manifest/from-pattern 4:7"]),
        ("from: ada", "from: '  '", &["error manifest/manifest/from-pattern 4:7"]),
        ("to: grace", "to: \"\"", &["error manifest/manifest/to-pattern 5:5"]),
    ]);
    let both = with("from: ada", "from: \"\"").replace("to: grace", "to: \"\"");
    let expected = ["error manifest/manifest/from-pattern 4:7", "error manifest/manifest/to-pattern 5:5"];
    assert_eq!(manifest().found(&both), expected, "two that are missing are not the same one");
}

#[test]
fn an_agent_does_not_hand_over_to_itself() {
    // proves M-06
    let same: &[&str] = &["error manifest/from-equals-to 4:7"];
    check_rows(&[
        ("to: grace", "to: ada", same),
        ("to: grace", "to: ADA", same),
        ("to: grace", "to: \" ada \"", same),
        ("to: grace", "to: ada2", &[]),
    ]);
    for (from, to) in [("ADA", "ada"), ("jörg", "JÖRG"), ("\"ada \"", "ada")] {
        let text = with("to: grace", &format!("to: {to}")).replace("from: ada", &format!("from: {from}"));
        assert_eq!(manifest().found(&text), same, "{from} → {to}");
    }
    let text = with("to: grace", "to: Ada");
    let findings = manifest().findings(&text);
    let finding = one(&findings, "manifest/from-equals-to");
    assert_eq!(&text[finding.related[0].span.range()], "Ada");
    assert_eq!(finding.found.as_deref(), Some("ada"));
}

#[test]
fn the_status_is_one_of_three_words() {
    // proves M-07
    check_rows(&[
        ("status: pending", "status: sent", &[]),
        ("status: pending", "status: failed", &[]),
        ("status: pending", "status: delivered", &["error manifest/manifest/status-enum 11:9"]),
        ("status: pending", "status: \"\"", &["error manifest/manifest/status-enum 11:9"]),
        ("status: pending", "status: Pending", &["info document/enum-case 11:9"]),
    ]);
}

#[test]
fn the_agents_are_participants() {
    // proves M-08
    let beside = &[SOURCE, ("meta/collaboration.yaml", COLLABORATION)];
    let text = Text { beside, ..manifest() };
    assert_eq!(text.found(VALID), [""; 0]);
    assert_eq!(text.found(&with("from: ada", "from: bob")), ["warning manifest/participants 4:7"]);
    let both = with("from: ada", "from: adaa").replace("to: grace", "to: Grace");
    let expected = ["warning manifest/participants 4:7", "warning manifest/participants 5:5"];
    assert_eq!(text.found(&both), expected);
    let findings = text.findings(&both);
    assert_eq!(findings[0].help.as_deref(), Some("did you mean `ada`?"));
    assert_eq!(findings[0].expected.as_deref(), Some("one of ada, grace, human"));
    assert_eq!(findings[1].found.as_deref(), Some("Grace"));
    assert_eq!(findings[1].help.as_deref(), Some("did you mean `grace`?"));
    for name in ["Grace (a model 4.6)", "grace-of-house-4-6"] {
        let findings = text.findings(&with("to: grace", &format!("to: {name}")));
        assert_eq!(findings[0].help.as_deref(), Some("did you mean `grace`?"), "{name}");
    }
    let findings = text.findings(&with("to: grace", "to: nobody"));
    let add = "correct the id, or add it to `participants` in `meta/collaboration.yaml`";
    assert_eq!(findings[0].help.as_deref(), Some(add));
}

#[test]
fn without_participants_nobody_is_asked() {
    // proves M-08
    let stranger = with("from: ada", "from: bob");
    for collaboration in [
        "",
        "autonomy_level: 3\n",
        "participants: []\n",
        "participants:\n",
        "- ada\n",
        "participants: [{role: x}]\n",
        "participants: [{id: ada}\n",
        "participants:\n  - id: ada\nlevels: [1\n",
    ] {
        let beside = &[SOURCE, ("meta/collaboration.yaml", collaboration)];
        assert_eq!(Text { beside, ..manifest() }.found(&stranger), [""; 0], "{collaboration}");
    }
    assert_eq!(manifest().found(&stranger), [""; 0]);
}

#[test]
fn the_source_file_exists() {
    // proves M-09
    let text = Text { beside: &[("README.md", "")], ..manifest() };
    assert_eq!(text.found(VALID), ["warning manifest/manifest/source_file-exists 2:14"]);
    assert_eq!(manifest().found(VALID), [""; 0]);
}

#[test]
fn the_items_are_in_the_work_queue() {
    // proves M-10
    let beside = &[SOURCE, ("meta/work-queue.yaml", QUEUE)];
    let text = Text { beside, ..manifest() };
    assert_eq!(text.found(VALID), [""; 0]);
    let two = with("  - login-form", "  - login\n  - password-reset\n  - pasword-reset");
    let expected = ["warning manifest/work-queue 8:5", "warning manifest/work-queue 10:5"];
    assert_eq!(text.found(&two), expected);
    let findings = text.findings(&two);
    assert_eq!(findings[0].expected.as_deref(), Some("one of login-form, password-reset"));
    assert_eq!(findings[1].help.as_deref(), Some("did you mean `password-reset`?"));
    assert_eq!(manifest().found(&two), [""; 0], "without the file nothing is asked");
    let beside = &[SOURCE, ("meta/work-queue.yaml", "items: []\n")];
    assert_eq!(Text { beside, ..manifest() }.found(&two), [""; 0], "nor without items in it");
}

#[test]
fn a_long_work_queue_is_counted_and_not_listed() {
    let queue: String =
        (0..50).fold("items:\n".to_owned(), |queue, at| format!("{queue}  - id: item-{at}\n"));
    let beside = &[SOURCE, ("meta/work-queue.yaml", &*queue)];
    let findings = Text { beside, ..manifest() }.findings(VALID);
    let finding = one(&findings, "manifest/work-queue");
    assert_eq!(finding.expected.as_deref(), Some("one of the 50 ids in `meta/work-queue.yaml`"));
}

#[test]
fn changed_files_are_relative_and_below_the_root() {
    // proves M-11
    let wrong = [
        "/etc/hosts",
        "../other/file.rs",
        "src/../../file.rs",
        "src/..",
        "..",
        r"src\..\..\file.rs",
        r"C:\shop\file.rs",
        "c:/shop/file.rs",
        "C:file.rs",
        r"\shop\file.rs",
        r"\\server\shop\file.rs",
        "//server/shop/file.rs",
        "~/shop/file.rs",
        "~",
        "~ada/file.rs",
        "' /etc/hosts'",
    ];
    for path in wrong {
        let text = with("  - src/login.rs", &format!("  - {path}"));
        // A lone `~` is null in YAML.
        let text = if path == "~" { text.replace("- ~", "- '~'") } else { text };
        assert_eq!(manifest().found(&text), ["warning manifest/files-changed 10:5"], "{path}");
    }
    for path in [
        "./src/login.rs",
        "src",
        "a..b/c...d",
        "..a/b",
        ".hidden",
        "~$draft.docx",
        "docs/ä ö.md",
        "ab:c",
        "x/~/y",
    ] {
        let text = with("  - src/login.rs", &format!("  - {path}"));
        assert_eq!(manifest().found(&text), [""; 0], "{path}");
    }
    let several = with("  - src/login.rs", "  - /a\n  - b\n  - ../c");
    let expected = ["warning manifest/files-changed 10:5", "warning manifest/files-changed 12:5"];
    assert_eq!(manifest().found(&several), expected);
}

#[test]
fn a_manifest_without_a_version_is_legacy_and_gets_one_warning() {
    // proves M-12
    let legacy: &[&str] = &["warning manifest/legacy 1:1"];
    assert_eq!(manifest().found(&with("version: 1", "")), legacy);
    let wrong =
        "from: ada\nto: ada\nstatus: lost\ngenerated_at: never\nfiles_changed: [/etc/hosts]\nlatest: x\n";
    assert_eq!(manifest().found(wrong), legacy);
    let commented = format!("# by hand\n\n{wrong}");
    assert_eq!(manifest().found(&commented), ["warning manifest/legacy 3:1"]);
    let findings = manifest().findings(wrong);
    assert!(findings[0].message.contains("version 0") && findings[0].message.contains("skipped"));
    assert_eq!(findings[0].expected.as_deref(), Some("`version: 1`"));
    let named = Text { path: Some("old.yaml"), ..Text::default() };
    let recognised = "source_file: discussion/007-ada-response.md\nfrom: ada\nto: ada\n";
    assert_eq!(named.found(recognised), legacy, "wherever it lies");
    let findings = manifest().findings(&with("version: 1", "VERSION: 1"));
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].help.as_deref(), Some("did you mean `version`? `VERSION` is another key"));
}

#[test]
fn what_has_no_field_of_a_manifest_is_no_legacy_one() {
    // proves M-12
    for (text, rule) in [
        ("hello\n", "error document/empty"),
        ("- from\n- to\n", "error document/empty"),
        ("{}\n", "error manifest/manifest/version-missing"),
        ("colour: red\n", "error manifest/manifest/version-missing"),
    ] {
        let found = manifest().found(text);
        assert!(found.iter().any(|line| line.starts_with(rule)), "{text}: {found:?}");
        assert!(!found.iter().any(|line| line.contains("manifest/legacy")), "{text}: {found:?}");
    }
}

#[test]
fn the_summary_of_the_manifest_is_off_unless_configured() {
    // proves M-17
    let wrong = with("status: pending", "status: lost").replace("to: grace", "to: ada");
    let errors = ["error manifest/from-equals-to 4:7", "error manifest/manifest/status-enum 11:9"];
    assert_eq!(manifest().found(&wrong), errors);
    for name in ["manifest/handoff-manifest-valid", "handoff-manifest-valid"] {
        let on = Text { levels: &[(name, Some(Level::Warning))], ..manifest() };
        let found = on.found(&wrong);
        assert_eq!(found[0], "warning manifest/handoff-manifest-valid 1:1");
        assert_eq!(found[1..], errors);
        assert_eq!(on.found(VALID), [""; 0]);
        let findings = on.findings(&wrong);
        let summary = one(&findings, "manifest/handoff-manifest-valid");
        assert_eq!(summary.found.as_deref(), Some("2 errors"));
    }
}

#[test]
fn the_summary_is_about_errors_of_the_projects_manifest_only() {
    // proves M-17
    let rule = "manifest/handoff-manifest-valid";
    let on = || Text { levels: &[("manifest/handoff-manifest-valid", Some(Level::Warning))], ..manifest() };
    let says = |text: Text<'_>, document: &str| {
        text.found(document).iter().filter(|line| line.contains(rule)).count()
    };
    let wrong = with("status: pending", "status: lost");
    assert_eq!(says(on(), &wrong), 1);
    assert_eq!(says(Text { path: Some("other/handoff.yaml"), ..on() }, &wrong), 0);
    let warned = with("  - src/login.rs", "  - /etc/hosts");
    assert_eq!(says(on(), &warned), 0, "warnings are no errors");
    let twice = format!("{wrong}---\n{wrong}");
    assert_eq!(says(on(), &twice), 1, "one summary for the file");
    let broken = with("session_key: null", "session_key: \"open");
    assert_eq!(says(on(), &broken), 1, "syntax errors count");
    let lowered = Text {
        levels: &[
            ("manifest/handoff-manifest-valid", Some(Level::Warning)),
            ("manifest/manifest/status-enum", Some(Level::Info)),
        ],
        ..manifest()
    };
    assert_eq!(says(lowered, &wrong), 0, "what is configured to be no error is none");
}

#[test]
fn json_is_a_manifest_too() {
    let json = r#"{"version": 1, "source_file": "discussion/007-ada-response.md", "generated_at": "2026-03-02",
 "from": "ada", "to": "Ada", "files_changed": ["../x"], "status": "pending"}"#;
    let text = Text { dialect: Some("manifest"), beside: &[SOURCE], ..Text::default() };
    assert_eq!(
        text.found(json),
        ["error manifest/from-equals-to 2:10", "warning manifest/files-changed 2:48"]
    );
}
