//! Environment of a run: its checker, agents and expressions, made from the files that it has pinned.
//!
//! Invariant: a run never sees another run's environment, and never the project's files as they are now.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use baton_document::dialect::Settings;
use baton_document::{Checker, Levels, Limits};
use baton_kernel::Digest;
use baton_ledger::digest;

use crate::error::{Problem, Refused};
use crate::project::agents::Agents;
use crate::project::pinned;
use crate::project::pinned::PinnedProject;
use crate::records::entry::Pinned;
use crate::run::judge::{Expressions, Judge};

/// Where the envelopes of a run lie unless `baton.toml` says otherwise.
pub const RUN_BASE: &str = ".runs/{run}";

/// Everything that a run goes by beside its plan.
pub struct Environment {
    /// Checks documents by the dialects and settings that the run has pinned.
    pub checker: Arc<Checker>,
    /// Agents of its flow.
    pub agents: Agents,
    /// Evaluates its expressions.
    pub judge: Arc<dyn Judge>,
    /// Folder of its envelopes, with `{run}` for its name.
    pub run_base: String,
}

impl fmt::Debug for Environment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agents: Vec<&str> = self.agents.names().collect();
        out.debug_struct("Environment")
            .field("agents", &agents)
            .field("run_base", &self.run_base)
            .finish_non_exhaustive()
    }
}

impl Environment {
    /// An environment with the usual expressions and folders.
    pub fn new(checker: impl Into<Arc<Checker>>, agents: Agents) -> Self {
        let (judge, run_base) = (Arc::new(Expressions), RUN_BASE.to_owned());
        Self { checker: checker.into(), agents, judge, run_base }
    }

    /// The environment of a run that is only looked at: it reaches nobody.
    pub(crate) fn none() -> Arc<Self> {
        static NONE: LazyLock<Arc<Environment>> = LazyLock::new(|| {
            let checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
            Arc::new(Environment::new(checker, Agents::default()))
        });
        Arc::clone(&NONE)
    }
}

/// Makes the environments of runs.
pub trait Environments: Send + Sync {
    /// The environment of a run with these pinned files.
    ///
    /// # Errors
    /// It cannot be made here: an agent is not reachable, or the pinned files were erased.
    fn of(&self, run: &str, files: &[Pinned]) -> Result<Arc<Environment>, Problem>;
}

/// One environment for every run.
impl Environments for Arc<Environment> {
    fn of(&self, _run: &str, _files: &[Pinned]) -> Result<Arc<Environment>, Problem> {
        Ok(Arc::clone(self))
    }
}

/// Environments that runs with the same pinned files share, each kept for as long as a run uses it.
pub struct Shared<F> {
    make: F,
    kept: Mutex<BTreeMap<Digest, Weak<Environment>>>,
}

impl<F> Shared<F>
where
    F: Fn(&str, &[Pinned]) -> Result<Environment, Problem> + Send + Sync,
{
    /// Environments made by a function of the run's name and its files.
    pub fn new(make: F) -> Self {
        Self { make, kept: Mutex::default() }
    }
}

impl<F> Environments for Shared<F>
where
    F: Fn(&str, &[Pinned]) -> Result<Environment, Problem> + Send + Sync,
{
    fn of(&self, run: &str, files: &[Pinned]) -> Result<Arc<Environment>, Problem> {
        // A run without files is told apart by its name alone.
        if files.is_empty() {
            return (self.make)(run, files).map(Arc::new);
        }
        let named = name_of(files);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(environment) = kept.get(&named).and_then(Weak::upgrade) {
            return Ok(environment);
        }
        let environment = Arc::new((self.make)(run, files)?);
        kept.retain(|_, environment| environment.strong_count() > 0);
        kept.insert(named, Arc::downgrade(&environment));
        Ok(environment)
    }
}

/// Environment of a run in a project, made from the files that the run has pinned.
///
/// # Errors
/// No usable flow is among the files, or an agent cannot be reached.
pub fn of_pinned(root: &Path, run: &str, files: &[Pinned]) -> Result<Environment, Problem> {
    let pinned = pinned::load(root, files).map_err(|why| Refused::NoEnvironment {
        run: run.to_owned(),
        why: why.to_string(),
        hint: why.hint(),
    })?;
    let PinnedProject { run_base, checker, agents, .. } = pinned;
    Ok(Environment { run_base, ..Environment::new(checker, agents) })
}

/// Digest of pinned files, in their order.
fn name_of(files: &[Pinned]) -> Digest {
    let mut all = Vec::new();
    for Pinned { path, is_flow, bytes } in files {
        all.extend(format!("{path}\0{is_flow}\0{}\n", digest(bytes)).into_bytes());
    }
    digest(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_share_an_environment_exactly_while_their_files_are_the_same() {
        let made = Mutex::new(Vec::new());
        let environments = Shared::new(|run: &str, _: &[Pinned]| {
            made.lock().expect("no panic").push(run.to_owned());
            Ok(Environment::new(Arc::clone(&Environment::none().checker), Agents::default()))
        });
        let file = |bytes: &[u8]| {
            vec![Pinned { path: "flows/a.yaml".to_owned(), is_flow: true, bytes: bytes.to_vec() }]
        };
        let of = |run: &str, bytes: &[u8]| environments.of(run, &file(bytes)).expect("it can be made");
        let (first, same, other) = (of("a-1", b"one"), of("a-2", b"one"), of("a-3", b"two"));
        assert!(Arc::ptr_eq(&first, &same) && !Arc::ptr_eq(&first, &other));
        assert_eq!(*made.lock().expect("no panic"), ["a-1", "a-3"]);
        drop((first, same));
        of("a-4", b"one");
        assert_eq!(*made.lock().expect("no panic"), ["a-1", "a-3", "a-4"], "it is not kept for nobody");
    }
}
