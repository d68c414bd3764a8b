//! Drives one run in the foreground, and shows it meanwhile.
//!
//! Invariant: whoever stops it leaves the run as it can be resumed: agents are ended, that they were is recorded, and the
//! run is given back.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use baton_engine::driver::{Engine, Settings, World};
use baton_engine::error::{Problem, Refused};
use baton_engine::history::output;
use baton_engine::kernel::{Ending, Refusal, What};
use baton_engine::ledger::{Ledger, Refused as LedgerRefused, Store};
use baton_engine::project::agents::Agents;
use baton_engine::project::store::Driver;
use baton_engine::records::entry::{Pinned, pinned};
use baton_engine::run::environment::{Environment, Environments};
use baton_engine::run::{Change, NewRun};
use baton_engine::temporary;

use super::authority::Allowed;
use super::follow::{Follow, Run, Told};
use super::live::{self, Screen};
use super::{behind, handles, moment, print, standing, table};
use crate::outcome::{Failure, Outcome};
use crate::project::Project;
use crate::say;

/// How often a run that is watched is drawn, or looked at.
const PACE: Duration = Duration::from_millis(100);
/// How long agents have to end when somebody stops the run.
const LEAVE: Duration = Duration::from_secs(10);

/// Whether somebody asked this process to end.
static STOP: AtomicBool = AtomicBool::new(false);

/// Where a run is driven.
pub(crate) struct Desk<'d> {
    /// The project.
    pub(crate) project: &'d Project,
    /// Its ledger.
    pub(crate) ledger: &'d dyn Store,
    /// Who can be reached.
    pub(crate) agents: &'d Agents,
    /// Whether what happens is printed as JSON Lines.
    pub(crate) is_json: bool,
    /// Whether nothing of it is shown.
    pub(crate) is_quiet: bool,
    /// Whether it waits for people, where somebody watches.
    pub(crate) waits: bool,
}

/// How a run that is driven begins here.
pub(crate) enum Begin<'b> {
    /// It starts, under the first name that nobody else takes meanwhile: each call makes the order for the next.
    New(&'b mut dyn FnMut() -> Result<NewRun, Failure>),
    /// It goes on.
    Resume(String),
    /// It goes on with changed files: each call says with which. Agents as they were reached before are ended.
    Changed(String, Allowed, Agents, &'b mut dyn FnMut() -> Change),
}

/// A name for this process that no other has.
pub(crate) fn driver(root: &Path) -> Result<Driver, Failure> {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    let unique = format!("{} {} {}", std::process::id(), moment::now().0, hasher.finish());
    Ok(Driver::new(root, &unique)?)
}

/// Drives a run until it is over, somebody stops it, or only people and inboxes are awaited and nobody watches.
pub(crate) fn drive(desk: &Desk<'_>, begin: Begin<'_>) -> Result<Outcome, Failure> {
    // A second handler would be refused, and the first does the same.
    let _ = ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed));
    handles::raise();
    let mut driver = driver(&desk.project.root)?;
    // What Batons that were killed left behind is looked for by whoever comes next, and in use by nobody.
    temporary::sweep();
    let written = behind::catch_up(desk.project, desk.ledger);
    let ended = if is_only_behind(desk, &begin, &written)? {
        Ok(Outcome::Clean)
    } else {
        drive_as(&mut driver, desk, begin)
    };
    // The name is given up last, when nothing is driven under it any more.
    give_up(driver, &ended);
    // A courtesy: what fails here is tried again the next time.
    let _ = output::tidy(&desk.project.root, desk.ledger);
    ended
}

/// Whether all that was left to do of a run that is gone on with were its files: it is over, and they are written now.
fn is_only_behind(desk: &Desk<'_>, begin: &Begin<'_>, written: &[String]) -> Result<bool, Failure> {
    match begin {
        Begin::Resume(name) | Begin::Changed(name, ..) if written.contains(name) => {
            Ok(super::book::one(desk.ledger, name)?.state().ending().is_some())
        }
        Begin::Resume(_) | Begin::Changed(..) | Begin::New(_) => Ok(false),
    }
}

/// Gives up a name. Where the world failed, runs may not have been given back: whoever wants them finds the name.
pub(crate) fn give_up<T>(driver: Driver, ended: &Result<T, Failure>) {
    match ended {
        Err(Failure::World(_)) => driver.abandon(),
        Ok(_)
        | Err(Failure::Usage { .. } | Failure::Blocked { .. } | Failure::Refused { .. } | Failure::Unread) => {
            drop(driver);
        }
    }
}

/// Drives a run under a name, or under that of a driver which is gone and had the run.
fn drive_as(driver: &mut Driver, desk: &Desk<'_>, begin: Begin<'_>) -> Result<Outcome, Failure> {
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
    watch(desk, &mut engine, &name, &mut follow)
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
) -> Result<(Engine<'w>, Follow), Failure> {
    let mut follow = Follow::run(name);
    // What happened before is told by the log.
    follow.catch_up(desk.ledger)?;
    let mut engine = Engine::new(world.clone(), settings(driver, name));
    if let Err(problem) = go_on(&mut engine) {
        let Some(holder) = holder(&problem) else { return Err(problem.into()) };
        let Some(left) = Driver::left(&desk.project.root, desk.ledger, holder) else {
            return Err(Failure::Refused {
                message: format!("another baton drives {name}"),
                hint: Some(format!("`baton log {name} -f` watches it")),
            });
        };
        // Whoever drove it is gone for sure: this process goes on under that name.
        engine = Engine::new(world.clone(), settings(&left, name));
        *driver = left;
        go_on(&mut engine)?;
    }
    Ok((engine, follow))
}

/// Who holds a run that was refused for that.
pub(crate) fn holder(problem: &Problem) -> Option<&str> {
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
    Over(Outcome),
    /// Only people and inboxes are awaited.
    Awaiting,
    /// Somebody asked this process to end.
    Stopped,
}

fn watch(
    desk: &Desk<'_>,
    engine: &mut Engine<'_>,
    name: &str,
    follow: &mut Follow,
) -> Result<Outcome, Failure> {
    let mut face = if desk.is_quiet { Face::quiet() } else { Face::new(desk.is_json, desk.waits) };
    if let (How::Lines(printer), Some(run)) = (&mut face.how, follow.runs.get(name)) {
        printer.makes_room(run.state().plan());
    }
    let pause = go_on(desk.ledger, engine, name, follow, &mut face);
    if !matches!(pause, Ok(Pause::Over(_) | Pause::Awaiting)) {
        leave(engine)?;
    }
    behind::tell_conflicts(engine.conflicts());
    let pause = pause?;
    let run = read_on(desk.ledger, name, follow, &mut face)?;
    face.last(run)?;
    Ok(match pause {
        Pause::Over(outcome) => outcome,
        Pause::Awaiting => Outcome::Clean,
        Pause::Stopped => {
            if !desk.is_quiet {
                say::note(&format!("stopped; `baton resume {name}` goes on"));
            }
            Outcome::Interrupted
        }
    })
}

fn go_on(
    ledger: &dyn Ledger,
    engine: &mut Engine<'_>,
    name: &str,
    follow: &mut Follow,
    face: &mut Face,
) -> Result<Pause, Failure> {
    // What was handed in while nobody drove is taken before anything is awaited.
    engine.turn(moment::now())?;
    loop {
        let run = read_on(ledger, name, follow, face)?;
        if let Some(ending) = run.state().ending() {
            return Ok(Pause::Over(match ending {
                Ending::Finished(outcome) if standing::is_good(*outcome) => Outcome::Clean,
                Ending::Finished(_) | Ending::Halted(_) | Ending::Cancelled(_) => Outcome::Blocked,
            }));
        }
        if STOP.load(Ordering::Relaxed) {
            return Ok(Pause::Stopped);
        }
        let awaited = standing::awaited(&run.history.summary());
        let is_elsewhere = !awaited.is_empty() && awaited.iter().all(|one| one.kind.is_elsewhere());
        if is_elsewhere && !face.stays && engine.held().next().is_none() {
            return Ok(Pause::Awaiting);
        }
        let until = engine.next_due().0.saturating_sub(moment::now().0);
        engine.wait(PACE.min(Duration::from_millis(until.max(1))));
        engine.turn(moment::now())?;
        behind::tell_conflicts(engine.conflicts());
    }
}

/// Shows what was recorded since.
fn read_on<'f>(
    ledger: &dyn Ledger,
    name: &str,
    follow: &'f mut Follow,
    face: &mut Face,
) -> Result<&'f Run, Failure> {
    loop {
        let page = follow.next(ledger)?;
        if page.is_empty() {
            break;
        }
        face.told(&page)?;
    }
    let run = follow.runs.get(name).ok_or_else(|| super::book::no_run(name))?;
    face.draw(run)?;
    Ok(run)
}

/// Ends the agents that work here, and waits until that is recorded.
fn leave(engine: &mut Engine<'_>) -> Result<(), Failure> {
    let start = Instant::now();
    engine.leave();
    while engine.held().next().is_some() && start.elapsed() < LEAVE {
        engine.wait(PACE);
        engine.turn(moment::now())?;
    }
    Ok(())
}

/// What is shown of a run while it is driven.
struct Face {
    how: How,
    /// Whether somebody watches, so that waiting for people makes sense.
    stays: bool,
}

enum How {
    Live(Screen),
    Lines(print::Printer),
    Quiet,
}

impl Face {
    fn quiet() -> Self {
        Self { how: How::Quiet, stays: false }
    }

    fn new(is_json: bool, waits: bool) -> Self {
        let is_watched = io::stdout().is_terminal();
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let how = if is_watched && !is_json && !is_dumb {
            How::Live(Screen::default())
        } else {
            How::Lines(print::Printer::of_run(is_json))
        };
        Self { how, stays: is_watched && !is_json && waits }
    }

    fn told(&mut self, page: &[Told]) -> Result<(), Failure> {
        match &mut self.how {
            How::Live(_) | How::Quiet => Ok(()),
            How::Lines(printer) => {
                let mut out = io::stdout().lock();
                page.iter().try_for_each(|told| printer.print(told, &mut out))?;
                Ok(out.flush()?)
            }
        }
    }

    fn draw(&mut self, run: &Run) -> Result<(), Failure> {
        match &mut self.how {
            How::Live(screen) => {
                let (width, height) = Screen::size();
                Ok(screen.draw(live::frame(run, &run.view(), moment::now(), width, height))?)
            }
            How::Lines(_) | How::Quiet => Ok(()),
        }
    }

    /// Says how it stands when driving comes to a pause.
    fn last(&mut self, run: &Run) -> Result<(), Failure> {
        let view = run.view();
        let How::Lines(printer) = &self.how else { return Ok(()) };
        let mut out = io::stdout().lock();
        if printer.is_json {
            writeln!(out, "{}", standing::json(&run.history.summary()))?;
        } else if view.state.ending().is_none() {
            let words = table::one_line(&standing::words(&view.summary));
            writeln!(out, "\n{}  {words}", view.state.run())?;
            for line in standing::next_lines(&view.summary) {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }
}
