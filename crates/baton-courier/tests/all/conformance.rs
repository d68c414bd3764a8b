//! The courier `program` keeps what every courier promises, with handoff and answer as pipes and as files.

use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use baton_courier::conformance::{Behaviour, Harness, check};
use baton_courier::program::{FileLocation, Input, Output, Program, ProgramCourier, Template};
use baton_courier::{Courier, Delivery, Key};

use crate::bench::{Bench, shell};

/// Behaves as the file beside it says; the lock is held for as long as anything of it is there.
pub(crate) const AGENT: &str = r#"
take() { if [ -n "$BATON_HANDOFF" ]; then cat "$BATON_HANDOFF"; else cat; fi; }
give() { if [ -n "$BATON_ANSWER" ]; then cat > "$BATON_ANSWER"; else cat; fi; }
case "$BATON_RECEIVER" in
  Echo) take | give ;;
  Fail) echo "this went wrong" >&2; echo "half an answer" | give; exit 3 ;;
  Silence) take > /dev/null ;;
  CutOff) echo "half an answer" | give; kill -KILL $$ ;;
  Flood) yes ;;
  Wait) echo waiting >&2; while [ ! -e "$BATON_ROOT/go-$BATON_KEY" ]; do sleep 0.01; done; take | give ;;
  Hang) exec flock "$BATON_ROOT/lock-$BATON_KEY" sh -c 'echo hanging >&2; sleep 1000 & cat; wait' ;;
esac
"#;

pub(crate) struct Programs {
    pub(crate) bench: Bench,
    pub(crate) program: Program,
}

impl Programs {
    fn lock(&self, key: &Key) -> PathBuf {
        self.bench.path(&format!("lock-{key}"))
    }
}

impl Harness for Programs {
    fn courier(&self) -> Arc<dyn Courier> {
        Arc::new(ProgramCourier::new(self.program.clone()))
    }

    fn delivery(&self, key: &Key, behaviour: Behaviour) -> Delivery {
        Delivery { key: key.clone(), receiver: format!("{behaviour:?}"), ..self.bench.delivery() }
    }

    fn let_go(&self, key: &Key) {
        self.bench.write(&format!("go-{key}"), "");
    }

    fn is_gone(&self, key: &Key, within: Duration) -> bool {
        // Without the file it was ended before it came that far.
        let Ok(file) = File::open(self.lock(key)) else { return true };
        match file.try_lock() {
            Ok(()) => return true,
            Err(TryLockError::WouldBlock) if within.is_zero() => return false,
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(_)) => return false,
        }
        let (sender, gone) = mpsc::channel();
        thread::spawn(move || sender.send(file.lock().is_ok()));
        gone.recv_timeout(within).unwrap_or(false)
    }
}

fn conforms(input: Input, output: Output) {
    let program = Program { input, output, ..shell(AGENT) };
    let programs = Programs { bench: Bench::new(), program };
    // proves S-06
    if let Err(broken) = check(&programs) {
        panic!("{broken}");
    }
}

#[test]
fn a_program_with_pipes_conforms() {
    conforms(Input::Stdin, Output::Stdout);
}

#[test]
fn a_program_with_private_files_conforms() {
    conforms(Input::File(FileLocation::Private), Output::File(FileLocation::Private));
}

#[test]
fn a_program_with_files_in_the_root_conforms() {
    let given = Template::new("in/{key}.{attempt}.{extension}").unwrap();
    let taken = Template::new("out/{key}.{attempt}.{extension}").unwrap();
    conforms(Input::File(FileLocation::InRoot(given)), Output::File(FileLocation::InRoot(taken)));
}
