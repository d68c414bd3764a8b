//! The manifest of a project, `meta/handoff.yaml`: each that was generated, and what became of each that was sent.
//!
//! The file holds one manifest at a time; the stream here holds all of them, each with its text, whatever becomes of the
//! file. It is recorded first and written then.

use std::path::Path;

use baton_document::carrier::Look;
use baton_document::{Checker, Input, Level, NoWorld, Scratch};
use baton_kernel::{Digest, Millis};
use baton_ledger::{Append, Ledger, Limit, NewEvent, NewHead, Query, ReadFrom, Record, Refused};
use serde_json::{Value, json};

use crate::error::Error;
use crate::mirror::{Conflict, Over, Put, put};

/// The stream of all manifests.
pub const MANIFESTS: &str = "baton/manifests";
/// Where the manifest of a project lies.
pub const PATH: &str = "meta/handoff.yaml";

/// The kind of a record that holds a manifest which was generated.
pub const GENERATED: &str = "manifest_generated";
/// The kind of a record that holds a manifest which another hand had written, and which was replaced.
pub const REPLACED: &str = "manifest_replaced";
/// The kind of a record that says in which run a manifest is sent.
pub const SENDING: &str = "manifest_sending";
/// The kind of a record that holds a manifest which was sent.
pub const SENT: &str = "manifest_sent";
/// The kind of a record that holds a manifest which could not be sent, and why.
pub const FAILED: &str = "manifest_failed";

const PAGE: Limit = Limit(1_000);
/// How often others may be faster before something must be wrong.
const ATTEMPTS: usize = 10_000;

/// The manifests of a project.
#[derive(Clone, Copy)]
pub struct Manifests<'m> {
    /// Remembers them.
    pub ledger: &'m dyn Ledger,
    /// Reads them.
    pub checker: &'m Checker,
    /// The folder of the project.
    pub root: &'m Path,
}

/// What came of sending a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relayed {
    /// Its receiver has it.
    Sent {
        /// The session in which the receiver works, if it has one.
        session: Option<String>,
    },
    /// It could not be brought.
    Failed {
        /// Why.
        reason: String,
    },
}

impl Manifests<'_> {
    /// Records a manifest that was generated, and puts it in its place; gives what had to be saved beside.
    ///
    /// `name` names what it hands over: the same for two manifests that hand over the same. `about` says it in a line.
    pub fn generated(
        &self,
        manifest: &[u8],
        name: Digest,
        about: &str,
        now: Millis,
    ) -> Result<Vec<Conflict>, Error> {
        let body = json!({ "name": name.to_string(), "about": about });
        self.record(GENERATED, &body, Some(manifest), now)?;
        let mut kept = |found: &[u8]| {
            if !self.is_manifest(found) {
                return Ok(false);
            }
            self.record(REPLACED, &json!({}), Some(found), now)?;
            Ok(true)
        };
        match put(self.root, self.bytes_max(), (PATH, manifest), Over::Whatever(&mut kept), now)? {
            Put::Done(conflicts) => Ok(conflicts),
            Put::LeftAlone => Ok(Vec::new()),
        }
    }

    /// The run in which what a manifest hands over was sent last.
    pub fn run_of(&self, name: Digest) -> Result<Option<String>, Error> {
        let mut run = None;
        let name = name.to_string();
        self.each(|record| {
            let body: Option<Value> = serde_json::from_slice(&record.body).ok();
            let body = body.filter(|body| record.kind == SENDING && body["name"] == *name);
            if let Some(named) = body.as_ref().and_then(|body| body["run"].as_str()) {
                run = Some(named.to_owned());
            }
        })?;
        Ok(run)
    }

    /// Whether a manifest was sent in a run.
    pub fn is_relay(&self, run: &str) -> Result<bool, Error> {
        let mut is_relay = false;
        self.each(|record| {
            let body: Option<Value> = serde_json::from_slice(&record.body).ok();
            is_relay |= record.kind == SENDING && body.is_some_and(|body| body["run"] == *run);
        })?;
        Ok(is_relay)
    }

    /// Records that a manifest is about to be sent in a run.
    pub fn sending(&self, name: Digest, run: &str, now: Millis) -> Result<(), Error> {
        self.record(SENDING, &json!({ "name": name.to_string(), "run": run }), None, now)
    }

    /// Records what came of sending, and puts the manifest that says so in the place of the one that was sent. Says no if
    /// something else stands there by now.
    pub fn relayed(
        &self,
        (before, after): (&[u8], &[u8]),
        run: &str,
        relayed: &Relayed,
        now: Millis,
    ) -> Result<bool, Error> {
        let (kind, body) = match relayed {
            Relayed::Sent { session } => (SENT, json!({ "run": run, "session": session })),
            Relayed::Failed { reason } => (FAILED, json!({ "run": run, "reason": reason })),
        };
        self.record(kind, &body, Some(after), now)?;
        let put = put(self.root, self.bytes_max(), (PATH, after), Over::Only(before), now)?;
        Ok(matches!(put, Put::Done(_)))
    }

    fn bytes_max(&self) -> u64 {
        self.checker.limits().file_bytes
    }

    fn is_manifest(&self, bytes: &[u8]) -> bool {
        let (path, dialect) = (Some(PATH), Some("manifest"));
        let input = Input { path, bytes, dialect, look: Look::Whole, is_named: true };
        let checked = self.checker.check(input, &NoWorld, &mut Scratch::default());
        checked.handoffs.len() == 1 && checked.findings.iter().all(|finding| finding.level != Level::Error)
    }

    /// Adds one record, behind whatever others add meanwhile.
    fn record(&self, kind: &str, body: &Value, payload: Option<&[u8]>, now: Millis) -> Result<(), Error> {
        let labels = vec![MANIFESTS.to_owned()];
        let query = Query { labels: labels.clone(), before: None, since: 0, limit: Limit(1) };
        let mut seq = 0;
        for _ in 0..ATTEMPTS {
            seq = self.ledger.find(&query)?.first().map_or(0, |head| head.seq);
            let body = body.to_string().into_bytes();
            let event = NewEvent { kind: kind.to_owned(), body, payload: payload.map(<[u8]>::to_vec) };
            let append = Append {
                stream: MANIFESTS.to_owned(),
                expected: seq,
                at: now,
                events: vec![event],
                head: Some(NewHead { labels: labels.clone(), ..NewHead::default() }),
                ..Append::default()
            };
            match self.ledger.append(vec![append])?.pop() {
                Some(Ok(_)) => return Ok(()),
                Some(Err(Refused::WrongSequence { .. })) | None => {}
                Some(Err(refused)) => return Err(stuck(seq, &refused.to_string())),
            }
        }
        Err(stuck(seq, "others were always faster"))
    }

    /// Visits all records, in order.
    fn each(&self, mut visit: impl FnMut(&Record)) -> Result<(), Error> {
        let mut after = 0;
        loop {
            let from = ReadFrom::Stream { stream: MANIFESTS.to_owned(), after };
            let records = self.ledger.read(&from, PAGE)?;
            let Some(last) = records.last() else { return Ok(()) };
            after = last.seq;
            records.iter().for_each(&mut visit);
        }
    }
}

fn stuck(seq: u64, what: &str) -> Error {
    let what = format!("nothing could be recorded: {what}");
    Error::History { run: MANIFESTS.to_owned(), seq, what }
}
