//! One attempt: a turn for the work, one for the handoff, and for each as many calls as it takes.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::id::{Id, Names};
use crate::program::{FileLocation, Input, Program, ProgramCourier};
use crate::session::{extract, for_finalization, for_work};
use crate::{Cause, Courier as _, Delivery, Failure, Key, Limits, What};

use super::Openclaw;
use super::replies::{Reply, failure_of, read};
use super::stop_signal::StopSignal;

/// The most bytes that the parameters of a call may have; Linux takes 128 KiB of one argument.
const PARAMS_BYTES_MAX: usize = 120_000;
/// After what time a gateway that is still at work is asked again, at first and at last.
const ASK_AGAIN: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(30)];
/// Limit of the output of a call beside the answer: costs, and the files that the agent saw.
const AROUND_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Replacement of a message that no argument can hold, before the path of its file.
const TOO_LONG: &str =
    "This message is too long to be said at once. Read all of it from this file, and do what it says: ";
/// Variable with the gateway's token, passed beside those that the agent's definition lists.
const TOKEN: &str = "OPENCLAW_GATEWAY_TOKEN";

/// Carries a delivery to the gateway and brings back what its agent hands over.
pub(super) fn run_attempt(
    openclaw: &Openclaw,
    stop: &StopSignal,
    delivery: &Delivery,
    tell: &dyn Fn(What),
) -> Result<Vec<u8>, Failure> {
    if let Err(error) = str::from_utf8(&delivery.handoff) {
        let message = format!("the handoff cannot be sent as a message: {error}");
        return Err(Failure::new(Cause::Impossible, message));
    }
    let key = delivery.key.as_str();
    let session = session(openclaw.session_key.as_deref(), &delivery.key);
    Id::new(Names::Session, &session).map_err(|bad| bad.recorded())?;
    tell(What::Session(session.clone()));
    let deadline = Instant::now().checked_add(delivery.limits.time_max);
    let call = GatewayCall { openclaw, stop, delivery, session, deadline, tell };
    // The same words for all attempts: the gateway knows by the key what was said before.
    let work = || for_work(&Delivery { session: None, ..delivery.clone() });
    let text = match &delivery.finalization {
        None => call.turn(key, &work())?,
        Some(asked) => {
            let mut id = format!("{key}/again-{}", delivery.attempt);
            if !delivery.is_reask {
                call.turn(key, &work())?;
                id = format!("{key}/handoff");
            }
            extract(&call.turn(&id, &for_finalization(asked, true))?).to_owned()
        }
    };
    if text.trim().is_empty() {
        return Err(Failure::new(Cause::Empty, "OpenClaw ended well, but its agent said nothing"));
    }
    if text.len() > delivery.limits.answer_bytes_max {
        let most = delivery.limits.answer_bytes_max;
        let message = format!("the answer of OpenClaw has more than {most} bytes and is not used");
        return Err(Failure::new(Cause::TooMuch, message));
    }
    Ok(text.into_bytes())
}

/// The session that a delivery is worked on in.
fn session(said: Option<&str>, key: &Key) -> String {
    let said = said.unwrap_or("agent:main");
    let parts = said.split(':').count();
    match said.strip_prefix("agent:") {
        Some(_) if parts > 2 => said.to_owned(),
        Some(_) => format!("{said}:baton-{}", key.plain()),
        None => format!("agent:main:{said}"),
    }
}

struct GatewayCall<'c> {
    openclaw: &'c Openclaw,
    stop: &'c StopSignal,
    delivery: &'c Delivery,
    session: String,
    deadline: Option<Instant>,
    tell: &'c dyn Fn(What),
}

impl GatewayCall<'_> {
    /// Sends a message to the agent. The gateway stores the result of an id, failures too: a later attempt uses another id after a
    /// stored failure, and nothing else is done twice.
    fn turn(&self, id: &str, message: &str) -> Result<String, Failure> {
        let mut tried = 1;
        loop {
            let id = if tried == 1 { id.to_owned() } else { format!("{id}/{tried}") };
            match self.settle(&id, message) {
                Err(failure) if failure.cause == Cause::Failed && tried < self.delivery.attempt => tried += 1,
                settled => return settled,
            }
        }
    }

    /// Says something to the agent once, and waits until it has answered.
    fn settle(&self, id: &str, message: &str) -> Result<String, Failure> {
        let [mut pause, pause_max] = ASK_AGAIN;
        loop {
            let left = self.left();
            if left.is_zero() {
                let time = self.delivery.limits.time_max;
                let text = format!("OpenClaw had not answered after {time:?}; its gateway is still at work");
                return Err(Failure::new(Cause::TimeUp, text));
            }
            match self.once(id, message, left)? {
                Reply::Answer(text) => return Ok(text),
                Reply::InFlight => {}
            }
            (self.tell)(What::Progress(b"the gateway is at work on it".to_vec()));
            self.stop.pause(Instant::now() + pause.min(left));
            pause = (pause * 2).min(pause_max);
        }
    }

    fn left(&self) -> Duration {
        let whole = self.delivery.limits.time_max;
        self.deadline.map_or(whole, |deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Calls the gateway once.
    fn once(&self, id: &str, message: &str, left: Duration) -> Result<Reply, Failure> {
        // The courier that is used here replaces names in braces, and nothing in a message is one of them.
        let params = |message: &str| {
            let said =
                json!({ "message": message, "sessionKey": self.session, "idempotencyKey": id }).to_string();
            format!("{{{}", said[1..].replace('{', "\\u007b"))
        };
        let limits = &self.delivery.limits;
        // A quoted text is longer.
        let output = limits.answer_bytes_max.saturating_mul(2).saturating_add(AROUND_BYTES_MAX);
        let mut delivery = Delivery {
            handoff: Vec::new(),
            prompt: None,
            session: None,
            limits: Limits { time_max: left, answer_bytes_max: output, ..*limits },
            // It only calls the gateway, and the agent works there.
            sandbox: None,
            ..self.delivery.clone()
        };
        let (mut said, mut input) = (params(message), Input::Stdin);
        if said.len() > PARAMS_BYTES_MAX {
            // The file is there for as long as the call is.
            said = params(&format!("{TOO_LONG}\u{1}")).replace("\\u0001", "{handoff}");
            delivery.handoff = message.as_bytes().to_vec();
            "md".clone_into(&mut delivery.extension);
            input = Input::File(FileLocation::Private);
        }
        delivery.environment.push(TOKEN.to_owned());
        let ours = ["gateway", "call", "agent", "--expect-final", "--json", "--timeout"];
        let mut command = self.openclaw.command.clone();
        if command.is_empty() {
            command.push("openclaw".to_owned());
        }
        command.extend(ours.map(str::to_owned));
        command.extend([left.as_millis().to_string(), "--params".to_owned(), said]);
        command.extend(self.openclaw.arguments.iter().cloned());
        let name = command[0].clone();
        let end = self.run(Program { input, ..Program::new(command) }, delivery)?;
        match end {
            Ok(output) => read(&output),
            Err(failure) => Err(failure_of(&name, failure)),
        }
    }

    /// Runs a program to its end.
    fn run(&self, program: Program, delivery: Delivery) -> Result<Result<Vec<u8>, Failure>, Failure> {
        let stopped = || Failure::new(Cause::Stopped, "stopped before OpenClaw had answered");
        let courier = Arc::new(ProgramCourier::new(program));
        self.stop.calls(Some(Arc::clone(&courier)));
        if self.stop.is_stopped() {
            return Err(stopped());
        }
        let key = delivery.key.clone();
        let (reports, received) = mpsc::channel();
        courier.start(delivery, reports);
        if self.stop.is_stopped() {
            // It may have been told before there was something to stop.
            courier.stop(&key);
        }
        let mut end = Err(stopped());
        for report in received {
            match report.what {
                What::Progress(line) => (self.tell)(What::Progress(line)),
                What::Answer(output) => end = Ok(Ok(output)),
                What::Failure(failure) => end = Ok(Err(failure)),
                What::Draft(_) | What::Question(_) | What::Session(_) => {}
            }
        }
        self.stop.calls(None);
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_one_that_is_named_or_one_for_the_delivery() {
        assert_eq!(session(None, &"run 1/5-1-0".into()), "agent:main:baton-run%201/5-1-0");
        assert_eq!(session(Some("agent:ops"), &"k".into()), "agent:ops:baton-k");
        assert_eq!(session(Some("agent:ops:incident-42"), &"k".into()), "agent:ops:incident-42");
        assert_eq!(session(Some("incident-42"), &"k".into()), "agent:main:incident-42");
    }
}
