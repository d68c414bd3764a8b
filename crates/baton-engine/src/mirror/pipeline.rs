//! `.workflow/issue-<n>.yaml`, where an issue stands, and `.workflow/issue-<n>-complete.xml`, what it came to.

use baton_document::{Datum, Meaning, Said, xml, yaml};
use baton_kernel::{Ending, Millis};

use super::{MirrorFile, SystemFiles, View, Wanted};
use crate::history::metrics::{Work, in_words, work};
use crate::history::projection::{End, Projection};
use crate::outbound::compose::moment;

/// The state of an issue while an agent works; names are meant with and without `-agent`.
const STATES: [(&str, &str); 7] = [
    ("issue-manager", "created"),
    ("prep", "preparing"),
    ("implementer", "implementing"),
    ("reviewer", "in_review"),
    ("fixer", "fixing"),
    ("validator", "validating"),
    ("closer", "merging"),
];

pub(super) fn files(view: &View<'_>) -> SystemFiles {
    let mut made = SystemFiles::default();
    let Some(issue) = said_last(view, "issue_number").and_then(|issue| issue.parse::<u64>().ok()) else {
        // Nobody has said which issue it is.
        return made;
    };
    let work = work(view.projection, view.sayings);
    let state = state_file(view, issue, &work).into_bytes();
    let path = format!(".workflow/issue-{issue}.yaml");
    made.files.push(MirrorFile { path, wanted: Wanted::Is(state), owner: None });
    if let (Some(ended), Some(Ending::Finished(_))) = (view.projection.ended, view.projection.state.ending())
    {
        let complete = complete(view, issue, &work, ended).into_bytes();
        let path = format!(".workflow/issue-{issue}-complete.xml");
        made.files.push(MirrorFile { path, wanted: Wanted::Is(complete), owner: None });
    }
    made
}

/// What the latest handoff that says something says: fields add up from agent to agent.
fn said_last(view: &View<'_>, path: &str) -> Option<String> {
    let said = |said: &Said| {
        let own = said.document.word_at(path).or_else(|| said.document.word_at(&format!("data.{path}")));
        own.map(str::to_owned)
    };
    view.sayings.iter().rev().flatten().find_map(said)
}

fn state_file(view: &View<'_>, issue: u64, work: &Work) -> String {
    let projection = view.projection;
    let entry = |key: &'static str, value: Datum<'static>| (key.into(), value);
    let text = |text: Option<String>| text.map_or(Datum::Null, Datum::text);
    let number = |number: u64| Datum::Number(number.to_string().into());
    let pr = said_last(view, "pr_number").and_then(|pr| pr.parse().ok()).map_or(Datum::Null, number);
    let history = projection.deliveries.iter().map(|sent| {
        // The last one: an agent that is asked once more after it was given up answers behind what Baton wrote.
        let answer = projection.handoffs.iter().rev().find(|handed| {
            projection.deliveries.get(handed.answers).is_some_and(|answered| answered.key == sent.key)
        });
        let answer = answer.filter(|_| matches!(sent.end, End::Answered | End::Dead));
        let status = match (sent.end, answer) {
            (End::Answered, Some(answer)) => outcome(answer.facts.outcome),
            (End::Dead, _) => "failure",
            (End::Stopped, _) => "skipped",
            (End::Out | End::Failed | End::Questioned | End::Answered, _) => "pending",
        };
        Datum::Map(vec![
            entry("agent", Datum::text(sent.to.clone())),
            entry("started", text(moment(sent.started))),
            entry("completed", text(answer.and_then(|answer| moment(answer.at)))),
            entry("status", Datum::text(status)),
        ])
    });
    let metrics = Datum::Map(vec![
        entry("review_iterations", number(work.review_iterations)),
        entry("total_commits", number(work.total_commits)),
        entry("tests_added", number(work.tests_added)),
    ]);
    let workflow = Datum::Map(vec![
        entry("issue", number(issue)),
        entry("state", Datum::text(state(view))),
        entry("pr", pr),
        entry("branch", text(said_last(view, "branch"))),
        entry("workspace", text(said_last(view, "workspace_path"))),
        entry("started_at", text(moment(projection.began()))),
        entry("current_agent", text(projection.open().last().map(|sent| sent.to.clone()))),
        entry("history", Datum::List(history.collect())),
        entry("metrics", metrics),
    ]);
    yaml(&Datum::Map(vec![("workflow".into(), workflow)]))
}

fn outcome(outcome: baton_kernel::Outcome) -> &'static str {
    use baton_kernel::Outcome;
    match outcome {
        Outcome::Done | Outcome::Concerns | Outcome::Partial => "success",
        Outcome::Blocked => "blocked",
        Outcome::Failed => "failure",
        Outcome::Skipped => "skipped",
        Outcome::Running => "pending",
    }
}

/// The state of the issue: that of the agent who works, or who worked last and has a state.
fn state(view: &View<'_>) -> String {
    let projection = view.projection;
    if matches!(projection.state.ending(), Some(Ending::Finished(_))) {
        return "closed".to_owned();
    }
    let of = |agent: &str| {
        let own = view.keeping.states.iter().find(|(name, _)| name == agent);
        let usual = || {
            let agent = agent.strip_suffix("-agent").unwrap_or(agent);
            STATES.iter().find(|(name, _)| *name == agent).map(|(_, state)| (*state).to_owned())
        };
        own.map(|(_, state)| state.clone()).or_else(usual)
    };
    let open = projection.open().map(|sent| sent.to.as_str());
    let names = projection.deliveries.iter().map(|sent| sent.to.as_str()).chain(open);
    names.filter_map(of).last().unwrap_or_else(|| "created".to_owned())
}

/// The end of the workflow. What nobody said is left out: it cannot be made up.
fn complete(view: &View<'_>, issue: u64, work: &Work, ended: Millis) -> String {
    let projection: &Projection = view.projection;
    let entry = |key: &'static str, text: String| (key.into(), Datum::text(text));
    let mut all = vec![entry("issue_number", issue.to_string())];
    for field in ["issue_url", "pr_number", "pr_url"] {
        all.extend(said_last(view, field).map(|text| entry(field, text)));
    }
    let summary = |said: &Said| said.text(Meaning::Summary).map(str::to_owned);
    let said =
        projection.handoffs.iter().zip(view.sayings).rev().filter(|(handed, _)| handed.given_up.is_none());
    let summary = said.filter_map(|(_, said)| said.as_ref()).find_map(summary);
    let cycle = in_words(ended.0.saturating_sub(projection.began().0));
    all.push(entry("status", "completed".to_owned()));
    all.push(entry("cycle_time", cycle));
    all.extend(summary.map(|text| entry("summary", text)));
    let mut metrics = vec![
        entry("review_iterations", work.review_iterations.to_string()),
        entry("total_commits", work.total_commits.to_string()),
        entry("tests_added", work.tests_added.to_string()),
    ];
    metrics.extend(work.coverage.clone().map(|coverage| entry("coverage", coverage)));
    all.push(("metrics".into(), Datum::Map(metrics)));
    let actions = work.actions_taken.iter().cloned().map(Datum::text).collect();
    all.push(("actions_taken".into(), Datum::Map(vec![("action".into(), Datum::List(actions))])));
    xml("workflow-complete", &Datum::Map(all))
}
