//! Many runs in one process, each under the files that it has pinned.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use baton_document::flow::Flow;
use baton_engine::driver::{Engine, Settings, World};
use baton_engine::project::pinned::Pinned;
use baton_engine::project::plan::compile;
use baton_engine::records::entry::history;
use baton_engine::run::NewRun;
use baton_engine::run::environment::{Shared, of_pinned};
use baton_kernel::Millis;
use baton_ledger::Memory;

const RUNS: usize = 200;
const VERSIONS: usize = 20;
/// How long the runs may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(240);
const FLOW_PATH: &str = "flows/f.yaml";

/// An agent that answers with the version that its prompt and its own definition name, and sums up in two words.
const AGENT: &str = r#"cat > /dev/null
cat <<END
{"meta": {"step_id": "work", "flow_key": "f", "agent_key": "ada", "timestamp": "2026-01-31T09:30:00Z"}, "status": "VERIFIED",
 "summary": {"what_i_did": "Prompt $(grep -o 'version [0-9]*' "$BATON_PROMPT" | head -1), program version $1.", "what_i_found": "-"},
 "routing": {"recommendation": "CONTINUE", "reason": "It is done"}}
END
"#;

fn files(version: usize) -> Vec<(String, Vec<u8>)> {
    let flow = format!(
        "flow: f\nagents:\n  ada: {{dialect: envelope, run: [sh, agent.sh, '{version}'], prompt: prompts/ada.md}}\n\
         steps:\n  - work: ada\n"
    );
    // The settings of every second version want more of an answer than the agent gives.
    let settings = if version % 2 == 1 { "[rules]\n\"envelope/evidence\" = \"error\"\n" } else { "" };
    let all = [
        (FLOW_PATH, flow),
        ("baton.toml", settings.to_owned()),
        ("prompts/ada.md", format!("You are ada, version {version}.\n")),
    ];
    all.into_iter().map(|(path, text)| (path.to_owned(), text.into_bytes())).collect()
}

fn order(run: usize) -> NewRun {
    let files = files(run % VERSIONS);
    let text = String::from_utf8(files[0].1.clone()).expect("it is text");
    let plan = compile(&Flow::read(&text).0.expect("it is a flow")).expect("it can run");
    NewRun { files, flow: Some(FLOW_PATH.to_owned()), ..NewRun::new(format!("f-{run}"), plan, "") }
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

#[test]
fn two_hundred_runs_of_twenty_versions_share_one_driver_and_twenty_environments() {
    let root = tempfile::tempdir().expect("a folder");
    let root = root.path();
    std::fs::write(root.join("agent.sh"), AGENT).expect("it can be written");
    let ledger = Memory::new();
    let made = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&made);
    let folder = root.to_owned();
    let make = move |run: &str, files: &[Pinned]| {
        count.fetch_add(1, Ordering::Relaxed);
        of_pinned(&folder, run, files)
    };
    let world = World { ledger: &ledger, environments: Arc::new(Shared::new(make)) };
    let settings = Settings { root: root.to_owned(), lease_ms: 600_000, ..Settings::new("one") };
    let mut engine = Engine::new(world, settings);
    let mut now = Millis(1_000);
    for run in 0..RUNS {
        engine.start(order(run), now).expect("it starts");
    }
    assert_eq!(engine.held().count(), RUNS, "one process drives them all");
    assert_eq!(made.load(Ordering::Relaxed), VERSIONS);
    let start = Instant::now();
    while engine.held().next().is_some() {
        assert!(start.elapsed() < PATIENCE, "the runs do not end: {}", threads());
        engine.wait(Duration::from_millis(50));
        now = now.after(500);
        engine.turn(now).expect("the ledger works");
    }
    assert_eq!(made.load(Ordering::Relaxed), VERSIONS, "none is made twice");
    for run in 0..RUNS {
        let version = run % VERSIONS;
        let history = history(&ledger, &format!("f-{run}")).expect("it is there");
        let said: BTreeSet<String> = history
            .iter()
            .filter_map(|entry| entry.record.payload.as_ref()?.bytes.as_deref())
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .filter(|text| text.contains("what_i_did") && text.contains("Prompt version"))
            .collect();
        let expected = format!("Prompt version {version}, program version {version}.");
        assert!(!said.is_empty() && said.iter().all(|text| text.contains(&expected)), "f-{run}: {said:?}");
        let is_rejected = history.iter().any(|entry| entry.record.kind == "answer_rejected");
        assert_eq!(is_rejected, version % 2 == 1, "f-{run} goes by its own settings");
    }
}
