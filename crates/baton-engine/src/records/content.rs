//! Text on its way into the ledger, without its secrets.

use std::sync::Arc;

use baton_document::Said;
use baton_document::secrets::{find, redacted};
use baton_kernel::Digest;
use baton_ledger::digest;

use crate::error::Refused;

/// Something that came in, ready to be decided on.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// Names what is handed on.
    pub(crate) digest: Digest,
    /// The bytes that are kept.
    pub(crate) bytes: Vec<u8>,
    /// The dialect of a handoff.
    pub(crate) dialect: Option<Arc<str>>,
    /// What a handoff says, where that was read for more than the decision.
    pub(crate) said: Option<Arc<Said>>,
}

impl Content {
    /// Text that is no handoff: a question, an answer of a person.
    pub(crate) fn plain(bytes: Vec<u8>) -> Self {
        let bytes = without_secrets(bytes);
        Self { digest: digest(&bytes), bytes, dialect: None, said: None }
    }
}

/// What is kept of a text: all but its secrets. What is no text has none that could be found, once it is made one.
pub(crate) fn without_secrets(bytes: Vec<u8>) -> Vec<u8> {
    // Most of what comes in is text, and has none.
    match std::str::from_utf8(&bytes) {
        Ok(text) if find(text).is_empty() => bytes,
        Ok(text) => redacted(text, None).0.into_bytes(),
        Err(_) => match redacted(&String::from_utf8_lossy(&bytes), None) {
            (_, 0) => bytes,
            (text, _) => text.into_bytes(),
        },
    }
}

/// Refuses a name with a secret in it: with a mark in its place it would name something else.
pub(crate) fn without_secret(of: &'static str, name: &str) -> Result<(), Refused> {
    match find(name).into_iter().next() {
        Some(secret) => Err(Refused::Secret { of, is: secret.is, fingerprint: secret.fingerprint }),
        None => Ok(()),
    }
}
