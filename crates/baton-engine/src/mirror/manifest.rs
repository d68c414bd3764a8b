//! `meta/handoff.yaml`: the latest handoff in the manifest dialect, and whether it was delivered.

use baton_document::{Datum, yaml};

use super::{Made, MirrorFile, Owner, View, Wanted};
use crate::dispatch::moment;
use crate::told::{End, Receiver, Sent};

const DIALECT: &str = "manifest";
const PATH: &str = "meta/handoff.yaml";

pub(super) fn files(view: &View<'_>) -> Made {
    let mut made = Made::default();
    let told = view.told;
    // Whoever works writes the next one.
    let owner = told.open().last().map(|sent| Owner::of(sent, DIALECT));
    let all = told.handoffs.iter().zip(view.sayings);
    let manifest = all.rev().find_map(|(handed, said)| {
        let said = said.as_ref().filter(|said| said.dialect == DIALECT)?;
        Some((handed, said))
    });
    let wanted = match manifest {
        Some((handed, said)) => {
            let receivers = handed.receivers.iter().rev();
            let mut sent = receivers.filter_map(|receiver| match receiver {
                Receiver::Agent(at) => told.deliveries.get(*at),
                Receiver::Gate { .. } | Receiver::Person { .. } => None,
            });
            Wanted::Is(manifest_of(&said.document, sent.next()).into_bytes())
        }
        None => Wanted::Awaited,
    };
    if manifest.is_some() || owner.is_some() {
        made.files.push(MirrorFile { path: PATH.to_owned(), wanted, owner });
    }
    made
}

/// What its agent wrote, with what became of its delivery.
fn manifest_of(document: &Datum<'static>, sent: Option<&Sent>) -> String {
    let mut document = document.clone();
    let text = |text: Option<String>| text.map_or(Datum::Null, Datum::text);
    let status = match sent.map(|sent| sent.end) {
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
