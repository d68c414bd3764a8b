//! Which runs this process drives: taken under a lease, taken over, given back, lost.

use std::collections::BTreeSet;
use std::sync::Arc;

use baton_courier::Kind;
use baton_kernel::{CourierKind, Key, Millis, OwedDelivery, What};
use baton_ledger::{Head, Limit, NewLease};

use super::{Engine, courier_key, receiver_of};
use crate::error::{Error, Problem};
use crate::project::agents::{Agents, Setup};
use crate::project::programs;
use crate::records::entry::Pinned;
use crate::records::mailbox;
use crate::run::Run;
use crate::run::environment::Environment;

impl Engine<'_> {
    /// Takes a run under its lease, with its environment.
    pub(super) fn taken(&mut self, name: &str, now: Millis) -> Result<Run, Problem> {
        let (mut run, files) = self.loaded(name, now)?;
        match self.environments.of(name, &files) {
            Ok(environment) => self.goes_by(&mut run, environment),
            Err(problem) => {
                self.ledger.release(&run.lease)?;
                return Err(problem);
            }
        }
        Ok(run)
    }

    /// Takes a run to be told something. A run can be cancelled even where its agents cannot be reached.
    pub(super) fn taken_for(&mut self, name: &str, what: &What, now: Millis) -> Result<Run, Problem> {
        if !matches!(what, What::Cancel { .. }) {
            return self.taken(name, now);
        }
        let (mut run, files) = self.loaded(name, now)?;
        let environment = self.environment_or_none(name, &files);
        self.goes_by(&mut run, environment);
        Ok(run)
    }

    /// The environment of a run, or one that reaches nobody where that cannot be made.
    pub(super) fn environment_or_none(&mut self, name: &str, files: &[Pinned]) -> Arc<Environment> {
        self.environments.of(name, files).unwrap_or_else(|problem| {
            self.unreachable.push((name.to_owned(), problem.to_string()));
            Environment::none()
        })
    }

    /// Runs that were taken although their agents cannot be reached from here, with the reasons, since this was asked last.
    pub fn unreachable(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.unreachable)
    }

    /// Takes the lease of a run and replays it; gives it with the files that it has pinned.
    pub(super) fn loaded(&mut self, name: &str, now: Millis) -> Result<(Run, Vec<Pinned>), Problem> {
        let until = now.after(self.settings.lease_ms);
        let wish = NewLease { stream: name.to_owned(), holder: self.settings.holder.clone(), now, until };
        let lease = self.ledger.lease(&wish)??;
        Ok(Run::load(self.ledger, lease, now)?)
    }

    /// Gives a run its environment. The programs of its agents are protected like the files that it has pinned.
    pub(super) fn goes_by(&self, run: &mut Run, environment: Arc<Environment>) {
        let mut programs: BTreeSet<String> =
            environment.agents.all().flat_map(|(_, setup)| setup.programs.iter().cloned()).collect();
        if environment.agents.all().any(|(_, setup)| setup.runs.is_walled()) {
            // An agent of another flow may run without a wall.
            programs.append(&mut programs::named(&self.settings.root));
        }
        programs.iter().for_each(|path| run.keep_path(path));
        run.environment = environment;
    }

    /// Takes over runs that are due and that nobody drives.
    pub(super) fn adopt(&mut self, now: Millis, adopted: &mut Vec<String>) -> Result<(), Error> {
        for head in self.ledger.due(now, Limit(self.settings.turn_max))? {
            if !self.may_take(&head.stream) || self.runs.contains_key(&head.stream) {
                continue;
            }
            match self.taken(&head.stream, now) {
                Ok(run) => {
                    let mail = mailbox::waiting_for(self.ledger, &head.stream)?;
                    self.take_over(run, mail, now)?;
                    if let Some(run) = self.runs.get_mut(&head.stream) {
                        let _ = run.hear(What::Tick, None, now);
                    }
                    adopted.push(head.stream);
                }
                // Somebody drives it.
                Err(Problem::Refused(_)) => {}
                Err(Problem::Failed(error)) => return Err(error),
            }
        }
        Ok(())
    }

    /// Whether this process may drive a run.
    pub(super) fn may_take(&self, name: &str) -> bool {
        self.settings.only.as_ref().is_none_or(|only| only.iter().any(|run| run == name))
    }

    /// Goes on with a run that was taken: enters it, and then decides about the attempts that were under way when nobody drove
    /// it. What fails leaves the run to whoever comes next.
    pub(super) fn take_over(&mut self, run: Run, mail: Option<Head>, now: Millis) -> Result<(), Error> {
        let name = run.lease.stream.clone();
        let left = self.enter(run, mail, now)?;
        self.found(&name, left, now);
        Ok(())
    }

    /// Holds a run that was taken: ends what was left at work, and reads what was handed in meanwhile. Gives the attempts that
    /// are to be decided about.
    pub(super) fn enter(&mut self, run: Run, mail: Option<Head>, now: Millis) -> Result<Vec<What>, Error> {
        let name = run.lease.stream.clone();
        let left = self.left(&name, &run);
        self.runs.insert(name.clone(), run);
        if let Some(head) = mail
            && let Err(error) = self.open(&name, head, now)
        {
            self.let_go(&name);
            return Err(error);
        }
        Ok(left)
    }

    /// Decides about attempts of a run that were under way when nobody drove it.
    pub(super) fn found(&mut self, name: &str, left: Vec<What>, now: Millis) {
        let Some(run) = self.runs.get_mut(name) else { return };
        for what in left {
            // What the kernel refuses here is over already: somebody may have cancelled it.
            let _ = run.hear(what, None, now);
        }
    }

    /// The attempts of a run that were under way when nobody drove it; whatever is decided about them, what a Baton that
    /// was killed had started ends now.
    fn left(&self, name: &str, run: &Run) -> Vec<What> {
        let ended = |owed: &OwedDelivery| {
            let setup = run.environment.agents.get(receiver_of(run, owed));
            let courier = courier_kind(setup.map(|setup| setup.courier.kind()))?;
            if let Some(setup) = setup {
                setup.courier.clear(&self.settings.root, &courier_key(name, owed.key));
            }
            Some(What::Found { key: owed.key, attempt: owed.attempt, courier })
        };
        run.owed.deliveries.iter().filter_map(ended).collect()
    }

    /// Ends what a Baton that was killed had started for a run, as its agents were reached then.
    pub(super) fn clear(&self, run: &Run, agents: &Agents) {
        for owed in &run.owed.deliveries {
            if let Some(setup) = agents.get(receiver_of(run, owed)) {
                setup.courier.clear(&self.settings.root, &courier_key(&run.lease.stream, owed.key));
            }
        }
    }

    /// The attempts of a run that are to be decided about, where its agents were reached as `before` says: of one that was
    /// begun by another kind of courier nobody knows how far it came.
    pub(super) fn reached_otherwise(&self, name: &str, mut left: Vec<What>, before: &Agents) -> Vec<What> {
        let Some(run) = self.runs.get(name) else { return left };
        let kind = |agents: &Agents, owed: &OwedDelivery| {
            agents.get(receiver_of(run, owed)).map(|setup| setup.courier.kind())
        };
        let is_same = |key: Key| {
            let owed = run.owed.deliveries.iter().find(|owed| owed.key == key);
            owed.is_none_or(|owed| kind(before, owed) == kind(&run.environment.agents, owed))
        };
        for what in &mut left {
            if let What::Found { key, courier, .. } = what
                && !is_same(*key)
            {
                *courier = CourierKind::Neither;
            }
        }
        left
    }

    /// Gives a run back that has nothing under way here: whoever has something for it takes it.
    pub(super) fn rest(&mut self, name: &str) -> Result<(), Error> {
        let is_resting = |run: &Run| {
            let is_called = run.owed.deliveries.iter().any(|owed| is_called(run, owed));
            !is_called && run.unrecorded() == 0 && !self.pool.is_busy_for(name)
        };
        if self.runs.get(name).is_some_and(is_resting)
            && let Some(run) = self.runs.remove(name)
        {
            self.watched.retain(|_, watched| watched.run != name);
            self.letters.retain(|(run, _), _| run != name);
            self.later.retain(|_, later| later.watched.run != name);
            // A timer of it is due later, for whoever looks then.
            if let Some(due) = run.owed.next_due {
                self.look_at = self.look_at.min(due);
                self.timers.insert(due);
            }
            self.ledger.release(&run.lease)?;
        }
        Ok(())
    }

    /// Lets go of a run that somebody else drives, or of which too little is known, and ends its work here.
    pub(super) fn let_go(&mut self, name: &str) {
        self.runs.remove(name);
        self.later.retain(|_, later| later.watched.run != name);
        self.lost.push(name.to_owned());
        self.letters.retain(|(run, _), _| run != name);
        let lost = self.of_run(name).map(|(key, _)| key.clone()).collect();
        self.stop(lost);
    }

    /// Renews the leases that are half over.
    pub(super) fn renew(&mut self, now: Millis) -> Result<(), Error> {
        let half = self.settings.lease_ms / 2;
        let old: Vec<String> = self
            .runs
            .iter()
            .filter(|(_, run)| run.lease.until.0 <= now.0.saturating_add(half))
            .map(|(name, _)| name.clone())
            .collect();
        for name in old {
            let wish = NewLease {
                stream: name.clone(),
                holder: self.settings.holder.clone(),
                now,
                until: now.after(self.settings.lease_ms),
            };
            match (self.ledger.lease(&wish)?, self.runs.get_mut(&name)) {
                (Ok(lease), Some(run)) if lease.fence == run.lease.fence => run.lease = lease,
                // Somebody else drove it meanwhile.
                (Ok(_) | Err(_), _) => self.let_go(&name),
            }
        }
        Ok(())
    }
}

/// Whether a courier is under way with a delivery, and not an inbox where it lies.
fn is_called(run: &Run, owed: &OwedDelivery) -> bool {
    !run.environment.agents.get(receiver_of(run, owed)).is_some_and(Setup::is_kept)
}

/// What the kernel must know of a courier; nothing where an attempt cannot be lost, because it lies in an inbox.
fn courier_kind(kind: Option<Kind>) -> Option<CourierKind> {
    match kind {
        Some(Kind::Idempotent) => Some(CourierKind::Idempotent),
        Some(Kind::Resumable) => Some(CourierKind::Resumable),
        Some(Kind::Neither) | None => Some(CourierKind::Neither),
        Some(Kind::Kept) => None,
    }
}
