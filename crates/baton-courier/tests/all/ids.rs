//! Ids of an agent, a record or a definition never become an option, another argument or another session.

use std::fs;
use std::sync::Arc;
use std::sync::mpsc;

use baton_courier::acp::{Acp, AcpCourier, Policy};
use baton_courier::claude::{Claude, ClaudeCourier};
use baton_courier::codex::{Codex, CodexCourier};
use baton_courier::openclaw::{Openclaw, OpenclawCourier};
use baton_courier::program::{LineProtocol, Program, ProgramCourier};
use baton_courier::{Again, Cause, Courier, Delivery, Finalization, Human, Key, What};

use crate::bench::{Bench, PATIENCE, Told, next, run_attempt, shell};

const FAKE: &str = env!("CARGO_BIN_EXE_fake-agent");

/// Invalid ids, as an agent may print them.
const ODD: [&str; 6] = [
    "--dangerously-skip-permissions",
    "-c",
    "a b",
    "a\\nb",
    "../../.ssh/id",
    "s-1 --dangerously-skip-permissions",
];

fn command(word: &str) -> Vec<String> {
    vec![FAKE.to_owned(), word.to_owned()]
}

fn claude() -> Claude {
    Claude { command: command("claude"), ..Claude::default() }
}

fn codex() -> Codex {
    Codex { command: command("codex"), ..Codex::default() }
}

fn all() -> [(&'static str, Arc<dyn Courier>); 3] {
    let acp = Acp {
        command: command("acp"),
        arguments: Vec::new(),
        permissions: Policy::Deny,
        restarts: true,
        model: None,
    };
    [
        ("claude", Arc::new(ClaudeCourier::new(claude()))),
        ("codex", Arc::new(CodexCourier::new(codex()))),
        ("acp", Arc::new(AcpCourier::new(acp))),
    ]
}

fn delivery(bench: &Bench, behaviour: &str) -> Delivery {
    Delivery {
        receiver: behaviour.to_owned(),
        finalization: Some(Finalization { prompt: "Now.".to_owned(), schema: "{}".to_owned() }),
        ..bench.delivery()
    }
}

fn deliver(courier: &dyn Courier, delivery: Delivery) -> Told {
    let (reports, received) = mpsc::channel();
    courier.start(delivery, reports);
    Told::all(&received)
}

/// Calls of the program, one line each.
fn calls(bench: &Bench) -> String {
    fs::read_to_string(bench.path("calls")).unwrap_or_default()
}

#[test]
fn a_session_id_is_never_an_option() {
    for (name, courier) in all() {
        for odd in ODD {
            let bench = Bench::new();
            let told = deliver(&*courier, delivery(&bench, &format!("Session={odd}")));
            let failure = told.failure();
            assert_eq!(
                (failure.cause, failure.cause.again()),
                (Cause::Impossible, Again::Pointless),
                "{name}: {odd}"
            );
            assert!(failure.message.contains("gave an invalid session id `"), "{name}: {failure}");
            assert_eq!(told.session(), None, "{name}: it is recorded nowhere");
            assert!(calls(&bench).lines().count() <= 1, "{name}: nothing goes on in it: {}", calls(&bench));
        }
    }
}

#[test]
fn a_session_id_of_an_old_ledger_is_never_an_option() {
    for (name, courier) in all() {
        for odd in ["--dangerously-skip-permissions", "-c", "a b", "a\nb", "", "..", "\u{1b}[2J"] {
            let bench = Bench::new();
            let session = Some(odd.to_owned());
            let told = deliver(&*courier, Delivery { session, is_reask: true, ..delivery(&bench, "Echo") });
            assert_eq!(told.failure().cause, Cause::Impossible, "{name}: {odd}");
            assert_eq!(calls(&bench), "", "{name}: it is not started");
        }
    }
    let session = Some("--x".to_owned());
    let bench = Bench::new();
    let told = run_attempt(
        &ProgramCourier::new(shell("touch ran; echo $BATON_SESSION")),
        Delivery { session, ..bench.delivery() },
    );
    assert_eq!(told.failure().cause, Cause::Impossible);
    assert!(!bench.path("ran").exists());
}

#[test]
fn a_program_that_names_an_option_as_its_session_fails() {
    let bench = Bench::new();
    let line = "echo 'baton:session --dangerously-skip-permissions' >&2; echo '{}'";
    let told = bench.deliver(Program { protocol: LineProtocol::Directives, ..shell(line) });
    assert_eq!((told.failure().cause, told.session()), (Cause::Impossible, None));
}

#[test]
fn a_model_or_a_persona_of_a_definition_is_never_an_option() {
    for odd in ["--dangerously-skip-permissions", "-", "opus --dangerously-skip-permissions", "a\nb", ""] {
        let odd = || Some(odd.to_owned());
        let bench = Bench::new();
        let couriers: [Box<dyn Courier>; 4] = [
            Box::new(ClaudeCourier::new(Claude { model: odd(), ..claude() })),
            Box::new(ClaudeCourier::new(Claude { agent: odd(), ..claude() })),
            Box::new(CodexCourier::new(Codex { model: odd(), ..codex() })),
            Box::new(OpenclawCourier::new(Openclaw {
                session_key: odd().map(|key| format!("agent:main:{key}\n")),
                ..Openclaw::default()
            })),
        ];
        for courier in couriers {
            assert_eq!(deliver(&*courier, delivery(&bench, "Echo")).failure().cause, Cause::Impossible);
        }
        assert_eq!(calls(&bench), "", "nothing is started");
    }
}

#[test]
fn what_stands_for_a_value_is_one_argument_with_its_name() {
    let bench = Bench::new();
    let claude = Claude { model: Some("opus[1m]".to_owned()), agent: Some("critic".to_owned()), ..claude() };
    deliver(&ClaudeCourier::new(claude), delivery(&bench, "Session=s-1")).answer();
    let second = calls(&bench).lines().nth(1).expect("two turns").to_owned();
    for word in ["--model=opus[1m]", "--agent=critic", "--resume=s-1", "--json-schema={}"] {
        assert!(second.split(' ').any(|argument| argument == word), "{word}: {second}");
    }
    let bench = Bench::new();
    let codex = Codex { model: Some("gpt-5".to_owned()), ..codex() };
    deliver(&CodexCourier::new(codex), delivery(&bench, "Session=s-1")).answer();
    let second = calls(&bench).lines().nth(1).expect("two turns").to_owned();
    assert!(second.contains(" --model=gpt-5 ") && second.ends_with(" -- s-1 -"), "{second}");
}

#[test]
fn a_session_in_which_another_delivery_works_is_not_taken_over() {
    for (name, courier) in all() {
        let bench = Bench::new();
        let id = format!("Session=taken-{}-{name}", std::process::id());
        let first = Delivery { key: Key::from("first"), ..delivery(&bench, &id) };
        // It says what its session is called, and waits before its work.
        bench.write("busy-wait", "");
        let (reports, received) = mpsc::channel();
        courier.start(first, reports);
        let session = loop {
            if let What::Session(session) = next(&received) {
                break session;
            }
        };
        let second = Delivery { key: Key::from("second"), ..delivery(&bench, &id) };
        let told = deliver(&*courier, second);
        assert_eq!((told.failure().cause, told.session()), (Cause::Impossible, None), "{name}");
        assert!(
            told.failure().message.contains(&format!("named the session {session}")),
            "{}",
            told.failure()
        );
        bench.write("busy-go", "");
        let mut last = None;
        while let Ok(report) = received.recv_timeout(PATIENCE) {
            last = Some(report.what);
        }
        assert!(matches!(last, Some(What::Answer(_))), "{name}: {last:?}");
    }
}

#[test]
fn no_variable_of_an_agent_has_another_line() {
    for (receiver, dialect) in
        [("ada\nBATON_GATE_KEY=x", "envelope"), ("ada", "envelope\nLD_PRELOAD=x"), ("a\0b", "x")]
    {
        let bench = Bench::new();
        let odd = Delivery { receiver: receiver.to_owned(), dialect: dialect.to_owned(), ..bench.delivery() };
        let told = run_attempt(&ProgramCourier::new(shell("touch ran; env")), odd);
        assert_eq!(told.failure().cause, Cause::Impossible, "{receiver:?}");
        assert!(told.failure().message.contains("has a control character"), "{}", told.failure());
        assert!(!bench.path("ran").exists());
    }
}

#[test]
fn the_name_of_a_delivery_is_never_an_option_of_a_notification() {
    let bench = Bench::new();
    let words = ["sh", "-c", "touch ran", "{receiver}"].map(str::to_owned);
    for (receiver, is_told) in [("--option", false), ("-", false), ("nora", true)] {
        let human = Human::new(Some(words.to_vec()));
        let (reports, received) = mpsc::channel();
        human.start(Delivery { receiver: receiver.to_owned(), ..bench.delivery() }, reports);
        drop(human);
        let said: Vec<What> = received.iter().map(|report| report.what).collect();
        assert_eq!((said.is_empty(), bench.path("ran").exists()), (is_told, is_told), "{receiver}: {said:?}");
    }
}
