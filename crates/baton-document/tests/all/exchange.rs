//! The exchange: request and response, findings by phase, echoes, summaries, contradictions, counts.

use baton_document::tokens;

use crate::found::{files, findings, kinds, said, said_in};

const REQUEST: &str = r#"{
  "task_id": "search-7",
  "phase": "research",
  "context": {
    "feature": "search",
    "spec_path": null,
    "relevant_files": ["src/index.rs"],
    "constraints": ["no new dependency"],
    "previous_findings": null
  },
  "instructions": "Find the index",
  "expected_output": "structured_findings"
}
"#;

const RESPONSE: &str = r#"{
  "task_id": "search-7",
  "phase": "research",
  "status": "complete",
  "decision": "PROCEED",
  "findings": {"conflicts": []},
  "context_summary": "Index in src/index.rs, no conflicts.",
  "tokens_used": 847,
  "issues": ["No tests yet"]
}
"#;

/// A response with its findings on line 6.
fn response(phase: &str, decision: &str, findings: &str) -> String {
    RESPONSE.replace("research", phase).replace("PROCEED", decision).replace(r#"{"conflicts": []}"#, findings)
}

/// A response with its summary on line 7, from column 22.
fn summary(text: &str) -> String {
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    RESPONSE.replace("Index in src/index.rs, no conflicts.", &quoted)
}

fn said_of(text: &str) -> Vec<String> {
    said(None, "exchange", text)
}

const NOTHING: [&str; 0] = [];

#[test]
fn a_complete_request_and_response_are_clean_and_told_apart() {
    // proves X-01, X-02, A-16
    for text in [REQUEST, RESPONSE] {
        assert_eq!(said_of(text), NOTHING, "{text}");
    }
    assert_eq!(kinds("a.json", REQUEST), ["exchange/request"]);
    assert_eq!(kinds("a.json", RESPONSE), ["exchange/response"]);
    let lines = format!("{}\n{}\n", REQUEST.replace('\n', ""), RESPONSE.replace('\n', ""));
    assert_eq!(kinds("a.jsonl", &lines), ["exchange/request", "exchange/response"]);
    let list = format!("[{REQUEST}, {RESPONSE}]");
    assert_eq!(kinds("a.json", &list), ["exchange/request", "exchange/response"]);
    let yaml = "task_id: a\nphase: write\ncontext: {feature: search}\ninstructions: Do it\nexpected_output: files_changed\n";
    assert_eq!(kinds("a.yaml", yaml), ["exchange/request"]);
    assert_eq!(said(Some("a.yaml"), "exchange", yaml), NOTHING);
}

#[test]
fn the_fields_of_a_request_are_checked_at_their_place() {
    // proves X-01
    for (part, with, wanted) in [
        ("\"task_id\": \"search-7\",", "", "task_id-missing 1:1"),
        ("\"phase\": \"research\",", "", "phase-missing 1:1"),
        ("\"feature\": \"search\",", "", "context.feature-missing 4:3"),
        ("\"instructions\": \"Find the index\",", "", "instructions-missing 1:1"),
        (",\n  \"expected_output\": \"structured_findings\"", "", "expected_output-missing 1:1"),
        ("\"search-7\"", "7", "task_id-type 2:14"),
        ("\"research\"", "\"think\"", "phase-enum 3:12"),
        ("\"search\"", "[1]", "context.feature-type 5:16"),
        ("null,", "7,", "context.spec_path-type 6:18"),
        ("[\"src/index.rs\"]", "\"src/index.rs\"", "context.relevant_files-type 7:23"),
        ("[\"no new dependency\"]", "[1]", "context.constraints-type 8:21"),
        ("null\n", "[]\n", "context.previous_findings-type 9:26"),
        ("\"Find the index\"", "{}", "instructions-type 11:19"),
        ("\"structured_findings\"", "\"findings\"", "expected_output-enum 12:22"),
    ] {
        assert!(REQUEST.contains(part), "{part}");
        let said = said_of(&REQUEST.replacen(part, with, 1));
        assert_eq!(said, [format!("error exchange/request/{wanted}")], "{part} {with}");
    }
    let smallest = r#"{"task_id": "a", "phase": "write", "context": {"feature": "b"}, "instructions": "c", "expected_output": "files_changed"}"#;
    assert_eq!(said_of(smallest), NOTHING);
}

#[test]
fn the_fields_of_a_response_are_checked_at_their_place() {
    // proves X-02
    for (part, with, wanted) in [
        ("\"task_id\": \"search-7\",", "", "task_id-missing 1:1"),
        ("\"phase\": \"research\",", "", "phase-missing 1:1"),
        ("\"status\": \"complete\",", "", "status-missing 1:1"),
        ("\"decision\": \"PROCEED\",", "", "decision-missing 1:1"),
        ("\"findings\": {\"conflicts\": []},", "", "findings-missing 1:1"),
        ("\"context_summary\": \"Index in src/index.rs, no conflicts.\",", "", "context_summary-missing 1:1"),
        ("\"complete\"", "\"done\"", "status-enum 4:13"),
        ("\"PROCEED\"", "\"GO\"", "decision-enum 5:15"),
        ("{\"conflicts\": []}", "[]", "findings-type 6:15"),
        ("\"Index in src/index.rs, no conflicts.\"", "7", "context_summary-type 7:22"),
        ("847", "\"many\"", "tokens_used-type 8:18"),
        ("[\"No tests yet\"]", "\"none\"", "issues-type 9:13"),
    ] {
        assert!(RESPONSE.contains(part), "{part}");
        let said = said_of(&RESPONSE.replacen(part, with, 1));
        assert_eq!(said, [format!("error exchange/response/{wanted}")], "{part} {with}");
    }
    for (status, decision) in [("complete", "PROCEED"), ("partial", "CLARIFY"), ("blocked", "STOP")] {
        let text = RESPONSE.replace("complete", status).replace("PROCEED", decision);
        assert_eq!(said_of(&text), NOTHING, "{text}");
    }
    let optional = RESPONSE.replace(",\n  \"tokens_used\": 847,\n  \"issues\": [\"No tests yet\"]", "");
    assert_eq!(said_of(&optional), NOTHING);
}

#[test]
fn each_phase_has_findings_of_its_own() {
    // proves X-04
    for (phase, findings, wanted) in [
        (
            "research",
            r#"{"existing_implementations": [{"file": "a", "description": "b", "relevance": "high"}], "conflicts": [{"type": "naming", "description": "c", "severity": "info"}], "patterns_found": [{"file": "a", "pattern": "b", "recommendation": "c"}], "recommendations": ["d"]}"#,
            vec![],
        ),
        (
            "research",
            r#"{"existing_implementations": [{"relevance": "huge"}]}"#,
            vec!["error exchange/response/findings.existing_implementations.relevance-enum 6:59"],
        ),
        (
            "research",
            r#"{"conflicts": [{"type": "taste", "severity": "fatal"}]}"#,
            vec![
                "error exchange/response/findings.conflicts.type-enum 6:39",
                "error exchange/response/findings.conflicts.severity-enum 6:60",
            ],
        ),
        (
            "research",
            r#"{"patterns_found": "none"}"#,
            vec!["error exchange/response/findings.patterns_found-type 6:34"],
        ),
        (
            "write",
            r#"{"files_created": [{"path": "a", "purpose": "b"}], "files_modified": [{"path": "a", "changes": "b"}], "tests_written": [{"path": "a", "test_count": 3, "coverage_areas": ["b"]}], "implementation_notes": ["c"]}"#,
            vec![],
        ),
        (
            "write",
            r#"{"tests_written": [{"path": "a", "test_count": "three"}]}"#,
            vec!["error exchange/response/findings.tests_written.test_count-type 6:62"],
        ),
        (
            "validate",
            r#"{"checks": {"types": {"passed": true, "errors": [], "warnings": ["a"]}, "lint": {"passed": true, "errors": [], "warnings": []}, "tests": {"passed": true, "total": 3, "passed_count": 3, "failed_count": 0, "coverage": 81.5, "failures": []}, "security": {"passed": true, "issues": []}}, "overall_passed": true, "blocking_issues": [], "warnings": ["b"]}"#,
            vec![],
        ),
        (
            "validate",
            r#"{"overall_passed": "maybe"}"#,
            vec!["error exchange/response/findings.overall_passed-type 6:34"],
        ),
        (
            "validate",
            r#"{"checks": {"tests": {"coverage": "high"}}}"#,
            vec!["error exchange/response/findings.checks.tests.coverage-type 6:49"],
        ),
        (
            "parallel",
            r#"{"results": [{"task_id": "a", "type": "lint", "passed": true, "summary": "b", "details": {}}], "aggregation": {"total": 1, "passed": 1, "failed": 0, "rule": "all_must_pass", "overall_passed": true}}"#,
            vec![],
        ),
        (
            "parallel",
            r#"{"results": [{"passed": 1}]}"#,
            vec!["error exchange/response/findings.results.passed-type 6:39"],
        ),
        (
            "parallel",
            r#"{"aggregation": {"total": "two"}}"#,
            vec!["error exchange/response/findings.aggregation.total-type 6:41"],
        ),
        // The findings of one phase are unknown in another.
        ("write", r#"{"conflicts": []}"#, vec!["info document/unknown-key 6:16"]),
    ] {
        assert_eq!(said_of(&response(phase, "PROCEED", findings)), wanted, "{phase} {findings}");
    }
}

#[test]
fn findings_of_an_unknown_phase_are_not_checked_and_that_is_said() {
    // proves X-04
    for (phase, help) in
        [("validation", Some("did you mean `validate`?")), ("reserch", Some("did you mean `research`?"))]
    {
        let text = response(phase, "PROCEED", r#"{"overall_passed": 7}"#);
        assert_eq!(said_of(&text), ["warning exchange/unknown-phase 3:12"], "{phase}");
        assert_eq!(findings(&files(&[]), None, "exchange", &text)[0].help.as_deref(), help);
    }
    assert_eq!(said_of(&response("deploy", "PROCEED", "{}")), ["warning exchange/unknown-phase 3:12"]);
    assert_eq!(said_of(&response("Research", "PROCEED", "{}")), ["info document/enum-case 3:12"]);
}

fn line(text: &str) -> String {
    text.replace('\n', "")
}

#[test]
fn a_response_echoes_a_request_before_it_in_the_file() {
    // proves X-03
    let rule = "error exchange/echo";
    let request = |task: &str, phase: &str, output: &str| {
        line(REQUEST)
            .replace("search-7", task)
            .replace("research", phase)
            .replace("structured_findings", output)
    };
    let answer =
        |task: &str, phase: &str| line(RESPONSE).replace("search-7", task).replace("research", phase);
    let seven = request("search-7", "research", "structured_findings");
    let eight = request("search-8", "write", "files_changed");
    for (lines, wanted) in [
        (vec![&seven, &answer("search-7", "research")], vec![]),
        (vec![&seven, &answer("search-7", "Research")], vec![]),
        (vec![&seven, &answer("search-9", "research")], vec!["2:15"]),
        (vec![&seven, &answer("Search-7", "research")], vec!["2:15"]),
        (vec![&seven, &answer("search-7", "validate")], vec!["2:37"]),
        (vec![&seven, &answer("search-9", "validate")], vec!["2:15", "2:37"]),
        // Any earlier request will do, and both words must be of the same one.
        (vec![&seven, &eight, &answer("search-7", "research")], vec![]),
        (vec![&seven, &eight, &answer("search-8", "research")], vec!["3:37"]),
        (vec![&seven, &eight, &answer("search-7", "write")], vec!["3:15"]),
        // One that comes later is not yet asked.
        (vec![&answer("search-9", "research"), &seven], vec![]),
    ] {
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        let own: Vec<String> = said(Some("log.jsonl"), "exchange", &text)
            .into_iter()
            .filter(|line| line.contains("/echo"))
            .collect();
        let wanted: Vec<String> = wanted.iter().map(|place| format!("{rule} {place}")).collect();
        assert_eq!(own, wanted, "{text}");
    }
    let text = format!("{seven}\n{eight}\n{}\n", answer("search-9", "research"));
    let all = findings(&files(&[]), Some("log.jsonl"), "exchange", &text);
    let said: Vec<_> =
        all.iter().map(|finding| (finding.found.as_deref(), finding.expected.as_deref())).collect();
    assert_eq!(said, [(Some("search-9"), Some("search-8")), (Some("research"), Some("write"))]);
    let prose = format!(
        "Asked:\n\n```json\n{REQUEST}```\n\nAnswered:\n\n```json\n{}\n```\n",
        answer("x", "research")
    );
    assert_eq!(said_in(&files(&[]), Some("log.md"), "exchange", &prose), ["error exchange/echo 22:15"]);
}

#[test]
fn a_response_echoes_the_request_beside_it_in_the_folder() {
    // proves X-03
    let other = RESPONSE.replace("search-7", "search-9");
    let finding = ["error exchange/echo 2:14"];
    for (path, beside) in [
        ("tasks/a.response.json", "tasks/a.request.json"),
        ("tasks/resp-1.json", "tasks/req-1.json"),
        ("Response.json", "Request.json"),
        ("tasks/answer.json", "tasks/question.json"),
    ] {
        let world = files(&[(beside, REQUEST), (path, ""), ("tasks/notes.md", REQUEST)]);
        assert_eq!(said_in(&world, Some(path), "exchange", RESPONSE), NOTHING, "{path}");
        assert_eq!(said_in(&world, Some(path), "exchange", &other), finding, "{path}");
    }
    let world = files(&[("a/req.yaml", "task_id: search-7\nphase: write\ninstructions: Do it\n")]);
    assert_eq!(said_in(&world, Some("a/answer.json"), "exchange", RESPONSE), ["error exchange/echo 3:12"]);
    let help = findings(&world, Some("a/answer.json"), "exchange", RESPONSE)[0].help.clone();
    assert_eq!(help.as_deref(), Some("the request is in `a/req.yaml`"));
}

#[test]
fn a_response_without_one_request_of_its_own_is_compared_with_none() {
    // proves X-03
    let other = RESPONSE.replace("search-7", "search-9");
    let silent = |path: &str, text: &str, beside: &[(&str, &str)]| {
        let said = said_in(&files(beside), Some(path), "exchange", text);
        assert_eq!(said, NOTHING, "{path} {beside:?}");
    };
    silent("a/answer.json", &other, &[]);
    silent("a/answer.json", &other, &[("b/question.json", REQUEST)]);
    silent("a/answer.json", &other, &[("a/one.json", REQUEST), ("a/two.json", REQUEST)]);
    silent("a/answer.json", &other, &[("a/one.json", REQUEST), ("a/two.json", RESPONSE)]);
    silent("a/answer.json", &other, &[("a/one.json", "{\"task_id\": ")]);
    silent(
        "a/x.response.json",
        &other,
        &[("a/x.request.json", "no request"), ("a/y.response.json", RESPONSE)],
    );
    let many: Vec<(String, &str)> =
        (0..9).map(|at| (format!("a/{at}.json"), if at == 0 { REQUEST } else { "{}" })).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    silent("a/answer.json", &other, &many);
    // Of several responses in one file nothing says which one the request belongs to.
    silent("a/x.response.json", &format!("[{other}, {RESPONSE}]"), &[("a/x.request.json", REQUEST)]);
    // A file with a request of its own does not look further.
    silent("a/x.response.json", &format!("[{other}, {REQUEST}]"), &[("a/x.request.json", REQUEST)]);
}

#[test]
fn the_expected_output_fits_the_phase() {
    // proves X-05
    let fitting = [
        ("research", "structured_findings"),
        ("write", "files_changed"),
        ("validate", "validation_result"),
        ("parallel", "aggregated_results"),
    ];
    for (phase, own) in fitting {
        for (_, output) in fitting {
            let text = REQUEST.replace("research", phase).replace("structured_findings", output);
            let all = findings(&files(&[]), None, "exchange", &text);
            let expected: Vec<_> = all.iter().filter_map(|finding| finding.expected.as_deref()).collect();
            if output == own {
                assert_eq!(said_of(&text), NOTHING);
            } else {
                assert_eq!(said_of(&text), ["warning exchange/expected-output 12:22"], "{phase} {output}");
                assert_eq!(expected, [own]);
            }
        }
    }
    // Words in other letters are the same words.
    let drifted = REQUEST.replace("research", "RESEARCH");
    assert_eq!(said_of(&drifted), ["info document/enum-case 3:12"]);
}

#[test]
fn a_summary_over_500_tokens_warns_and_shows_the_count() {
    // proves X-06
    let reference = |text: &str| tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len();
    let words = |count: usize| format!("index{}", " index".repeat(count - 1));
    assert_eq!(reference(&words(500)), 500);
    assert_eq!(said_of(&summary(&words(500))), NOTHING);
    for text in [words(501), "Pfade überall: src/été/naïve.rs, 東京/索引.rs; ".repeat(30)] {
        let count = reference(&text);
        assert!(count > 500, "{count}");
        assert_eq!(tokens::count(&text), count);
        let text = summary(&text);
        assert_eq!(said_of(&text), ["warning exchange/response/context_summary-tokens 7:22"]);
        let finding = &findings(&files(&[]), None, "exchange", &text)[0];
        assert_eq!(finding.found, Some(format!("{count} tokens")));
        assert_eq!(finding.expected.as_deref(), Some("at most 500 tokens (o200k)"));
    }
    assert_eq!(reference(&words(501)), 501);
}

const GOOD: &str = "Existing auth at src/lib/auth.ts (session-based). Follow src/server/routers/user.ts pattern for new router. No naming conflicts. Recommend extending auth.ts with JWT, creating auth router.";

const BAD: &str = "I searched through the codebase and found several files. The first file I looked at was src/lib/auth.ts which contains the following code: [500 lines of code]. Then I looked at...";

#[test]
fn a_summary_that_copies_or_tells_of_the_search_warns() {
    // proves X-07
    assert_eq!(said_of(&summary(GOOD)), NOTHING);
    let bad = summary(BAD);
    assert_eq!(said_of(&bad), ["warning exchange/raw-summary 7:23", "warning exchange/raw-summary 7:146"]);
    let all = findings(&files(&[]), None, "exchange", &bad);
    let found: Vec<_> = all.iter().filter_map(|finding| finding.found.as_deref()).collect();
    assert_eq!(found, ["“I searched through the codebase”, “found”, “file I looked”", "following code"]);
    let quote = format!("The guide says “{}”.", "keep every index small and close to its data ".repeat(5));
    for (text, place) in [
        ("Auth in auth.ts. Then we opened user.ts.", "7:45"),
        ("Auth dans auth.ts. J’ai fouillé src/lib.", "7:42"),
        ("Auth:\n```ts\nexport {}\n```", "7:30"),
        ("const a = 1;\nconst b = f(a);\nreturn f(b);", "7:23"),
        (&quote, "7:39"),
        // Words that are written with escapes are shown as the whole value.
        ("It says:\n{\n\"a\": 1,\n\"b\": 2\n}", "7:33"),
        ("import \"a\";\nimport \"b\";\nimport \"c\";", "7:22"),
    ] {
        assert_eq!(said_of(&summary(text)), [format!("warning exchange/raw-summary {place}")], "{text}");
    }
    for text in [
        "FAILED. 1 type error in auth.ts:42 (missing 'token' property). 2 test failures (login, logout). Coverage 65% < 70% threshold.",
        "Validation: PASS. Build: PASS (2.1s). Types: PASS. Tests: 24/24 (85%).",
        "Cycle detected: profile-schema -> profile-api -> profile-schema.",
        "Run `pnpm eval agent-builder`. Error: \"no such table: users\" in db.ts:7; see I/O limits.",
        "Files:\n- src/a.ts (new);\n- src/b.ts (extend `f()`);\n- src/c.ts;\n",
        "Le routeur suit user.ts. Pas de conflit ; étendre auth.ts (JWT), puis créer le routeur.",
    ] {
        assert_eq!(said_of(&summary(text)), NOTHING, "{text}");
    }
}

#[test]
fn proceed_beside_what_should_stop_the_work_warns() {
    // proves X-08
    for (phase, findings, what) in [
        ("validate", r#"{"overall_passed": false}"#, "`overall_passed` is false"),
        ("validate", r#"{"overall_passed": "no"}"#, "`overall_passed` is false"),
        ("validate", r#"{"blocking_issues": ["a"]}"#, "there are blocking issues"),
        ("validate", r#"{"checks": {"tests": {"passed": false}}}"#, "the tests failed"),
        ("validate", r#"{"checks": {"tests": {"failed_count": 2}}}"#, "tests failed"),
        ("validate", r#"{"checks": {"security": {"passed": false}}}"#, "the security check failed"),
        (
            "parallel",
            r#"{"aggregation": {"overall_passed": false}}"#,
            "`aggregation.overall_passed` is false",
        ),
        (
            "research",
            r#"{"conflicts": [{"severity": "info"}, {"severity": "critical"}]}"#,
            "there is a critical conflict",
        ),
        ("research", r#"{"conflicts": [{"severity": "Critical"}]}"#, "there is a critical conflict"),
    ] {
        let text = response(phase, "PROCEED", findings);
        let own: Vec<_> = crate::found::findings(&files(&[]), None, "exchange", &text)
            .into_iter()
            .filter(|finding| finding.rule == "exchange/proceed-contradiction")
            .collect();
        assert_eq!(own.len(), 1, "{findings}");
        assert_eq!(own[0].message, format!("the decision is PROCEED, but {what}"));
        assert!(said_of(&text).contains(&"warning exchange/proceed-contradiction 5:15".to_owned()));
        for decision in ["STOP", "CLARIFY"] {
            let said = said_of(&response(phase, decision, findings));
            assert!(!said.iter().any(|line| line.contains("contradiction")), "{decision} {findings}");
        }
    }
    let blocked = RESPONSE.replace("complete", "blocked");
    assert_eq!(said_of(&blocked), ["warning exchange/proceed-contradiction 5:15"]);
    // Everything that speaks against it is one finding with all its places.
    let all = r#"{"checks": {"tests": {"passed": false}, "security": {"passed": false}}, "overall_passed": false, "blocking_issues": ["a"]}"#;
    let all = findings(&files(&[]), None, "exchange", &response("validate", "PROCEED", all));
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].related.len(), 4);
    for (phase, findings) in [
        ("validate", r#"{"overall_passed": true, "blocking_issues": [], "warnings": ["a"]}"#),
        ("validate", r#"{"checks": {"lint": {"passed": false, "errors": ["a"]}}}"#),
        ("research", r#"{"conflicts": [{"severity": "warning"}]}"#),
    ] {
        assert_eq!(said_of(&response(phase, "PROCEED", findings)), NOTHING, "{findings}");
    }
}

#[test]
fn a_check_that_passed_has_no_errors() {
    // proves X-08
    let rule = "warning exchange/passed-contradiction";
    for (checks, place) in [
        (r#"{"types": {"passed": true, "errors": ["a"]}}"#, Some("6:47")),
        (r#"{"lint": {"passed": true, "errors": ["a"]}}"#, Some("6:46")),
        (r#"{"tests": {"passed": true, "failures": ["a"]}}"#, Some("6:47")),
        (r#"{"tests": {"passed": true, "failed_count": 1}}"#, Some("6:47")),
        (r#"{"tests": {"passed": true, "failed_count": 0, "failures": ["a"]}}"#, Some("6:47")),
        (r#"{"security": {"passed": true, "issues": ["a"]}}"#, Some("6:50")),
        (r#"{"types": {"passed": true, "errors": [], "warnings": ["a"]}}"#, None),
        (r#"{"types": {"passed": false, "errors": ["a"]}}"#, None),
        (r#"{"tests": {"passed": true, "failed_count": 0, "failures": []}}"#, None),
        (r#"{"security": {"passed": true, "issues": []}}"#, None),
    ] {
        let wanted: Vec<String> = place.iter().map(|place| format!("{rule} {place}")).collect();
        let text = response("validate", "STOP", &format!(r#"{{"checks": {checks}}}"#));
        assert_eq!(said_of(&text), wanted, "{checks}");
    }
}

#[test]
fn counts_add_up_to_their_total() {
    // proves X-08
    let rule = "warning exchange/count-sum";
    for (phase, findings, said) in [
        (
            "validate",
            r#"{"checks": {"tests": {"total": 5, "passed_count": 3, "failed_count": 1}}}"#,
            Some(("6:46", "4")),
        ),
        ("validate", r#"{"checks": {"tests": {"total": 4, "passed_count": 3, "failed_count": 1}}}"#, None),
        ("validate", r#"{"checks": {"tests": {"total": 5, "passed_count": 3}}}"#, None),
        ("validate", r#"{"checks": {"tests": {"total": 4.0, "passed_count": 3, "failed_count": 1}}}"#, None),
        ("parallel", r#"{"aggregation": {"total": 5, "passed": 3, "failed": 1}}"#, Some(("6:41", "4"))),
        ("parallel", r#"{"aggregation": {"total": 4, "passed": 3, "failed": 1}}"#, None),
    ] {
        let text = response(phase, "STOP", findings);
        let own = crate::found::findings(&files(&[]), None, "exchange", &text);
        let wanted: Vec<String> = said.iter().map(|(place, _)| format!("{rule} {place}")).collect();
        assert_eq!(said_of(&text), wanted, "{findings}");
        assert_eq!(own.first().and_then(|finding| finding.expected.as_deref()), said.map(|(_, sum)| sum));
    }
    let skipped =
        r#"{"checks": {"tests": {"total": 5, "passed_count": 3, "failed_count": 1, "skipped": 1}}}"#;
    assert_eq!(said_of(&response("validate", "STOP", skipped)), ["info document/unknown-key 6:87"]);
}

#[test]
fn the_counts_of_an_aggregation_are_computed_from_its_results() {
    // proves X-10
    let results = |passed: &[bool]| {
        let items: Vec<String> = passed.iter().map(|passed| format!(r#"{{"passed": {passed}}}"#)).collect();
        items.join(", ")
    };
    let said = |passed: &[bool], aggregation: &str| {
        let text = format!("{{\n\"results\": [{}],\n\"aggregation\": {{{aggregation}}}\n}}", results(passed));
        let text = response("parallel", "STOP", &text);
        let all = findings(&files(&[]), None, "exchange", &text);
        let lines = said_of(&text);
        let expected = all.into_iter().map(|finding| finding.expected.unwrap_or_default());
        lines
            .into_iter()
            .zip(expected)
            .map(|(line, expected)| format!("{line} {expected}"))
            .collect::<Vec<_>>()
    };
    let rule = "warning exchange/aggregation-counts";
    let two_of_three = &[true, true, false];
    assert_eq!(said(two_of_three, r#""total": 3, "passed": 2, "failed": 1"#), NOTHING);
    assert_eq!(
        said(two_of_three, r#""total": 2, "passed": 3, "failed": 0"#),
        [format!("{rule} 8:26 3"), format!("{rule} 8:39 2"), format!("{rule} 8:52 1")]
    );
    for (name, passed, computed) in [
        ("all_must_pass", &[true, true][..], true),
        ("all_must_pass", &[true, false], false),
        ("any_pass", &[true, false], true),
        ("any_pass", &[false, false], false),
        ("majority_pass", &[true, true, false], true),
        // Half is not more than half.
        ("majority_pass", &[true, false], false),
        ("Majority-Pass", &[true, false, false], false),
    ] {
        let stated =
            |overall: bool| said(passed, &format!(r#""rule": "{name}", "overall_passed": {overall}"#));
        assert_eq!(stated(computed), NOTHING, "{name} {passed:?}");
        let place = 8 + r#""aggregation": {"rule": "", "overall_passed": "#.len() + name.len() - 7;
        assert_eq!(stated(!computed), [format!("{rule} 8:{place} {computed}")], "{name} {passed:?}");
    }
    for aggregation in [
        r#""rule": "lint decides", "overall_passed": true"#,
        r#""overall_passed": true"#,
        r#""rule": "all_must_pass""#,
    ] {
        assert_eq!(said(&[false], aggregation), NOTHING, "{aggregation}");
    }
    // Without results there is nothing to compute, and a branch that says nothing leaves the rest open.
    assert_eq!(said(&[], r#""total": 0, "rule": "all_must_pass", "overall_passed": false"#), NOTHING);
    let open =
        r#"{"results": [{"passed": true}, {}], "aggregation": {"total": 1, "passed": 2, "failed": 5}}"#;
    assert_eq!(said_of(&response("parallel", "STOP", open)), [format!("{rule} 6:76")]);
}

#[test]
fn the_complete_examples_of_the_protocol_are_clean() {
    // proves X-01, X-02, X-03, A-16
    let text = r#"# Research to write

```json
{
  "task_id": "auth-001",
  "phase": "research",
  "context": {
    "feature": "jwt-authentication",
    "spec_path": "specs/auth/requirements.md",
    "relevant_files": ["src/lib/", "src/server/routers/"],
    "constraints": ["no breaking changes", "follow existing patterns"]
  },
  "instructions": "Find existing auth code and patterns for the new JWT feature",
  "expected_output": "structured_findings"
}
```

```json
{
  "task_id": "auth-001",
  "phase": "research",
  "status": "complete",
  "decision": "PROCEED",
  "findings": {
    "existing_implementations": [
      {
        "file": "src/lib/auth.ts",
        "description": "Basic session utils",
        "relevance": "high"
      }
    ],
    "conflicts": [],
    "patterns_found": [
      {
        "file": "src/server/routers/user.ts",
        "pattern": "tRPC router with Zod",
        "recommendation": "Follow this"
      }
    ],
    "recommendations": ["Extend auth.ts", "Create auth router"]
  },
  "context_summary": "Existing auth at src/lib/auth.ts (sessions). Pattern: src/server/routers/user.ts. No conflicts. Extend auth.ts with JWT, create auth router.",
  "tokens_used": 847,
  "issues": []
}
```

```json
{
  "task_id": "auth-001",
  "phase": "write",
  "context": {
    "feature": "jwt-authentication",
    "spec_path": "specs/auth/requirements.md",
    "relevant_files": ["src/lib/auth.ts", "src/server/routers/user.ts"],
    "constraints": ["TDD", "30 line functions"],
    "previous_findings": "Existing auth at src/lib/auth.ts (sessions). Pattern: src/server/routers/user.ts. No conflicts. Extend auth.ts with JWT, create auth router."
  },
  "instructions": "Implement JWT authentication with login/logout using TDD",
  "expected_output": "files_changed"
}
```
"#;
    let wanted = ["exchange/request", "exchange/response", "exchange/request"];
    assert_eq!(kinds("protocol.md", text), wanted);
    assert_eq!(said(Some("protocol.md"), "exchange", text), NOTHING);
}
