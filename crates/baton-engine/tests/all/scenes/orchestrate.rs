//! Research, write, validate, parallel: the decisions of exchanges, rework, and summaries only.

use baton_courier::Delivery;
use baton_kernel::{Choice, Ending, Outcome, Reason};

use super::{Scene, given, play};

const FEATURE: (&str, &str) = ("feature", "jwt-authentication");

/// A response of a phase.
fn response(phase: &str, status: &str, decision: &str, findings: &str, summary: &str) -> String {
    format!(
        r#"{{"task_id":"scene-1","phase":"{phase}","status":"{status}","decision":"{decision}","findings":{findings},"context_summary":"{summary}"}}"#
    )
}

fn research(scene: &mut Scene<'_>) -> Delivery {
    let findings = r#"{"existing_implementations":[],"conflicts":[],"patterns_found":[],"recommendations":["Extend auth.ts"]}"#;
    scene.answer("researcher", &response("research", "complete", "PROCEED", findings, "Auth at src/auth.ts."))
}

fn write(scene: &mut Scene<'_>) -> Delivery {
    write_again(scene, 6)
}

fn write_again(scene: &mut Scene<'_>, tests: u8) -> Delivery {
    let findings = r#"{"files_created":[{"path":"src/jwt.ts","purpose":"tokens"}],"files_modified":[],"tests_written":[],"implementation_notes":[]}"#;
    let summary = format!("JWT in src/jwt.ts, {tests} tests.");
    scene.answer("writer", &response("write", "complete", "PROCEED", findings, &summary))
}

fn validate(scene: &mut Scene<'_>, tests: bool, security: bool) -> Delivery {
    let all = tests && security;
    let failures = if tests { "[]" } else { "[\"login\"]" };
    let issues = if security { "[]" } else { "[\"SQL injection\"]" };
    let blocking = match (tests, security) {
        (true, true) => "[]",
        (false, true) => "[\"1 test fails\"]",
        (_, false) => "[\"SQL injection in login\"]",
    };
    let (passed, failed) = if tests { (6, 0) } else { (5, 1) };
    let findings = format!(
        r#"{{"checks":{{"types":{{"passed":true,"errors":[],"warnings":[]}},"lint":{{"passed":true,"errors":[],"warnings":[]}},"tests":{{"passed":{tests},"total":6,"passed_count":{passed},"failed_count":{failed},"coverage":80,"failures":{failures}}},"security":{{"passed":{security},"issues":{issues}}}}},"overall_passed":{all},"blocking_issues":{blocking},"warnings":[]}}"#
    );
    let decision = if all { "PROCEED" } else { "STOP" };
    scene.answer("validator", &response("validate", "complete", decision, &findings, "Validated src/jwt.ts."))
}

fn branch(scene: &mut Scene<'_>, agent: &str, passed: bool) -> Delivery {
    let failed = u8::from(!passed);
    let findings = format!(
        r#"{{"results":[{{"task_id":"scene-1-{agent}","type":"{agent}","passed":{passed},"summary":"looked at src/jwt.ts","details":{{}}}}],"aggregation":{{"total":1,"passed":{},"failed":{failed},"rule":"all_must_pass","overall_passed":{passed}}}}}"#,
        1 - failed
    );
    let decision = if passed { "PROCEED" } else { "STOP" };
    scene.answer(agent, &response("parallel", "complete", decision, &findings, "Looked at src/jwt.ts."))
}

// proves X-09: research → write → validate, and only the summary is passed on, as previous findings.
#[test]
fn each_phase_is_asked_with_the_summary_of_the_one_before() {
    play("orchestrate", FEATURE, |scene| {
        let asked = given(&research(scene));
        assert!(asked.contains("\"phase\": \"research\"") && asked.contains("jwt-authentication"), "{asked}");
        assert!(asked.contains("Find existing code and patterns for jwt-authentication."), "{asked}");
        let asked = given(&write(scene));
        assert!(asked.contains("\"previous_findings\": \"Auth at src/auth.ts.\""), "{asked}");
        assert!(!asked.contains("Extend auth.ts"), "findings are not passed on: {asked}");
        let asked = given(&validate(scene, true, true));
        assert!(asked.contains("JWT in src/jwt.ts, 6 tests."), "{asked}");
        for agent in ["linter", "tester", "auditor"] {
            branch(scene, agent, true);
        }
        assert_eq!(scene.ending(), Some(Ending::Finished(Outcome::Done)));
    });
}

// proves X-06: a summary of more than 500 tokens is a warning in a file, and not taken when it is handed in.
#[test]
fn a_summary_that_is_too_long_is_asked_for_again() {
    play("orchestrate", FEATURE, |scene| {
        let long = "Auth at src/auth.ts. ".repeat(120);
        scene.answer("researcher", &response("research", "complete", "PROCEED", "{}", &long));
        let asked = research(scene);
        assert_eq!(asked.attempt, 2);
        let told = asked.prompt.unwrap_or_default();
        assert!(told.contains("context_summary-tokens") && told.contains("500"), "{told}");
        write(scene);
    });
}

// proves X-03: a response that does not echo its request is of another one, and is asked for again.
#[test]
fn a_response_echoes_the_task_and_the_phase_of_its_request() {
    play("orchestrate", FEATURE, |scene| {
        let right = response("research", "complete", "PROCEED", "{}", "Auth at src/auth.ts.");
        scene.answer("researcher", &right.replace("scene-1", "auth-001"));
        let asked = scene.answer("researcher", &right.replace("\"research\"", "\"write\""));
        let told = asked.prompt.unwrap_or_default();
        assert!(told.contains("`task_id` is `auth-001`, but that of the request is `scene-1`"), "{told}");
        let asked = research(scene);
        let told = asked.prompt.unwrap_or_default();
        assert!(told.contains("`phase` is `write`, but that of the request is `research`"), "{told}");
        write(scene);
    });
}

// proves X-08: STOP halts and is reported; CLARIFY asks the user, then the same phase again with the answer.
#[test]
fn stop_halts_and_clarify_asks_the_user() {
    play("orchestrate", FEATURE, |scene| {
        scene.answer("researcher", &response("research", "blocked", "STOP", "{}", "It exists: src/jwt.ts."));
        assert_eq!(scene.ending(), Some(Ending::Halted(Reason::Stop)));
    });
    play("orchestrate", FEATURE, |scene| {
        let unclear = response("research", "partial", "CLARIFY", "{}", "Sessions or tokens?");
        scene.answer("researcher", &unclear);
        assert_eq!(scene.asked(), Some(Reason::Clarify));
        scene.person(Choice::Again, Some("Tokens, and keep the sessions for a month."));
        let asked = given(&research(scene));
        assert!(asked.contains("\"phase\": \"research\""), "{asked}");
        assert!(asked.contains("Tokens, and keep the sessions for a month."), "{asked}");
        write(scene);
    });
}

// proves X-08: the phase is done again with what it was first given, with each question and with each answer.
#[test]
fn what_was_given_is_given_again_with_the_questions_and_the_answers() {
    play("orchestrate", FEATURE, |scene| {
        research(scene);
        let questions = ["Sessions or tokens?", "Kept for how long?"];
        let answers = ["Tokens.", "For a month."];
        for (question, answer) in questions.into_iter().zip(answers) {
            scene.answer("writer", &response("write", "partial", "CLARIFY", "{}", question));
            scene.person(Choice::Again, Some(answer));
        }
        // The same is asked once more.
        scene.answer("writer", &response("write", "partial", "CLARIFY", "{}", questions[1]));
        scene.person(Choice::Again, Some("For 30 days."));
        let asked = given(&write(scene));
        let parts = ["Auth at src/auth.ts.", questions[0], answers[0], questions[1], "For 30 days."];
        for part in parts {
            assert!(asked.contains(part), "{part} is not in {asked}");
        }
        let asked = given(&validate(scene, true, true));
        assert!(!asked.contains("Sessions or tokens?"), "what was cleared up is done: {asked}");
    });
}

// proves X-09: what types, lint or tests found goes back to the writer, twice at most; security never does.
#[test]
fn failed_tests_are_reworked_twice_and_security_never() {
    play("orchestrate", FEATURE, |scene| {
        research(scene);
        for tests in 6..8 {
            write_again(scene, tests);
            validate(scene, false, true);
        }
        let asked = given(&write_again(scene, 8));
        assert!(asked.contains("1 test fails"), "the writer gets the failures: {asked}");
        validate(scene, false, true);
        assert_eq!(scene.ending(), Some(Ending::Halted(Reason::ReworkExhausted)));
    });
    play("orchestrate", FEATURE, |scene| {
        research(scene);
        write(scene);
        validate(scene, true, false);
        assert_eq!(scene.ending(), Some(Ending::Halted(Reason::Stop)));
    });
}

// proves X-10: all branches must pass, and what they say of themselves is counted, not believed.
#[test]
fn a_branch_that_does_not_pass_halts_the_run() {
    play("orchestrate", FEATURE, |scene| {
        research(scene);
        write(scene);
        validate(scene, true, true);
        assert_eq!(scene.at_work(), 3, "the branches run side by side");
        branch(scene, "linter", false);
        assert_eq!(scene.ending(), Some(Ending::Halted(Reason::JoinFailed)));
    });
}
