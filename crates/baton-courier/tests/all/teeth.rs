//! The conformance suite has teeth: couriers that break one promise are found, each by that promise.

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use baton_courier::conformance::{Behaviour, Harness, check};
use baton_courier::program::ProgramCourier;
use baton_courier::{Cause, Courier, Delivery, Failure, Key, Kind, Report, What};

use crate::bench::{Bench, shell};
use crate::conformance::{AGENT, Programs};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slip {
    EndsTwice,
    NeverEnds,
    SpeaksAfterTheEnd,
    CutsAnswers,
    MixesKeys,
    ForgetsTheAttempt,
    TakesFailuresForAnswers,
    BlocksInStart,
    DoesNotStop,
    StopsAll,
    OverlapsAttempts,
    SaysBrokenForStopped,
    SaysTimeForFlood,
    GoesOnAfterDrop,
}

const SLIPS: &[(Slip, &str)] = &[
    (Slip::EndsTwice, "an answer arrives whole, as the one end of its attempt"),
    (Slip::NeverEnds, "an answer arrives whole, as the one end of its attempt"),
    (Slip::SpeaksAfterTheEnd, "an answer arrives whole, as the one end of its attempt"),
    (Slip::CutsAnswers, "an answer arrives whole, as the one end of its attempt"),
    (Slip::MixesKeys, "an answer arrives whole, as the one end of its attempt"),
    (Slip::ForgetsTheAttempt, "an answer arrives whole, as the one end of its attempt"),
    (Slip::TakesFailuresForAnswers, "what ends without an answer is a failure"),
    (Slip::SaysTimeForFlood, "an answer without end is cut, and said to be"),
    (Slip::BlocksInStart, "start returns at once, and stop ends what is under way"),
    (Slip::DoesNotStop, "start returns at once, and stop ends what is under way"),
    (Slip::SaysBrokenForStopped, "start returns at once, and stop ends what is under way"),
    (Slip::StopsAll, "only the delivery that is meant is stopped"),
    (Slip::OverlapsAttempts, "one delivery has one attempt at a time"),
    (Slip::GoesOnAfterDrop, "nothing goes on when the courier is dropped"),
];

#[test]
fn a_courier_that_breaks_a_promise_is_found_by_it() {
    thread::scope(|scope| {
        for &(slip, promise) in SLIPS {
            scope.spawn(move || {
                let programs = Programs { bench: Bench::new(), program: shell(AGENT) };
                let slipping = Slipping { programs, slip, kept: Mutex::new(Vec::new()) };
                let broken = check(&slipping).expect_err(&format!("{slip:?} was not found"));
                assert_eq!(broken.promise, promise, "{slip:?}: {broken}");
            });
        }
    });
}

struct Slipping {
    programs: Programs,
    slip: Slip,
    /// Couriers that were let go of and not dropped, until the test is over.
    kept: Mutex<Vec<Arc<ProgramCourier>>>,
}

impl Harness for Slipping {
    fn courier(&self) -> Arc<dyn Courier> {
        let inner = Arc::new(ProgramCourier::new(self.programs.program.clone()));
        if self.slip == Slip::GoesOnAfterDrop {
            self.kept.lock().unwrap().push(Arc::clone(&inner));
        }
        Arc::new(SlippingCourier { inner, slip: self.slip, keys: Mutex::new(Vec::new()) })
    }

    fn delivery(&self, key: &Key, behaviour: Behaviour) -> Delivery {
        let mut delivery = self.programs.delivery(key, behaviour);
        if [Slip::BlocksInStart, Slip::DoesNotStop, Slip::GoesOnAfterDrop].contains(&self.slip) {
            // A program that is not stopped as it should be ends by itself, in another way.
            delivery.limits.time_max = Duration::from_secs(5);
        }
        delivery
    }

    fn let_go(&self, key: &Key) {
        self.programs.let_go(key);
    }

    fn is_gone(&self, key: &Key, within: Duration) -> bool {
        self.programs.is_gone(key, within)
    }
}

/// A courier that works but for one thing.
struct SlippingCourier {
    inner: Arc<ProgramCourier>,
    slip: Slip,
    keys: Mutex<Vec<Key>>,
}

impl Courier for SlippingCourier {
    fn kind(&self) -> Kind {
        self.inner.kind()
    }

    fn start(&self, mut delivery: Delivery, reports: Sender<Report>) {
        self.keys.lock().unwrap().push(delivery.key.clone());
        let (key, slip) = (delivery.key.clone(), self.slip);
        if slip == Slip::OverlapsAttempts && delivery.attempt > 1 {
            delivery.key = format!("{key} once more").as_str().into();
            delivery.receiver = "Echo".to_owned();
        }
        let (sender, received) = mpsc::channel();
        self.inner.start(delivery, sender);
        let pass_on = move || {
            for report in received {
                for report in slipped(slip, Report { key: key.clone(), ..report }) {
                    let _ = reports.send(report);
                }
            }
        };
        if slip == Slip::BlocksInStart { pass_on() } else { drop(thread::spawn(pass_on)) }
    }

    fn stop(&self, key: &Key) {
        if self.slip == Slip::StopsAll {
            self.keys.lock().unwrap().iter().for_each(|key| self.inner.stop(key));
        } else if self.slip != Slip::DoesNotStop {
            self.inner.stop(key);
        }
    }
}

fn slipped(slip: Slip, report: Report) -> Vec<Report> {
    let is_final = report.what.is_final();
    let with = |what: What| vec![Report { what, ..report.clone() }];
    match (slip, &report.what) {
        (Slip::EndsTwice, _) if is_final => vec![report.clone(), report],
        (Slip::NeverEnds, _) if is_final => Vec::new(),
        (Slip::SpeaksAfterTheEnd, _) if is_final => {
            let late = Report { what: What::Progress(b"late".to_vec()), ..report.clone() };
            vec![report, late]
        }
        (Slip::CutsAnswers, What::Answer(answer)) => with(What::Answer(answer[1..].to_vec())),
        (Slip::MixesKeys, _) => vec![Report { key: "another".into(), ..report }],
        (Slip::ForgetsTheAttempt, _) => vec![Report { attempt: 1, ..report }],
        (Slip::TakesFailuresForAnswers, What::Failure(failure)) => {
            with(What::Answer(failure.last_words.clone()))
        }
        (Slip::SaysBrokenForStopped, What::Failure(Failure { cause: Cause::Stopped, .. })) => {
            with(What::Failure(Failure::new(Cause::Broken, "broken")))
        }
        (Slip::SaysTimeForFlood, What::Failure(Failure { cause: Cause::TooMuch, .. })) => {
            with(What::Failure(Failure::new(Cause::TimeUp, "time is up")))
        }
        _ => vec![report],
    }
}
