//! The deliveries that are under way, each with a thread of its own, and how they are begun and ended.
//!
//! Invariant: a delivery is off the table before its end is reported, so that whoever hears of it can start the next
//! attempt at once.
//! Invariant: one session has one turn at a time. Agents that resume a session twice at once lose one of the two.

use std::collections::{HashMap, HashSet};
use std::io::{self, PipeReader, PipeWriter, Write as _};
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::id::{Id, Names};
use crate::leash::{Leash, WorksFor};
use crate::temporary::FolderPool;
use crate::{Cause, Courier, Delivery, Failure, Key, Kind, Report, What};

use super::carry::carry;
use super::{Program, watch};

/// What a courier does with one delivery, in a thread of its own.
pub(crate) trait Carrier: Send + Sync + 'static {
    /// What may be done with an attempt whose end nobody saw.
    fn kind(&self) -> Kind;

    /// Brings the delivery, tells what happens on the way, and gives the answer.
    fn carry(
        &self,
        flight: &Arc<Flight>,
        wake: &PipeReader,
        delivery: &Delivery,
        tell: &mut dyn FnMut(What),
    ) -> Result<Vec<u8>, Failure>;
}

/// A program, and the folders that its attempts take over from each other.
struct ProgramCarrier {
    program: Program,
    folders: FolderPool,
}

impl Carrier for ProgramCarrier {
    fn kind(&self) -> Kind {
        self.program.kind
    }

    fn carry(
        &self,
        flight: &Arc<Flight>,
        wake: &PipeReader,
        delivery: &Delivery,
        tell: &mut dyn FnMut(What),
    ) -> Result<Vec<u8>, Failure> {
        carry(&self.program, &self.folders, flight, wake, delivery, tell)
    }
}

/// How long dropping a courier waits for what it started; killed programs are gone long before.
const DROP_WITHIN: Duration = Duration::from_secs(15);

const STACK_BYTES: usize = 256 * 1024;

/// Makes a courier of a type around [`Flights`], which does all of it.
macro_rules! flown {
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
pub(crate) use flown;

/// Carries handoffs to a program, which is started anew for every attempt.
pub struct ProgramCourier(Flights<ProgramCarrier>);

impl ProgramCourier {
    /// A courier for one program.
    #[must_use]
    pub fn new(program: Program) -> Self {
        Self(Flights::new(ProgramCarrier { program, folders: FolderPool::default() }))
    }
}

flown!(ProgramCourier);

/// The deliveries of one courier that starts programs.
pub(crate) struct Flights<C> {
    carrier: Arc<C>,
    air: Arc<Air>,
}

impl<C> Flights<C> {
    pub(crate) fn new(carrier: C) -> Self {
        Self { carrier: Arc::new(carrier), air: Arc::new(Air::default()) }
    }
}

impl<C: Carrier> Courier for Flights<C> {
    fn kind(&self) -> Kind {
        self.carrier.kind()
    }

    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        let report = Reporter { key: delivery.key.clone(), attempt: delivery.attempt, reports };
        let (flight, wake) = match self.air.take_off(&delivery) {
            Ok(taken_off) => taken_off,
            Err(failure) => return report.send(What::Failure(failure)),
        };
        let (carrier, air) = (Arc::clone(&self.carrier), Arc::clone(&self.air));
        let on_failure = report.clone();
        let key = delivery.key.clone();
        let started = thread::Builder::new()
            .name("baton-program".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || fly(&*carrier, &air, &flight, &wake, &delivery, &report));
        if let Err(error) = started {
            self.air.land(&key, || {
                let message = format!("no thread could be started for the delivery: {error}");
                on_failure.send(What::Failure(Failure::new(Cause::Broken, message)));
            });
        }
    }

    fn clear(&self, root: &Path, key: &Key) {
        // Where it cannot be locked, nothing is known of it either; and whoever has it is alive.
        if let Ok(Some(leash)) = Leash::of_delivery(root, key) {
            let _ = leash.end_left(|| Ok::<(), ()>(()));
        }
    }

    fn stop(&self, key: &Key) {
        if let Some(flight) = self.air.table().flights.get(key) {
            flight.give(Order::Stop);
        }
        self.air.changed.notify_all();
    }
}

impl<C> Drop for Flights<C> {
    fn drop(&mut self) {
        let table = self.air.table();
        for flight in table.flights.values() {
            flight.give(Order::Kill);
        }
        self.air.changed.notify_all();
        let waited = self.air.changed.wait_timeout_while(table, DROP_WITHIN, |table| table.in_the_air > 0);
        // What the system does not let go of by then cannot be waited for.
        drop(waited);
    }
}

/// One attempt from the first step to its final report.
fn fly(
    carrier: &impl Carrier,
    air: &Air,
    flight: &Arc<Flight>,
    wake: &PipeReader,
    delivery: &Delivery,
    report: &Reporter,
) {
    let mut held = Vec::new();
    // Without it a program that outlives us is not known again.
    let leash = Leash::of_delivery(&delivery.root, &delivery.key).ok().flatten();
    if let Some(leash) = &leash {
        let _ = leash.end_left(|| if flight.order() == Order::GoOn { Ok(()) } else { Err(()) });
    }
    flight.hold(leash);
    let end = resumed(delivery).and_then(|()| {
        if !air.wait_for_turn(flight, delivery.session.as_deref(), &mut held) {
            return Err(Failure::new(Cause::Stopped, "stopped while it waited for its turn in the session"));
        }
        let mut refused = None;
        let mut tell = |what: What| {
            if let What::Session(session) = &what {
                if let Err(bad) = Id::new(Names::Session, session) {
                    // Nothing is recorded under it, and nothing goes on in it.
                    refused.get_or_insert(bad.said_by(&delivery.receiver));
                    flight.give(Order::Stop);
                    return;
                }
                air.hold(session, &mut held);
            }
            report.send(what);
        };
        let end = carrier.carry(flight, wake, delivery, &mut tell);
        refused.map_or(end, Err)
    });
    air.give_back(&held);
    flight.hold(None);
    let what = match end {
        Ok(answer) => What::Answer(answer),
        Err(failure) => What::Failure(failure),
    };
    air.land(&delivery.key, || report.send(what));
}

/// Refuses a delivery that is to go on in a session with an id that cannot be handed to a program.
fn resumed(delivery: &Delivery) -> Result<(), Failure> {
    let session = delivery.session.as_deref().map(|session| Id::new(Names::Session, session));
    session.transpose().map(|_| ()).map_err(|bad| bad.recorded())
}

/// Sends the reports of one attempt.
#[derive(Clone)]
struct Reporter {
    key: Key,
    attempt: u32,
    reports: Sender<Report>,
}

impl Reporter {
    fn send(&self, what: What) {
        // Nobody may be there to hear it any more; the delivery goes on all the same.
        let _ = self.reports.send(Report { key: self.key.clone(), attempt: self.attempt, what });
    }
}

/// What is to become of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    GoOn,
    Stop,
    Kill,
}

/// A delivery that is under way.
pub(crate) struct Flight {
    attempt: u32,
    order: AtomicU8,
    wake: PipeWriter,
    /// What names its program for whoever comes after us.
    leash: Mutex<Option<Leash>>,
    works_for: WorksFor,
}

impl Flight {
    /// What is to become of it.
    pub(crate) fn order(&self) -> Order {
        match self.order.load(Ordering::Acquire) {
            0 => Order::GoOn,
            1 => Order::Stop,
            _ => Order::Kill,
        }
    }

    /// Names the program that works for it now.
    pub(super) fn note(&self, leader: u32) {
        if let Some(leash) = &*self.leash.lock().unwrap_or_else(PoisonError::into_inner) {
            leash.note(leader, Some(&self.works_for));
        }
    }

    fn hold(&self, leash: Option<Leash>) {
        *self.leash.lock().unwrap_or_else(PoisonError::into_inner) = leash;
    }

    /// Wakes the thread of the delivery.
    pub(super) fn wake(&self) {
        // A pipe that is full wakes as well as one more byte would.
        let _ = (&self.wake).write(&[0]);
    }

    fn give(&self, order: Order) {
        let number = match order {
            Order::GoOn => 0,
            Order::Stop => 1,
            Order::Kill => 2,
        };
        self.order.fetch_max(number, Ordering::AcqRel);
        self.wake();
    }
}

/// All that is under way.
#[derive(Default)]
struct Air {
    table: Mutex<Table>,
    changed: Condvar,
}

#[derive(Default)]
struct Table {
    flights: HashMap<Key, Arc<Flight>>,
    /// Counts those that are off the table but not yet reported too.
    in_the_air: usize,
    sessions: HashSet<String>,
}

impl Air {
    fn table(&self) -> MutexGuard<'_, Table> {
        // Every change of the table is whole, so that a thread that panicked left nothing half done.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_off(&self, delivery: &Delivery) -> Result<(Arc<Flight>, PipeReader), Failure> {
        let broken = |error: io::Error| {
            Failure::new(Cause::Broken, format!("no pipe could be made for the delivery: {error}"))
        };
        let (reader, wake) = io::pipe().map_err(broken)?;
        watch::never_block(wake.as_fd()).map_err(broken)?;
        let mut table = self.table();
        if let Some(flight) = table.flights.get(&delivery.key) {
            let message = format!(
                "attempt {} of {} cannot start while attempt {} is under way",
                delivery.attempt, delivery.key, flight.attempt
            );
            return Err(
                Failure::new(Cause::Impossible, message).with_hint("stop it first, or wait for its end")
            );
        }
        let flight = Arc::new(Flight {
            attempt: delivery.attempt,
            order: AtomicU8::new(0),
            wake,
            leash: Mutex::default(),
            works_for: WorksFor {
                root: delivery.root.to_string_lossy().into_owned(),
                key: delivery.key.to_string(),
                agent: delivery.receiver.clone(),
            },
        });
        table.flights.insert(delivery.key.clone(), Arc::clone(&flight));
        table.in_the_air += 1;
        Ok((flight, reader))
    }

    /// Takes a delivery off the table, reports its end, and tells those who wait.
    fn land(&self, key: &Key, report: impl FnOnce()) {
        self.table().flights.remove(key);
        report();
        self.table().in_the_air -= 1;
        self.changed.notify_all();
    }

    /// Waits until nobody else has the session; false if the delivery was stopped meanwhile.
    fn wait_for_turn(&self, flight: &Flight, session: Option<&str>, held: &mut Vec<String>) -> bool {
        let Some(session) = session else { return true };
        let is_waiting =
            |table: &mut Table| flight.order() == Order::GoOn && table.sessions.contains(session);
        let mut table =
            self.changed.wait_while(self.table(), is_waiting).unwrap_or_else(PoisonError::into_inner);
        if flight.order() != Order::GoOn {
            return false;
        }
        table.sessions.insert(session.to_owned());
        held.push(session.to_owned());
        true
    }

    /// Keeps a session that an agent has just named for itself.
    fn hold(&self, session: &str, held: &mut Vec<String>) {
        if self.table().sessions.insert(session.to_owned()) {
            held.push(session.to_owned());
        }
    }

    fn give_back(&self, held: &[String]) {
        let mut table = self.table();
        for session in held {
            table.sessions.remove(session);
        }
        drop(table);
        self.changed.notify_all();
    }
}
