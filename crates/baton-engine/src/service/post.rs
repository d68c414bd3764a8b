//! Requests to a run that another process may be driving: posted into its mailbox, and what became of them.

use std::path::Path;

use baton_kernel::{Command, Fence, Millis, Refusal, decide};
use baton_ledger::{Append, Ledger, NewEvent, digest};

use crate::error::{Problem, Refused};
use crate::history::views;
use crate::project::people::Home;
use crate::records::content::{without_secret, without_secrets};
use crate::records::entry::history;
use crate::records::mailbox::{RunRequest, Taken};
use crate::records::{codec, mailbox};

/// How often a wish is put behind one that came first.
const TRIES_MAX: usize = 1_000;

/// Puts a wish into the mailbox of a run; gives its place there.
///
/// What the run would refuse as it stands now is refused at once.
pub fn post(
    ledger: &dyn Ledger,
    root: &Path,
    run: &str,
    wish: &RunRequest,
    content: Option<&[u8]>,
    now: Millis,
) -> Result<u64, Problem> {
    wish.names().try_for_each(|(of, name)| without_secret(of, name))?;
    let view = views::show(ledger, run, now)?;
    // What is handed in is kept as any other text is: without its secrets.
    let content = content.map(|content| without_secrets(content.to_vec()));
    let named = content.as_deref().map(digest);
    let home = Home::of(root, ledger)?;
    let what = wish.as_command(run, &home, named, view.people(), now)?.or_else(|| wish.acknowledged());
    if let Some(what) = what {
        decide(&view.state, &Command { fence: Fence(u64::MAX), what }, now)?;
    }
    if let Some((key, _)) = wish.delivery()
        && view.is_expired(key, now)
    {
        return Err(Refused::Run(Refusal::DeliveryExpired { key }).into());
    }
    let stream = mailbox::stream(run);
    let wish = &wish.clone().naming(view.state.plan());
    let body = serde_json::to_vec(wish).map_err(|error| mailbox::refused(error.to_string()))?;
    for _ in 0..TRIES_MAX {
        let head = mailbox::mailbox(ledger, run)?;
        if let RunRequest::Answer { key, attempt } = wish
            && mailbox::answers(ledger, head.as_ref(), view.mail())?.contains(&(*key, *attempt))
        {
            return Err(Problem::Refused(Refused::Posted { run: run.to_owned() }));
        }
        let emptied = head.as_ref().map_or(0, mailbox::emptied);
        let append = Append {
            stream: stream.clone(),
            expected: head.map_or(0, |head| head.seq),
            fence: None,
            at: now,
            events: vec![NewEvent {
                kind: mailbox::WISH.to_owned(),
                body: body.clone(),
                payload: content.clone(),
            }],
            head: Some(mailbox::labels(run, emptied, true)),
            claims: wish.claim(run, &home, named).into_iter().collect(),
            erase: Vec::new(),
        };
        match ledger.append(vec![append])?.into_iter().next() {
            Some(Ok(appended)) => return Ok(appended.seq),
            Some(Err(baton_ledger::Refused::WrongSequence { .. })) | None => {}
            Some(Err(baton_ledger::Refused::ClaimTaken { .. })) => {
                return Err(Problem::Refused(Refused::Posted { run: run.to_owned() }));
            }
            Some(Err(other)) => return Err(other.into()),
        }
    }
    Err(mailbox::refused(format!("the mailbox of {run} is too busy")))
}

/// What became of a wish, once the run has taken it.
pub fn taken(ledger: &dyn Ledger, run: &str, place: u64) -> Result<Option<Taken>, Problem> {
    let history = history(ledger, run)?;
    let took = history.iter().rev().filter(|entry| entry.record.kind == codec::MAIL_TAKEN);
    Ok(took.filter_map(|entry| mailbox::read_taken(&entry.record)).find(|taken| taken.mail == place))
}
