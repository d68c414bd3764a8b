//! What agents handed each other last within a lane, by which it is known that they only hand the same back and forth.
//!
//! Each lane has its own: branches that run side by side with the same agents say the same without repeating anything, and
//! one that gets on does not hide another that does not.

use alloc::string::String;

use super::Lane;
use crate::{AgentId, Digest};

/// The last thing that one agent handed to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub from: AgentId,
    pub to: AgentId,
    pub content: Option<Digest>,
    pub signature: Option<String>,
    /// True if it was the same as the one before it in this direction.
    pub repeated: bool,
}

impl Seen {
    /// True if the same thing would be handed over once more.
    fn is_same(&self, content: Option<Digest>, signature: Option<&str>) -> bool {
        (content.is_some() && self.content == content)
            || (signature.is_some() && self.signature.as_deref() == signature)
    }
}

impl Lane {
    fn seen(&self, from: AgentId, to: AgentId) -> Option<&Seen> {
        self.seen.iter().find(|seen| seen.from == from && seen.to == to)
    }

    /// True if the lane carries what the one agent handed to the other the last time.
    fn repeats(&self, from: AgentId, to: AgentId) -> bool {
        let carried = &self.carried;
        let seen = self.seen(from, to);
        seen.is_some_and(|seen| seen.is_same(self.content(), carried.signature.as_deref()))
    }

    /// True if both agents only repeat themselves, should this go from the one to the other.
    pub(crate) fn is_ping_pong(&self, from: AgentId, to: AgentId) -> bool {
        self.repeats(from, to) && self.seen(to, from).is_some_and(|seen| seen.repeated)
    }

    /// Remembers that what the lane carries is handed over.
    pub(crate) fn hand(&mut self, from: AgentId, to: AgentId) {
        let (content, signature) = (self.content(), self.carried.signature.clone());
        let repeated = self.repeats(from, to);
        self.seen.retain(|seen| seen.from != from || seen.to != to);
        self.seen.push(Seen { from, to, content, signature, repeated });
    }
}
