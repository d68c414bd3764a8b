//! A ledger that fails for a moment and works again, and a clock that is set back, while the process lives on: nothing that
//! it drives stays behind.

use std::sync::{Arc, Mutex};

use baton_courier::Kind;
use baton_engine::driver::Settings;
use baton_engine::history::views::show;
use baton_engine::records::mailbox::RunRequest;
use baton_engine::run::NewRun;
use baton_engine::service::post::post;
use baton_kernel::Millis;
use baton_ledger::{Call, Failing, Memory, Syncing};

use crate::still::PENDING;
use crate::stories::{LATER, NOW, Office, ROOT, envelope, row};

/// Whether a call is the one that fails.
type Hit = fn(&Call<'_>) -> bool;

/// The next calls that a ledger fails at.
#[derive(Clone, Default)]
struct Trouble(Arc<Mutex<Vec<Hit>>>);

impl Trouble {
    fn next(&self, calls: usize, hit: Hit) {
        *self.0.lock().expect("no test panics with it") = vec![hit; calls];
    }

    fn is_over(&self) -> bool {
        self.0.lock().expect("no test panics with it").is_empty()
    }

    fn ledger(&self) -> Memory {
        let trouble = self.clone();
        Memory::with_faults(Syncing::Each, move |call| {
            let mut next = trouble.0.lock().expect("no test panics with it");
            next.pop_if(|hit| hit(&call)).map(|_| Failing::Before)
        })
    }
}

/// An office with agents that speak each their dialect, and the trouble of its ledger.
fn office(agents: &[(&str, &str)]) -> (Office, Trouble) {
    let trouble = Trouble::default();
    let mut office = Office::new(Kind::Neither, agents);
    office.ledger = trouble.ledger();
    (office, trouble)
}

#[test]
fn a_run_that_cannot_be_given_back_keeps_no_other_from_going_on() {
    let (office, trouble) = office(&[("ada", "envelope"), ("ben", "envelope")]);
    let mut engine = office.engine("one");
    engine.start(NewRun::new("a", row(&["ada"]), "it"), NOW).expect("it starts");
    engine.start(NewRun::new("b", row(&["ada", "ben"]), "it"), NOW).expect("it starts");
    office.desk.answer(&envelope("Done."));
    office.desk.answer(&envelope("Half of it."));
    trouble.next(1, |call| matches!(call, Call::Release(_)));
    assert!(engine.turn(NOW).is_err(), "that the ledger failed is said");
    assert!(trouble.is_over());
    assert_eq!(office.desk.answer(&envelope("The rest.")).receiver, "ben", "what was recorded is done");
    engine.turn(NOW).expect("the ledger works again");
    assert!(show(&office.ledger, "b", NOW).expect("it is there").state.ending().is_some());
}

#[test]
fn whoever_is_still_at_work_is_asked_again_though_another_run_cannot_be_recorded() {
    let (office, trouble) = office(&[("ada", "envelope"), ("cyd", "pipeline")]);
    let mut engine = office.engine("one");
    engine.start(NewRun::new("a", row(&["cyd"]), "it"), NOW).expect("it starts");
    office.desk.answer(PENDING);
    engine.turn(NOW).expect("the ledger works");
    assert_eq!(office.desk.count(), 0, "it is left alone for a while");
    engine.start(NewRun::new("b", row(&["ada"]), "it"), NOW).expect("it starts");
    office.desk.answer(&envelope("Done."));
    trouble.next(1, |call| matches!(call, Call::Append(_)));
    assert!(engine.turn(Millis(NOW.0 + 6_000)).is_err(), "that the ledger failed is said");
    assert_eq!(office.desk.next().0.receiver, "cyd", "it is asked again");
}

const KEEPS: &str = "name: row\nkeeps: [envelope]\nagents:\n  ada: {courier: inbox, dialect: envelope}\nsteps:\n  - write: {agent: ada}\n";

#[test]
fn the_files_of_a_run_are_kept_though_the_ledger_fails_when_it_ends() {
    let (office, trouble) = office(&[("ada", "envelope")]);
    let root = tempfile::tempdir().expect("there is room");
    let mut engine = office.engine_with(Settings { root: root.path().to_owned(), ..Settings::new("one") });
    let (path, text) = ("flows/row.yaml".to_owned(), KEEPS.as_bytes().to_vec());
    let order = NewRun::new("run", row(&["ada"]), "it");
    engine
        .start(NewRun { files: vec![(path.clone(), text)], flow: Some(path), ..order }, NOW)
        .expect("it starts");
    let kept = root.path().join(".runs");
    office.desk.answer(&envelope("Done."));
    // When it is looked what agents wrote there, and when the run is over.
    trouble.next(2, |call| matches!(call, Call::Read(..)));
    engine.turn(Millis(NOW.0 + 1_000)).expect("what it is about is recorded");
    assert!(trouble.is_over() && office.is_over() && !kept.exists());
    assert_eq!(engine.conflicts().len(), 1, "that it is not kept yet is said");
    engine.turn(Millis(NOW.0 + 2_000)).expect("the ledger works again");
    assert!(kept.exists());
    assert!(engine.conflicts().is_empty());
}

#[test]
fn a_clock_that_is_set_back_keeps_nobody_waiting() {
    let (office, _) = office(&[("ada", "envelope")]);
    let mut engine = office.engine("one");
    engine.start(NewRun::new("run", row(&["ada"]), "it"), NOW).expect("it starts");
    engine.turn(LATER).expect("the ledger works");
    let set_back = |ms| Millis(NOW.0 + ms);
    post(
        &office.ledger,
        ROOT.as_ref(),
        "run",
        &RunRequest::Cancel { by: "nora".to_owned() },
        None,
        set_back(0),
    )
    .expect("nora may");
    engine.turn(set_back(0)).expect("the ledger works");
    engine.turn(set_back(Settings::new("one").mail_ms)).expect("the ledger works");
    assert!(office.is_over(), "her letter is taken when it would have been without the jump");
}
