//! Whether an answer that stands in a file is that of the agent whose answer belongs there.
//!
//! A file says nothing about who wrote it. It counts only where no one else can have: its agent works and may write there, and
//! no other agent that may has worked since. Everything else is kept beside, for a person.
//!
//! Cannot: know what an agent left running that Baton cannot end, or what a person writes.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use baton_courier::sandbox::View;
use baton_kernel::{Event, Key, Millis};
use baton_ledger::{Limit, Query};

use super::Engine;
use super::mirrors::keeping;
use crate::error::{Error, Problem};
use crate::history::projection::{Sent, Told};
use crate::history::views;
use crate::mirror;
use crate::mirror::{Conflict, Foreign};
use crate::project::agents::{Agents, Setup};
use crate::records::codec;
use crate::records::entry;
use crate::records::entry::Entry;
use crate::run::exposure::{Sandboxed, Wall};
use crate::sandbox::{Place, Runs, works};

/// How many other runs are looked at; with more of them it is not known who worked.
const RUNS_MAX: usize = 50;
/// How far behind the clock the times of files may be.
const SLACK_MS: u64 = 20;

impl Engine<'_> {
    /// Sets aside what stands where the agents of these deliveries will answer, before they begin.
    pub(super) fn clear_way(&mut self, name: &str, begin: &[Key], now: Millis) {
        let (Some(kept), Some(run)) = (self.keeping.get(name), self.runs.get(name)) else { return };
        let (keeps, environment) = (kept.keeps().to_vec(), Arc::clone(&run.environment));
        let run_base = environment.run_base.as_str();
        let plan = run.state.plan();
        let begins = run.owed.deliveries.iter().filter(|owed| begin.contains(&owed.key));
        let paths: Vec<String> = begins
            .flat_map(|owed| {
                let step = run.state.lane(owed.key.lane).map_or(owed.step, |lane| lane.step);
                let step = plan.step(step).map_or("", |step| step.name.as_str());
                mirror::owned(&keeps, run_base, name, &plan.name, (step, super::receiver_of(run, owed)))
            })
            .collect();
        let root = self.settings.root.clone();
        if !mirror::is_any_unknown(&root, environment.checker.limits().file_bytes, &paths) {
            return;
        }
        let keeping = keeping(&root, &environment, &keeps);
        match mirror::keep_before(self.ledger, name, &keeping, begin, now) {
            // What others wrote in their files is heard when these are looked at.
            Ok(kept) => self.conflicts.extend(kept.conflicts),
            Err(error) => {
                let (path, why) = (name.to_owned(), error.to_string());
                self.conflicts.push(Conflict { path, saved: None, why });
            }
        }
    }

    /// Why an answer in a file does not count; nothing if no one but its agent can have written it.
    pub(super) fn doubt(&self, foreign: &Foreign, agents: &Agents) -> Result<Option<String>, Error> {
        let Foreign { owner, path, run, .. } = foreign;
        let Some(setup) = agents.get(owner) else {
            return Ok(Some(format!("it is not known how {owner} is reached")));
        };
        if matches!(setup.runs, Runs::Person(_)) {
            return Ok(Some(format!(
                "{owner} is a person, who answers with `baton return` and through no file"
            )));
        }
        if !self.may_write(setup, path) {
            return Ok(Some(format!("the sandbox of {owner} does not let it write there")));
        }
        let own = history(self.ledger, run)?;
        let could = |sent: &Sent| agents.get(&sent.to).is_none_or(|setup| self.may_write(setup, path));
        if let Some(other) = other(&own, foreign, could) {
            return Ok(Some(ambiguous(&other, run)));
        }
        let begun = |entry: &&Entry| {
            let Some(Event::DeliveryStarted { key, attempt, .. }) = &entry.event else { return false };
            (*key, *attempt) == (foreign.key, foreign.attempt)
        };
        let since = own.iter().rev().find(begun).map_or(0, |entry| entry.record.position);
        let Some(runs) = self.runs_since(since)? else {
            return Ok(Some("too many runs are under way to tell who wrote it".to_owned()));
        };
        for run in runs.iter().filter(|other| *other != run) {
            // How its agents are reached is not known here.
            if let Some(other) = other(&history(self.ledger, run)?, foreign, |_| true) {
                return Ok(Some(ambiguous(&other, run)));
            }
        }
        Ok(None)
    }

    /// The runs that are not over, or in which something was recorded behind a position; nothing if there are too many.
    fn runs_since(&self, since: u64) -> Result<Option<BTreeSet<String>>, Error> {
        let labels = vec!["run".to_owned()];
        let limit = Limit(RUNS_MAX + 1);
        let mut heads = self.ledger.find(&Query { labels, before: None, since, limit })?;
        for label in ["working", "waiting"] {
            heads.extend(views::runs(self.ledger, &[label], None, RUNS_MAX + 1)?);
        }
        let runs: BTreeSet<String> = heads.into_iter().map(|head| head.stream).collect();
        Ok((runs.len() <= RUNS_MAX).then_some(runs))
    }

    /// Whether an agent can write a file of the project.
    fn may_write(&self, setup: &Setup, path: &str) -> bool {
        match &setup.runs {
            Runs::Person(_) => false,
            Runs::Elsewhere | Runs::Open => true,
            Runs::Walled { .. } if !works() => true,
            Runs::Walled { .. } => {
                let root = &self.settings.root;
                let root = root.canonicalize().unwrap_or_else(|_| root.clone());
                // Where its worktree is does not matter: no file that is kept lies in one.
                let worktree = root.join(crate::files::private::FOLDER).join("worktrees");
                let worktree = setup.worktree.then_some(&*worktree);
                let sandbox =
                    setup.runs.sandbox(Place { root: &root, worktree, pinned: &[], is_shared: true });
                sandbox.is_none_or(|sandbox| is_writable(&sandbox.view, &root.join(path)))
            }
        }
    }
}

/// Whether a path can be written behind a wall: the last that is said of it counts.
fn is_writable(view: &[View], path: &Path) -> bool {
    let said = view.iter().rev().find_map(|view| match view {
        View::Writable(above) => path.starts_with(above).then_some(true),
        View::Readable(above)
        | View::Kept(above)
        | View::Hidden(above)
        | View::Empty(above)
        | View::Copied(above)
        | View::Link { at: above, .. } => path.starts_with(above).then_some(false),
    });
    said.unwrap_or(false)
}

fn history(ledger: &dyn baton_ledger::Ledger, run: &str) -> Result<Vec<Entry>, Error> {
    match entry::history(ledger, run) {
        Ok(history) => Ok(history),
        Err(Problem::Refused(_)) => Ok(Vec::new()),
        Err(Problem::Failed(error)) => Err(error),
    }
}

/// Another agent of a run that worked after the owner of a file began, and before the file was touched last.
fn other(history: &[Entry], foreign: &Foreign, could: impl Fn(&Sent) -> bool) -> Option<String> {
    let told = Told::of(history)?;
    let persons: BTreeSet<Key> = history
        .iter()
        .filter(|entry| entry.record.kind == codec::SANDBOXED)
        .filter_map(|entry| serde_json::from_slice::<Sandboxed>(&entry.record.body).ok())
        .filter(|sandboxed| sandboxed.sandbox == Wall::Person)
        .map(|sandboxed| sandboxed.key)
        .collect();
    let until = foreign.touched.map(|touched| touched.after(SLACK_MS));
    let worked = |sent: &&Sent| {
        let closed = sent.closed.or(told.ended);
        sent.to != foreign.owner
            && until.is_none_or(|until| sent.started <= until)
            && closed.is_none_or(|closed| closed > foreign.since)
            && !persons.contains(&sent.key)
            && could(sent)
    };
    told.deliveries.iter().find(worked).map(|sent| sent.to.clone())
}

fn ambiguous(other: &str, run: &str) -> String {
    format!("{other} was at work in {run} too and could have written it; an answer to Baton itself counts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_on_a_path_counts() {
        let at = |path: &str| Path::new(path).to_owned();
        let view = [
            View::Writable(at("/p")),
            View::Readable(at("/p/flows")),
            View::Hidden(at("/p/.baton")),
            View::Writable(at("/p/.baton/own")),
        ];
        for (path, expected) in [
            ("/p/.runs/a.json", true),
            ("/p/flows/a.json", false),
            ("/p/.baton/a", false),
            ("/p/.baton/own/a", true),
            ("/q", false),
            ("/project", false),
        ] {
            assert_eq!(is_writable(&view, Path::new(path)), expected, "{path}");
        }
    }
}
