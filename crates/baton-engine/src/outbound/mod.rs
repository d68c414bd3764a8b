//! What goes out: a delivery that is owed, composed for its receiver.

pub mod checklist;
pub(crate) mod compose;
pub(crate) mod finalize;
pub mod prompts;
pub mod relay;
pub(crate) mod reply_context;
pub(crate) mod worktree;
