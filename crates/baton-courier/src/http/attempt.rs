//! One attempt: the delivery is posted, and the response or a callback becomes the answer or the failure.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Cause, Delivery, Failure, What};

use super::Hook;
use super::callback_server::{CallbackServer, now_s};
use super::event::{Call, Event, Reply};
use super::post::{Message, client, post};

const STACK_BYTES: usize = 512 * 1024;
/// Limit of a line of the receiver that is reported as progress.
const LINE_BYTES_MAX: usize = 4 * 1024;

/// Posts a delivery to its receiver and returns the answer.
pub(super) fn run_attempt(
    hook: &Hook,
    server: &CallbackServer,
    delivery: &Delivery,
    (sender, events): (Sender<Event>, &Receiver<Event>),
    tell: &dyn Fn(What),
) -> Result<Vec<u8>, Failure> {
    let limits = delivery.limits;
    let shown = hook.shown();
    let secrets = hook.secrets.as_ref().map_err(Clone::clone)?;
    let expected = server
        .expect(secrets, limits.answer_bytes_max, sender.clone())
        .map_err(|error| broken("no callback can be offered", &error))?;
    let message = Message::new(delivery, &expected.callback, secrets, now_s())?;
    let agent = client(hook, limits.time_max);
    let (posting, there) = (agent.clone(), hook.clone());
    let request = move || {
        let sent = || {
            // An attempt that has ended does not listen.
            let _ = sender.send(Event::Sent);
        };
        let reply = post(&posting, &there, &message, limits.answer_bytes_max, sent);
        let _ = sender.send(Event::Replied(reply));
    };
    thread::Builder::new()
        .name("baton-post".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(request)
        .map_err(|error| broken("no thread could be started for the request", &error))?;
    let until = Instant::now().checked_add(limits.time_max);
    let line = |text: String| tell(What::Progress(text.into_bytes()));
    let end = loop {
        let event = match until {
            Some(until) => events.recv_timeout(until.saturating_duration_since(Instant::now())),
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match event {
            Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => {
                break Err(Failure::new(Cause::Stopped, format!("stopped before {shown} had answered")));
            }
            Err(RecvTimeoutError::Timeout) => break Err(time_up(&shown, limits.time_max)),
            Ok(Event::Sent) => {
                line(format!("sent to {shown}"));
                // From here on the receiver can be asked again for a usable answer.
                tell(What::Session(delivery.key.plain()));
            }
            Ok(Event::Called(Call::Answer(body))) => break answer(&shown, "called back", body),
            Ok(Event::Called(Call::Failure(body))) => {
                let message = format!("{shown} called back to say that it failed{}", said(&body));
                break Err(Failure { last_words: body, ..Failure::new(Cause::Failed, message) });
            }
            Ok(Event::Replied(Err(failure))) => break Err(failure),
            Ok(Event::Replied(Ok(Reply { status: 202, body }))) => {
                line(format!("{shown} will call back{}", said(&body)));
            }
            Ok(Event::Replied(Ok(Reply { status: 200..300, body }))) => {
                break answer(&shown, "answered", body);
            }
            Ok(Event::Replied(Ok(Reply { status, body }))) => break Err(refused(&shown, status, body)),
        }
    };
    agent.shutdown();
    // Client and attempt share one time limit, and either may notice first.
    end.map_err(|failure| match (failure.cause, until) {
        (Cause::Unreachable, Some(until)) if Instant::now() >= until => time_up(&shown, limits.time_max),
        _ => failure,
    })
}

fn answer(shown: &str, how: &str, body: Vec<u8>) -> Result<Vec<u8>, Failure> {
    if body.trim_ascii().is_empty() {
        let message = format!("{shown} {how}, but with nothing in it");
        return Err(Failure::new(Cause::Empty, message)
            .with_hint("the body is the handoff; 202 says that it comes later, by the callback"));
    }
    Ok(body)
}

fn time_up(shown: &str, time_max: Duration) -> Failure {
    Failure::new(Cause::TimeUp, format!("{shown} had not answered after {time_max:?}"))
}

fn broken(what: &str, error: &io::Error) -> Failure {
    Failure::new(Cause::Broken, format!("{what}: {error}"))
}

fn refused(shown: &str, status: u16, body: Vec<u8>) -> Failure {
    let message = format!("{shown} answered with status {status}{}", said(&body));
    let failure = Failure { last_words: body, ..Failure::new(Cause::Status(status), message) };
    match status {
        300..=399 => failure.with_hint("redirects are not followed: write the URL where it really is"),
        401 | 403 => {
            failure.with_hint("does the receiver check with the same secret, and is its clock right?")
        }
        404 | 405 | 410 => failure.with_hint("deliveries are posted: is the URL of the agent the right one?"),
        413 => failure.with_hint("the receiver takes no body of this size"),
        _ => failure,
    }
}

/// First line of a body, after a colon.
fn said(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(LINE_BYTES_MAX)]);
    // Secrets are redacted before the text is cut, since half a secret is not recognised.
    let plain = |line: &str| line.chars().filter(|one| !one.is_control()).collect::<String>();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).map(plain);
    line.map_or_else(String::new, |line| format!(": {line}"))
}
