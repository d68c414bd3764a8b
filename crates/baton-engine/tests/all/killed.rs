//! Real processes on a real disk, killed at random instants: what was acknowledged is there, and every run goes on.
//!
//! The workers are this very program, started again with a variable that says where the ledger is.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use baton_courier::{Courier, Delivery, Key, Kind, Report, What};
use baton_engine::driver::{Engine, Settings, World};
use baton_engine::history::views::show;
use baton_engine::project::agents::{Agents, Setup};
use baton_engine::project::store::system_clock;
use baton_engine::run::NewRun;
use baton_engine::run::environment::Environment;
use baton_kernel::{Millis, Plan};
use baton_ledger::{
    Address, Append, Appended, Error, Head, Lease, LeaseRequest, Ledger, Limit, Query, ReadFrom, Record,
    Refused, Store, verify,
};

use crate::sim::dice::Dice;
use crate::sim::{audit, checker, number};

/// Says to this program that it is a worker, and where.
const WORKER: &str = "BATON_TEST_WORKER";
/// Kills, unless `BATON_KILLS` says otherwise.
const KILLS: u64 = 12;
/// Workers at a time.
const WORKERS: usize = 3;
const RUNS: usize = 4;
const HANDOFFS: u32 = 4_000;

/// Prints what the ledger acknowledged, which is what a user would rely on.
struct OpenReading(Box<dyn Store>);

impl Ledger for OpenReading {
    fn append(&self, batch: Vec<Append>) -> Result<Vec<Result<Appended, Refused>>, Error> {
        let streams: Vec<String> = batch.iter().map(|append| append.stream.clone()).collect();
        let results = self.0.append(batch)?;
        let mut lines = String::new();
        for (stream, result) in streams.iter().zip(&results) {
            if let Ok(Appended { seq, hash, .. }) = result {
                lines += &format!("ack {stream} {seq} {hash}\n");
            }
        }
        // A parent that is gone no longer wants to know.
        let _ = std::io::stdout().write_all(lines.as_bytes());
        Ok(results)
    }

    fn read(&self, from: &ReadFrom, limit: Limit) -> Result<Vec<Record>, Error> {
        self.0.read(from, limit)
    }

    fn find(&self, query: &Query) -> Result<Vec<Head>, Error> {
        self.0.find(query)
    }

    fn due(&self, until: Millis, limit: Limit) -> Result<Vec<Head>, Error> {
        self.0.due(until, limit)
    }

    fn lease(&self, request: &LeaseRequest) -> Result<Vec<Result<Lease, Refused>>, Error> {
        self.0.lease(request)
    }

    fn release(&self, lease: &Lease) -> Result<(), Error> {
        self.0.release(lease)
    }
}

/// Answers at once, and writes down for whom it was started.
struct AtOnce(File);

impl Courier for AtOnce {
    fn kind(&self) -> Kind {
        Kind::Idempotent
    }

    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        let line = format!("{} {}\n", delivery.key, delivery.attempt);
        (&self.0).write_all(line.as_bytes()).expect("the notes can be written");
        // Two agents that hand each other the same thing would be stopped.
        let what = What::Answer(ANSWER.replace("src/loans.py.", delivery.key.as_str()).into_bytes());
        // An engine that is gone hears nothing.
        let _ = reports.send(Report { key: delivery.key, attempt: delivery.attempt, what });
    }

    fn stop(&self, _: &Key) {}
}

const ANSWER: &str = r#"{"meta":{"step_id":"s","flow_key":"f","agent_key":"a","timestamp":"2026-01-01T00:00:00Z"},"status":"VERIFIED","summary":{"what_i_did":"Changed src/loans.py.","what_i_found":"Nothing else.","key_decisions":[],"evidence":{"artifacts_produced":["src/loans.py"],"commands_run":["pytest"],"measurements":{}}},"concerns":[],"assumptions":[],"routing":{"recommendation":"CONTINUE","reason":"done"}}"#;

fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
    Millis(u64::try_from(since.as_millis()).expect("it is before the end of time"))
}

/// Two agents that hand to each other until the handoffs are used up.
fn plan() -> Plan {
    let mut plan = Plan::named("relay");
    let (ada, ben) = (plan.agent("ada"), plan.agent("ben"));
    let (there, back) = (plan.pass("there", ada), plan.pass("back", ben));
    plan.then(there, back).then(back, there);
    plan.caps(|caps| {
        caps.handoffs = HANDOFFS;
        caps.pair = HANDOFFS;
    });
    plan.build().expect("the plan holds together")
}

/// What a worker does, until it is killed or told to stop.
#[test]
fn worker() {
    let Ok(folder) = std::env::var(WORKER) else { return };
    let folder = Path::new(&folder);
    let ledger =
        OpenReading(Address::file(folder.join("ledger.db")).open(system_clock()).expect("the ledger opens"));
    let notes =
        OpenOptions::new().append(true).create(true).open(folder.join("started")).expect("notes open");
    let courier = Arc::new(AtOnce(notes));
    let mut agents = Agents::default();
    agents.add("ada", Setup::new(courier.clone(), "envelope"));
    agents.add("ben", Setup::new(courier, "envelope"));
    let checker = checker();
    let holder = format!("{}-{:?}", std::process::id(), SystemTime::now());
    let settings = Settings { lease_ms: 150, ..Settings::new(holder) };
    let parts = World::with(&ledger, Environment::new(checker, agents));
    let mut engine = Engine::new(parts, settings);
    for run in 0..RUNS {
        let order = NewRun::new(format!("run-{run}"), plan(), "go");
        // Another worker may have started it, or hold it.
        let _ = engine.start(order, now());
    }
    // The parent closes the pipe when it has seen enough.
    let (sender, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read(&mut [0]);
        let _ = sender.send(());
    });
    while told.try_recv().is_err() {
        engine.turn(now()).expect("the ledger works");
        engine.wait(Duration::from_millis(5));
    }
}

struct Worker {
    process: Child,
    reader: std::thread::JoinHandle<Vec<String>>,
}

impl Worker {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
        command.args(["--exact", "killed::worker", "--nocapture"]).env(WORKER, folder);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the worker starts");
        let lines = BufReader::new(process.stdout.take().expect("it has a pipe")).lines();
        let reader = std::thread::spawn(move || lines.map_while(Result::ok).collect());
        Self { process, reader }
    }

    /// Ends it and gives what it had been told.
    fn end(mut self, is_killed: bool) -> Vec<String> {
        if is_killed {
            self.process.kill().expect("it can be killed");
        } else {
            drop(self.process.stdin.take());
        }
        let status = self.process.wait().expect("it ends");
        assert!(is_killed || status.success(), "a worker failed: {status}");
        self.reader.join().expect("its words were read")
    }
}

// proves S-04: a run continues with nothing lost and no agent started twice for one attempt.
#[test]
fn what_was_acknowledged_outlives_any_kill() {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let path = folder.path();
    let kills = number("BATON_KILLS").unwrap_or(KILLS);
    let mut dice = Dice::new(number("BATON_SIM_SEED").unwrap_or(7));
    let mut acknowledged: Vec<String> = Vec::new();
    let mut workers: Vec<Worker> = (0..WORKERS).map(|_| Worker::start(path)).collect();
    for _ in 0..kills {
        std::thread::sleep(Duration::from_millis(20 + dice.any() % 180));
        let at = dice.below(workers.len());
        acknowledged.extend(workers.swap_remove(at).end(true));
        workers.push(Worker::start(path));
    }
    std::thread::sleep(Duration::from_millis(400));
    for worker in workers {
        acknowledged.extend(worker.end(false));
    }
    let ledger = Address::file(path.join("ledger.db")).open(system_clock()).expect("the ledger opens");
    let mut records = Vec::new();
    for run in 0..RUNS {
        let run = format!("run-{run}");
        let of_run = read(&ledger, &run);
        audit::of_run(&run, &of_run, HANDOFFS).expect("everything holds");
        assert!(show(&ledger, &run, now()).is_ok(), "{run} was started");
        records.extend(of_run);
    }
    let has = |line: &str| {
        let mut words = line.split(' ').skip(1);
        let (stream, seq, hash) = (words.next(), words.next(), words.next());
        records.iter().any(|record| {
            Some(record.stream.as_str()) == stream
                && seq.and_then(|seq| seq.parse().ok()) == Some(record.seq)
                && hash == Some(&record.hash.to_string())
        })
    };
    let lines: Vec<&String> =
        acknowledged.iter().filter(|line| line.starts_with("ack ") && line.len() > 70).collect();
    assert!(!lines.is_empty(), "the workers did something");
    for line in lines.iter().rev().take(2_000) {
        assert!(has(line), "acknowledged and lost: {line}");
    }
    let started = std::fs::read_to_string(path.join("started")).expect("the notes are there");
    let mut attempts: Vec<&str> = started.lines().collect();
    let count = attempts.len();
    attempts.sort_unstable();
    attempts.dedup();
    assert_eq!(attempts.len(), count, "no agent is started twice for one attempt");
    let report = verify(&ledger, None).expect("the ledger can be read");
    assert!(report.is_proven(), "{report:?}");
    eprintln!("{kills} kills: {} records, {} acknowledgements, {count} starts", records.len(), lines.len());
}

fn read(ledger: &dyn Ledger, run: &str) -> Vec<Record> {
    let mut all: Vec<Record> = Vec::new();
    loop {
        let after = all.last().map_or(0, |record| record.seq);
        let page = ledger.read(&ReadFrom::Stream { stream: run.to_owned(), after }, Limit(5_000));
        let page = page.expect("the ledger can be read");
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}
