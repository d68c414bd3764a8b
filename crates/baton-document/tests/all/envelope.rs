//! The envelope: its shape, the contracts of its roles, its evidence, its routing, its place.

use crate::found::{files, findings, kinds, said, said_in};

const META: &str = r#"{"step_id": "review", "flow_key": "build", "agent_key": "critic", "timestamp": "2026-03-01T10:00:00Z"}"#;

const EVIDENCE: &str =
    r#"{"what_i_did": "Wrote it", "evidence": {"artifacts_produced": ["a.py"], "commands_run": ["pytest"]}}"#;
const FOUND: &str = r#"{"what_i_found": "All of it holds"}"#;
const HIGH: &str =
    r#"[{"severity": "HIGH", "description": "Token in the URL", "recommendation": "Send it in a header"}]"#;

fn routing(recommendation: &str, further: Option<bool>) -> String {
    let further =
        further.map_or(String::new(), |further| format!("\"can_further_iteration_help\": {further}, "));
    format!("{{\"recommendation\": \"{recommendation}\", {further}\"reason\": \"So\"}}")
}

fn implementer(status: &str, summary: &str, recommendation: &str) -> String {
    whole(status, summary, "[]", &routing(recommendation, None))
}

/// Puts each part on a line of its own: status on 3, summary on 4, concerns on 5, routing on 6.
fn whole(status: &str, summary: &str, concerns: &str, routing: &str) -> String {
    format!(
        "{{\n\"meta\": {META},\n\"status\": \"{status}\",\n\"summary\": {summary},\n\"concerns\": {concerns},\n\"routing\": {routing}\n}}\n"
    )
}

const COMPLETE: &str = r#"{
  "meta": {
    "step_id": "review",
    "flow_key": "build",
    "agent_key": "critic",
    "timestamp": "2026-03-01T10:00:00Z"
  },
  "status": "UNVERIFIED",
  "summary": {
    "what_i_did": "Read the change",
    "what_i_found": "One fault",
    "key_decisions": ["Kept the store"],
    "evidence": {
      "artifacts_produced": ["review.md"],
      "commands_run": ["pytest -v"],
      "measurements": {"tests": 12}
    }
  },
  "concerns": [
    {
      "severity": "HIGH",
      "description": "No validation",
      "location": "src/auth.py:42",
      "recommendation": "Validate the token first"
    }
  ],
  "assumptions": [
    {
      "assumption": "Tokens expire",
      "why": "The issue says so",
      "impact_if_wrong": "Sessions live for ever"
    }
  ],
  "routing": {
    "recommendation": "LOOP",
    "next_step_suggestion": "implement",
    "can_further_iteration_help": true,
    "reason": "It can be mended"
  }
}
"#;

fn said_of(text: &str) -> Vec<String> {
    said(None, "envelope", text)
}

#[test]
fn a_complete_envelope_is_clean_and_recognised() {
    // proves E-01, A-16
    assert_eq!(said_of(COMPLETE), Vec::<String>::new());
    assert_eq!(kinds("out.json", COMPLETE), ["envelope/envelope"]);
    let yaml = "meta: {step_id: a, flow_key: b, agent_key: c, timestamp: 2026-03-01T10:00:00Z}\nstatus: BLOCKED\nsummary: {what_i_found: No licence}\nrouting: {recommendation: ESCALATE, reason: Buy one}\n";
    assert_eq!(said(Some("out.yaml"), "envelope", yaml), Vec::<String>::new());
    assert_eq!(kinds("out.yaml", yaml), ["envelope/envelope"]);
}

#[test]
fn each_required_field_that_is_missing_is_an_error() {
    // proves E-01, A-16
    for (part, said) in [
        ("\"step_id\": \"review\",", "meta.step_id-missing 2:3"),
        ("\"flow_key\": \"build\",", "meta.flow_key-missing 2:3"),
        ("\"agent_key\": \"critic\",", "meta.agent_key-missing 2:3"),
        (",\n    \"timestamp\": \"2026-03-01T10:00:00Z\"", "meta.timestamp-missing 2:3"),
        ("\"status\": \"UNVERIFIED\",", "status-missing 1:1"),
        ("\"recommendation\": \"LOOP\",", "routing.recommendation-missing 34:3"),
        (",\n    \"reason\": \"It can be mended\"", "routing.reason-missing 34:3"),
    ] {
        assert_eq!(said_of(&without(part)), [format!("error envelope/envelope/{said}")], "{part}");
    }
    let summary = COMPLETE.find("  \"summary\"").unwrap()..COMPLETE.find("  \"concerns\"").unwrap();
    let text = format!("{}{}", &COMPLETE[..summary.start], &COMPLETE[summary.end..]);
    assert_eq!(said_of(&text), ["error envelope/envelope/summary-missing 1:1"]);
}

#[test]
fn each_optional_field_may_be_missing() {
    // proves E-01, A-16
    for part in [
        "\"what_i_did\": \"Read the change\",",
        "\"what_i_found\": \"One fault\",",
        "\"key_decisions\": [\"Kept the store\"],",
        "\"commands_run\": [\"pytest -v\"],",
        "\"location\": \"src/auth.py:42\",",
        "\"why\": \"The issue says so\",",
        "\"next_step_suggestion\": \"implement\",",
    ] {
        assert_eq!(said_of(&without(part)), Vec::<String>::new(), "{part}");
    }
}

#[test]
fn types_and_words_are_checked_at_their_place() {
    // proves E-01
    for (part, with, said) in [
        ("\"UNVERIFIED\"", "\"DONE\"", "error envelope/envelope/status-enum 8:13"),
        ("\"UNVERIFIED\"", "\"unverified\"", "info document/enum-case 8:13"),
        ("\"HIGH\"", "\"URGENT\"", "error envelope/envelope/concerns.severity-enum 21:19"),
        ("\"LOOP\"", "\"RETRY\"", "error envelope/envelope/routing.recommendation-enum 35:23"),
        ("true", "\"perhaps\"", "error envelope/envelope/routing.can_further_iteration_help-type 37:35"),
        ("true", "\"yes\"", "info document/boolean-word 37:35"),
        ("\"Read the change\"", "[1]", "error envelope/envelope/summary.what_i_did-type 10:19"),
        ("[\"Kept the store\"]", "\"Kept\"", "error envelope/envelope/summary.key_decisions-type 12:22"),
        ("[\"pytest -v\"]", "[1]", "error envelope/envelope/summary.evidence.commands_run-type 15:24"),
        ("{\"tests\": 12}", "12", "error envelope/envelope/summary.evidence.measurements-type 16:23"),
        ("\"No validation\"", "7", "error envelope/envelope/concerns.description-type 22:22"),
        ("\"Tokens expire\"", "7", "error envelope/envelope/assumptions.assumption-type 29:21"),
        ("\"reason\"", "\"reasn\"", "error envelope/envelope/routing.reason-missing 34:3"),
    ] {
        assert_eq!(
            said_of(&COMPLETE.replacen(part, with, 1)).first(),
            Some(&said.to_owned()),
            "{part} {with}"
        );
    }
    for status in ["VERIFIED", "UNVERIFIED", "BLOCKED"] {
        for word in ["CONTINUE", "LOOP", "DETOUR", "ESCALATE"] {
            for severity in ["HIGH", "MEDIUM", "LOW"] {
                let text =
                    COMPLETE.replace("UNVERIFIED", status).replace("LOOP", word).replace("HIGH", severity);
                let errors = said_of(&text).iter().filter(|line| line.starts_with("error")).count();
                assert_eq!(errors, 0, "{text}");
            }
        }
    }
}

#[test]
fn a_timestamp_is_a_real_one_in_iso_8601() {
    // proves E-02
    let with = |stamp: &str| said_of(&COMPLETE.replace("2026-03-01T10:00:00Z", stamp));
    for stamp in ["2026-03-01T10:00:00+01:00", "2024-02-29T23:59:59.123Z"] {
        assert_eq!(with(stamp), Vec::<String>::new(), "{stamp}");
    }
    for stamp in ["2026-02-30T10:00:00Z", "2026-03-01T25:00:00Z", "yesterday", "", "01/03/2026"] {
        assert_eq!(with(stamp), ["error envelope/envelope/meta.timestamp-pattern 6:18"], "{stamp}");
    }
    assert_eq!(with("2026-03-01T10:00:00+00:00Z"), ["info document/timestamp-form 6:18"]);
    let number = COMPLETE.replace("\"2026-03-01T10:00:00Z\"", "1772359200");
    assert_eq!(said_of(&number), ["error envelope/envelope/meta.timestamp-type 6:18"]);
}

#[test]
fn the_contents_by_role_of_the_protocol_are_clean() {
    // proves E-04, E-07, A-16
    let auth = r#"{"what_i_did": "Implemented REQ-001 through REQ-005", "evidence": {"artifacts_produced": ["src/auth.py", "tests/test_auth.py"], "commands_run": ["pytest tests/test_auth.py -v"]}}"#;
    let to_critic = implementer("UNVERIFIED", auth, "CONTINUE");
    let concern = r#"[{"severity": "HIGH", "description": "Missing input validation", "location": "src/auth.py:42", "recommendation": "Add validation before database query"}]"#;
    let looped =
        whole("UNVERIFIED", r#"{"what_i_found": "3 issues found"}"#, concern, &routing("LOOP", Some(true)));
    let exit = whole(
        "VERIFIED",
        r#"{"what_i_found": "Implementation meets requirements"}"#,
        "[]",
        &routing("CONTINUE", Some(false)),
    );
    for text in [&to_critic, &looped, &exit] {
        assert_eq!(said_of(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn an_implementer_hands_a_critic_artifacts_and_commands() {
    // proves E-04
    let rule = "warning envelope/implementer-evidence";
    for (summary, said) in [
        (EVIDENCE, None),
        (r#"{"what_i_did": "Wrote it"}"#, Some("4:1")),
        (r#"{"evidence": {}}"#, Some("4:13")),
        (r#"{"evidence": {"artifacts_produced": ["a.py"]}}"#, Some("4:13")),
        (r#"{"evidence": {"commands_run": ["pytest"]}}"#, Some("4:13")),
        (r#"{"evidence": {"artifacts_produced": ["a.py"], "commands_run": []}}"#, Some("4:58")),
        (r#"{"evidence": {"artifacts_produced": [], "commands_run": ["pytest"]}}"#, Some("4:26")),
    ] {
        let wanted: Vec<String> = said.iter().map(|place| format!("{rule} {place}")).collect();
        assert_eq!(said_of(&implementer("UNVERIFIED", summary, "CONTINUE")), wanted, "{summary}");
    }
    // Only an implementer is asked, and only on the way to a critic.
    let bare = r#"{"what_i_found": "Slow"}"#;
    for text in [
        implementer("UNVERIFIED", bare, "ESCALATE"),
        implementer("BLOCKED", bare, "ESCALATE"),
        whole("UNVERIFIED", bare, "[]", &routing("CONTINUE", Some(false))),
    ] {
        assert_eq!(said_of(&text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_critic_that_loops_says_what_should_change() {
    // proves E-04
    let rule = "warning envelope/critic-loop";
    for (concerns, further, places) in [
        (HIGH, Some(true), vec![]),
        ("[]", Some(true), vec!["5:1"]),
        (HIGH, None, vec!["6:31"]),
        ("[]", None, vec!["5:1", "6:31"]),
        (r#"[{"severity": "LOW", "description": "Slow query"}]"#, Some(true), vec!["5:14"]),
        (r#"[{"description": "Slow query", "recommendation": "Add an index"}]"#, Some(true), vec!["5:14"]),
        (
            r#"[{"severity": "LOW", "description": "", "recommendation": "Add an index"}]"#,
            Some(true),
            vec!["5:14"],
        ),
        (r#"[{}, {"severity": "LOW"}]"#, Some(true), vec!["5:14", "5:18"]),
    ] {
        let text = whole("UNVERIFIED", FOUND, concerns, &routing("LOOP", further));
        let wanted: Vec<String> = places.iter().map(|place| format!("{rule} {place}")).collect();
        assert_eq!(said_of(&text), wanted, "{concerns} {further:?}");
    }
    let text = whole("UNVERIFIED", FOUND, r#"[{"severity": "LOW"}]"#, &routing("LOOP", Some(true)));
    let finding = &findings(&files(&[]), None, "envelope", &text)[0];
    assert_eq!(finding.message, "this concern has no `description` and no `recommendation`");
    // One that leaves the loop may have concerns as short as it likes.
    let text = whole("UNVERIFIED", FOUND, r#"[{"severity": "LOW"}]"#, &routing("CONTINUE", Some(false)));
    assert_eq!(said_of(&text), Vec::<String>::new());
}

#[test]
fn a_critic_verifies_without_high_concerns() {
    // proves E-04
    let text = |status, concerns, further| whole(status, FOUND, concerns, &routing("CONTINUE", further));
    assert_eq!(said_of(&text("VERIFIED", HIGH, Some(false))), ["warning envelope/critic-verified 5:27"]);
    let drifted = HIGH.replace("HIGH", "high");
    assert_eq!(
        said_of(&text("VERIFIED", &drifted, Some(false))),
        ["info document/enum-case 5:27", "warning envelope/critic-verified 5:27"]
    );
    for concerns in ["[]", r#"[{"severity": "MEDIUM"}, {"severity": "LOW"}]"#] {
        assert_eq!(said_of(&text("VERIFIED", concerns, Some(false))), Vec::<String>::new());
    }
    assert_eq!(said_of(&text("UNVERIFIED", HIGH, Some(false))), Vec::<String>::new());
    // Whoever asks for another round is a critic too.
    let looped = whole("VERIFIED", EVIDENCE, HIGH, &routing("LOOP", None));
    assert_eq!(
        said_of(&looped),
        [
            "warning envelope/evidence 4:1",
            "warning envelope/critic-verified 5:27",
            "warning envelope/critic-loop 6:31",
            "warning envelope/routing-contradiction 6:31",
        ]
    );
    // An implementer may know of a serious concern that is not of its own work.
    let own = whole("VERIFIED", EVIDENCE, HIGH, &routing("CONTINUE", None));
    assert_eq!(said_of(&own), Vec::<String>::new());
}

#[test]
fn verified_points_to_its_evidence() {
    // proves E-07
    let rule = "warning envelope/evidence";
    for (summary, said) in [
        (EVIDENCE, None),
        (r#"{"evidence": {"artifacts_produced": ["a.py"]}}"#, None),
        (r#"{"evidence": {"commands_run": ["pytest"]}}"#, None),
        (r#"{"evidence": {"measurements": {"tests": 3}}}"#, None),
        (r#"{"evidence": {"measurements": {}}}"#, Some("4:13")),
        (r#"{"what_i_found": "It works"}"#, Some("4:1")),
        (r#"{}"#, Some("4:1")),
    ] {
        let wanted: Vec<String> = said.iter().map(|place| format!("{rule} {place}")).collect();
        assert_eq!(said_of(&implementer("VERIFIED", summary, "CONTINUE")), wanted, "{summary}");
    }
    for (summary, said) in [
        (FOUND, None),
        (EVIDENCE, Some("4:1")),
        (r#"{"what_i_did": "Looked", "what_i_found": " "}"#, Some("4:37")),
    ] {
        let wanted: Vec<String> = said.iter().map(|place| format!("{rule} {place}")).collect();
        let text = whole("VERIFIED", summary, "[]", &routing("CONTINUE", Some(false)));
        assert_eq!(said_of(&text), wanted, "{summary}");
    }
}

#[test]
fn artifacts_and_locations_that_do_not_exist_warn() {
    // proves E-07
    let lines = "line\n".repeat(42);
    let all = files(&[("review.md", "text"), ("src/auth.py", &lines)]);
    assert_eq!(said_in(&all, None, "envelope", COMPLETE), Vec::<String>::new());
    let artifact = "warning envelope/envelope/summary.evidence.artifacts_produced-exists 14:30";
    let location = "warning envelope/envelope/concerns.location-exists 23:19";
    let bare = files(&[("src/auth.py", &lines)]);
    assert_eq!(said_in(&bare, None, "envelope", COMPLETE), [artifact]);
    let short = files(&[("review.md", "text"), ("src/auth.py", "one line")]);
    assert_eq!(said_in(&short, None, "envelope", COMPLETE), [location]);
    assert_eq!(said_in(&files(&[]), None, "envelope", COMPLETE), [artifact, location]);
    let outside = COMPLETE.replace("review.md", "../review.md");
    assert_eq!(said_in(&all, None, "envelope", &outside), [artifact]);
}

#[test]
fn status_and_further_help_win_over_the_recommendation() {
    // proves E-08
    let words = ["CONTINUE", "LOOP", "DETOUR", "ESCALATE"];
    let table: [(&str, Option<bool>, &[&str], &str); 9] = [
        ("VERIFIED", None, &["CONTINUE"], "advances"),
        ("VERIFIED", Some(true), &["CONTINUE"], "advances"),
        ("VERIFIED", Some(false), &["CONTINUE"], "advances"),
        ("UNVERIFIED", None, &words, ""),
        ("UNVERIFIED", Some(true), &["LOOP", "DETOUR"], "loops back"),
        ("UNVERIFIED", Some(false), &["CONTINUE", "DETOUR", "ESCALATE"], "leaves the loop"),
        ("BLOCKED", None, &["ESCALATE"], "to a human"),
        ("BLOCKED", Some(true), &["ESCALATE"], "to a human"),
        ("BLOCKED", Some(false), &["ESCALATE"], "to a human"),
    ];
    for (status, further, agreeing, does) in table {
        for word in words {
            let text = whole(status, EVIDENCE, HIGH, &routing(word, further));
            let all = findings(&files(&[]), None, "envelope", &text);
            let own: Vec<_> =
                all.iter().filter(|finding| finding.rule == "envelope/routing-contradiction").collect();
            let case = format!("{status} {further:?} {word}");
            assert_eq!(own.is_empty(), agreeing.contains(&word), "{case}");
            for finding in own {
                assert!(finding.help.as_ref().is_some_and(|help| help.contains(does)), "{case}: {finding:?}");
                assert_eq!(finding.found.as_deref(), Some(word));
            }
        }
    }
    let text = whole("VERIFIED", FOUND, HIGH, &routing("LOOP", Some(false)));
    assert_eq!(said_of(&text).last(), Some(&"warning envelope/routing-contradiction 6:31".to_owned()));
}

const FOLDER: &str = ".runs/r7/build/handoffs";

#[test]
fn a_file_is_called_after_its_step_agent_and_flow() {
    // proves E-05
    let (flow, step, agent) = ("4:17", "3:16", "5:18");
    for (path, place) in [
        (format!("{FOLDER}/review-critic.json"), None),
        (format!("{FOLDER}/review-critic.r1.json"), None),
        (format!("{FOLDER}/review-critic.r12.json"), None),
        // Any base may be set; what follows it is composed all the same.
        ("swarm/runs/7/build/handoffs/review-critic.json".to_owned(), None),
        // Elsewhere a file is called as one likes.
        ("archive/monday.json".to_owned(), None),
        (format!("{FOLDER}/implement-critic.json"), Some(step)),
        (format!("{FOLDER}/reviews-critic.json"), Some(step)),
        (format!("{FOLDER}/implement-critic.r1.json"), Some(step)),
        (format!("{FOLDER}/review-author.json"), Some(agent)),
        (format!("{FOLDER}/review-critical.json"), Some(agent)),
        (format!("{FOLDER}/review-author.r2.json"), Some(agent)),
        (".runs/r7/release/handoffs/review-critic.json".to_owned(), Some(flow)),
        (".runs/build/release/handoffs/review-critic.json".to_owned(), Some(flow)),
        (format!("{FOLDER}/implement-author.json"), Some(step)),
    ] {
        let wanted: Vec<String> =
            place.iter().map(|place| format!("error document/misplaced {place}")).collect();
        assert_eq!(said(Some(&path), "envelope", COMPLETE), wanted, "{path}");
    }
    let path = format!("{FOLDER}/implement-critic.r1.json");
    let finding = &findings(&files(&[("review.md", "")]), Some(&path), "envelope", COMPLETE)[0];
    assert_eq!(finding.found.as_deref(), Some("build/handoffs/implement-critic.r1.json"));
    assert_eq!(finding.expected.as_deref(), Some("build/handoffs/review-critic.r*.json"));
}

#[test]
fn a_draft_may_be_partial_but_not_wrong() {
    // proves E-05
    let path = format!("{FOLDER}/review-critic.draft.json");
    for (text, wanted) in [
        (r#"{"meta": {"step_id": "review"}, "status": "UNVERIFIED"}"#, vec![]),
        (r#"{"meta": {}, "summary": {"what_i_did": "Half of it"}}"#, vec![]),
        // Rules about what is missing wait for the end.
        (r#"{"status": "VERIFIED", "summary": {}, "routing": {"recommendation": "CONTINUE"}}"#, vec![]),
        (r#"{"status": "UNVERIFIED", "summary": {}, "routing": {"recommendation": "CONTINUE"}}"#, vec![]),
        (r#"{"status": "UNVERIFIED", "concerns": [{}], "routing": {"recommendation": "LOOP"}}"#, vec![]),
        // What is there is checked.
        (r#"{"meta": {"step_id": "plan"}, "status": "VERIFIED"}"#, vec!["error document/misplaced 1:22"]),
        (
            r#"{"meta": {"step_id": "review"}, "status": "DONE"}"#,
            vec!["error envelope/draft/status-enum 1:43"],
        ),
        (
            r#"{"meta": {"timestamp": "soon"}, "status": "VERIFIED"}"#,
            vec!["error envelope/draft/meta.timestamp-pattern 1:24"],
        ),
        (
            r#"{"status": "BLOCKED", "routing": {"recommendation": "CONTINUE"}}"#,
            vec!["warning envelope/routing-contradiction 1:53"],
        ),
    ] {
        assert_eq!(said(Some(&path), "envelope", text), wanted, "{text}");
    }
    assert_eq!(kinds(&path, r#"{"status": "VERIFIED"}"#), ["envelope/draft"]);
    // The same text is not enough where the step is finished.
    let finished = format!("{FOLDER}/review-critic.json");
    let text = r#"{"meta": {"step_id": "review"}, "status": "UNVERIFIED"}"#;
    assert!(said(Some(&finished), "envelope", text).iter().any(|line| line.contains("summary-missing")));
}

fn without(part: &str) -> String {
    assert!(COMPLETE.contains(part), "{part}");
    COMPLETE.replacen(part, "", 1)
}
