//! Reception of a delivery: received, accepted and started are three facts, and the checklist is a fourth.

use schemars::JsonSchema;
use serde::Serialize;

use super::moment;
use crate::history::receipts::Receipt;
use crate::records::checklist::Item;

/// How a delivery was received.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reception {
    /// The delivery.
    pub id: String,
    /// Its receiver.
    pub to: String,
    /// When it was sent.
    pub sent: String,
    /// When its receiver said that it has it.
    pub received: Option<String>,
    /// When its receiver took it.
    pub accepted: Option<String>,
    /// When its receiver began.
    pub started: Option<String>,
    /// What the checklist found.
    pub checklist: Option<ChecklistReply>,
    /// What the receiver asked.
    pub question: Option<String>,
    /// When it asked.
    #[serde(skip)]
    pub asked: Option<String>,
}

/// What the checklist of a receiver found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChecklistReply {
    /// Whether the receiver got the handoff all the same.
    pub handed_over: bool,
    /// What is missing or unclear.
    pub findings: Vec<ChecklistItem>,
}

/// Something that is missing or unclear.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChecklistItem {
    /// `summary`, `artifacts`, `deliverable` or `constraints`.
    pub item: String,
    /// Why.
    pub text: String,
}

impl Reception {
    pub(super) fn new(run: &str, receipt: &Receipt) -> Self {
        let finding =
            |item: Item, text: &str| ChecklistItem { item: word(item).to_owned(), text: text.to_owned() };
        Self {
            id: format!("{run}/{}", receipt.key),
            to: receipt.receiver.clone(),
            sent: moment::stamp(receipt.sent),
            received: receipt.received.map(moment::stamp),
            accepted: receipt.accepted.map(moment::stamp),
            started: receipt.started.map(moment::stamp),
            checklist: receipt.checklist.as_ref().map(|checklist| ChecklistReply {
                handed_over: checklist.handed_over,
                findings: checklist.findings.iter().map(|one| finding(one.item, &one.text)).collect(),
            }),
            question: receipt.questioned.as_ref().map(|(_, question)| question.clone()),
            asked: receipt.questioned.as_ref().map(|(at, _)| moment::stamp(*at)),
        }
    }

    /// Whether there is more to say of it than that it was sent.
    pub fn has_news(&self) -> bool {
        let stages = [&self.received, &self.accepted, &self.started];
        stages.iter().any(|stage| stage.is_some()) || self.question.is_some() || self.checklist.is_some()
    }
}

fn word(item: Item) -> &'static str {
    match item {
        Item::Summary => "summary",
        Item::Artifacts => "artifacts",
        Item::Deliverable => "deliverable",
        Item::Constraints => "constraints",
    }
}
