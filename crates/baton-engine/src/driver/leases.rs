//! Which runs this process drives: taken under a lease, taken over, given back, lost.

use baton_courier::Kind;
use baton_kernel::{CourierKind, Key, Millis, OwedDelivery, What};
use baton_ledger::{Head, LeaseRequest, Limit, Wanted, take_lease};

use super::{Engine, courier_key, receiver_of};
use crate::error::{Error, Problem};
use crate::project::agents::Agents;
use crate::records::mailbox;
use crate::run::Run;

impl Engine<'_> {
    /// Takes the lease of a run and replays it.
    pub(super) fn taken(&mut self, name: &str, now: Millis) -> Result<Run, Problem> {
        let lease_ms = self.settings.lease_ms;
        let lease = take_lease(self.ledger, &self.settings.holder, name, lease_ms)??;
        self.renew_at = self.renew_at.min(now.after(lease_ms / 2));
        let mut run = Run::load(self.ledger, lease, now)?;
        self.keep_programs(&mut run);
        Ok(run)
    }

    /// Keeps the programs of agents as what the run has pinned is kept: an agent must not change them.
    pub(super) fn keep_programs(&self, run: &mut Run) {
        let setups = self.agents.names().filter_map(|name| self.agents.get(name));
        setups.flat_map(|setup| &setup.programs).for_each(|path| run.keep_path(path));
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
            let setup = self.agents.get(receiver_of(run, owed));
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
            owed.is_none_or(|owed| kind(before, owed) == kind(self.agents, owed))
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
        let is_resting = |run: &Run| !run.owed.deliveries.iter().any(|owed| self.is_called(run, owed));
        if self.runs.get(name).is_some_and(is_resting)
            && let Some(run) = self.runs.remove(name)
        {
            self.watched.retain(|_, watched| watched.run != name);
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

    /// Whether a courier is under way with a delivery, and not an inbox where it lies.
    pub(super) fn is_called(&self, run: &Run, owed: &OwedDelivery) -> bool {
        let kind = self.agents.get(receiver_of(run, owed)).map(|setup| setup.courier.kind());
        kind != Some(Kind::Kept)
    }

    /// Lets go of a run that somebody else drives, or of which too little is known, and ends its work here.
    pub(super) fn let_go(&mut self, name: &str) {
        self.runs.remove(name);
        self.later.retain(|_, later| later.watched.run != name);
        self.lost.push(name.to_owned());
        let lost = self.of_run(name).map(|(key, watched)| (key.clone(), watched.receiver.clone())).collect();
        self.stop(lost);
    }

    /// Renews all leases in one call, twice in the time that one lasts. That time is the driver's own; when a lease is over, only
    /// the store's clock says.
    pub(super) fn renew(&mut self, now: Millis) -> Result<(), Error> {
        let next = now.after(self.settings.lease_ms / 2);
        // A clock that was set back makes no renewal later than the next one would be.
        self.renew_at = self.renew_at.min(next);
        if now < self.renew_at {
            return Ok(());
        }
        let wanted: Vec<Wanted> = self.runs.values().map(|run| run.lease.renewal()).collect();
        if !wanted.is_empty() {
            let holder = self.settings.holder.clone();
            let request = LeaseRequest { holder, for_ms: self.settings.lease_ms, wanted };
            for (wanted, answer) in request.wanted.iter().zip(self.ledger.lease(&request)?) {
                match (answer, self.runs.get_mut(&wanted.stream)) {
                    (Ok(lease), Some(run)) => run.lease = lease,
                    // Another driver has it.
                    (Ok(_) | Err(_), _) => self.let_go(&wanted.stream),
                }
            }
        }
        self.renew_at = next;
        Ok(())
    }
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
