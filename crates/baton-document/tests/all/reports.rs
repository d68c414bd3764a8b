//! What each report writes: the form is a contract, so it is shown here in full.

use std::sync::LazyLock;

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::report::{Colour, FileReport, REPORTS, ReportOptions, Summary};
use baton_document::{Checked, Checker, Finding, Input, Level, Levels, Limits, NoWorld, Scratch, Span};

const MANIFEST: &str = "version: 1
source_file: discussion/058-author-response.md
generated_at: \"2026-02-09\"
from: codex
to: codex # ü → 漢字
status: Pending
";

/// The checker, made once: that is what takes time.
fn checker() -> &'static Checker {
    static CHECKER: LazyLock<Checker> =
        LazyLock::new(|| Checker::new(&Settings::default(), Levels::default(), Limits::default()));
    &CHECKER
}

fn span(text: &str, part: &str) -> Span {
    let start = u32::try_from(text.find(part).unwrap()).unwrap();
    Span::new(start, start + u32::try_from(part.len()).unwrap())
}

/// The handoffs of a text as the checker finds them, with findings made by hand.
fn checked<'t>(checker: &Checker, text: &'t str, findings: Vec<Finding>) -> Checked<'t> {
    let input = Input {
        path: Some("meta/handoff.yaml"),
        bytes: text.as_bytes(),
        dialect: None,
        look: Look::Whole,
        is_named: false,
    };
    Checked { findings, ..checker.check(input, &NoWorld, &mut Scratch::default()) }
}

fn levelled(level: Level, finding: Finding) -> Finding {
    Finding { level, handoff: Some(0), ..finding }
}

fn findings() -> Vec<Finding> {
    let to = span(MANIFEST, "codex # ");
    vec![
        levelled(
            Level::Error,
            Finding::new("manifest/from-equals-to", "the handoff goes back to the agent it comes from")
                .at(Span::new(to.start, to.start + 5))
                .label("and goes to codex")
                .related(span(MANIFEST, "codex"), "it comes from codex")
                .found("codex")
                .expected("an agent other than codex")
                .help("name the other agent in `to`"),
        ),
        levelled(
            Level::Info,
            Finding::new("document/enum-case", "the word is written with other letters")
                .at(span(MANIFEST, "Pending"))
                .found("Pending")
                .expected("pending")
                .fix(span(MANIFEST, "Pending"), "pending"),
        ),
        Finding { level: Level::Warning, ..Finding::new("manifest/participants", "100% of a, b: and\nc") },
    ]
}

struct File<'f> {
    path: &'f str,
    text: &'f str,
    findings: Vec<Finding>,
}

fn report(name: &str, options: &ReportOptions, files: Vec<File<'_>>, failures: &[(&str, &str)]) -> String {
    let form = REPORTS.iter().find(|form| form.name == name).unwrap();
    let checker = checker();
    let mut report = (form.make)(options);
    let mut summary = Summary::default();
    let mut out = Vec::new();
    report.start(&mut out).unwrap();
    for file in files {
        let checked = checked(checker, file.text, file.findings);
        summary.add(&checked);
        let file = FileReport { path: file.path, checked: &checked, checker };
        report.file(&file, &mut out).unwrap();
    }
    for (path, message) in failures {
        report.failure(path, message, &mut out).unwrap();
    }
    report.finish(&summary, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

const PLAIN: ReportOptions = ReportOptions { colour: Colour::Plain, width: 100, blocks: Level::Error };

/// A file with findings of every kind, a clean one, and one that cannot be read.
fn all_kinds(name: &str) -> String {
    let files = vec![
        File { path: "meta/handoff.yaml", text: MANIFEST, findings: findings() },
        File { path: "other/a clean: one.yaml", text: MANIFEST, findings: Vec::new() },
    ];
    report(name, &PLAIN, files, &[("broken, link.yaml", "no such file")])
}

#[test]
fn text_shows_the_source_line_with_carets_and_what_would_be_right() {
    // proves A-03
    insta::assert_snapshot!(all_kinds("text"), @r#"
    error[manifest/from-equals-to]: the handoff goes back to the agent it comes from
     --> meta/handoff.yaml:5:5
      |
    4 | from: codex
      |       ----- it comes from codex
    5 | to: codex # ü → 漢字
      |     ^^^^^ and goes to codex
      |
      = expected: an agent other than codex
      = help: name the other agent in `to`

    info[document/enum-case]: the word is written with other letters
     --> meta/handoff.yaml:6:9
      |
    6 | status: Pending
      |         ^^^^^^^
      |
    help: write it so
      |
    6 - status: Pending
    6 + status: pending
      |

    warning[manifest/participants]: 100% of a, b: and
                                    c
    --> meta/handoff.yaml

    1 error, 1 warning, 1 info in 2 files (2 handoffs checked)
    "#);
}

#[test]
fn json_is_one_object_with_places_of_everything() {
    // proves A-03
    insta::assert_snapshot!(all_kinds("json"), @r#"
    {"version":1,
    "files":[
    {"path":"meta/handoff.yaml","handoffs":[{"dialect":"manifest","kind":"manifest","span":{"start":{"line":1,"column":1,"offset":0},"end":{"line":6,"column":16,"offset":138}}}],"findings":[{"rule":"manifest/from-equals-to","level":"error","message":"the handoff goes back to the agent it comes from","found":"codex","expected":"an agent other than codex","help":"name the other agent in `to`","handoff":0,"span":{"start":{"line":5,"column":5,"offset":101},"end":{"line":5,"column":10,"offset":106}},"related":[{"span":{"start":{"line":4,"column":7,"offset":91},"end":{"line":4,"column":12,"offset":96}},"message":"it comes from codex"}],"fix":null},{"rule":"document/enum-case","level":"info","message":"the word is written with other letters","found":"Pending","expected":"pending","help":null,"handoff":0,"span":{"start":{"line":6,"column":9,"offset":131},"end":{"line":6,"column":16,"offset":138}},"related":[],"fix":{"safe":true,"edits":[{"span":{"start":{"line":6,"column":9,"offset":131},"end":{"line":6,"column":16,"offset":138}},"text":"pending"}]}},{"rule":"manifest/participants","level":"warning","message":"100% of a, b: and\nc","found":null,"expected":null,"help":null,"handoff":null,"span":null,"related":[],"fix":null}]},
    {"path":"other/a clean: one.yaml","handoffs":[{"dialect":"manifest","kind":"manifest","span":{"start":{"line":1,"column":1,"offset":0},"end":{"line":6,"column":16,"offset":138}}}],"findings":[]}],
    "failures":[{"path":"broken, link.yaml","message":"no such file"}],
    "summary":{"files":2,"handoffs":2,"errors":1,"warnings":1,"infos":1}}
    "#);
    let value: serde_json::Value = serde_json::from_str(&all_kinds("json")).unwrap();
    assert_eq!(value["version"], 1);
}

#[test]
fn json_lines_are_findings_and_the_summary_is_last() {
    // proves A-03
    insta::assert_snapshot!(all_kinds("jsonl"), @r#"
    {"path":"meta/handoff.yaml","rule":"manifest/from-equals-to","level":"error","message":"the handoff goes back to the agent it comes from","found":"codex","expected":"an agent other than codex","help":"name the other agent in `to`","handoff":0,"span":{"start":{"line":5,"column":5,"offset":101},"end":{"line":5,"column":10,"offset":106}},"related":[{"span":{"start":{"line":4,"column":7,"offset":91},"end":{"line":4,"column":12,"offset":96}},"message":"it comes from codex"}],"fix":null}
    {"path":"meta/handoff.yaml","rule":"document/enum-case","level":"info","message":"the word is written with other letters","found":"Pending","expected":"pending","help":null,"handoff":0,"span":{"start":{"line":6,"column":9,"offset":131},"end":{"line":6,"column":16,"offset":138}},"related":[],"fix":{"safe":true,"edits":[{"span":{"start":{"line":6,"column":9,"offset":131},"end":{"line":6,"column":16,"offset":138}},"text":"pending"}]}}
    {"path":"meta/handoff.yaml","rule":"manifest/participants","level":"warning","message":"100% of a, b: and\nc","found":null,"expected":null,"help":null,"handoff":null,"span":null,"related":[],"fix":null}
    {"files":2,"handoffs":2,"errors":1,"warnings":1,"infos":1,"failures":[{"path":"broken, link.yaml","message":"no such file"}]}
    "#);
}

#[test]
fn github_annotations_are_escaped() {
    // proves A-03
    insta::assert_snapshot!(all_kinds("github"), @r#"
    ::error file=meta/handoff.yaml,line=5,col=5,endLine=5,endColumn=10,title=manifest/from-equals-to::the handoff goes back to the agent it comes from%0Aexpected: an agent other than codex%0Ahelp: name the other agent in `to`
    ::notice file=meta/handoff.yaml,line=6,col=9,endLine=6,endColumn=16,title=document/enum-case::the word is written with other letters%0Afound: Pending%0Aexpected: pending
    ::warning file=meta/handoff.yaml,title=manifest/participants::100%25 of a, b: and%0Ac
    ::error file=broken%2C link.yaml,title=unreadable::no such file
    "#);
}

#[test]
fn junit_has_a_suite_per_file_and_a_case_per_finding() {
    // proves A-03
    insta::assert_snapshot!(all_kinds("junit"), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="baton check">
      <testsuite name="meta/handoff.yaml" tests="3" failures="1" errors="0">
        <testcase classname="meta/handoff.yaml" name="manifest/from-equals-to" file="meta/handoff.yaml" line="5">
          <failure type="error" message="the handoff goes back to the agent it comes from">meta/handoff.yaml:5:5: error: the handoff goes back to the agent it comes from
    expected: an agent other than codex
    help: name the other agent in `to`</failure>
        </testcase>
        <testcase classname="meta/handoff.yaml" name="document/enum-case" file="meta/handoff.yaml" line="6">
          <system-out>meta/handoff.yaml:6:9: info: the word is written with other letters
    found: Pending
    expected: pending</system-out>
        </testcase>
        <testcase classname="meta/handoff.yaml" name="manifest/participants" file="meta/handoff.yaml">
          <system-out>meta/handoff.yaml: warning: 100% of a, b: and
    c</system-out>
        </testcase>
      </testsuite>
      <testsuite name="other/a clean: one.yaml" tests="1" failures="0" errors="0">
        <testcase classname="other/a clean: one.yaml" name="1 handoff"/>
      </testsuite>
      <testsuite name="broken, link.yaml" tests="1" failures="0" errors="1">
        <testcase classname="broken, link.yaml" name="readable">
          <error message="no such file"/>
        </testcase>
      </testsuite>
    </testsuites>
    "#);
}

#[test]
fn sarif_is_valid_and_names_its_rules() {
    // proves A-03
    // One pattern of the standard's schema has a stray bracket, which strict readers of patterns refuse.
    let schema = include_str!("../data/sarif-2.1.0.schema.json").replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let text = all_kinds("sarif");
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let faults: Vec<String> = validator.iter_errors(&value).map(|fault| fault.to_string()).collect();
    assert_eq!(faults, Vec::<String>::new());
    let results = value["runs"][0]["results"].as_array().unwrap();
    let rules = value["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(result["ruleId"], rules[index]["id"]);
        assert!(!rules[index]["help"]["text"].as_str().unwrap().is_empty());
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&results).unwrap(), @r#"
    [
      {
        "ruleId": "manifest/from-equals-to",
        "ruleIndex": 0,
        "level": "error",
        "message": {
          "text": "the handoff goes back to the agent it comes from\nexpected: an agent other than codex\nhelp: name the other agent in `to`"
        },
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "meta/handoff.yaml"
              },
              "region": {
                "startLine": 5,
                "startColumn": 5,
                "endLine": 5,
                "endColumn": 10,
                "byteOffset": 101,
                "byteLength": 5
              }
            },
            "message": {
              "text": "and goes to codex"
            }
          }
        ],
        "relatedLocations": [
          {
            "id": 1,
            "physicalLocation": {
              "artifactLocation": {
                "uri": "meta/handoff.yaml"
              },
              "region": {
                "startLine": 4,
                "startColumn": 7,
                "endLine": 4,
                "endColumn": 12,
                "byteOffset": 91,
                "byteLength": 5
              }
            },
            "message": {
              "text": "it comes from codex"
            }
          }
        ]
      },
      {
        "ruleId": "document/enum-case",
        "ruleIndex": 1,
        "level": "note",
        "message": {
          "text": "the word is written with other letters\nfound: Pending\nexpected: pending"
        },
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "meta/handoff.yaml"
              },
              "region": {
                "startLine": 6,
                "startColumn": 9,
                "endLine": 6,
                "endColumn": 16,
                "byteOffset": 131,
                "byteLength": 7
              }
            }
          }
        ],
        "fixes": [
          {
            "description": {
              "text": "write it as the dialect does"
            },
            "artifactChanges": [
              {
                "artifactLocation": {
                  "uri": "meta/handoff.yaml"
                },
                "replacements": [
                  {
                    "deletedRegion": {
                      "startLine": 6,
                      "startColumn": 9,
                      "endLine": 6,
                      "endColumn": 16,
                      "byteOffset": 131,
                      "byteLength": 7
                    },
                    "insertedContent": {
                      "text": "pending"
                    }
                  }
                ]
              }
            ]
          }
        ]
      },
      {
        "ruleId": "manifest/participants",
        "ruleIndex": 2,
        "level": "warning",
        "message": {
          "text": "100% of a, b: and\nc"
        },
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "meta/handoff.yaml"
              }
            }
          }
        ]
      }
    ]
    "#);
    let empty = report("sarif", &PLAIN, Vec::new(), &[]);
    assert!(validator.is_valid(&serde_json::from_str(&empty).unwrap()), "{empty}");
    let broken = text.replace("\"startLine\":5", "\"startLine\":0");
    assert!(!validator.is_valid(&serde_json::from_str(&broken).unwrap()), "the validator finds nothing");
}

/// The text report of one finding at a part of a text.
fn one_in_text(text: &str, options: &ReportOptions, finding: Finding) -> String {
    report("text", options, vec![File { path: "a\u{1b}[2J.yaml", text, findings: vec![finding] }], &[])
}

#[test]
fn text_lets_no_control_character_of_a_document_through() {
    // proves A-03
    let text = "to: \u{1b}[31mred\u{9b}2J\u{202e}x\n";
    let finding = Finding::new("x/y", "has \u{1b}[0m in it")
        .at(span(text, "red"))
        .found("\u{1b}]0;t\u{7}")
        .help("write \u{202e}red")
        .fix(span(text, "red"), "\u{1b}[1mblue");
    let shown = one_in_text(text, &PLAIN, finding);
    assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
    assert!(!shown.contains('\u{202e}'), "{shown:?}");
}

#[test]
fn text_counts_columns_in_long_lines_from_the_start_of_the_line() {
    // proves A-03
    let text =
        format!("{{\"a\": \"{}\", \"to\": 1, \"b\": \"{}\"}}\n", "é".repeat(20_000), "x".repeat(20_000));
    let shown = one_in_text(&text, &PLAIN, Finding::new("x/y", "is no name").at(span(&text, "\"to\"")));
    assert!(shown.contains(".yaml:1:20011\n"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 200), "{shown}");
}

#[test]
fn text_shows_places_that_lie_far_apart_one_by_one() {
    // proves A-03
    let text = format!("first: 1\r\n{}last: 2\r\n", "# filler\r\n".repeat(2_000));
    let finding = Finding::new("x/y", "both are there")
        .at(span(&text, "last"))
        .label("here")
        .related(span(&text, "first"), "and here");
    insta::assert_snapshot!(one_in_text(&text, &PLAIN, finding), @r#"
    error[x/y]: both are there
        --> a\u{1b}[2J.yaml:2002:1
         |
    2002 | last: 2
         | ^^^^ here
         |
        ::: a\u{1b}[2J.yaml:1:1
         |
       1 | first: 1
         | ----- and here

    1 error in 1 file (1 handoff checked)
    "#);
}

#[test]
fn text_marks_the_first_line_of_a_long_part_and_knows_a_byte_order_mark() {
    // proves A-03
    let text = format!("\u{feff}first: 1\n{}", "a: 1\n".repeat(50));
    let end = u32::try_from(text.len()).unwrap();
    let finding = Finding::new("x/y", "all of it").at(Span::new(3, end));
    insta::assert_snapshot!(one_in_text(&text, &PLAIN, finding), @r#"
    error[x/y]: all of it
     --> a\u{1b}[2J.yaml:1:1
      |
    1 | first: 1
      | ^^^^^^^^

    1 error in 1 file (1 handoff checked)
    "#);
}

#[test]
fn text_is_coloured_only_when_asked() {
    // proves A-03
    let finding = || Finding::new("x/y", "is wrong").at(Span::new(0, 2));
    let coloured = ReportOptions { colour: Colour::Coloured, ..PLAIN };
    assert!(one_in_text("to: x\n", &coloured, finding()).contains('\u{1b}'));
    assert!(!one_in_text("to: x\n", &PLAIN, finding()).contains('\u{1b}'));
}

#[test]
fn a_run_that_found_nothing_says_so() {
    let shown = report("text", &PLAIN, vec![File { path: "a", text: MANIFEST, findings: Vec::new() }], &[]);
    assert_eq!(shown, "nothing found in 1 file (1 handoff checked)\n");
}

#[test]
fn junit_fails_a_case_for_a_warning_where_warnings_block() {
    let strict = ReportOptions { blocks: Level::Warning, ..PLAIN };
    let finding = || Finding { level: Level::Warning, ..Finding::new("x/y", "a < b & \u{1}") };
    let file = || vec![File { path: "a", text: MANIFEST, findings: vec![finding()] }];
    let shown = report("junit", &strict, file(), &[]);
    assert!(shown.contains("<failure type=\"warning\" message=\"a &lt; b &amp; \u{fffd}\">"), "{shown}");
    assert!(!report("junit", &PLAIN, file(), &[]).contains("<failure"));
}

/// A span between two characters of a text, chosen by two numbers.
fn span_in(text: &str, (a, b): (usize, usize)) -> Span {
    let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    places.push(text.len());
    let (a, b) = (places[a % places.len()], places[b % places.len()]);
    Span::new(u32::try_from(a.min(b)).unwrap(), u32::try_from(a.max(b)).unwrap())
}

/// Texts of characters that are wide, narrow, invisible, or end a line.
fn texts() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let pieces =
        ["a", "ab: c", "é", "漢", "\u{200b}", "\u{feff}", "\t", "\r", "\n", "\r\n", "\n\n", "👩‍🚀", "\u{1b}"];
    let body = prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40);
    let start = prop::sample::select(vec!["", "\u{feff}"]);
    (start, body).prop_map(|(start, parts)| start.to_owned() + &parts.concat())
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_place_in_any_text_is_too_odd_for_a_report(
        text in texts(),
        spans in proptest::collection::vec((0_usize..200, 0_usize..200), 4),
        edit in texts(),
        width in 0_usize..120,
    ) {
        // proves A-03
        let findings = || vec![
            Finding::new("a/b", "is odd").at(span_in(&text, spans[0])).label("here"),
            Finding::new("a/b", "is odd")
                .at(span_in(&text, spans[1]))
                .related(span_in(&text, spans[2]), "there")
                .related(span_in(&text, spans[0]), "there too")
                .help("mend it")
                .fix(span_in(&text, spans[3]), edit.clone()),
        ];
        let options = ReportOptions { width, ..PLAIN };
        for form in REPORTS {
            let files = vec![File { path: "a.md", text: &text, findings: findings() }];
            let written = report(form.name, &options, files, &[]);
            if matches!(form.name, "json" | "sarif") {
                let value: Result<serde_json::Value, _> = serde_json::from_str(&written);
                proptest::prop_assert!(value.is_ok(), "{written}");
            }
        }
    }
}
