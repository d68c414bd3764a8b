//! The flows that come with Baton, played branch by branch: what each agent is given, and where its answer leads.
//!
//! A `Scene` is a run of a shipped flow with agents that answer by hand, a ledger in memory and a clock that is set.

mod agency;
mod babel;
mod detours;
mod ends;
mod issue_to_pr;
mod joins;
mod large;
mod microloop;
mod orchestrate;
mod relay;
mod remarks;
mod requests;

use baton_courier::{Delivery, Kind, What as Says};
use baton_document::carrier::Look;
use baton_document::flow::Flow;
use baton_document::{Input, Level, NoWorld, Scratch};
use baton_engine::driver::{Engine, Settings};
use baton_engine::history::views::{RunView, show};
use baton_engine::project::agents::Setup;
use baton_engine::project::people::{Home, Secret, Statement};
use baton_engine::project::plan::{SHIPPED, compile};
use baton_engine::records::entry::Entry;
use baton_engine::records::entry::history;
use baton_engine::records::mailbox::RunRequest;
use baton_engine::run::NewRun;
use baton_engine::service::post::post;
use baton_kernel::{Choice, Ending, Event, GateAnswer, Millis, Reason};
use tempfile::TempDir;

use crate::stories::{NOW, Office, ROOT};

/// The name of the run.
pub(crate) const RUN: &str = "scene-1";

/// A run of a flow that is being played.
pub(crate) struct Scene<'s> {
    office: &'s Office,
    engine: Engine<'s>,
    pub(crate) root: TempDir,
    pub(crate) now: Millis,
}

/// Plays a shipped flow with one input.
pub(crate) fn play(flow: &str, input: (&str, &str), act: impl FnOnce(&mut Scene<'_>)) {
    let text = SHIPPED.iter().find(|(name, _)| *name == flow).expect("it is shipped").1;
    play_text(text, input, act);
}

/// Plays a flow with one input.
pub(crate) fn play_text(text: &str, (input, value): (&str, &str), act: impl FnOnce(&mut Scene<'_>)) {
    let flow = Flow::read(text).0.expect("it is a flow");
    let agents: Vec<(&str, &str)> = flow
        .agents
        .iter()
        .map(|agent| {
            let dialect = agent.dialect.as_ref().expect("it is said what each speaks");
            (agent.name.value.as_str(), dialect.value.as_str())
        })
        .collect();
    let mut office = Office::new(Kind::Neither, &agents);
    for agent in &flow.agents {
        let setup = office.agents.get(&agent.name.value).cloned().expect("it was added");
        let capabilities = agent.capabilities.clone().unwrap_or_default();
        office.agents.add(agent.name.value.clone(), Setup { capabilities, ..setup });
    }
    let root = tempfile::tempdir().expect("there is room");
    let settings = Settings { root: root.path().to_owned(), ..Settings::new("stage") };
    let mut scene = Scene { engine: office.engine_with(settings), office: &office, root, now: NOW };
    let path = format!("flows/{}.yaml", flow.name.value);
    let order = NewRun {
        files: vec![(path.clone(), text.as_bytes().to_vec())],
        flow: Some(path),
        ..NewRun::new(RUN, compile(&flow).expect("it can run"), format!("{{\"{input}\": \"{value}\"}}"))
    };
    scene.engine.start(order, scene.now).expect("it starts");
    act(&mut scene);
}

impl Scene<'_> {
    /// The agent that was asked first answers; gives what it was asked.
    pub(crate) fn answer(&mut self, agent: &str, text: &str) -> Delivery {
        self.says(agent, Says::Answer(text.as_bytes().to_vec()))
    }

    /// The agent that was asked first says something; gives what it was asked.
    ///
    /// What it was asked must be a clean document of its dialect, or plain text.
    pub(crate) fn says(&mut self, agent: &str, what: Says) -> Delivery {
        assert!(self.office.desk.count() > 0, "nobody is asked; {:?}", self.reasons());
        let delivery = self.office.desk.says(what);
        assert_eq!(delivery.receiver, agent, "{:?}", self.reasons());
        let input = Input {
            path: None,
            bytes: &delivery.handoff,
            dialect: Some(&delivery.dialect),
            look: Look::Prose,
            is_named: true,
        };
        let checked = self.office.checker.check(input, &NoWorld, &mut Scratch::default());
        let wrong: Vec<_> = checked.findings.iter().filter(|finding| finding.level == Level::Error).collect();
        let text = String::from_utf8_lossy(&delivery.handoff);
        assert!(wrong.is_empty() || checked.handoffs.is_empty(), "{agent} is given {text}\n{wrong:?}");
        self.go_on(0);
        delivery
    }

    /// The agent that was asked first says something, and goes on working.
    pub(crate) fn notes(&mut self, what: Says) {
        self.office.desk.notes(what);
        self.go_on(0);
    }

    /// A file below the root of the project.
    pub(crate) fn file(&self, path: &str) -> String {
        let text = std::fs::read_to_string(self.root.path().join(path));
        text.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Writes a file below the root of the project.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.path().join(path);
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("there is room");
        std::fs::write(path, text).expect("there is room");
    }

    /// Whether there is such a file below the root.
    pub(crate) fn has_file(&self, path: &str) -> bool {
        self.root.path().join(path).exists()
    }

    /// Lets so much time pass.
    pub(crate) fn go_on(&mut self, span_ms: u64) {
        // Mailboxes are looked into now and then.
        self.now = self.now.after(span_ms.max(1_000));
        self.engine.turn(self.now).expect("the ledger works");
    }

    /// How the run stands.
    pub(crate) fn view(&self) -> RunView {
        show(&self.office.ledger, RUN, self.now).expect("the run is there")
    }

    /// How the run ended, if it did.
    pub(crate) fn ending(&self) -> Option<Ending> {
        self.view().state.ending().cloned()
    }

    /// All that happened.
    pub(crate) fn events(&self) -> Vec<Event> {
        let history = history(&self.office.ledger, RUN).expect("the run is there");
        history.into_iter().filter_map(|entry| entry.event).collect()
    }

    /// All that is recorded, in order.
    pub(crate) fn history(&self) -> Vec<Entry> {
        history(&self.office.ledger, RUN).expect("the run is there")
    }

    /// All texts that are recorded, in order.
    pub(crate) fn payloads(&self) -> Vec<String> {
        let history = history(&self.office.ledger, RUN).expect("the run is there");
        let payloads = history.into_iter().filter_map(|entry| entry.record.payload?.bytes);
        payloads.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
    }

    /// Why the run went where it went, in order.
    pub(crate) fn reasons(&self) -> Vec<Reason> {
        let reason = |event| if let Event::Routed { reason, .. } = event { Some(reason) } else { None };
        self.events().into_iter().filter_map(reason).collect()
    }

    /// How many agents are at work.
    pub(crate) fn at_work(&self) -> usize {
        self.office.desk.count()
    }

    /// Why a person is asked, if one is.
    pub(crate) fn asked(&self) -> Option<Reason> {
        self.view().pending.questions.first().map(|question| question.reason)
    }

    /// A person answers the open question.
    pub(crate) fn person(&mut self, choice: Choice, text: Option<&str>) {
        let ask = self.view().pending.questions.first().expect("a person is asked").ask;
        let wish = RunRequest::AnswerPerson { ask, choice, by: "nora".to_owned(), more: None, step: None };
        post(&self.office.ledger, ROOT.as_ref(), RUN, &wish, text.map(str::as_bytes), self.now)
            .expect("a person may");
        self.go_on(0);
    }

    /// A person answers the open gate.
    pub(crate) fn gate(&mut self, answer: GateAnswer) {
        self.gate_with(answer, None);
    }

    /// A person answers the open gate, and says why.
    pub(crate) fn gate_with(&mut self, answer: GateAnswer, because: Option<&str>) {
        let view = self.view();
        let open = view.pending.gates.first().expect("a gate is open");
        let (gate, shown) = (open.gate, open.shown.expect("it shows something"));
        let key = Secret::from_text("nora's passphrase").expect("it is a secret").older();
        let home = Home::of(ROOT.as_ref(), &self.office.ledger).expect("the ledger works");
        let signed = key.sign("nora", &Statement { home: &home, run: RUN, gate, answer, shown });
        let wish = RunRequest::AnswerGate { gate, answer, shown, signed };
        let because = because.map(str::as_bytes);
        post(&self.office.ledger, ROOT.as_ref(), RUN, &wish, because, self.now).expect("a person may");
        self.go_on(0);
    }
}

/// What an agent is given, as text.
pub(crate) fn given(delivery: &Delivery) -> String {
    String::from_utf8(delivery.handoff.clone()).expect("it is text")
}
