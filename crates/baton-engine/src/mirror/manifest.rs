//! `meta/handoff.yaml`: the latest handoff in the manifest dialect, and whether it was delivered.

use baton_document::{Datum, yaml};

use super::{Conflict, MirrorFile, Owner, SystemFiles, View, Wanted};
use crate::history::projection::{Delivery, End, Receiver};
use crate::outbound::compose::moment;

const DIALECT: &str = "manifest";
pub(super) const PATH: &str = "meta/handoff.yaml";

pub(super) fn files(view: &View<'_>) -> SystemFiles {
    let mut made = SystemFiles::default();
    let projection = view.projection;
    // Whoever works writes the next one.
    let owner = projection.open().last().map(|sent| Owner::of(sent, DIALECT));
    let all = projection.handoffs.iter().zip(view.sayings);
    let mut manifest = None;
    for (handed, said) in all.rev() {
        match said.as_ref() {
            Some(said) if said.dialect == DIALECT => {
                manifest = Some((handed, said));
                break;
            }
            // What Baton wrote at a step before which there was no manifest has no source to name.
            None if handed.given_up.is_some() && handed.text.is_some() => {
                let step = &handed.place.step;
                let why =
                    format!("what Baton wrote for the step {step} of {} is no manifest", projection.run());
                made.conflicts.push(Conflict { path: PATH.to_owned(), saved: None, why });
            }
            Some(_) | None => {}
        }
    }
    let wanted = match manifest {
        Some((handed, said)) => {
            let receivers = handed.receivers.iter().rev();
            let mut sent = receivers.filter_map(|receiver| match receiver {
                Receiver::Agent(at) => projection.deliveries.get(*at),
                Receiver::Gate { .. } | Receiver::Person { .. } | Receiver::Withdrawn => None,
            });
            let is_given_up = handed.given_up.is_some();
            Wanted::Is(manifest_of(&said.document, sent.next(), is_given_up).into_bytes())
        }
        None => Wanted::Awaited,
    };
    if manifest.is_some() || owner.is_some() {
        made.files.push(MirrorFile { path: PATH.to_owned(), wanted, owner });
    }
    made
}

/// What its agent wrote, with what became of its delivery; what was given up has failed, whoever hears of it.
fn manifest_of(document: &Datum<'static>, sent: Option<&Delivery>, is_given_up: bool) -> String {
    let mut document = document.clone();
    let text = |text: Option<String>| text.map_or(Datum::Null, Datum::text);
    let status = match sent.map(|sent| sent.end) {
        _ if is_given_up => "failed",
        None | Some(End::Stopped) => "pending",
        Some(End::Out | End::Answered | End::Questioned) => "sent",
        Some(End::Failed | End::Dead) => "failed",
    };
    let sent = sent.filter(|_| status == "sent");
    document.put("status", Datum::text(status));
    document.put("sent_at", text(sent.and_then(|sent| moment(sent.sent))));
    document.put("session_key", text(sent.and_then(|sent| sent.session.clone())));
    yaml(&document)
}
