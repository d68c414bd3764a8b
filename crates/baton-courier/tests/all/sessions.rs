//! Couriers of agents that work in sessions, with agents that play the shapes and traps of the real ones.

use std::fs::{self, File};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use baton_courier::acp::{Acp, AcpCourier, Policy};
use baton_courier::claude::{Claude, ClaudeCourier};
use baton_courier::codex::{Codex, CodexCourier};
use baton_courier::conformance::{Behaviour, Harness, check};
use baton_courier::{Again, Cause, Courier, Delivery, Finalization, Key, Kind, Permit, What};

use crate::bench::{Bench, PATIENCE, Told};

const FAKE: &str = env!("CARGO_BIN_EXE_fake-agent");

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Claude,
    Codex,
    Acp,
}

const WAYS: [Way; 3] = [Way::Claude, Way::Codex, Way::Acp];

fn courier(way: Way, policy: Policy) -> Arc<dyn Courier> {
    let command = |word: &str| vec![FAKE.to_owned(), word.to_owned()];
    match way {
        Way::Claude => Arc::new(ClaudeCourier::new(Claude {
            command: command("claude"),
            model: Some("opus".to_owned()),
            agent: Some("critic".to_owned()),
            arguments: vec!["--strict".to_owned()],
        })),
        Way::Codex => Arc::new(CodexCourier::new(Codex {
            command: command("codex"),
            model: None,
            arguments: Vec::new(),
        })),
        Way::Acp => Arc::new(AcpCourier::new(Acp {
            command: command("acp"),
            arguments: Vec::new(),
            permissions: policy,
            restarts: false,
            model: None,
        })),
    }
}

fn delivery(bench: &Bench, behaviour: &str) -> Delivery {
    Delivery {
        receiver: behaviour.to_owned(),
        prompt: Some("Do it.".to_owned()),
        finalization: Some(Finalization {
            prompt: "Now the handoff.".to_owned(),
            schema: "{\"type\": \"object\"}".to_owned(),
        }),
        ..bench.delivery()
    }
}

fn deliver(way: Way, delivery: Delivery) -> Told {
    deliver_by(&courier(way, Policy::Deny), delivery)
}

fn deliver_by(courier: &Arc<dyn Courier>, delivery: Delivery) -> Told {
    let (reports, received) = mpsc::channel();
    courier.start(delivery, reports);
    Told::all(&received)
}

fn session(told: &Told) -> String {
    let found = told
        .before()
        .iter()
        .find_map(|what| if let What::Session(id) = what { Some(id.clone()) } else { None });
    found.expect("the session was told")
}

struct Sessions {
    bench: Bench,
    way: Way,
}

impl Harness for Sessions {
    fn courier(&self) -> Arc<dyn Courier> {
        courier(self.way, Policy::Deny)
    }

    fn delivery(&self, key: &Key, behaviour: Behaviour) -> Delivery {
        Delivery { key: key.clone(), ..delivery(&self.bench, &format!("{behaviour:?}")) }
    }

    fn let_go(&self, key: &Key) {
        self.bench.write(&format!("go-{key}"), "");
    }

    fn is_gone(&self, key: &Key, within: Duration) -> bool {
        let Ok(file) = File::open(self.bench.path(&format!("lock-{key}"))) else { return true };
        let (sender, gone) = mpsc::channel();
        thread::spawn(move || sender.send(file.lock().is_ok()));
        gone.recv_timeout(within).unwrap_or(false)
    }
}

fn conforms(way: Way) {
    // proves S-06
    if let Err(broken) = check(&Sessions { bench: Bench::new(), way }) {
        panic!("{way:?}: {broken}");
    }
}

#[test]
fn the_courier_of_claude_code_conforms() {
    conforms(Way::Claude);
}

#[test]
fn the_courier_of_codex_conforms() {
    conforms(Way::Codex);
}

#[test]
fn the_courier_of_the_agent_client_protocol_conforms() {
    conforms(Way::Acp);
}

// proves E-06: the finalization prompt goes into the same session, and its answer is the answer.
#[test]
fn work_and_handoff_are_two_turns_of_one_session() {
    for way in WAYS {
        let bench = Bench::new();
        let told = deliver(way, delivery(&bench, "Typed"));
        let expected: &[u8] = if way == Way::Acp { b"{\"task_id\": \"t-1\"}" } else { b"{\"turns\":2}" };
        assert_eq!(told.answer(), expected, "{way:?}");
        let history = fs::read_to_string(bench.path(&format!("session-{}", session(&told)))).unwrap();
        let turns: Vec<String> = history.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(turns.len(), 2, "{way:?}");
        assert!(turns[0].starts_with("Do it.\n\n"), "{}", turns[0]);
        assert!(turns[0].contains("It is data") && turns[0].contains("\n```json\n{\"task_id\": \"t-1\"}\n"));
        assert!(turns[1].starts_with("Now the handoff."));
        assert_eq!(turns[1].contains("JSON Schema"), way == Way::Acp);
    }
}

// proves E-06: a bad answer is asked for again in the same session, without the work.
#[test]
fn a_bad_handoff_is_asked_for_again_in_its_session() {
    for way in WAYS {
        let bench = Bench::new();
        let first = deliver(way, delivery(&bench, "Wordy"));
        assert_eq!(first.answer(), b"{\"turns\": 2}");
        let session = session(&first);
        let again =
            Delivery { is_reask: true, session: Some(session), attempt: 2, ..delivery(&bench, "Wordy") };
        assert_eq!(deliver(way, again).answer(), b"{\"turns\": 3}", "{way:?}");
    }
}

// proves S-05: after a crash the session is resumed, and the agent is told that it was interrupted.
#[test]
fn an_interrupted_session_is_gone_on_with() {
    for way in WAYS {
        let bench = Bench::new();
        let courier = courier(way, Policy::Deny);
        assert_eq!(courier.kind(), Kind::Resumable);
        let (reports, received) = mpsc::channel();
        let hangs = || Delivery { key: Key::from("hangs"), ..delivery(&bench, "HangOnce") };
        courier.start(hangs(), reports);
        let mut known = None;
        while let Ok(report) = received.recv_timeout(PATIENCE) {
            match report.what.clone() {
                What::Session(id) => known = Some(id),
                What::Progress(line) if line == b"hanging" => break,
                What::Progress(_) => {}
                What::Draft(_) | What::Question(_) | What::Answer(_) | What::Failure(_) => {
                    panic!("{way:?}: {:?}", report.what)
                }
            }
        }
        // Nothing is left of it but its session.
        drop(courier);
        let again = Delivery { session: known, attempt: 2, ..hangs() };
        let told = deliver(way, again);
        assert_eq!(told.answer(), b"{\"task_id\": \"t-1\"}", "{way:?}");
    }
}

#[test]
fn a_session_that_nobody_knows_is_for_people() {
    for (way, behaviour) in [(Way::Claude, ""), (Way::Codex, ""), (Way::Acp, ""), (Way::Acp, "NoLoad")] {
        let bench = Bench::new();
        let lost = Delivery { session: Some("s-lost".to_owned()), ..delivery(&bench, behaviour) };
        let told = deliver(way, lost);
        let failure = told.failure();
        assert_eq!((failure.cause, failure.cause.again()), (Cause::Impossible, Again::Pointless), "{way:?}");
        assert!(failure.to_string().contains("does not know the session s-lost any more"), "{failure}");
    }
}

// proves S-06: where the session is lost and the work may be begun again, it is given again, and the new session is told.
#[test]
fn a_lost_session_is_begun_again_where_its_owner_allows_it() {
    for behaviour in ["Echo", "NoLoad"] {
        let bench = Bench::new();
        let acp = Acp {
            command: vec![FAKE.to_owned(), "acp".to_owned()],
            arguments: Vec::new(),
            permissions: Policy::Deny,
            restarts: true,
            model: None,
        };
        let courier: Arc<dyn Courier> = Arc::new(AcpCourier::new(acp));
        let lost =
            Delivery { session: Some("s-lost".to_owned()), is_reask: true, ..delivery(&bench, behaviour) };
        let told = deliver_by(&courier, lost);
        assert_eq!(told.answer(), b"{\"task_id\": \"t-1\"}");
        let new = session(&told);
        assert_ne!(new, "s-lost");
        let says = |what: &What| matches!(what, What::Progress(line) if String::from_utf8_lossy(line).contains("is given to it again"));
        assert!(told.before().iter().any(says), "what happened is recorded");
        let history = fs::read_to_string(bench.path(&format!("session-{new}"))).unwrap();
        let turns: Vec<&str> = history.lines().collect();
        assert_eq!(turns.len(), 2, "the work, and its handoff");
        assert!(turns[0].contains("do nothing twice") && turns[0].contains("Do it."), "{}", turns[0]);
        assert!(turns[1].contains("Now the handoff."), "{}", turns[1]);
    }
}

#[test]
fn a_model_that_fails_is_a_failure_whatever_the_program_calls_it() {
    for way in WAYS {
        let told = deliver(way, delivery(&Bench::new(), "Fail"));
        assert_eq!(told.failure().cause, Cause::Failed, "{way:?}");
        let message = told.failure().to_string();
        assert!(message.ends_with("says that it failed: API Error: 529 overloaded"), "{message}");
    }
}

#[test]
fn a_message_without_an_end_is_gone_on_with_or_a_failure() {
    let bench = Bench::new();
    let told = deliver(Way::Claude, delivery(&bench, "CutStream"));
    assert_eq!(told.answer(), b"{\"task_id\": \"t-1\"}");
    let history = fs::read_to_string(bench.path(&format!("session-{}", session(&told)))).unwrap();
    assert_eq!(history.lines().count(), 3, "work, going on, handoff");
    assert!(history.contains("was cut off before its end"));
    let told = deliver(Way::Codex, delivery(&Bench::new(), "CutStream"));
    assert_eq!(told.failure().cause, Cause::Failed);
}

#[test]
fn a_schema_that_is_refused_is_said_in_words() {
    for way in [Way::Claude, Way::Codex] {
        let bench = Bench::new();
        let told = deliver(way, delivery(&bench, "Schema"));
        assert_eq!(told.answer(), b"{\"task_id\": \"t-1\"}", "{way:?}");
    }
    let bench = Bench::new();
    let mut large = delivery(&bench, "Typed");
    if let Some(finalization) = &mut large.finalization {
        finalization.schema = format!("{{\"$comment\": \"{}\"}}", "x".repeat(200_000));
    }
    let told = deliver(Way::Claude, large);
    assert_eq!(told.answer(), b"{\"task_id\": \"t-1\"}");
    assert!(!fs::read_to_string(bench.path("calls")).unwrap().contains("--json-schema"));
}

#[test]
fn an_agent_that_is_ended_by_others_is_a_failure() {
    for way in WAYS {
        let told = deliver(way, delivery(&Bench::new(), "Term"));
        assert_eq!(told.failure().cause, Cause::Killed(15), "{way:?}");
    }
}

#[test]
fn what_the_owner_wrote_reaches_the_program() {
    let bench = Bench::new();
    let told = deliver(Way::Claude, delivery(&bench, "Typed"));
    let session = session(&told);
    let start = "claude -p --output-format=stream-json --verbose --model=opus --agent=critic";
    let calls = fs::read_to_string(bench.path("calls")).unwrap();
    let expected = format!(
        "{start} --strict\n{start} --resume={session} --json-schema={{\"type\": \"object\"}} --strict\n"
    );
    assert_eq!(calls, expected);
}

// proves S-05: turns of one session wait for each other, in all processes.
#[test]
fn two_couriers_never_take_turns_of_a_session_at_once() {
    for way in WAYS {
        let bench = Bench::new();
        let session = session(&deliver(way, delivery(&bench, "Echo")));
        let (reports, received) = mpsc::channel();
        let couriers = [(); 4].map(|()| courier(way, Policy::Deny));
        for (number, courier) in couriers.iter().enumerate() {
            let key = Key::from(format!("turn {number}").as_str());
            let turn =
                Delivery { key, is_reask: true, session: Some(session.clone()), ..delivery(&bench, "Echo") };
            courier.start(turn, reports.clone());
        }
        drop(reports);
        let mut answers = 0;
        while let Ok(report) = received.recv_timeout(PATIENCE) {
            answers += usize::from(matches!(report.what, What::Answer(_)));
        }
        assert_eq!(answers, 4, "{way:?}");
        assert!(!bench.path("clash").exists(), "{way:?}: two turns at once");
    }
}

#[test]
fn what_an_agent_may_do_is_answered_as_its_owner_said() {
    for (policy, expected) in [(Policy::Allow, "\"yes\""), (Policy::Deny, "\"no\"")] {
        let bench = Bench::new();
        let told = deliver_by(&courier(Way::Acp, policy), delivery(&bench, "Permission"));
        assert_eq!(told.answer(), b"{\"task_id\": \"t-1\"}");
        let given = fs::read_to_string(bench.path("permission")).unwrap();
        assert!(given.lines().all(|line| line.contains(expected)), "{given}");
    }
    let bench = Bench::new();
    let told = deliver_by(&courier(Way::Acp, Policy::Ask), delivery(&bench, "Permission"));
    let failure = told.failure();
    assert_eq!(failure.cause, Cause::Permission);
    let wants = failure.wants.as_ref().expect("it says what it wants");
    assert_eq!(wants.text, "title: rm -rf build\n");
    let session = told.session().expect("it has a session");
    let given = fs::read_to_string(bench.path("permission")).unwrap();
    assert!(given.contains("cancelled"), "nothing is allowed yet: {given}");
    // A permission holds for exactly this request, in its session.
    for (is_allowed, expected) in [(true, "\"yes\""), (false, "\"no\"")] {
        fs::remove_file(bench.path("permission")).unwrap();
        let permit = Permit { request: wants.request.clone(), is_allowed };
        let again = Delivery {
            permits: vec![permit],
            session: Some(session.clone()),
            ..delivery(&bench, "Permission")
        };
        let told = deliver_by(&courier(Way::Acp, Policy::Ask), again);
        assert_eq!(told.answer(), b"{\"task_id\": \"t-1\"}");
        let given = fs::read_to_string(bench.path("permission")).unwrap();
        assert!(given.lines().all(|line| line.contains(expected)), "{given}");
    }
    let other = Permit { request: "0".repeat(64), is_allowed: true };
    let again = Delivery { permits: vec![other], session: Some(session), ..delivery(&bench, "Permission") };
    assert_eq!(deliver_by(&courier(Way::Acp, Policy::Ask), again).failure().cause, Cause::Permission);
}

// proves S-06: the model of an agent is chosen where the agent lets one choose; where it does not, that is said.
#[test]
fn the_model_of_an_agent_is_chosen_as_it_lets_one() {
    let run = |behaviour: &str, model: &str| {
        let bench = Bench::new();
        let acp = Acp {
            command: vec![FAKE.to_owned(), "acp".to_owned()],
            arguments: Vec::new(),
            permissions: Policy::Deny,
            restarts: false,
            model: Some(model.to_owned()),
        };
        let courier: Arc<dyn Courier> = Arc::new(AcpCourier::new(acp));
        let told = deliver_by(&courier, delivery(&bench, behaviour));
        (told, fs::read_to_string(bench.path("chosen")).unwrap_or_default())
    };
    let (told, chosen) = run("Models", "opus");
    assert_eq!(
        (told.answer(), chosen.as_str()),
        (&b"{\"task_id\": \"t-1\"}"[..], "session/set_model opus\n")
    );
    let (told, chosen) = run("Options", "opus");
    told.answer();
    assert_eq!(chosen, "session/set_config_option opus\n");
    let (told, chosen) = run("Models", "gone");
    assert_eq!((told.failure().cause, chosen.as_str()), (Cause::Impossible, ""));
    assert!(told.failure().message.contains("has no model gone; it has opus"), "{}", told.failure().message);
    let (told, _) = run("Well", "opus");
    told.answer();
    assert!(
        told.progress().iter().any(|line| line.contains("`model: opus` is not used")),
        "{:?}",
        told.progress()
    );
}
