//! Final words of attempts: their evidence, and what the agent must not have changed, are looked at on the pool before the run hears them.

use baton_courier::{Report, What as Said};
use baton_kernel::Millis;

use super::pool::Done;
use super::reports::verifies;
use super::{Engine, Watched};
use crate::evidence::{Claim, Seen};
use crate::mirror::Foreign;
use crate::records::codec;
use crate::records::mailbox;
use crate::run::exposure::Breach;
use crate::sandbox::Seal;

/// How an answer reached the driver.
pub(super) enum Origin {
    /// A courier brought it.
    Courier(Said),
    /// It was handed in, as the letter of this number.
    Letter(u64),
    /// It stood in a file.
    File(Box<Foreign>),
    /// Its agent was stopped, and said nothing more that counts.
    Stopped,
}

/// An attempt after the look.
pub(super) struct Examined {
    watched: Watched,
    origin: Origin,
    seen: Option<Seen>,
    /// Protected files that are not as they were when the agent started.
    changed: Vec<String>,
}

impl Engine<'_> {
    /// Hands a final report to the pool if there is something to look at first; gives back any other.
    pub(super) fn examined_first(&mut self, report: Report, now: Millis) -> Option<Report> {
        if !report.what.is_final() {
            return Some(report);
        }
        let watched = self.watched.get(&report.key).cloned()?;
        let claim = match &report.what {
            Said::Answer(bytes) => self.claim(&watched, bytes, now),
            Said::Progress(_) | Said::Draft(_) | Said::Question(_) | Said::Session(_) | Said::Failure(_) => {
                None
            }
        };
        let seal = self.walls.unseal(&report.key);
        if claim.is_none() && seal.is_none() {
            return Some(report);
        }
        self.examine(watched, Origin::Courier(report.what), claim, seal);
        None
    }

    /// What of an answer is to be looked at where it was given; nothing where the flow asks for no look.
    pub(super) fn claim(&self, watched: &Watched, answer: &[u8], now: Millis) -> Option<Claim> {
        let run = self.runs.get(&watched.run)?;
        let depth = verifies(run, watched.key)?;
        let claim = Claim::of_text(&watched.environment.checker, &self.settings.root, answer, depth)?;
        let mut claim = claim.in_folder(self.works_in(watched));
        claim.worked = run.began(watched.key).map(|began| (began, now));
        claim.before = run.before(watched.key).map(str::to_owned);
        Some(claim)
    }

    pub(super) fn examine(
        &mut self,
        watched: Watched,
        origin: Origin,
        claim: Option<Claim>,
        seal: Option<Seal>,
    ) {
        let run = watched.run.clone();
        self.pool.run(&run, move || {
            let changed = seal.map(|seal| seal.broken()).unwrap_or_default();
            let seen = claim.map(|claim| claim.look());
            Done::Examined(Box::new(Examined { watched, origin, seen, changed }))
        });
    }

    /// Hears what was found, and with it the answer; gives the run if something is to be recorded.
    pub(super) fn hear_examined(&mut self, examined: Examined, now: Millis) -> Option<String> {
        let Examined { watched, origin, seen, changed } = examined;
        let name = watched.run.clone();
        let is_breached = self.note_breach(&watched, changed);
        let heard = match origin {
            Origin::Courier(said) => {
                let key = super::courier_key(&name, watched.key);
                let is_watched = self.watched.get(&key).is_some_and(|now| now.attempt == watched.attempt);
                is_watched && {
                    self.watched.remove(&key);
                    self.heard(watched, said, seen, now).is_ok_and(|run| run.is_some())
                }
            }
            Origin::Letter(seq) => {
                self.letters.insert((name.clone(), seq), seen);
                // What cannot be read now is read with the next look into mailboxes.
                let mail = mailbox::waiting_for(self.ledger, &name).ok().flatten();
                mail.is_some_and(|head| self.open(&name, head, now).is_ok())
            }
            Origin::File(foreign) => self.hear_file(&foreign, seen, now),
            Origin::Stopped => false,
        };
        (is_breached || heard).then_some(name)
    }

    /// Notes which protected files an agent left changed.
    fn note_breach(&mut self, watched: &Watched, changed: Vec<String>) -> bool {
        let Some(run) = self.runs.get_mut(&watched.run).filter(|_| !changed.is_empty()) else { return false };
        let breach =
            Breach { key: watched.key, attempt: watched.attempt, agent: watched.receiver.clone(), changed };
        run.note(codec::noted(codec::BREACHED, &breach));
        run.exposure.breach(breach);
        true
    }
}
