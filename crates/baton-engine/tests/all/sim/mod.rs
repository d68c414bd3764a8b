//! The simulator: the real kernel and engine on a world of one thread and one seed.
//!
//! Processes are killed between any two calls to the world, machines fall and forget what was not synced, ledgers fail for
//! a moment at any call, before or after it was done, and work again, deliveries are lost and doubled, clocks jump, agents die, lie and come late, people answer twice and by letter, and two drivers
//! want the same runs. After every step the audit looks at everything. Then the faults end, and every run must come to
//! its end.
//!
//! `cargo xtask sim SEED` repeats one world and tells its story.

mod agents;
pub(crate) mod audit;
mod bugs;
pub(crate) mod dice;
pub(crate) mod files;
mod flows;
mod people;
mod world;

use std::sync::Arc;

use baton_courier::Kind;
use baton_document::dialect::Settings as Dialects;
use baton_document::{Checker, Levels, Limits};
use baton_engine::driver::{Engine, Settings, World as Parts};
use baton_engine::error::{Problem, Refused};
use baton_engine::history::views::show;
use baton_engine::project::agents::{Agents, Setup};
use baton_engine::run::NewRun;
use baton_engine::run::environment::Environment;
use baton_engine::service::post::post;
use baton_kernel::{Millis, What};

use audit::Audit;
use bugs::{Bug, Judging};
use flows::AGENTS;
use world::{LifeCourier, LifeLedger, World};

use crate::stories::ROOT;

/// Lives of processes in one world.
const LIVES: usize = 24;
/// Steps with faults, and without.
const WILD: usize = 160;
const CALM: usize = 3_000;
/// How far the clock of a process may be ahead: more than a lease lasts.
const SKEW_MS: u64 = 60_000;

/// When all leases of the dead are over, and whoever lives has looked for what they drove: a lease and a half, and some.
const LEASES_OVER_MS: u64 = 60_000;

/// What a world came to.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    records: usize,
    lives: usize,
    ended: usize,
}

/// What one process is made of.
struct Life {
    ledger: LifeLedger,
    agents: Agents,
}

/// Runs the world of a seed; gives what came of it, and its story.
fn simulate(checker: &Arc<Checker>, seed: u64, bug: Option<Bug>) -> (Result<Tally, String>, Vec<String>) {
    let world = World::new(seed, bug);
    let outcome = live(checker, &world);
    let story = std::mem::take(&mut world.inner().story);
    (outcome, story)
}

fn live(checker: &Arc<Checker>, world: &World) -> Result<Tally, String> {
    let kinds: Vec<(Kind, &str)> = {
        let mut inner = world.inner();
        let kind = |inner: &mut world::Inner| {
            let kind = *inner.dice.pick(&[Kind::Idempotent, Kind::Resumable, Kind::Neither]);
            (kind, *inner.dice.pick(&["envelope", "envelope", "exchange"]))
        };
        AGENTS.iter().map(|_| kind(&mut inner)).collect()
    };
    let lives: Vec<Life> = (0..LIVES)
        .map(|life| {
            let mut agents = Agents::default();
            for (name, (kind, dialect)) in AGENTS.iter().zip(&kinds) {
                let courier = LifeCourier { world: world.clone(), life, kind: *kind };
                agents.add(*name, Setup::new(Arc::new(courier), *dialect));
            }
            Life { ledger: LifeLedger { world: world.clone(), life }, agents }
        })
        .collect();
    let mut all = Simulation {
        checker,
        world,
        lives: &lives,
        next: 0,
        drivers: [None, None],
        ahead: [0; 2],
        runs: Vec::new(),
        audit: Audit::default(),
        now: 1_000_000,
        latest: 0,
    };
    for _ in 0..WILD {
        all.step()?;
        all.audit()?;
    }
    all.heal()?;
    audit::proof(world)?;
    let records = all.runs.iter().map(|run| world.records(run).len()).sum();
    Ok(Tally { records, lives: all.next, ended: all.runs.len() })
}

struct Simulation<'s> {
    checker: &'s Arc<Checker>,
    world: &'s World,
    lives: &'s [Life],
    next: usize,
    drivers: [Option<(usize, Engine<'s>)>; 2],
    /// How far the clock of each driver is ahead.
    ahead: [u64; 2],
    runs: Vec<String>,
    audit: Audit,
    now: u64,
    /// The latest moment that a process ever saw: no lease lasts much longer.
    latest: u64,
}

impl Simulation<'_> {
    fn audit(&mut self) -> Result<(), String> {
        self.audit.check(self.world, &self.runs)
    }

    /// Something happens.
    fn step(&mut self) -> Result<(), String> {
        let (deed, which) = {
            let mut inner = self.world.inner();
            (inner.dice.below(20), inner.dice.below(2))
        };
        match deed {
            0..=8 => self.turn(which)?,
            9..=13 => agents::act(self.world),
            14 => self.start(which),
            15 | 16 => self.person(which, false)?,
            17 => self.jump(),
            18 => self.kill(which),
            _ => self.wake(which),
        }
        self.latest = self.latest.max(self.now + self.ahead[0].max(self.ahead[1]));
        self.now += self.world.inner().dice.any() % 1_500;
        Ok(())
    }

    /// The time as a process sees it.
    fn clock(&self, which: usize) -> Millis {
        Millis(self.now + self.ahead[which])
    }

    fn jump(&mut self) {
        let (ahead, span) = {
            let mut inner = self.world.inner();
            (!inner.dice.one_in(4), inner.dice.any() % 50_000)
        };
        self.now = if ahead { self.now + span } else { self.now.saturating_sub(span / 4) };
        self.world.tell(format!("the clock jumps to {}", self.now));
    }

    /// A process begins where none is.
    fn wake(&mut self, which: usize) {
        if self.drivers[which].is_some() || self.next == self.lives.len() {
            return;
        }
        let life = self.next;
        self.next += 1;
        self.world.born(life);
        let mut inner = self.world.inner();
        self.ahead[which] = if inner.dice.one_in(3) { inner.dice.any() % SKEW_MS } else { 0 };
        drop(inner);
        self.world.tell(format!("process {life} begins"));
        let Life { ledger, agents } = &self.lives[life];
        let judge = Arc::new(Judging::with(self.world.inner().bug));
        let environment = Environment { judge, ..Environment::new(Arc::clone(self.checker), agents.clone()) };
        let engine = Engine::new(Parts::with(ledger, environment), Settings::new(format!("process {life}")));
        self.drivers[which] = Some((life, engine));
    }

    fn kill(&mut self, which: usize) {
        let Some((life, _)) = self.drivers[which].take() else { return };
        let with_machine = self.world.inner().dice.one_in(3);
        self.world.tell(if with_machine {
            "the machine falls".to_owned()
        } else {
            format!("process {life} is killed")
        });
        self.world.end(life, with_machine);
        if with_machine {
            self.drivers = [None, None];
        }
    }

    /// A process whose life ended in a call is gone.
    fn bury(&mut self, which: usize) {
        let is_gone = self.drivers[which].as_ref().is_some_and(|(life, _)| !self.world.is_alive(*life));
        if is_gone {
            self.drivers[which] = None;
            if self.world.inner().dice.one_in(4) {
                self.world.tell("and the machine falls with it");
                self.world.end(0, true);
                self.drivers = [None, None];
            }
        }
    }

    fn turn(&mut self, which: usize) -> Result<(), String> {
        self.wake(which);
        let now = self.clock(which);
        let Some((life, engine)) = &mut self.drivers[which] else { return Ok(()) };
        let turn = engine.turn(now);
        let life = *life;
        self.world.tell_late(life, turn.is_ok());
        match turn {
            Ok(_) if self.world.is_alive(life) => {
                let held: Vec<String> = engine.held().map(str::to_owned).collect();
                audit::driven(self.world, life, &held, now)?;
            }
            Ok(_) => {}
            Err(error) => self.world.tell(format!("process {life}: {error}")),
        }
        self.bury(which);
        Ok(())
    }

    fn start(&mut self, which: usize) {
        self.wake(which);
        let now = self.clock(which);
        if self.runs.len() == 3 {
            return;
        }
        let (plan, name) = {
            let mut inner = self.world.inner();
            let plan = if inner.from_files {
                files::plan(self.checker, &mut inner.dice)
            } else {
                flows::plan(&mut inner.dice)
            };
            (plan, format!("run-{}", self.runs.len() + 1))
        };
        let Some((life, engine)) = &mut self.drivers[which] else { return };
        let mut plan = plan;
        self.world.inner().caps.push(plan.caps.handoffs);
        if self.world.inner().bug == Some(Bug::CapOffByOne) {
            plan.caps.handoffs += 1;
        }
        let order = NewRun::new(name.clone(), plan, "do it");
        let started = engine.start(order, now);
        self.world.tell(format!("process {life} starts {name}: {}", said(&started)));
        self.runs.push(name);
        self.bury(which);
    }

    /// Somebody answers, cancels, or tries what is not allowed.
    fn person(&mut self, which: usize, is_calm: bool) -> Result<(), String> {
        self.wake(which);
        let now = self.clock(which);
        let count = self.runs.len();
        if count == 0 {
            return Ok(());
        }
        let at = self.world.inner().dice.below(count);
        let run = self.runs[at].clone();
        let Ok(view) = show(self.world.disk(), &run, now) else { return Ok(()) };
        let wish = {
            let mut inner = self.world.inner();
            people::wish(&mut inner.dice, &view.state, &view.pending, is_calm)
        };
        let Some(wish) = wish else { return Ok(()) };
        let Some((life, engine)) = &mut self.drivers[which] else { return Ok(()) };
        let mut what = wish.what.clone();
        if self.world.inner().bug == Some(Bug::GateAnswerOnChangedContent)
            && let What::AnswerGate { gate, shown, .. } = &mut what
            && let Some(open) = view.pending.gates.iter().find(|open| open.gate == *gate)
        {
            *shown = open.shown.unwrap_or(*shown);
        }
        let letter = wish.letter().filter(|_| self.world.inner().dice.one_in(2));
        let told = match &letter {
            Some(letter) => {
                let place = post(&self.lives[*life].ledger, ROOT.as_ref(), &run, letter, None, now);
                place.map(|place| self.world.inner().letters.push((run.clone(), place)))
            }
            None => engine.tell(&run, what, None, now),
        };
        let way = if letter.is_some() { "by letter" } else { "at once" };
        self.world.tell(format!(
            "a person through process {life} to {run}, {way}: {:?}: {}",
            wish.what,
            said(&told)
        ));
        if let Err(Problem::Refused(Refused::NoRun { .. })) = told {
            return Err(format!("somebody was told that there is no {run}"));
        }
        if let (Some(why), Ok(())) = (wish.forbidden, &told) {
            return Err(format!("it was allowed although {why}"));
        }
        self.bury(which);
        Ok(())
    }

    /// The faults end, and every run must come to its end.
    fn heal(&mut self) -> Result<(), String> {
        self.world.inner().faults = false;
        self.world.tell("from here on nothing breaks");
        if self.drivers.iter().all(Option::is_none) && self.next == self.lives.len() {
            return Ok(());
        }
        let mut awake_at = Some(self.latest + LEASES_OVER_MS);
        for _ in 0..CALM {
            for which in 0..2 {
                self.turn(which)?;
                agents::act(self.world);
                self.person(which, true)?;
            }
            // Where nobody works, only time helps: a delivery that was lost is given up when the run's time is over.
            let is_idle = self.world.inner().posts.is_empty() && awake_at.is_none();
            self.now += if is_idle { 600_000 } else { 5_000 };
            self.audit()?;
            if awake_at.is_some_and(|at| self.now >= at) {
                awake_at = None;
                audit::awake(self.world, &self.runs, Millis(self.now))?;
            }
            // A run whose start was not recorded never was.
            let is_over = |run: &String| match show(self.world.disk(), run, Millis(self.now)) {
                Ok(view) => view.state.ending().is_some(),
                Err(_) => true,
            };
            if self.runs.iter().all(is_over) {
                return self.letters();
            }
        }
        let open: Vec<_> = self
            .runs
            .iter()
            .filter_map(|run| {
                show(self.world.disk(), run, Millis(self.now)).ok().map(|view| (run, view.pending))
            })
            .collect();
        Err(format!("a run does not come to its end: {open:?}"))
    }

    /// What was written when all was over, or before, is taken, as soon as no lease of the dead is in the way.
    fn letters(&mut self) -> Result<(), String> {
        let until = self.now.max(self.latest) + LEASES_OVER_MS;
        while audit::letters(self.world).is_err() && self.now < until {
            self.now += 5_000;
            (0..2).try_for_each(|which| self.turn(which))?;
        }
        audit::letters(self.world)
    }
}

fn said<T>(result: &Result<T, Problem>) -> String {
    match result {
        Ok(_) => "done".to_owned(),
        Err(Problem::Refused(refused)) => format!("refused, {refused}"),
        Err(Problem::Failed(error)) => format!("failed, {error}"),
    }
}

pub(crate) fn checker() -> Checker {
    Checker::new(&Dialects::default(), Levels::default(), Limits::default())
}

pub(crate) fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// The worlds that are run: one with a story, or so many.
#[test]
fn whatever_breaks_nothing_acknowledged_is_lost_and_every_run_ends() {
    let checker = Arc::new(checker());
    let one = number("BATON_SIM_SEED");
    let count = number("BATON_SIM_COUNT").unwrap_or(2_000);
    let first = one.unwrap_or_else(|| number("BATON_SIM_FIRST").unwrap_or(1));
    let last = if one.is_some() { first } else { first + count - 1 };
    let mut all = Tally::default();
    for seed in first..=last {
        let (outcome, story) = simulate(&checker, seed, None);
        if one.is_some() {
            eprintln!("{}", story.join("\n"));
        }
        match outcome {
            Ok(tally) => {
                all.records += tally.records;
                all.lives += tally.lives;
                all.ended += tally.ended;
            }
            Err(wrong) => {
                let start = story.len().saturating_sub(120);
                panic!("seed {seed}: {wrong}\n\n{}\n\nseed {seed}: {wrong}", story[start..].join("\n"));
            }
        }
    }
    assert!(all.records > 0 || one.is_some(), "the worlds must do something: {all:?}");
    eprintln!("{} worlds: {all:?}", last - first + 1);
}

/// What the checks of flow files accept becomes a plan, and a run of it comes to its end.
#[test]
fn whatever_flow_the_checks_accept_runs_to_its_end() {
    // proves L-10
    let checker = Arc::new(checker());
    let (mut accepted, mut refused) = (0, 0);
    for seed in 1..=300 {
        let text = files::text(&mut dice::Dice::new(seed));
        let errors = files::errors(&checker, &text);
        match files::made(&text) {
            Ok(_) if errors.is_empty() => accepted += 1,
            Ok(_) => refused += 1,
            Err(fault) => {
                assert!(!errors.is_empty(), "seed {seed}: nothing was found, and yet: {fault}\n{text}");
                refused += 1;
            }
        }
    }
    assert!(accepted > 50 && refused > 50, "{accepted} accepted, {refused} refused");
    for seed in 1..=25 {
        let world = World::new(seed, None);
        world.inner().from_files = true;
        let outcome = live(&checker, &world);
        let story = std::mem::take(&mut world.inner().story);
        let start = story.len().saturating_sub(60);
        if let Err(wrong) = outcome {
            panic!("seed {seed}: {wrong}\n\n{}", story[start..].join("\n"));
        }
    }
}

/// Every planted fault is found.
#[test]
fn the_simulator_has_teeth() {
    let checker = Arc::new(checker());
    for bug in Bug::ALL {
        let found =
            (1..400).find_map(|seed| simulate(&checker, seed, Some(bug)).0.err().map(|wrong| (seed, wrong)));
        let Some((seed, wrong)) = found else { panic!("{bug:?} is not found") };
        eprintln!("{bug:?}: seed {seed}: {wrong}");
    }
}
