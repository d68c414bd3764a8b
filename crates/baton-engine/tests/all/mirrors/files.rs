//! What is in the files of each system.

use baton_courier::{Kind, What as Says};
use baton_engine::mirror::Keeps;
use baton_engine::records::entry::history;
use baton_kernel::{By, GateAnswer, GateKind, Plan, What};

use super::issue;
use super::{ARTICLE, Folder, NOW, again, article, envelope, order};
use crate::stories::Office;

const FLOW: &str = ".runs/run/article/handoffs";

// proves E-05: placement, drafts, earlier rounds; the file name agrees with what is inside.
#[test]
fn envelopes_lie_where_their_system_looks_for_them() {
    let folder = Folder::new(&[Keeps::Envelope]);
    let office = Office::new(Kind::Neither, &ARTICLE);
    let mut engine = office.engine("one");
    engine.start(order("run", article()), NOW).expect("it starts");
    folder.keep_run(&office);
    assert!(folder.names().is_empty(), "nobody has written anything");
    let (delivery, reports) = office.desk.next();
    let draft = r#"{"summary":{"what_i_did":"Half of it."}}"#;
    let says = |what| {
        let report = baton_courier::Report { key: delivery.key.clone(), attempt: delivery.attempt, what };
        reports.send(report).expect("the engine listens");
    };
    says(Says::Draft(draft.as_bytes().to_vec()));
    engine.turn(NOW).expect("the ledger works");
    folder.keep_run(&office);
    assert_eq!(folder.names(), [format!("{FLOW}/polish-writer.draft.json")]);
    assert_eq!(folder.read(&format!("{FLOW}/polish-writer.draft.json")), draft);
    // Its agent calls itself otherwise; where it lies is what the flow says.
    says(Says::Answer(envelope("somebody", "Limited loans.").into_bytes()));
    engine.turn(NOW).expect("the ledger works");
    folder.keep_run(&office);
    assert_eq!(folder.names(), [format!("{FLOW}/polish-writer.json")], "the draft is replaced");
    for text in [again("The limit is unchecked."), envelope("writer", "Checked the limit.")] {
        office.desk.answer(&text);
        engine.turn(NOW).expect("the ledger works");
        folder.keep_run(&office);
    }
    let names = ["polish-critic.json", "polish-writer.json", "polish-writer.r1.json"];
    assert_eq!(folder.names(), names.map(|name| format!("{FLOW}/{name}")));
    assert!(folder.read(&format!("{FLOW}/polish-writer.r1.json")).contains("Limited loans."));
    assert!(folder.read(&format!("{FLOW}/polish-writer.json")).contains("Checked the limit."));
    assert!(folder.read(&format!("{FLOW}/polish-writer.json")).contains("x-extra"), "nothing is left out");
    for name in folder.names() {
        let (errors, kinds) = folder.errors(office.checker, &name);
        assert_eq!((errors, kinds), (vec![], vec!["envelope/envelope".to_owned()]), "{name}");
    }
    // What another dialect says is kept as an envelope too.
    office.desk.answer(&envelope("critic", "Looked at src/loans.py."));
    engine.turn(NOW).expect("the ledger works");
    let answer = r#"{"task_id":"t","phase":"write","status":"complete","decision":"PROCEED","findings":{"files_created":[],"files_modified":[],"tests_written":[],"implementation_notes":[]},"context_summary":"Filed under loans."}"#;
    office.desk.answer(answer);
    engine.turn(NOW).expect("the ledger works");
    let kept = folder.keep_run(&office);
    assert_eq!(kept.conflicts, []);
    let filed = folder.read(&format!("{FLOW}/file-clerk.json"));
    assert!(filed.contains("Filed under loans."), "{filed}");
    let (errors, kinds) = folder.errors(office.checker, &format!("{FLOW}/file-clerk.json"));
    assert_eq!((errors, kinds), (vec![], vec!["envelope/envelope".to_owned()]));
}

#[test]
fn envelopes_lie_below_the_folder_that_is_set() {
    // proves E-05
    let mut folder = Folder::new(&[Keeps::Envelope]);
    folder.run_base = "work/{run}/out/".to_owned();
    let office = Office::new(Kind::Neither, &ARTICLE);
    let mut engine = office.engine("one");
    engine.start(order("run", article()), NOW).expect("it starts");
    office.desk.answer(&envelope("writer", "Limited loans."));
    engine.turn(NOW).expect("the ledger works");
    folder.keep_run(&office);
    assert_eq!(folder.names(), ["work/run/out/article/handoffs/polish-writer.json"]);
    folder.run_base = "work/{team}/{run}".to_owned();
    let kept = folder.keep_run(&office);
    assert_eq!(kept.written, Vec::<String>::new());
    assert!(kept.conflicts[0].why.contains("only `{run}` can be filled in"), "{kept:?}");
    assert_eq!(folder.keep_run(&office).conflicts, [], "what lasts is said once");
}

fn package(id: Option<&str>, from: &str, to: &str, summary: &str) -> String {
    let id = id.map_or_else(String::new, |id| format!("  id: {id}\n"));
    format!(
        "handoff:\n{id}  from:\n    agent: {from}\n    step: 1\n  to:\n    agent: {to}\n    reason: \"Suite\"\n  context:\n    summary: \"{summary}\"\n  workflow_state:\n    name: autre\n    current_step: 9\n    completed_steps: [deploy]\n    remaining_steps: [deploy]\n  note: gardée\n"
    )
}

/// A specification, a gate, a design and a test.
fn project() -> Plan {
    let mut plan = Plan::named("web-project");
    let agents = ["spec", "arch", "test"].map(|name| plan.agent(name));
    let specify = plan.pass("specify", agents[0]);
    let accept = plan.gate("accept", GateKind::Blocking);
    let design = plan.pass("design", agents[1]);
    let check = plan.pass("check", agents[2]);
    plan.then(specify, accept).then(accept, design).then(design, check);
    plan.build().expect("the plan holds together")
}

const PROJECT: [(&str, &str); 3] = [("spec", "package"), ("arch", "package"), ("test", "package")];

fn statuses(folder: &Folder) -> Vec<(String, String, String, String)> {
    let list: serde_json::Value =
        serde_json::from_str(&folder.read("state/current.json")).expect("it is JSON");
    let rows = list["handoffs"].as_array().expect("it is a list");
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().expect("it is text").to_owned();
    let row = |row: &serde_json::Value| {
        assert!(text(row, "timestamp").starts_with("1970-01-01T00:"), "{row}");
        (text(row, "id"), text(row, "from"), text(row, "to"), text(row, "status"))
    };
    rows.iter().map(row).collect()
}

fn rows(rows: &[(&str, &str, &str, &str)]) -> Vec<(String, String, String, String)> {
    let own = |text: &&str| (*text).to_owned();
    rows.iter().map(|(id, from, to, status)| (own(id), own(from), own(to), own(status))).collect()
}

// proves P-14: every handoff is in the list with its status, over all runs, and archived under its id.
// proves P-13: where the workflow is, is what the engine says, whatever the document said.
#[test]
fn packages_are_listed_and_archived() {
    let folder = Folder::new(&[Keeps::Package]);
    let office = Office::new(Kind::Neither, &PROJECT);
    let mut engine = office.engine("one");
    engine.start(order("run", project()), NOW).expect("it starts");
    office.desk.answer(&package(None, "spec", "arch", "3 epics et 12 user stories définies"));
    engine.turn(NOW).expect("the ledger works");
    folder.keep_run(&office);
    assert_eq!(statuses(&folder), rows(&[("HO-001", "spec", "human", "pending")]));
    let view = baton_engine::history::views::show(&office.ledger, "run", NOW).expect("the run is there");
    let gate = view.pending.gates.first().expect("it is open").clone();
    let (answer, by) = (GateAnswer::Approve, By::Person("nora".to_owned()));
    let shown = gate.shown.expect("it shows the work");
    let approve = What::AnswerGate { gate: gate.gate, answer, shown, by };
    engine.tell("run", approve, None, NOW).expect("a person may");
    folder.keep_run(&office);
    assert_eq!(statuses(&folder), rows(&[("HO-001", "spec", "arch", "pending")]));
    office.desk.answer(&package(Some("ARCH-7"), "arch", "test", "4 services, 12 endpoints"));
    engine.turn(NOW).expect("the ledger works");
    // Another run of the project, in which two handoffs want the same id.
    engine.start(order("two", project()), NOW).expect("it starts");
    folder.keep_run(&office);
    let (delivery, _) = office.desk.next();
    assert_eq!(delivery.receiver, "test");
    office.desk.answer(&package(Some("ARCH-7"), "spec", "arch", "5 epics définis"));
    engine.turn(NOW).expect("the ledger works");
    let kept = folder.keep(&office.ledger, office.checker, "two", NOW);
    assert!(kept.conflicts[0].why.contains("brings the id `ARCH-7`"), "{kept:?}");
    let expected = rows(&[
        ("HO-001", "spec", "arch", "completed"),
        ("ARCH-7", "arch", "test", "pending"),
        ("HO-003", "spec", "human", "pending"),
    ]);
    assert_eq!(statuses(&folder), expected);
    let archive = ".project/07-audit/sessions";
    let archived = [
        format!("{archive}/run/handoffs/ARCH-7.yaml"),
        format!("{archive}/run/handoffs/HO-001.yaml"),
        format!("{archive}/two/handoffs/HO-003.yaml"),
        "state/current.json".to_owned(),
    ];
    assert_eq!(folder.names(), archived);
    for name in &archived[..3] {
        let (errors, kinds) = folder.errors(office.checker, name);
        assert_eq!((errors, kinds), (vec![], vec!["package/sequential".to_owned()]), "{name}");
    }
    let design = folder.read(&archived[0]);
    let state = "  workflow_state:\n    name: web-project\n    current_step: design\n    completed_steps:\n      - specify\n      - accept\n    remaining_steps:\n      - check\n";
    assert!(design.ends_with(state), "{design}");
    assert!(design.starts_with("handoff:\n  id: ARCH-7\n"), "{design}");
    assert!(design.contains("note: gardée"), "{design}");
    // What is known of other runs can be lost: the ledger has it.
    std::fs::remove_dir_all(folder.path().join(".baton")).expect("it is there");
    std::fs::remove_file(folder.path().join("state/current.json")).expect("it is there");
    folder.keep(&office.ledger, office.checker, "two", NOW);
    assert_eq!(statuses(&folder), expected);
}

// proves P-14: what nobody answered in a run that is cancelled is no longer wanted, and keeps its receiver.
#[test]
fn a_package_of_a_cancelled_run_is_awaited_no_more() {
    let cancel = || What::Cancel { by: By::Person("nora".to_owned()) };
    for is_approved in [false, true] {
        let folder = Folder::new(&[Keeps::Package]);
        let office = Office::new(Kind::Neither, &PROJECT);
        let mut engine = office.engine("one");
        engine.start(order("run", project()), NOW).expect("it starts");
        office.desk.answer(&package(None, "spec", "arch", "3 epics et 12 user stories définies"));
        engine.turn(NOW).expect("the ledger works");
        let view = baton_engine::history::views::show(&office.ledger, "run", NOW).expect("the run is there");
        let gate = view.pending.gates.first().expect("it is open").clone();
        let shown = gate.shown.expect("it shows the work");
        let (answer, by) = (GateAnswer::Approve, By::Person("nora".to_owned()));
        if is_approved {
            let approve = What::AnswerGate { gate: gate.gate, answer, shown, by };
            engine.tell("run", approve, None, NOW).expect("a person may");
        }
        // Whoever cancels it does not drive it, and finds work that may have begun.
        let later = NOW.after(600_000);
        office.engine("two").tell("run", cancel(), None, later).expect("a person may");
        folder.keep(&office.ledger, office.checker, "run", later);
        let to = if is_approved { "arch" } else { "human" };
        assert_eq!(statuses(&folder), rows(&[("HO-001", "spec", to, "failed")]));
    }
}

// proves L-11: the state file of an issue, at every stage.
// proves L-08: the end of the workflow is written, and is valid.
#[test]
fn an_issue_is_followed_through_its_states() {
    let folder = Folder::new(&[Keeps::Pipeline]);
    let mut states = Vec::new();
    let office = issue::run("run", |office, _, now| {
        folder.keep(&office.ledger, office.checker, "run", now);
        if folder.has(".workflow/issue-123.yaml") {
            let text = folder.read(".workflow/issue-123.yaml");
            let line = |key: &str| {
                let key = format!("  {key}: ");
                text.lines().find_map(|line| line.strip_prefix(&key)).unwrap_or_default().to_owned()
            };
            states.push((line("state"), line("current_agent")));
        }
    });
    let expected = [
        ("preparing", "prep-agent"),
        ("implementing", "implementer-agent"),
        ("in_review", "reviewer-agent"),
        ("fixing", "fixer-agent"),
        ("in_review", "reviewer-agent"),
        ("validating", "validator-agent"),
        ("merging", "closer-agent"),
        ("closed", "null"),
    ];
    assert_eq!(states, expected.map(|(state, agent)| (state.to_owned(), agent.to_owned())));
    let state = folder.read(".workflow/issue-123.yaml");
    let head = "workflow:\n  issue: 123\n  state: closed\n  pr: 456\n  branch: feature/issue-123-login\n  workspace: \"../repo-123\"\n  started_at: \"1970-01-01T00:16:40Z\"\n  current_agent: null\n  history:\n    - agent: issue-manager\n      started: \"1970-01-01T00:16:40Z\"\n      completed: \"1970-01-01T06:46:40Z\"\n      status: success\n";
    assert!(state.starts_with(head), "{state}");
    let metrics = "  metrics:\n    review_iterations: 2\n    total_commits: 5\n    tests_added: 24\n";
    assert!(state.ends_with(metrics), "{state}");
    let complete = ".workflow/issue-123-complete.xml";
    assert_eq!(folder.names(), [complete, ".workflow/issue-123.yaml"]);
    let (errors, kinds) = folder.errors(office.checker, complete);
    assert_eq!((errors, kinds), (vec![], vec!["pipeline/complete".to_owned()]));
    let text = folder.read(complete);
    assert!(text.contains("<cycle_time>2 days 4 hours</cycle_time>"), "{text}");
    assert!(text.contains("<action>Branch deleted</action>"), "{text}");
    assert!(text.contains("<summary>Login implemented with JWT tokens</summary>"), "{text}");
}

#[test]
fn the_states_of_an_issue_can_be_named_otherwise() {
    let folder = Folder::new(&[Keeps::Pipeline]);
    let own = [("fixer-agent".to_owned(), "mending".to_owned())];
    let mut seen = String::new();
    issue::run("run", |office, at, now| {
        let keeping = folder.keeping(office.checker);
        let keeping = baton_engine::mirror::Keeping { states: &own, ..keeping };
        baton_engine::mirror::keep(&office.ledger, "run", &keeping, now).expect("it can be kept");
        if at == 4 {
            seen = folder.read(".workflow/issue-123.yaml");
        }
    });
    assert!(seen.contains("state: mending"), "{seen}");
}

fn manifest(number: u8, from: &str, to: &str) -> String {
    format!(
        "version: 1\nsource_file: discussion/00{number}-{from}-response.md\ngenerated_at: \"2026-02-09\"\nfrom: {from}\nto: {to}\nfiles_changed:\n  - src/loans.py\nstatus: pending\n"
    )
}

// proves M-18: the file is replaced with each handoff, and every one of them is in the ledger.
#[test]
fn the_manifest_is_that_of_the_latest_handoff() {
    let folder = Folder::new(&[Keeps::Manifest]);
    let office = Office::new(Kind::Neither, &[("codex", "manifest"), ("claude", "manifest")]);
    let mut plan = Plan::named("relay");
    let (codex, claude) = (plan.agent("codex"), plan.agent("claude"));
    let (there, back) = (plan.pass("there", codex), plan.pass("back", claude));
    let again = plan.pass("again", codex);
    plan.then(there, back).then(back, again);
    let mut engine = office.engine("one");
    engine.start(order("run", plan.build().expect("it holds together")), NOW).expect("it starts");
    let line = |key: &str| {
        let text = folder.read("meta/handoff.yaml");
        let key = format!("{key}: ");
        text.lines().find_map(|line| line.strip_prefix(&key)).unwrap_or_default().to_owned()
    };
    let texts = [manifest(1, "codex", "claude"), manifest(2, "claude", "codex")];
    office.desk.answer(&texts[0]);
    engine.turn(NOW).expect("the ledger works");
    folder.keep_run(&office);
    assert_eq!((line("from").as_str(), line("status").as_str()), ("codex", "sent"));
    assert_eq!(
        (line("sent_at").as_str(), line("session_key").as_str()),
        ("\"1970-01-01T00:16:40Z\"", "null")
    );
    assert_eq!(folder.errors(office.checker, "meta/handoff.yaml").0, Vec::<String>::new());
    let (delivery, reports) = office.desk.next();
    let says = |what| {
        let (key, attempt) = (delivery.key.clone(), delivery.attempt);
        reports.send(baton_courier::Report { key, attempt, what }).expect("the engine listens");
    };
    says(Says::Session("agent:main".to_owned()));
    engine.turn(NOW).expect("the ledger works");
    folder.keep_run(&office);
    assert_eq!(line("session_key"), "\"agent:main\"");
    says(Says::Answer(texts[1].clone().into_bytes()));
    engine.turn(NOW).expect("the ledger works");
    folder.keep_run(&office);
    assert_eq!((line("from").as_str(), line("status").as_str()), ("claude", "sent"));
    let failure = baton_courier::Failure::new(baton_courier::Cause::Forbidden, "it may not be started");
    office.desk.says(Says::Failure(failure));
    engine.turn(NOW).expect("the ledger works");
    folder.keep_run(&office);
    assert_eq!((line("status").as_str(), line("sent_at").as_str()), ("failed", "null"));
    let history = history(&office.ledger, "run").expect("the run is there");
    let payloads = history.iter().filter_map(|entry| entry.record.payload.as_ref()?.bytes.clone());
    let payloads: Vec<Vec<u8>> = payloads.collect();
    for text in &texts {
        assert!(payloads.iter().any(|payload| payload == text.as_bytes()), "{text}");
    }
}
