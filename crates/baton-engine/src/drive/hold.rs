//! Which runs this process drives: taken under a lease, taken over, given back, lost.

use baton_kernel::{CourierKind, Millis, What};
use baton_ledger::{Limit, NewLease};

use super::{Engine, receiver_of};
use crate::run::Run;
use crate::{Error, Problem};

impl Engine<'_> {
    /// Takes the lease of a run and replays it.
    pub(super) fn taken(&mut self, name: &str, now: Millis) -> Result<Run, Problem> {
        let until = now.after(self.settings.lease_ms);
        let wish = NewLease { stream: name.to_owned(), holder: self.settings.holder.clone(), now, until };
        let lease = self.ledger.lease(&wish)??;
        Ok(Run::load(self.ledger, lease, now)?)
    }

    /// Takes over runs that are due and that nobody drives.
    pub(super) fn adopt(&mut self, now: Millis, adopted: &mut Vec<String>) -> Result<(), Error> {
        for head in self.ledger.due(now, Limit(self.settings.turn_max))? {
            if self.runs.contains_key(&head.stream) {
                continue;
            }
            match self.taken(&head.stream, now) {
                Ok(run) => {
                    self.runs.insert(head.stream.clone(), run);
                    self.found(&head.stream, now);
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

    /// Decides about the attempts of a run that were under way when nobody drove it.
    pub(super) fn found(&mut self, name: &str, now: Millis) {
        let Some(run) = self.runs.get_mut(name) else { return };
        for owed in run.owed.deliveries.clone() {
            let receiver = receiver_of(run, &owed);
            let kind = self.agents.get(receiver).map(|setup| setup.courier.kind());
            let what = What::Found { key: owed.key, attempt: owed.attempt, courier: courier_kind(kind) };
            // What the kernel refuses here is over already.
            let _ = run.hear(what, None, now);
        }
    }

    /// Gives a run back that has nothing under way here: whoever has something for it takes it.
    pub(super) fn rest(&mut self, name: &str) -> Result<(), Error> {
        if self.runs.get(name).is_some_and(|run| run.owed.deliveries.is_empty())
            && let Some(run) = self.runs.remove(name)
        {
            // A timer of it is due later, for whoever looks then.
            if let Some(due) = run.owed.next_due {
                self.look_at = self.look_at.min(due);
            }
            self.ledger.release(&run.lease)?;
        }
        Ok(())
    }

    /// Lets go of a run that somebody else drives, or of which too little is known, and ends its work here.
    pub(super) fn let_go(&mut self, name: &str) {
        self.runs.remove(name);
        let lost = self.of_run(name).map(|(key, watched)| (key.clone(), watched.receiver.clone())).collect();
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

fn courier_kind(kind: Option<baton_courier::Kind>) -> CourierKind {
    match kind {
        Some(baton_courier::Kind::Idempotent) => CourierKind::Idempotent,
        Some(baton_courier::Kind::Resumable) => CourierKind::Resumable,
        Some(baton_courier::Kind::Neither) | None => CourierKind::Neither,
    }
}
