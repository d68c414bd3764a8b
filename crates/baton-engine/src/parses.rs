//! Counts how often a handoff is parsed on its way from one agent to the next.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

use baton_courier::{Courier, Delivery, Key, Kind, Report, What};
use baton_document::dialect::Settings as Dialects;
use baton_document::flow::Flow;
use baton_document::{Checker, Levels, Limits};
use baton_kernel::Millis;
use baton_ledger::Memory;

use crate::driver::{Engine, Settings, World};
use crate::project::agents::{Agents, Setup};
use crate::project::plan::compile;
use crate::records::reading::PARSES;
use crate::run::NewRun;
use crate::run::environment::Environment;

/// A row of agents, each with a task, and a route that looks into the answer.
const FLOW: &str = "\
flow: row
agents:
  ada: { dialect: envelope }
  ben: { dialect: envelope }
  cyd: { dialect: envelope }
steps:
  - write:
      agent: ada
      task: Write it.
      routes:
        - { if: 'handoff.concerns.size() > 3', to: file }
  - look: { agent: ben, task: Look at it. }
  - file: { agent: cyd, task: File it. }
";

const ENVELOPE: &str = r#"{"meta":{"step_id":"STEP","flow_key":"row","agent_key":"AGENT","timestamp":"2026-01-01T00:00:00Z"},"status":"VERIFIED","summary":{"what_i_did":"Limited loans, said AGENT.","what_i_found":"Nothing else.","key_decisions":[],"evidence":{"artifacts_produced":["src/loans.py"],"commands_run":["pytest"],"measurements":{}}},"concerns":[],"assumptions":[],"routing":{"recommendation":"CONTINUE","reason":"done"}}"#;

/// A delivery, and where its report goes.
type Open = (Delivery, Sender<Report>);

/// Deliveries that wait for an answer.
#[derive(Clone, Default)]
struct Desk(Arc<Mutex<Vec<Open>>>);

impl Courier for Desk {
    fn kind(&self) -> Kind {
        Kind::Neither
    }

    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        self.0.lock().expect("no test panics with it").push((delivery, reports));
    }

    fn stop(&self, _: &Key) {}
}

#[test]
fn a_handoff_is_parsed_once_from_one_agent_to_the_next() {
    let flow = Flow::read(FLOW).0.expect("it is a flow");
    let (desk, ledger) = (Desk::default(), Memory::new());
    let mut agents = Agents::default();
    for agent in ["ada", "ben", "cyd"] {
        agents.add(agent, Setup::new(Arc::new(desk.clone()), "envelope"));
    }
    let checker = Checker::new(&Dialects::default(), Levels::default(), Limits::default());
    let world = World::with(&ledger, Environment::new(checker, agents));
    let root = tempfile::tempdir().expect("there is room");
    let mut engine = Engine::new(world, Settings { root: root.path().to_owned(), ..Settings::new("one") });
    let order = NewRun {
        files: vec![("flows/row.yaml".to_owned(), FLOW.as_bytes().to_vec())],
        flow: Some("flows/row.yaml".to_owned()),
        ..NewRun::new("run", compile(&flow).expect("it can run"), "limit the loans")
    };
    engine.start(order, Millis(1_000)).expect("it starts");
    for (at, (step, agent)) in [("write", "ada"), ("look", "ben")].into_iter().enumerate() {
        let (delivery, reports) = desk.0.lock().expect("no test panics with it").remove(0);
        assert_eq!(delivery.receiver, agent);
        let answer = ENVELOPE.replace("STEP", step).replace("AGENT", agent);
        let what = What::Answer(answer.into_bytes());
        reports.send(Report { key: delivery.key, attempt: delivery.attempt, what }).expect("it listens");
        PARSES.with(|parses| parses.set(0));
        engine.turn(Millis(2_000 + at as u64)).expect("the ledger works");
        assert_eq!(desk.0.lock().expect("no test panics with it").len(), 1, "the next agent is asked");
        assert_eq!(PARSES.with(std::cell::Cell::get), 1, "parses of what {agent} wrote");
    }
}
