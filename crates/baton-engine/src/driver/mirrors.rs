//! The files that the systems of a flow know, kept as runs go on; what agents wrote there is heard.

use std::path::Path;
use std::sync::Arc;

use baton_courier::What as Said;
use baton_kernel::Millis;

use super::examine::Origin;
use super::{Engine, Watched};
use crate::error::Error;
use crate::evidence::Seen;
use crate::mirror;
use crate::mirror::{Conflict, Filed, Foreign, Keeping, Keeps};
use crate::records::codec;
use crate::run::Run;
use crate::run::environment::Environment;

/// How long a run goes on before its files are kept again; when it rests or ends they are kept at once.
const KEEP_AFTER_MS: u64 = 250;

/// How many runs one look at their files takes.
const LOOK_MAX: usize = 8;

impl Engine<'_> {
    /// Keeps the files of runs of which something was recorded; gives those of which something was heard there.
    pub(super) fn keep(&mut self, names: &[String], now: Millis) -> Vec<String> {
        let mut heard = Vec::new();
        for name in names {
            let Some(kept) = self.keeping.get(name).cloned() else { continue };
            let goes_on = self.runs.get(name).is_some_and(|run| run.state.ending().is_none());
            let is_early = kept.at.after(KEEP_AFTER_MS) > now;
            if goes_on && is_early {
                continue;
            }
            if goes_on {
                self.keeping.insert(name.clone(), Kept { at: now, is_behind: false, ..kept.clone() });
            } else {
                self.keeping.remove(name);
            }
            match self.keep_one(name, &kept, now) {
                Ok(true) => heard.push(name.clone()),
                Ok(false) => {}
                Err(error) => {
                    // The ledger is the truth; what cannot be kept now is told once and kept later, and the run goes on.
                    if !kept.is_behind {
                        let (path, why) = (name.clone(), error.to_string());
                        self.conflicts.push(Conflict { path, saved: None, why });
                    }
                    self.keeping.insert(name.clone(), Kept { at: now, is_behind: true, ..kept });
                }
            }
        }
        heard
    }

    /// The runs whose files are looked at now, a few at a time: agents may have written there, or they are behind.
    pub(super) fn kept_again(&mut self) -> Vec<String> {
        let behind = |name: &&String| self.kept_last.as_ref().is_none_or(|last| *name > last);
        let mut names: Vec<String> = self.keeping.keys().filter(behind).take(LOOK_MAX).cloned().collect();
        self.kept_last = if names.len() < LOOK_MAX { None } else { names.last().cloned() };
        let is_behind = |name: &String| self.keeping.get(name).is_some_and(|kept| kept.is_behind);
        names.retain(|name| self.runs.contains_key(name) || is_behind(name));
        names
    }

    /// Keeps the files of one run; says whether an agent had written there.
    fn keep_one(&mut self, name: &str, kept: &Kept, now: Millis) -> Result<bool, Error> {
        let environment = Arc::clone(&kept.environment);
        let root = self.settings.root.clone();
        let keeping = keeping(&root, &environment, &kept.keeps);
        let kept = mirror::keep(self.ledger, name, &keeping, now)?;
        self.conflicts.extend(kept.conflicts);
        let mut has_heard = false;
        for foreign in kept.foreign {
            if let Some(why) = self.doubt(&foreign, &environment.agents)? {
                let aside = mirror::set_aside(&foreign, &why, &keeping, now);
                self.conflicts.extend(aside);
                continue;
            }
            let watched = watched(&foreign, &environment);
            if let Some(claim) = self.claim(&watched, &foreign.bytes, now) {
                self.examine(watched, Origin::File(Box::new(foreign)), Some(claim), None);
            } else {
                has_heard |= self.hear_file(&foreign, None, now);
            }
        }
        Ok(has_heard)
    }

    /// Hears an answer that stood in a file; says whether it counts.
    pub(super) fn hear_file(&mut self, foreign: &Foreign, seen: Option<Seen>, now: Millis) -> bool {
        let Foreign { run: name, owner, key, attempt, path, bytes, .. } = foreign;
        let Some(environment) = self.environment_of(name) else { return false };
        let before = self.runs.get(name).map_or(0, Run::unrecorded);
        match self.heard(watched(foreign, &environment), Said::Answer(bytes.clone()), seen, now) {
            Ok(Some(_)) => {
                // Any program that can write there can answer so: the record says that no courier brought it.
                let filed = Filed { key: *key, attempt: *attempt, agent: owner.clone(), path: path.clone() };
                if let Some(run) = self.runs.get_mut(name) {
                    run.note_before(before, codec::noted(codec::FILED, &filed));
                }
                true
            }
            Ok(None) => false,
            Err(refusal) => {
                let keeps = self.keeping.get(name).map(|kept| kept.keeps().to_vec()).unwrap_or_default();
                let root = self.settings.root.clone();
                let keeping = keeping(&root, &environment, &keeps);
                self.conflicts.extend(mirror::set_aside(foreign, &refusal.to_string(), &keeping, now));
                false
            }
        }
    }

    /// The environment that the files of a run are written by, for as long as some of them are behind.
    fn environment_of(&self, name: &str) -> Option<Arc<Environment>> {
        let kept = self.keeping.get(name).map(|kept| &kept.environment);
        self.runs.get(name).map(|run| &run.environment).or(kept).cloned()
    }

    /// Remembers which files a run keeps.
    pub(super) fn keeps(&mut self, name: &str) {
        let Some(run) = self.runs.get(name) else { return };
        let keeps = run.notes.as_ref().map(|notes| notes.flow().keeps.as_slice()).unwrap_or_default();
        if !keeps.is_empty() && !self.keeping.contains_key(name) {
            self.keeping.insert(
                name.to_owned(),
                Kept {
                    keeps: keeps.to_vec(),
                    at: Millis(0),
                    is_behind: false,
                    environment: Arc::clone(&run.environment),
                },
            );
        }
    }

    /// What could not be kept as it stands, since this was asked last.
    pub fn conflicts(&mut self) -> Vec<Conflict> {
        std::mem::take(&mut self.conflicts)
    }
}

impl Kept {
    /// The systems whose files are kept.
    pub(super) fn keeps(&self) -> &[Keeps] {
        &self.keeps
    }
}

/// The files that a run keeps, and when they were kept last.
#[derive(Clone)]
pub(super) struct Kept {
    keeps: Vec<Keeps>,
    at: Millis,
    /// Whether they could not be kept then.
    is_behind: bool,
    environment: Arc<Environment>,
}

/// How the files of a run with this environment are written.
pub(super) fn keeping<'k>(root: &'k Path, environment: &'k Environment, keeps: &'k [Keeps]) -> Keeping<'k> {
    Keeping { root, checker: &environment.checker, keeps, run_base: &environment.run_base, states: &[] }
}

/// The attempt whose answer stood in a file.
fn watched(foreign: &Foreign, environment: &Arc<Environment>) -> Watched {
    Watched {
        run: foreign.run.clone(),
        key: foreign.key,
        attempt: foreign.attempt,
        receiver: foreign.owner.clone(),
        environment: Arc::clone(environment),
    }
}
