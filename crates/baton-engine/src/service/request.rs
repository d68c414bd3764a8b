//! Hands in what somebody wants of a run: whoever drives it takes it, at once or when somebody resumes it.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::driver::{Engine, Settings, World};
use crate::history::erase;
use crate::history::erase::{Erased, Wanted};
use crate::project::store;
use crate::project::store::Driver;
use crate::records::entry::pinned;
use crate::records::mailbox::RunRequest;
use crate::run::environment::Environment;
use crate::service::post::{post, taken};
use baton_kernel::{By, What};
use baton_ledger::Store;

use super::authority::{Request, allowed};
use super::drive::{driver, give_up, holder};
use super::{moment, pending_files, reach};
use crate::project::Project;
use crate::project::fault::{Diagnostic, Fault};

/// How long whoever drives the run has to take it, before it is said that nobody has yet.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often it is looked whether it was taken.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What became of a wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handed {
    /// Whoever drives the run has taken it.
    Taken,
    /// It lies there until somebody drives the run.
    Waiting,
}

impl Handed {
    /// Whether it was taken.
    pub(crate) fn is_taken(self) -> bool {
        self == Self::Taken
    }
}

/// Hands in a wish, and waits a moment for whoever drives the run.
pub(crate) fn hand_in(
    project: &Project,
    ledger: &dyn Store,
    run: &str,
    wish: &RunRequest,
    content: Option<&[u8]>,
) -> Result<Handed, Fault> {
    allowed(project, ledger, Request::OfRun { run, wish })?;
    let place = post(ledger, &project.root, run, wish, content, moment::now())?;
    let start = Instant::now();
    loop {
        // In this order: a driver may take it and end.
        let is_driven = store::is_driven(&project.root, ledger, run)?;
        if let Some(taken) = taken(ledger, run, place)? {
            return match taken.refused {
                None => Ok(Handed::Taken),
                Some(message) => Err(Fault::refused(message, taken.hint)),
            };
        }
        if !is_driven || start.elapsed() > PATIENCE {
            return Ok(Handed::Waiting);
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// Cancels a run: here, if nobody drives it, else by whoever does.
pub(crate) fn cancel(
    project: &Project,
    ledger: &dyn Store,
    run: &str,
    by: &str,
) -> Result<(Handed, Vec<Diagnostic>), Fault> {
    let wish = RunRequest::Cancel { by: by.to_owned() };
    allowed(project, ledger, Request::OfRun { run, wish: &wish })?;
    let then = Project::pinned(&project.root, &pinned(ledger, run)?);
    // A run that is cancelled delivers nothing; but agents that a Baton left at work when it was killed are ended.
    let (agents, note) = reach::to_end(project, ledger, run)?;
    let mut notes = Vec::from_iter(note);
    let environment = Environment {
        run_base: then.config.run_base().to_owned(),
        ..Environment::new(Arc::clone(&then.checker), agents)
    };
    let world = World::with(ledger, environment);
    let mut tell = |driver: Driver| {
        let settings = Settings { root: project.root.clone(), ..Settings::new(driver.name()) };
        let what = What::Cancel { by: By::Person(by.to_owned()) };
        let mut engine = Engine::new(world.clone(), settings);
        let told = engine.tell(run, what, None, moment::now());
        // Its files are kept with it; what was in their way is said, as it is to whoever drives.
        notes.extend(engine.conflicts().iter().map(pending_files::conflict));
        let holder = told.as_ref().err().and_then(holder).map(str::to_owned);
        let told = told.map(|()| Handed::Taken).map_err(Fault::from);
        give_up(driver, &told);
        (told, holder)
    };
    let (told, holder) = tell(driver(&project.root)?);
    let handed = match holder.as_deref().map(|holder| Driver::left(&project.root, ledger, holder)) {
        None => told,
        Some(Some(left)) => tell(left).0,
        Some(None) => hand_in(project, ledger, run, &wish, None),
    };
    Ok((handed?, notes))
}

/// Erases texts of a run that is over.
pub(crate) fn erase(project: &Project, ledger: &dyn Store, wanted: &Wanted<'_>) -> Result<Erased, Fault> {
    allowed(project, ledger, Request::Erasure)?;
    Ok(erase::erase(ledger, wanted, moment::now())?)
}
