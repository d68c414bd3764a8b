//! Sends a manifest: one run of a flow of one step, through whoever reaches the receiver.
//!
//! Invariant: what is sent again is the same delivery with the same key, as long as its receiver does not have it.

use crate::history::views::{RunView, show};
use crate::mirror::manifests::{Manifests, Relayed};
use crate::outbound::relay::DIALECT;
use crate::project::people::People;
use crate::project::plan::compile;
use crate::records::entry::history;
use crate::records::mailbox::RunRequest;
use crate::run::NewRun;
use baton_document::secrets::redacted;
use baton_document::{Datum, yaml};
use baton_kernel::{Ending, Event, Millis, Reason};
use baton_ledger::Store;

use super::receiver::{reached, receiver};
use super::{Generated, document};
use crate::project::Project;
use crate::project::fault::Fault;
use crate::service::drive::{Begin, Desk, Driven, Observer, Quiet, drive};
use crate::service::person::person;
use crate::service::{lookup, moment, request, standing};

/// How often a delivery that failed is tried again by itself: whoever sends decides. What fails at once is tried again
/// within its attempt.
const RETRIES: &str = "0";
/// How many characters of a receiver's last words are told.
const WORDS_MAX: usize = 300;

/// What came of sending.
#[derive(Debug)]
pub(crate) struct Sent {
    /// The run in which it was sent.
    pub(crate) run: String,
    /// Whether the receiver has it.
    pub(crate) relayed: Relayed,
    /// When the last attempt began.
    pub(crate) at: Millis,
    /// The manifest that says so.
    pub(crate) text: String,
    /// Whether it stands in its place; if not, something else does by now.
    pub(crate) is_written: bool,
}

/// Sends a manifest to its receiver; nothing if somebody stopped it.
pub(crate) fn send(
    project: &Project,
    ledger: &dyn Store,
    made: &Generated,
    prompt: &str,
    observer: &mut dyn Observer,
) -> Result<Option<Sent>, Fault> {
    let (opened, reached) = reached(project, made.word("to"), flow(made, prompt).as_bytes())?;
    let plan = compile(&opened.flow).map_err(|fault| Fault::refused(fault.to_string(), None))?;
    let manifests = Manifests { ledger, checker: &project.checker, root: &project.root };
    let desk = Desk { project, ledger, agents: &reached };
    let quiet = &mut Quiet(observer);
    let (outcome, run) = match again(project, ledger, made)? {
        Some(run) => (drive(&desk, Begin::Resume(run.clone()), quiet)?, run),
        None => {
            let base = made.word("branch").replace('/', "-");
            let mut number = 1_u32;
            let mut name = base.clone();
            let mut next = || {
                while lookup::is_there(ledger, &name)? {
                    number += 1;
                    name = format!("{base}-{number}");
                }
                manifests.sending(made.name, &name, moment::now())?;
                let (flow, files) = (Some(opened.path.clone()), opened.files.clone());
                let (plan, input, people) = (plan.clone(), made.text.clone().into_bytes(), People::default());
                Ok(NewRun { run: name.clone(), plan, files, flow, people, input })
            };
            let outcome = drive(&desk, Begin::New(&mut next), quiet)?;
            (outcome, name)
        }
    };
    if outcome == Driven::Stopped {
        return Ok(None);
    }
    told(project, ledger, &run, &made.text).map(Some)
}

/// Writes down what came of sending a manifest in a run.
fn told(project: &Project, ledger: &dyn Store, run: &str, manifest: &str) -> Result<Sent, Fault> {
    let manifests = Manifests { ledger, checker: &project.checker, root: &project.root };
    let (relayed, at) = came_of(ledger, run)?;
    let text = with(document(manifest), &relayed, at);
    let texts = (manifest.as_bytes(), text.as_bytes());
    let is_written = manifests.relayed(texts, run, &relayed, moment::now())?;
    Ok(Sent { run: run.to_owned(), relayed, at, text, is_written })
}

/// Goes on with a run in which a manifest is sent.
pub(crate) fn go_on(
    project: &Project,
    ledger: &dyn Store,
    run: &str,
    observer: &mut dyn Observer,
) -> Result<Driven, Fault> {
    let agents = receiver(project, ledger, run)?;
    let desk = Desk { project, ledger, agents: &agents };
    let outcome = drive(&desk, Begin::Resume(run.to_owned()), observer)?;
    if outcome != Driven::Stopped {
        let sent = history(ledger, run)?.into_iter().find_map(|entry| entry.record.payload?.bytes);
        told(project, ledger, run, &String::from_utf8_lossy(&sent.unwrap_or_default()))?;
    }
    Ok(outcome)
}

/// The flow of a relay.
fn flow(made: &Generated, prompt: &str) -> String {
    let map = |entries: Vec<(&'static str, Datum<'static>)>| {
        Datum::Map(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
    };
    let to = made.word("to").to_owned();
    // What stands in files never becomes an input of the flow.
    let task = Datum::text(prompt.replace("{{", "{ {"));
    // Whoever sends again after a crash wants just that, and the key says that it is the same.
    let agent = map(vec![("dialect", Datum::text(DIALECT)), ("restart", Datum::text("safe"))]);
    let step = map(vec![("agent", Datum::text(to.clone())), ("task", task)]);
    yaml(&map(vec![
        ("flow", Datum::text("handoff")),
        ("about", Datum::text(format!("Relays {}", made.word("source_file")))),
        ("agents", Datum::Map(vec![(to.into(), agent)])),
        ("steps", Datum::List(vec![map(vec![("relay", step)])])),
        ("caps", map(vec![("retries", Datum::Number(RETRIES.into()))])),
    ]))
}

/// Refuses to send what its receiver has already.
pub(crate) fn refuse_twice(project: &Project, ledger: &dyn Store, made: &Generated) -> Result<(), Fault> {
    let Some(view) = before(project, ledger, made)? else { return Ok(()) };
    match view.state.ending() {
        Some(Ending::Finished(outcome)) if standing::is_good(*outcome) => {
            let run = view.state.run();
            Err(Fault::refused(
                format!("{} has this already: it was sent in {run}", made.word("to")),
                Some(format!(
                    "`baton show {run}` shows what came back; a response that changes is sent anew"
                )),
            ))
        }
        Some(Ending::Finished(_) | Ending::Halted(_) | Ending::Cancelled(_)) | None => Ok(()),
    }
}

/// The run in which the same was sent last.
fn before(project: &Project, ledger: &dyn Store, made: &Generated) -> Result<Option<RunView>, Fault> {
    let manifests = Manifests { ledger, checker: &project.checker, root: &project.root };
    match manifests.run_of(made.name)? {
        Some(run) if lookup::is_there(ledger, &run)? => Ok(Some(show(ledger, &run, moment::now())?)),
        Some(_) | None => Ok(None),
    }
}

/// The run in which the same is sent again, ready to be driven; nothing if none is under way.
fn again(project: &Project, ledger: &dyn Store, made: &Generated) -> Result<Option<String>, Fault> {
    let Some(view) = before(project, ledger, made)?.filter(|view| view.state.ending().is_none()) else {
        return Ok(None);
    };
    let run = view.state.run();
    if let Some(key) = dead(&view) {
        request::hand_in(project, ledger, run, &RunRequest::Retry { key, by: person() }, None)?;
    }
    let manifests = Manifests { ledger, checker: &project.checker, root: &project.root };
    manifests.sending(made.name, run, moment::now())?;
    Ok(Some(run.to_owned()))
}

/// The delivery of a run that was given up.
fn dead(view: &RunView) -> Option<baton_kernel::Key> {
    view.pending.questions.iter().find_map(|question| question.dead)
}

/// What came of a relay, and when its last attempt began.
fn came_of(ledger: &dyn Store, run: &str) -> Result<(Relayed, Millis), Fault> {
    let (mut at, mut session, mut reason) = (moment::now(), None, None);
    for entry in history(ledger, run)? {
        let Some(event) = &entry.event else { continue };
        if let Event::DeliveryStarted { .. } = event {
            at = entry.record.at;
        } else if let Event::SessionKnown { session: known, .. } = event {
            session = Some(known.clone());
        } else if let Event::AttemptFailed { failure, .. } = event {
            let words = entry.record.payload.as_ref().and_then(|payload| payload.bytes.as_deref());
            reason = Some(why(failure.signature.as_deref(), words.unwrap_or_default()));
        }
    }
    let view = show(ledger, run, moment::now())?;
    let is_failed = match view.state.ending() {
        Some(Ending::Finished(outcome)) => !standing::is_good(*outcome),
        Some(Ending::Halted(_) | Ending::Cancelled(_)) => true,
        // It lies in an inbox, or its receiver asks about it.
        None => {
            let asks = |reason| matches!(reason, Reason::Clarify | Reason::NoSender);
            let is_asked = view.pending.questions.iter().any(|question| asks(question.reason));
            view.pending.deliveries.is_empty() && !is_asked
        }
    };
    let unknown = || "it ended without saying why".to_owned();
    let relayed = if is_failed {
        Relayed::Failed { reason: reason.unwrap_or_else(unknown) }
    } else {
        Relayed::Sent { session }
    };
    Ok((relayed, at))
}

/// Why an attempt failed, with the last that its receiver said.
fn why(signature: Option<&str>, words: &[u8]) -> String {
    let reason = signature.unwrap_or("it failed");
    let (words, _) = redacted(&String::from_utf8_lossy(words), None);
    let last = words.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.map_or_else(
        || reason.to_owned(),
        |last| format!("{reason}: {}", last.chars().take(WORDS_MAX).collect::<String>()),
    )
}

/// The manifest with what came of sending it.
fn with(mut manifest: Datum<'static>, relayed: &Relayed, at: Millis) -> String {
    let (status, sent_at, session) = match relayed {
        Relayed::Sent { session } => {
            let session = session.clone().map_or(Datum::Null, Datum::text);
            ("sent", Datum::text(moment::stamp(at)), session)
        }
        Relayed::Failed { .. } => ("failed", Datum::Null, Datum::Null),
    };
    manifest.put("status", Datum::text(status));
    manifest.put("sent_at", sent_at);
    manifest.put("session_key", session);
    yaml(&manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves M-15: the session of the courier is written back, and null where it has none.
    #[test]
    fn a_manifest_says_what_came_of_it() {
        let manifest = Datum::Map(vec![("status".into(), Datum::text("pending"))]);
        let at = Millis(1_769_851_800_250);
        let sent = |session: Option<&str>| Relayed::Sent { session: session.map(str::to_owned) };
        assert_eq!(
            with(manifest.clone(), &sent(Some("agent:main:7")), at),
            "status: sent\nsent_at: \"2026-01-31T09:30:00.25Z\"\nsession_key: \"agent:main:7\"\n"
        );
        assert!(with(manifest.clone(), &sent(None), at).ends_with("session_key: null\n"));
        let failed = Relayed::Failed { reason: "no line".to_owned() };
        assert_eq!(with(manifest.clone(), &failed, at), "status: failed\nsent_at: null\nsession_key: null\n");
    }

    #[test]
    fn a_reason_has_the_last_words() {
        assert_eq!(why(Some("it ended"), b"one\ntwo\n\n"), "it ended: two");
        assert_eq!(why(None, b""), "it failed");
        assert!(why(None, "x".repeat(10_000).as_bytes()).len() < 400);
    }
}
