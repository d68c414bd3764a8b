//! The figures of runs.

use baton_document::tokens::count;
use baton_engine::history::metrics::Measure;
use baton_engine::history::metrics::metrics;
use baton_engine::records::entry::history;
use baton_kernel::{Plan, StepId};

use super::issue::{self, HOUR};
use super::{ARTICLE, NOW, again, article, envelope, order};
use crate::stories::Office;

// proves L-08: cycle time, review iterations, commits, tests, coverage and actions are computed from the ledger.
#[test]
fn what_an_issue_came_to_is_computed_from_its_handoffs() {
    let office = issue::run("run", |_, _, _| {});
    let history = history(&office.ledger, "run").expect("the run is there");
    let metrics = metrics(office.checker, &history, Measure::default()).expect("it can be told");
    assert_eq!(metrics.cycle_time, "2 days 4 hours");
    assert_eq!(metrics.work.review_iterations, 2);
    assert_eq!(metrics.work.total_commits, 5, "two that are listed, three that are counted");
    assert_eq!(metrics.work.tests_added, 24, "who passes a figure on adds nothing");
    assert_eq!(metrics.work.coverage.as_deref(), Some("94%"), "the one that was said last");
    assert_eq!(
        metrics.work.actions_taken,
        ["Pull request merged as abc999 (squash)", "Issue closed", "Branch deleted"]
    );
    let names: Vec<_> =
        metrics.handoffs.iter().map(|handoff| (handoff.from.as_str(), handoff.to.as_deref())).collect();
    assert_eq!(names[3], ("reviewer-agent", Some("fixer-agent")));
    assert_eq!(names[7], ("closer-agent", None));
    let first = &metrics.handoffs[0];
    assert_eq!((first.handoff.as_str(), first.step.as_str()), ("run/1", "create"));
    assert_eq!((first.elapsed_ms, first.attempts), (13 * HOUR / 2, 1));
    assert_eq!(first.dialect.as_deref(), Some("pipeline"));
    assert_eq!(
        (first.started.as_str(), first.answered.as_str()),
        ("1970-01-01T00:16:40Z", "1970-01-01T06:46:40Z")
    );
    let json = serde_json::to_value(&metrics).expect("it is data");
    assert_eq!(json["review_iterations"], 2);
    assert_eq!(json["handoffs"][3]["to"], "fixer-agent");
}

fn response(phase: &str, summary: &str, tokens: u64) -> String {
    format!(
        r#"{{"task_id":"t-1","phase":"{phase}","status":"complete","decision":"PROCEED","findings":{},"context_summary":"{summary}","tokens_used":{tokens},"issues":[]}}"#,
        match phase {
            "research" =>
                r#"{"existing_implementations":[],"conflicts":[],"patterns_found":[],"recommendations":["Extend src/lib/auth.ts and keep the routers as they are."]}"#,
            "write" =>
                r#"{"files_created":[{"path":"src/auth.ts","purpose":"JWT"}],"files_modified":[],"tests_written":[],"implementation_notes":[]}"#,
            _ =>
                r#"{"checks":{"types":{"passed":true,"errors":[],"warnings":[]}},"overall_passed":true,"blocking_issues":[],"warnings":[]}"#,
        }
    )
}

// proves X-11: input and output are counted on the texts, claims are told beside them, and what summaries saved is said.
#[test]
fn tokens_are_counted_by_step_against_its_budget() {
    let agents = [("finder", "exchange"), ("writer", "exchange"), ("tester", "exchange")];
    let office = Office::new(baton_courier::Kind::Neither, &agents);
    let mut plan = Plan::named("feature");
    let ids = agents.map(|(name, _)| plan.agent(name));
    let steps = [("research", ids[0]), ("write", ids[1]), ("validate", ids[2])];
    let steps = steps.map(|(name, agent)| plan.pass(name, agent));
    plan.then(steps[0], steps[1]).then(steps[1], steps[2]);
    let mut engine = office.engine("one");
    engine.start(order("run", plan.build().expect("it holds together")), NOW).expect("it starts");
    let summaries = ["Auth is at src/lib/auth.ts.", "Wrote src/auth.ts with JWT.", "All checks pass."];
    let phases = ["research", "write", "validate"];
    let texts: Vec<String> =
        phases.iter().zip(summaries).map(|(phase, summary)| response(phase, summary, 700)).collect();
    for text in &texts {
        office.desk.answer(text);
        engine.turn(NOW).expect("the ledger works");
    }
    let tokens = |text: &str| count(text) as u64;
    let history = history(&office.ledger, "run").expect("the run is there");
    let measure =
        Measure { budgets: &[(steps[1], 10), (StepId(2), 100_000)], summarised: &[steps[1], steps[2]] };
    let told = metrics(office.checker, &history, measure).expect("it can be told");
    assert_eq!(told.handoffs[0].input_tokens, tokens("limit the loans"));
    assert_eq!(told.handoffs[0].output_tokens, tokens(&texts[0]));
    assert_eq!(told.handoffs[1].input_tokens, tokens(summaries[0]), "only the summary is passed");
    assert_eq!(told.handoffs[1].tokens_used, Some(700));
    assert_eq!(told.tokens_used, Some(2_100), "as claimed, and not added to what was counted");
    let write = &told.steps[1];
    assert_eq!((write.step.as_str(), write.budget), ("write", Some(10)));
    assert_eq!(write.over, write.input_tokens + write.output_tokens - 10);
    assert_eq!(told.steps[2].over, 0);
    // The writer would have got one handoff in full, the tester two.
    let raw = tokens("limit the loans") + 2 * tokens(&texts[0]) + tokens(&texts[1]);
    let passed = tokens("limit the loans") + tokens(summaries[0]) + tokens(summaries[1]);
    assert_eq!((told.saved.raw, told.saved.passed, told.saved.tokens), (raw, passed, raw - passed));
    let whole = metrics(office.checker, &history, Measure::default()).expect("it can be told");
    assert_eq!(whole.saved, told.saved, "a request has no more than the summary in any case");
}

#[test]
fn the_rounds_of_a_critic_are_counted_and_branches_count_for_their_step() {
    let office = Office::new(baton_courier::Kind::Neither, &ARTICLE);
    let mut engine = office.engine("one");
    engine.start(order("run", article()), NOW).expect("it starts");
    let rounds = [
        envelope("writer", "Limited loans."),
        again("The limit is unchecked."),
        envelope("writer", "Checked it."),
    ];
    for text in rounds.iter().chain([&envelope("critic", "Looked at src/loans.py.")]) {
        office.desk.answer(text);
        engine.turn(NOW).expect("the ledger works");
    }
    let history = history(&office.ledger, "run").expect("the run is there");
    let told = metrics(office.checker, &history, Measure::default()).expect("it can be told");
    assert_eq!(told.work.review_iterations, 2);
    assert_eq!(told.steps[0].handoffs, 4);
    assert_eq!(told.ended, None);
    assert_eq!(told.handoffs[1].input_tokens, count(&rounds[0]) as u64, "all of it is passed");
    let measure = Measure { budgets: &[], summarised: &[StepId(0)] };
    let short = metrics(office.checker, &history, measure).expect("it can be told");
    assert_eq!(short.handoffs[1].input_tokens, count("Limited loans. Nothing else.") as u64);
    // proves X-11: the budget of a parallel step is that of all its branches.
    let mut plan = Plan::named("checks");
    let agents = ["writer", "critic"].map(|name| plan.agent(name));
    let branches = [plan.pass("types", agents[0]), plan.pass("lint", agents[1])];
    let checks = plan.parallel("checks", &branches, baton_kernel::Join::AllComplete);
    plan.start(checks);
    engine.start(order("two", plan.build().expect("it holds together")), NOW).expect("it starts");
    drop(office.desk.next());
    for name in ["writer", "critic"] {
        office.desk.answer(&envelope(name, "Checked src/loans.py."));
    }
    engine.turn(NOW).expect("the ledger works");
    let history = baton_engine::records::entry::history(&office.ledger, "two").expect("the run is there");
    let measure = Measure { budgets: &[(checks, 5)], summarised: &[] };
    let told = metrics(office.checker, &history, measure).expect("it can be told");
    let [types, lint, checks] = &told.steps[..] else { panic!("three steps") };
    assert_eq!(checks.handoffs, 2);
    assert_eq!(checks.output_tokens, types.output_tokens + lint.output_tokens);
    assert_eq!(checks.over, checks.input_tokens + checks.output_tokens - 5);
}
