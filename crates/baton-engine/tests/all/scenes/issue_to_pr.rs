//! From an issue to a merged pull request: every transition, errors, what adds up, and the figures at the end.

use baton_courier::Delivery;
use baton_document::carrier::Look;
use baton_document::{Input, Level, NoWorld, Scratch};
use baton_kernel::{Choice, Ending, Event, Outcome, Reason};

use super::{Scene, given, play};

const ISSUE: (&str, &str) = ("issue", "Users can log in with email and password.");
const END: &str = ".workflow/issue-123-complete.xml";
const STATE: &str = ".workflow/issue-123.yaml";

/// A handoff of these two agents, with these elements.
fn handoff(from: &str, to: &str, elements: &str) -> String {
    format!("<handoff>\n  <from>{from}</from>\n  <to>{to}</to>\n  {elements}\n</handoff>\n")
}

const URL: &str = "<issue_url>https://example.com/issues/123</issue_url><issue_number>123</issue_number>";
const PR: &str =
    "<pr_url>https://example.com/pull/456</pr_url><pr_number>456</pr_number><issue_number>123</issue_number>";

fn triage(scene: &mut Scene<'_>) -> Delivery {
    let issue = format!(
        "{URL}<issue_title>Login</issue_title><type>feature</type><priority>high</priority><summary>Created the issue</summary><requirements><requirement>JWT tokens expire after 1 hour</requirement></requirements>"
    );
    scene.answer("issue-manager", &handoff("issue-manager", "prep-agent", &issue))
}

fn prepare(scene: &mut Scene<'_>) -> Delivery {
    let ready = format!(
        "{URL}<branch>feature/issue-123</branch><workspace_path>../repo-issue-123</workspace_path><workspace_type>worktree</workspace_type><port>3100</port><status>ready</status><validation><dependencies>installed</dependencies><build>passing</build><dev_server>verified</dev_server></validation>"
    );
    scene.answer("prep-agent", &handoff("prep-agent", "implementer-agent", &ready))
}

fn implement(scene: &mut Scene<'_>) -> Delivery {
    let made = "<issue_url>https://example.com/issues/123</issue_url><issue_number>123</issue_number><pr_url>https://example.com/pull/456</pr_url><pr_number>456</pr_number><branch>feature/issue-123</branch><summary>Implemented login</summary><files_changed>12</files_changed><tests_added>24</tests_added><coverage>96%</coverage><commits><commit sha=\"abc123\">feat: login</commit><commit sha=\"def456\">feat: tokens</commit></commits>";
    scene.answer("implementer-agent", &handoff("implementer-agent", "reviewer-agent", made))
}

/// Up to the review.
fn implemented(scene: &mut Scene<'_>) {
    triage(scene);
    prepare(scene);
    implement(scene);
}

fn request_changes(scene: &mut Scene<'_>, issue: &str) -> Delivery {
    let changes = format!(
        "{PR}<review_status>changes_requested</review_status><critical_count>1</critical_count><important_count>0</important_count><suggestion_count>0</suggestion_count><blocking_issues><issue location=\"src/login.ts:42\" severity=\"critical\">{issue}</issue></blocking_issues>"
    );
    scene.answer("reviewer-agent", &handoff("reviewer-agent", "fixer-agent", &changes))
}

fn fix(scene: &mut Scene<'_>, fixed: &str) -> Delivery {
    let fixes = format!(
        "{PR}<status>ready-for-re-review</status><fixes_applied><fix location=\"src/login.ts:42\">{fixed}</fix></fixes_applied><commits_added>3</commits_added>"
    );
    scene.answer("fixer-agent", &handoff("fixer-agent", "reviewer-agent", &fixes))
}

fn approve(scene: &mut Scene<'_>) -> Delivery {
    let approved = format!(
        "{PR}<review_status>approved</review_status><critical_count>0</critical_count><important_count>0</important_count><summary>Review passed</summary>"
    );
    scene.answer("reviewer-agent", &handoff("reviewer-agent", "validator-agent", &approved))
}

fn fail_validation(scene: &mut Scene<'_>) -> Delivery {
    let failed = format!(
        "{PR}<validation_status>failed</validation_status><failures><failure type=\"test\">login.test.ts - expected 200, got 401</failure></failures>"
    );
    scene.answer("validator-agent", &handoff("validator-agent", "fixer-agent", &failed))
}

fn merge(scene: &mut Scene<'_>) -> Delivery {
    let merged = format!(
        "{PR}<merge_status>merged</merge_status><merge_sha>abc123def456</merge_sha><merge_strategy>squash</merge_strategy><validation_summary><tests>passed (156/156)</tests><coverage>94%</coverage><lint>passed</lint><type_check>passed</type_check><security>no vulnerabilities</security></validation_summary>"
    );
    scene.answer("validator-agent", &handoff("validator-agent", "closer-agent", &merged))
}

fn close(scene: &mut Scene<'_>) -> Delivery {
    let closed = "<issue_number>123</issue_number><status>success</status><summary>Login implemented</summary><actions_taken><action>Issue closed</action><action>Branch deleted</action></actions_taken>";
    scene.answer("closer-agent", &handoff("closer-agent", "orchestrator", closed))
}

/// An error handoff to the orchestrator.
fn error(from: &str, recoverable: bool) -> String {
    let error = format!(
        "<status>failure</status><error><type>BuildError</type><message>Compilation failed</message><details>Cannot find module</details><recoverable>{recoverable}</recoverable><suggested_action>Check the imports</suggested_action></error>"
    );
    handoff(from, "orchestrator", &error)
}

// proves L-06: success leads to the next, approved to the validator, merged to the closer, and that is the end.
#[test]
fn an_issue_becomes_a_merged_pull_request() {
    play("issue-to-pr", ISSUE, |scene| {
        let asked = given(&triage(scene));
        assert!(asked.contains("<from>user</from>") && asked.contains("<to>issue-manager</to>"), "{asked}");
        assert!(asked.contains("<summary>Users can log in with email and password.</summary>"), "{asked}");
        let asked = given(&prepare(scene));
        assert!(
            asked.contains("<from>issue-manager</from>") && asked.contains("<to>prep-agent</to>"),
            "{asked}"
        );
        assert!(asked.contains("JWT tokens expire after 1 hour"), "{asked}");
        implement(scene);
        let asked = given(&approve(scene));
        assert!(
            asked.contains("<from>implementer-agent</from>") && asked.contains("<to>reviewer-agent</to>"),
            "{asked}"
        );
        let asked = given(&merge(scene));
        assert!(
            asked.contains("<from>reviewer-agent</from>") && asked.contains("<to>validator-agent</to>"),
            "{asked}"
        );
        close(scene);
        assert_eq!(scene.ending(), Some(Ending::Finished(Outcome::Done)));
        let decided = scene.reasons().into_iter().filter(|reason| *reason == Reason::Decision);
        assert_eq!(decided.count(), 2, "approved and merged");
    });
}

// proves L-07: each agent receives what earlier agents added, and its sender's own word counts before theirs.
#[test]
fn what_agents_add_goes_along_to_the_end() {
    play("issue-to-pr", ISSUE, |scene| {
        triage(scene);
        prepare(scene);
        let asked = given(&implement(scene));
        assert!(
            asked.contains("<priority>high</priority>") && asked.contains("<port>3100</port>"),
            "{asked}"
        );
        let asked = given(&request_changes(scene, "SQL injection"));
        assert!(asked.contains("<workspace_path>../repo-issue-123</workspace_path>"), "{asked}");
        let asked = given(&fix(scene, "Parameters"));
        assert!(
            asked.contains("<branch>feature/issue-123</branch>") && asked.contains("SQL injection"),
            "{asked}"
        );
        let asked = given(&approve(scene));
        assert!(
            asked.contains("SQL injection") && asked.contains("Parameters"),
            "what to look at again: {asked}"
        );
        let asked = given(&merge(scene));
        assert!(asked.contains("<review_status>approved</review_status>"), "{asked}");
        assert!(asked.contains("<critical_count>0</critical_count>"), "its own word: {asked}");
        assert!(!asked.contains("SQL injection"), "what a review took back is over: {asked}");
        let asked = given(&close(scene));
        for added in [
            "<issue_url>https://example.com/issues/123</issue_url>",
            "<type>feature</type>",
            "<branch>feature/issue-123</branch>",
            "<workspace_path>../repo-issue-123</workspace_path>",
            "<pr_number>456</pr_number>",
            "<tests_added>24</tests_added>",
            "<coverage>96%</coverage>",
            "<commits_added>3</commits_added>",
            "<merge_status>merged</merge_status>",
        ] {
            assert!(asked.contains(added), "{added} is not in {asked}");
        }
        assert!(!asked.contains("x-baton"), "{asked}");
    });
}

// proves L-07: what an agent says inside `<data>` counts like any other.
#[test]
fn what_stands_in_data_goes_along() {
    play("issue-to-pr", ISSUE, |scene| {
        triage(scene);
        let ready = format!(
            "{URL}<status>ready</status><data><branch>feature/issue-123</branch><workspace_path>../repo</workspace_path><workspace_type>worktree</workspace_type><port>3100</port><validation><dependencies>installed</dependencies><build>passing</build><dev_server>verified</dev_server></validation></data>"
        );
        scene.answer("prep-agent", &handoff("prep-agent", "implementer-agent", &ready));
        implement(scene);
        let asked = given(&approve(scene));
        assert!(asked.contains("<port>3100</port>") && asked.contains("<workspace_path>../repo<"), "{asked}");
    });
}

// proves L-06: changes requested → fixer → reviewer; three reviews, then a human.
#[test]
fn three_rounds_of_review_then_a_person() {
    play("issue-to-pr", ISSUE, |scene| {
        implemented(scene);
        for round in 1..=3 {
            request_changes(scene, &format!("Hole {round}"));
            let asked = given(&fix(scene, &format!("Closed {round}")));
            assert!(
                asked.contains("<from>reviewer-agent</from>") && asked.contains(&format!("Hole {round}")),
                "{asked}"
            );
        }
        assert_eq!((scene.asked(), scene.at_work()), (Some(Reason::VisitsExhausted), 0));
    });
}

// proves L-06: validation failed → fixer → reviewer → validator.
#[test]
fn a_failed_validation_is_fixed_and_reviewed_again() {
    play("issue-to-pr", ISSUE, |scene| {
        implemented(scene);
        approve(scene);
        fail_validation(scene);
        let asked = given(&fix(scene, "Login answers 200"));
        assert!(
            asked.contains("<from>validator-agent</from>") && asked.contains("expected 200, got 401"),
            "{asked}"
        );
        let asked = given(&approve(scene));
        assert!(
            asked.contains("<status>ready-for-re-review</status>") && asked.contains("Login answers 200"),
            "{asked}"
        );
        merge(scene);
        close(scene);
        assert_eq!(scene.ending(), Some(Ending::Finished(Outcome::Done)));
    });
}

// proves L-06: skipped leads on, and that is recorded; blocked goes to a human.
#[test]
fn skipped_goes_on_and_blocked_goes_to_a_person() {
    play("issue-to-pr", ISSUE, |scene| {
        implemented(scene);
        request_changes(scene, "SQL injection");
        let skipped = format!(
            "{PR}<status>skipped</status><fixes_applied></fixes_applied><commits_added>0</commits_added>"
        );
        scene.answer("fixer-agent", &handoff("fixer-agent", "reviewer-agent", &skipped));
        assert_eq!(scene.reasons().last(), Some(&Reason::Skipped));
        approve(scene);
        let blocked = format!("{PR}<status>blocked</status><summary>The pipeline is down</summary>");
        scene.answer("validator-agent", &handoff("validator-agent", "orchestrator", &blocked));
        assert_eq!((scene.asked(), scene.at_work()), (Some(Reason::Blocked), 0));
        scene.person(Choice::Again, Some("It is up again."));
        let asked = given(&merge(scene));
        assert!(asked.contains("It is up again.") && asked.contains("<to>validator-agent</to>"), "{asked}");
        close(scene);
    });
}

// proves L-06: pending is still open: the agent is asked again later, ever less often, until its limit.
#[test]
fn pending_is_asked_again_and_not_in_a_hot_loop() {
    play("issue-to-pr", ISSUE, |scene| {
        triage(scene);
        let pending = handoff(
            "prep-agent",
            "implementer-agent",
            &format!(
                "{URL}<branch>b</branch><workspace_path>w</workspace_path><workspace_type>worktree</workspace_type><port>1</port><status>pending</status><validation><dependencies>d</dependencies><build>b</build><dev_server>v</dev_server></validation>"
            ),
        );
        for pause_s in [5, 10, 20] {
            scene.answer("prep-agent", &pending);
            assert_eq!((scene.at_work(), scene.asked()), (0, None), "nobody is woken at once");
            scene.go_on((pause_s - 2) * 1_000);
            assert_eq!(scene.at_work(), 0, "not before {pause_s} s");
            scene.go_on(2_000);
            assert_eq!(scene.at_work(), 1, "{pause_s} s");
        }
        let asked = scene.events().into_iter().filter(|event| matches!(event, Event::DeliveryStarted { .. }));
        assert_eq!(asked.count(), 2, "it is the same delivery");
        prepare(scene);
        implement(scene);
    });
}

// proves L-05: what is recoverable is retried three times, with growing pauses, then a human looks.
#[test]
fn a_recoverable_error_is_retried_with_growing_pauses() {
    play("issue-to-pr", ISSUE, |scene| {
        triage(scene);
        for pause_s in [5, 20, 80] {
            scene.answer("prep-agent", &error("prep-agent", true));
            assert_eq!((scene.at_work(), scene.asked()), (0, None));
            scene.go_on((pause_s - 2) * 1_000);
            assert_eq!(scene.at_work(), 0, "not before {pause_s} s");
            scene.go_on(3_000);
            assert_eq!(scene.at_work(), 1, "{pause_s} s");
        }
        scene.answer("prep-agent", &error("prep-agent", true));
        assert_eq!((scene.asked(), scene.at_work()), (Some(Reason::RetriesExhausted), 0));
        scene.person(Choice::Again, None);
        prepare(scene);
        implement(scene);
    });
}

// proves L-05: what is not recoverable goes to a human at once.
#[test]
fn other_errors_go_to_a_person() {
    play("issue-to-pr", ISSUE, |scene| {
        triage(scene);
        scene.answer("prep-agent", &error("prep-agent", false));
        assert_eq!((scene.asked(), scene.at_work()), (Some(Reason::Unrecoverable), 0));
        let kept = scene.payloads().iter().any(|text| text.contains("Cannot find module"));
        assert!(kept, "with what went wrong");
        // proves E-06: the agent has said itself what went wrong, and Baton says nothing in its place.
        let made = scene.history().into_iter().map(|entry| entry.record);
        let made: Vec<_> = made.filter(|record| record.kind == "handoff_made").collect();
        let [made] = made.as_slice() else { panic!("{made:?}") };
        let text = made.payload.as_ref().and_then(|payload| payload.bytes.clone()).expect("it is kept");
        assert_eq!(String::from_utf8(text).expect("it is text"), error("prep-agent", false));
        assert!(String::from_utf8_lossy(&made.body).contains("\"is_error\":true"), "{made:?}");
    });
}

// proves L-11: where the issue stands, as the state file of that system says it.
#[test]
fn the_state_of_the_issue_is_kept() {
    play("issue-to-pr", ISSUE, |scene| {
        let state = |scene: &mut Scene<'_>| {
            scene.go_on(0);
            scene.file(STATE)
        };
        triage(scene);
        let file = state(scene);
        assert!(file.contains("issue: 123") && file.contains("state: preparing"), "{file}");
        assert!(file.contains("pr: null") && file.contains("current_agent: prep-agent"), "{file}");
        prepare(scene);
        let file = state(scene);
        assert!(file.contains("state: implementing") && file.contains("branch: feature/issue-123"), "{file}");
        assert!(file.contains("workspace: \"../repo-issue-123\""), "{file}");
        implement(scene);
        let file = state(scene);
        assert!(file.contains("state: in_review") && file.contains("pr: 456"), "{file}");
        request_changes(scene, "SQL injection");
        assert!(state(scene).contains("state: fixing"));
        fix(scene, "Parameters");
        approve(scene);
        assert!(state(scene).contains("state: validating"));
        merge(scene);
        assert!(state(scene).contains("state: merging"));
        close(scene);
        let file = state(scene);
        assert!(file.contains("state: closed") && file.contains("current_agent: null"), "{file}");
        assert!(file.contains("review_iterations: 2") && file.contains("tests_added: 24"), "{file}");
        assert!(file.contains("total_commits: 5"), "two and three: {file}");
    });
}

// proves L-08: the end is told by the engine, with figures that it computed, and is a clean document.
#[test]
fn the_end_is_told_with_computed_figures() {
    play("issue-to-pr", ISSUE, |scene| {
        implemented(scene);
        request_changes(scene, "SQL injection");
        scene.go_on(2 * 24 * 60 * 60 * 1_000 / 3);
        fix(scene, "Parameters");
        approve(scene);
        merge(scene);
        close(scene);
        let file = scene.file(END);
        for said in [
            "<issue_url>https://example.com/issues/123</issue_url>",
            "<pr_number>456</pr_number>",
            "<status>completed</status>",
            "<cycle_time>16 hours</cycle_time>",
            "<summary>Login implemented</summary>",
            "<review_iterations>2</review_iterations>",
            "<total_commits>5</total_commits>",
            "<tests_added>24</tests_added>",
            "<coverage>94%</coverage>",
            "<action>Issue closed</action>",
        ] {
            assert!(file.contains(said), "{said} is not in {file}");
        }
        let input = Input {
            path: Some(END),
            bytes: file.as_bytes(),
            dialect: None,
            look: Look::Whole,
            is_named: true,
        };
        let checked = scene.office.checker.check(input, &NoWorld, &mut Scratch::default());
        let errors = checked.findings.iter().filter(|finding| finding.level == Level::Error);
        assert_eq!((checked.handoffs.len(), errors.count()), (1, 0), "{:?}", checked.findings);
    });
}
