//! How long it takes from the end of one program that works as an agent to the start of the next, beside starting the
//! same program bare; and what a thousand runs at once come to.
//!
//! Prints one line per figure, `name<TAB>number`; `cargo xtask bench flow` makes the ratios. With `--agent FILE` it is
//! the agent itself: it notes when it began and when it ended.
#![expect(clippy::print_stdout, reason = "a program that prints figures")]

use std::fs::{self, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use baton_document::dialect::Settings as Dialects;
use baton_document::flow::Flow;
use baton_document::{Checker, Levels, Limits};
use baton_engine::driver::{Engine, Settings, World};
use baton_engine::history::views::show;
use baton_engine::kernel::{Ending, Millis, Outcome};
use baton_engine::project::plan::compile;
use baton_engine::project::roster::roster;
use baton_engine::run::NewRun;
use baton_engine::run::environment::Environment;
use baton_ledger::Address;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Handoffs of the run whose gaps are measured, and bare starts beside it.
const HANDOFFS: usize = 200;
/// Runs at once, of so many steps each.
const RUNS: usize = 1_000;
const STEPS: usize = 3;

fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

fn moment() -> Millis {
    Millis(u64::try_from(now() / 1_000_000).unwrap_or(u64::MAX))
}

fn main() {
    let began = now();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, notes] = arguments.as_slice()
        && flag == "--agent"
    {
        return agent(Path::new(notes), began);
    }
    // A thousand programs at once have more pipes than a process usually may.
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let folder = arguments.first().filter(|word| !word.starts_with('-')).map_or(".", String::as_str);
    let folder = tempfile::tempdir_in(folder).expect("the folder can be used");
    let checker = Arc::new(Checker::new(&Dialects::default(), Levels::default(), Limits::default()));
    gaps(&folder.path().join("one"), &checker);
    at_once(&folder.path().join("many"), &checker);
}

/// Reads the handoff, answers, and notes when it began and ended.
fn agent(notes: &Path, began: u128) {
    let mut given = String::new();
    std::io::stdin().read_to_string(&mut given).expect("a handoff");
    let key = std::env::var("BATON_KEY").unwrap_or_default();
    println!(
        r#"{{"meta":{{"step_id":"s","flow_key":"f","agent_key":"a","timestamp":"2026-03-02T10:15:00Z"}},"status":"VERIFIED","summary":{{"what_i_did":"Limited loans in src/loans.py, for {key}.","what_i_found":"Nothing else.","key_decisions":[],"evidence":{{"artifacts_produced":["src/loans.py"],"commands_run":["pytest"],"measurements":{{}}}}}},"concerns":[],"assumptions":[],"routing":{{"recommendation":"CONTINUE","reason":"done"}}}}"#
    );
    if notes != Path::new("-") {
        let mut notes = OpenOptions::new().append(true).create(true).open(notes).expect("a file");
        notes.write_all(format!("{began} {}\n", now()).as_bytes()).expect("a line");
    }
}

/// A row of steps, each with the same agent.
fn flow(steps: usize, notes: &str) -> Flow {
    let program = std::env::current_exe().expect("it has a path");
    let mut text = format!(
        "flow: row\nagents:\n  ada: {{ dialect: envelope, run: [{:?}, --agent, {notes:?}], restart: safe }}\n  ben: {{ dialect: envelope, run: [{:?}, --agent, {notes:?}], restart: safe }}\ncaps: {{ handoffs: 1000000, pair: 1000000 }}\nsteps:\n",
        program.display().to_string(),
        program.display().to_string(),
    );
    for step in 0..steps {
        let agent = if step % 2 == 0 { "ada" } else { "ben" };
        text.push_str(&format!("  - s{step}: {agent}\n"));
    }
    Flow::read(&text).0.expect("it is a flow")
}

/// The gaps between the end of one program and the start of the next, in the order in which they ran.
fn gaps_of(notes: &Path) -> Vec<f64> {
    let text = fs::read_to_string(notes).expect("the notes");
    let lines: Vec<(u128, u128)> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(began, ended)| (began.parse().expect("a number"), ended.parse().expect("a number")))
        .collect();
    lines.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].1) as f64).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn gaps(folder: &Path, checker: &Arc<Checker>) {
    fs::create_dir_all(folder).expect("a folder");
    let (bare, through) = (folder.join("bare"), folder.join("through"));
    let program = std::env::current_exe().expect("it has a path");
    for _ in 0..HANDOFFS {
        let mut child = Command::new(&program)
            .arg("--agent")
            .arg(&bare)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        child.stdin.take().expect("a pipe").write_all(b"go").expect("it reads");
        child.wait_with_output().expect("it ends");
    }
    let flow = flow(HANDOFFS, &through.display().to_string());
    drive(folder, checker, &flow, 1);
    println!("bare start\t{}", median(gaps_of(&bare)));
    println!("through baton\t{}", median(gaps_of(&through)));
}

/// Runs of a flow at once, until all are over; gives the seconds.
fn drive(folder: &Path, checker: &Arc<Checker>, flow: &Flow, runs: usize) -> Duration {
    let ledger = Address::file(folder.join("ledger.db")).open().expect("it opens");
    let agents = roster(flow, folder).expect("they can be reached");
    let world = World::with(&ledger, Environment::new(Arc::clone(checker), agents));
    let settings = Settings { root: folder.to_owned(), lease_ms: 600_000, ..Settings::new("bench") };
    let mut engine = Engine::new(world, settings);
    let plan = compile(flow).expect("it can run");
    let start = Instant::now();
    for run in 0..runs {
        engine.start(NewRun::new(format!("run-{run}"), plan.clone(), "go"), moment()).expect("it starts");
    }
    while engine.held().next().is_some() {
        engine.wait(Duration::from_millis(100));
        engine.turn(moment()).expect("the ledger works");
    }
    let took = start.elapsed();
    for run in 0..runs {
        let view = show(&ledger, &format!("run-{run}"), moment()).expect("it is there");
        assert_eq!(view.state.ending(), Some(&Ending::Finished(Outcome::Done)), "run-{run}");
        assert_eq!(view.state.handoffs() as usize, flow.steps.len(), "nothing is lost of run-{run}");
    }
    took
}

fn at_once(folder: &Path, checker: &Arc<Checker>) {
    fs::create_dir_all(folder).expect("a folder");
    let took = drive(folder, checker, &flow(STEPS, "-"), RUNS);
    println!("handoffs at once\t{}", RUNS * STEPS);
    println!("seconds at once\t{}", took.as_secs_f64());
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    if let Some(peak) = peak {
        println!("peak KiB\t{peak}");
    }
    // The same programs, started bare, as many at once as there are cores.
    let start = Instant::now();
    let program = std::env::current_exe().expect("it has a path");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..RUNS * STEPS / 2 {
                    let ended = Command::new(&program)
                        .args(["--agent", "-"])
                        .stdin(Stdio::null())
                        .stdout(Stdio::null())
                        .status();
                    ended.expect("it ends");
                }
            });
        }
    });
    println!("bare seconds at once\t{}", start.elapsed().as_secs_f64());
}
