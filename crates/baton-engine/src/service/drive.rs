//! Drives one run in the foreground, and tells an observer what happens meanwhile.
//!
//! *Invariant:* a driver that is stopped leaves a run that can be resumed: agents are ended, that is recorded, and the lease is
//! released.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use baton_kernel::{Ending, Refusal, What};
use baton_ledger::{Ledger, Refused as LedgerRefused, Store};

use super::authority::Allowed;
use super::follow::{Follow, Run};
use super::log::LogEntry;
use super::summary::Watched;
use super::{lookup, moment, pending_files, standing};
use crate::driver::{Engine, Settings, World};
use crate::error::{Problem, Refused};
use crate::history::output;
use crate::project::Project;
use crate::project::agents::Agents;
use crate::project::fault::{Diagnostic, Fault, FaultKind};
use crate::project::store::Driver;
use crate::records::entry::{Pinned, pinned};
use crate::run::environment::{Environment, Environments};
use crate::run::{Change, NewRun};
use crate::temporary;

/// Interval at which a driven run is looked at.
const PACE: Duration = Duration::from_millis(100);
/// How long agents have to end when the driver is stopped.
const LEAVE: Duration = Duration::from_secs(10);

/// A face that watches a run while it is driven.
pub trait Observer {
    /// The names of those who work in the run, before anything is recorded here.
    fn workers(&mut self, names: &[String]);
    /// Records, as they are appended.
    fn recorded(&mut self, page: &[LogEntry]) -> io::Result<()>;
    /// The run as it stands, at every look.
    fn stands(&mut self, run: &Watched<'_>) -> io::Result<()>;
    /// The run as it stands when driving pauses.
    fn pauses(&mut self, run: &Watched<'_>) -> io::Result<()>;
    /// A note.
    fn note(&mut self, note: Diagnostic);
    /// Whether driving waits for people and inboxes.
    fn waits(&self) -> bool;
    /// Whether driving is to stop now.
    fn is_stopped(&self) -> bool;
}

/// An observer that shows nothing; it only forwards notes and the request to stop.
pub(super) struct Quiet<'o>(pub(super) &'o mut dyn Observer);

impl Observer for Quiet<'_> {
    fn workers(&mut self, _: &[String]) {}

    fn recorded(&mut self, _: &[LogEntry]) -> io::Result<()> {
        Ok(())
    }

    fn stands(&mut self, _: &Watched<'_>) -> io::Result<()> {
        Ok(())
    }

    fn pauses(&mut self, _: &Watched<'_>) -> io::Result<()> {
        Ok(())
    }

    fn note(&mut self, note: Diagnostic) {
        self.0.note(note);
    }

    fn waits(&self) -> bool {
        false
    }

    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
}

/// Why driving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driven {
    /// The run finished well, or only people and inboxes are awaited.
    Well,
    /// The run ended otherwise.
    Badly,
    /// It was stopped, and can be resumed.
    Stopped,
}

/// A run that is driven, and where.
pub(super) struct Desk<'d> {
    pub(super) project: &'d Project,
    pub(super) ledger: &'d dyn Store,
    pub(super) agents: &'d Agents,
}

/// How a run that is driven begins here.
pub(super) enum Begin<'b> {
    /// It starts, under the first name that nobody else takes meanwhile: each call makes the order for the next.
    New(&'b mut dyn FnMut() -> Result<NewRun, Fault>),
    /// It goes on.
    Resume(String),
    /// It goes on with changed files: each call says with which. Agents as they were reached before are ended.
    Changed(String, Allowed, Agents, &'b mut dyn FnMut() -> Change),
}

/// A name for this process that no other has.
pub(super) fn driver(root: &Path) -> Result<Driver, Fault> {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    let unique = format!("{} {} {}", std::process::id(), moment::now().0, hasher.finish());
    Ok(Driver::new(root, &unique)?)
}

/// Drives a run until it is over, it is stopped, or only people and inboxes are awaited and the observer does not wait.
pub(super) fn drive(desk: &Desk<'_>, begin: Begin<'_>, observer: &mut dyn Observer) -> Result<Driven, Fault> {
    let mut driver = driver(&desk.project.root)?;
    // Orphaned temporary folders of killed processes: nothing uses them.
    temporary::sweep();
    let caught = pending_files::catch_up(desk.project, desk.ledger);
    caught.notes.into_iter().for_each(|note| observer.note(note));
    let ended = if is_only_behind(desk, &begin, &caught.written)? {
        Ok(Driven::Well)
    } else {
        drive_as(&mut driver, desk, begin, observer)
    };
    // The name is given up last, when nothing is driven under it any more.
    give_up(driver, &ended);
    // A courtesy: what fails here is tried again the next time.
    let _ = output::tidy(&desk.project.root, desk.ledger);
    ended
}

/// Whether only the files of a run were left to write: it is over, and they are written now.
fn is_only_behind(desk: &Desk<'_>, begin: &Begin<'_>, written: &[String]) -> Result<bool, Fault> {
    match begin {
        Begin::Resume(name) | Begin::Changed(name, ..) if written.contains(name) => {
            Ok(lookup::one(desk.ledger, name)?.state().ending().is_some())
        }
        Begin::Resume(_) | Begin::Changed(..) | Begin::New(_) => Ok(false),
    }
}

/// Gives up a driver's name. After a failure of the system, leases may be left under it: the next driver finds the name.
pub(super) fn give_up<T>(driver: Driver, ended: &Result<T, Fault>) {
    match ended {
        Err(fault) if fault.kind == FaultKind::Failed => driver.abandon(),
        Ok(_) | Err(_) => drop(driver),
    }
}

/// Drives a run under a name, or under that of a driver which is gone and had the run.
fn drive_as(
    driver: &mut Driver,
    desk: &Desk<'_>,
    begin: Begin<'_>,
    observer: &mut dyn Observer,
) -> Result<Driven, Fault> {
    let environment = |agents: &Agents| Environment {
        run_base: desk.project.config.run_base().to_owned(),
        ..Environment::new(Arc::clone(&desk.project.checker), agents.clone())
    };
    let world = match &begin {
        Begin::Changed(name, _, left, _) => {
            let (before, left, now) =
                (pinned(desk.ledger, name)?, environment(left), environment(desk.agents));
            let (left, now) = (Arc::new(left), Arc::new(now));
            World { ledger: desk.ledger, environments: Arc::new(ByFiles { before, left, now }) }
        }
        Begin::New(_) | Begin::Resume(_) => World::with(desk.ledger, environment(desk.agents)),
    };
    let settings = |driver: &Driver, run: &str| Settings {
        root: desk.project.root.clone(),
        only: Some(vec![run.to_owned()]),
        output: Some(output::folder(&desk.project.root)),
        ..Settings::new(driver.name())
    };
    let (mut engine, mut follow, name) = match begin {
        Begin::New(next) => loop {
            let order = next()?;
            let name = order.run.clone();
            let mut engine = Engine::new(world.clone(), settings(driver, &name));
            match engine.start(order, moment::now()) {
                Ok(()) => break (engine, Follow::run(&name), name),
                Err(problem) if is_taken(&problem) => {}
                Err(problem) => return Err(problem.into()),
            }
        },
        Begin::Resume(name) => {
            let mut go_on = |engine: &mut Engine<'_>| engine.tell(&name, What::Tick, None, moment::now());
            let (engine, follow) = taken(driver, desk, &name, (&world, &settings), &mut go_on)?;
            (engine, follow, name)
        }
        Begin::Changed(name, _, _, next) => {
            let mut go_on = |engine: &mut Engine<'_>| engine.change(&name, next(), moment::now());
            let (engine, follow) = taken(driver, desk, &name, (&world, &settings), &mut go_on)?;
            (engine, follow, name)
        }
    };
    watch(desk, &mut engine, &name, &mut follow, observer)
}

/// How a run is driven before and after its files change.
struct ByFiles {
    before: Vec<Pinned>,
    left: Arc<Environment>,
    now: Arc<Environment>,
}

impl Environments for ByFiles {
    fn of(&self, _run: &str, files: &[Pinned]) -> Result<Arc<Environment>, Problem> {
        Ok(Arc::clone(if *files == *self.before { &self.left } else { &self.now }))
    }
}

/// How a driver drives a run, by their names.
type Settled<'s> = dyn Fn(&Driver, &str) -> Settings + 's;

/// Takes a run that nobody drives, and lets it go on; under the name of a driver that is gone, if that one has it.
fn taken<'w>(
    driver: &mut Driver,
    desk: &Desk<'_>,
    name: &str,
    (world, settings): (&World<'w>, &Settled<'_>),
    go_on: &mut dyn FnMut(&mut Engine<'_>) -> Result<(), Problem>,
) -> Result<(Engine<'w>, Follow), Fault> {
    let mut follow = Follow::run(name);
    // What happened before is told by the log.
    follow.catch_up(desk.ledger)?;
    let mut engine = Engine::new(world.clone(), settings(driver, name));
    if let Err(problem) = go_on(&mut engine) {
        let Some(holder) = holder(&problem) else { return Err(problem.into()) };
        let Some(left) = Driver::left(&desk.project.root, desk.ledger, holder) else {
            return Err(Fault::refused(
                format!("another baton drives {name}"),
                Some(format!("`baton log {name} -f` watches it")),
            ));
        };
        // Whoever drove it is gone for sure: this process goes on under that name.
        engine = Engine::new(world.clone(), settings(&left, name));
        *driver = left;
        go_on(&mut engine)?;
    }
    Ok((engine, follow))
}

/// Who holds a run that was refused for that.
pub(super) fn holder(problem: &Problem) -> Option<&str> {
    match problem {
        Problem::Refused(Refused::Ledger(LedgerRefused::Held { holder, .. })) => Some(holder),
        Problem::Refused(_) | Problem::Failed(_) => None,
    }
}

/// Whether somebody else started a run of that name meanwhile.
fn is_taken(problem: &Problem) -> bool {
    let Problem::Refused(refused) = problem else { return false };
    matches!(refused, Refused::Run(Refusal::Started) | Refused::Ledger(_))
}

/// Why driving came to a pause.
enum Pause {
    /// The run is over.
    Over(Driven),
    /// Only people and inboxes are awaited.
    Awaiting,
    /// It was stopped.
    Stopped,
}

fn watch(
    desk: &Desk<'_>,
    engine: &mut Engine<'_>,
    name: &str,
    follow: &mut Follow,
    observer: &mut dyn Observer,
) -> Result<Driven, Fault> {
    if let Some(run) = follow.runs.get(name) {
        let agents = run.state().plan().agents.iter();
        observer.workers(&agents.map(|agent| agent.name.clone()).collect::<Vec<_>>());
    }
    let pause = go_on(desk.ledger, engine, name, follow, observer);
    if !matches!(pause, Ok(Pause::Over(_) | Pause::Awaiting)) {
        leave(engine)?;
    }
    note_conflicts(engine, observer);
    let pause = pause?;
    let run = read_on(desk.ledger, name, follow, observer)?;
    observer.pauses(&Watched::new(run))?;
    Ok(match pause {
        Pause::Over(outcome) => outcome,
        Pause::Awaiting => Driven::Well,
        Pause::Stopped => Driven::Stopped,
    })
}

fn note_conflicts(engine: &mut Engine<'_>, observer: &mut dyn Observer) {
    engine.conflicts().iter().for_each(|conflict| observer.note(pending_files::conflict(conflict)));
}

fn go_on(
    ledger: &dyn Ledger,
    engine: &mut Engine<'_>,
    name: &str,
    follow: &mut Follow,
    observer: &mut dyn Observer,
) -> Result<Pause, Fault> {
    // What was handed in while no driver was at work is taken before anything is awaited.
    engine.turn(moment::now())?;
    loop {
        let run = read_on(ledger, name, follow, observer)?;
        if let Some(ending) = run.state().ending() {
            return Ok(Pause::Over(match ending {
                Ending::Finished(outcome) if standing::is_good(*outcome) => Driven::Well,
                Ending::Finished(_) | Ending::Halted(_) | Ending::Cancelled(_) => Driven::Badly,
            }));
        }
        if observer.is_stopped() {
            return Ok(Pause::Stopped);
        }
        let awaited = standing::awaited(&run.history.summary());
        let is_elsewhere = !awaited.is_empty() && awaited.iter().all(|one| one.kind.is_elsewhere());
        if is_elsewhere && !observer.waits() && engine.held().next().is_none() {
            return Ok(Pause::Awaiting);
        }
        let until = engine.next_due().0.saturating_sub(moment::now().0);
        engine.wait(PACE.min(Duration::from_millis(until.max(1))));
        engine.turn(moment::now())?;
        note_conflicts(engine, observer);
    }
}

/// Tells the observer what was recorded since.
fn read_on<'f>(
    ledger: &dyn Ledger,
    name: &str,
    follow: &'f mut Follow,
    observer: &mut dyn Observer,
) -> Result<&'f Run, Fault> {
    loop {
        let page = follow.next(ledger)?;
        if page.is_empty() {
            break;
        }
        observer.recorded(&page.iter().map(LogEntry::new).collect::<Vec<_>>())?;
    }
    let run = follow.runs.get(name).ok_or_else(|| lookup::no_run(name))?;
    observer.stands(&Watched::new(run))?;
    Ok(run)
}

/// Ends the agents that work here, and waits until that is recorded.
fn leave(engine: &mut Engine<'_>) -> Result<(), Fault> {
    let start = Instant::now();
    engine.leave();
    while engine.held().next().is_some() && start.elapsed() < LEAVE {
        engine.wait(PACE);
        engine.turn(moment::now())?;
    }
    Ok(())
}
