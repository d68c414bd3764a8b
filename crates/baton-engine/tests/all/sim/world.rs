//! The simulated world: one ledger with a disk that can forget, lives of processes that can end between any two calls,
//! and what has been asked of agents.
//!
//! Invariant: one thread, and all chance from the dice of the seed.

use std::collections::BTreeMap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard};

use baton_courier::{Courier, Delivery, Key, Kind, Report};
use baton_kernel::{Event, Millis};
use baton_ledger::{
    Append, Appended, Error, Fence, Head, Lease, Ledger, Limit, Memory, NewLease, Query, ReadFrom, Record,
    Refused, Syncing,
};

use super::bugs::Bug;
use super::dice::Dice;

/// How many calls to the ledger there are for one with which it begins to fail.
const TROUBLE_IN: usize = 50;
/// How many calls fail then, at most.
const TROUBLE_MAX: usize = 4;

/// The world, shared by all lives.
#[derive(Clone)]
pub(crate) struct World(Arc<Mutex<Inner>>, Arc<Memory>);

pub(crate) struct Inner {
    pub(crate) dice: Dice,
    pub(crate) bug: Option<Bug>,
    /// Whether faults happen; not while the world heals.
    pub(crate) faults: bool,
    lives: BTreeMap<usize, Life>,
    /// Calls to the ledger that still fail before it works again.
    trouble: usize,
    /// What was asked of agents and is not over.
    pub(crate) posts: Vec<Post>,
    /// Every attempt that an agent was ever started for.
    pub(crate) started: Vec<Attempt>,
    /// The attempts that were lost on their way: nobody ever reports.
    pub(crate) lost: Vec<Attempt>,
    /// The attempts that a process was told the end of, by its life, until it has had a turn that did not fail.
    pub(crate) told: Vec<(usize, Attempt)>,
    /// What is told only after the next turn, where that is the planted fault.
    pub(crate) untold: Vec<(usize, Sender<Report>, Report)>,
    /// What the ledger acknowledged: stream, sequence, hash.
    pub(crate) acknowledged: Vec<(String, u64, baton_kernel::Digest)>,
    /// The letters that somebody wrote to a run and that were acknowledged: the run, and the place in its mailbox.
    pub(crate) letters: Vec<(String, u64)>,
    /// Whether plans come from flow files.
    pub(crate) from_files: bool,
    /// The handoffs that each run may make by its plan, in the order of their start.
    pub(crate) caps: Vec<u32>,
    /// The last lease of each stream, and the life that got it.
    leases: BTreeMap<String, (Fence, usize)>,
    /// What is written with the next call, where that is the planted fault.
    late: Vec<Append>,
    /// Whether the machine fell since the audit looked.
    pub(crate) has_fallen: bool,
    /// What is wrong, as soon as something is.
    pub(crate) wrong: Option<String>,
    pub(crate) story: Vec<String>,
}

/// A process, until it ends.
struct Life {
    /// Calls until it ends; none is for ever.
    fuel: Option<usize>,
    alive: bool,
}

/// An attempt, by the key of its delivery and its number.
pub(crate) type Attempt = (String, u32);

/// Work that an agent has.
pub(crate) struct Post {
    /// The life of the process that gave it.
    pub(crate) life: usize,
    pub(crate) delivery: Delivery,
    pub(crate) reports: Sender<Report>,
}

impl World {
    pub(crate) fn new(seed: u64, bug: Option<Bug>) -> Self {
        let inner = Inner {
            dice: Dice::new(seed),
            bug,
            faults: true,
            lives: BTreeMap::new(),
            trouble: 0,
            posts: Vec::new(),
            started: Vec::new(),
            lost: Vec::new(),
            told: Vec::new(),
            untold: Vec::new(),
            acknowledged: Vec::new(),
            letters: Vec::new(),
            from_files: false,
            caps: Vec::new(),
            leases: BTreeMap::new(),
            late: Vec::new(),
            has_fallen: false,
            wrong: None,
            story: Vec::new(),
        };
        Self(Arc::new(Mutex::new(inner)), Arc::new(Memory::with_faults(Syncing::Never, |_| None)))
    }

    pub(crate) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().expect("one thread, and a panic ends the seed")
    }

    /// The ledger as it is on the disk, for whoever audits.
    pub(crate) fn disk(&self) -> &Memory {
        &self.1
    }

    /// Tells the story.
    pub(crate) fn tell(&self, line: impl Into<String>) {
        self.inner().story.push(line.into());
    }

    /// Says that something is wrong; the first is what counts.
    pub(crate) fn wrong(&self, what: impl Into<String>) {
        self.inner().wrong.get_or_insert(what.into());
    }

    /// Begins the life of a process.
    pub(crate) fn born(&self, life: usize) {
        let mut inner = self.inner();
        let fuel = (inner.faults && !inner.dice.one_in(4)).then(|| inner.dice.below(60));
        inner.lives.insert(life, Life { fuel, alive: true });
    }

    pub(crate) fn is_alive(&self, life: usize) -> bool {
        self.inner().is_alive(life)
    }

    /// Ends the life of a process; `with_machine`: the machine falls, and the disk forgets what was not synced.
    pub(crate) fn end(&self, life: usize, with_machine: bool) {
        if let Some(life) = self.inner().lives.get_mut(&life) {
            life.alive = false;
        }
        if with_machine {
            let kept = self.inner().dice.below(self.1.unsynced() + 1);
            self.1.crash(kept);
            // All that ran on the machine is gone: processes and agents.
            let mut inner = self.inner();
            inner.lives.values_mut().for_each(|life| life.alive = false);
            inner.posts.clear();
            inner.has_fallen = true;
        }
    }

    /// A call of a process to the world; fails where its life is over or ends here.
    fn call(&self, life: usize, what: &str) -> Result<(), Error> {
        let late = std::mem::take(&mut self.inner().late);
        if !late.is_empty() && what != "sync" && what != "acknowledge" && what != "start an agent" {
            self.1.append(late)?;
        } else {
            self.inner().late = late;
        }
        let mut inner = self.inner();
        let faults = inner.faults;
        let Some(state) = inner.lives.get_mut(&life) else { return Err(gone()) };
        if !state.alive {
            return Err(gone());
        }
        if faults && let Some(fuel) = &mut state.fuel {
            if *fuel == 0 {
                state.alive = false;
                inner.story.push(format!("process {life} is killed at: {what}"));
                return Err(gone());
            }
            *fuel -= 1;
        }
        Ok(())
    }

    /// Where it is the planted fault, a process is told only now what was said before its turn, and of a turn that
    /// failed nothing is left.
    pub(crate) fn tell_late(&self, life: usize, is_fine: bool) {
        let mut inner = self.inner();
        let late: Vec<_> = inner.untold.extract_if(.., |(to, _, _)| *to == life).collect();
        for (life, reports, report) in late {
            if is_fine {
                inner.report(life, &reports, report);
            } else if report.what.is_final() {
                inner.told.push((life, (report.key.to_string(), report.attempt)));
            }
        }
    }

    /// All events of a run on the disk.
    pub(crate) fn events(&self, run: &str) -> Vec<Event> {
        let records = self.records(run);
        records.iter().filter_map(|record| serde_json::from_slice(&record.body).ok()).collect()
    }

    pub(crate) fn records(&self, run: &str) -> Vec<Record> {
        let from = ReadFrom::Stream { stream: run.to_owned(), after: 0 };
        self.1.read(&from, Limit(100_000)).expect("the disk has no faults of its own")
    }
}

fn gone() -> Error {
    failed("the process is gone")
}

fn failed(why: &str) -> Error {
    Error::Io { path: "simulated".into(), source: std::io::Error::other(why).into() }
}

impl Inner {
    pub(crate) fn is_alive(&self, life: usize) -> bool {
        self.lives.get(&life).is_some_and(|life| life.alive)
    }

    /// Whether nobody took a stream since a process got it.
    pub(crate) fn has_lease(&self, life: usize, stream: &str) -> bool {
        self.leases.get(stream).is_some_and(|(_, by)| *by == life)
    }

    /// Tells a process what an agent says. A process that is gone hears nothing.
    pub(crate) fn report(&mut self, life: usize, reports: &Sender<Report>, report: Report) {
        if report.what.is_final() {
            self.told.push((life, (report.key.to_string(), report.attempt)));
        }
        let _ = reports.send(report);
    }

    /// Whether the ledger fails for a moment: this call, and perhaps the next ones, of whatever process.
    fn is_in_trouble(&mut self) -> bool {
        if !self.faults {
            return false;
        }
        if self.trouble == 0 && self.dice.one_in(TROUBLE_IN) {
            self.trouble = 1 + self.dice.below(TROUBLE_MAX);
        }
        let is_failing = self.trouble > 0;
        self.trouble -= usize::from(is_failing);
        is_failing
    }
}

/// The ledger as one process sees it.
pub(crate) struct LifeLedger {
    pub(crate) world: World,
    pub(crate) life: usize,
}

impl LifeLedger {
    fn is_bug(&self, bug: Bug) -> bool {
        self.world.inner().bug == Some(bug)
    }

    /// What was written is synced before anybody hears of it.
    fn synced(&self) -> Result<(), Error> {
        self.world.call(self.life, "sync")?;
        if !self.is_bug(Bug::ForgottenSync) {
            self.world.disk().sync();
        }
        self.world.call(self.life, "acknowledge")?;
        self.works("acknowledge")
    }

    /// A call that fails where the process dies, and where the ledger is in trouble.
    fn reached(&self, what: &str) -> Result<(), Error> {
        self.world.call(self.life, what)?;
        self.works(what)
    }

    /// Fails while the ledger is in trouble. The process lives on, and so must what it drives.
    fn works(&self, what: &str) -> Result<(), Error> {
        let mut inner = self.world.inner();
        if inner.is_in_trouble() {
            inner.story.push(format!("process {}: the ledger fails at: {what}", self.life));
            return Err(failed("the ledger is in trouble"));
        }
        Ok(())
    }

    /// What a read comes to; nothing if it failed, where that is the planted fault.
    fn looked<T>(
        &self,
        what: &str,
        look: impl FnOnce(&Memory) -> Result<Vec<T>, Error>,
    ) -> Result<Vec<T>, Error> {
        match self.reached(what) {
            Ok(()) => look(self.world.disk()),
            Err(_) if self.is_bug(Bug::FailedReadIsNothing) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

impl Ledger for LifeLedger {
    fn append(&self, mut batch: Vec<Append>) -> Result<Vec<Result<Appended, Refused>>, Error> {
        self.reached("append")?;
        let fences: Vec<_> = batch.iter().map(|append| append.fence).collect();
        let bug = self.world.inner().bug;
        if let Some(bug) = bug {
            batch.iter_mut().for_each(|append| bug.spoil(append));
        }
        let streams: Vec<String> = batch.iter().map(|append| append.stream.clone()).collect();
        let late = self.is_bug(Bug::EffectBeforeAppend).then(|| batch.clone());
        let results = self.world.disk().append(batch)?;
        if let Some(batch) = late {
            // It is taken back, and written with the next call.
            self.world.disk().crash(0);
            self.world.inner().late.extend(batch);
        }
        self.synced()?;
        let mut inner = self.world.inner();
        for ((stream, fence), result) in streams.into_iter().zip(fences).zip(&results) {
            if let Ok(appended) = result {
                if fence < inner.leases.get(&stream).map(|(fence, _)| *fence) {
                    let wrong =
                        format!("a driver that had lost its lease on {stream} wrote record {}", appended.seq);
                    inner.wrong.get_or_insert(wrong);
                }
                inner.acknowledged.push((stream, appended.seq, appended.hash));
            }
        }
        Ok(results)
    }

    fn read(&self, from: &ReadFrom, limit: Limit) -> Result<Vec<Record>, Error> {
        self.looked("read", |disk| disk.read(from, limit))
    }

    fn find(&self, query: &Query) -> Result<Vec<Head>, Error> {
        self.looked("find", |disk| disk.find(query))
    }

    fn due(&self, until: Millis, limit: Limit) -> Result<Vec<Head>, Error> {
        self.looked("due", |disk| disk.due(until, limit))
    }

    fn lease(&self, wish: &NewLease) -> Result<Result<Lease, Refused>, Error> {
        self.reached("lease")?;
        let lease = self.world.disk().lease(wish)?;
        if let Ok(lease) = &lease {
            self.world.inner().leases.insert(lease.stream.clone(), (lease.fence, self.life));
        }
        self.synced()?;
        Ok(lease)
    }

    fn release(&self, lease: &Lease) -> Result<(), Error> {
        self.reached("release")?;
        self.world.disk().release(lease)?;
        self.synced()
    }
}

/// The couriers as one process sees them: a queue.
pub(crate) struct LifeCourier {
    pub(crate) world: World,
    pub(crate) life: usize,
    pub(crate) kind: Kind,
}

impl Courier for LifeCourier {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        if self.world.call(self.life, "start an agent").is_err() {
            return;
        }
        let (run, key) = delivery.key.as_str().split_once('/').expect("keys name their run");
        let is_recorded = self.world.events(run).iter().any(|event| {
            matches!(event, Event::DeliveryStarted { key: started, attempt, .. }
                if started.to_string() == key && u32::from(*attempt) == delivery.attempt)
        });
        if !is_recorded {
            let attempt = delivery.attempt;
            self.world
                .wrong(format!("an agent was started for {key} attempt {attempt}, which is not recorded"));
        }
        let mut inner = self.world.inner();
        let attempt = (delivery.key.to_string(), delivery.attempt);
        inner.story.push(format!("{} is started for {} attempt {}", delivery.receiver, attempt.0, attempt.1));
        if inner.started.contains(&attempt) {
            inner
                .wrong
                .get_or_insert(format!("an agent was started twice for {} attempt {}", attempt.0, attempt.1));
        }
        inner.started.push(attempt.clone());
        // A delivery can be lost on its way: nobody ever reports.
        if inner.faults && inner.dice.one_in(25) {
            inner.story.push("   and the delivery is lost".to_owned());
            inner.lost.push(attempt);
            return;
        }
        inner.posts.push(Post { life: self.life, delivery, reports });
    }

    fn stop(&self, key: &Key) {
        if self.world.call(self.life, "stop an agent").is_ok() {
            let mut inner = self.world.inner();
            // A stopped agent may have answered just before.
            if !inner.dice.one_in(4) {
                inner.posts.retain(|post| post.life != self.life || post.delivery.key != *key);
            }
        }
    }
}
