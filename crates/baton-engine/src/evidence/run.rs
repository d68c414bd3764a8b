//! The commands that a handoff names, run again in a clean checkout.

use std::time::{Duration, Instant};

use baton_courier::sandbox::Sandbox;
use baton_document::secrets::{Part, excerpt, redacted};

use super::{COMMANDS_MAX, Claim, Ran, Verdict};
use crate::git::Checkout;
use crate::sandbox;

/// How long one command may take, and all of them together.
const TIME_MAX: Duration = Duration::from_secs(300);
pub(super) const ALL_TIME_MAX: Duration = Duration::from_secs(900);
/// How much one command may say.
const SAID_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How much of it is kept, and how much is looked through for secrets before it is cut to that.
const LAST_BYTES: usize = 2_000;
const HEARD_BYTES: usize = 64 * 1024;

/// Runs commands again, and says what came of each.
pub(super) fn again(claim: &Claim, verdict: &mut Verdict) {
    let mut commands = claim.commands.clone();
    if commands.is_empty() {
        verdict.notes.push("the handoff names no command that could be run again".to_owned());
        return;
    }
    if commands.len() > COMMANDS_MAX {
        verdict.notes.push(format!("only the first {COMMANDS_MAX} commands were run again"));
        commands.truncate(COMMANDS_MAX);
    }
    let is_walled = sandbox::works();
    if !is_walled && !claim.is_open {
        verdict.findings.push(
            "its commands were not run again: bubblewrap does not work on this machine, and nothing else keeps them from \
             the rest of it"
                .to_owned(),
        );
        return;
    }
    verdict.sandbox = Some(if is_walled { "bubblewrap" } else { "none" }.to_owned());
    let checkout = match Checkout::new(&claim.root) {
        Ok(checkout) => checkout,
        Err(silence) => {
            let why = silence.into_reason();
            verdict
                .findings
                .push(format!("its commands were not run again, without a clean checkout: {why}"));
            return;
        }
    };
    verdict.notes.push(format!("commands ran in a checkout of {}", &checkout.commit));
    let start = Instant::now();
    // The whole project, where the agent worked in a worktree of it too.
    let root = claim.project.canonicalize().unwrap_or_else(|_| claim.project.clone());
    for command in commands {
        let left = claim.time_max.saturating_sub(start.elapsed());
        let wall = is_walled.then(|| sandbox::of_checkout(&root, &checkout.path, &checkout.objects));
        let ran = one(command, wall, &checkout, left.min(TIME_MAX));
        if !ran.is_well {
            verdict.findings.push(format!("`{}` {}", ran.command, ran.ended));
        }
        verdict.commands.push(ran);
    }
}

/// Runs one command as agents are run: in a group of its own, with a cleaned environment, ended when its time is up.
#[cfg(unix)]
fn one(command: String, sandbox: Option<Sandbox>, checkout: &Checkout, time_max: Duration) -> Ran {
    use baton_courier::program::{Program, ProgramCourier};
    use baton_courier::{Cause, Courier as _, Delivery, Key, Limits, What};

    let limits = Limits {
        time_max,
        answer_bytes_max: SAID_BYTES_MAX,
        noise_bytes_max: SAID_BYTES_MAX,
        ..Limits::default()
    };
    let delivery = Delivery {
        key: Key::from("evidence"),
        attempt: 1,
        receiver: "evidence".to_owned(),
        handoff: Vec::new(),
        dialect: String::new(),
        extension: "txt".to_owned(),
        prompt: None,
        finalization: None,
        is_reask: false,
        permits: Vec::new(),
        session: None,
        limits,
        environment: ["PATH", "HOME", "LANG", "LC_ALL", "TZ"].map(str::to_owned).into(),
        directory: checkout.path.clone(),
        root: checkout.path.clone(),
        sandbox,
    };
    let courier = ProgramCourier::new(Program::new(["sh", "-c", &command].map(str::to_owned).into()));
    let (sender, receiver) = std::sync::mpsc::channel();
    courier.start(delivery, sender);
    let mut last: Vec<u8> = Vec::new();
    let mut hear = |bytes: &[u8]| {
        last.extend_from_slice(bytes);
        last.push(b'\n');
        let from = last.len().saturating_sub(HEARD_BYTES);
        last.drain(..from);
    };
    let (ended, is_well) = loop {
        match receiver.recv().map(|report| report.what) {
            Ok(What::Progress(line)) => hear(&line),
            Ok(What::Answer(said)) => {
                hear(&said);
                break ("ended well".to_owned(), true);
            }
            Ok(What::Failure(failure)) if failure.cause == Cause::Empty => {
                break ("ended well".to_owned(), true);
            }
            Ok(What::Failure(failure)) => {
                let ended = in_words(failure.cause, time_max, &failure.message);
                break (redacted(&ended, None).0, false);
            }
            Ok(What::Draft(_) | What::Question(_) | What::Session(_)) => {}
            Err(_) => break ("was lost".to_owned(), false),
        }
    };
    let last = excerpt(String::from_utf8_lossy(&last).trim(), Part::Last(LAST_BYTES));
    Ran { command, ended, is_well, last }
}

#[cfg(unix)]
fn in_words(cause: baton_courier::Cause, time_max: Duration, message: &str) -> String {
    use baton_courier::Cause;
    match cause {
        Cause::Exited(code) => format!("ended with exit code {code}"),
        Cause::Killed(signal) => format!("was ended by signal {signal}"),
        Cause::TimeUp => format!("had not ended after {} s", time_max.as_secs()),
        Cause::TooMuch => "said more than can be taken".to_owned(),
        Cause::Stopped
        | Cause::Empty
        | Cause::Asked
        | Cause::Permission
        | Cause::Missing
        | Cause::Forbidden
        | Cause::Impossible
        | Cause::Failed
        | Cause::Status(_)
        | Cause::Unreachable
        | Cause::Broken => format!("could not be run: {message}"),
    }
}

#[cfg(not(unix))]
fn one(command: String, _: Option<Sandbox>, _: &Checkout, _: Duration) -> Ran {
    let ended = "was not run: programs cannot be started on this system".to_owned();
    Ran { command, ended, is_well: false, last: String::new() }
}
