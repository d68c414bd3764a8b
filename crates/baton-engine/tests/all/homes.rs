//! An answer is for one ledger of one project: what was signed for another, or for a copy, is not taken here.

use std::fs;
use std::path::Path;

use baton_courier::Kind;
use baton_engine::driver::{Engine, Settings, World};
use baton_engine::error::{Problem, Refused};
use baton_engine::history::views::show;
use baton_engine::project::people::{Home, People, Person, Secret, Statement};
use baton_engine::project::store;
use baton_engine::records::mailbox::RunRequest;
use baton_engine::run::NewRun;
use baton_engine::service::post::{post, taken};
use baton_kernel::{AskId, GateAnswer, GateId, GateKind, Key, LaneId, Plan, StepId};
use baton_ledger::{Append, Ledger, Limit, NewEvent, NewHead, Query, ReadFrom};
use tempfile::TempDir;

use crate::stories::{LATER, NOW, Office, envelope, order};

const MAIL: &str = "baton/mail/run";

fn person() -> Secret {
    Secret::from_text("nora's passphrase").expect("it is a secret")
}

/// Drives what is ready in a project.
fn drive(office: &Office, root: &Path, ledger: &dyn Ledger, then: impl FnOnce(&mut Engine<'_>)) {
    let parts = World::with(ledger, office.environment());
    let holder = root.display().to_string();
    then(&mut Engine::new(parts, Settings { root: root.to_owned(), ..Settings::new(holder) }));
}

/// A project with a run that waits at its gate.
fn at_the_gate() -> (Office, TempDir) {
    let office = Office::new(Kind::Neither, &[("ada", "envelope")]);
    let root = tempfile::tempdir().expect("a folder");
    let ledger = store::open(root.path()).expect("it is made");
    let mut plan = Plan::named("gated");
    let ada = plan.agent("ada");
    let (work, gate) = (plan.pass("work", ada), plan.gate("look", GateKind::Blocking));
    plan.then(work, gate);
    let plan = plan.build().expect("the plan holds together");
    let people = People(vec![Person { name: "nora".into(), key: person().older().public(), salt: None }]);
    drive(&office, root.path(), &ledger, |engine| {
        engine.start(NewRun { people, ..order(plan) }, NOW).expect("it starts");
        office.desk.answer(&envelope("Limited loans."));
        engine.turn(NOW).expect("the ledger works");
    });
    (office, root)
}

/// A project with the files of another.
fn copied(from: &Path) -> TempDir {
    let root = tempfile::tempdir().expect("a folder");
    let (own, other) = (root.path().join(store::FOLDER), from.join(store::FOLDER));
    drop(store::open(root.path()).expect("it is made"));
    fs::copy(other.join("ledger.db"), own.join("ledger.db")).expect("it can be copied");
    root
}

/// The person's answer, signed for the ledger of a project.
fn answer(root: &Path) -> RunRequest {
    let ledger = store::existing(root).expect("it opens").expect("it is there");
    let view = show(&ledger, "run", NOW).expect("the run is there");
    let open = view.pending.gates.first().expect("the gate is open");
    let (gate, shown) = (open.gate, open.shown.expect("it shows the work"));
    let home = Home::of(root, &ledger).expect("the ledger works");
    let statement = Statement { home: &home, run: "run", gate, answer: GateAnswer::Approve, shown };
    let signed = person().older().sign("nora", &statement);
    RunRequest::AnswerGate { gate, answer: GateAnswer::Approve, shown, signed }
}

/// Writes a letter into a mailbox as an agent would that has reached the ledger; gives its place.
fn smuggled(ledger: &dyn Ledger, wish: &RunRequest) -> u64 {
    let query = Query { labels: vec!["mail-of:run".into()], before: None, since: 0, limit: Limit(1) };
    let head = ledger.find(&query).expect("the ledger works").pop();
    let body = serde_json::to_vec(wish).expect("it can be written");
    let append = Append {
        stream: MAIL.into(),
        expected: head.map_or(0, |head| head.seq),
        at: LATER,
        events: vec![NewEvent { kind: "wish".into(), body, payload: None }],
        head: Some(NewHead {
            labels: vec!["mail-of:run".into(), "emptied:0".into(), "mail".into()],
            ..NewHead::default()
        }),
        ..Append::default()
    };
    ledger
        .append(vec![append])
        .expect("the ledger works")
        .pop()
        .expect("one")
        .expect("it is behind the last")
        .seq
}

fn refused<T: std::fmt::Debug>(result: Result<T, Problem>) -> Refused {
    match result {
        Err(Problem::Refused(refused)) => refused,
        other => panic!("{other:?}"),
    }
}

// proves P-12: what was signed for one ledger counts in no other.
#[test]
fn an_answer_for_one_ledger_is_not_one_for_another_or_for_a_copy() {
    let (office, here) = at_the_gate();
    let (_, other) = at_the_gate();
    let copy = copied(here.path());
    let signed = answer(here.path());
    for root in [other.path(), copy.path()] {
        let ledger = store::existing(root).expect("it opens").expect("it is there");
        assert_eq!(refused(post(&ledger, root, "run", &signed, None, NOW)), Refused::OtherLedger);
        let place = smuggled(&ledger, &signed);
        drive(&office, root, &ledger, |engine| {
            engine.turn(LATER).expect("the ledger works");
        });
        let took = taken(&ledger, "run", place).expect("it can be read").expect("it was looked at");
        assert!(took.refused.expect("it is refused").contains("not for this ledger"));
        let view = show(&ledger, "run", LATER).expect("the run is there");
        assert_eq!(view.pending.gates.len(), 1, "the gate is open still");
        drop(ledger);
        // What was refused keeps the person from nothing.
        let ledger = store::existing(root).expect("it opens").expect("it is there");
        post(&ledger, root, "run", &answer(root), None, LATER).expect("nora may");
    }
    let ledger = store::existing(here.path()).expect("it opens").expect("it is there");
    post(&ledger, here.path(), "run", &signed, None, NOW).expect("it was signed for this one");
}

// proves P-12: what agents may do is signed for one ledger too.
#[test]
fn a_permission_for_one_ledger_is_not_one_for_a_copy() {
    let (_, here) = at_the_gate();
    let copy = copied(here.path());
    let RunRequest::AnswerGate { shown, .. } = answer(here.path()) else { panic!("it answers a gate") };
    let ledger = store::existing(here.path()).expect("it opens").expect("it is there");
    let home = Home::of(here.path(), &ledger).expect("the ledger works");
    let statement =
        Statement { home: &home, run: "run", gate: GateId(1), answer: GateAnswer::Approve, shown };
    let signed = person().older().sign("nora", &statement);
    let key = Key { lane: LaneId(1), step: StepId(0), number: 1 };
    let wish = RunRequest::Permit { ask: AskId(1), key, answer: GateAnswer::Approve, shown, signed };
    assert!(
        matches!(refused(post(&ledger, here.path(), "run", &wish, None, NOW)), Refused::Run(_)),
        "nothing is asked"
    );
    drop(ledger);
    let ledger = store::existing(copy.path()).expect("it opens").expect("it is there");
    assert_eq!(refused(post(&ledger, copy.path(), "run", &wish, None, NOW)), Refused::OtherLedger);
}

// proves P-12: an answer that names no ledger was recorded by an older Baton, and is not taken anew.
#[test]
fn an_answer_that_names_no_ledger_is_not_taken() {
    let (office, here) = at_the_gate();
    let RunRequest::AnswerGate { gate, answer: word, shown, mut signed } = answer(here.path()) else {
        panic!("it answers a gate")
    };
    signed.text = format!("baton gate answer 1\nrun run\ngate {}\nanswer approve\nshown {shown}\n", gate.0);
    let wish = RunRequest::AnswerGate { gate, answer: word, shown, signed };
    let ledger = store::existing(here.path()).expect("it opens").expect("it is there");
    assert_eq!(refused(post(&ledger, here.path(), "run", &wish, None, NOW)), Refused::OlderAnswer);
    let place = smuggled(&ledger, &wish);
    drive(&office, here.path(), &ledger, |engine| {
        engine.turn(LATER).expect("the ledger works");
    });
    let took = taken(&ledger, "run", place).expect("it can be read").expect("it was looked at");
    assert!(took.refused.expect("it is refused").contains("does not name the ledger"));
}

#[test]
fn a_project_that_was_moved_is_the_same_one() {
    let (_, here) = at_the_gate();
    let signed = answer(here.path());
    let moved = tempfile::tempdir_in(here.path().parent().expect("it lies somewhere")).expect("a folder");
    fs::rename(here.path().join(store::FOLDER), moved.path().join(store::FOLDER)).expect("it can be moved");
    let ledger = store::existing(moved.path()).expect("it opens").expect("it is there");
    let from = ReadFrom::Position { after: 0 };
    assert!(!ledger.read(&from, Limit(1)).expect("the ledger works").is_empty());
    post(&ledger, moved.path(), "run", &signed, None, NOW).expect("it was signed for this one");
}
