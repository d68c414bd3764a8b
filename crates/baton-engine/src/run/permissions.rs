//! What agents ask for, and what people say: a request is answered for one delivery, and for exactly what was asked.
//!
//! Invariant: a request is known by a fingerprint of all of it, and the answer by the signature of a person over what they were shown.

use std::collections::BTreeMap;

use baton_courier::{Permit, Wants};
use baton_kernel::{Digest, Key};
use baton_ledger::{NewEvent, Record, digest};
use serde::{Deserialize, Serialize};

use crate::records::codec;
use crate::records::content::Content;

/// Something that an agent asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Names the request.
    pub(crate) request: String,
    /// Names what a person is shown.
    pub shown: Digest,
    /// What the agent wants to do.
    pub text: String,
}

/// What a person answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answered {
    key: Key,
    request: String,
    pub(crate) allowed: bool,
    /// Why, if they said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) because: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Request {
    key: Key,
    request: String,
}

/// What the agents of a run asked for, and what was answered, for deliveries that are not over.
#[derive(Default)]
pub(crate) struct Permissions {
    asked: BTreeMap<Key, Asked>,
    answered: BTreeMap<Key, Vec<Answered>>,
}

impl Permissions {
    /// An agent asks for something; gives what is recorded of it.
    pub(crate) fn ask(&mut self, key: Key, wants: &Wants) -> NewEvent {
        let text = Content::plain(wants.text.clone().into_bytes()).bytes;
        let request = wants.request.clone();
        let mut noted = codec::noted(codec::WANTED, &Request { key, request: request.clone() });
        self.keep(key, request, &text);
        noted.payload = Some(text);
        noted
    }

    fn keep(&mut self, key: Key, request: String, text: &[u8]) {
        let shown = digest(text);
        let text = String::from_utf8_lossy(text).into_owned();
        self.asked.insert(key, Asked { request, shown, text });
    }

    /// A person answers what an agent asked for last; gives what is recorded of it.
    pub(crate) fn answer(&mut self, key: Key, allowed: bool, because: Option<String>) -> Option<NewEvent> {
        let request = self.asked.get(&key)?.request.clone();
        let answered = Answered { key, request, allowed, because };
        let noted = codec::noted(codec::PERMITTED, &answered);
        self.answered.entry(key).or_default().push(answered);
        Some(noted)
    }

    /// Takes in a record.
    pub(crate) fn read(&mut self, record: &Record) {
        if record.kind == codec::WANTED {
            let request = serde_json::from_slice::<Request>(&record.body).ok();
            let text = record.payload.as_ref().and_then(|payload| payload.bytes.as_deref());
            if let Some(Request { key, request }) = request {
                self.keep(key, request, text.unwrap_or_default());
            }
        } else if let Ok(answered) = serde_json::from_slice::<Answered>(&record.body) {
            self.answered.entry(answered.key).or_default().push(answered);
        }
    }

    /// What an agent asked for last.
    pub(crate) fn asked(&self, key: Key) -> Option<&Asked> {
        self.asked.get(&key)
    }

    /// What an agent asked for last and what was said to it, if it was said.
    pub(crate) fn answer_to(&self, key: Key) -> Option<(&Asked, &Answered)> {
        let (asked, answered) = (self.asked.get(&key)?, self.answered.get(&key)?.last()?);
        (asked.request == answered.request).then_some((asked, answered))
    }

    /// What a courier may say to its agent.
    pub(crate) fn permits(&self, key: Key) -> Vec<Permit> {
        let answered = self.answered.get(&key).into_iter().flatten();
        answered.map(|one| Permit { request: one.request.clone(), is_allowed: one.allowed }).collect()
    }

    /// Lets go of what is over.
    pub(crate) fn forget(&mut self, is_open: impl Fn(&Key) -> bool) {
        self.asked.retain(|key, _| is_open(key));
        self.answered.retain(|key, _| is_open(key));
    }
}
