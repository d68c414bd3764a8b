//! The `pipeline` dialect: its handoffs between agents, their elements, and contradictions inside them.

use baton_document::{Finding, Level};

use crate::found::Text;

const BASE: &str = "\
<handoff>
  <from>source-agent-name</from>
  <to>target-agent-name</to>
  <timestamp>2024-01-15T10:30:00Z</timestamp>
  <issue_number>123</issue_number>
  <pr_number>456</pr_number>  <!-- Optional, if PR exists -->
  <status>success</status>
  <summary>One-line description of outcome</summary>
  <data>
    <!-- Agent-specific payload -->
  </data>
</handoff>
";

/// A handoff of the protocol: the kind it is, and its example with every choice made.
struct Example {
    kind: &'static str,
    text: &'static str,
}

const EXAMPLES: &[Example] = &[
    Example {
        kind: "issue-manager-to-prep-agent",
        text: "\
<handoff>
  <from>issue-manager</from>
  <to>prep-agent</to>
  <issue_url>https://github.com/owner/repo/issues/123</issue_url>
  <issue_number>123</issue_number>
  <issue_title>Add user authentication</issue_title>
  <type>feature</type>
  <priority>high</priority>
  <summary>Created issue for user authentication feature</summary>
  <requirements>
    <requirement>Users can log in with email/password</requirement>
    <requirement>JWT tokens expire after 1 hour</requirement>
  </requirements>
</handoff>
",
    },
    Example {
        kind: "prep-agent-to-implementer-agent",
        text: "\
<handoff>
  <from>prep-agent</from>
  <to>implementer-agent</to>
  <issue_url>https://github.com/owner/repo/issues/123</issue_url>
  <issue_number>123</issue_number>
  <branch>feature/issue-123-user-auth</branch>
  <workspace_path>/path/to/repo-issue-123</workspace_path>
  <workspace_type>worktree</workspace_type>
  <port>3100</port>
  <status>ready</status>
  <validation>
    <dependencies>installed</dependencies>
    <build>passing</build>
    <dev_server>verified</dev_server>
  </validation>
</handoff>
",
    },
    Example {
        kind: "implementer-agent-to-reviewer-agent",
        text: "\
<handoff>
  <from>implementer-agent</from>
  <to>reviewer-agent</to>
  <issue_url>https://github.com/owner/repo/issues/123</issue_url>
  <issue_number>123</issue_number>
  <pr_url>https://github.com/owner/repo/pull/456</pr_url>
  <pr_number>456</pr_number>
  <branch>feature/issue-123-user-auth</branch>
  <summary>Implemented user authentication with JWT tokens</summary>
  <files_changed>12</files_changed>
  <tests_added>24</tests_added>
  <coverage>96%</coverage>
  <commits>
    <commit sha=\"abc123\">feat(auth): add login endpoint</commit>
    <commit sha=\"def456\">feat(auth): add JWT token generation</commit>
  </commits>
</handoff>
",
    },
    Example {
        kind: "reviewer-agent-to-fixer-agent",
        text: "\
<handoff>
  <from>reviewer-agent</from>
  <to>fixer-agent</to>
  <pr_url>https://github.com/owner/repo/pull/456</pr_url>
  <pr_number>456</pr_number>
  <issue_number>123</issue_number>
  <review_status>changes_requested</review_status>
  <critical_count>2</critical_count>
  <important_count>3</important_count>
  <suggestion_count>4</suggestion_count>
  <blocking_issues>
    <issue location=\"src/auth/login.ts:42\" severity=\"critical\">SQL injection vulnerability</issue>
    <issue location=\"src/admin/routes.ts:15\" severity=\"critical\">Missing authentication check</issue>
    <issue location=\"src/auth/token.ts:78\" severity=\"important\">Token not invalidated on logout</issue>
  </blocking_issues>
</handoff>
",
    },
    Example {
        kind: "reviewer-agent-to-validator-agent",
        text: "\
<handoff>
  <from>reviewer-agent</from>
  <to>validator-agent</to>
  <pr_url>https://github.com/owner/repo/pull/456</pr_url>
  <pr_number>456</pr_number>
  <issue_number>123</issue_number>
  <review_status>approved</review_status>
  <critical_count>0</critical_count>
  <important_count>0</important_count>
  <summary>Code review passed with no blocking issues</summary>
</handoff>
",
    },
    Example {
        kind: "fixer-agent-to-reviewer-agent",
        text: "\
<handoff>
  <from>fixer-agent</from>
  <to>reviewer-agent</to>
  <pr_url>https://github.com/owner/repo/pull/456</pr_url>
  <pr_number>456</pr_number>
  <issue_number>123</issue_number>
  <status>ready-for-re-review</status>
  <fixes_applied>
    <fix location=\"src/auth/login.ts:42\">Parameterized SQL queries</fix>
    <fix location=\"src/admin/routes.ts:15\">Added authentication middleware</fix>
    <fix location=\"src/auth/token.ts:78\">Token invalidation on logout</fix>
  </fixes_applied>
  <commits_added>3</commits_added>
</handoff>
",
    },
    Example {
        kind: "validator-agent-to-closer-agent",
        text: "\
<handoff>
  <from>validator-agent</from>
  <to>closer-agent</to>
  <pr_url>https://github.com/owner/repo/pull/456</pr_url>
  <pr_number>456</pr_number>
  <issue_number>123</issue_number>
  <merge_status>merged</merge_status>
  <merge_sha>abc123def456</merge_sha>
  <merge_strategy>squash</merge_strategy>
  <validation_summary>
    <tests>passed (156/156)</tests>
    <coverage>94%</coverage>
    <lint>passed</lint>
    <type_check>passed</type_check>
    <security>no vulnerabilities</security>
  </validation_summary>
</handoff>
",
    },
    Example {
        kind: "validator-agent-to-fixer-agent",
        text: "\
<handoff>
  <from>validator-agent</from>
  <to>fixer-agent</to>
  <pr_url>https://github.com/owner/repo/pull/456</pr_url>
  <pr_number>456</pr_number>
  <issue_number>123</issue_number>
  <validation_status>failed</validation_status>
  <failures>
    <failure type=\"test\">src/auth/login.test.ts - expected 200, got 401</failure>
    <failure type=\"lint\">src/utils/helpers.ts:15 - unused import</failure>
    <failure type=\"type_check\">src/auth/types.ts:23 - Type mismatch</failure>
  </failures>
</handoff>
",
    },
    Example {
        kind: "error",
        text: "\
<handoff>
  <from>implementer-agent</from>
  <to>orchestrator</to>
  <status>failure</status>
  <error>
    <type>BuildError</type>
    <message>TypeScript compilation failed</message>
    <details>Cannot find module '@/auth/types'</details>
    <recoverable>true</recoverable>
    <suggested_action>Check import paths and module resolution</suggested_action>
  </error>
</handoff>
",
    },
    Example {
        kind: "complete",
        text: "\
<workflow-complete>
  <issue_number>123</issue_number>
  <issue_url>https://github.com/owner/repo/issues/123</issue_url>
  <pr_number>456</pr_number>
  <pr_url>https://github.com/owner/repo/pull/456</pr_url>
  <status>completed</status>
  <cycle_time>2 days 4 hours</cycle_time>
  <summary>User authentication implemented with JWT tokens</summary>
  <metrics>
    <review_iterations>2</review_iterations>
    <total_commits>8</total_commits>
    <tests_added>24</tests_added>
    <coverage>94%</coverage>
  </metrics>
  <actions_taken>
    <action>Closing comment posted</action>
    <action>Issue closed</action>
    <action>Branch deleted</action>
    <action>Related issues updated</action>
  </actions_taken>
</workflow-complete>
",
    },
];

/// A handoff in a file of its own, in a project where the files it points to exist.
fn pipeline() -> Text<'static> {
    const LINES: &str = match str::from_utf8(&[b'\n'; 80]) {
        Ok(lines) => lines,
        Err(_) => "",
    };
    let beside =
        &[("src/auth/login.ts", LINES), ("src/admin/routes.ts", LINES), ("src/auth/token.ts", LINES)];
    Text { path: Some("handoff.xml"), beside, ..Text::default() }
}

fn example(kind: &str) -> &'static str {
    EXAMPLES.iter().find(|example| example.kind == kind).expect("the kind has an example").text
}

/// An example with one piece of text replaced by another.
fn with(kind: &str, text: &str, other: &str) -> String {
    let example = example(kind);
    assert!(example.contains(text), "no {text} in {kind}");
    example.replacen(text, other, 1)
}

/// Each row: the kind of an example, what is replaced in it and by what, and what is found.
fn check_rows(rows: &[(&str, &str, &str, &[&str])]) {
    for (kind, text, other, expected) in rows {
        assert_eq!(pipeline().found(&with(kind, text, other)), *expected, "{kind}: {text} → {other}");
    }
}

/// The elements right below the root: name, and the lines from the first to the last of each.
fn elements(text: &str) -> Vec<(String, String)> {
    let mut elements = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("  <").filter(|rest| !rest.starts_with('!')) else { continue };
        let name = name.split(['>', ' ']).next().unwrap_or_default().to_owned();
        let mut whole = format!("{line}\n");
        let close = format!("</{name}>");
        while !whole.contains(&close) {
            whole += lines.next().expect("every element is closed");
            whole.push('\n');
        }
        elements.push((name, whole));
    }
    elements
}

fn errors(findings: &[Finding]) -> Vec<&Finding> {
    findings.iter().filter(|finding| finding.level == Level::Error).collect()
}

#[test]
fn the_base_structure_is_clean() {
    // proves L-01
    assert_eq!(pipeline().found(BASE), [""; 0]);
    for optional in ["timestamp", "issue_number", "pr_number", "status", "summary", "data"] {
        let (_, whole) = elements(BASE).into_iter().find(|(name, _)| name == optional).unwrap();
        assert_eq!(pipeline().found(&BASE.replace(&whole, "")), [""; 0], "without {optional}");
    }
    let payload =
        BASE.replace("<!-- Agent-specific payload -->", "<labels><label a=\"1\">x</label></labels>");
    assert_eq!(pipeline().found(&payload), [""; 0], "the payload belongs to the sender");
}

#[test]
fn the_base_structure_has_sender_receiver_and_types() {
    // proves L-01
    let rows: &[(&str, &str, &str)] = &[
        ("  <from>source-agent-name</from>\n", "", "error pipeline/other/from-missing 1:2"),
        ("  <to>target-agent-name</to>\n", "", "error pipeline/other/to-missing 1:2"),
        ("<from>source-agent-name</from>", "<from></from>", "error pipeline/other/from-pattern 2:9"),
        ("2024-01-15T10:30:00Z", "soon", "error pipeline/other/timestamp-pattern 4:14"),
        ("2024-01-15T10:30:00Z", "2024-01-15T10:30:00+00:00Z", "info document/timestamp-form 4:14"),
        ("<issue_number>123", "<issue_number>#123", "error pipeline/other/issue_number-type 5:17"),
        ("<pr_number>456", "<pr_number>4.5", "error pipeline/other/pr_number-type 6:14"),
        ("<status>success", "<status>fine", "error pipeline/other/status-enum 7:11"),
        ("<summary>", "<sumary>x</sumary><summary>", "info document/unknown-key 8:4"),
        ("<status>success", "<status>SUCCESS", "info document/enum-case 7:11"),
        ("</summary>", "</summary><summary>again</summary>", "error pipeline/other/summary-type 8:54"),
    ];
    for (text, other, expected) in rows {
        assert!(BASE.contains(text), "no {text}");
        assert_eq!(pipeline().found(&BASE.replacen(text, other, 1)), [*expected], "{text} → {other}");
    }
}

#[test]
fn the_examples_of_the_protocol_are_clean() {
    // proves L-02, A-16
    for example in EXAMPLES {
        assert_eq!(pipeline().found(example.text), [""; 0], "{}", example.kind);
    }
}

#[test]
fn sender_and_receiver_decide_which_elements_are_required() {
    // proves L-02, A-16
    for Example { kind, text } in EXAMPLES {
        let elements = elements(text);
        assert!(elements.len() > 3, "{kind}");
        for (name, whole) in elements {
            let found = pipeline().found(&text.replace(&whole, ""));
            let decides = matches!(&*name, "from" | "to") && !matches!(*kind, "complete" | "error");
            if decides {
                // Without them it is another kind, which misses them too.
                assert_eq!(
                    found,
                    [format!("error pipeline/other/{name}-missing 1:2")],
                    "{kind} without {name}"
                );
            } else {
                let expected = format!("error pipeline/{kind}/{name}-missing 1:2");
                let own: Vec<_> = found.iter().filter(|line| line.starts_with("error")).collect();
                assert_eq!(own[0], &expected, "{kind} without {name}");
                let inner = format!("error pipeline/{kind}/{name}.");
                assert!(own[1..].iter().all(|line| line.starts_with(&inner)), "{kind}: {own:?}");
            }
        }
    }
}

#[test]
fn the_elements_inside_an_element_are_required_too() {
    // proves L-02, A-16
    check_rows(&[
        (
            "prep-agent-to-implementer-agent",
            "    <build>passing</build>\n",
            "",
            &["error pipeline/prep-agent-to-implementer-agent/validation.build-missing 11:4"],
        ),
        (
            "validator-agent-to-closer-agent",
            "    <lint>passed</lint>\n",
            "",
            &["error pipeline/validator-agent-to-closer-agent/validation_summary.lint-missing 10:4"],
        ),
        (
            "error",
            "    <recoverable>true</recoverable>\n",
            "",
            &["error pipeline/error/error.recoverable-missing 5:4"],
        ),
        (
            "complete",
            "    <total_commits>8</total_commits>\n",
            "",
            &["error pipeline/complete/metrics.total_commits-missing 9:4"],
        ),
    ]);
}

#[test]
fn elements_may_stand_inside_data() {
    // proves L-02, A-16
    for Example { kind, text } in EXAMPLES.iter().filter(|example| example.kind != "complete") {
        let is_own = |name: &str| !matches!(name, "from" | "to");
        let mut moved = (*text).to_owned();
        let mut data = String::new();
        for (_, whole) in elements(text).into_iter().filter(|(name, _)| is_own(name)) {
            moved = moved.replace(&whole, "");
            data += &whole;
        }
        let moved = moved.replace("</handoff>", &format!("  <data>\n{data}  </data>\n</handoff>"));
        assert_eq!(pipeline().found(&moved), [""; 0], "{kind}:\n{moved}");
    }
    let inside = with(
        "reviewer-agent-to-validator-agent",
        "<summary>Code review passed with no blocking issues</summary>",
        "<data><summary>Passed</summary><critical_count>none</critical_count></data>",
    )
    .replacen("  <critical_count>0</critical_count>\n", "", 1);
    let expected = ["error pipeline/reviewer-agent-to-validator-agent/critical_count-type 9:50"];
    assert_eq!(pipeline().found(&inside), expected, "what stands there is checked");
}

#[test]
fn enum_words_are_checked_and_their_letters_are_not() {
    // proves L-02, A-07
    let kinds = [
        ("issue-manager-to-prep-agent", "type", "feature", &["bug", "enhancement", "refactor", "chore"][..]),
        ("issue-manager-to-prep-agent", "priority", "high", &["critical", "medium", "low"]),
        ("prep-agent-to-implementer-agent", "workspace_type", "worktree", &["in-place", "cloud"]),
        ("validator-agent-to-closer-agent", "merge_status", "merged", &["failed", "blocked"]),
        ("validator-agent-to-closer-agent", "merge_strategy", "squash", &["merge", "rebase"]),
        ("validator-agent-to-fixer-agent", "validation_status", "failed", &["passed"]),
        ("reviewer-agent-to-fixer-agent", "review_status", "changes_requested", &["approved"]),
    ];
    for (kind, name, word, others) in kinds {
        let element = |word: &str| format!("<{name}>{word}</{name}>");
        let place = |found: &str| found.rsplit_once(' ').map(|(what, _)| what.to_owned());
        for other in others {
            let found = pipeline().found(&with(kind, &element(word), &element(other)));
            assert!(!found.iter().any(|line| line.starts_with("error")), "{kind} {other}: {found:?}");
        }
        let found = pipeline().found(&with(kind, &element(word), &element(&word.to_uppercase())));
        assert_eq!(
            found.iter().filter_map(|line| place(line)).collect::<Vec<_>>(),
            ["info document/enum-case"]
        );
        let found = pipeline().found(&with(kind, &element(word), &element("perhaps")));
        let expected = [format!("error pipeline/{kind}/{name}-enum")];
        assert_eq!(found.iter().filter_map(|line| place(line)).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn attributes_are_checked() {
    // proves L-02
    check_rows(&[
        (
            "reviewer-agent-to-fixer-agent",
            "severity=\"important\"",
            "severity=\"urgent\"",
            &["error pipeline/reviewer-agent-to-fixer-agent/blocking_issues.issue.@severity-enum 14:54"],
        ),
        (
            "reviewer-agent-to-fixer-agent",
            "severity=\"important\"",
            "severity=\"IMPORTANT\"",
            &["info document/enum-case 14:54"],
        ),
        (
            "reviewer-agent-to-fixer-agent",
            "src/auth/login.ts:42",
            "src/auth/nothing.ts:42",
            &["warning pipeline/reviewer-agent-to-fixer-agent/blocking_issues.issue.@location-exists 12:22"],
        ),
        (
            "fixer-agent-to-reviewer-agent",
            "src/auth/token.ts:78",
            "src/auth/token.ts:780",
            &["warning pipeline/fixer-agent-to-reviewer-agent/fixes_applied.fix.@location-exists 11:20"],
        ),
        (
            "implementer-agent-to-reviewer-agent",
            "sha=\"abc123\"",
            "sha=\"\"",
            &["error pipeline/implementer-agent-to-reviewer-agent/commits.commit.@sha-pattern 14:18"],
        ),
        (
            "implementer-agent-to-reviewer-agent",
            "<commit sha=\"abc123\"",
            "<commit hash=\"abc123\"",
            &["info document/unknown-key 14:13"],
        ),
        (
            "validator-agent-to-fixer-agent",
            "type=\"lint\"",
            "type=\"\"",
            &["error pipeline/validator-agent-to-fixer-agent/failures.failure.@type-pattern 10:20"],
        ),
    ]);
}

#[test]
fn numbers_and_booleans_are_what_they_say() {
    // proves L-02
    let numbers = [
        ("issue-manager-to-prep-agent", "issue_number", "123"),
        ("prep-agent-to-implementer-agent", "port", "3100"),
        ("implementer-agent-to-reviewer-agent", "pr_number", "456"),
        ("implementer-agent-to-reviewer-agent", "files_changed", "12"),
        ("implementer-agent-to-reviewer-agent", "tests_added", "24"),
        ("reviewer-agent-to-fixer-agent", "critical_count", "2"),
        ("reviewer-agent-to-fixer-agent", "important_count", "3"),
        ("reviewer-agent-to-fixer-agent", "suggestion_count", "4"),
        ("fixer-agent-to-reviewer-agent", "commits_added", "3"),
        ("complete", "review_iterations", "2"),
        ("complete", "total_commits", "8"),
        ("complete", "tests_added", "24"),
    ];
    for (kind, name, number) in numbers {
        for other in ["many", "2.5", "", "0x10", "1e3", "+1"] {
            let text = with(kind, &format!("<{name}>{number}<"), &format!("<{name}>{other}<"));
            let found = pipeline().found(&text);
            assert_eq!(found.len(), 1, "{kind} {name} {other:?}: {found:?}");
            assert!(
                found[0].starts_with("error ") && found[0].contains(&format!("{name}-type ")),
                "{found:?}"
            );
        }
    }
    check_rows(&[
        ("implementer-agent-to-reviewer-agent", ">96%<", ">96.5<", &[]),
        (
            "implementer-agent-to-reviewer-agent",
            ">96%<",
            ">high<",
            &["error pipeline/implementer-agent-to-reviewer-agent/coverage-pattern 12:13"],
        ),
        ("error", ">true<", ">false<", &[]),
        ("error", ">true<", ">yes<", &["info document/boolean-word 9:18"]),
        ("error", ">true<", ">perhaps<", &["error pipeline/error/error.recoverable-type 9:18"]),
    ]);
}

#[test]
fn another_order_of_elements_is_an_info() {
    // proves L-02, A-07
    for Example { kind, text } in EXAMPLES {
        let elements = elements(text);
        let (_, first) = &elements[0];
        let (_, second) = &elements[1];
        let swapped = text.replacen(&format!("{first}{second}"), &format!("{second}{first}"), 1);
        let root = text.split(['<', '>']).nth(1).unwrap();
        let body: String = elements.iter().rev().map(|(_, whole)| &**whole).collect();
        let reversed = format!("<{root}>\n{body}</{root}>\n");
        assert_eq!(pipeline().found(&swapped)[0], "info document/element-order 3:4", "{kind}");
        for other in [swapped, reversed] {
            let found = pipeline().found(&other);
            let is_order = |line: &String| line.starts_with("info document/element-order ");
            assert!(!found.is_empty() && found.iter().all(is_order), "{kind}: {found:?}");
        }
    }
}

#[test]
fn an_error_wins_over_the_pair_and_completion_over_sender_and_receiver() {
    // proves L-02
    let error = &elements(example("error"))[3].1;
    let pair = with("validator-agent-to-fixer-agent", "</handoff>", &format!("{error}</handoff>"));
    let found = pipeline().found(&pair.replace("<message>TypeScript compilation failed</message>", ""));
    let expected =
        ["error pipeline/error/status-missing 1:2", "error pipeline/error/error.message-missing 13:4"];
    assert_eq!(found, expected);
    let complete = with(
        "complete",
        "  <issue_number>",
        "  <from>closer-agent</from>\n  <to>orchestrator</to>\n  <issue_number>",
    );
    let found = pipeline().found(&complete.replace("<cycle_time>2 days 4 hours</cycle_time>", ""));
    assert_eq!(found, ["error pipeline/complete/cycle_time-missing 1:2"]);
}

#[test]
fn every_status_word_is_known() {
    // proves L-03
    let words =
        ["success", "failure", "blocked", "pending", "skipped", "ready", "ready-for-re-review", "completed"];
    for word in words {
        let text = BASE.replace(">success<", &format!(">{word}<"));
        assert_eq!(pipeline().found(&text), [""; 0], "{word}");
    }
    for word in ["done", "ok", "approved", "success!"] {
        let text = BASE.replace(">success<", &format!(">{word}<"));
        assert_eq!(pipeline().found(&text), ["error pipeline/other/status-enum 7:11"], "{word}");
    }
}

const APPROVED: &str = "reviewer-agent-to-validator-agent";
const REQUESTED: &str = "reviewer-agent-to-fixer-agent";
const MERGED: &str = "validator-agent-to-closer-agent";
const FAILED: &str = "validator-agent-to-fixer-agent";

#[test]
fn an_approved_review_has_no_issues_that_block() {
    // proves L-04
    let found: &[&str] = &["warning pipeline/approved-with-issues 7:18"];
    let listed = |severity: &str| {
        let issue = format!("<issue severity=\"{severity}\">It leaks</issue>");
        format!("<summary>Passed</summary><blocking_issues>{issue}</blocking_issues>")
    };
    let summary = "<summary>Code review passed with no blocking issues</summary>";
    check_rows(&[
        (APPROVED, "<critical_count>0", "<critical_count>1", found),
        (APPROVED, "<important_count>0", "<important_count>7", found),
        (APPROVED, "</important_count>", "</important_count><suggestion_count>7</suggestion_count>", &[]),
        (APPROVED, summary, "<summary>Passed</summary><blocking_issues/>", &[]),
        (REQUESTED, ">changes_requested<", ">approved<", found),
        (REQUESTED, ">changes_requested<", ">Approved<", &["info document/enum-case 7:18", found[0]]),
    ]);
    for severity in ["critical", "important"] {
        let count = format!(
            "warning pipeline/count-below-listed {}",
            if severity == "critical" { "8:19" } else { "9:20" }
        );
        assert_eq!(pipeline().found(&with(APPROVED, summary, &listed(severity))), [found[0], &count]);
    }
    let inside = with(
        APPROVED,
        "<important_count>0</important_count>",
        "<data><important_count>2</important_count></data>",
    );
    assert_eq!(pipeline().found(&inside), found);
    let findings = pipeline().findings(&with(REQUESTED, ">changes_requested<", ">approved<"));
    assert_eq!(findings[0].found.as_deref(), Some("approved, with 2 critical issues and 3 important issues"));
    assert_eq!(findings[0].related.len(), 4);
}

#[test]
fn no_more_issues_are_listed_than_counted() {
    // proves L-04
    let suggestion = "<issue severity=\"suggestion\">Name it</issue>\n  </blocking_issues>";
    check_rows(&[
        (REQUESTED, "<critical_count>2", "<critical_count>1", &["warning pipeline/count-below-listed 8:19"]),
        (REQUESTED, "<critical_count>2", "<critical_count>0", &["warning pipeline/count-below-listed 8:19"]),
        (REQUESTED, "<important_count>3", "<important_count>1", &[]),
        (
            REQUESTED,
            "<important_count>3",
            "<important_count>0",
            &["warning pipeline/count-below-listed 9:20"],
        ),
        (REQUESTED, "</blocking_issues>", suggestion, &[]),
        (REQUESTED, "<suggestion_count>4", "<suggestion_count>0", &[]),
        (
            REQUESTED,
            "\"important\"",
            "\"CRITICAL\"",
            &["warning pipeline/count-below-listed 8:19", "info document/enum-case 14:54"],
        ),
    ]);
    let several = with(REQUESTED, "</blocking_issues>", suggestion)
        .replace("<critical_count>2", "<critical_count>1")
        .replace("<important_count>3", "<important_count>0")
        .replace("<suggestion_count>4", "<suggestion_count>0");
    let expected = [
        "warning pipeline/count-below-listed 8:19",
        "warning pipeline/count-below-listed 9:20",
        "warning pipeline/count-below-listed 10:21",
    ];
    assert_eq!(pipeline().found(&several), expected);
}

#[test]
fn every_critical_issue_that_is_counted_is_listed() {
    // proves L-04
    let found: &[&str] = &["warning pipeline/critical-not-listed 8:19"];
    check_rows(&[
        (REQUESTED, "<critical_count>2", "<critical_count>3", found),
        (REQUESTED, "severity=\"critical\"", "severity=\"important\"", found),
        (REQUESTED, "<important_count>3", "<important_count>30", &[]),
        (REQUESTED, "<suggestion_count>4", "<suggestion_count>40", &[]),
        (APPROVED, ">approved<", ">changes_requested<", &["warning pipeline/nothing-to-change 7:18"]),
    ]);
    let unlisted =
        with(APPROVED, "<critical_count>0", "<critical_count>2").replace(">approved<", ">changes_requested<");
    assert_eq!(pipeline().found(&unlisted), [""; 0], "without a list nothing is compared");
    let text = with(REQUESTED, "<critical_count>2", "<critical_count>3");
    assert_eq!(pipeline().findings(&text)[0].found.as_deref(), Some("3 counted, 2 listed"));
}

/// The review that asks for changes, with these counts and this list.
fn review(counts: (&str, &str, &str), list: &str) -> String {
    let text = example(REQUESTED);
    let (start, end) = (text.find("  <critical_count>").unwrap(), text.find("</handoff>").unwrap());
    let (critical, important, suggestion) = counts;
    format!(
        "{}  <critical_count>{critical}</critical_count>\n  <important_count>{important}</important_count>\n  \
         <suggestion_count>{suggestion}</suggestion_count>\n  {list}\n{}",
        &text[..start],
        &text[end..]
    )
}

#[test]
fn a_review_that_asks_for_changes_names_some() {
    // proves L-04
    let found: &[&str] = &["warning pipeline/nothing-to-change 7:18"];
    assert_eq!(pipeline().found(&review(("0", "0", "4"), "<blocking_issues></blocking_issues>")), found);
    assert_eq!(pipeline().found(&review(("0", "0", "0"), "<blocking_issues>\n  </blocking_issues>")), found);
    assert_eq!(
        pipeline().found(&review(("0", "0", "0"), "<blocking_issues><issue/></blocking_issues>")),
        found
    );
    assert_eq!(pipeline().found(&review(("0", "1", "0"), "<blocking_issues/>")), [""; 0]);
    let unsaid = "<blocking_issues><issue>The build is red</issue></blocking_issues>";
    assert_eq!(pipeline().found(&review(("0", "0", "0"), unsaid)), [""; 0]);
    let unreadable = review(("0", "some", "0"), "<blocking_issues/>");
    assert_eq!(
        pipeline().found(&unreadable),
        [format!("error pipeline/{REQUESTED}/important_count-type 9:20")]
    );
    let prose = review(("0", "0", "0"), "<blocking_issues>the build is red</blocking_issues>");
    assert_eq!(pipeline().found(&prose), [format!("error pipeline/{REQUESTED}/blocking_issues-type 11:20")]);
    let bare = BASE.replace("<data>", "<review_status>changes_requested</review_status><data>");
    assert_eq!(pipeline().found(&bare), ["warning pipeline/nothing-to-change 9:18"]);
}

#[test]
fn a_merge_names_its_commit() {
    // proves L-04
    let sha = "<merge_sha>abc123def456</merge_sha>";
    let found: &[&str] = &["warning pipeline/merged-without-sha 7:17"];
    check_rows(&[
        (MERGED, sha, "<merge_sha></merge_sha>", found),
        (MERGED, sha, "<merge_sha/>", found),
        (MERGED, sha, "<merge_sha>  </merge_sha>", found),
        (
            MERGED,
            sha,
            "",
            &["error pipeline/validator-agent-to-closer-agent/merge_sha-missing 1:2", found[0]],
        ),
        (MERGED, sha, "<data><merge_sha>abc123</merge_sha></data>", &[]),
    ]);
    for word in ["failed", "blocked"] {
        let text = with(MERGED, sha, "<merge_sha/>").replace(">merged<", &format!(">{word}<"));
        assert_eq!(pipeline().found(&text), [""; 0], "{word}");
    }
    let bare = BASE.replace("<data>", "<merge_status>merged</merge_status><data>");
    assert_eq!(pipeline().found(&bare), ["warning pipeline/merged-without-sha 9:17"]);
}

#[test]
fn a_failed_validation_names_its_failures() {
    // proves L-04
    let text = example(FAILED);
    let failures = &elements(text)[6].1;
    let found: &[&str] = &["warning pipeline/failed-without-failures 7:22"];
    for empty in
        ["<failures></failures>", "<failures/>", "<failures>\n</failures>", "<failures><failure/></failures>"]
    {
        assert_eq!(pipeline().found(&text.replace(failures, empty)), found, "{empty}");
    }
    let missing = format!("error pipeline/{FAILED}/failures-missing 1:2");
    assert_eq!(pipeline().found(&text.replace(failures, "")), [&*missing, found[0]]);
    let passed = text.replace(failures, "<failures/>").replace(">failed<", ">passed<");
    assert_eq!(pipeline().found(&passed), [""; 0]);
    let inside = text.replace(failures, &format!("<data>{failures}</data>"));
    assert_eq!(pipeline().found(&inside), [""; 0]);
    let prose = text.replace(failures, "<failures>two tests</failures>");
    assert_eq!(pipeline().found(&prose), [format!("error pipeline/{FAILED}/failures-type 8:11")]);
}

#[test]
fn a_choice_of_words_is_a_template_in_prose_only() {
    // proves A-01, L-02
    let template = with("issue-manager-to-prep-agent", ">feature<", ">feature|bug|chore<");
    let expected = ["error pipeline/issue-manager-to-prep-agent/type-enum 7:9"];
    assert_eq!(pipeline().found(&template), expected, "a file is meant");
    let prose = format!("# Protocol\n\n```xml\n{template}```\n");
    let named = Text { path: Some("PROTOCOL.md"), ..Text::default() };
    assert_eq!(named.found(&prose), ["info document/template 10:9"]);
    let base = BASE.replace(">success<", ">success|failure|blocked<");
    let prose = format!("# Protocol\n\n```xml\n{base}```\n\n```xml\n{}```\n", example(FAILED));
    let failed = prose.replace(">failed<", ">lost<");
    assert_eq!(named.found(&prose), ["info document/template 10:11"], "the other block is no template");
    let line = failed[..failed.find(">lost<").unwrap()].lines().count();
    let expected = format!("error pipeline/{FAILED}/validation_status-enum {line}:22");
    assert_eq!(named.found(&failed), ["info document/template 10:11", &expected], "and is checked");
}

#[test]
fn seed_like_prose_has_no_error() {
    // proves L-02, A-16
    let prose: String = EXAMPLES.iter().fold("# Protocol\n".to_owned(), |prose, example| {
        format!("{prose}\n## {}\n\n```xml\n{}```\n", example.kind, example.text)
    });
    let named = Text { path: Some("PROTOCOL.md"), ..pipeline() };
    let findings = named.findings(&prose);
    assert!(errors(&findings).is_empty(), "{findings:?}");
    let wrong = prose.replace("<pr_number>456</pr_number>", "<pr_number>none</pr_number>");
    assert_eq!(errors(&named.findings(&wrong)).len(), 7, "every block is read");
}
