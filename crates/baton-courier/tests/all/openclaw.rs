//! The courier `openclaw` with programs that behave like its command line.

use std::fs::File;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use baton_courier::conformance::{Behaviour, Harness, check};
use baton_courier::openclaw::{Openclaw, OpenclawCourier};
use baton_courier::{Again, Cause, Courier, Delivery, Finalization, Key, Kind, Limits, What};

use crate::bench::{Bench, Told};

/// Start of all these programs: the parameters of the call, and a note of it.
const HEAD: &str = r#"#!/bin/sh
while [ "$1" != --params ]; do shift; done
params=$2
printf '%s\n' "$params" >> "$BATON_ROOT/calls"
say() { printf '{"runId":"r","status":"ok","summary":"completed","result":{"payloads":[{"text":"%s"}]}}\n' "$1"; }
"#;

/// Says what the handoff says, quoted as it came.
const AGENT: &str = r#"
quoted() {
  case "$params" in
    *'too long'*)
      file=${params#*says: }; file=${file%%\"*}
      awk '/^```/ { inside = !inside; next } inside { gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); if (n++) printf "\\n"; printf "%s", $0 }' "$file" ;;
    *) text=${params#*'```json\n'}; text=${text%'\n```\n'*}; printf '%s' "$text" ;;
  esac
}
case "$BATON_RECEIVER" in
  Echo) printf '{"status":"ok","result":{"payloads":[{"text":"'; quoted; echo '"}]}}' ;;
  Fail) echo '{"runId":"r","status":"error","summary":"this went wrong"}' ;;
  Silence) echo '{"status":"ok","result":{"payloads":[]}}' ;;
  CutOff) printf '{"status":"ok","result":{"payloads":[{"te' ;;
  Flood) yes ;;
  Wait) echo waiting >&2; while [ ! -e "$BATON_ROOT/go-$BATON_KEY" ]; do sleep 0.01; done; say done ;;
  Hang) exec flock "$BATON_ROOT/lock-$BATON_KEY" sh -c 'echo hanging >&2; sleep 1000 & cat; wait' ;;
esac
"#;

struct Claws(Bench);

/// A program at a path of the bench that behaves in this way.
fn openclaw(bench: &Bench, behaviour: &str) -> Openclaw {
    let path = bench.write("openclaw", &format!("{HEAD}{behaviour}"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    Openclaw { command: vec!["./openclaw".to_owned()], ..Openclaw::default() }
}

fn run_attempt(openclaw: Openclaw, delivery: Delivery) -> Told {
    let (reports, received) = mpsc::channel();
    let courier = OpenclawCourier::new(openclaw);
    courier.start(delivery, reports);
    Told::all(&received)
}

impl Harness for Claws {
    fn courier(&self) -> Arc<dyn Courier> {
        let command = vec!["./openclaw".to_owned()];
        Arc::new(OpenclawCourier::new(Openclaw { command, ..Openclaw::default() }))
    }

    fn delivery(&self, key: &Key, behaviour: Behaviour) -> Delivery {
        Delivery { key: key.clone(), receiver: format!("{behaviour:?}"), ..self.0.delivery() }
    }

    fn let_go(&self, key: &Key) {
        self.0.write(&format!("go-{key}"), "");
    }

    fn is_gone(&self, key: &Key, within: Duration) -> bool {
        // Without the file it was ended before it came that far.
        let Ok(file) = File::open(self.0.path(&format!("lock-{key}"))) else { return true };
        let (sender, gone) = mpsc::channel();
        thread::spawn(move || sender.send(file.lock().is_ok()));
        gone.recv_timeout(within).unwrap_or(false)
    }
}

#[test]
fn the_gateway_conforms() {
    let bench = Bench::new();
    openclaw(&bench, AGENT);
    // proves S-06
    if let Err(broken) = check(&Claws(bench)) {
        panic!("{broken}");
    }
}

// proves S-05: what the gateway is at work on is asked for again under the same key until it is there.
#[test]
fn a_result_that_is_in_flight_is_waited_for() {
    let bench = Bench::new();
    let slow = r#"if [ $(wc -l < "$BATON_ROOT/calls") -lt 2 ]; then echo '{"status":"in_flight"}'; else say found; fi"#;
    let told = run_attempt(openclaw(&bench, slow), bench.delivery());
    assert_eq!(told.text(), "found");
    assert_eq!(told.progress(), ["the gateway is at work on it"]);
    let calls = std::fs::read_to_string(bench.path("calls")).unwrap();
    let calls: Vec<&str> = calls.lines().collect();
    assert!(calls.len() == 2 && calls[0] == calls[1], "{calls:?}");
    assert!(calls[0].contains(r#""idempotencyKey":"run-1/step 2""#));
    assert!(calls[0].contains(r#""sessionKey":"agent:main:baton-run-1/step%202""#));
    assert_eq!(OpenclawCourier::new(Openclaw::default()).kind(), Kind::Idempotent);
}

// proves S-05: a failure that the gateway has kept is not taken for the end of a later attempt.
#[test]
fn what_failed_is_said_again_under_another_key() {
    let bench = Bench::new();
    let kept = r#"case "$params" in *'step 2/2"'*) say found ;; *) echo '{"status":"error","summary":"no model"}' ;; esac"#;
    let told = run_attempt(openclaw(&bench, kept), bench.delivery());
    assert_eq!(told.failure().message, "OpenClaw ended with status error: no model");
    let told = run_attempt(openclaw(&bench, kept), Delivery { attempt: 2, ..bench.delivery() });
    assert_eq!(told.text(), "found");
    let calls = std::fs::read_to_string(bench.path("calls")).unwrap();
    assert_eq!(calls.lines().count(), 3, "once, and then once under each key");
}

#[test]
fn the_handoff_is_asked_for_in_the_session_of_the_work() {
    let bench = Bench::new();
    let finalization = Finalization { prompt: "Hand off.".to_owned(), schema: "{\"title\": 7}".to_owned() };
    let delivery = Delivery { finalization: Some(finalization), ..bench.delivery() };
    let agent = r#"case "$params" in *"Hand off."*) say handoff ;; *) say worked ;; esac"#;
    let claw = Openclaw { session_key: Some("agent:ops:desk".to_owned()), ..openclaw(&bench, agent) };
    let told = run_attempt(claw.clone(), delivery.clone());
    assert_eq!(told.text(), "handoff");
    assert_eq!(told.before().first(), Some(&What::Session("agent:ops:desk".to_owned())));
    let ids = |calls: &str| -> Vec<String> {
        let id = |line: &str| line.rsplit('"').nth(1).map(str::to_owned);
        calls.lines().filter_map(id).collect()
    };
    let calls = std::fs::read_to_string(bench.path("calls")).unwrap();
    assert_eq!(ids(&calls), ["run-1/step 2", "run-1/step 2/handoff"]);
    assert!(calls.lines().all(|line| line.contains(r#""sessionKey":"agent:ops:desk""#)));
    // Only the handoff is wanted, and another one than before.
    let told = run_attempt(claw, Delivery { attempt: 4, is_reask: true, ..delivery });
    assert_eq!(told.text(), "handoff");
    let calls = std::fs::read_to_string(bench.path("calls")).unwrap();
    assert_eq!(ids(&calls)[2..], ["run-1/step 2/again-4"]);
}

#[test]
fn a_handoff_cannot_name_the_files_of_the_courier() {
    let bench = Bench::new();
    let delivery = Delivery { handoff: b"{root} {handoff} ``` $(id) {\n".to_vec(), ..bench.delivery() };
    run_attempt(openclaw(&bench, "say done"), delivery);
    let call = std::fs::read_to_string(bench.path("calls")).unwrap();
    assert!(call.contains(r"\u007broot} \u007bhandoff} ``` $(id) \u007b\n\n````"), "{call}");
}

#[test]
fn what_is_wrong_is_told_with_what_would_help() {
    let bench = Bench::new();
    let failed =
        |behaviour: &str| run_attempt(openclaw(&bench, behaviour), bench.delivery()).failure().clone();
    let missing = Openclaw { command: vec!["no-such-claw".to_owned()], ..Openclaw::default() };
    let missing = run_attempt(missing, bench.delivery()).failure().clone();
    assert_eq!((missing.cause, missing.cause.again()), (Cause::Missing, Again::Pointless));
    assert!(missing.hint.as_deref().is_some_and(|hint| hint.contains("npm install -g openclaw")));
    // Output of the real program without a gateway, with an unknown agent, and after a time-out.
    let gone = failed(
        r#"echo '{"ok":false,"error":{"type":"gateway_transport_error","kind":"closed",
           "message":"Gateway not reachable at ws://127.0.0.1:18999 (ECONNREFUSED)."}}'; exit 1"#,
    );
    assert_eq!((gone.cause, gone.cause.again()), (Cause::Unreachable, Again::MayHelp));
    assert_eq!(gone.message, "OpenClaw: Gateway not reachable at ws://127.0.0.1:18999 (ECONNREFUSED).");
    assert!(gone.hint.as_deref().is_some_and(|hint| hint.contains("openclaw gateway run")));
    let unknown = failed(
        r#"echo '{"ok":false,"error":{"code":"INVALID_REQUEST","message":"Agent \"x\" no longer exists",
           "retryable":false}}'; exit 1"#,
    );
    assert_eq!(unknown.cause.again(), Again::Pointless);
    // Its output after a failure of the model.
    let model = failed(
        r#"echo '{"ok":false,"error":{"code":"UNAVAILABLE","message":"LLM request failed","retryable":false}}'; exit 1"#,
    );
    assert_eq!((model.cause, model.cause.again()), (Cause::Failed, Again::MayHelp));
    let late =
        failed(r#"echo '{"ok":false,"error":{"kind":"timeout","message":"gateway timeout"}}'; exit 1"#);
    assert_eq!(late.cause, Cause::TimeUp);
    assert_eq!(failed("echo oops >&2; exit 4").cause, Cause::Exited(4));
    assert_eq!(failed("echo '{\"status\":\"ok\"}'").cause, Cause::Failed);
}

#[test]
fn a_gateway_that_never_ends_is_waited_for_until_the_time_is_up() {
    let bench = Bench::new();
    let limits = Limits { time_max: Duration::from_millis(300), ..Limits::default() };
    let delivery = Delivery { limits, ..bench.delivery() };
    let told = run_attempt(openclaw(&bench, r#"echo '{"status":"in_flight"}'"#), delivery);
    assert_eq!(told.failure().cause, Cause::TimeUp);
}
