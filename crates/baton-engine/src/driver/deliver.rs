//! What runs owe, done: attempts that are owed are started, and those that are not are stopped.

use std::ops::Bound;
use std::path::PathBuf;

use baton_courier::{Cause, Delivery, Failure, Report, What as Said};
use baton_kernel::Millis;

use super::walls::Walls;
use super::{Engine, Watched, courier_key, receiver_of};
use crate::outbound::compose;
use crate::outbound::compose::Parcel;
use crate::outbound::worktree;
use crate::project::agents::Setup;
use crate::sandbox::{Place, Runs};

/// The delivery to an agent where it works: perhaps in a worktree of its own, perhaps behind a wall.
fn apart(
    mut delivery: Delivery,
    setup: &Setup,
    run: &str,
    (pinned, is_shared): (&[String], bool),
    walls: &Walls,
) -> Result<Delivery, Failure> {
    let root = delivery.root.canonicalize().unwrap_or_else(|_| delivery.root.clone());
    let own = if setup.worktree {
        let own = worktree::of(&root, run, &delivery.receiver);
        Some(own.map_err(|why| Failure::new(Cause::Impossible, why))?)
    } else {
        None
    };
    if let Some(own) = &own {
        walls.guard_worktree(own);
        let below = delivery.directory.strip_prefix(&delivery.root).map(std::path::Path::to_owned);
        delivery.directory = own.join(below.unwrap_or_default());
    }
    delivery.sandbox = setup.runs.sandbox(Place { root: &root, worktree: own.as_deref(), pinned, is_shared });
    if matches!(setup.runs, Runs::Person(Some(_))) && delivery.sandbox.is_none() {
        // A program that runs nothing of the project finds nothing of it where it starts either.
        delivery.directory = PathBuf::from("/");
    }
    Ok(delivery)
}

impl Engine<'_> {
    /// Starts the attempts that a run owes and that nobody watches, and stops those that it owes no more.
    pub(super) fn deliver(&mut self, name: &str, now: Millis) {
        let Some(run) = self.runs.get(name) else { return };
        let is_owed = |watched: &Watched| {
            let owed = &run.owed.deliveries;
            owed.iter().any(|owed| owed.key == watched.key && owed.attempt == watched.attempt)
        };
        // What one attempt said of itself says nothing of the next.
        self.later.retain(|_, later| later.watched.run != name || is_owed(&later.watched));
        let stale = self.of_run(name).filter(|(_, watched)| !is_owed(watched));
        let stale: Vec<_> = stale.map(|(key, watched)| (key.clone(), watched.receiver.clone())).collect();
        self.stop(stale);
        let is_shared = self.is_shared(name);
        let Some(run) = self.runs.get(name) else { return };
        for owed in &run.owed.deliveries {
            let key = courier_key(name, owed.key);
            // Of an attempt that is owed, as all are that are still here.
            let is_later = self.later.get(&key).is_some_and(|later| later.at.is_some_and(|at| at > now));
            if is_later || self.watched.get(&key).is_some_and(|watched| watched.attempt == owed.attempt) {
                continue;
            }
            let receiver = receiver_of(run, owed).to_owned();
            let made = match self.agents.get(&receiver) {
                None => Err(Failure::new(Cause::Missing, format!("nobody here knows an agent `{receiver}`"))),
                Some(setup) => {
                    let root = self.settings.root.clone();
                    let parcel = Parcel {
                        key: key.clone(),
                        owed,
                        run,
                        receiver: &receiver,
                        setup,
                        agents: self.agents,
                        root,
                        now,
                    };
                    let made = compose::delivery(self.checker, &mut self.scratch, parcel);
                    let made = made.and_then(|delivery| {
                        apart(delivery, setup, name, (run.pinned(), is_shared), &self.walls)
                    });
                    made.map(|delivery| (delivery, setup))
                }
            };
            let attempt = owed.attempt;
            let watched = Watched { run: name.to_owned(), key: owed.key, attempt, receiver };
            self.watched.insert(key.clone(), watched);
            match made {
                Ok((mut delivery, setup)) => {
                    if let Some(sandbox) = &mut delivery.sandbox {
                        sandbox.held = self.walls.held();
                    }
                    self.walls.seal(&key, setup, &self.settings.root, run.pinned());
                    setup.courier.start(delivery, self.sender.clone());
                }
                Err(failure) => {
                    let what = Said::Failure(failure);
                    self.inbox.push_back(Report { key, attempt: u32::from(attempt), what });
                }
            }
        }
    }

    /// The attempts of a run that this process watches.
    pub(super) fn of_run(&self, name: &str) -> impl Iterator<Item = (&baton_courier::Key, &Watched)> {
        let first = [name, "/"].concat();
        let of_run = self.watched.range::<str, _>((Bound::Included(&*first), Bound::Unbounded));
        let of_run = of_run.take_while(move |(key, _)| key.as_str().starts_with(&first));
        of_run.filter(move |(_, watched)| watched.run == name)
    }

    /// Ends attempts that this process watches.
    pub(super) fn stop(&mut self, attempts: Vec<(baton_courier::Key, String)>) {
        for (key, receiver) in attempts {
            let watched = self.watched.remove(&key);
            if let Some(setup) = self.agents.get(&receiver) {
                setup.courier.stop(&key);
            }
            if let Some(watched) = watched {
                self.check_wall(&watched.run, watched.key, watched.attempt, &watched.receiver);
            }
        }
    }
}
