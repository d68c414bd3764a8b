//! The contract of every courier, as one suite that the tests of each courier run.
//!
//! A courier is made known by a [`Harness`]: it makes deliveries to agents that behave in a certain way. Nothing here
//! measures time; waits have a bound so that a broken courier is told and not waited for.

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::{Cause, Courier, Delivery, Key, Report, What};

/// Time after which a step counts as broken; a working courier needs a small part of it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Deliveries at once.
const CROWD: usize = 16;

/// Makes a courier known to the suite.
pub trait Harness {
    /// A new courier.
    fn courier(&self) -> Arc<dyn Courier>;

    /// A delivery with this key to an agent that behaves in this way, which the courier from above can make.
    fn delivery(&self, key: &Key, behaviour: Behaviour) -> Delivery;

    /// Waits until all that was started for a delivery to an agent that [hangs](Behaviour::Hang) is gone; false if it
    /// is still there after that time.
    fn is_gone(&self, key: &Key, within: Duration) -> bool;

    /// Lets the agent of a delivery answer that [waits](Behaviour::Wait) with it.
    fn let_go(&self, key: &Key);
}

/// Behaviour of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Answers with the bytes of the handoff, once it has read them all.
    Echo,
    /// Says that it failed.
    Fail,
    /// Ends without saying anything.
    Silence,
    /// Begins an answer and is cut off.
    CutOff,
    /// Answers without end.
    Flood,
    /// Makes progress once, and answers like an echo when it is [let go](Harness::let_go).
    Wait,
    /// Makes progress once, and then never ends, together with a child process.
    Hang,
}

/// A broken promise of a courier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The promise.
    pub promise: &'static str,
    /// The observed behaviour.
    pub found: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.promise, self.found)
    }
}

impl std::error::Error for Broken {}

type Promise = (&'static str, fn(&dyn Harness) -> Result<(), String>);

const PROMISES: &[Promise] = &[
    ("an answer arrives whole, as the one end of its attempt", answers_arrive),
    ("what ends without an answer is a failure", failures_are_failures),
    ("an answer without end is cut, and said to be", floods_are_cut),
    ("what takes too long is ended, and said to be", time_is_limited),
    ("start returns at once, and stop ends what is under way", stop_ends),
    ("to stop what is not under way does nothing", stop_of_nothing),
    ("only the delivery that is meant is stopped", stop_is_precise),
    ("deliveries at the same time do not mix", crowds_do_not_mix),
    ("a second attempt is told from the first", attempts_differ),
    ("one delivery has one attempt at a time", attempts_do_not_overlap),
    ("a courier does not need to be heard", nobody_listens),
    ("nothing goes on when the courier is dropped", drop_ends_all),
];

/// Tries all that couriers promise.
///
/// # Errors
/// The first promise that was not kept.
pub fn check(harness: &dyn Harness) -> Result<(), Broken> {
    for &(promise, holds) in PROMISES {
        holds(harness).map_err(|found| Broken { promise, found })?;
    }
    Ok(())
}

fn answers_arrive(harness: &dyn Harness) -> Result<(), String> {
    let courier = harness.courier();
    let mut delivery = harness.delivery(&"answers".into(), Behaviour::Echo);
    // Larger than what fits into a pipe, so that both sides must be looked at.
    let line = "a handoff with an umlaut: ü, and \"quotes\"\n";
    delivery.handoff = line.repeat(400_000 / line.len()).into_bytes();
    delivery.attempt = 7;
    let attempt = Attempt::start(&courier, delivery.clone());
    let end = attempt.end()?;
    let answer = answer(&end)?;
    if answer == delivery.handoff {
        Ok(())
    } else {
        Err(format!("{} bytes were given and {} others came back", delivery.handoff.len(), answer.len()))
    }
}

fn failures_are_failures(harness: &dyn Harness) -> Result<(), String> {
    for behaviour in [Behaviour::Fail, Behaviour::Silence, Behaviour::CutOff] {
        let courier = harness.courier();
        let delivery = harness.delivery(&format!("{behaviour:?}").as_str().into(), behaviour);
        let end = Attempt::start(&courier, delivery).end()?;
        let cause = cause(&end).map_err(|found| format!("{behaviour:?}: {found}"))?;
        if cause == Cause::Stopped || (behaviour == Behaviour::Silence && cause != Cause::Empty) {
            return Err(format!("{behaviour:?} was reported as {cause:?}"));
        }
    }
    Ok(())
}

fn floods_are_cut(harness: &dyn Harness) -> Result<(), String> {
    let courier = harness.courier();
    let mut delivery = harness.delivery(&"flood".into(), Behaviour::Flood);
    delivery.limits.answer_bytes_max = 100_000;
    delivery.limits.noise_bytes_max = 100_000;
    expect(&Attempt::start(&courier, delivery).end()?, Cause::TooMuch)
}

fn time_is_limited(harness: &dyn Harness) -> Result<(), String> {
    let courier = harness.courier();
    let key = Key::from("time");
    let mut delivery = harness.delivery(&key, Behaviour::Hang);
    delivery.limits.time_max = Duration::from_millis(300);
    expect(&Attempt::start(&courier, delivery).end()?, Cause::TimeUp)?;
    gone(harness, &key)
}

fn stop_ends(harness: &dyn Harness) -> Result<(), String> {
    let courier = harness.courier();
    let key = Key::from("stop");
    let delivery = harness.delivery(&key, Behaviour::Hang);
    let (sender, returned) = mpsc::channel();
    let starter = Arc::clone(&courier);
    let attempt = Attempt::around(&delivery.clone(), |reports| {
        // In a thread of its own, since a start that does not return would be waited for forever.
        thread::spawn(move || {
            starter.start(delivery, reports);
            drop(starter);
            // After a time-out there is no receiver.
            let _ = sender.send(());
        });
    });
    returned.recv_timeout(PATIENCE).map_err(|_| "start did not return while the agent was at work")?;
    attempt.progress()?;
    courier.stop(&key);
    courier.stop(&key);
    expect(&attempt.end()?, Cause::Stopped)?;
    gone(harness, &key)?;
    courier.stop(&key);
    Ok(())
}

fn stop_of_nothing(harness: &dyn Harness) -> Result<(), String> {
    let courier = harness.courier();
    let key = Key::from("nothing");
    courier.stop(&key);
    let end = Attempt::start(&courier, harness.delivery(&key, Behaviour::Echo)).end()?;
    answer(&end).map(|_| ())
}

fn stop_is_precise(harness: &dyn Harness) -> Result<(), String> {
    let courier = harness.courier();
    let (first, second) = (Key::from("first"), Key::from("second"));
    let stopped = Attempt::start(&courier, harness.delivery(&first, Behaviour::Hang));
    let other = Attempt::start(&courier, harness.delivery(&second, Behaviour::Wait));
    stopped.progress()?;
    other.progress()?;
    courier.stop(&first);
    expect(&stopped.end()?, Cause::Stopped)?;
    gone(harness, &first)?;
    harness.let_go(&second);
    answer(&other.end()?).map(|_| ())
}

fn crowds_do_not_mix(harness: &dyn Harness) -> Result<(), String> {
    let courier = harness.courier();
    let (reports, received) = mpsc::channel();
    let mut expected = Vec::new();
    for number in 0..CROWD {
        let key = Key::from(format!("crowd {number}").as_str());
        let mut delivery = harness.delivery(&key, Behaviour::Echo);
        delivery.handoff = format!("handoff {number}\n").repeat(1000).into_bytes();
        delivery.attempt = u32::try_from(number).unwrap_or_default();
        expected.push(Some((key, delivery.attempt, delivery.handoff.clone())));
        courier.start(delivery, reports.clone());
    }
    drop(reports);
    for report in until_closed(&received)? {
        if !report.what.is_final() {
            continue;
        }
        let place = expected.iter_mut().find(|open| {
            open.as_ref().is_some_and(|(key, attempt, _)| *key == report.key && *attempt == report.attempt)
        });
        let Some((key, _, handoff)) = place.and_then(Option::take) else {
            return Err(format!("an end of {} came twice or was not asked for", report.key));
        };
        if report.what != What::Answer(handoff) {
            return Err(format!("{key} ended with {}", told(&report.what)));
        }
    }
    match expected.into_iter().flatten().next() {
        Some((key, ..)) => Err(format!("{key} has no end")),
        None => Ok(()),
    }
}

fn attempts_differ(harness: &dyn Harness) -> Result<(), String> {
    let courier = harness.courier();
    for attempt in [1, 2] {
        let mut delivery = harness.delivery(&"again".into(), Behaviour::Echo);
        delivery.attempt = attempt;
        // The next one starts as soon as the end is heard of, without waiting for the channel to close.
        let (reports, received) = mpsc::channel();
        courier.start(delivery, reports);
        loop {
            let report = received.recv_timeout(PATIENCE).map_err(|error| error.to_string())?;
            if report.attempt != attempt {
                return Err(format!("attempt {attempt} was reported as {}", report.attempt));
            }
            match report.what {
                What::Answer(_) => break,
                What::Failure(failure) => return Err(format!("attempt {attempt} failed: {failure}")),
                What::Progress(_) | What::Draft(_) | What::Question(_) | What::Session(_) => {}
            }
        }
    }
    Ok(())
}

fn attempts_do_not_overlap(harness: &dyn Harness) -> Result<(), String> {
    let courier = harness.courier();
    let key = Key::from("overlap");
    let delivery = harness.delivery(&key, Behaviour::Hang);
    let first = Attempt::start(&courier, delivery.clone());
    first.progress()?;
    let second = Attempt::start(&courier, Delivery { attempt: delivery.attempt + 1, ..delivery });
    expect(&second.end()?, Cause::Impossible)?;
    courier.stop(&key);
    expect(&first.end()?, Cause::Stopped)
}

fn nobody_listens(harness: &dyn Harness) -> Result<(), String> {
    let courier = harness.courier();
    let (reports, received) = mpsc::channel();
    drop(received);
    courier.start(harness.delivery(&"unheard".into(), Behaviour::Echo), reports);
    let end = Attempt::start(&courier, harness.delivery(&"heard".into(), Behaviour::Echo)).end()?;
    answer(&end).map(|_| ())
}

fn drop_ends_all(harness: &dyn Harness) -> Result<(), String> {
    let courier = harness.courier();
    let keys = [Key::from("dropped one"), Key::from("dropped two")];
    let attempts =
        keys.each_ref().map(|key| Attempt::start(&courier, harness.delivery(key, Behaviour::Hang)));
    for attempt in &attempts {
        attempt.progress()?;
    }
    drop(courier);
    for (attempt, key) in attempts.iter().zip(&keys) {
        expect(&attempt.end()?, Cause::Stopped)?;
        gone(harness, key)?;
    }
    Ok(())
}

/// An attempt with a channel of its own.
struct Attempt {
    key: Key,
    attempt: u32,
    received: Receiver<Report>,
}

impl Attempt {
    fn start(courier: &Arc<dyn Courier>, delivery: Delivery) -> Self {
        Self::around(&delivery.clone(), |reports| courier.start(delivery, reports))
    }

    fn around(delivery: &Delivery, start: impl FnOnce(mpsc::Sender<Report>)) -> Self {
        let (reports, received) = mpsc::channel();
        start(reports);
        Self { key: delivery.key.clone(), attempt: delivery.attempt, received }
    }

    /// Waits for the first progress.
    fn progress(&self) -> Result<(), String> {
        loop {
            let report = self
                .received
                .recv_timeout(PATIENCE)
                .map_err(|error| format!("no progress of {} was reported: {error}", self.key))?;
            match report.what {
                What::Progress(_) => return Ok(()),
                What::Answer(_) | What::Failure(_) => {
                    return Err(format!(
                        "{} ended with {} before any progress",
                        self.key,
                        told(&report.what)
                    ));
                }
                What::Draft(_) | What::Question(_) | What::Session(_) => {}
            }
        }
    }

    /// The one end of the attempt, behind which nothing comes.
    fn end(&self) -> Result<What, String> {
        let mut end = None;
        for report in until_closed(&self.received)? {
            if report.key != self.key || report.attempt != self.attempt {
                return Err(format!(
                    "attempt {} of {} was reported as attempt {} of {}",
                    self.attempt, self.key, report.attempt, report.key
                ));
            }
            if let Some(end) = &end {
                return Err(format!("{} came after {}", told(&report.what), told(end)));
            }
            if report.what.is_final() {
                end = Some(report.what);
            }
        }
        end.ok_or_else(|| format!("{} has no end", self.key))
    }
}

/// All reports until the courier lets go of the channel.
fn until_closed(received: &Receiver<Report>) -> Result<Vec<Report>, String> {
    let mut reports = Vec::new();
    loop {
        match received.recv_timeout(PATIENCE) {
            Ok(report) => reports.push(report),
            Err(RecvTimeoutError::Disconnected) => return Ok(reports),
            Err(RecvTimeoutError::Timeout) => {
                let mut found = format!("no report and no end of reports within {PATIENCE:?}; so far:");
                for report in &reports {
                    write!(found, " {},", told(&report.what)).expect("a string takes what is written to it");
                }
                return Err(found);
            }
        }
    }
}

fn gone(harness: &dyn Harness, key: &Key) -> Result<(), String> {
    if harness.is_gone(key, PATIENCE) {
        Ok(())
    } else {
        Err(format!("{key} goes on after its end was reported"))
    }
}

fn expect(end: &What, expected: Cause) -> Result<(), String> {
    let found = cause(end)?;
    if found == expected {
        Ok(())
    } else {
        Err(format!("it was reported as {found:?} and not as {expected:?}"))
    }
}

fn answer(end: &What) -> Result<&[u8], String> {
    match end {
        What::Answer(answer) => Ok(answer),
        What::Failure(_) | What::Progress(_) | What::Draft(_) | What::Question(_) | What::Session(_) => {
            Err(format!("it ended with {}", told(end)))
        }
    }
}

fn cause(end: &What) -> Result<Cause, String> {
    match end {
        What::Failure(failure) => Ok(failure.cause),
        What::Answer(_) | What::Progress(_) | What::Draft(_) | What::Question(_) | What::Session(_) => {
            Err(format!("it ended with {}", told(end)))
        }
    }
}

/// A report in a few words.
fn told(what: &What) -> String {
    match what {
        What::Progress(line) => format!("the line {:?}", String::from_utf8_lossy(line)),
        What::Draft(bytes) => format!("a draft of {} bytes", bytes.len()),
        What::Question(question) => format!("the question {question:?}"),
        What::Session(session) => format!("the session {session:?}"),
        What::Answer(bytes) => format!("an answer of {} bytes", bytes.len()),
        What::Failure(failure) => format!("the failure {:?} ({failure})", failure.cause),
    }
}
