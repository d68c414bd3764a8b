//! Bringing a manifest to its receiver, and no more: what counts is that the receiver has it.
//!
//! The receiver answers with a discussion file, in its own time. Whatever it says to the courier is kept as it is, and
//! where that is no manifest, Baton writes the receipt that ends the delivery.
//!
//! A failure right at the start is tried again at once, within the same attempt: a line that was busy, a program that was
//! just being replaced. Whoever worked for a while is not set to work twice.

use std::collections::BTreeSet;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use baton_courier::{Again, Cause, Courier, Delivery, Failure, Key, Kind, Report, What};
use baton_document::dialect::Settings;
use baton_document::{Checker, Datum, Levels, Limits, Scratch, yaml};

use crate::Setup;
use crate::intake::{self, Taken};

/// The dialect of what is brought.
pub const DIALECT: &str = "manifest";

/// An agent that is only brought something, by the courier that reaches it.
#[must_use]
pub fn bringing(setup: Setup) -> Setup {
    if setup.courier.kind() == Kind::Kept {
        return setup;
    }
    let checker = Arc::new(Checker::new(&Settings::default(), Levels::default(), Limits::default()));
    let (inner, stopped) = (Arc::clone(&setup.courier), Arc::default());
    Setup { courier: Arc::new(Bringing { inner, checker, stopped }), ..setup }
}

/// The pauses before an attempt that failed at once is tried again.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];
/// How long after its start a failure counts as one at once.
const AT_ONCE: Duration = Duration::from_secs(10);

/// A courier whose attempts are over when the receiver has what it was brought.
struct Bringing {
    inner: Arc<dyn Courier>,
    checker: Arc<Checker>,
    /// The deliveries that were stopped while they are under way.
    stopped: Arc<Mutex<BTreeSet<Key>>>,
}

impl Courier for Bringing {
    fn kind(&self) -> Kind {
        self.inner.kind()
    }

    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        // Nobody is asked for a handoff at the end: the discussion file is the answer.
        let delivery = Delivery { finalization: None, is_reask: false, ..delivery };
        locked(&self.stopped).remove(&delivery.key);
        let errand = Errand {
            // Not held: a courier that is dropped ends what is under way.
            courier: Arc::downgrade(&self.inner),
            checker: Arc::clone(&self.checker),
            stopped: Arc::clone(&self.stopped),
            delivery,
            reports,
        };
        thread::spawn(move || errand.run());
    }

    fn stop(&self, key: &Key) {
        locked(&self.stopped).insert(key.clone());
        self.inner.stop(key);
    }
}

fn locked(stopped: &Mutex<BTreeSet<Key>>) -> std::sync::MutexGuard<'_, BTreeSet<Key>> {
    stopped.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One attempt, with all its tries.
struct Errand {
    courier: Weak<dyn Courier>,
    checker: Arc<Checker>,
    stopped: Arc<Mutex<BTreeSet<Key>>>,
    delivery: Delivery,
    reports: Sender<Report>,
}

impl Errand {
    fn run(self) {
        let mut pauses = PAUSES.iter();
        loop {
            let end = self.once();
            let pause = end.as_ref().filter(|(what, took)| is_worth_again(what, *took)).and(pauses.next());
            let (Some(pause), false) = (pause, self.is_stopped()) else {
                let failure = || Failure::new(Cause::Stopped, "stopped before its end");
                let what = end.map_or_else(|| What::Failure(failure()), |(what, _)| what);
                told(&self.checker, &self.delivery.handoff, what).into_iter().for_each(|what| self.say(what));
                locked(&self.stopped).remove(&self.delivery.key);
                return;
            };
            thread::sleep(*pause);
        }
    }

    /// Tries once; gives how it ended and how long it took, or nothing if the courier is gone.
    fn once(&self) -> Option<(What, Duration)> {
        let (sender, receiver) = channel();
        let start = Instant::now();
        self.courier.upgrade().filter(|_| !self.is_stopped())?.start(self.delivery.clone(), sender);
        for report in receiver {
            if report.what.is_final() {
                return Some((report.what, start.elapsed()));
            }
            self.say(report.what);
        }
        None
    }

    fn is_stopped(&self) -> bool {
        locked(&self.stopped).contains(&self.delivery.key)
    }

    fn say(&self, what: What) {
        let Delivery { key, attempt, .. } = &self.delivery;
        // Whoever started it may be gone.
        let _ = self.reports.send(Report { key: key.clone(), attempt: *attempt, what });
    }
}

/// Whether an end that came so soon may be another one the next time.
fn is_worth_again(what: &What, took: Duration) -> bool {
    match what {
        What::Failure(failure) => {
            let is_final = matches!(failure.cause, Cause::Stopped | Cause::TimeUp | Cause::Empty);
            !is_final && failure.cause.again() == Again::MayHelp && took < AT_ONCE
        }
        What::Progress(_) | What::Draft(_) | What::Question(_) | What::Session(_) | What::Answer(_) => false,
    }
}

/// What a report of the courier means here.
fn told(checker: &Checker, handoff: &[u8], what: What) -> Vec<What> {
    match what {
        What::Answer(bytes) => {
            let (taken, _) = intake::answer(checker, &mut Scratch::default(), DIALECT, bytes.clone());
            match taken {
                Taken::Answer(..) => vec![What::Answer(bytes)],
                Taken::Unusable(..) => vec![What::Draft(bytes), receipt(checker, handoff)],
            }
        }
        // It ended well and had nothing to say.
        What::Failure(failure) if failure.cause == Cause::Empty => vec![receipt(checker, handoff)],
        What::Progress(_) | What::Draft(_) | What::Question(_) | What::Session(_) | What::Failure(_) => {
            vec![what]
        }
    }
}

/// The receipt for a manifest: the same, back to its sender.
fn receipt(checker: &Checker, handoff: &[u8]) -> What {
    let said = intake::said(checker, &mut Scratch::default(), handoff);
    let mut document = said.map_or(Datum::Map(Vec::new()), |said| said.document);
    let name = |document: &Datum<'static>, key| document.get(key).cloned().unwrap_or(Datum::Null);
    let (from, to) = (name(&document, "from"), name(&document, "to"));
    document.put("from", to);
    document.put("to", from);
    document.put("status", Datum::text("sent"));
    document.put("x-baton.receipt", Datum::text("written by Baton: the receiver has it"));
    What::Answer(yaml(&document).into_bytes())
}
