//! How a delivery was received, in words: received, accepted and started are three facts, and the checklist is a fourth.

use std::io::{self, Write};

use baton_engine::history::receipts::Receipt;
use baton_engine::records::checklist::Item;
use serde_json::{Value, json};

use super::moment;
use super::table::one_line;

/// Whether there is anything to say of it beside that it was sent.
pub(crate) fn is_told(receipt: &Receipt) -> bool {
    let stages = [receipt.received, receipt.accepted, receipt.started];
    stages.iter().any(Option::is_some) || receipt.questioned.is_some() || receipt.checklist.is_some()
}

/// Tells how a delivery was received.
pub(crate) fn tell(receipt: &Receipt, out: &mut impl Write) -> io::Result<()> {
    let when = |at: Option<_>| at.map_or_else(|| "not said".to_owned(), moment::stamp);
    writeln!(out, "reception by {}", one_line(&receipt.receiver))?;
    writeln!(out, "  received   {}", when(receipt.received))?;
    writeln!(out, "  accepted   {}", when(receipt.accepted))?;
    writeln!(out, "  started    {}", when(receipt.started))?;
    if let Some(checklist) = &receipt.checklist {
        let what = match (checklist.findings.is_empty(), checklist.handed_over) {
            (true, _) => "all of it holds",
            (false, true) => "handed over with what is wanting",
            (false, false) => "not handed over, its sender is asked",
        };
        writeln!(out, "  checklist  {what}")?;
        for finding in &checklist.findings {
            writeln!(out, "    {}: {}", word(finding.item), one_line(&finding.text))?;
        }
    }
    if let Some((at, question)) = &receipt.questioned {
        writeln!(out, "  asked      {}", moment::stamp(*at))?;
        for line in question.lines() {
            writeln!(out, "    {}", one_line(line))?;
        }
    }
    Ok(())
}

/// How a delivery was received, as one JSON object.
pub(crate) fn json(run: &str, receipt: &Receipt) -> Value {
    let checklist = receipt
        .checklist
        .as_ref()
        .map(|checklist| json!({ "handed_over": checklist.handed_over, "findings": checklist.findings }));
    json!({
        "id": format!("{run}/{}", receipt.key),
        "to": receipt.receiver,
        "sent": moment::stamp(receipt.sent),
        "received": receipt.received.map(moment::stamp),
        "accepted": receipt.accepted.map(moment::stamp),
        "started": receipt.started.map(moment::stamp),
        "checklist": checklist,
        "question": receipt.questioned.as_ref().map(|(_, question)| question),
    })
}

fn word(item: Item) -> &'static str {
    match item {
        Item::Summary => "summary",
        Item::Artifacts => "artifacts",
        Item::Deliverable => "deliverable",
        Item::Constraints => "constraints",
    }
}
