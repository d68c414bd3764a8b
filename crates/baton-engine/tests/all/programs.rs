//! A run whose agents are real programs, on a ledger in a real file.
#![cfg(unix)]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use baton_courier::program::{Program, ProgramCourier};
use baton_engine::driver::{Engine, Settings, World};
use baton_engine::history::views::show;
use baton_engine::project::agents::{Agents, Setup};
use baton_engine::records::entry::history;
use baton_engine::run::NewRun;
use baton_engine::run::environment::Environment;
use baton_kernel::{Ending, Millis, Outcome, Plan};
use baton_ledger::{Address, Ledger as _, verify};

use crate::sim::checker;

/// How long the whole run may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

fn program(script: &str, folder: &Path, dialect: &str) -> Setup {
    let command = ["sh", script].map(str::to_owned).to_vec();
    let courier = ProgramCourier::new(Program::new(command));
    let environment = vec!["PATH".to_owned()];
    Setup { directory: folder.to_owned(), environment, ..Setup::new(Arc::new(courier), dialect) }
}

#[test]
fn two_programs_hand_work_to_each_other_and_the_run_ends() {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let root = folder.path();
    let write = |name: &str, text: &str| std::fs::write(root.join(name), text).expect("it can be written");
    // The author keeps what it was given, and answers with an envelope.
    write(
        "author.sh",
        r#"cat > given-to-author
echo "at work" >&2
cat <<'END'
{"meta":{"step_id":"write","flow_key":"f","agent_key":"author","timestamp":"2026-01-01T00:00:00Z"},"status":"VERIFIED",
"summary":{"what_i_did":"Limited loans in src/loans.py.","what_i_found":"Nothing else.","key_decisions":[],
"evidence":{"artifacts_produced":["src/loans.py"],"commands_run":["pytest"],"measurements":{}}},"concerns":[],"assumptions":[],
"routing":{"recommendation":"CONTINUE","reason":"done"}}
END
"#,
    );
    // The checker speaks the exchange dialect.
    write(
        "checker.sh",
        r#"cat > given-to-checker
echo '{"task_id":"t-1","phase":"write","status":"complete","decision":"PROCEED","findings":{},"context_summary":"Checked src/loans.py: 14 tests pass."}'
"#,
    );
    let mut agents = Agents::default();
    agents.add("author", program("author.sh", root, "envelope"));
    agents.add("checker", program("checker.sh", root, "exchange"));
    let ledger = Address::file(root.join("ledger.db")).open().expect("the ledger opens");
    let checker = checker();
    let parts = World::with(&ledger, Environment::new(checker, agents));
    let mut engine = Engine::new(parts, Settings { root: root.to_owned(), ..Settings::new("one") });
    let mut plan = Plan::named("pair");
    let (author, critic) = (plan.agent("author"), plan.agent("checker"));
    let (work, look) = (plan.pass("write", author), plan.pass("check", critic));
    plan.then(work, look);
    let plan = plan.build().expect("the plan holds together");
    let order = NewRun::new("run", plan, "limit the loans");
    let mut now = Millis(1_000);
    engine.start(order, now).expect("it starts");
    let start = Instant::now();
    while engine.held().count() > 0 {
        assert!(start.elapsed() < PATIENCE, "the run does not end");
        engine.wait(Duration::from_millis(50));
        now = now.after(1);
        engine.turn(now).expect("the ledger works");
    }
    let view = show(&ledger, "run", now).expect("the run is there");
    assert_eq!(view.state.ending(), Some(&Ending::Finished(Outcome::Done)));
    let read = |name: &str| std::fs::read_to_string(root.join(name)).expect("it was given something");
    assert_eq!(read("given-to-author"), "limit the loans");
    let given = read("given-to-checker");
    assert!(given.contains("context_summary") && given.contains("Limited loans"), "{given}");
    let kinds: Vec<String> =
        history(&ledger, "run").expect("it is there").into_iter().map(|entry| entry.record.kind).collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "answered").count(), 2);
    assert!(verify(&ledger, None).expect("it can be read").is_proven());
    assert!(ledger.due(Millis(u64::MAX >> 1), baton_ledger::Limit(10)).expect("it can be asked").is_empty());
}
