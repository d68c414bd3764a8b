//! The driver: reads what is ready, lets the kernel decide, records it in one append, then does what is owed.
//!
//! Invariant: nothing happens in the world that the ledger does not already owe. What is owed is recomputed from the
//! state, so that a restart is replay and ask again.
//! Invariant: a run is driven under a lease. Whoever lost it cannot record, and lets go of the run and of its work.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use baton_courier::{Again, Cause, Report, What as Said};
use baton_document::{Checker, Scratch};
use baton_kernel::{
    CourierKind, Does, Failure, FailureKind, Gate, GateKind, Held, Key, Millis, OwedDelivery, Plan, Refusal,
    Report as Heard, Step, What, When, bounds, signature,
};
use baton_ledger::{Ledger, Limit, NewLease, digest, seal};

use crate::dispatch::{self, Parcel};
use crate::intake::{self, Content, Taken};
use crate::run::Run;
use crate::{Agents, Error, Judge, Problem};

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
}

impl Settings {
    /// The usual settings, for a holder.
    pub fn new(holder: impl Into<String>) -> Self {
        Self { holder: holder.into(), lease_ms: 30_000, turn_max: 1_024, root: PathBuf::from(".") }
    }
}

/// A run to be started.
pub struct NewRun {
    /// Its name, new in the ledger.
    pub run: String,
    /// The flow, compiled.
    pub plan: Plan,
    /// The files that it pins, each with its path.
    pub files: Vec<(String, Vec<u8>)>,
    /// What it is given.
    pub input: Vec<u8>,
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
}

/// What a driver works with.
#[derive(Clone, Copy)]
pub struct World<'w> {
    /// Remembers.
    pub ledger: &'w dyn Ledger,
    /// Reads documents.
    pub checker: &'w Checker,
    /// Reaches agents.
    pub agents: &'w Agents,
    /// Evaluates expressions.
    pub judge: &'w dyn Judge,
}

/// Appends after which a seal is due, should no run end before: a seal reads what it covers.
const SEAL_AFTER: usize = 5_000;

/// How many things a run may ask of the engine after one report.
const DUTIES_MAX: usize = 1_000;

/// Drives runs: one thread, many runs.
pub struct Engine<'w> {
    ledger: &'w dyn Ledger,
    checker: &'w Checker,
    agents: &'w Agents,
    judge: &'w dyn Judge,
    settings: Settings,
    scratch: Scratch,
    runs: BTreeMap<String, Run>,
    watched: BTreeMap<baton_courier::Key, Watched>,
    sender: Sender<Report>,
    receiver: Receiver<Report>,
    inbox: VecDeque<Report>,
    /// When runs that nobody drives are looked for again.
    look_at: Millis,
    /// Appends since the last seal.
    unsealed: usize,
}

impl<'w> Engine<'w> {
    /// A driver that holds nothing yet.
    pub fn new(world: World<'w>, settings: Settings) -> Self {
        let World { ledger, checker, agents, judge } = world;
        let (sender, receiver) = channel();
        Self {
            ledger,
            checker,
            agents,
            judge,
            settings,
            scratch: Scratch::default(),
            runs: BTreeMap::new(),
            watched: BTreeMap::new(),
            sender,
            receiver,
            inbox: VecDeque::new(),
            look_at: Millis(0),
            unsealed: 0,
        }
    }

    /// Starts a run: it is recorded, and its first deliveries are on their way, when this returns.
    pub fn start(&mut self, order: NewRun, now: Millis) -> Result<(), Problem> {
        let NewRun { run: name, plan, files, input } = order;
        let mut pins = Vec::new();
        for (path, bytes) in &files {
            pins.extend(format!("{path}\0{}\n", digest(bytes)).into_bytes());
        }
        let input = Content::plain(input);
        let mut run = self.taken(&name, now)?;
        if run.has_begun() {
            self.ledger.release(&run.lease)?;
            return Err(Refusal::Started.into());
        }
        let start =
            What::Start { run: name.clone(), plan: Box::new(plan), pins: digest(&pins), input: input.digest };
        if let Err(refusal) = run.hear(start, Some(input), now) {
            self.ledger.release(&run.lease)?;
            return Err(refusal.into());
        }
        for (path, bytes) in files {
            run.note(crate::stored::pinned(&path, bytes));
        }
        self.runs.insert(name.clone(), run);
        self.duties(&name, now);
        self.record(vec![name], now)?.map_or(Ok(()), |refused| Err(refused.into()))
    }

    /// Tells a run something that somebody wants: an answer to a gate or a question, a signal, a cancellation.
    ///
    /// It is recorded when this returns, and what follows from it is on its way.
    pub fn tell(
        &mut self,
        name: &str,
        what: What,
        content: Option<Vec<u8>>,
        now: Millis,
    ) -> Result<(), Problem> {
        if !self.runs.contains_key(name) {
            let run = self.taken(name, now)?;
            if !run.has_begun() {
                self.ledger.release(&run.lease)?;
                return Err(Problem::Refused(crate::Refused::NoRun { run: name.to_owned() }));
            }
            self.runs.insert(name.to_owned(), run);
            self.found(name, now);
        }
        let Some(run) = self.runs.get_mut(name) else { return Ok(()) };
        let heard = run.hear(what, content.map(Content::plain), now);
        self.duties(name, now);
        let recorded = self.record(vec![name.to_owned()], now)?;
        heard?;
        recorded.map_or(Ok(()), |refused| Err(refused.into()))
    }

    /// Does what is ready: reports that came in, timers that are due, runs that nobody drives.
    pub fn turn(&mut self, now: Millis) -> Result<Turn, Error> {
        let mut turn = Turn::default();
        self.renew(now)?;
        let mut touched: Vec<String> = Vec::new();
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
        for (name, run) in &mut self.runs {
            if run.owed.next_due.is_some_and(|due| due <= now) {
                turn.heard += 1;
                // The time is looked at, and what is due is decided; nothing due is no fault.
                let _ = run.hear(What::Tick, None, now);
                touched.push(name.clone());
            }
        }
        if now >= self.look_at {
            turn.adopted = self.adopt(now, &mut touched)?;
            self.look_at = now.after(self.settings.lease_ms / 2);
        }
        touched.sort_unstable();
        touched.dedup();
        for name in &touched {
            self.duties(name, now);
        }
        turn.recorded = touched.len();
        let before = self.watched.len();
        match self.record(touched, now) {
            Ok(_) => {}
            Err(Problem::Failed(error)) => return Err(error),
            Err(Problem::Refused(_)) => {}
        }
        turn.started = self.watched.len().saturating_sub(before);
        Ok(turn)
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

    /// When something is due by itself: a timer, a lease, a look for runs that nobody drives.
    pub fn next_due(&self) -> Millis {
        let renewal = |run: &Run| Millis(run.lease.until.0.saturating_sub(self.settings.lease_ms / 2));
        let timers = self.runs.values().filter_map(|run| run.owed.next_due);
        let leases = self.runs.values().map(renewal);
        timers.chain(leases).chain([self.look_at]).min().unwrap_or(self.look_at)
    }

    /// The runs that this process holds.
    pub fn held(&self) -> impl Iterator<Item = &str> {
        self.runs.keys().map(String::as_str)
    }

    /// Takes the lease of a run and replays it.
    fn taken(&mut self, name: &str, now: Millis) -> Result<Run, Problem> {
        let until = now.after(self.settings.lease_ms);
        let wish = NewLease { stream: name.to_owned(), holder: self.settings.holder.clone(), now, until };
        let lease = self.ledger.lease(&wish)??;
        Ok(Run::load(self.ledger, lease, now)?)
    }

    /// Takes over runs that are due and that nobody drives.
    fn adopt(&mut self, now: Millis, touched: &mut Vec<String>) -> Result<usize, Error> {
        let mut adopted = 0;
        for head in self.ledger.due(now, Limit(self.settings.turn_max))? {
            if self.runs.contains_key(&head.stream) {
                continue;
            }
            match self.taken(&head.stream, now) {
                Ok(run) => {
                    adopted += 1;
                    self.runs.insert(head.stream.clone(), run);
                    self.found(&head.stream, now);
                    if let Some(run) = self.runs.get_mut(&head.stream) {
                        let _ = run.hear(What::Tick, None, now);
                    }
                    touched.push(head.stream);
                }
                // Somebody drives it.
                Err(Problem::Refused(_)) => {}
                Err(Problem::Failed(error)) => return Err(error),
            }
        }
        Ok(adopted)
    }

    /// Decides about the attempts of a run that were under way when nobody drove it.
    fn found(&mut self, name: &str, now: Millis) {
        let Some(run) = self.runs.get_mut(name) else { return };
        for owed in run.owed.deliveries.clone() {
            let receiver = receiver_of(run, &owed);
            let kind = self.agents.get(receiver).map(|setup| setup.courier.kind());
            let what = What::Found { key: owed.key, attempt: owed.attempt, courier: courier_kind(kind) };
            // What the kernel refuses here is over already.
            let _ = run.hear(what, None, now);
        }
    }

    /// Hears a report; gives the run that it was about.
    fn hear(&mut self, report: Report, now: Millis) -> Option<String> {
        let watched = self.watched.get(&report.key).cloned()?;
        if u32::from(watched.attempt) != report.attempt {
            return None;
        }
        if report.what.is_final() {
            self.watched.remove(&report.key);
        }
        let run = self.runs.get_mut(&watched.run)?;
        let Watched { run: name, key, attempt, receiver } = watched;
        let (heard, content) = match report.what {
            // Lines of progress are shown while they come, and not kept.
            Said::Progress(_) => return None,
            Said::Draft(bytes) => {
                let content = Content::plain(bytes);
                (Heard::Draft(content.digest), Some(content))
            }
            Said::Question(text) => {
                let content = Content::plain(text.into_bytes());
                (Heard::Question(content.digest), Some(content))
            }
            Said::Session(session) => (Heard::Session(session), None),
            Said::Answer(bytes) => {
                let dialect = self.agents.get(&receiver).map_or("", |setup| &setup.dialect);
                let (taken, content) = intake::answer(self.checker, &mut self.scratch, dialect, bytes);
                match taken {
                    Taken::Answer(mut facts, said) => {
                        facts.held = held(run, key, self.judge, &said);
                        (Heard::Answer(facts), Some(content))
                    }
                    Taken::Unusable(failure) => (Heard::Failure(failure), Some(content)),
                }
            }
            Said::Failure(failure) => {
                let last =
                    (!failure.last_words.is_empty()).then(|| Content::plain(failure.last_words.clone()));
                (Heard::Failure(as_heard(&failure)), last)
            }
        };
        // A report that counts for nothing (late, doubled, of a run that is over) is no fault of the run.
        run.hear(What::Report { key, attempt, report: heard }, content, now).ok()?;
        Some(name)
    }

    /// Does what a run asks of the engine itself: shows what gates are about, runs their checks, values joins.
    fn duties(&mut self, name: &str, now: Millis) {
        let Some(run) = self.runs.get_mut(name) else { return };
        for _ in 0..DUTIES_MAX {
            let Some((what, content)) = duty(run, self.judge, self.checker, &mut self.scratch) else { break };
            if run.hear(what, content, now).is_err() {
                break;
            }
        }
    }

    /// Records what was decided for these runs, in one append, and then does what they owe.
    ///
    /// Gives the last refusal: a run that was refused is let go of.
    fn record(&mut self, names: Vec<String>, now: Millis) -> Result<Option<baton_ledger::Refused>, Problem> {
        let mut appends = Vec::new();
        let mut appended = Vec::new();
        for name in &names {
            if let Some(append) = self.runs.get_mut(name).and_then(|run| run.append(now)) {
                appends.push(append);
                appended.push(name.clone());
            }
        }
        let mut refused = None;
        if !appends.is_empty() {
            let results = match self.ledger.append(appends) {
                Ok(results) => results,
                Err(error) => {
                    // Whether it was recorded is not known: what is known of these runs is what the ledger says.
                    appended.iter().for_each(|name| self.let_go(name));
                    return Err(error.into());
                }
            };
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
        let is_over = |name: &String| self.runs.get(name).is_some_and(|run| run.state.ending().is_some());
        let is_sealed = self.unsealed >= SEAL_AFTER || names.iter().any(is_over);
        for name in names {
            self.deliver(&name, now);
            self.rest(&name)?;
        }
        if is_sealed {
            // At the end of a run and now and then, so that whoever keeps a seal can prove all before it.
            seal(self.ledger, now)?;
            self.unsealed = 0;
        }
        Ok(refused)
    }

    /// Starts the attempts that a run owes and that nobody watches, and stops those that it owes no more.
    fn deliver(&mut self, name: &str, now: Millis) {
        let Some(run) = self.runs.get(name) else { return };
        let is_owed = |watched: &Watched| {
            let owed = &run.owed.deliveries;
            owed.iter().any(|owed| owed.key == watched.key && owed.attempt == watched.attempt)
        };
        let stale = self.of_run(name).filter(|(_, watched)| !is_owed(watched));
        let stale: Vec<_> = stale.map(|(key, watched)| (key.clone(), watched.receiver.clone())).collect();
        self.stop(stale);
        let Some(run) = self.runs.get(name) else { return };
        for owed in &run.owed.deliveries {
            let key = baton_courier::Key::from(&*format!("{name}/{}", owed.key));
            if self.watched.get(&key).is_some_and(|watched| watched.attempt == owed.attempt) {
                continue;
            }
            let receiver = receiver_of(run, owed).to_owned();
            let made = match self.agents.get(&receiver) {
                None => Err(baton_courier::Failure::new(
                    Cause::Missing,
                    format!("nobody here knows an agent `{receiver}`"),
                )),
                Some(setup) => {
                    let texts = match owed.content {
                        Some(content) => run.text(content).into_iter().collect(),
                        None => run.branches(owed.key.lane),
                    };
                    let root = self.settings.root.clone();
                    let parcel =
                        Parcel { key: key.clone(), owed, receiver: &receiver, setup, texts, root, now };
                    let made = dispatch::delivery(self.checker, &mut self.scratch, parcel);
                    made.map(|delivery| (delivery, setup))
                }
            };
            let attempt = owed.attempt;
            let watched = Watched { run: name.to_owned(), key: owed.key, attempt, receiver };
            self.watched.insert(key.clone(), watched);
            match made {
                Ok((delivery, setup)) => setup.courier.start(delivery, self.sender.clone()),
                Err(failure) => {
                    let what = Said::Failure(failure);
                    self.inbox.push_back(Report { key, attempt: u32::from(attempt), what });
                }
            }
        }
    }

    /// Gives a run back that has nothing under way here: whoever has something for it takes it.
    fn rest(&mut self, name: &str) -> Result<(), Error> {
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
    fn let_go(&mut self, name: &str) {
        self.runs.remove(name);
        let lost = self.of_run(name).map(|(key, watched)| (key.clone(), watched.receiver.clone())).collect();
        self.stop(lost);
    }

    /// The attempts of a run that this process watches.
    fn of_run(&self, name: &str) -> impl Iterator<Item = (&baton_courier::Key, &Watched)> {
        let first = baton_courier::Key::from(&*format!("{name}/"));
        let of_run = self.watched.range(first..).take_while(move |(key, _)| key.as_str().starts_with(name));
        of_run.filter(move |(_, watched)| watched.run == name)
    }

    /// Ends attempts that this process watches.
    fn stop(&mut self, attempts: Vec<(baton_courier::Key, String)>) {
        for (key, receiver) in attempts {
            self.watched.remove(&key);
            if let Some(setup) = self.agents.get(&receiver) {
                setup.courier.stop(&key);
            }
        }
    }

    /// Renews the leases that are half over.
    fn renew(&mut self, now: Millis) -> Result<(), Error> {
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

/// What came of the expressions that the routes of a delivery's step ask for.
fn held(run: &Run, key: Key, judge: &dyn Judge, said: &baton_document::Said) -> Vec<Held> {
    let step = run.state.lane(key.lane).map_or(key.step, |lane| lane.step);
    let Some(Step { does: Does::Pass(pass), .. }) = run.state.plan().step(step) else { return Vec::new() };
    let wanted = pass.routes.iter().filter_map(|route| match &route.when {
        When::Holds(expression) => Some(expression),
        When::Decision(_) | When::Outcome(_) => None,
    });
    wanted.map(|expression| Held { name: expression.clone(), holds: judge.holds(expression, said) }).collect()
}

/// The next thing that a run asks of the engine.
fn duty(
    run: &Run,
    judge: &dyn Judge,
    checker: &Checker,
    scratch: &mut Scratch,
) -> Option<(What, Option<Content>)> {
    for gate in &run.owed.gates {
        let Some(shown) = gate.shown else {
            // What lies behind a join is shown as what each branch ended with.
            let texts: Vec<_> = run.branches(gate.lane).into_iter().map(|text| text.bytes).collect();
            let content = Content::plain(texts.join(&b'\n'));
            return Some((What::ShowAtGate { gate: gate.gate, shown: content.digest }, Some(content)));
        };
        if gate.checking {
            let said = run.text(shown).and_then(|text| intake::said(checker, scratch, &text.bytes));
            let checks = match run.state.plan().step(gate.step).map(|step| &step.does) {
                Some(Does::Gate(Gate { kind: GateKind::Auto(checks), .. })) => checks.as_slice(),
                _ => &[],
            };
            let holds = |check: &String| said.as_ref().is_some_and(|said| judge.holds(check, said));
            let checks =
                checks.iter().map(|check| Held { name: check.clone(), holds: holds(check) }).collect();
            return Some((What::CheckGate { gate: gate.gate, shown: Some(shown), checks }, None));
        }
    }
    let lane = *run.owed.values.first()?;
    let step = run.state.lane(lane).and_then(|lane| run.state.plan().step(lane.step));
    let expression = match step.map(|step| &step.does) {
        Some(Does::Parallel(parallel)) => parallel.expression.as_deref().unwrap_or_default(),
        _ => "",
    };
    let branches = run.branches(lane);
    let said: Vec<_> =
        branches.iter().filter_map(|text| intake::said(checker, scratch, &text.bytes)).collect();
    let passed = said.len() == branches.len() && judge.joins(expression, &said);
    Some((What::JoinValue { lane, passed }, None))
}

/// The name of the agent that a delivery goes to.
fn receiver_of<'r>(run: &'r Run, owed: &OwedDelivery) -> &'r str {
    run.state.plan().agents.get(usize::from(owed.to.0)).map_or("", |agent| &agent.name)
}

fn courier_kind(kind: Option<baton_courier::Kind>) -> CourierKind {
    match kind {
        Some(baton_courier::Kind::Idempotent) => CourierKind::Idempotent,
        Some(baton_courier::Kind::Resumable) => CourierKind::Resumable,
        Some(baton_courier::Kind::Neither) | None => CourierKind::Neither,
    }
}

fn as_heard(failure: &baton_courier::Failure) -> Failure {
    let kind = match failure.cause {
        Cause::TimeUp => FailureKind::TimedOut,
        Cause::Stopped
        | Cause::TooMuch
        | Cause::Empty
        | Cause::Asked
        | Cause::Exited(_)
        | Cause::Killed(_)
        | Cause::Missing
        | Cause::Forbidden
        | Cause::Impossible
        | Cause::Broken => FailureKind::Courier,
    };
    let recoverable = match failure.cause.again() {
        Again::MayHelp => true,
        Again::OnceAnswered | Again::Pointless => false,
    };
    let text = &failure.message[..failure.message.floor_char_boundary(bounds::TEXT_BYTES_MAX)];
    Failure { kind, recoverable, signature: Some(signature(text)), tokens: 0 }
}
