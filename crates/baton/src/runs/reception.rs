//! How a delivery was received, in words: received, accepted and started are three facts, and the checklist is a fourth.

use std::io::{self, Write};

use baton_engine::service::Reception;

use super::table::one_line;

/// Prints how a delivery was received.
pub(crate) fn print(reception: &Reception, out: &mut impl Write) -> io::Result<()> {
    let when = |at: &Option<String>| at.clone().unwrap_or_else(|| "not said".to_owned());
    writeln!(out, "reception by {}", one_line(&reception.to))?;
    writeln!(out, "  received   {}", when(&reception.received))?;
    writeln!(out, "  accepted   {}", when(&reception.accepted))?;
    writeln!(out, "  started    {}", when(&reception.started))?;
    if let Some(checklist) = &reception.checklist {
        let what = match (checklist.findings.is_empty(), checklist.handed_over) {
            (true, _) => "all of it holds",
            (false, true) => "handed over with what is wanting",
            (false, false) => "not handed over, its sender is asked",
        };
        writeln!(out, "  checklist  {what}")?;
        for finding in &checklist.findings {
            writeln!(out, "    {}: {}", finding.item, one_line(&finding.text))?;
        }
    }
    if let (Some(at), Some(question)) = (&reception.asked, &reception.question) {
        writeln!(out, "  asked      {at}")?;
        for line in question.lines() {
            writeln!(out, "    {}", one_line(line))?;
        }
    }
    Ok(())
}
