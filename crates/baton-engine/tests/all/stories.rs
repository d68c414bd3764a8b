//! What happens to one run, told step by step: agents that answer by hand, a ledger in memory, a clock that is set.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, LazyLock, Mutex};

use baton_courier::{Cause, Courier, Delivery, Failure, Key, Kind, Report, What as Says};
use baton_document::Checker;
use baton_engine::driver::{Engine, Settings, World};
use baton_engine::error::{Problem, Refused};
use baton_engine::history::views::show;
use baton_engine::project::agents::{Agents, Setup};
use baton_engine::records::entry::Pinned;
use baton_engine::records::entry::history;
use baton_engine::run::NewRun;
use baton_engine::run::environment::{Environment, Shared};
use baton_kernel::{By, Choice, Event, GateAnswer, GateKind, Millis, Plan, Reason, Refusal, What};
use baton_ledger::{Call, Failing, Memory, Syncing};

use crate::sim::checker;

/// A delivery, and where its reports go.
pub(crate) type Open = (Delivery, Sender<Report>);

/// Deliveries that wait for an answer.
#[derive(Clone)]
pub(crate) struct Desk {
    kind: Kind,
    open: Arc<Mutex<Vec<Open>>>,
}

impl Desk {
    fn new(kind: Kind) -> Self {
        Self { kind, open: Arc::default() }
    }

    /// Takes the oldest delivery.
    pub(crate) fn next(&self) -> Open {
        let mut open = self.open.lock().expect("no test panics with it");
        assert!(!open.is_empty(), "nothing was delivered");
        open.remove(0)
    }

    /// The oldest delivery is looked at last.
    pub(crate) fn put_off(&self) {
        self.open.lock().expect("no test panics with it").rotate_left(1);
    }

    /// Lets go of deliveries that nobody waits for any more.
    pub(crate) fn forget(&self) {
        self.open.lock().expect("no test panics with it").clear();
    }

    pub(crate) fn count(&self) -> usize {
        self.open.lock().expect("no test panics with it").len()
    }

    /// Answers the oldest delivery; gives it.
    pub(crate) fn answer(&self, text: &str) -> Delivery {
        self.says(Says::Answer(text.as_bytes().to_vec()))
    }

    /// The agent of the oldest delivery says something and goes on working.
    pub(crate) fn notes(&self, what: Says) {
        let open = self.open.lock().expect("no test panics with it");
        let (delivery, reports) = open.first().expect("something was delivered");
        let report = Report { key: delivery.key.clone(), attempt: delivery.attempt, what };
        reports.send(report).expect("the engine listens");
    }

    pub(crate) fn says(&self, what: Says) -> Delivery {
        let (delivery, reports) = self.next();
        let report = Report { key: delivery.key.clone(), attempt: delivery.attempt, what };
        reports.send(report).expect("the engine listens");
        delivery
    }
}

impl Courier for Desk {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        self.open.lock().expect("no test panics with it").push((delivery, reports));
    }

    fn stop(&self, _: &Key) {}
}

/// Making one takes longer than most stories.
pub(crate) static CHECKER: LazyLock<Arc<Checker>> = LazyLock::new(|| Arc::new(checker()));

/// A ledger, agents at a desk, and what reads documents.
pub(crate) struct Office {
    pub(crate) ledger: Memory,
    pub(crate) checker: &'static Checker,
    pub(crate) agents: Agents,
    pub(crate) desk: Desk,
}

impl Office {
    pub(crate) fn new(kind: Kind, agents: &[(&str, &str)]) -> Self {
        let desk = Desk::new(kind);
        let mut table = Agents::default();
        for (name, dialect) in agents {
            table.add(*name, Setup::new(Arc::new(desk.clone()), *dialect));
        }
        Self { ledger: Memory::new(), checker: &CHECKER, agents: table, desk }
    }

    pub(crate) fn engine(&self, holder: &str) -> Engine<'_> {
        self.engine_with(Settings::new(holder))
    }

    pub(crate) fn engine_with(&self, settings: Settings) -> Engine<'_> {
        Engine::new(World::with(&self.ledger, self.environment()), settings)
    }

    /// The environment of every run here.
    pub(crate) fn environment(&self) -> Environment {
        Environment::new(Arc::clone(&CHECKER), self.agents.clone())
    }

    /// A driver of runs of which each has the environment that is made of its files.
    pub(crate) fn engine_by<'e>(
        &'e self,
        holder: &str,
        make: impl Fn(&[Pinned]) -> Environment + Send + Sync + 'e,
    ) -> Engine<'e> {
        let environments = Arc::new(Shared::new(move |_: &str, files: &[Pinned]| Ok(make(files))));
        Engine::new(World { ledger: &self.ledger, environments }, Settings::new(holder))
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        let history = history(&self.ledger, "run").expect("the run is there");
        history.into_iter().filter_map(|entry| entry.event).collect()
    }

    pub(crate) fn is_over(&self) -> bool {
        show(&self.ledger, "run", NOW).expect("the run is there").state.ending().is_some()
    }
}

/// Where no project is.
pub(crate) const ROOT: &str = ".";
pub(crate) const NOW: Millis = Millis(1_000_000);
/// After every lease.
pub(crate) const LATER: Millis = Millis(1_100_000);

pub(crate) fn order(plan: Plan) -> NewRun {
    NewRun::new("run", plan, "limit the loans")
}

pub(crate) fn envelope(did: &str) -> String {
    format!(
        r#"{{"meta":{{"step_id":"s","flow_key":"f","agent_key":"a","timestamp":"2026-01-01T00:00:00Z"}},"status":"VERIFIED","summary":{{"what_i_did":"{did}","what_i_found":"Nothing else.","key_decisions":[],"evidence":{{"artifacts_produced":["src/loans.py"],"commands_run":["pytest"],"measurements":{{}}}}}},"concerns":[],"assumptions":[],"routing":{{"recommendation":"CONTINUE","reason":"done"}}}}"#
    )
}

/// Steps in a row, one agent each.
pub(crate) fn row(agents: &[&str]) -> Plan {
    let mut plan = Plan::named("row");
    let mut before = None;
    for (at, name) in agents.iter().enumerate() {
        let agent = plan.agent(name);
        let step = plan.pass(&format!("step {at}"), agent);
        if let Some(before) = before.replace(step) {
            plan.then(before, step);
        }
    }
    plan.build().expect("the plan holds together")
}

#[test]
fn each_agent_sees_only_its_own_dialect() {
    let office = Office::new(Kind::Neither, &[("ada", "envelope"), ("ben", "exchange"), ("cyd", "pipeline")]);
    let mut engine = office.engine("one");
    engine.start(order(row(&["ada", "ben"])), NOW).expect("it starts");
    assert_eq!(office.desk.answer(&envelope("Limited loans in src/loans.py.")).handoff, b"limit the loans");
    engine.turn(NOW).expect("the ledger works");
    let (delivery, _) = office.desk.next();
    let text = String::from_utf8(delivery.handoff).expect("it is text");
    // proves S-01: what was written as an envelope arrives as an exchange.
    assert!(text.contains("\"context_summary\"") && text.contains("Limited loans"), "{text}");
    assert!(!text.starts_with("{\"meta\""), "{text}");
    assert_eq!((delivery.dialect.as_str(), delivery.extension.as_str()), ("exchange", "json"));
}

#[test]
fn an_answer_that_is_no_handoff_is_kept_and_asked_for_again_with_what_is_wrong() {
    let office = Office::new(Kind::Neither, &[("ada", "envelope")]);
    let mut engine = office.engine("one");
    engine.start(order(row(&["ada"])), NOW).expect("it starts");
    office.desk.answer("{\"status\": \"VERIFIED\", ");
    engine.turn(NOW).expect("the ledger works");
    let history = history(&office.ledger, "run").expect("the run is there");
    let failed = history.iter().find(|entry| entry.record.kind == "attempt_failed").expect("it is recorded");
    let kept = failed.record.payload.as_ref().and_then(|payload| payload.bytes.clone());
    assert_eq!(kept.as_deref(), Some(&b"{\"status\": \"VERIFIED\", "[..]), "the work is not lost");
    let (again, _) = office.desk.next();
    assert_eq!(again.attempt, 2, "no pause mends what was said");
    let told = again.prompt.expect("it is told what was wrong");
    assert!(told.contains("line 1, column") && told.contains("not taken"), "{told}");
    let rejected = history.iter().find(|entry| entry.record.kind == "answer_rejected").expect("it is kept");
    assert!(String::from_utf8_lossy(&rejected.record.body).contains("column"), "with what is wrong");
}

// proves S-02: what is stored of a handoff with a secret has none.
#[test]
fn a_handoff_with_a_secret_goes_no_further_and_is_stored_without_it() {
    let office = Office::new(Kind::Neither, &[("ada", "envelope")]);
    let mut engine = office.engine("one");
    engine.start(order(row(&["ada"])), NOW).expect("it starts");
    let secret = ["AKIA", "Z7QX4NDB", "T2LMWJ5R"].concat();
    office.desk.answer(&envelope(&format!("Set the key {secret} in src/loans.py.")));
    engine.turn(NOW).expect("the ledger works");
    let history = history(&office.ledger, "run").expect("the run is there");
    let kept: Vec<u8> = history
        .iter()
        .filter_map(|entry| entry.record.payload.as_ref().and_then(|payload| payload.bytes.clone()))
        .flatten()
        .collect();
    let kept = String::from_utf8(kept).expect("it is text");
    assert!(kept.contains("in src/loans.py") && !kept.contains(&secret), "{kept}");
    assert!(history.iter().any(|entry| entry.record.kind == "attempt_failed"), "it is asked for again");
}

#[test]
fn the_same_run_is_not_started_twice() {
    let office = Office::new(Kind::Neither, &[("ada", "envelope")]);
    let mut engine = office.engine("one");
    engine.start(order(row(&["ada"])), NOW).expect("it starts");
    for (mut other, now) in [(office.engine("two"), NOW), (office.engine("three"), LATER)] {
        let again = other.start(order(row(&["ada"])), now);
        assert!(matches!(again, Err(Problem::Refused(_))), "held by another, or started");
    }
    assert_eq!(office.desk.count(), 1, "one agent was started");
}

#[test]
fn an_answer_outlives_a_ledger_that_fails_for_a_moment() {
    let fails = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&fails);
    let hook = move |call: Call<'_>| {
        (matches!(call, Call::Due(_)) && asked.swap(false, Ordering::Relaxed)).then_some(Failing::Before)
    };
    let mut office = Office::new(Kind::Neither, &[("ada", "envelope")]);
    office.ledger = Memory::with_faults(Syncing::Each, hook);
    let mut engine = office.engine("one");
    engine.start(order(row(&["ada"])), NOW).expect("it starts");
    office.desk.answer(&envelope("Done."));
    fails.store(true, Ordering::Relaxed);
    assert!(engine.turn(LATER).is_err(), "the ledger fails");
    engine.turn(LATER).expect("the ledger works again");
    assert!(office.is_over());
}

#[test]
fn a_run_cannot_take_a_name_that_baton_writes_under() {
    let office = Office::new(Kind::Neither, &[("ada", "envelope")]);
    let order = NewRun { run: baton_ledger::SEALS.to_owned(), ..order(row(&["ada"])) };
    let refused = office.engine("one").start(order, NOW);
    let Err(Problem::Refused(refused)) = refused else { panic!("{refused:?}") };
    assert_eq!(
        refused.to_string(),
        "baton/seals is no name for a run: what starts with `baton/` is Baton's own"
    );
    assert!(refused.hint().is_some());
}

// proves S-05: a receiver that nobody knows bounces loudly, and a person hears of it.
#[test]
fn an_unknown_receiver_is_said_and_not_swallowed() {
    let office = Office::new(Kind::Neither, &[("ada", "envelope")]);
    let mut engine = office.engine("one");
    engine.start(order(row(&["nobody"])), NOW).expect("it starts");
    engine.turn(NOW).expect("the ledger works");
    let view = show(&office.ledger, "run", NOW).expect("the run is there");
    let question = view.pending.questions.first().expect("a person is asked");
    assert_eq!(question.reason, Reason::Unrecoverable);
    assert!(office.events().iter().any(|event| matches!(event, Event::DeadLettered { .. })));
}

#[test]
fn what_came_before_a_gate_is_not_done_again_when_the_run_goes_on() {
    let office = Office::new(Kind::Neither, &[("ada", "envelope"), ("ben", "envelope")]);
    let mut plan = Plan::named("gated");
    let (ada, ben) = (plan.agent("ada"), plan.agent("ben"));
    let (work, gate, publish) =
        (plan.pass("work", ada), plan.gate("look", GateKind::Blocking), plan.pass("publish", ben));
    plan.then(work, gate).then(gate, publish);
    let plan = plan.build().expect("the plan holds together");
    {
        let mut engine = office.engine("one");
        engine.start(order(plan), NOW).expect("it starts");
        office.desk.answer(&envelope("Limited loans."));
        engine.turn(NOW).expect("the ledger works");
    }
    // Another process, later: the gate still waits, and nobody was started again.
    let mut engine = office.engine("two");
    engine.turn(LATER).expect("the ledger works");
    assert_eq!(office.desk.count(), 0);
    let view = show(&office.ledger, "run", LATER).expect("the run is there");
    let open = view.pending.gates.first().expect("the gate is open");
    let (gate, shown) = (open.gate, open.shown.expect("it shows the work"));
    let by = By::Person("nora".to_owned());
    let answer = What::AnswerGate { gate, answer: GateAnswer::Approve, shown, by };
    engine.tell("run", answer.clone(), None, LATER).expect("a person may");
    let again = engine.tell("run", answer, None, LATER);
    let Err(Problem::Refused(Refused::Run(refusal))) = again else { panic!("{again:?}") };
    assert_eq!(refusal, Refusal::GateOver { gate });
    assert_eq!(office.desk.answer(&envelope("Published.")).receiver, "ben");
    engine.turn(LATER).expect("the ledger works");
    assert!(office.is_over());
}

#[test]
fn a_worker_that_was_thought_dead_counts_for_nothing_once_it_is_replaced() {
    let office = Office::new(Kind::Idempotent, &[("ada", "envelope"), ("ben", "envelope")]);
    let mut first = office.engine("one");
    first.start(order(row(&["ada", "ben"])), NOW).expect("it starts");
    let (delivery, late) = office.desk.next();
    // Its lease runs out, and another driver takes over.
    let mut second = office.engine("two");
    second.turn(LATER).expect("the ledger works");
    assert_eq!(office.desk.answer(&envelope("Done by the second.")).attempt, 2);
    second.turn(LATER).expect("the ledger works");
    let what = Says::Answer(envelope("Done by the first.").into_bytes());
    late.send(Report { key: delivery.key, attempt: 1, what }).expect("the first driver still listens");
    first.turn(NOW).expect("the ledger works");
    assert_eq!(first.held().count(), 0, "it has let go of the run");
    let answers = office.events().iter().filter(|event| matches!(event, Event::Answered { .. })).count();
    assert_eq!(answers, 1);
    assert_eq!(office.desk.count(), 1, "ben was started once");
}

// proves S-04: after a crash a courier that is neither idempotent nor resumable is not called again without a person.
#[test]
fn work_that_may_have_begun_is_not_begun_again_without_asking() {
    let office = Office::new(Kind::Neither, &[("ada", "envelope")]);
    office.engine("one").start(order(row(&["ada"])), NOW).expect("it starts");
    drop(office.desk.next());
    let mut engine = office.engine("two");
    engine.turn(LATER).expect("the ledger works");
    assert_eq!(office.desk.count(), 0);
    let view = show(&office.ledger, "run", LATER).expect("the run is there");
    let question = view.pending.questions.first().expect("a person is asked").clone();
    assert_eq!(question.reason, Reason::MayHaveBegun);
    let by = By::Person("nora".to_owned());
    let again =
        What::AnswerPerson { ask: question.ask, choice: Choice::Again, by, content: None, more: None };
    engine.tell("run", again, None, LATER).expect("a person may");
    office.desk.answer(&envelope("Done."));
    engine.turn(LATER).expect("the ledger works");
    assert!(office.is_over());
}

#[test]
fn a_delivery_that_failed_for_good_is_a_dead_letter_with_its_reason() {
    let office = Office::new(Kind::Neither, &[("ada", "envelope")]);
    let mut engine = office.engine("one");
    engine.start(order(row(&["ada"])), NOW).expect("it starts");
    office.desk.says(Says::Failure(Failure::new(Cause::Forbidden, "the program may not be started")));
    engine.turn(NOW).expect("the ledger works");
    let events = office.events();
    let dead = events.iter().find(|event| matches!(event, Event::DeadLettered { .. }));
    let Some(&Event::DeadLettered { key, reason }) = dead else { panic!("it is a dead letter") };
    assert_eq!(reason, Reason::Unrecoverable);
    engine
        .tell("run", What::Retry { key, by: By::Person("nora".to_owned()) }, None, NOW)
        .expect("a person may");
    assert_eq!(office.desk.answer(&envelope("Done.")).attempt, 2);
    engine.turn(NOW).expect("the ledger works");
    assert!(office.is_over());
}

#[test]
fn the_files_that_a_run_pins_are_kept_with_it() {
    let office = Office::new(Kind::Neither, &[("ada", "envelope")]);
    let files = vec![("flows/row.yaml".to_owned(), b"name: row".to_vec())];
    let mut engine = office.engine("one");
    engine.start(NewRun { files, ..order(row(&["ada"])) }, NOW).expect("it starts");
    let history = history(&office.ledger, "run").expect("the run is there");
    let pinned = history.iter().find(|entry| entry.record.kind == "file_pinned").expect("it is recorded");
    assert!(String::from_utf8_lossy(&pinned.record.body).contains("flows/row.yaml"));
    let bytes = pinned.record.payload.as_ref().and_then(|payload| payload.bytes.clone());
    assert_eq!(bytes.as_deref(), Some(&b"name: row"[..]));
    office.desk.answer(&envelope("Done."));
    engine.turn(NOW).expect("the ledger works");
    assert!(office.is_over(), "and it does not disturb the run");
}
