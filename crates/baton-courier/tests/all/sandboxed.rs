//! Programs behind a wall. On a machine where none works, each test says so by doing nothing: what happens there is tested
//! beside the wall itself.

use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use baton_courier::conformance::{Behaviour, Harness, check};
use baton_courier::program::ProgramCourier;
use baton_courier::sandbox::{Held, Need, Sandbox, View, works};
use baton_courier::{Cause, Courier, Delivery, Key, What};

use crate::bench::{Bench, Told, next, run_attempt, shell, until_let_go};
use crate::conformance::{AGENT, Programs};

/// A delivery in a sandbox, in a project with a hidden file and one that is read-only.
fn walled(bench: &Bench) -> Delivery {
    bench.write("hidden/ledger", "precious");
    bench.write("held/config", "as it is\n");
    let view = vec![
        View::Writable(bench.root()),
        View::Readable(bench.path("held")),
        View::Hidden(bench.path("hidden")),
        View::Hidden(bench.path("no-such")),
    ];
    let project = bench.root();
    let sandbox = Sandbox { need: Need::Required, has_network: true, project, view, held: Held::default() };
    Delivery { sandbox: Some(sandbox), ..bench.delivery() }
}

/// Output of a shell line in the sandbox; `None` without one.
fn says(bench: &Bench, line: &str) -> Option<String> {
    works().then(|| run_attempt(&ProgramCourier::new(shell(line)), walled(bench)).text().to_owned())
}

#[test]
fn a_project_is_written_and_what_is_hidden_is_not_there() {
    let bench = Bench::new();
    let line = "ls -A hidden; echo new > made; echo x > hidden/ledger; echo x > held/config; mv hidden away; mv held away; \
                rm -rf hidden held; umount hidden; cat held/config; echo over";
    let Some(said) = says(&bench, line) else { return };
    assert_eq!(said, "as it is\nover\n");
    assert_eq!(std::fs::read_to_string(bench.path("made")).unwrap(), "new\n");
    assert_eq!(std::fs::read_to_string(bench.path("hidden/ledger")).unwrap(), "precious");
    assert_eq!(std::fs::read_to_string(bench.path("held/config")).unwrap(), "as it is\n");
}

#[test]
fn the_rest_of_the_machine_is_read_at_most_and_no_other_process_is_seen() {
    let bench = Bench::new();
    let beside = Bench::new();
    let secret = beside.write("secret", "precious");
    let us = std::process::id();
    let line = format!(
        "cat {} 2>/dev/null; [ -e /proc/{us}/environ ] && [ \"$(cat /proc/{us}/comm)\" = \"{}\" ] && echo seen; \
         kill -0 {us} 2>/dev/null && echo reached; (echo x > /etc/baton-was-here) 2>/dev/null && echo written; \
         echo x > /tmp/baton-was-here && ls -A /tmp | grep -c baton-was-here; cat /etc/hostname >/dev/null && echo read",
        secret.display(),
        std::fs::read_to_string("/proc/self/comm").unwrap().trim(),
    );
    let Some(said) = says(&bench, &line) else { return };
    assert_eq!(said, "1\nread\n");
    assert!(!Path::new("/tmp/baton-was-here").exists() && secret.exists());
}

#[test]
fn what_moves_into_a_session_of_its_own_ends_with_the_program_behind_the_wall() {
    let bench = Bench::new();
    let held = bench.fifo("pipe");
    let line = format!(
        "setsid sh -c 'exec > {}; echo up; sleep 1000' & until read x < {0}; do :; done; echo done",
        held.display()
    );
    let Some(said) = says(&bench, &line) else { return };
    assert_eq!(said, "done\n");
    until_let_go_soon(&bench);
}

/// The daemon has ended: its pipe is closed.
fn until_let_go_soon(bench: &Bench) {
    let fifo = bench.path("pipe");
    // Reading would wait for a writer, of whom there is none: one opens it, says nothing, and lets go.
    let open = fifo.clone();
    std::thread::spawn(move || std::fs::OpenOptions::new().write(true).open(open));
    until_let_go(fifo);
}

#[test]
fn a_program_behind_the_wall_has_its_time_to_end() {
    if !works() {
        return;
    }
    let bench = Bench::new();
    let courier = ProgramCourier::new(shell(
        "trap 'echo bye > said; exit 3' TERM; echo up >&2; while :; do sleep 0.01; done",
    ));
    let (reports, received) = mpsc::channel();
    let delivery = walled(&bench);
    courier.start(delivery.clone(), reports);
    assert_eq!(next(&received), What::Progress(b"up".to_vec()));
    courier.stop(&delivery.key);
    assert_eq!(Told::all(&received).failure().cause, Cause::Stopped);
    assert_eq!(std::fs::read_to_string(bench.path("said")).unwrap(), "bye\n");
}

/// Programs behind a wall.
struct Walled(Programs);

impl Harness for Walled {
    fn courier(&self) -> Arc<dyn Courier> {
        self.0.courier()
    }

    fn delivery(&self, key: &Key, behaviour: Behaviour) -> Delivery {
        let sandbox = walled(&self.0.bench).sandbox;
        Delivery { sandbox, ..self.0.delivery(key, behaviour) }
    }

    fn let_go(&self, key: &Key) {
        self.0.let_go(key);
    }

    fn is_gone(&self, key: &Key, within: Duration) -> bool {
        self.0.is_gone(key, within)
    }
}

#[test]
fn a_program_behind_the_wall_conforms() {
    if works() {
        let programs = Programs { bench: Bench::new(), program: shell(AGENT) };
        if let Err(broken) = check(&Walled(programs)) {
            panic!("{broken}");
        }
    }
}
