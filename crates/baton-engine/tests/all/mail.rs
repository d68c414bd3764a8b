//! What people and agents hand in to runs that another process may be driving.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use baton_courier::{Inbox, Kind};
use baton_engine::driver::Settings;
use baton_engine::error::{Problem, Refused};
use baton_engine::history::views::{runs, show};
use baton_engine::project::agents::Setup;
use baton_engine::project::people::{GateKey, Home, People, Person, Secret, Signed, Statement};
use baton_engine::records::entry::history;
use baton_engine::records::mailbox::{RunRequest, posted};
use baton_engine::run::NewRun;
use baton_engine::service::post::{post, taken};
use baton_kernel::{
    By, Digest, Does, Event, GateAnswer, GateId, GateKind, Millis, Plan, Reason, Refusal, Stage, What,
};
use baton_ledger::{Call, Failing, Memory, Syncing};

use crate::stories::{LATER, NOW, Office, ROOT, envelope, order, row};

fn gated() -> Plan {
    let mut plan = Plan::named("gated");
    let (ada, ben) = (plan.agent("ada"), plan.agent("ben"));
    let (work, gate) = (plan.pass("work", ada), plan.gate("look", GateKind::Blocking));
    let publish = plan.pass("publish", ben);
    plan.then(work, gate).then(gate, publish);
    plan.build().expect("the plan holds together")
}

/// A run that waits at its gate, with the key of the only person who may answer.
fn at_the_gate() -> (Office, GateKey) {
    at_the_gate_of(Memory::new())
}

fn at_the_gate_of(ledger: Memory) -> (Office, GateKey) {
    let mut office = Office::new(Kind::Neither, &[("ada", "envelope"), ("ben", "envelope")]);
    office.ledger = ledger;
    let key = key_of("nora's passphrase");
    let people = People(vec![Person { name: "nora".to_owned(), key: key.public(), salt: None }]);
    let mut engine = office.engine("one");
    engine.start(NewRun { people, ..order(gated()) }, NOW).expect("it starts");
    office.desk.answer(&envelope("Limited loans."));
    engine.turn(NOW).expect("the ledger works");
    drop(engine);
    (office, key)
}

fn key_of(text: &str) -> GateKey {
    Secret::from_text(text).expect("it is a secret").older()
}

fn sign(office: &Office, key: &GateKey, gate: GateId, answer: GateAnswer, shown: Digest) -> Signed {
    let home = Home::of(ROOT.as_ref(), &office.ledger).expect("the ledger works");
    key.sign("nora", &Statement { home: &home, run: "run", gate, answer, shown })
}

fn answer(office: &Office, key: &GateKey, answer: GateAnswer) -> RunRequest {
    let view = show(&office.ledger, "run", NOW).expect("the run is there");
    let open = view.pending.gates.first().expect("the gate is open");
    let (gate, shown) = (open.gate, open.shown.expect("it shows the work"));
    let signed = sign(office, key, gate, answer, shown);
    RunRequest::AnswerGate { gate, answer, shown, signed }
}

fn refused<T: std::fmt::Debug>(result: Result<T, Problem>) -> Refused {
    match result {
        Err(Problem::Refused(refused)) => refused,
        other => panic!("{other:?}"),
    }
}

// proves P-12: a gate passes by a person's key alone, once, and for what was shown.
#[test]
fn a_gate_is_answered_by_a_person_once_while_another_process_drives() {
    let (office, key) = at_the_gate();
    let post = |wish: &RunRequest| post(&office.ledger, ROOT.as_ref(), "run", wish, None, NOW);
    let stranger = key_of("an agent's own key");
    let wish = answer(&office, &stranger, GateAnswer::Approve);
    assert!(matches!(refused(post(&wish)), Refused::UnknownPerson { .. }));
    let mut forged = answer(&office, &key, GateAnswer::Reject);
    if let RunRequest::AnswerGate { answer, .. } = &mut forged {
        *answer = GateAnswer::Approve;
    }
    assert_eq!(refused(post(&forged)), Refused::BadSignature);
    let mut other = answer(&office, &key, GateAnswer::Approve);
    if let RunRequest::AnswerGate { shown, gate, signed, .. } = &mut other {
        shown.0[0] ^= 1;
        *signed = sign(&office, &key, *gate, GateAnswer::Approve, *shown);
    }
    assert!(matches!(refused(post(&other)), Refused::Run(Refusal::ContentChanged { .. })));

    let wish = answer(&office, &key, GateAnswer::Approve);
    let place = post(&wish).expect("nora may");
    assert_eq!(
        refused(post(&wish)),
        Refused::Posted { run: "run".to_owned() },
        "nobody has taken it yet, and it is decided"
    );
    assert_eq!(taken(&office.ledger, "run", place).expect("it can be read"), None);

    let mut engine = office.engine("two");
    engine.turn(LATER).expect("the ledger works");
    let took = taken(&office.ledger, "run", place).expect("it can be read").expect("it was taken");
    assert_eq!(took.refused, None);
    let by = office
        .events()
        .into_iter()
        .find_map(|event| if let Event::GateAnswered { by, .. } = event { Some(by) } else { None });
    assert_eq!(by.as_deref(), Some("nora"));
    assert_eq!(office.desk.answer(&envelope("Published.")).receiver, "ben");
    engine.turn(LATER).expect("the ledger works");
    assert!(office.is_over());
    assert_eq!(refused(post(&wish)), Refused::Run(Refusal::Ended));
}

#[test]
fn a_wish_is_taken_once_even_if_its_driver_cannot_say_that_it_took_it() {
    let is_emptied = |call: &Call<'_>| {
        let Call::Append(batch) = call else { return false };
        batch.iter().any(|append| append.events.iter().any(|event| event.kind == "emptied"))
    };
    let fails = AtomicBool::new(true);
    let hook = move |call: Call<'_>| {
        (is_emptied(&call) && fails.swap(false, Ordering::Relaxed)).then_some(Failing::Before)
    };
    let (office, key) = at_the_gate_of(Memory::with_faults(Syncing::Each, hook));
    post(&office.ledger, ROOT.as_ref(), "run", &answer(&office, &key, GateAnswer::Approve), None, NOW)
        .expect("nora may");
    assert!(office.engine("two").turn(LATER).is_err(), "it took the wish and could not say so");
    office.engine("three").turn(Millis(LATER.0 + 100_000)).expect("the ledger works again");
    let answered = office.events().iter().filter(|event| matches!(event, Event::GateAnswered { .. })).count();
    assert_eq!(answered, 1);
    let refused = history(&office.ledger, "run").expect("the run is there");
    let taken = refused.iter().filter(|entry| entry.record.kind == "mail_taken").count();
    assert_eq!(taken, 1, "and it was looked at once");
}

#[test]
fn what_the_run_refuses_when_it_takes_it_is_said() {
    let (office, key) = at_the_gate();
    let approve = answer(&office, &key, GateAnswer::Approve);
    let cancel = RunRequest::Cancel { by: "nora".to_owned() };
    post(&office.ledger, ROOT.as_ref(), "run", &cancel, None, NOW).expect("it may be cancelled");
    let place = post(&office.ledger, ROOT.as_ref(), "run", &approve, None, NOW).expect("it is open still");
    office.engine("two").turn(LATER).expect("the ledger works");
    let took = taken(&office.ledger, "run", place).expect("it can be read").expect("it was taken");
    assert_eq!(took.refused.as_deref(), Some("the run is over"));
}

/// An office where `ada` is called and `ben` looks for work himself.
fn with_inbox() -> Office {
    let mut office = Office::new(Kind::Neither, &[("ada", "envelope")]);
    office.agents.add("ben", Setup::new(Arc::new(Inbox), "envelope"));
    office
}

#[test]
fn an_agent_with_an_inbox_takes_its_time_and_hands_in() {
    let office = with_inbox();
    let mut engine = office.engine("one");
    engine.start(order(row(&["ada", "ben"])), NOW).expect("it starts");
    office.desk.answer(&envelope("Limited loans."));
    engine.turn(NOW).expect("the ledger works");
    assert_eq!(engine.held().count(), 0, "nobody must wait for an inbox");
    let found = runs(&office.ledger, &["inbox:ben"], None, 10).expect("the ledger works");
    assert_eq!(found.len(), 1);

    let view = show(&office.ledger, "run", NOW).expect("the run is there");
    let owed = view.pending.deliveries.first().expect("ben has work").clone();
    let hand_in = |wish: &RunRequest, text: Option<&str>| {
        post(&office.ledger, ROOT.as_ref(), "run", wish, text.map(str::as_bytes), LATER)
    };
    let (key, attempt) = (owed.key, owed.attempt);
    // proves P-10: received, accepted and started are three different facts.
    for stage in [Stage::Received, Stage::Accepted, Stage::Started] {
        hand_in(&RunRequest::Acknowledge { key, attempt, stage }, None).expect("it is written");
    }
    let mut engine = office.engine("two");
    engine.turn(LATER).expect("the ledger works");
    let stages: Vec<Stage> = office
        .events()
        .into_iter()
        .filter_map(|event| if let Event::Acknowledged { stage, .. } = event { Some(stage) } else { None })
        .collect();
    assert_eq!(stages, [Stage::Received, Stage::Accepted, Stage::Started]);
    let view = show(&office.ledger, "run", LATER).expect("the run is there");
    assert_eq!(view.pending.deliveries[0].attempt, 1, "another process does not deliver it again");

    let text = envelope("Published.");
    let place = hand_in(&RunRequest::Answer { key, attempt }, Some(&text)).expect("it is written");
    let twice = hand_in(&RunRequest::Answer { key, attempt }, Some(&text));
    assert_eq!(refused(twice), Refused::Posted { run: "run".to_owned() });
    engine.turn(Millis(LATER.0 + 1_000)).expect("the ledger works");
    assert_eq!(taken(&office.ledger, "run", place).expect("it can be read").expect("taken").refused, None);
    assert!(office.is_over());
}

// proves P-10: a question goes back to the sender, and its answer to who asked.
#[test]
fn a_receiver_asks_and_the_sender_answers() {
    let office = with_inbox();
    let mut engine = office.engine("one");
    engine.start(order(row(&["ada", "ben"])), NOW).expect("it starts");
    office.desk.answer(&envelope("Limited loans."));
    engine.turn(NOW).expect("the ledger works");
    let view = show(&office.ledger, "run", NOW).expect("the run is there");
    let owed = view.pending.deliveries.first().expect("ben has work").clone();
    let ask = RunRequest::Ask { key: owed.key, attempt: owed.attempt };
    post(&office.ledger, ROOT.as_ref(), "run", &ask, Some(b"Which limit?"), NOW).expect("it is written");
    engine.turn(LATER).expect("the ledger works");
    let asked = office.desk.answer(&envelope("The limit is three loans."));
    assert_eq!((asked.receiver.as_str(), asked.handoff.as_slice()), ("ada", &b"Which limit?"[..]));
    engine.turn(LATER).expect("the ledger works");
    let view = show(&office.ledger, "run", LATER).expect("the run is there");
    let owed = view.pending.deliveries.first().expect("ben has work again");
    let text = view.text(owed.content.expect("it has content")).expect("the run carries it");
    assert!(String::from_utf8_lossy(&text).contains("three loans"));
    let reasons: Vec<Reason> = office
        .events()
        .into_iter()
        .filter_map(|event| if let Event::Routed { reason, .. } = event { Some(reason) } else { None })
        .collect();
    assert!(
        reasons.contains(&Reason::SenderAsked) && reasons.contains(&Reason::SenderAnswered),
        "{reasons:?}"
    );
}

#[test]
fn nobody_hands_in_for_an_agent_that_baton_calls() {
    let office = Office::new(Kind::Neither, &[("ada", "envelope")]);
    let mut engine = office.engine("one");
    engine.start(order(row(&["ada"])), NOW).expect("it starts");
    let view = show(&office.ledger, "run", NOW).expect("the run is there");
    let owed = view.pending.deliveries.first().expect("ada has work").clone();
    let wish = RunRequest::Answer { key: owed.key, attempt: owed.attempt };
    let place = post(&office.ledger, ROOT.as_ref(), "run", &wish, Some(envelope("Done.").as_bytes()), NOW)
        .expect("written");
    engine.turn(Millis(NOW.0 + 1_000)).expect("the ledger works");
    let took = taken(&office.ledger, "run", place).expect("it can be read").expect("it was taken");
    assert_eq!(took.refused.as_deref(), Some("Baton itself reaches ada and hears it"));
    assert_eq!(office.desk.count(), 1, "ada still works");
}

/// A run whose driver was killed while an agent worked that may be asked again.
fn left_at_work() -> Office {
    let office = Office::new(Kind::Idempotent, &[("ada", "envelope")]);
    let mut engine = office.engine_with(Settings { lease_ms: 10_000, ..Settings::new("one") });
    engine.start(order(row(&["ada"])), NOW).expect("it starts");
    drop(engine);
    office.desk.next();
    office
}

fn cancel(office: &Office, run: &str, now: Millis) {
    post(&office.ledger, ROOT.as_ref(), run, &RunRequest::Cancel { by: "nora".to_owned() }, None, now)
        .expect("nora may");
}

#[test]
fn what_was_handed_in_is_read_before_work_is_begun_again() {
    let is_cancelled = |office: &Office| {
        let begun = |event: &Event| matches!(event, Event::DeliveryStarted { .. });
        assert_eq!(office.events().into_iter().filter(begun).count(), 1, "nothing is begun again");
        assert_eq!(office.desk.count(), 0, "and nobody is called");
        assert!(posted(&office.ledger).expect("it can be read").is_empty(), "nothing waits any more");
        office.is_over()
    };
    // Somebody resumes it.
    let office = left_at_work();
    cancel(&office, "run", NOW);
    office.engine("two").tell("run", What::Tick, None, LATER).expect("it goes on, and comes to its end");
    assert!(is_cancelled(&office));
    let again = office.engine("three").tell("run", What::Tick, None, LATER);
    assert_eq!(refused(again), Refused::Run(Refusal::Ended));
    // Somebody cancels it once more.
    let office = left_at_work();
    cancel(&office, "run", NOW);
    let what = What::Cancel { by: By::Person("ada".to_owned()) };
    office.engine("two").tell("run", what, None, LATER).expect("it is what was wished for");
    assert!(is_cancelled(&office));
    // Somebody takes it over who has just looked into the mailboxes.
    let office = left_at_work();
    let mut engine = office.engine("two");
    let after = |ms| Millis(NOW.0 + ms);
    engine.turn(NOW).expect("the ledger works");
    engine.turn(after(14_900)).expect("the ledger works");
    cancel(&office, "run", after(14_950));
    engine.turn(after(15_000)).expect("the ledger works");
    assert!(is_cancelled(&office));
}

#[test]
fn what_was_handed_in_is_taken_however_much_of_it_there_is() {
    let office = with_inbox();
    let mut engine = office.engine("one");
    engine.start(order(row(&["ben"])), NOW).expect("it starts");
    let view = show(&office.ledger, "run", NOW).expect("the run is there");
    let owed = view.pending.deliveries.first().expect("ben has work");
    let wish = RunRequest::Draft { key: owed.key, attempt: owed.attempt };
    for draft in 0..70 {
        let text = format!("Draft {draft}.");
        post(&office.ledger, ROOT.as_ref(), "run", &wish, Some(text.as_bytes()), NOW).expect("it is written");
    }
    cancel(&office, "run", NOW);
    engine.turn(LATER).expect("the ledger works");
    assert!(office.is_over(), "the last letter counts like the first");
}

// proves S-05: one delivery has one answer; who comes second is told so, and not only the record.
#[test]
fn a_delivery_whose_answer_waits_takes_no_other() {
    let mut office = with_inbox();
    office.agents.add("cyd", Setup::new(Arc::new(Inbox), "envelope"));
    let mut engine = office.engine("one");
    engine.start(order(row(&["ben", "cyd"])), NOW).expect("it starts");
    let owed = || show(&office.ledger, "run", NOW).expect("the run is there").pending.deliveries[0].clone();
    let hand_in = |wish: &RunRequest, text: &str| {
        post(&office.ledger, ROOT.as_ref(), "run", wish, Some(text.as_bytes()), NOW)
    };
    let first = RunRequest::Answer { key: owed().key, attempt: owed().attempt };
    let place = hand_in(&first, &envelope("Limited loans to 5.")).expect("nothing waits");
    let other = hand_in(&first, &envelope("Limited loans to 9."));
    assert_eq!(refused(other), Refused::Posted { run: "run".to_owned() });
    let view = show(&office.ledger, "run", NOW).expect("the run is there");
    assert_eq!(view.answered(&office.ledger).expect("readable"), [(owed().key, owed().attempt)]);
    engine.turn(LATER).expect("the ledger works");
    assert_eq!(taken(&office.ledger, "run", place).expect("readable").expect("taken").refused, None);
    let view = show(&office.ledger, "run", NOW).expect("the run is there");
    assert_eq!(view.answered(&office.ledger).expect("readable"), [], "what was taken waits no more");
    let next = RunRequest::Answer { key: owed().key, attempt: owed().attempt };
    hand_in(&next, &envelope("Published.")).expect("it is another delivery");
    engine.turn(Millis(LATER.0 + 1_000)).expect("the ledger works");
    assert!(office.is_over());
}

// proves S-05: what is handed in after a delivery expired does not count, whenever somebody looks.
#[test]
fn a_late_answer_does_not_undo_that_a_delivery_expired() {
    for (handed_in, counts) in [(1_000, true), (7_000, false)] {
        let office = with_inbox();
        let mut plan = Plan::named("row");
        let ben = plan.agent("ben");
        let only = plan.pass("only", ben);
        plan.change(only, |step| step.limits.expires_ms = Some(2_000));
        let mut engine = office.engine("one");
        engine.start(order(plan.build().expect("the plan holds together")), NOW).expect("it starts");
        let view = show(&office.ledger, "run", NOW).expect("the run is there");
        let wish = RunRequest::Answer {
            key: view.pending.deliveries[0].key,
            attempt: view.pending.deliveries[0].attempt,
        };
        let at = Millis(NOW.0 + handed_in);
        let posted =
            post(&office.ledger, ROOT.as_ref(), "run", &wish, Some(envelope("Published.").as_bytes()), at);
        if counts {
            let place = posted.expect("it is in time");
            office.engine("two").turn(Millis(NOW.0 + 9_000)).expect("the ledger works");
            let took = taken(&office.ledger, "run", place).expect("readable").expect("taken");
            assert_eq!(took.refused, None, "it was in time, though nobody looked then");
            assert!(office.is_over());
        } else {
            let refused = refused(posted);
            assert!(matches!(refused, Refused::Run(Refusal::DeliveryExpired { .. })), "nobody answered it");
            assert!(refused.hint().is_some_and(|hint| hint.contains("baton resume")), "{refused}");
        }
    }
}

#[test]
fn a_signal_counts_if_it_was_posted_in_time_whenever_somebody_looks() {
    for (posted_at, counts) in [(1_000, true), (4_000, false)] {
        let office = Office::new(Kind::Neither, &[("ada", "envelope"), ("ben", "envelope")]);
        let mut plan = Plan::named("waits");
        let (ada, ben) = (plan.agent("ada"), plan.agent("ben"));
        let (wait, next) = (plan.wait("wait", 3_000), plan.pass("next", ada));
        let missed = plan.pass("missed", ben);
        plan.then(wait, next).change(wait, |step| {
            if let Does::Wait(wait) = &mut step.does {
                (wait.signal, wait.on_due) = (Some("ci".to_owned()), Some(missed));
            }
        });
        let plan = plan.build().expect("the plan holds together");
        office.engine("one").start(order(plan), NOW).expect("it starts");
        let wish = RunRequest::Signal { name: "ci".to_owned() };
        let posted = post(&office.ledger, ROOT.as_ref(), "run", &wish, None, Millis(NOW.0 + posted_at));
        if counts {
            posted.expect("somebody waits for it");
        } else {
            assert_eq!(refused(posted), Refused::Run(Refusal::SignalLate));
        }
        let mut engine = office.engine("two");
        engine.tell("run", What::Tick, None, Millis(NOW.0 + 5_000)).expect("somebody resumes it");
        assert_eq!(office.desk.next().0.receiver, if counts { "ada" } else { "ben" });
    }
}

#[test]
fn letters_for_other_runs_hide_none_for_the_only_one_that_is_driven() {
    let office = with_inbox();
    let mut engine = office.engine("one");
    for run in 0..70 {
        let name = if run == 0 { "run".to_owned() } else { format!("run-{run}") };
        engine.start(NewRun::new(name.clone(), row(&["ben"]), "it"), NOW).expect("it starts");
        cancel(&office, &name, NOW);
    }
    let only = Some(vec!["run".to_owned()]);
    office.engine_with(Settings { only, ..Settings::new("two") }).turn(LATER).expect("the ledger works");
    assert!(office.is_over());
    assert!(show(&office.ledger, "run-1", LATER).expect("it is there").state.ending().is_none());
}
