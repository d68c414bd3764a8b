//! A place to try programs on: a root that goes away, deliveries with defaults, and what came of them.

use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use baton_courier::program::{Program, ProgramCourier};
use baton_courier::{Courier as _, Delivery, Failure, Key, Limits, Report, What};
use tempfile::TempDir;

/// Time limit of every step of a test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A root of its own.
pub(crate) struct Bench(TempDir);

impl Bench {
    pub(crate) fn new() -> Self {
        Self(tempfile::Builder::new().prefix("bench-").tempdir().unwrap())
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A pipe with a name, by which a test waits for programs without asking a clock.
    pub(crate) fn fifo(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }

    pub(crate) fn delivery(&self) -> Delivery {
        Delivery {
            key: Key::from("run-1/step 2"),
            attempt: 1,
            receiver: "coder".to_owned(),
            handoff: b"{\"task_id\": \"t-1\"}\n".to_vec(),
            dialect: "exchange".to_owned(),
            extension: "json".to_owned(),
            prompt: None,
            finalization: None,
            is_reask: false,
            permits: Vec::new(),
            session: None,
            limits: Limits { time_max: PATIENCE, ..Limits::default() },
            environment: vec!["PATH".to_owned()],
            directory: self.root(),
            root: self.root(),
            sandbox: None,
        }
    }

    /// End of a delivery to a program.
    pub(crate) fn deliver(&self, program: Program) -> Told {
        run_attempt(&ProgramCourier::new(program), self.delivery())
    }
}

/// A program that is a line for the shell.
pub(crate) fn shell(line: &str) -> Program {
    Program::new(vec!["sh".to_owned(), "-c".to_owned(), line.to_owned()])
}

/// Starts a delivery and waits for all that comes of it.
pub(crate) fn run_attempt(courier: &ProgramCourier, delivery: Delivery) -> Told {
    let (reports, received) = mpsc::channel();
    courier.start(delivery, reports);
    Told::all(&received)
}

/// All that was reported of an attempt.
#[derive(Debug)]
pub(crate) struct Told(Vec<What>);

impl Told {
    pub(crate) fn all(received: &Receiver<Report>) -> Self {
        let mut told = Vec::new();
        while let Ok(report) = received.recv_timeout(PATIENCE) {
            told.push(report.what);
        }
        assert_eq!(told.iter().filter(|what| what.is_final()).count(), 1, "{told:?}");
        assert!(told.last().unwrap().is_final());
        Self(told)
    }

    pub(crate) fn answer(&self) -> &[u8] {
        let end = self.0.last().unwrap();
        let What::Answer(answer) = end else { panic!("no answer but {end:?}") };
        answer
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(self.answer()).unwrap()
    }

    pub(crate) fn failure(&self) -> &Failure {
        let end = self.0.last().unwrap();
        let What::Failure(failure) = end else { panic!("no failure but {end:?}") };
        failure
    }

    /// The session that was told.
    pub(crate) fn session(&self) -> Option<String> {
        self.0.iter().find_map(|what| match what {
            What::Session(session) => Some(session.clone()),
            What::Progress(_) | What::Draft(_) | What::Question(_) | What::Answer(_) | What::Failure(_) => {
                None
            }
        })
    }

    /// All but the end.
    pub(crate) fn before(&self) -> &[What] {
        &self.0[..self.0.len() - 1]
    }

    pub(crate) fn progress(&self) -> Vec<String> {
        let line = |what: &What| {
            let What::Progress(line) = what else { return None };
            Some(String::from_utf8_lossy(line).into_owned())
        };
        self.0.iter().filter_map(line).collect()
    }
}

/// Waits for the next report.
pub(crate) fn next(received: &Receiver<Report>) -> What {
    received.recv_timeout(PATIENCE).unwrap().what
}

/// Waits until no process has the pipe open for writing.
pub(crate) fn until_let_go(fifo: PathBuf) {
    let (sender, let_go) = mpsc::channel();
    thread::spawn(move || sender.send(std::fs::read(fifo)));
    assert!(let_go.recv_timeout(PATIENCE).expect("somebody holds on to the pipe").is_ok());
}
