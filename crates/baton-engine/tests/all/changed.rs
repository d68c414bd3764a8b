//! Going on with changed files: a recorded choice of a person, in one append, or none at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use baton_courier::{Inbox, Kind};
use baton_document::flow::Flow;
use baton_engine::error::{Problem, Refused};
use baton_engine::history::gate_integrity::exposed;
use baton_engine::history::views::{runs, show};
use baton_engine::project::agents::{Agents, Setup};
use baton_engine::project::plan::compile;
use baton_engine::records::entry::{Pinned, history, pinned};
use baton_engine::records::mailbox::RunRequest;
use baton_engine::run::environment::Environment;
use baton_engine::run::{Change, NewRun};
use baton_engine::sandbox::Runs;
use baton_engine::service::post::post;
use baton_kernel::{
    By, Choice, Ending, Event, GateAnswer, How, Millis, OwedGate, Plan, Reason, Refusal, What,
};
use baton_ledger::{Call, Failing, Memory, Syncing};

use crate::stories::{CHECKER, LATER, NOW, Office, ROOT, envelope};

const PATH: &str = "flows/article.yaml";
const OLD: &str = "flow: article
agents:
  ada: {dialect: envelope, inbox: true}
  ben: {dialect: package, inbox: true}
steps:
  - work: {agent: ada, task: The old task}
  - look: {gate: blocking}
  - publish: {agent: ben, task: The old words}
";
/// Another agent and another step come first, so that all have other numbers.
const NEW: &str = "flow: article
agents:
  zoe: {dialect: envelope, inbox: true}
  ben: {dialect: package, inbox: true}
  ada: {dialect: envelope, inbox: true}
steps:
  - plan: zoe
  - work: {agent: ada, task: The new task}
  - look: {gate: blocking}
  - publish: {agent: ben, task: The new words}
  - praise: zoe
";

fn plan(flow: &str) -> Plan {
    compile(&Flow::read(flow).0.expect("it is a flow")).expect("it holds together")
}

fn files(flow: &str) -> Vec<(String, Vec<u8>)> {
    vec![(PATH.to_owned(), flow.as_bytes().to_vec()), ("dialects/x.yaml".to_owned(), b"dialect: x".to_vec())]
}

fn office_of(kind: Kind, ledger: Memory) -> Office {
    let agents = [("ada", "envelope"), ("ben", "package"), ("zoe", "envelope")];
    let office = Office { ledger, ..Office::new(kind, &agents) };
    let (flow, files) = (Some(PATH.to_owned()), files(OLD));
    let mut order = NewRun { files, flow, ..NewRun::new("run", plan(OLD), "{\"subject\": \"loans\"}") };
    order.files.push(("prompts/gone.md".to_owned(), b"Be brief.".to_vec()));
    office.engine("one").start(order, NOW).expect("it starts");
    office
}

fn office(kind: Kind) -> Office {
    office_of(kind, Memory::new())
}

fn change(flow: &str) -> Change {
    let (plan, files, by) = (plan(flow), files(flow), "nora".to_owned());
    Change { plan, files, flow: PATH.to_owned(), by }
}

/// The environment of a run with these files: from the new flow on its agents are reached otherwise.
fn reached(office: &Office, files: &[Pinned], now: &Agents) -> Environment {
    let is_new = files.iter().any(|file| file.bytes == NEW.as_bytes());
    let agents = if is_new { now } else { &office.agents };
    Environment::new(Arc::clone(&CHECKER), agents.clone())
}

/// A later time, after every lease that was taken until then.
fn after(turns: u64) -> Millis {
    Millis(LATER.0 + turns * 100_000)
}

fn refusal<T: std::fmt::Debug>(result: Result<T, Problem>) -> Refusal {
    match result {
        Err(Problem::Refused(Refused::Run(refusal))) => refusal,
        other => panic!("{other:?}"),
    }
}

fn prompt(delivery: &baton_courier::Delivery) -> &str {
    delivery.prompt.as_deref().unwrap_or_default()
}

// proves S-04: a run goes by what it has pinned, and going on with changed files is a recorded choice.
#[test]
fn a_run_goes_on_with_changed_files_from_where_it_is() {
    let office = office(Kind::Idempotent);
    assert!(prompt(&office.desk.next().0).contains("The old task"));
    let mut engine = office.engine("two");
    engine.change("run", change(NEW), LATER).expect("nora may");
    // It names its step, which has another number now.
    let answer = envelope("Limited loans.").replace("\"step_id\":\"s\"", "\"step_id\":\"work\"");
    let again = office.desk.answer(&answer);
    assert_eq!((again.receiver.as_str(), again.attempt), ("ada", 2));
    assert!(prompt(&again).contains("The new task"), "{}", prompt(&again));
    let now: Vec<_> = pinned(&office.ledger, "run").expect("it is there");
    let now: Vec<_> = now.into_iter().map(|file| (file.path, file.is_flow, file.bytes)).collect();
    let flow = (PATH.to_owned(), true, NEW.as_bytes().to_vec());
    assert_eq!(now, [flow, ("dialects/x.yaml".to_owned(), false, b"dialect: x".to_vec())]);
    engine.turn(LATER).expect("the ledger works");
    drop(engine);

    // Whoever comes next knows the same.
    let mut engine = office.engine("three");
    let view = show(&office.ledger, "run", after(1)).expect("it is there");
    let OwedGate { gate, shown, .. } = view.pending.gates[0];
    let shown = shown.expect("it shows the work");
    let answer =
        What::AnswerGate { gate, answer: GateAnswer::Approve, shown, by: By::Person("nora".to_owned()) };
    engine.tell("run", answer, None, after(1)).expect("it is open");
    let given = office.desk.answer(&envelope("Published."));
    assert_eq!(given.receiver, "ben");
    assert!(prompt(&given).contains("The new words"), "{}", prompt(&given));
    let handoff = String::from_utf8(given.handoff).expect("it is text");
    assert!(handoff.contains("Limited loans") && handoff.contains("work"), "{handoff}");
    assert!(!handoff.contains("from: zoe") && !handoff.contains("plan"), "who and where stay: {handoff}");
    let changed = |event: &&Event| matches!(event, Event::PlanChanged { by, .. } if by == "nora");
    assert_eq!(office.events().iter().filter(changed).count(), 1);
}

#[test]
fn whoever_comes_back_from_a_detour_is_told_from_where_when_the_plan_has_changed() {
    let flow = |before: &str| {
        format!(
            "flow: article\nagents:\n  ada: {{dialect: envelope, inbox: true}}\n  zoe: {{dialect: envelope, inbox: true}}\nsteps:\n\
             {before}  - work: {{agent: ada, detours: {{mend: mend}}}}\n  - done: {{end: done}}\n  - mend: zoe\n"
        )
    };
    let (old, new) = (flow(""), flow("  - plan: zoe\n"));
    let office = Office::new(Kind::Idempotent, &[("ada", "envelope"), ("zoe", "envelope")]);
    let order =
        NewRun { files: files(&old), flow: Some(PATH.to_owned()), ..NewRun::new("run", plan(&old), "x") };
    let mut engine = office.engine("one");
    engine.start(order, NOW).expect("it starts");
    office.desk.answer(&envelope("Limited loans.").replace("CONTINUE", "DETOUR"));
    engine.turn(NOW).expect("the ledger works");
    assert_eq!(office.desk.next().0.receiver, "zoe");
    drop(engine);
    let mut engine = office.engine("two");
    engine.change("run", change(&new), LATER).expect("nora may");
    assert_eq!(office.desk.answer(&envelope("Mended the loans.")).receiver, "zoe");
    engine.turn(LATER).expect("the ledger works");
    let back = office.desk.next().0;
    assert_eq!(back.receiver, "ada");
    assert!(prompt(&back).contains("`mend`"), "{}", prompt(&back));
}

#[test]
fn what_cannot_go_on_with_the_changed_files_is_left_as_it_was() {
    let office = office(Kind::Idempotent);
    office.desk.forget();
    let before = history(&office.ledger, "run").expect("it is there").len();
    let without = NEW.replace("work: {agent: ada, task: The new task}", "write: ada");
    let mut engine = office.engine("two");
    let refused = refusal(engine.change("run", change(&without), LATER));
    assert_eq!(refused, Refusal::PlanLacks { name: "work".to_owned() });
    assert_eq!(engine.held().count(), 0);
    let no_run = engine.change("nothing", change(NEW), LATER);
    assert!(matches!(no_run, Err(Problem::Refused(Refused::NoRun { .. }))));
    assert_eq!(history(&office.ledger, "run").expect("it is there").len(), before);
    assert_eq!(office.desk.count(), 0, "nobody was called");
    // Nobody must wait for its lease.
    office.engine("three").tell("run", What::Tick, None, LATER).expect("nobody has it");
    assert!(prompt(&office.desk.next().0).contains("The old task"));
}

#[test]
fn a_change_is_recorded_with_its_files_at_once_or_not_at_all() {
    let count = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&count);
    let hook = move |call: Call<'_>| {
        let Call::Append(batch) = call else { return None };
        let kinds: Vec<&str> =
            batch.iter().flat_map(|append| &append.events).map(|event| event.kind.as_str()).collect();
        if !kinds.contains(&"plan_changed") {
            return None;
        }
        assert_eq!(kinds.iter().filter(|kind| **kind == "file_pinned").count(), 2, "{kinds:?}");
        (seen.fetch_add(1, Ordering::Relaxed) == 0).then_some(Failing::Before)
    };
    let office = office_of(Kind::Idempotent, Memory::with_faults(Syncing::Each, hook));
    office.desk.forget();
    let failed = office.engine("two").change("run", change(NEW), LATER);
    assert!(matches!(failed, Err(Problem::Failed(_))));
    assert_eq!(office.desk.count(), 0, "nothing happens that is not recorded");
    assert_eq!(pinned(&office.ledger, "run").expect("it is there")[0].bytes, OLD.as_bytes());
    office.engine("three").change("run", change(NEW), after(1)).expect("it works again");
    assert_eq!(count.load(Ordering::Relaxed), 2);
    assert_eq!(pinned(&office.ledger, "run").expect("it is there")[0].bytes, NEW.as_bytes());
}

#[test]
fn a_step_that_was_chosen_before_is_found_in_the_changed_plan() {
    let office = office(Kind::Neither);
    // Nobody knows how far it came, and nora is asked.
    office.engine("two").tell("run", What::Tick, None, LATER).expect("nobody has it");
    let view = show(&office.ledger, "run", after(1)).expect("it is there");
    let ask = view.pending.questions[0].ask;
    let publish = view.state.plan().step_named("publish").expect("it is there");
    assert_ne!(plan(NEW).step_named("publish"), Some(publish));
    let wish = RunRequest::AnswerPerson {
        ask,
        choice: Choice::Go(publish),
        by: "nora".to_owned(),
        more: None,
        step: None,
    };
    post(&office.ledger, ROOT.as_ref(), "run", &wish, None, after(1)).expect("nora may");
    office.desk.forget();
    office.engine("four").change("run", change(NEW), after(2)).expect("nora may");
    let given = office.desk.next().0;
    assert_eq!(given.receiver, "ben");
    assert!(prompt(&given).contains("The new words"), "{}", prompt(&given));
}

#[test]
fn what_was_handed_in_before_is_taken_as_the_changed_files_say() {
    let office = office(Kind::Neither);
    post(&office.ledger, ROOT.as_ref(), "run", &RunRequest::Cancel { by: "nora".to_owned() }, None, NOW)
        .expect("it may be");
    office.engine("two").change("run", change(NEW), LATER).expect("it goes on, and ends");
    let view = show(&office.ledger, "run", LATER).expect("it is there");
    assert_eq!(view.state.ending(), Some(&Ending::Cancelled("nora".to_owned())));
    let refused = refusal(office.engine("three").change("run", change(NEW), after(1)));
    assert_eq!(refused, Refusal::Ended);
}

#[test]
fn work_that_another_kind_of_courier_began_is_not_begun_again_by_itself() {
    // proves S-04
    let office = office(Kind::Neither);
    let agents = [("ada", "envelope"), ("ben", "package"), ("zoe", "envelope")];
    let Office { agents, desk, .. } = Office::new(Kind::Idempotent, &agents);
    let mut engine = office.engine_by("two", |files| reached(&office, files, &agents));
    engine.change("run", change(NEW), LATER).expect("nora may");
    drop(engine);
    let view = show(&office.ledger, "run", LATER).expect("it is there");
    assert_eq!(view.pending.questions[0].reason, Reason::MayHaveBegun);
    assert_eq!(desk.count(), 0);
    let started = office
        .events()
        .into_iter()
        .filter(|event| matches!(event, Event::DeliveryStarted { how, .. } if *how != How::First));
    assert_eq!(started.count(), 0);
}

#[test]
fn an_agent_that_has_an_inbox_now_finds_its_work_there() {
    let office = office(Kind::Neither);
    let mut agents = Agents::default();
    for name in ["ada", "ben", "zoe"] {
        agents.add(name, Setup::new(Arc::new(Inbox), "envelope"));
    }
    let mut engine = office.engine_by("two", |files| reached(&office, files, &agents));
    engine.change("run", change(NEW), LATER).expect("nora may");
    drop(engine);
    assert_eq!(runs(&office.ledger, &["inbox:ada"], None, 10).expect("it can be read").len(), 1);
}

#[test]
fn who_ran_without_a_wall_is_known_by_name_when_the_plan_changes() {
    // proves P-12
    let mut office = office(Kind::Neither);
    for name in ["ada", "ben", "zoe"] {
        let mut setup = Setup::new(Arc::new(office.desk.clone()), "envelope");
        setup.runs = Runs::Open;
        office.agents.add(name, setup);
    }
    let mut engine = office.engine("two");
    engine.tell("run", What::Tick, None, LATER).expect("nobody has it");
    let known = |now| exposed(&office.ledger, "run", now).expect("it can be read");
    assert_eq!(known(LATER), ["ada"]);
    drop(engine);
    // The question stays at its step, and its agent is another one.
    office.engine("three").change("run", change(NEW), after(1)).expect("nora may");
    assert_eq!(known(after(1)), ["ada"]);
}
