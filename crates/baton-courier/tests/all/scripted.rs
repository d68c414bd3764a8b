//! The scripted agent, as a program that a courier starts.

use std::fs;
use std::sync::mpsc;

use baton_courier::program::{FileLocation, Input, LineProtocol, Output, Program, ProgramCourier};
use baton_courier::{Cause, Courier as _, Delivery, Limits, What};

use crate::bench::{Bench, Told, next, run_attempt};

fn plays(bench: &Bench, script: &str) -> Program {
    let script = bench.write("script.toml", script);
    let calls = bench.path("calls");
    let command = [env!("CARGO_BIN_EXE_scripted-agent"), script.to_str().unwrap(), calls.to_str().unwrap()];
    Program { protocol: LineProtocol::Directives, ..Program::new(command.map(str::to_owned).to_vec()) }
}

#[test]
fn it_answers_call_by_call_with_fields_of_the_handoff() {
    let bench = Bench::new();
    let courier = ProgramCourier::new(plays(
        &bench,
        r#"
        [[call]]
        does = [{ say = "reading {{task_id}}" }, { answer = '{"task": "{{task_id}}", "call": {{baton.call}}}' }]
        [[call]]
        does = [{ answer = "not what was asked for" }]
        [[call]]
        does = [{ answer = "{{baton.handoff}}{{baton.key}} {{baton.attempt}}\n" }, { answer = "once more" }]
        "#,
    ));
    let told = run_attempt(&courier, bench.delivery());
    assert_eq!(told.progress(), ["reading t-1"]);
    assert_eq!(told.text(), r#"{"task": "t-1", "call": 1}"#);
    assert_eq!(
        run_attempt(&courier, Delivery { attempt: 2, ..bench.delivery() }).text(),
        "not what was asked for"
    );
    for attempt in [3, 4] {
        let told = run_attempt(&courier, Delivery { attempt, ..bench.delivery() });
        assert_eq!(told.text(), format!("{{\"task_id\": \"t-1\"}}\nrun-1/step 2 {attempt}\nonce more"));
    }
    let calls = fs::read_to_string(bench.path("calls")).unwrap();
    assert_eq!(calls, "run-1/step 2 1\nrun-1/step 2 2\nrun-1/step 2 3\nrun-1/step 2 4\n");
}

#[test]
fn it_fails_in_every_way_that_agents_do() {
    let bench = Bench::new();
    let courier = ProgramCourier::new(plays(
        &bench,
        r#"
        [[call]]
        does = [{ answer = '{"half": ' }, { die = "kill" }]
        [[call]]
        does = [{ say = "out of tokens" }, { exit = 7 }, { answer = "never" }]
        [[call]]
        does = []
        [[call]]
        does = [{ garbage = 20 }]
        [[call]]
        does = [{ flood = 100000000000 }]
        [[call]]
        does = [{ shout = 100000000000 }]
        [[call]]
        does = [{ session = "s-{{task_id}}" }, { question = "which one?" }]
        [[call]]
        does = [{ drip = { text = "drop by drop", pause_ms = 1 } }, { wait_ms = 1 }]
        [[call]]
        does = [{ die = "segfault" }]
        [[call]]
        does = [{ answer = "{{no_such_field}}" }]
        "#,
    ));
    let limits =
        Limits { noise_bytes_max: 1_000_000, answer_bytes_max: 1_000_000, ..bench.delivery().limits };
    let call = || run_attempt(&courier, Delivery { limits, ..bench.delivery() });
    assert_eq!(call().failure().cause, Cause::Killed(9));
    let told = call();
    assert_eq!(
        (told.failure().cause, told.failure().last_words.as_slice()),
        (Cause::Exited(7), b"out of tokens\n".as_slice())
    );
    assert_eq!(call().failure().cause, Cause::Empty);
    assert!(std::str::from_utf8(call().answer()).is_err());
    assert_eq!(call().failure().cause, Cause::TooMuch);
    assert_eq!(call().failure().cause, Cause::TooMuch);
    let told = call();
    assert_eq!(told.before(), [What::Session("s-t-1".to_owned()), What::Question("which one?".to_owned())]);
    assert_eq!(told.failure().cause, Cause::Asked);
    assert_eq!(call().text(), "drop by drop");
    assert_eq!(call().failure().cause, Cause::Killed(11));
    let told = call();
    assert_eq!(told.failure().cause, Cause::Exited(2));
    let script = bench.path("script.toml");
    assert_eq!(
        told.progress(),
        [format!("scripted-agent: {}: call 10: the handoff has no field no_such_field", script.display())]
    );
}

#[test]
fn it_hangs_until_it_is_stopped_and_waits_for_files() {
    let bench = Bench::new();
    let courier = ProgramCourier::new(plays(
        &bench,
        r#"
        [[call]]
        does = [{ say = "hanging" }, "hang"]
        [[call]]
        does = [{ touch = "here" }, { wait_for = "go-on" }, { answer = "done" }]
        "#,
    ));
    let (reports, received) = mpsc::channel();
    courier.start(bench.delivery(), reports);
    assert_eq!(next(&received), What::Progress(b"hanging".to_vec()));
    courier.stop(&bench.delivery().key);
    assert_eq!(Told::all(&received).failure().cause, Cause::Stopped);
    bench.write("go-on", "");
    assert_eq!(run_attempt(&courier, bench.delivery()).text(), "done");
    assert!(bench.path("here").exists());
}

#[test]
fn it_speaks_through_files_where_it_is_asked_to() {
    let bench = Bench::new();
    let program = Program {
        input: Input::File(FileLocation::Private),
        output: Output::File(FileLocation::Private),
        draft: Some(FileLocation::Private),
        ..plays(
            &bench,
            r#"
            [[call]]
            does = [{ draft = "draft of {{task_id}}" }, { answer = "one, " }, { answer = "two" }]
            "#,
        )
    };
    let told = bench.deliver(program);
    assert_eq!(told.before(), [What::Draft(b"draft of t-1".to_vec())]);
    assert_eq!(told.text(), "one, two");
}

#[test]
fn a_script_that_cannot_be_played_is_told() {
    let bench = Bench::new();
    let told = bench.deliver(plays(&bench, "[[call]]\ndoes = [{ sing = 'x' }]"));
    assert_eq!(told.failure().cause, Cause::Exited(2));
    assert!(told.progress()[0].starts_with("scripted-agent: "));
    assert!(
        told.progress().iter().any(|line| line.contains("unknown variant `sing`")),
        "{:?}",
        told.progress()
    );
    let mut program = plays(&bench, "");
    program.command.truncate(1);
    let told = bench.deliver(program);
    assert_eq!(told.progress()[0], "scripted-agent: usage: scripted-agent SCRIPT CALLS");
}
