//! What runs owe, done: attempts that are owed are started, and those that are not are stopped.

use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_courier::{Cause, Delivery, Failure, Key as CourierKey, Report, What as Said};
use baton_kernel::{Key, Millis, OwedDelivery};

use super::examine::Origin;
use super::pool::Done;
use super::reports::verifies;
use super::{Engine, Watched, courier_key, receiver_of};
use crate::evidence;
use crate::evidence::Before;
use crate::outbound::compose;
use crate::outbound::compose::Parcel;
use crate::outbound::worktree;
use crate::project::agents::Setup;

use crate::sandbox::{Guards, Place, Runs, Seal, guard_worktree, works};

/// A delivery with everything in place where its agent works.
pub(super) struct Prepared {
    key: CourierKey,
    attempt: u16,
    delivery: Result<Delivery, Failure>,
    /// What the agent must not change, as it is now.
    seal: Option<Seal>,
    /// What stands in the project as the work begins, where its evidence is verified.
    before: Option<Before>,
}

/// What is to be put in place for a delivery: perhaps a worktree of its own, perhaps a wall.
struct Preparation {
    delivery: Delivery,
    setup: Setup,
    run: String,
    attempt: u16,
    pinned: Vec<String>,
    /// Whether agents of other runs may be at work in the project.
    is_shared: bool,
    guards: Option<Arc<Guards>>,
    /// The delivery, if it is noted what stands in the project before.
    noted: Option<Key>,
}

impl Preparation {
    /// Whether it waits for git or reads files.
    fn is_slow(&self) -> bool {
        self.setup.worktree || self.noted.is_some() || self.is_sealed()
    }

    fn is_sealed(&self) -> bool {
        self.setup.runs.is_walled() && works()
    }

    fn prepare(self) -> Prepared {
        let (key, attempt) = (self.delivery.key.clone(), self.attempt);
        let root = self.delivery.root.clone();
        let place = Place { root: &root, worktree: None, pinned: &self.pinned, is_shared: false };
        let seal = self.is_sealed().then(|| Seal::new(place));
        let noted = self.noted;
        let delivery = self.placed();
        let before = noted.zip(delivery.as_ref().ok()).and_then(|(key, (_, folder))| {
            // Without it, times must do.
            let tree = evidence::tree(folder, &evidence::store(&root))?;
            Some(Before { key, tree })
        });
        Prepared { key, attempt, delivery: delivery.map(|(delivery, _)| delivery), seal, before }
    }

    /// The delivery where its agent works, and the folder that holds its work.
    fn placed(self) -> Result<(Delivery, PathBuf), Failure> {
        let Self { mut delivery, setup, run, pinned, is_shared, guards, .. } = self;
        let root = delivery.root.canonicalize().unwrap_or_else(|_| delivery.root.clone());
        let own = if setup.worktree {
            let own = worktree::of(&root, &run, &delivery.receiver, &setup.checked_out);
            Some(own.map_err(|why| Failure::new(Cause::Impossible, why))?)
        } else {
            None
        };
        if let Some(own) = &own {
            if let Some(guards) = guards {
                // What is not taken cannot be promised, and the agent is not started.
                let _ = guard_worktree(&guards, own);
            }
            let below = delivery.directory.strip_prefix(&delivery.root).map(Path::to_owned);
            delivery.directory = own.join(below.unwrap_or_default());
        }
        let place = Place { root: &root, worktree: own.as_deref(), pinned: &pinned, is_shared };
        delivery.sandbox = setup.runs.sandbox(place);
        if matches!(setup.runs, Runs::Person(Some(_))) && delivery.sandbox.is_none() {
            // A program that runs nothing of the project finds nothing of it where it starts either.
            delivery.directory = PathBuf::from("/");
        }
        let folder = own.unwrap_or_else(|| delivery.root.clone());
        Ok((delivery, folder))
    }
}

impl Engine<'_> {
    /// Starts the attempts that a run owes and that are not under way, and stops those that it owes no more.
    pub(super) fn deliver(&mut self, name: &str, now: Millis) {
        let Some(run) = self.runs.get(name) else { return };
        let is_owed = |watched: &Watched| {
            let owed = &run.owed.deliveries;
            owed.iter().any(|owed| owed.key == watched.key && owed.attempt == watched.attempt)
        };
        // What one attempt said of itself says nothing of the next.
        self.later.retain(|_, later| later.watched.run != name || is_owed(&later.watched));
        let stale = self.of_run(name).filter(|(_, watched)| !is_owed(watched));
        let stale: Vec<_> = stale.map(|(key, _)| key.clone()).collect();
        self.stop(stale);
        let is_shared = self.is_shared(name);
        let owed = self.runs.get(name).map(|run| run.owed.deliveries.clone()).unwrap_or_default();
        for owed in &owed {
            let key = courier_key(name, owed.key);
            // Of an attempt that is owed, as all are that are still here.
            let is_later = self.later.get(&key).is_some_and(|later| later.at.is_some_and(|at| at > now));
            if is_later {
                continue;
            }
            if self.watched.get(&key).is_some_and(|watched| watched.attempt == owed.attempt) {
                if let Some(prepared) = self.prepared.remove(&key) {
                    self.begin(prepared);
                }
                continue;
            }
            self.attempt(name, owed, is_shared, now);
        }
    }

    /// Composes an attempt and starts it, or has it prepared on the pool first.
    fn attempt(&mut self, name: &str, owed: &OwedDelivery, is_shared: bool, now: Millis) {
        let Some(run) = self.runs.get(name) else { return };
        let key = courier_key(name, owed.key);
        let (receiver, attempt) = (receiver_of(run, owed).to_owned(), owed.attempt);
        let environment = Arc::clone(&run.environment);
        let watched =
            Watched { run: name.to_owned(), key: owed.key, attempt, receiver: receiver.clone(), environment };
        self.watched.insert(key.clone(), watched.clone());
        let Some(setup) = watched.setup() else {
            let why = format!("nobody here knows an agent `{receiver}`");
            self.fail(key, attempt, Failure::new(Cause::Missing, why));
            return;
        };
        let is_open = matches!(setup.runs, Runs::Open);
        if let Some(changed) = run.exposure.changed(&self.settings.root, &setup.programs).filter(|_| is_open)
        {
            let why = format!(
                "{receiver} was not started: {changed} was changed while an agent in a sandbox was at work, and would run outside"
            );
            let hint = "look at it and restore it; then start a new run";
            self.fail(key, attempt, Failure::new(Cause::Impossible, why).with_hint(hint));
            return;
        }
        let parcel = Parcel {
            key: key.clone(),
            owed,
            run,
            receiver: &receiver,
            setup,
            agents: &watched.environment.agents,
            root: self.settings.root.clone(),
            now,
        };
        let delivery = match compose::delivery(&watched.environment.checker, &mut self.scratch, parcel) {
            Ok(delivery) => delivery,
            Err(failure) => return self.fail(key, attempt, failure),
        };
        let is_noted = attempt == 1 && run.before(owed.key).is_none() && verifies(run, owed.key).is_some();
        let preparation = Preparation {
            delivery,
            setup: setup.clone(),
            run: name.to_owned(),
            attempt,
            pinned: run.pinned().to_vec(),
            is_shared,
            guards: self.walls.guards(),
            noted: is_noted.then_some(owed.key),
        };
        if preparation.is_slow() {
            self.pool.run(name, move || Done::Prepared(Box::new(preparation.prepare())));
        } else {
            self.begin(preparation.prepare());
        }
    }

    /// Takes over a delivery that is prepared. It goes out once what was noted for it is recorded.
    pub(super) fn hear_prepared(&mut self, prepared: Prepared) {
        let Some(watched) = self.watched.get(&prepared.key) else { return };
        if watched.attempt != prepared.attempt {
            return;
        }
        if let Some(before) = prepared.before.clone()
            && let Some(run) = self.runs.get_mut(&watched.run)
        {
            run.work_begins(before);
        }
        if self.is_leaving {
            let why = format!("{} was stopped before it was started", watched.receiver);
            self.fail(prepared.key, prepared.attempt, Failure::new(Cause::Stopped, why));
        } else {
            self.prepared.insert(prepared.key.clone(), prepared);
        }
    }

    /// Lets an attempt go out.
    fn begin(&mut self, prepared: Prepared) {
        let Prepared { key, attempt, delivery, seal, before: _ } = prepared;
        let Some(courier) = self.watched.get(&key).and_then(Watched::setup).map(|setup| &setup.courier)
        else {
            return;
        };
        match delivery {
            Ok(mut delivery) => {
                if let Some(sandbox) = &mut delivery.sandbox {
                    sandbox.held = self.walls.held();
                }
                if let Some(seal) = seal {
                    self.walls.seal(&key, seal);
                }
                courier.start(delivery, self.sender.clone());
            }
            Err(failure) => self.fail(key, attempt, failure),
        }
    }

    /// Hears of an attempt that could not begin like of any other that failed.
    fn fail(&mut self, key: CourierKey, attempt: u16, failure: Failure) {
        let what = Said::Failure(failure);
        self.inbox.push_back(Report { key, attempt: u32::from(attempt), what });
    }

    /// The attempts of a run that this process watches.
    pub(super) fn of_run(&self, name: &str) -> impl Iterator<Item = (&CourierKey, &Watched)> {
        let first = [name, "/"].concat();
        let of_run = self.watched.range::<str, _>((Bound::Included(&*first), Bound::Unbounded));
        let of_run = of_run.take_while(move |(key, _)| key.as_str().starts_with(&first));
        of_run.filter(move |(_, watched)| watched.run == name)
    }

    /// Ends attempts that this process watches.
    pub(super) fn stop(&mut self, attempts: Vec<CourierKey>) {
        for key in attempts {
            self.prepared.remove(&key);
            let Some(watched) = self.watched.remove(&key) else { continue };
            if let Some(setup) = watched.setup() {
                setup.courier.stop(&key);
            }
            if let Some(seal) = self.walls.unseal(&key)
                && self.runs.contains_key(&watched.run)
            {
                self.examine(watched, Origin::Stopped, None, Some(seal));
            }
        }
    }
}
