//! The driver: reads what is ready, lets the kernel decide, records it in one append, then does what is owed.
//!
//! Invariant: nothing happens in the world that the ledger does not already owe. What is owed is recomputed from the
//! state, so that a restart is replay and ask again.
//! Invariant: a run is driven under a lease. Whoever lost it cannot record, and lets go of the run and of its work.

mod answer_files;
mod deliver;
mod examine;
mod leases;
mod mail;
mod mirrors;
mod pool;
mod reports;
mod tasks;
mod walls;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use baton_courier::Report;
use baton_document::Scratch;
use baton_kernel::{Ending, Key, Millis, OwedDelivery, Refusal, What};
use baton_ledger::{Head, Ledger, seal};
use rustc_hash::FxHashMap;

use deliver::Prepared;
use pool::{Done, Pool};

use crate::error::RESERVED;
use crate::error::{Error, Problem, Refused};
use crate::evidence;
use crate::evidence::Seen;
use crate::history::output::Keeper;
use crate::mirror;
use crate::mirror::Conflict;
use crate::outbound::worktree;
use crate::project::agents::Setup;
use crate::records::content::Content;
use crate::records::content::without_secret;
use crate::records::{codec, mailbox};
use crate::run::Change;
use crate::run::NewRun;
use crate::run::environment::{Environment, Environments};
use crate::run::flow_context::Notes;
use crate::run::{Run, pinned, pins};

/// How this process drives.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Names this process's life in leases; never used again by another.
    pub holder: String,
    /// How long a lease lasts.
    pub lease_ms: u64,
    /// How many reports one turn takes, and how many runs it takes over.
    pub turn_max: usize,
    /// The folder of the project.
    pub root: PathBuf,
    /// How often the mailboxes are looked into.
    pub mail_ms: u64,
    /// Where what agents say while they work is kept; nowhere unless said.
    pub output: Option<PathBuf>,
    /// The runs that it may take over; none means all.
    pub only: Option<Vec<String>>,
}

impl Settings {
    /// The usual settings, for a holder.
    pub fn new(holder: impl Into<String>) -> Self {
        Self {
            holder: holder.into(),
            lease_ms: 30_000,
            turn_max: 1_024,
            root: PathBuf::from("."),
            mail_ms: 200,
            output: None,
            only: None,
        }
    }
}

/// What a turn came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Reports and timers that were heard.
    pub heard: usize,
    /// Runs of which something was recorded.
    pub recorded: usize,
    /// Attempts that were started.
    pub started: usize,
    /// Runs that were taken over.
    pub adopted: usize,
}

/// An attempt that this process watches.
#[derive(Clone, Debug)]
struct Watched {
    run: String,
    key: Key,
    attempt: u16,
    receiver: String,
    /// What its run went by when it began.
    environment: Arc<Environment>,
}

impl Watched {
    /// How its agent is reached.
    fn setup(&self) -> Option<&Setup> {
        self.environment.agents.get(&self.receiver)
    }
}

/// An attempt whose agent said that it is still at work, and ended: it is asked again later.
#[derive(Clone, Debug)]
struct Later {
    watched: Watched,
    /// When it is asked again; nothing while it is asked.
    at: Option<Millis>,
    /// How long it is left alone the next time.
    pause_ms: u64,
}

/// What a driver works with.
#[derive(Clone)]
pub struct World<'w> {
    /// Remembers.
    pub ledger: &'w dyn Ledger,
    /// Makes what each run goes by.
    pub environments: Arc<dyn Environments + 'w>,
}

impl<'w> World<'w> {
    /// A world in which every run has the same environment.
    pub fn with(ledger: &'w dyn Ledger, environment: Environment) -> Self {
        Self { ledger, environments: Arc::new(Arc::new(environment)) }
    }
}

/// Appends after which a seal is due, should no run end before.
const SEAL_AFTER: usize = 5_000;

/// Drives runs: one thread, many runs.
pub struct Engine<'w> {
    ledger: &'w dyn Ledger,
    environments: Arc<dyn Environments + 'w>,
    settings: Settings,
    scratch: Scratch,
    /// By their names, in an order that is nobody's: each is looked up about ten times for every handoff.
    runs: FxHashMap<String, Run>,
    watched: BTreeMap<baton_courier::Key, Watched>,
    sender: Sender<Report>,
    receiver: Receiver<Report>,
    inbox: VecDeque<Report>,
    /// Work that waits for git or the disk.
    pool: Pool,
    /// Deliveries that were prepared on the pool, and have not begun to go out.
    prepared: BTreeMap<baton_courier::Key, Prepared>,
    /// When the leases of all runs are renewed.
    renew_at: Millis,
    /// When runs that nobody drives are looked for again.
    look_at: Millis,
    /// When something is due in runs that were given back: nobody looks for them later than that.
    timers: BTreeSet<Millis>,
    /// Attempts whose agents said that they are still at work. None is here longer than its run owes it.
    later: BTreeMap<baton_courier::Key, Later>,
    /// When the mailboxes are looked into again.
    mail_at: Millis,
    /// Answers that were handed in and whose evidence is looked at; nothing until it was.
    letters: BTreeMap<(String, u64), Option<Seen>>,
    /// The mailboxes that were read in this turn, as they were then, and the last letter that was taken.
    opened: Vec<(String, Head, u64)>,
    /// What agents say while they work.
    output: Keeper,
    /// The runs that keep files of the systems they know.
    keeping: BTreeMap<String, mirrors::Kept>,
    /// The run whose files were looked at last.
    kept_last: Option<String>,
    /// What could not be kept as it stands.
    conflicts: Vec<Conflict>,
    /// Runs whose agents cannot be reached from here, each with the reason.
    unreachable: Vec<(String, String)>,
    /// What stands around the agents that are at work.
    walls: walls::Walls,
    /// The runs that were let go of in this turn.
    lost: Vec<String>,
    /// Appends since the last seal.
    unsealed: usize,
    /// Whether it goes: agents end, and none begins.
    is_leaving: bool,
}

impl<'w> Engine<'w> {
    /// A driver that holds nothing yet.
    pub fn new(world: World<'w>, settings: Settings) -> Self {
        let World { ledger, environments } = world;
        let (sender, receiver) = channel();
        let output = Keeper::new(settings.output.clone());
        Self {
            output,
            ledger,
            environments,
            settings,
            scratch: Scratch::default(),
            runs: FxHashMap::default(),
            watched: BTreeMap::new(),
            pool: Pool::new(sender.clone()),
            sender,
            receiver,
            inbox: VecDeque::new(),
            prepared: BTreeMap::new(),
            renew_at: Millis(0),
            look_at: Millis(0),
            timers: BTreeSet::new(),
            later: BTreeMap::new(),
            mail_at: Millis(0),
            letters: BTreeMap::new(),
            opened: Vec::new(),
            keeping: BTreeMap::new(),
            kept_last: None,
            conflicts: Vec::new(),
            unreachable: Vec::new(),
            walls: walls::Walls::default(),
            lost: Vec::new(),
            unsealed: 0,
            is_leaving: false,
        }
    }

    /// Starts a run: it is recorded, and its first deliveries are on their way, when this returns.
    pub fn start(&mut self, order: NewRun, now: Millis) -> Result<(), Problem> {
        let NewRun { run: name, plan, files, flow, people, input } = order;
        if name.starts_with(RESERVED) {
            return Err(Problem::Refused(Refused::Reserved { run: name }));
        }
        without_secret("run", &name)?;
        files.iter().try_for_each(|(path, _)| without_secret("file", path))?;
        people.0.iter().try_for_each(|person| without_secret("person", &person.name))?;
        let pins = pins(&files);
        let input = Content::plain(input);
        let given = input.bytes.clone();
        let (mut run, _) = self.loaded(&name, now)?;
        if run.has_begun() {
            self.ledger.release(&run.lease)?;
            return Err(Refusal::Started.into());
        }
        match self.environments.of(&name, &pinned(&files, flow.as_deref())) {
            Ok(environment) => self.goes_by(&mut run, environment),
            Err(problem) => {
                self.ledger.release(&run.lease)?;
                return Err(problem);
            }
        }
        let start = What::Start { run: name.clone(), plan: Box::new(plan), pins, input: input.digest };
        if let Err(refusal) = run.hear(start, Some(input), now) {
            self.ledger.release(&run.lease)?;
            return Err(refusal.into());
        }
        let flow_file = files.iter().find(|(path, _)| flow.as_ref() == Some(path));
        run.notes = flow_file.and_then(|(_, text)| Notes::read(text, &given));
        for (path, bytes) in files {
            run.keep_path(&path);
            if flow.as_ref() != Some(&path) {
                run.keep_pin(&path, &bytes);
            }
            run.note(codec::pinned(&path, flow.as_ref() == Some(&path), bytes));
        }
        if !people.is_empty() {
            run.note(codec::noted(codec::PEOPLE, &people));
            run.people = people;
        }
        self.runs.insert(name.clone(), run);
        self.perform_tasks(&name, now);
        self.record(&[name], now)?.map_or(Ok(()), |refused| Err(refused.into()))
    }

    /// Tells a run something that somebody wants: an answer to a gate or a question, a signal, a cancellation.
    ///
    /// It is recorded when this returns, and what follows from it is on its way. What was handed in while nobody drove the
    /// run comes first; if that did already what is wanted here, this is no refusal.
    pub fn tell(
        &mut self,
        name: &str,
        what: What,
        content: Option<Vec<u8>>,
        now: Millis,
    ) -> Result<(), Problem> {
        let has_ended = |run: &Run| run.state.ending().is_some();
        let mut was_open = self.runs.get(name).is_some_and(|run| !has_ended(run));
        let mut left = Vec::new();
        if !self.runs.contains_key(name) {
            let run = self.taken_for(name, &what, now)?;
            if !run.has_begun() {
                self.ledger.release(&run.lease)?;
                return Err(Problem::Refused(Refused::NoRun { run: name.to_owned() }));
            }
            was_open = !has_ended(&run);
            let mail = mailbox::waiting_for(self.ledger, name)?;
            left = self.enter(run, mail, now)?;
            // What was under way in a run that is cancelled is stopped, and nobody is asked about it any more.
            if !matches!(what, What::Cancel { .. }) {
                self.found(name, std::mem::take(&mut left), now);
            }
        }
        let Some(run) = self.runs.get_mut(name) else { return Ok(()) };
        let is_done = was_open && does_already(run.state.ending(), &what);
        let heard = if is_done { Ok(()) } else { run.hear(what, content.map(Content::plain), now) };
        if heard.is_err() {
            self.found(name, left, now);
        }
        self.perform_tasks(name, now);
        let recorded = self.record(&[name.to_owned()], now)?;
        self.empty(now)?;
        heard?;
        recorded.map_or(Ok(()), |refused| Err(refused.into()))
    }

    /// Goes on with a run that nobody drives, with other files than it has pinned.
    ///
    /// That it does is recorded when this returns, together with the files and with what follows, in one append. What was
    /// handed in before is taken as the changed files say. Where the run cannot go on with them, nothing is recorded at all.
    pub fn change(&mut self, name: &str, change: Change, now: Millis) -> Result<(), Problem> {
        let (mut run, files) = self.loaded(name, now)?;
        let before = self.environment_or_none(name, &files);
        let changed = if run.has_begun() {
            let environment = self.environments.of(name, &pinned(&change.files, Some(&change.flow)));
            environment.and_then(|environment| {
                run.change(change, now)?;
                self.goes_by(&mut run, environment);
                Ok(())
            })
        } else {
            Err(Problem::Refused(Refused::NoRun { run: name.to_owned() }))
        };
        if let Err(problem) = changed {
            self.ledger.release(&run.lease)?;
            return Err(problem);
        }
        self.clear(&run, &before.agents);
        let mail = mailbox::waiting_for(self.ledger, name)?;
        let left = self.enter(run, mail, now)?;
        let left = self.reached_otherwise(name, left, &before.agents);
        self.found(name, left, now);
        self.perform_tasks(name, now);
        let recorded = self.record(&[name.to_owned()], now)?;
        self.empty(now)?;
        recorded.map_or(Ok(()), |refused| Err(refused.into()))
    }

    /// Does what is ready: reports that came in, timers that are due, runs that nobody drives.
    pub fn turn(&mut self, now: Millis) -> Result<Turn, Error> {
        let mut turn = Turn::default();
        self.lost.clear();
        self.opened.clear();
        self.renew(now)?;
        let mut touched: Vec<String> = Vec::new();
        // A clock that was set back makes no look come later than the next one would.
        let usual = now.after(self.settings.lease_ms / 2);
        self.look_at = self.look_at.min(usual);
        self.mail_at = self.mail_at.min(now.after(self.settings.mail_ms));
        // Before anything is heard: what was heard must be recorded, whatever fails here.
        if now >= self.look_at && !self.is_leaving {
            if let Err(error) = self.adopt(now, &mut touched) {
                touched.iter().for_each(|name| self.let_go(name));
                return Err(error);
            }
            turn.adopted = touched.len();
            self.timers = self.timers.split_off(&now.after(1));
            self.look_at = self.timers.first().map_or(usual, |due| usual.min(*due));
        }
        let looked_at = if now >= self.mail_at { self.kept_again() } else { Vec::new() };
        touched.extend(self.keep(&looked_at, now));
        // What could be taken is recorded, whatever fails with the rest.
        let collected =
            if now >= self.mail_at && !self.is_leaving { self.collect(now, &mut touched) } else { Ok(()) };
        while turn.heard < self.settings.turn_max {
            let Some(report) = self.inbox.pop_front().or_else(|| self.receiver.try_recv().ok()) else {
                break;
            };
            turn.heard += 1;
            if let Some(run) = self.hear(report, now)
                && touched.last() != Some(&run)
            {
                touched.push(run);
            }
        }
        while let Some((run, done)) = self.pool.next() {
            turn.heard += 1;
            touched.push(run);
            match done {
                Done::Prepared(prepared) => self.hear_prepared(*prepared),
                Done::Examined(examined) => touched.extend(self.hear_examined(*examined, now)),
                Done::Tidied => {}
            }
        }
        for (name, run) in &mut self.runs {
            if !self.is_leaving && run.owed.next_due.is_some_and(|due| due <= now) {
                turn.heard += 1;
                // The time is looked at, and what is due is decided; nothing due is no fault.
                let _ = run.hear(What::Tick, None, now);
                touched.push(name.clone());
            }
        }
        if self.is_leaving {
            touched.extend(self.interrupt(now));
        }
        for later in self.later.values_mut() {
            if later.at.take_if(|at| *at <= now).is_some() {
                touched.push(later.watched.run.clone());
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for name in &touched {
            self.perform_tasks(name, now);
        }
        turn.recorded = touched.len();
        let before = self.watched.len();
        match self.record(&touched, now) {
            Ok(_) => {}
            Err(Problem::Failed(error)) => return Err(error),
            Err(Problem::Refused(_)) => {}
        }
        turn.started = self.watched.len().saturating_sub(before);
        if self.is_leaving {
            self.end_all();
        }
        self.empty(now)?;
        collected.map(|()| turn)
    }

    /// Ends all agents that work here, and begins nothing by itself from now on.
    ///
    /// That they were stopped is heard in the turns that follow, as always; when no run is held any more, all of it is
    /// recorded, and whoever takes a run next tries again what was stopped. So it is with those who said that they are
    /// still at work and are left alone for a while: no courier can stop them, and the next turn says that they were.
    pub fn leave(&mut self) {
        self.is_leaving = true;
        self.end_all();
    }

    fn end_all(&self) {
        for (key, watched) in &self.watched {
            if let Some(setup) = watched.setup() {
                setup.courier.stop(key);
            }
        }
    }

    /// Waits for a report, at most so long; says whether one came.
    pub fn wait(&mut self, at_most: Duration) -> bool {
        if !self.inbox.is_empty() {
            return true;
        }
        match self.receiver.recv_timeout(at_most) {
            Ok(report) => {
                self.inbox.push_back(report);
                true
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => false,
        }
    }

    /// When something is due by itself: a timer, a lease, a look for runs that nobody drives or into mailboxes.
    pub fn next_due(&self) -> Millis {
        let timers = self.runs.values().filter_map(|run| run.owed.next_due);
        let leases = (!self.runs.is_empty()).then_some(self.renew_at);
        let later = self.later.values().filter_map(|later| later.at);
        timers.chain(leases).chain(later).chain([self.look_at, self.mail_at]).min().unwrap_or(self.look_at)
    }

    /// The runs that this process holds.
    pub fn held(&self) -> impl Iterator<Item = &str> {
        self.runs.keys().map(String::as_str)
    }

    /// Removes what runs that are over leave behind in git.
    fn tidy(&mut self, over: &[&String]) {
        if over.is_empty() {
            return;
        }
        let root = self.settings.root.clone();
        self.pool.tidy(move || evidence::prune(&root, std::time::SystemTime::now()));
        for name in over {
            let is_apart = |run: &Run| run.environment.agents.all().any(|(_, setup)| setup.worktree);
            if self.runs.get(*name).is_some_and(is_apart) {
                let (root, name) = (self.settings.root.clone(), (*name).clone());
                self.pool.tidy(move || worktree::clear(&root, &name));
            }
        }
    }

    /// Records what was decided for these runs, in one append, and then does what they owe.
    ///
    /// Gives the last refusal: a run that was refused is let go of.
    fn record(&mut self, names: &[String], now: Millis) -> Result<Option<baton_ledger::Refused>, Problem> {
        let mut appends = Vec::with_capacity(names.len());
        let mut appended = Vec::with_capacity(names.len());
        let mut begins: Vec<(&String, Vec<Key>)> = Vec::new();
        for name in names {
            let is_shared = self.is_shared(name);
            let Some(run) = self.runs.get_mut(name) else { continue };
            let is_kept = run.notes.as_ref().is_some_and(|notes| !notes.flow().keeps.is_empty());
            if is_kept {
                begins.push((name, run.begun()));
            }
            run.note_walls(&self.settings.root, self.walls.unguarded(), is_shared);
            if is_kept && !self.keeping.contains_key(name) {
                // Before anything is recorded: whoever is killed behind that leaves word of it.
                mirror::begin(&self.settings.root, name);
            }
            if let Some(append) = run.append(now) {
                appends.push(append);
                appended.push(name.clone());
            }
        }
        let mut refused = None;
        // What fails here is said when the rest is done: the others owe what they owe.
        let mut failed: Option<Error> = None;
        if !appends.is_empty() {
            let results = self.ledger.append(appends).unwrap_or_else(|error| {
                // Whether it was recorded is not known: what is known of these runs is what the ledger says.
                appended.drain(..).for_each(|name| self.let_go(&name));
                failed = Some(error.into());
                Vec::new()
            });
            for (name, result) in appended.iter().zip(results) {
                match (result, self.runs.get_mut(name)) {
                    (Ok(appended), Some(run)) => {
                        run.recorded(appended);
                        self.unsealed += 1;
                    }
                    (Ok(_), None) => {}
                    (Err(why), _) => {
                        self.let_go(name);
                        refused = Some(why);
                    }
                }
            }
        }
        let is_over = |name: &&String| self.runs.get(*name).is_some_and(|run| run.state.ending().is_some());
        let over: Vec<&String> = names.iter().filter(is_over).collect();
        self.tidy(&over);
        let is_sealed = self.unsealed >= SEAL_AFTER || !over.is_empty();
        for name in names {
            self.keeps(name);
            if let Some((_, begin)) = begins.iter().find(|(of, begin)| *of == name && !begin.is_empty()) {
                self.clear_way(name, begin, now);
            }
            self.deliver(name, now);
            failed = self.rest(name).err().or(failed);
        }
        let written = self.keep(names, now);
        if !written.is_empty() {
            written.iter().for_each(|name| self.perform_tasks(name, now));
            // What agents wrote into their files counts like any other answer.
            let recorded = self.record(&written, now);
            return failed.map_or(recorded, |error| Err(error.into()));
        }
        if is_sealed {
            // At the end of a run and now and then, so that whoever keeps a seal can prove all before it.
            match seal(self.ledger, now) {
                Ok(_) => self.unsealed = 0,
                Err(error) => failed = Some(error.into()),
            }
        }
        failed.map_or(Ok(refused), |error| Err(error.into()))
    }
}

/// Whether a run that has just ended so has done what is wanted: time passes for nobody there, and it is cancelled once.
fn does_already(ending: Option<&Ending>, what: &What) -> bool {
    let is_cancelled = matches!(ending, Some(Ending::Cancelled(_)));
    (ending.is_some() && *what == What::Tick) || (is_cancelled && matches!(what, What::Cancel { .. }))
}

/// A delivery of a run, as couriers name it.
fn courier_key(run: &str, key: Key) -> baton_courier::Key {
    let mut text = String::with_capacity(run.len() + 32);
    text.extend([run, "/"]);
    let _ = write!(text, "{key}");
    baton_courier::Key::from(&*text)
}

/// The name of the agent that a delivery goes to.
fn receiver_of<'r>(run: &'r Run, owed: &OwedDelivery) -> &'r str {
    run.state.plan().agents.get(usize::from(owed.to.0)).map_or("", |agent| &agent.name)
}
