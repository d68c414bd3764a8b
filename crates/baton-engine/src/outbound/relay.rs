//! Bringing a manifest to its receiver, and no more: what counts is that the receiver has it.
//!
//! The receiver answers with a discussion file, in its own time. Whatever it says to the courier is kept as it is, and
//! where that is no manifest, Baton writes the receipt that ends the delivery.
//!
//! A failure right at the start is tried again at once, within the same attempt: a line that was busy, a program that was
//! just being replaced. Whoever worked for a while is not set to work twice.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use baton_courier::{Again, Cause, Courier, Delivery, Failure, Key, Kind, Report, What};
use baton_document::dialect::Settings;
use baton_document::{Checker, Datum, Levels, Limits, Scratch, yaml};

use crate::intake;
use crate::intake::Taken;
use crate::project::agents::Setup;
use crate::records::reading;

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

    fn clear(&self, root: &Path, key: &Key) {
        self.inner.clear(root, key);
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
        let courier = self.courier.upgrade()?;
        // Held while it starts, so that whoever stops it finds it under way.
        let stopped = locked(&self.stopped);
        if stopped.contains(&self.delivery.key) {
            return None;
        }
        courier.start(self.delivery.clone(), sender);
        drop((stopped, courier));
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
            let (taken, _) =
                intake::answer(checker, &mut Scratch::default(), DIALECT, bytes.clone(), false, |_, _| ());
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
    let said = reading::said(checker, &mut Scratch::default(), handoff);
    let mut document = said.map_or(Datum::Map(Vec::new()), |said| said.document);
    let name = |document: &Datum<'static>, key| document.get(key).cloned().unwrap_or(Datum::Null);
    let (from, to) = (name(&document, "from"), name(&document, "to"));
    document.put("from", to);
    document.put("to", from);
    document.put("status", Datum::text("sent"));
    document.put("x-baton.receipt", Datum::text("written by Baton: the receiver has it"));
    What::Answer(yaml(&document).into_bytes())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use baton_courier::Limits as Time;

    use super::*;

    const MANIFEST: &str = "version: 1\nsource_file: discussion/001-codex-response.md\ngenerated_at: \"2026-02-09\"\n\
                            from: codex\nto: claude\nstatus: pending\n";

    /// A courier whose attempts end one after the other as it was told.
    struct Told {
        ends: Vec<Vec<What>>,
        started: AtomicUsize,
    }

    impl Courier for Told {
        fn kind(&self) -> Kind {
            Kind::Idempotent
        }

        fn start(&self, delivery: Delivery, reports: Sender<Report>) {
            assert!(delivery.finalization.is_none(), "nobody is asked for a handoff");
            let at = self.started.fetch_add(1, Ordering::SeqCst);
            for what in self.ends.get(at).cloned().unwrap_or_default() {
                let _ = reports.send(Report { key: delivery.key.clone(), attempt: delivery.attempt, what });
            }
        }

        fn stop(&self, _: &Key) {}
    }

    fn delivery() -> Delivery {
        Delivery {
            key: Key::from("run/0-0-0"),
            attempt: 7,
            receiver: "claude".to_owned(),
            handoff: MANIFEST.as_bytes().to_vec(),
            dialect: DIALECT.to_owned(),
            extension: "yaml".to_owned(),
            prompt: None,
            finalization: Some(baton_courier::Finalization { prompt: String::new(), schema: String::new() }),
            is_reask: false,
            permits: Vec::new(),
            session: None,
            limits: Time::default(),
            environment: Vec::new(),
            directory: ".".into(),
            root: ".".into(),
            sandbox: None,
        }
    }

    /// What is reported of a delivery, and how often the courier was started.
    fn reported(ends: Vec<Vec<What>>) -> (Vec<What>, usize) {
        let told = Arc::new(Told { ends, started: AtomicUsize::new(0) });
        let setup = bringing(Setup::new(Arc::clone(&told) as Arc<dyn Courier>, DIALECT));
        let (sender, receiver) = channel();
        setup.courier.start(delivery(), sender);
        let said = receiver.into_iter().inspect(|report| assert_eq!(report.attempt, 7));
        let said = said.map(|report| report.what).collect();
        (said, told.started.load(Ordering::SeqCst))
    }

    fn failure(cause: Cause) -> What {
        What::Failure(Failure::new(cause, "it failed"))
    }

    #[test]
    fn whatever_a_receiver_says_it_has_the_manifest() {
        // proves M-15
        let session = What::Session("s-1".to_owned());
        let (said, _) = reported(vec![vec![session.clone(), What::Answer(b"Thanks!".to_vec())]]);
        let [first, kept, What::Answer(receipt)] = said.as_slice() else { panic!("{said:?}") };
        assert_eq!((first, kept), (&session, &What::Draft(b"Thanks!".to_vec())));
        let receipt = String::from_utf8_lossy(receipt);
        assert!(receipt.contains("from: claude\nto: codex\nstatus: sent\n"), "{receipt}");
        assert!(receipt.contains("written by Baton"), "{receipt}");
        let (silent, _) = reported(vec![vec![failure(Cause::Empty)]]);
        assert!(matches!(silent.as_slice(), [What::Answer(_)]), "{silent:?}");
        let own = MANIFEST.replace("from: codex\nto: claude", "from: claude\nto: codex").into_bytes();
        let (said, _) = reported(vec![vec![What::Answer(own.clone())]]);
        assert_eq!(said, [What::Answer(own)], "its own manifest is its answer");
    }

    #[test]
    fn what_fails_at_once_is_tried_again_shortly_and_the_rest_is_not() {
        // proves M-16
        let busy = || vec![failure(Cause::Exited(1))];
        let (said, started) = reported(vec![busy(), vec![What::Answer(b"ok".to_vec())]]);
        assert!(matches!(said.as_slice(), [What::Draft(_), What::Answer(_)]), "{said:?}");
        assert_eq!(started, 2);
        assert_eq!(reported(vec![busy(), busy(), busy(), busy()]), (busy(), 3));
        for cause in [Cause::Missing, Cause::TimeUp, Cause::Stopped] {
            assert_eq!(reported(vec![vec![failure(cause)]]), (vec![failure(cause)], 1));
        }
        assert!(!is_worth_again(&failure(Cause::Exited(1)), AT_ONCE), "it had worked for a while");
    }

    #[test]
    fn a_courier_that_says_nothing_more_ends_the_attempt() {
        let (said, started) = reported(vec![vec![What::Progress(b"hm".to_vec())]]);
        let [What::Progress(_), What::Failure(failure)] = said.as_slice() else { panic!("{said:?}") };
        assert_eq!((failure.cause, started), (Cause::Stopped, 1));
    }

    #[test]
    fn what_was_stopped_is_not_tried_again() {
        let told = Told { ends: vec![vec![failure(Cause::Exited(1))]; 3], started: AtomicUsize::new(0) };
        let told = Arc::new(told);
        let setup = bringing(Setup::new(Arc::clone(&told) as Arc<dyn Courier>, DIALECT));
        let (sender, receiver) = channel();
        setup.courier.start(delivery(), sender);
        setup.courier.stop(&Key::from("run/0-0-0"));
        assert_eq!(receiver.into_iter().filter(|report| report.what.is_final()).count(), 1);
        assert!(told.started.load(Ordering::SeqCst) < 3);
    }
}
