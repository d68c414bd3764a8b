//! What becomes of what other hands write, and of two Batons that write at once.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use baton_courier::{Courier, Delivery, Key, Kind, Report, What as Says};
use baton_engine::driver::{Engine, Settings, World};
use baton_engine::mirror::{Keeps, Kept, keep, set_aside};
use baton_engine::project::agents::{Agents, Setup};
use baton_engine::run::environment::Environment;
use baton_kernel::Plan;
use baton_ledger::Address;

use super::{ARTICLE, Folder, NOW, article, envelope, order};
use crate::sim::checker;
use crate::stories::Office;

const WRITERS: &str = ".runs/run/article/handoffs/polish-writer.json";
const CRITICS: &str = ".runs/run/article/handoffs/polish-critic.json";

/// A run in which the writer has answered and the critic works.
fn begun(folder: &Folder) -> Office {
    let office = Office::new(Kind::Neither, &ARTICLE);
    let mut engine = office.engine("one");
    engine.start(order("run", article()), NOW).expect("it starts");
    office.desk.answer(&envelope("writer", "Limited loans."));
    engine.turn(NOW).expect("the ledger works");
    folder.keep_run(&office);
    drop(engine);
    office
}

#[test]
fn keeping_again_changes_nothing() {
    let folder = Folder::new(&[Keeps::Envelope, Keeps::Package, Keeps::Pipeline, Keeps::Manifest]);
    let office = begun(&folder);
    let times = || {
        let time = |name: &String| folder.path().join(name).metadata().and_then(|meta| meta.modified());
        folder.names().iter().map(|name| (name.clone(), time(name).expect("it is there"))).collect::<Vec<_>>()
    };
    let before = times();
    assert_eq!(folder.keep_run(&office), Kept::default());
    // Also when nothing is remembered of what was written.
    std::fs::remove_dir_all(folder.path().join(".baton")).expect("it is there");
    assert_eq!(folder.keep_run(&office), Kept::default());
    assert_eq!(times(), before);
    std::fs::remove_file(folder.path().join(WRITERS)).expect("it is there");
    assert_eq!(folder.keep_run(&office).written, [WRITERS], "what is gone is written again");
    assert_eq!(folder.keep(&office.ledger, office.checker, "nobody", NOW), Kept::default());
}

#[test]
fn what_another_hand_changed_is_saved_beside() {
    let folder = Folder::new(&[Keeps::Envelope, Keeps::Package]);
    let office = begun(&folder);
    let theirs = folder.read(WRITERS).replace("Limited loans.", "Limited nothing.");
    folder.write(WRITERS, &theirs);
    folder.write("state/current.json", "{\"handoffs\": []}");
    let kept = folder.keep_run(&office);
    assert_eq!(kept.foreign, [], "the writer does not work any more");
    let saved: Vec<&str> = kept.conflicts.iter().filter_map(|found| found.saved.as_deref()).collect();
    let list = "state/current.json.conflict-19700101T001640Z";
    assert_eq!(saved, [&format!("{WRITERS}.conflict-19700101T001640Z"), list]);
    assert!(kept.conflicts[0].why.contains("another hand changed it"), "{kept:?}");
    assert_eq!(folder.read(saved[0]), theirs);
    assert_eq!(folder.read(list), "{\"handoffs\": []}");
    assert!(folder.read(WRITERS).contains("Limited loans."));
    // Once more at the same time: neither is lost.
    folder.write(WRITERS, "once more");
    let kept = folder.keep_run(&office);
    let saved = kept.conflicts[0].saved.clone().expect("it is saved");
    assert_eq!(saved, format!("{WRITERS}.conflict-19700101T001640Z-2"));
    assert_eq!(folder.read(&saved), "once more");
    assert_eq!(folder.keep_run(&office), Kept::default());
}

#[test]
fn what_an_agent_at_work_writes_in_its_place_is_its_answer() {
    let folder = Folder::new(&[Keeps::Envelope]);
    let office = begun(&folder);
    folder.write(CRITICS, "{\"meta\": {");
    assert_eq!(folder.keep_run(&office), Kept::default(), "it may still be writing");
    folder.write(CRITICS, &envelope("writer", "Pretended to be another."));
    assert_eq!(folder.keep_run(&office).foreign, [], "somebody else's is not its answer");
    let answer = envelope("critic", "Looked at src/loans.py.");
    folder.write(CRITICS, &answer);
    let kept = folder.keep_run(&office);
    let [foreign] = &kept.foreign[..] else { panic!("{kept:?}") };
    assert_eq!(
        (foreign.owner.as_str(), foreign.path.as_str(), foreign.run.as_str()),
        ("critic", CRITICS, "run")
    );
    assert_eq!(foreign.bytes, answer.as_bytes());
    assert_eq!(folder.keep_run(&office).foreign.len(), 1, "until it is recorded");
    assert_eq!(folder.read(CRITICS), answer, "and it stays there");
}

#[test]
fn what_was_written_before_its_agent_was_asked_is_no_answer() {
    let folder = Folder::new(&[Keeps::Envelope]);
    let office = begun(&folder);
    let early = envelope("critic", "Looked at it before it was there.");
    folder.write(CRITICS, &early);
    let written = |before_ms: u64| {
        let file = std::fs::File::options().append(true).open(folder.path().join(CRITICS));
        let time = UNIX_EPOCH + Duration::from_millis(NOW.0 - before_ms);
        file.and_then(|file| file.set_modified(time)).expect("its time can be set");
    };
    written(50);
    let kept = folder.keep_run(&office);
    assert_eq!(kept.foreign, [], "the critic was not asked yet");
    let [conflict] = &kept.conflicts[..] else { panic!("{kept:?}") };
    assert!(conflict.why.contains("before its agent was asked"), "{kept:?}");
    assert_eq!(folder.read(conflict.saved.as_deref().expect("it is saved")), early);
    assert_eq!(folder.keep_run(&office), Kept::default(), "that is said once");
    let answer = envelope("critic", "Looked at src/loans.py.");
    folder.write(CRITICS, &answer);
    // Clocks of file systems lag a little.
    written(5);
    assert_eq!(folder.keep_run(&office).foreign.len(), 1);
}

#[test]
fn an_answer_that_was_taken_in_is_replaced_by_what_was_recorded() {
    let folder = Folder::new(&[Keeps::Envelope]);
    let office = Office::new(Kind::Neither, &ARTICLE);
    let mut engine = office.engine("one");
    engine.start(order("run", article()), NOW).expect("it starts");
    // The courier hands in what the agent also wrote to the file.
    let answer = envelope("writer", "Limited loans.").replace("\"x-extra\"", "  \"x-extra\"");
    folder.write(WRITERS, &answer);
    assert_eq!(folder.keep_run(&office).foreign.len(), 1);
    office.desk.answer(&answer);
    engine.turn(NOW).expect("the ledger works");
    let kept = folder.keep_run(&office);
    assert_eq!((kept.conflicts.len(), kept.foreign.len()), (0, 0), "{kept:?}");
    assert_eq!(kept.written, [WRITERS]);
    assert_eq!(folder.names(), [WRITERS]);
}

#[test]
fn an_answer_that_cannot_be_taken_in_is_set_aside() {
    let folder = Folder::new(&[Keeps::Envelope]);
    let office = begun(&folder);
    folder.write(CRITICS, &envelope("critic", "Looked at src/loans.py."));
    let kept = folder.keep_run(&office);
    let keeping = folder.keeping(office.checker);
    let conflict = set_aside(&kept.foreign[0], "the run is over", &keeping, NOW).expect("it can be moved");
    let saved = conflict.saved.expect("it is saved");
    assert!(!folder.has(CRITICS) && folder.read(&saved).contains("Looked at"), "{saved}");
    assert_eq!(folder.keep_run(&office).foreign, []);
}

#[test]
fn a_manifest_that_the_next_agent_writes_is_its_answer() {
    let folder = Folder::new(&[Keeps::Manifest]);
    let office = Office::new(Kind::Neither, &[("codex", "manifest"), ("claude", "manifest")]);
    let mut plan = Plan::named("relay");
    let (codex, claude) = (plan.agent("codex"), plan.agent("claude"));
    let (there, back) = (plan.pass("there", codex), plan.pass("back", claude));
    plan.then(there, back);
    let mut engine = office.engine("one");
    engine.start(order("run", plan.build().expect("it holds together")), NOW).expect("it starts");
    let text = "version: 1\nsource_file: discussion/001-codex-response.md\ngenerated_at: \"2026-02-09\"\nfrom: codex\nto: claude\nstatus: pending\n";
    office.desk.answer(text);
    engine.turn(NOW).expect("the ledger works");
    folder.keep_run(&office);
    let back = text.replace("from: codex\nto: claude", "from: claude\nto: codex");
    folder.write("meta/handoff.yaml", &back);
    let kept = folder.keep_run(&office);
    assert_eq!(kept.foreign.len(), 1, "{kept:?}");
    assert_eq!(kept.foreign[0].owner, "claude");
    folder.write("meta/handoff.yaml", &back.replace("to: codex", "to: claude"));
    let kept = folder.keep_run(&office);
    assert_eq!((kept.foreign.len(), kept.conflicts.len()), (0, 1), "from and to are the same: {kept:?}");
    assert!(folder.read("meta/handoff.yaml").contains("from: codex"));
}

#[cfg(unix)]
#[test]
fn nothing_is_written_outside_the_project() {
    // proves A-12
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().expect("there is a temporary folder");
    std::fs::write(outside.path().join("precious"), "precious").expect("it can be written");
    let folder = Folder::new(&[Keeps::Envelope, Keeps::Package]);
    symlink(outside.path(), folder.path().join(".runs")).expect("links can be made");
    std::fs::create_dir(folder.path().join("state")).expect("it can be made");
    symlink(outside.path().join("precious"), folder.path().join("state/current.json")).expect("so can this");
    let office = Office::new(Kind::Neither, &ARTICLE);
    let mut engine = office.engine("one");
    engine.start(order("run", article()), NOW).expect("it starts");
    office.desk.answer(&envelope("writer", "Limited loans."));
    engine.turn(NOW).expect("the ledger works");
    let kept = folder.keep_run(&office);
    let why: Vec<&str> = kept.conflicts.iter().map(|conflict| conflict.why.as_str()).collect();
    assert!(why.contains(&"a link on the way leads out of the project"), "{why:?}");
    assert!(why.contains(&"it is a link, and is left alone"), "{why:?}");
    let names: Vec<_> = std::fs::read_dir(outside.path()).expect("it is there").collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!(std::fs::read(outside.path().join("precious")).expect("it is there"), b"precious");
    let mut bad = folder;
    for base in ["../{run}", ".git/{run}", "/tmp/{run}", ".baton/{run}"] {
        bad.run_base = base.to_owned();
        let kept = bad.keep_run(&office);
        assert!(!kept.conflicts.is_empty() && kept.written.is_empty(), "{base}: {kept:?}");
    }
}

// proves P-14: whoever's turn it is writes what the ledger has by then.
#[test]
fn whoever_waits_for_its_turn_writes_what_is_true_then() {
    let folder = Folder::new(&[Keeps::Envelope]);
    let office = Office::new(Kind::Neither, &ARTICLE);
    let mut engine = office.engine("one");
    engine.start(order("run", article()), NOW).expect("it starts");
    folder.keep_run(&office);
    let path = folder.path().join(".baton/mirrors/lock");
    let other = std::fs::File::options().append(true).open(path).expect("it is there");
    other.lock().expect("nobody has it");
    office.desk.answer(&envelope("writer", "Limited loans."));
    engine.turn(NOW).expect("the ledger works");
    let (ledger, checker) = (&office.ledger, office.checker);
    std::thread::scope(|scope| {
        let (started, has_started) = std::sync::mpsc::channel();
        let folder = &folder;
        let waiting = scope.spawn(move || {
            started.send(()).expect("somebody listens");
            folder.keep(ledger, checker, "run", NOW)
        });
        has_started.recv().expect("it starts");
        std::thread::yield_now();
        office.desk.answer(&envelope("critic", "Looked at src/loans.py."));
        engine.turn(NOW).expect("the ledger works");
        drop(other);
        assert_eq!(waiting.join().expect("it ends").written, [WRITERS, CRITICS]);
    });
}

/// Says to this program that it keeps files, and where.
const KEEPER: &str = "BATON_TEST_KEEPER";
const ROUNDS: usize = 30;
const LIST: &str = "state/current.json";

/// Answers at once.
struct AtOnce;

impl Courier for AtOnce {
    fn kind(&self) -> Kind {
        Kind::Idempotent
    }

    fn start(&self, delivery: Delivery, reports: std::sync::mpsc::Sender<Report>) {
        let what = Says::Answer(envelope("writer", delivery.key.as_str()).into_bytes());
        // An engine that is gone hears nothing.
        let _ = reports.send(Report { key: delivery.key, attempt: delivery.attempt, what });
    }

    fn stop(&self, _: &Key) {}
}

/// Drives a run of its own and keeps its files after every handoff.
fn drives(folder: &Path, run: &str) {
    let ledger = Address::file(folder.join("ledger.db")).open().expect("the ledger opens");
    let checker = Arc::new(checker());
    let mut agents = Agents::default();
    agents.add("writer", Setup::new(Arc::new(AtOnce), "envelope"));
    let mut plan = Plan::named("long");
    let writer = plan.agent("writer");
    let mut before = None;
    for step in 0..ROUNDS {
        let step = plan.pass(&format!("s{step}"), writer);
        if let Some(before) = before.replace(step) {
            plan.then(before, step);
        }
    }
    let parts = World::with(&ledger, Environment::new(checker.clone(), agents));
    let mut engine = Engine::new(parts, Settings::new(run));
    engine.start(order(run, plan.build().expect("it holds together")), NOW).expect("it starts");
    let keeps = [Keeps::Package];
    let keeping = baton_engine::mirror::Keeping {
        root: folder,
        checker: &checker,
        keeps: &keeps,
        run_base: ".runs/{run}",
        states: &[],
    };
    for _ in 0..ROUNDS {
        engine.turn(NOW).expect("the ledger works");
        keep(&ledger, run, &keeping, NOW).expect("it can be kept");
    }
}

#[test]
fn keeper() {
    if let (Ok(folder), Ok(run)) = (std::env::var(KEEPER), std::env::var("BATON_TEST_NAME")) {
        drives(Path::new(&folder), &run);
    }
}

// proves A-15, P-14: several Batons keep one file while another hand writes it, and nothing is lost.
#[test]
fn several_that_write_at_once_lose_nothing() {
    let folder = Folder::new(&[]);
    let path = folder.path();
    drop(Address::file(path.join("ledger.db")).open().expect("the ledger opens"));
    folder.write(LIST, "{}");
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.args(["--exact", "mirrors::hands::keeper"]).env(KEEPER, path).env("BATON_TEST_NAME", "p");
    let mut process = command.stdout(Stdio::null()).spawn().expect("it starts");
    let written: Vec<String> = std::thread::scope(|scope| {
        for run in ["s", "t"] {
            scope.spawn(move || drives(path, run));
        }
        let folder = &folder;
        let other = scope.spawn(move || {
            let mut written = Vec::new();
            for round in 0..10 * ROUNDS {
                // It keeps what it takes away, and then puts something of its own there, as editors do.
                let _ = std::fs::rename(path.join(LIST), path.join(format!("taken-{round}")));
                let text = format!("{{\"round\": {round}}}");
                folder.write("editor", &text);
                match std::fs::hard_link(path.join("editor"), path.join(LIST)) {
                    Ok(()) => written.push(text),
                    Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists),
                }
                std::fs::remove_file(path.join("editor")).expect("it is there");
                std::thread::yield_now();
            }
            written
        });
        other.join().expect("it ends")
    });
    assert!(process.wait().expect("it ends").success());
    let checker = Arc::new(checker());
    let ledger = Address::file(path.join("ledger.db")).open().expect("the ledger opens");
    let keeps = [Keeps::Package];
    let keeping = baton_engine::mirror::Keeping { keeps: &keeps, ..folder.keeping(&checker) };
    // The other hand may have been the last.
    if written.contains(&folder.read(LIST)) {
        keep(&ledger, "s", &keeping, NOW).expect("it can be kept");
    }
    let list: serde_json::Value = serde_json::from_str(&folder.read(LIST)).expect("it is JSON");
    let rows = list["handoffs"].as_array().expect("it is a list");
    assert_eq!(rows.len(), 3 * ROUNDS, "every handoff of every run");
    assert!(rows.iter().all(|row| row["status"] == "completed"), "as it is in the end");
    let is_kept = |name: &&String| name.contains(".conflict-") || name.starts_with("taken-");
    let kept: Vec<String> = folder.names().iter().filter(is_kept).map(|name| folder.read(name)).collect();
    for text in written.iter().chain([&"{}".to_owned()]) {
        assert!(kept.contains(text), "lost: {text}");
    }
    assert!(folder.names().iter().all(|name| !name.ends_with(".tmp")), "nothing is left behind");
}
