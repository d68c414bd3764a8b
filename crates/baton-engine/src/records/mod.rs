//! What the engine itself puts into the ledger, and how events are written there.

pub mod checklist;
pub(crate) mod codec;
pub(crate) mod content;
pub mod entry;
pub mod ids;
pub mod mailbox;
pub(crate) mod reading;
pub mod substitute;
