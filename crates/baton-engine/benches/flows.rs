//! How many handoffs a second go through the engine, beside bare commits of one row, in one run on one disk.
//!
//! Prints one line per figure, `name<TAB>number`; `cargo xtask bench ledger` makes the ratios. Arguments: a folder on
//! the disk that is measured, and how many handoffs the ledger grows to.
#![expect(clippy::print_stdout, reason = "a program that prints figures")]

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Instant;

use baton_courier::{Courier, Delivery, Key, Kind, Report, What};
use baton_document::carrier::Look;
use baton_document::dialect::Settings as Dialects;
use baton_document::{Checker, Input, Levels, Limits, NoWorld, Scratch};
use baton_engine::driver::{Engine, Settings, World};
use baton_engine::history::views::{runs, show};
use baton_engine::project::agents::{Agents, Setup};
use baton_engine::run::NewRun;
use baton_engine::run::environment::Environment;
use baton_kernel::{Millis, Plan};
use baton_ledger::{Address, Ledger, raw::Raw};

/// As in the program.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Handoffs in one round of one contender.
const ROUND: usize = 50;
const ROUNDS: usize = 60;
/// Commits until the log of a file is written over again.
const WARM: usize = 10_000;
/// Handoffs of the run that is replayed, with three events each.
const REPLAYED: usize = 3_400;
/// Flows at once, and how many drivers share them.
const FLOWS: usize = 64;
const DRIVERS: usize = 2;
/// Handoffs of one run.
const HANDOFFS: u32 = 10_000_000;
const NOW: Millis = Millis(1_700_000_000_000);

/// Answers at once, each time with other words, so that nobody takes it for a loop.
struct AtOnce;

impl Courier for AtOnce {
    fn kind(&self) -> Kind {
        Kind::Idempotent
    }

    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        let what = What::Answer(text(delivery.key.as_str()).into_bytes());
        // A driver that is gone hears nothing.
        let _ = reports.send(Report { key: delivery.key, attempt: delivery.attempt, what });
    }

    fn stop(&self, _: &Key) {}
}

/// A handoff of about 1.1 KB.
fn text(key: &str) -> String {
    format!(
        r#"{{
  "meta": {{"step_id": "implement", "flow_key": "build", "agent_key": "author", "timestamp": "2026-03-02T10:15:00Z"}},
  "status": "VERIFIED",
  "summary": {{
    "what_i_did": "Limited a reader to five loans in src/loans.py and said so in docs/loans.md, for {key}.",
    "what_i_found": "Reservations were counted as loans; they are counted apart now.",
    "key_decisions": ["The limit is a setting with the default 5", "A reservation does not count as a loan"],
    "evidence": {{
      "artifacts_produced": ["src/loans.py", "tests/test_loans.py", "docs/loans.md"],
      "commands_run": ["pytest tests/test_loans.py -q", "ruff check src"],
      "measurements": {{"tests_passed": 14, "coverage_percent": 91.5}}
    }}
  }},
  "concerns": [],
  "assumptions": [
    {{"assumption": "No reader has more than five loans today", "why": "The export of last night says so", "impact_if_wrong": "Those readers cannot renew"}}
  ],
  "routing": {{"recommendation": "CONTINUE", "next_step_suggestion": "review", "reason": "All criteria are met and the tests pass."}}
}}
"#
    )
}

/// Two agents that hand to each other.
fn relay() -> Plan {
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

fn started<'w>(world: World<'w>, name: &str, flows: usize) -> Engine<'w> {
    let settings = Settings { lease_ms: 3_600_000, ..Settings::new(name) };
    let mut engine = Engine::new(world, settings);
    for flow in 0..flows {
        let run = format!("{name}-{flow}");
        let order = NewRun::new(run, relay(), "go");
        engine.start(order, NOW).expect("the run starts");
    }
    engine
}

/// So many handoffs of every flow; gives the seconds of one handoff.
fn hops(engine: &mut Engine<'_>, flows: usize, count: usize) -> f64 {
    let start = Instant::now();
    let mut heard = 0;
    while heard < flows * count {
        heard += engine.turn(NOW).expect("the ledger works").heard;
    }
    start.elapsed().as_secs_f64() / heard as f64
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|word| !word.starts_with('-'));
    let folder = arguments.next().unwrap_or_else(|| ".".to_owned());
    let total: usize = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(0);
    let folder = tempfile::tempdir_in(folder).expect("the folder can be used");
    let mut agents = Agents::default();
    let courier = Arc::new(AtOnce);
    agents.add("ada", Setup::new(courier.clone(), "envelope"));
    agents.add("ben", Setup::new(courier, "envelope"));
    let checker = Arc::new(Checker::new(&Dialects::default(), Levels::default(), Limits::default()));
    in_turn(folder.path(), &checker, &agents);
    if total > 0 {
        grow(folder.path(), &checker, &agents, total);
    }
}

/// One flow and many, each beside bare commits: in short rounds, because disks have moods.
fn in_turn(folder: &Path, checker: &Arc<Checker>, agents: &Agents) {
    let raw = Raw::open(&folder.join("raw.db")).expect("it opens");
    let ledger = Address::file(folder.join("ledger.db")).open().expect("it opens");
    let world = World::with(&ledger, Environment::new(Arc::clone(checker), agents.clone()));
    let mut one = started(world.clone(), "one", 1);
    // A log that grows costs more than one that is written over again, so both files come to that first.
    for number in 0..WARM {
        raw.commit(text(&format!("warm-{number}")).as_bytes()).expect("it commits");
    }
    thread::scope(|scope| {
        let many = Drivers::start(scope, &world);
        many.hops(WARM / FLOWS);
        in_rounds(&raw, checker, &mut one, &many);
    });
    hops(&mut one, 1, REPLAYED.saturating_sub(ROUNDS * ROUND));
    let start = Instant::now();
    let view = show(&ledger, "one-0", NOW).expect("the run is there");
    let events = f64::from(view.state.handoffs()) * 3.0;
    println!("events replayed per second\t{:.0}", events / start.elapsed().as_secs_f64());
    println!("events replayed\t{events:.0}");
}

/// Drivers of many flows, one for each core: they share the ledger, and its commits.
struct Drivers(Vec<(Sender<usize>, Receiver<()>)>);

impl Drivers {
    fn start<'s>(scope: &'s thread::Scope<'s, '_>, world: &World<'s>) -> Self {
        let drivers = (0..DRIVERS).map(|number| {
            let (orders, ordered) = channel::<usize>();
            let (done, over) = channel();
            let world = world.clone();
            scope.spawn(move || {
                let mut engine = started(world, &format!("many{number}"), FLOWS / DRIVERS);
                while let Ok(count) = ordered.recv() {
                    hops(&mut engine, FLOWS / DRIVERS, count);
                    if done.send(()).is_err() {
                        break;
                    }
                }
            });
            (orders, over)
        });
        Self(drivers.collect())
    }

    /// So many handoffs of every flow; gives the seconds of one handoff.
    fn hops(&self, count: usize) -> f64 {
        let start = Instant::now();
        self.0.iter().for_each(|(orders, _)| orders.send(count).expect("the driver lives"));
        self.0.iter().for_each(|(_, over)| over.recv().expect("the driver lives"));
        start.elapsed().as_secs_f64() / (FLOWS * count) as f64
    }
}

fn in_rounds(raw: &Raw, checker: &Arc<Checker>, one: &mut Engine<'_>, many: &Drivers) {
    let mut scratch = Scratch::default();
    let mut times: [(&str, Vec<f64>); 4] =
        ["raw commit", "check and raw commit", "one flow", "64 flows"].map(|name| (name, Vec::new()));
    for round in 0..ROUNDS {
        // Each is first, second and last in turn: what runs before leaves the disk something to do.
        for at in 0..times.len() {
            let at = (round + at) % times.len();
            let time = match at {
                0 => commits(raw, round, |_| ()),
                1 => commits(raw, round, |text| {
                    let input = Input {
                        path: None,
                        bytes: text.as_bytes(),
                        dialect: Some("envelope"),
                        look: Look::Whole,
                        is_named: true,
                    };
                    let checked = checker.check(input, &NoWorld, &mut scratch);
                    assert!(checked.findings.is_empty(), "{:?}", checked.findings);
                }),
                2 => hops(one, 1, ROUND),
                _ => many.hops(ROUND),
            };
            times[at].1.push(time);
        }
    }
    for (name, times) in &mut times {
        println!("{name}\t{:.9}", median(times));
    }
}

/// Commits of one row, each with what is done before it; gives the seconds of one.
fn commits(raw: &Raw, round: usize, mut before: impl FnMut(&str)) -> f64 {
    let start = Instant::now();
    for number in 0..ROUND {
        let text = text(&format!("{round}-{number}"));
        before(&text);
        raw.commit(text.as_bytes()).expect("it commits");
    }
    start.elapsed().as_secs_f64() / ROUND as f64
}

/// The rate at the start and at the end, and what a large ledger costs to open, list and show.
fn grow(folder: &Path, checker: &Arc<Checker>, agents: &Agents, total: usize) {
    const RUN: usize = 100;
    let path = folder.join("large.db");
    let ledger = Address::file(&path).open().expect("it opens");
    let world = World::with(&ledger, Environment::new(Arc::clone(checker), agents.clone()));
    let (mut made, mut batch) = (0, 0);
    let mut rates: Vec<f64> = Vec::new();
    while made < total {
        let mut engine = started(world.clone(), &format!("large{batch}"), FLOWS);
        rates.push(hops(&mut engine, FLOWS, RUN));
        made += FLOWS * RUN;
        batch += 1;
        // What is not finished is cancelled, so that the next flows are alone.
        for name in engine.held().map(str::to_owned).collect::<Vec<_>>() {
            let by = baton_kernel::By::Person("bench".to_owned());
            engine.tell(&name, baton_kernel::What::Cancel { by }, None, NOW).expect("it is cancelled");
        }
    }
    let part = (rates.len() / 10).max(1);
    println!("first handoffs\t{:.9}", median(&mut rates[..part].to_vec()));
    let last = rates.len() - part;
    println!("last handoffs\t{:.9}", median(&mut rates[last..].to_vec()));
    println!("handoffs\t{made}");
    drop(world);
    drop(ledger);
    let bytes: u64 = std::fs::read_dir(folder)
        .expect("the folder is there")
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("large.db"))
        .filter_map(|entry| entry.metadata().ok())
        .map(|data| data.len())
        .sum();
    println!("bytes per handoff\t{:.0}", bytes as f64 / made as f64);
    println!("bytes of its text\t{}", text("large0-0/100-1-0").len());
    let start = Instant::now();
    let ledger = Address::file(&path).open().expect("it opens");
    println!("open\t{:.9}", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let heads = runs(&ledger as &dyn Ledger, &[], None, 50).expect("they are listed");
    println!("list\t{:.9}", start.elapsed().as_secs_f64());
    let start = Instant::now();
    show(&ledger, &heads[0].stream, NOW).expect("it is shown");
    println!("show\t{:.9}", start.elapsed().as_secs_f64());
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    println!("peak KiB\t{}", peak.trim().trim_end_matches(" kB"));
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}
