//! The courier `human`: nothing ends a delivery but the person, and a program tells them.

use std::sync::mpsc;

use baton_courier::{Courier as _, Human, Kind, What};

use crate::bench::{Bench, next, until_let_go};

fn notify(line: &str) -> Option<Vec<String>> {
    Some(["sh", "-c", line, "sh", "{receiver}", "{key}"].map(str::to_owned).to_vec())
}

// proves S-06
#[test]
fn a_person_is_told_and_nothing_is_reported() {
    let bench = Bench::new();
    let human = Human::new(notify(r#"printf '%s %s: ' "$1" "$2" > told; cat >> told"#));
    assert_eq!(human.kind(), Kind::Kept);
    let (reports, received) = mpsc::channel();
    human.start(bench.delivery(), reports);
    // To let go of it waits for the notification, which ends by itself.
    drop(human);
    assert_eq!(received.iter().count(), 0);
    let told = std::fs::read_to_string(bench.path("told")).unwrap();
    assert_eq!(told, "coder run-1/step 2: {\"task_id\": \"t-1\"}\n");
}

#[test]
fn without_a_program_the_work_just_lies_there() {
    let bench = Bench::new();
    let (reports, received) = mpsc::channel();
    let human = Human::new(None);
    human.start(bench.delivery(), reports);
    human.stop(&bench.delivery().key);
    assert_eq!(received.iter().count(), 0);
}

#[test]
fn a_notification_that_fails_is_told_and_ends_nothing() {
    let bench = Bench::new();
    for (command, why) in [
        (notify("exit 3"), "the person could not be notified: sh ended with exit code 3"),
        (Some(vec!["no-such-bell".to_owned()]), "the person could not be notified: the program no-such-bell"),
    ] {
        let (reports, received) = mpsc::channel();
        let human = Human::new(command);
        human.start(bench.delivery(), reports);
        let What::Progress(line) = next(&received) else { panic!("no line") };
        let line = String::from_utf8(line).unwrap();
        assert!(line.starts_with(why), "{line}");
        assert!(received.recv().is_err());
    }
}

#[test]
fn a_notification_that_hangs_is_ended() {
    let bench = Bench::new();
    let fifo = bench.fifo("alive");
    let human = Human::new(notify("exec 9> alive; sleep 1000 & wait"));
    let (reports, received) = mpsc::channel();
    human.start(bench.delivery(), reports);
    drop(human);
    until_let_go(fifo);
    let What::Progress(line) = next(&received) else { panic!("no line") };
    assert!(String::from_utf8_lossy(&line).contains("had not answered after 5s"));
}
