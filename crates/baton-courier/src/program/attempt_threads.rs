//! Couriers that start programs: each attempt has a thread of its own.

use std::io::PipeReader;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use crate::id::{Id, Names};
use crate::in_flight::InFlight;
use crate::process_lock::ProcessLock;
use crate::{Cause, Courier, Delivery, Failure, Key, Kind, Report, What};

use super::attempt::{Attempt, Order};
use super::session_queue::SessionQueue;

/// Work of a courier on one attempt, in the thread of the attempt.
pub(crate) trait AttemptRunner: Send + Sync + 'static {
    /// Recovery of an attempt whose end was not reported.
    fn kind(&self) -> Kind;

    /// Delivers, reports events on the way, and returns the answer.
    fn run_attempt(
        &self,
        attempt: &Arc<Attempt>,
        wake: &PipeReader,
        delivery: &Delivery,
        tell: &mut dyn FnMut(What),
    ) -> Result<Vec<u8>, Failure>;
}

/// Time for which dropping a courier waits for its programs; killed programs end long before.
const DROP_WITHIN: Duration = Duration::from_secs(15);

/// Implements [`Courier`] for a type by its [`AttemptThreads`].
macro_rules! courier_newtype {
    ($courier:ident) => {
        impl $crate::Courier for $courier {
            fn kind(&self) -> $crate::Kind {
                $crate::Courier::kind(&self.0)
            }

            fn start(&self, delivery: $crate::Delivery, reports: std::sync::mpsc::Sender<$crate::Report>) {
                $crate::Courier::start(&self.0, delivery, reports);
            }

            fn clear(&self, root: &std::path::Path, key: &$crate::Key) {
                $crate::Courier::clear(&self.0, root, key);
            }

            fn stop(&self, key: &$crate::Key) {
                $crate::Courier::stop(&self.0, key);
            }
        }
    };
}
pub(crate) use courier_newtype;

/// Attempts in flight of one courier, each with a thread.
pub(crate) struct AttemptThreads<R> {
    runner: Arc<R>,
    in_flight: Arc<InFlight<Arc<Attempt>>>,
    sessions: Arc<SessionQueue>,
}

impl<R> AttemptThreads<R> {
    pub(crate) fn new(runner: R) -> Self {
        Self { runner: Arc::new(runner), in_flight: Arc::default(), sessions: Arc::default() }
    }
}

impl<R: AttemptRunner> Courier for AttemptThreads<R> {
    fn kind(&self) -> Kind {
        self.runner.kind()
    }

    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        let (attempt, wake) = match Attempt::new(&delivery) {
            Ok((attempt, wake)) => (Arc::new(attempt), wake),
            Err(error) => {
                let message = format!("no pipe could be made for the delivery: {error}");
                let what = What::Failure(Failure::new(Cause::Broken, message));
                // The delivery ends without a listener too.
                let _ = reports.send(Report { key: delivery.key, attempt: delivery.attempt, what });
                return;
            }
        };
        let (runner, sessions) = (Arc::clone(&self.runner), Arc::clone(&self.sessions));
        let handle = Arc::clone(&attempt);
        self.in_flight.start(delivery, reports, handle, move |delivery, tell| {
            run(&*runner, &sessions, &attempt, &wake, delivery, tell)
        });
    }

    fn clear(&self, root: &Path, key: &Key) {
        // A delivery that cannot be locked has a living owner, or nothing is known of it.
        if let Ok(Some(lock)) = ProcessLock::of_delivery(root, key) {
            let _ = lock.end_orphan(|| Ok::<(), ()>(()));
        }
    }

    fn stop(&self, key: &Key) {
        if let Some(attempt) = self.in_flight.find(key) {
            attempt.give(Order::Stop);
        }
        self.sessions.wake();
    }
}

impl<R> Drop for AttemptThreads<R> {
    fn drop(&mut self) {
        self.in_flight.clear(DROP_WITHIN, |_, attempt| {
            attempt.give(Order::Kill);
            self.sessions.wake();
        });
    }
}

/// One attempt, up to its answer or failure.
fn run(
    runner: &impl AttemptRunner,
    sessions: &SessionQueue,
    attempt: &Arc<Attempt>,
    wake: &PipeReader,
    delivery: &Delivery,
    tell: &dyn Fn(What),
) -> Result<Vec<u8>, Failure> {
    // Without a lock a program that outlives Baton is not found again.
    let lock = ProcessLock::of_delivery(&delivery.root, &delivery.key).ok().flatten();
    if let Some(lock) = &lock {
        let _ = lock.end_orphan(|| if attempt.order() == Order::GoOn { Ok(()) } else { Err(()) });
    }
    attempt.hold(lock);
    let end = in_session(runner, sessions, attempt, wake, delivery, tell);
    attempt.hold(None);
    end
}

/// The attempt, once its session is free.
fn in_session(
    runner: &impl AttemptRunner,
    sessions: &SessionQueue,
    attempt: &Arc<Attempt>,
    wake: &PipeReader,
    delivery: &Delivery,
    tell: &dyn Fn(What),
) -> Result<Vec<u8>, Failure> {
    let session = delivery.session.as_deref();
    // An id that no program can be given ends the attempt before it starts.
    session.map(|session| Id::new(Names::Session, session)).transpose().map_err(|bad| bad.recorded())?;
    let Some(mut taken) = sessions.wait(attempt, session) else {
        return Err(Failure::new(Cause::Stopped, "stopped while it waited for its turn in the session"));
    };
    let mut refused = None;
    let mut tell = |what: What| {
        if let What::Session(session) = &what {
            if let Err(bad) = Id::new(Names::Session, session) {
                // Nothing is recorded under an invalid id, and nothing is resumed by it.
                refused.get_or_insert(bad.said_by(&delivery.receiver));
                attempt.give(Order::Stop);
                return;
            }
            taken.add(session);
        }
        tell(what);
    };
    let end = runner.run_attempt(attempt, wake, delivery, &mut tell);
    refused.map_or(end, Err)
}
