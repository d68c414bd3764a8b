//! Bringing a manifest to its receiver, and no more: what counts is that the receiver has it.
//!
//! The receiver answers with a discussion file, in its own time. Whatever it says to the courier is kept as it is, and
//! where that is no manifest, Baton writes the receipt that ends the delivery.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use baton_courier::{Cause, Courier, Delivery, Key, Kind, Report, What};
use baton_document::dialect::Settings;
use baton_document::{Checker, Datum, Levels, Limits, Scratch, yaml};

use crate::Setup;
use crate::intake::{self, Taken};

/// The dialect of what is brought.
pub const DIALECT: &str = "manifest";

/// An agent that is only brought something, by the courier that reaches it.
#[must_use]
pub fn bringing(setup: Setup) -> Setup {
    if setup.courier.kind() == Kind::Kept {
        return setup;
    }
    let checker = Arc::new(Checker::new(&Settings::default(), Levels::default(), Limits::default()));
    Setup { courier: Arc::new(Bringing { inner: Arc::clone(&setup.courier), checker }), ..setup }
}

/// A courier whose attempts are over when the receiver has what it was brought.
struct Bringing {
    inner: Arc<dyn Courier>,
    checker: Arc<Checker>,
}

impl Courier for Bringing {
    fn kind(&self) -> Kind {
        self.inner.kind()
    }

    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        let (sender, receiver) = channel();
        let (checker, handoff) = (Arc::clone(&self.checker), delivery.handoff.clone());
        // Nobody is asked for a handoff at the end: the discussion file is the answer.
        let delivery = Delivery { finalization: None, is_reask: false, ..delivery };
        self.inner.start(delivery, sender);
        thread::spawn(move || {
            for report in receiver {
                let Report { key, attempt, what } = report;
                let is_last = what.is_final();
                for what in told(&checker, &handoff, what) {
                    // Whoever started it may be gone.
                    let _ = reports.send(Report { key: key.clone(), attempt, what });
                }
                if is_last {
                    return;
                }
            }
        });
    }

    fn stop(&self, key: &Key) {
        self.inner.stop(key);
    }
}

/// What a report of the courier means here.
fn told(checker: &Checker, handoff: &[u8], what: What) -> Vec<What> {
    match what {
        What::Answer(bytes) => {
            let (taken, _) = intake::answer(checker, &mut Scratch::default(), DIALECT, bytes.clone());
            match taken {
                Taken::Answer(..) => vec![What::Answer(bytes)],
                Taken::Unusable(..) => vec![What::Draft(bytes), receipt(checker, handoff)],
            }
        }
        // It ended well and had nothing to say.
        What::Failure(failure) if failure.cause == Cause::Empty => vec![receipt(checker, handoff)],
        What::Progress(_) | What::Draft(_) | What::Question(_) | What::Session(_) | What::Failure(_) => {
            vec![what]
        }
    }
}

/// The receipt for a manifest: the same, back to its sender.
fn receipt(checker: &Checker, handoff: &[u8]) -> What {
    let said = intake::said(checker, &mut Scratch::default(), handoff);
    let mut document = said.map_or(Datum::Map(Vec::new()), |said| said.document);
    let name = |document: &Datum<'static>, key| document.get(key).cloned().unwrap_or(Datum::Null);
    let (from, to) = (name(&document, "from"), name(&document, "to"));
    document.put("from", to);
    document.put("to", from);
    document.put("status", Datum::text("sent"));
    document.put("x-baton.receipt", Datum::text("written by Baton: the receiver has it"));
    What::Answer(yaml(&document).into_bytes())
}
