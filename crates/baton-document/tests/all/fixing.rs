//! Fixes: what they change, what they leave as it is, and that a fixed text has nothing left to fix.

use std::collections::BTreeMap;

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::{
    Checker, Datum, Fixed, Input, Level, Levels, Limits, NoWorld, Scratch, Unsettled, Wanted,
};
use proptest::prelude::*;

thread_local! {
    static CHECKER: Checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
}

fn input<'i>(path: &'i str, text: &'i str) -> Input<'i> {
    Input { path: Some(path), bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true }
}

fn try_fix(path: &str, text: &str) -> Option<Fixed> {
    let wanted = Wanted { safe: true, secrets: false };
    let fix = |checker: &Checker| checker.fix(input(path, text), &NoWorld, wanted, &mut Scratch::default());
    CHECKER.with(fix).expect("few fixes settle")
}

/// The text as it is after fixing.
fn fixed(path: &str, text: &str) -> String {
    try_fix(path, text).map_or_else(|| text.to_owned(), |fixed| fixed.text)
}

/// How often each rule finds an error.
fn errors(path: &str, text: &str) -> BTreeMap<String, usize> {
    let mut errors = BTreeMap::new();
    CHECKER.with(|checker| {
        for finding in checker.check(input(path, text), &NoWorld, &mut Scratch::default()).findings {
            if finding.level == Level::Error {
                *errors.entry(finding.rule.into_owned()).or_default() += 1;
            }
        }
    });
    errors
}

const PACKAGE: &str = "# A package.
handoff:
  from: {agent: backend, step: 2}   # who
  to: testing # next
  context:
    summary: Login form done in src/login.rs
    artifacts:
      - src/login.rs # new
      - {path: src/form.rs}
";

#[test]
fn a_plain_word_becomes_the_map_it_stands_for_in_the_style_around_it() {
    // proves A-07, A-15
    let block = "# A package.
handoff:
  from: {agent: backend, step: 2}   # who
  to:
    agent: testing # next
  context:
    summary: Login form done in src/login.rs
    artifacts:
      - path: src/login.rs # new
      - {path: src/form.rs}
";
    assert_eq!(fixed("a.yaml", PACKAGE), block);
    let crlf = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(fixed("a.yaml", &crlf(PACKAGE)), crlf(block));
    // No line end at the end stays none.
    assert_eq!(fixed("a.yaml", PACKAGE.trim_end()), block.trim_end());
    let flow =
        "handoff: {from: {agent: a}, to: testing, context: {summary: Done in a.rs, artifacts: [a.rs]}}\n";
    assert_eq!(
        fixed("a.yaml", flow),
        "handoff: {from: {agent: a}, to: {agent: testing}, context: {summary: Done in a.rs, artifacts: [{path: a.rs}]}}\n"
    );
    let json =
        "{\"handoff\":{\"from\":{\"agent\":\"a\"},\"to\":\"b\",\"context\":{\"summary\":\"Done in a.rs\"}}}";
    assert_eq!(
        fixed("a.json", json),
        "{\"handoff\":{\"from\":{\"agent\":\"a\"},\"to\":{\"agent\": \"b\"},\"context\":{\"summary\":\"Done in a.rs\"}}}"
    );
    // Four columns stay four, and a value on its own line stays there.
    let wide = "handoff:\n    from:\n        agent: a\n    to: \"b\"\n    context: {summary: Done in a.rs}\n";
    assert_eq!(fixed("a.yaml", wide), wide.replace("to: \"b\"", "to:\n        agent: \"b\""));
    let below = "handoff:\n  from:\n    agent: a\n  to:\n    b\n  context: {summary: Done in a.rs}\n";
    assert_eq!(fixed("a.yaml", below), below.replace("    b\n", "    agent: b\n"));
}

#[test]
fn words_booleans_keys_and_timestamps_get_their_usual_form() {
    // proves A-03, A-07
    let text = "handoff:
  timestamp: '2026-01-02T03:04:05+00:00Z' # zulu
  from: {agent: a}
  to: {agent: human}
  context:
    summary: Two offers in docs/offers.md
    artefacts: []
    open_questions:
      - {question: Which one?, priority: \"High\"}
---
acknowledgement:
  received: yes
  starting: \"No\"
";
    let right = "handoff:
  timestamp: '2026-01-02T03:04:05+00:00' # zulu
  from: {agent: a}
  to: {agent: human}
  context:
    summary: Two offers in docs/offers.md
    artifacts: []
    open_questions:
      - {question: Which one?, priority: \"high\"}
---
acknowledgment:
  received: true
  starting: false
";
    assert_eq!(try_fix("a.yaml", text), Some(Fixed { text: right.to_owned(), count: 6 }));
    assert_eq!(try_fix("a.yaml", right), None);
}

#[test]
fn what_can_be_read_in_two_ways_stays() {
    let same = |text: &str| assert_eq!(fixed("a.yaml", text), text);
    let with = |line: &str| {
        format!(
            "handoff:\n  from: {{agent: a}}\n  to: {{agent: b}}\n{line}  context: {{summary: Done in a.rs}}\n"
        )
    };
    for timestamp in ["2026-01-02", "2026-01-02T03:04:05", "2026-01-02T03:04:05+02:00Z"] {
        same(&with(&format!("  timestamp: \"{timestamp}\"\n")));
    }
    // The language is the writer's.
    same(&with("  gate: {type: blocking, name: x}\n"));
    // Too far to be a slip, or what was meant is there already.
    same(&with("  times: x\n"));
    same(&with("  contxt: {summary: x}\n"));
    // Of two that could be the same key one gets the name.
    let two = "acknowledgment:\n  received: true\n  quesitons: []\n  questons: [Why?]\n";
    assert_eq!(fixed("a.yaml", two), two.replace("quesitons", "questions"));
    // A tag says what the value is.
    same("acknowledgment:\n  received: !!str yes\n  starting: true\n");
}

#[test]
fn text_in_a_block_of_its_own_stays_and_holds_up_no_other_fix() {
    // proves A-03, A-07, A-15
    let with = |item: &str, who: &str, port: &str| {
        let around = "  context:\n    summary: 12 files in src/\n";
        format!("handoff:\n{who}{around}    open_questions:\n      - {item}\n      - {port}Which port?\n")
    };
    let (plain, maps) = ("  from: z\n  to: b\n", "  from:\n    agent: z\n  to:\n    agent: b\n");
    for mark in ["|", "|-", "|+", ">", ">-", ">+", "| # why", "|2-"] {
        for line_end in ["\n", "\r\n"] {
            let item = format!("{mark}\n        Which host?");
            let text = with(&item, plain, "").replace('\n', line_end);
            assert_eq!(fixed("a.yaml", &text), with(&item, maps, "question: ").replace('\n', line_end));
        }
    }
    let artifact = "handoff:\n  from: {agent: a}\n  to: {agent: b}\n  context:\n    summary: Done in a.rs\n    artifacts:\n      - >-\n        a.rs\n      - b.rs\n";
    assert_eq!(fixed("a.yaml", artifact), artifact.replace("- b.rs", "- path: b.rs"));
    // What is written in a block is text, whatever it says.
    let truth = "acknowledgment:\n  received: |-\n    yes\n  starting: \"yes\"\n";
    assert_eq!(fixed("a.yaml", truth), truth.replace("\"yes\"", "true"));
    let safe = |text: &str| {
        CHECKER.with(|checker| {
            let checked = checker.check(input("a.yaml", text), &NoWorld, &mut Scratch::default());
            checked.findings.iter().filter(|finding| finding.fix.is_some()).count()
        })
    };
    assert_eq!(safe(&fixed("a.yaml", truth)), 0, "nothing is offered that changes nothing");
}

#[test]
fn text_that_an_alias_copies_stays() {
    let same = |text: &str| assert_eq!(fixed("a.yaml", text), text);
    same(
        "handoff:\n  from: &who testing\n  to: {agent: b}\n  note: *who\n  context: {summary: Done in a.rs}\n",
    );
    same(
        "x-baton: &q {question: Which?, priority: High}\nhandoff:\n  from: {agent: a}\n  to: {agent: human}\n  context: {summary: Done in a.rs, open_questions: [*q]}\n",
    );
    // An anchor that nobody uses is no reason.
    let text = "acknowledgment:\n  received: &r yes\n  starting: true\n";
    assert_eq!(fixed("a.yaml", text), text.replace("yes", "true"));
}

#[test]
fn a_fix_that_would_bring_an_error_is_not_made() {
    // `statu` is plainly `status`, but its value is none of the words.
    let text = "{\"meta\": {\"step_id\": \"a\", \"flow_key\": \"b\", \"agent_key\": \"c\", \"timestamp\": \"2026-01-02 03:04:05Z\"},
 \"statu\": \"DONE\", \"summary\": {\"what_i_did\": \"x\", \"what_i_found\": \"y\"},
 \"routing\": {\"recommendation\": \"continue\", \"reason\": \"z\"}}";
    let right = text.replace("05 03", "05T03").replace("02 03", "02T03").replace("continue", "CONTINUE");
    assert_eq!(fixed("a.json", text), right);
}

#[test]
fn elements_are_renamed_at_both_ends_and_moved_with_their_lines() {
    let text = "<handoff>
  <from>issue-manager</from>
  <to>prep-agent</to>
  <issue_url>https://example.com/issues/7</issue_url>
  <!-- one comment -->
  <issue_number>7</issue_number>
  <type>Bug</type>
  <issue_title>Dates are off by one day</issue_title>
  <priority>HIGH</priority>
  <sumary>Created an issue for <!-- two --> dates</sumary>
  <requirements>
    <requirement>23:59 stays on its day</requirement>
  </requirements>
</handoff>
";
    let right = "<handoff>
  <from>issue-manager</from>
  <to>prep-agent</to>
  <issue_url>https://example.com/issues/7</issue_url>
  <!-- one comment -->
  <issue_number>7</issue_number>
  <issue_title>Dates are off by one day</issue_title>
  <type>bug</type>
  <priority>high</priority>
  <summary>Created an issue for <!-- two --> dates</summary>
  <requirements>
    <requirement>23:59 stays on its day</requirement>
  </requirements>
</handoff>
";
    assert_eq!(fixed("a.xml", text), right);
    // A comment may belong to either element: nothing moves.
    let beside = right
        .replace("  <type>bug</type>\n", "")
        .replace("  <issue_title>", "  <type>bug</type>\n  <!-- title -->\n  <issue_title>");
    assert_eq!(fixed("a.xml", &beside), beside);
}

#[test]
fn syntax_that_leaves_no_doubt_is_mended() {
    let json = "{\"handoff\": {from: {\"agent\": 'a'}, \"to\": {\"agent\": \"b\"}\n \"context\": {\"summary\": \"Done in a.rs\",}, \"x\": None}}";
    let right = "{\"handoff\": {\"from\": {\"agent\": \"a\"}, \"to\": {\"agent\": \"b\"},\n \"context\": {\"summary\": \"Done in a.rs\"}, \"x\": null}}";
    assert_eq!(fixed("a.json", json), right);
    let yaml = "handoff:\n  from: {agent: a}\n  to: {agent: b}\n  context:\n    summary: Done: it's in a.rs  # note\n";
    let right = "handoff:\n  from: {agent: a}\n  to: {agent: b}\n  context:\n    summary: 'Done: it''s in a.rs'  # note\n";
    assert_eq!(fixed("a.yaml", yaml), right);
    let tab = "handoff:\n  from: {agent: a}\n\tto: {agent: b}\n  context: {summary: Done in a.rs}\n";
    assert_eq!(fixed("a.yaml", tab), tab);
    let xml = "<handoff><from>a & b</from><to>c</to></handoff>";
    assert_eq!(fixed("a.xml", xml), xml.replace('&', "&amp;"));
}

#[test]
fn counts_are_those_of_the_results_and_a_verdict_stays() {
    // proves X-10
    let text = "{\"task_id\": \"a\", \"phase\": \"parallel\", \"status\": \"complete\", \"decision\": \"STOP\", \"findings\": {
  \"results\": [{\"task_id\": \"b\", \"type\": \"lint\", \"passed\": true, \"summary\": \"x\"}],
  \"aggregation\": {\"total\": 3, \"passed\": 0, \"failed\": 2, \"rule\": \"all_must_pass\", \"overall_passed\": false}},
 \"context_summary\": \"Lint of src/a.rs\"}";
    let right = text
        .replace("\"total\": 3, \"passed\": 0, \"failed\": 2", "\"total\": 1, \"passed\": 1, \"failed\": 0");
    assert_eq!(fixed("a.json", text), right);
}

#[test]
fn every_carrier_is_fixed_where_it_stands() {
    // proves A-02, A-15
    let ack = "acknowledgment:\n  received: yes\n  from: a\n";
    let right = ack.replace("yes", "true");
    let around = |ack: &str| {
        let quoted: String = ack.lines().map(|line| format!("> {line}\n")).collect();
        format!(
            "---\n{ack}---\n# Title\n\n```yaml\n{ack}```\n\n> ```yaml\n{quoted}> ```\n\nEnd, without a line end"
        )
    };
    assert_eq!(fixed("a.md", &around(ack)), around(&right));
    let quoted = "> ```yaml\n> handoff:\n>   from: {agent: a}\n>   to: b\n>   context: {summary: Done in a.rs}\n> ```\n";
    assert_eq!(fixed("a.md", quoted), quoted.replace("to: b", "to: {agent: b}"));
    let line = "{\"acknowledgment\": {\"received\": \"yes\"}}\n";
    let lines = format!("{line}\n{}", line.replace("yes", "no"));
    assert_eq!(fixed("a.jsonl", &lines), lines.replace("\"yes\"", "true").replace("\"no\"", "false"));
    let prose = format!("Here it is: {line} and that is all.");
    assert_eq!(fixed("a.txt", &prose), prose.replace("\"yes\"", "true"));
}

#[test]
fn more_findings_than_a_report_shows_are_fixed_in_one_go() {
    let lines = "{\"acknowledgment\": {\"received\": \"yes\"}}\n".repeat(3_000);
    let all = try_fix("a.jsonl", &lines).unwrap();
    assert_eq!((all.count, all.text), (3_000, lines.replace("\"yes\"", "true")));
}

#[test]
fn what_does_not_settle_is_said_to_stay() {
    let wanted = Wanted { safe: true, secrets: false };
    let fix = |faults: usize| {
        let text =
            format!("{{\"acknowledgment\": {{\"received\": true, \"x\": [{}1]}}}}", "1 ".repeat(faults));
        CHECKER.with(|checker| checker.fix(input("a.json", &text), &NoWorld, wanted, &mut Scratch::default()))
    };
    // Twenty faults of syntax are found in one go, and rounds are counted.
    assert_eq!(fix(300).map(|fixed| fixed.map(|fixed| fixed.count)), Ok(Some(300)));
    assert_eq!(fix(3_000), Err(Unsettled));
}

#[test]
fn the_settings_are_never_fixed() {
    assert_eq!(try_fix("baton.toml", "[check]\nstirct = true\n"), None);
}

/// The examples of all dialects, with the name of a file that they could stand in.
fn examples() -> Vec<(&'static str, String)> {
    CHECKER.with(|checker| {
        let dialects = checker.dialects().handoffs.iter();
        let kinds = dialects.flat_map(|dialect| &dialect.kinds).flat_map(|kind| &kind.examples);
        let named = kinds.map(|example| {
            let path = match example.trim_start().as_bytes().first() {
                Some(b'{') => "a.json",
                Some(b'<') => "a.xml",
                Some(_) | None => "a.yaml",
            };
            (path, example.to_string())
        });
        named.collect()
    })
}

/// What happens to a document, somewhere in it.
#[derive(Clone, Debug)]
enum Drift {
    /// A word of it in other letters.
    Letters(usize),
    /// A character less.
    Without(usize),
    /// Something more.
    With(usize, &'static str),
    /// Each of one text is another.
    Other(&'static str, &'static str),
    /// A comment at the end of a line.
    Comment(usize),
    /// Two lines change places.
    Swap(usize),
    /// Windows.
    Returns,
}

fn drifts() -> impl Strategy<Value = Vec<Drift>> {
    let others: Vec<(&str, &str)> = vec![
        ("Z\"", "+00:00Z\""),
        ("T09:30:00Z", " 09:30Z"),
        ("true", "\"yes\""),
        ("true", "yes"),
        ("false", "\"No\""),
        ("agent: human", "agent: Human"),
        ("artifacts", "artefacts"),
        ("summary", "sumary"),
        ("from:\n    agent:", "from:"),
        ("to:\n    agent:", "to:"),
        ("- path:", "-"),
        ("{\"agent\": \"human\"}", "\"human\""),
        ("previous_findings", "previous_summary"),
        ("acknowledgment", "acknowledgement"),
        ("\"total\": ", "\"total\": 1"),
        ("},", "}"),
        ("\"", "'"),
        ("}", ",}"),
        ("agent: ", "agent: &a "),
        ("step: ", "step: *a #"),
        (": \"", ": !!str \""),
        ("summary: \"", "summary: \"a: b "),
    ];
    let insert = vec![
        "\"", "'", "{", "}", ",", ":", " ", "\n", "<", ">", "&", "*a ", "&a ", "- ", "#", "é", "\t", "|",
    ];
    let drift = prop_oneof![
        3 => any::<usize>().prop_map(Drift::Letters),
        2 => any::<usize>().prop_map(Drift::Without),
        1 => (any::<usize>(), proptest::sample::select(insert)).prop_map(|(at, text)| Drift::With(at, text)),
        6 => proptest::sample::select(others).prop_map(|(from, to)| Drift::Other(from, to)),
        3 => any::<usize>().prop_map(Drift::Comment),
        2 => any::<usize>().prop_map(Drift::Swap),
        1 => Just(Drift::Returns),
    ];
    proptest::collection::vec(drift, 1..6)
}

fn drifted(path: &str, text: &str, drifts: &[Drift]) -> (String, Vec<String>) {
    let mut text = text.to_owned();
    let mut comments = Vec::new();
    let boundary = |text: &str, at: usize| {
        let at = at % (text.len() + 1);
        (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
    };
    for (number, drift) in drifts.iter().enumerate() {
        match drift {
            Drift::Letters(at) => {
                let words: Vec<(usize, &str)> = text
                    .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .filter(|word| !word.is_empty())
                    .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
                    .collect();
                if words.is_empty() {
                    continue;
                }
                let (start, word) = words[at % words.len()];
                let is_lower = word.chars().any(char::is_lowercase);
                let other = if is_lower { word.to_uppercase() } else { word.to_lowercase() };
                text.replace_range(start..start + other.len(), &other);
            }
            Drift::Without(at) => {
                let at = boundary(&text, *at);
                if at < text.len() {
                    text.remove(at);
                }
            }
            Drift::With(at, more) => text.insert_str(boundary(&text, *at), more),
            Drift::Other(from, to) => text = text.replace(from, to),
            Drift::Comment(at) => {
                let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
                let Some(end) = ends.get(at % ends.len().max(1)) else { continue };
                let comment = match path {
                    "a.yaml" => format!(" # keep {number}"),
                    "a.xml" => format!("<!-- keep {number} -->"),
                    _ => continue,
                };
                text.insert_str(*end, &comment);
                comments.push(comment);
            }
            Drift::Swap(at) => {
                let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
                if lines.len() > 1 {
                    let at = at % (lines.len() - 1);
                    lines.swap(at, at + 1);
                }
                text = lines.concat();
            }
            Drift::Returns => text = text.replace('\n', "\r\n").replace("\r\r", "\r"),
        }
    }
    (text, comments)
}

/// The values of a document, in the form that all ways to write them share; numbers are only counted.
fn leaves(value: &Datum<'_>, into: &mut Vec<String>) {
    match value {
        Datum::Map(map) => map.iter().for_each(|(_, value)| leaves(value, into)),
        Datum::List(items) => items.iter().for_each(|value| leaves(value, into)),
        Datum::Null => into.push("null".to_owned()),
        Datum::Boolean(flag) => into.push(flag.to_string()),
        Datum::Number(_) => into.push("number".to_owned()),
        Datum::Text(text) => {
            let text = text.to_lowercase();
            into.push(match text.as_str() {
                "yes" => "true".to_owned(),
                "no" => "false".to_owned(),
                // An element that nobody knows has text, whatever it looks like.
                _ if text.parse::<f64>().is_ok() => "number".to_owned(),
                // To the minute: how the rest of a timestamp is read has tests of its own.
                _ if text.starts_with("2026-0") => text.replace(' ', "t").chars().take(16).collect(),
                _ => text,
            });
        }
    }
}

fn meaning(path: &str, text: &str) -> Option<Vec<String>> {
    let forms = CHECKER.with(|checker| checker.canonical(input(path, text), &mut Scratch::default()))?;
    let mut all = Vec::new();
    forms.iter().for_each(|form| leaves(form, &mut all));
    all.sort();
    Some(all)
}

fn hold(path: &str, text: &str, comments: &[String]) -> Result<(), TestCaseError> {
    let Some(Fixed { text: after, count }) = try_fix(path, text) else { return Ok(()) };
    prop_assert!(count > 0 && after != text, "something was fixed");
    prop_assert_eq!(try_fix(path, &after), None, "fixing again changes nothing\n{}\n{}", text, after);
    let (before, now) = (errors(path, text), errors(path, &after));
    for (rule, count) in &now {
        let had = before.get(rule).copied().unwrap_or_default();
        prop_assert!(*count <= had, "{} is new\n{}\n{}", rule, text, after);
    }
    for comment in comments.iter().filter(|comment| text.contains(*comment)) {
        prop_assert!(after.contains(comment), "{} is gone\n{}\n{}", comment, text, after);
    }
    prop_assert_eq!(text.ends_with('\n'), after.ends_with('\n'));
    if text.contains("\r\n") && !text.replace("\r\n", "").contains('\n') {
        prop_assert!(!after.replace("\r\n", "").contains('\n'), "a line end is another\n{:?}", after);
    }
    if let Some(meant) = meaning(path, text) {
        prop_assert_eq!(Some(meant), meaning(path, &after), "another meaning\n{}\n{}", text, after);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_fixed_document_means_the_same_and_has_nothing_left_to_fix(at in any::<usize>(), drifts in drifts(), carrier in 0..3) {
        // proves A-15
        let examples = examples();
        let (path, text) = &examples[at % examples.len()];
        let (text, comments) = drifted(path, text, &drifts);
        let syntax = path.trim_start_matches("a.");
        match carrier {
            0 => hold("a.md", &format!("Look:\n\n```{syntax}\n{text}\n```\nEnd"), &[])?,
            1 => hold("a.md", &format!("> ```{syntax}\n> {}\n> ```\n", text.trim_end().replace('\n', "\n> ")), &[])?,
            _ => hold(path, &text, &comments)?,
        }
    }
}
