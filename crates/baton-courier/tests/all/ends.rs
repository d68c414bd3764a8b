//! Ends of programs: by themselves, badly, never, or with a child left behind.

use std::fs;
use std::sync::mpsc;
use std::time::Duration;

use baton_courier::program::ProgramCourier;
use baton_courier::{Again, Cause, Courier as _, Delivery, Fault, Limits, What};
use rustix::process::{Pid, test_kill_process};

use crate::bench::{Bench, Told, next, run_attempt, shell, until_let_go};

#[test]
fn an_exit_code_is_a_failure_with_the_last_words() {
    let told =
        Bench::new().deliver(shell("echo '{\"status\": \"complete\"}'; echo 'no key found' >&2; exit 3"));
    let failure = told.failure();
    assert_eq!(failure.cause, Cause::Exited(3));
    assert_eq!(failure.to_string(), "sh ended with exit code 3");
    assert_eq!(failure.last_words, b"no key found\n");
    assert_eq!((failure.cause.fault(), failure.cause.again()), (Fault::Agent, Again::MayHelp));
}

#[test]
fn what_it_printed_stands_in_for_last_words() {
    let told = Bench::new().deliver(shell("echo 'not logged in'; echo >&2; exit 1"));
    assert_eq!(told.failure().last_words, b"not logged in\n");
}

#[test]
fn only_the_last_of_many_words_are_kept() {
    let told = Bench::new().deliver(shell("yes early | head -c 3000000 >&2; echo late >&2; exit 1"));
    assert!(told.failure().last_words.ends_with(b"late\n"));
    assert!(told.failure().last_words.len() <= 16 * 1024);
}

#[test]
fn a_whole_answer_of_a_killed_program_is_no_answer() {
    let told = Bench::new().deliver(shell("echo '{\"status\": \"complete\"}'; kill -KILL $$"));
    assert_eq!(told.failure().cause, Cause::Killed(9));
    assert_eq!(told.failure().to_string(), "sh was killed by signal 9");
}

#[test]
fn nothing_and_blanks_are_no_answer() {
    for line in ["true", "echo; echo '  '"] {
        let told = Bench::new().deliver(shell(line));
        assert_eq!(told.failure().cause, Cause::Empty);
        assert_eq!(
            told.failure().to_string(),
            "sh ended well, but there is no answer on its standard output"
        );
    }
}

#[test]
fn a_program_need_not_read_what_it_is_given() {
    let bench = Bench::new();
    let handoff = vec![b'x'; 4_000_000];
    for line in ["echo done", "exec <&-; yes | head -c 500000 >&2; echo done", "head -c 10 >&2; echo done"] {
        let delivery = Delivery { handoff: handoff.clone(), ..bench.delivery() };
        assert_eq!(run_attempt(&ProgramCourier::new(shell(line)), delivery).text(), "done\n");
    }
}

#[test]
fn all_pipes_full_at_once_is_no_deadlock() {
    let bench = Bench::new();
    let handoff = vec![b'x'; 1_000_000];
    let courier = ProgramCourier::new(shell("yes out | head -c 1000000; yes err | head -c 1000000 >&2; cat"));
    let told = run_attempt(&courier, Delivery { handoff: handoff.clone(), ..bench.delivery() });
    assert_eq!(told.answer().len(), 2_000_000);
    assert!(told.answer().ends_with(&handoff));
}

#[test]
fn what_a_program_leaves_behind_in_its_group_is_ended() {
    let bench = Bench::new();
    bench.fifo("held");
    let program = shell("exec 9> held; sleep 1000 & nohup sleep 1000 > /dev/null 2>&1 & echo done");
    let (reports, received) = mpsc::channel();
    let courier = ProgramCourier::new(program);
    courier.start(bench.delivery(), reports);
    // The pipe closes when the last of them is gone.
    until_let_go(bench.path("held"));
    assert_eq!(Told::all(&received).text(), "done\n");
}

#[test]
fn a_process_that_left_the_group_holds_nobody_up() {
    let bench = Bench::new();
    let end = bench.fifo("end");
    // It keeps standard output and error open until the test says so.
    let told = bench.deliver(shell("setsid sh -c 'cat end' & echo done"));
    assert_eq!(told.text(), "done\n");
    fs::write(end, "").unwrap();
}

#[test]
fn the_program_is_reaped_before_its_end_is_reported() {
    let told = Bench::new().deliver(shell("echo $$"));
    let number = told.text().trim().parse().unwrap();
    // A zombie could still be sent a signal.
    assert!(test_kill_process(Pid::from_raw(number).unwrap()).is_err());
}

#[test]
fn a_program_that_is_asked_to_end_may_say_good_bye() {
    let bench = Bench::new();
    let courier = ProgramCourier::new(shell(
        "trap 'echo bye >&2; echo saved; exit 0' TERM; echo up >&2; sleep 1000 & wait",
    ));
    let (reports, received) = mpsc::channel();
    let delivery = bench.delivery();
    courier.start(delivery.clone(), reports);
    assert_eq!(next(&received), What::Progress(b"up".to_vec()));
    courier.stop(&delivery.key);
    let told = Told::all(&received);
    assert_eq!(told.progress(), ["bye"]);
    // An answer that was given because it was stopped is no answer.
    assert_eq!(told.failure().cause, Cause::Stopped);
    assert_eq!(told.failure().to_string(), "sh was stopped before it had answered");
    assert_eq!(told.failure().cause.fault(), Fault::Nobody);
}

#[test]
fn a_program_that_does_not_listen_is_killed() {
    let bench = Bench::new();
    bench.fifo("held");
    for line in [
        "trap '' TERM; echo up >&2; exec 9> held; while :; do sleep 1000; done",
        "echo up >&2; kill -STOP $$",
    ] {
        let courier = ProgramCourier::new(shell(line));
        let (reports, received) = mpsc::channel();
        let limits = Limits { grace: Duration::from_millis(20), ..bench.delivery().limits };
        let delivery = Delivery { limits, ..bench.delivery() };
        courier.start(delivery.clone(), reports);
        assert_eq!(next(&received), What::Progress(b"up".to_vec()));
        courier.stop(&delivery.key);
        assert_eq!(Told::all(&received).failure().cause, Cause::Stopped);
    }
}

#[test]
fn too_much_of_anything_ends_it() {
    let bench = Bench::new();
    let limits = Limits { answer_bytes_max: 1000, noise_bytes_max: 2000, ..bench.delivery().limits };
    let told = |line: &str| {
        run_attempt(&ProgramCourier::new(shell(line)), Delivery { limits, ..bench.delivery() })
            .failure()
            .clone()
    };
    let failure = told("yes");
    assert_eq!(failure.cause, Cause::TooMuch);
    assert_eq!(failure.to_string(), "the answer of sh has more than 1000 bytes and is not used");
    // It ended by itself, well and in time.
    assert_eq!(told("head -c 1001 /dev/zero").cause, Cause::TooMuch);
    let failure = told("yes >&2");
    assert_eq!(failure.cause, Cause::TooMuch);
    assert_eq!(failure.to_string(), "sh said more than 2000 bytes beside its answer, which is not used");
    assert_eq!(told("head -c 2001 /dev/zero >&2; echo done").cause, Cause::TooMuch);
    assert_eq!(told("head -c 1000 /dev/zero; exit 4").cause, Cause::Exited(4));
}

#[test]
fn what_takes_too_long_is_ended() {
    let bench = Bench::new();
    let limits = Limits { time_max: Duration::from_millis(100), ..bench.delivery().limits };
    let told =
        run_attempt(&ProgramCourier::new(shell("cat; sleep 1000")), Delivery { limits, ..bench.delivery() });
    assert_eq!(told.failure().cause, Cause::TimeUp);
    assert_eq!(told.failure().to_string(), "sh had not answered after 100ms and was ended");
}

#[test]
fn endless_limits_are_limits_too() {
    let bench = Bench::new();
    let limits = Limits {
        time_max: Duration::MAX,
        grace: Duration::MAX,
        answer_bytes_max: usize::MAX,
        noise_bytes_max: usize::MAX,
    };
    assert_eq!(
        run_attempt(&ProgramCourier::new(shell("cat")), Delivery { limits, ..bench.delivery() })
            .answer()
            .len(),
        19
    );
}
