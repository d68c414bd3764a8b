//! Output of programs: lines, bytes that are no text, questions, sessions and their turns.

use std::sync::mpsc;

use baton_courier::program::{LineProtocol, Program, ProgramCourier};
use baton_courier::{Again, Cause, Courier as _, Delivery, Key, What};

use crate::bench::{Bench, Told, next, shell};

fn with_words(line: &str) -> Program {
    Program { protocol: LineProtocol::Directives, ..shell(line) }
}

#[test]
fn bytes_that_are_no_text_are_kept() {
    let told = Bench::new().deliver(shell("printf '\\377\\000\\n'; printf 'caf\\351\\n' >&2"));
    assert_eq!(told.answer(), b"\xff\0\n");
    assert_eq!(told.before(), [What::Progress(b"caf\xe9".to_vec())]);
}

#[test]
fn lines_are_told_while_work_goes_on() {
    let bench = Bench::new();
    let go_on = bench.fifo("go-on");
    let courier = ProgramCourier::new(shell("echo one >&2; cat go-on; printf two >&2; echo done"));
    let (reports, received) = mpsc::channel();
    courier.start(bench.delivery(), reports);
    assert_eq!(next(&received), What::Progress(b"one".to_vec()));
    std::fs::write(go_on, "").unwrap();
    let told = Told::all(&received);
    assert_eq!(told.progress(), ["two"]);
    assert_eq!(told.text(), "done\n");
}

#[test]
fn a_question_without_an_answer_waits_for_one() {
    let told = Bench::new()
        .deliver(with_words("echo 'baton:session s-1' >&2; echo 'baton:question which branch?' >&2"));
    assert_eq!(told.before(), [What::Session("s-1".to_owned()), What::Question("which branch?".to_owned())]);
    assert_eq!(told.failure().cause, Cause::Asked);
    assert_eq!(told.failure().to_string(), "sh asked a question and ended without an answer");
    assert_eq!(told.failure().cause.again(), Again::OnceAnswered);
}

#[test]
fn a_question_does_not_excuse_a_crash_and_does_not_spoil_an_answer() {
    let told = Bench::new().deliver(with_words("echo 'baton:question why?' >&2; exit 1"));
    assert_eq!(told.failure().cause, Cause::Exited(1));
    let told = Bench::new().deliver(with_words("echo 'baton:question why?' >&2; echo done"));
    assert_eq!(told.text(), "done\n");
}

#[test]
fn words_are_lines_where_they_were_not_agreed_on() {
    let told = Bench::new().deliver(shell("echo 'baton:session s-2' >&2; echo done"));
    assert_eq!(told.before(), [What::Progress(b"baton:session s-2".to_vec())]);
}

#[test]
fn a_session_has_one_turn_at_a_time() {
    let bench = Bench::new();
    // A program that finds the folder of another is in the same session at the same time.
    let courier = ProgramCourier::new(shell("mkdir turn && ls / > /dev/null && cat && rmdir turn"));
    let (reports, received) = mpsc::channel();
    for number in 0..12 {
        let key = Key::from(format!("turn {number}").as_str());
        courier.start(Delivery { key, session: Some("s-1".to_owned()), ..bench.delivery() }, reports.clone());
    }
    drop(reports);
    let ends: Vec<_> = received.iter().map(|report| report.what).collect();
    assert!(ends.iter().all(|what| matches!(what, What::Answer(_))), "{ends:?}");
    assert_eq!(ends.len(), 12);
}

#[test]
fn a_session_that_was_just_named_is_taken() {
    let bench = Bench::new();
    let go_on = bench.fifo("go-on");
    let line =
        "test -n \"$BATON_SESSION\" || { mkdir turn; echo 'baton:session s-1' >&2; cat go-on; rmdir turn; }
                test ! -e turn && echo done";
    let courier = ProgramCourier::new(with_words(line));
    let (reports, received) = mpsc::channel();
    courier.start(bench.delivery(), reports);
    assert_eq!(next(&received), What::Session("s-1".to_owned()));
    let second = Delivery { key: "second".into(), session: Some("s-1".to_owned()), ..bench.delivery() };
    let third = Delivery { key: "third".into(), ..second.clone() };
    let (reports, of_second) = mpsc::channel();
    courier.start(second, reports);
    let (reports, of_third) = mpsc::channel();
    courier.start(third, reports);
    courier.stop(&"third".into());
    let told = Told::all(&of_third);
    assert_eq!(told.failure().cause, Cause::Stopped);
    assert_eq!(told.failure().to_string(), "stopped while it waited for its turn in the session");
    std::fs::write(go_on, "").unwrap();
    assert_eq!(Told::all(&received).text(), "done\n");
    assert_eq!(Told::all(&of_second).text(), "done\n");
}
