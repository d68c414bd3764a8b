//! An issue that goes through the whole pipeline, with one round of changes.

use baton_kernel::{Millis, Plan};

use super::{NOW, order};
use crate::stories::Office;

const AGENTS: [&str; 7] = [
    "issue-manager",
    "prep-agent",
    "implementer-agent",
    "reviewer-agent",
    "fixer-agent",
    "validator-agent",
    "closer-agent",
];

pub(super) const HOUR: u64 = 3_600_000;

fn plan() -> Plan {
    let mut plan = Plan::named("issue");
    let agents = AGENTS.map(|name| plan.agent(name));
    let names = ["create", "prepare", "implement", "review", "fix", "validate", "close"];
    let mut steps = Vec::new();
    for (name, agent) in names.iter().zip(agents) {
        steps.push(plan.pass(name, agent));
    }
    let [create, prepare, implement, review, fix, validate, close] = steps[..] else { panic!("seven") };
    plan.then(create, prepare).then(prepare, implement).then(implement, review).then(review, validate);
    plan.then(fix, review).then(validate, close).on_decision(review, "changes_requested", fix);
    plan.caps(|caps| caps.time_ms = 1_000 * HOUR);
    plan.build().expect("the plan holds together")
}

fn handoff(from: &str, to: &str, rest: &str) -> String {
    format!("<handoff><from>{from}</from><to>{to}</to>{rest}</handoff>")
}

const PR: &str =
    "<pr_url>https://example.com/pull/456</pr_url><pr_number>456</pr_number><issue_number>123</issue_number>";
const ISSUE: &str = "<issue_url>https://example.com/issues/123</issue_url><issue_number>123</issue_number>";

/// What the agents answer, in order.
pub(super) fn answers() -> Vec<String> {
    let [manager, prep, implementer, reviewer, fixer, validator, closer] = AGENTS;
    vec![
        handoff(
            manager,
            prep,
            &format!(
                "{ISSUE}<issue_title>Add login</issue_title><type>feature</type><priority>high</priority><summary>Created the issue for login</summary><requirements><requirement>Users log in with a password</requirement></requirements>"
            ),
        ),
        handoff(
            prep,
            implementer,
            &format!(
                "{ISSUE}<branch>feature/issue-123-login</branch><workspace_path>../repo-123</workspace_path><workspace_type>worktree</workspace_type><port>3100</port><status>ready</status><validation><dependencies>installed</dependencies><build>passing</build><dev_server>verified</dev_server></validation>"
            ),
        ),
        handoff(
            implementer,
            reviewer,
            &format!(
                "<issue_url>https://example.com/issues/123</issue_url><issue_number>123</issue_number><pr_url>https://example.com/pull/456</pr_url><pr_number>456</pr_number><branch>feature/issue-123-login</branch><summary>Implemented login with JWT tokens</summary><files_changed>12</files_changed><tests_added>24</tests_added><coverage>96%</coverage>{}",
                r#"<commits><commit sha="abc123">feat: add login</commit><commit sha="def456">feat: add tokens</commit></commits>"#
            ),
        ),
        handoff(
            reviewer,
            fixer,
            &format!(
                "{PR}<review_status>changes_requested</review_status><critical_count>1</critical_count><important_count>0</important_count><suggestion_count>0</suggestion_count>{}",
                r#"<blocking_issues><issue location="src/login.ts:42" severity="critical">SQL injection</issue></blocking_issues>"#
            ),
        ),
        // It passes on what the implementer said, and adds its own.
        handoff(
            fixer,
            reviewer,
            &format!(
                "{PR}<status>ready-for-re-review</status><tests_added>24</tests_added><fixes_applied>{}</fixes_applied><commits_added>3</commits_added>",
                r#"<fix location="src/login.ts:42">Parameterized the query</fix>"#
            ),
        ),
        handoff(
            reviewer,
            validator,
            &format!(
                "{PR}<review_status>approved</review_status><critical_count>0</critical_count><important_count>0</important_count><summary>Review passed</summary>"
            ),
        ),
        handoff(
            validator,
            closer,
            &format!(
                "{PR}<merge_status>merged</merge_status><merge_sha>abc999</merge_sha><merge_strategy>squash</merge_strategy><validation_summary><tests>passed (156/156)</tests><coverage>94%</coverage><lint>passed</lint><type_check>passed</type_check><security>no vulnerabilities</security></validation_summary>"
            ),
        ),
        handoff(
            closer,
            "orchestrator",
            "<issue_number>123</issue_number><status>completed</status><summary>Login implemented with JWT tokens</summary><actions_taken><action>Issue closed</action><action>Branch deleted</action></actions_taken>",
        ),
    ]
}

/// Runs the issue; tells when the agent after each answer was asked.
pub(super) fn run(name: &str, mut after_each: impl FnMut(&Office, usize, Millis)) -> Office {
    let agents = AGENTS.map(|name| (name, "pipeline"));
    let office = Office::new(baton_courier::Kind::Neither, &agents);
    let mut engine = office.engine("one");
    let mut now = NOW;
    engine.start(order(name, plan()), now).expect("it starts");
    after_each(&office, 0, now);
    for (at, answer) in answers().iter().enumerate() {
        now = now.after(13 * HOUR / 2);
        office.desk.answer(answer);
        engine.turn(now).expect("the ledger works");
        after_each(&office, at + 1, now);
    }
    drop(engine);
    office
}
