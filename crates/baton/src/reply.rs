//! Replies of the service as JSON: what `--json` prints is the serialised reply.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use baton_engine::service::{ErrorReply, Fault, FaultKind, REPLY_VERSION};
use serde::Serialize;

/// Whether a part of a reply was printed.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// A reply of one object, with the version of its shape.
#[derive(Serialize)]
struct Versioned<'r, T> {
    version: u8,
    #[serde(flatten)]
    reply: &'r T,
}

/// Prints a reply as one line of JSON, with its version.
pub(crate) fn print(reply: &impl Serialize) -> Result<(), Fault> {
    line(&Versioned { version: REPLY_VERSION, reply })
}

fn line(reply: &impl Serialize) -> Result<(), Fault> {
    let line = serde_json::to_string(reply).map_err(|error| Fault::failed(error.to_string()))?;
    begin();
    Ok(writeln!(io::stdout().lock(), "{line}")?)
}

/// Notes that a part of a reply is printed, so that no error object follows it.
pub(crate) fn begin() {
    BEGUN.store(true, Ordering::Relaxed);
}

/// Prints a fault as JSON, unless a part of a reply was printed before it.
pub(crate) fn print_error(fault: &Fault) {
    if fault.kind != FaultKind::Unread && !BEGUN.load(Ordering::Relaxed) {
        // The message is on the error stream already.
        let _ = line(&ErrorReply::new(fault));
    }
}
