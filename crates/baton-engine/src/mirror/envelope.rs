//! `RUN_BASE/<flow>/handoffs/<step>-<agent>.json`: an envelope per step, its drafts, and its earlier rounds.

use baton_document::{Datum, json};

use super::{Conflict, MirrorFile, Owner, SystemFiles, View, Wanted, file_name, in_dialect};
use crate::history::projection::{Delivery, End, Handoff};
use crate::outbound::compose::moment;

const DIALECT: &str = "envelope";

pub(super) fn files(view: &View<'_>) -> SystemFiles {
    let mut made = SystemFiles::default();
    let projection = view.projection;
    let folder = match folder(view.keeping.run_base, projection.run(), &projection.plan().name) {
        Ok(folder) => folder,
        Err(why) => {
            let path = view.keeping.run_base.to_owned();
            made.conflicts.push(Conflict { path, saved: None, why });
            return made;
        }
    };
    let stem = |sent: &Delivery| stem(&folder, &sent.step, &sent.to);
    let owner = |stem_of: &str| {
        projection.open().find(|sent| stem(sent) == stem_of).map(|sent| Owner::of(sent, DIALECT))
    };
    let stems: Vec<Option<String>> =
        projection.handoffs.iter().map(|handed| projection.answered(handed).map(stem)).collect();
    for (at, handed) in projection.handoffs.iter().enumerate() {
        let (Some(sent), Some(stem)) = (projection.answered(handed), &stems[at]) else { continue };
        let round = stems[..at].iter().filter(|other| other.as_ref() == Some(stem)).count() + 1;
        let is_last = !stems[at + 1..].contains(&Some(stem.clone()));
        let path = if is_last { format!("{stem}.json") } else { format!("{stem}.r{round}.json") };
        let owner = if is_last { owner(stem) } else { None };
        match envelope(view, at, handed, sent) {
            Ok(Some(bytes)) => made.files.push(MirrorFile { path, wanted: Wanted::Is(bytes), owner }),
            // What was erased is erased here too.
            Ok(None) => made.files.push(MirrorFile { path, wanted: Wanted::Gone, owner: None }),
            Err(why) => {
                let why = format!("{}/{} cannot be kept as an envelope: {why}", projection.run(), at + 1);
                made.conflicts.push(Conflict { path, saved: None, why });
            }
        }
    }
    for sent in projection.deliveries.iter() {
        let stem = stem(sent);
        let draft = format!("{stem}.draft.json");
        let is_out = matches!(sent.end, End::Out | End::Failed);
        match &sent.draft {
            Some(text) if is_out => {
                let wanted = Wanted::Is(text.to_vec());
                made.files.retain(|file| file.path != draft);
                made.files.push(MirrorFile { path: draft, wanted, owner: None });
            }
            // The envelope stands in its place, written before.
            Some(_) => made.files.push(MirrorFile { path: draft, wanted: Wanted::Gone, owner: None }),
            None => {}
        }
        let path = format!("{stem}.json");
        if sent.end == End::Out && !made.files.iter().any(|file| file.path == path) {
            let owner = Some(Owner::of(sent, DIALECT));
            made.files.push(MirrorFile { path, wanted: Wanted::Awaited, owner });
        }
    }
    made
}

/// The file of an agent's envelope at a step, if it can have one.
pub(super) fn path(run_base: &str, run: &str, flow: &str, (step, agent): (&str, &str)) -> Option<String> {
    let folder = folder(run_base, run, flow).ok()?;
    Some(format!("{}.json", stem(&folder, step, agent)))
}

fn stem(folder: &str, step: &str, agent: &str) -> String {
    format!("{folder}/{}-{}", file_name(step), file_name(agent))
}

/// The folder of the run's envelopes, or why there can be none.
fn folder(run_base: &str, run: &str, flow: &str) -> Result<String, String> {
    let base = run_base.replace("{run}", &file_name(run));
    if base.contains(['{', '}', '*', '?', '[']) {
        return Err(
            "`settings.run-base` names more than one folder: only `{run}` can be filled in".to_owned()
        );
    }
    Ok(format!("{}/{}/handoffs", base.trim_end_matches('/'), file_name(flow)))
}

/// The envelope of a handoff; nothing where it was erased.
fn envelope(
    view: &View<'_>,
    at: usize,
    handed: &Handoff,
    sent: &Delivery,
) -> Result<Option<Vec<u8>>, String> {
    if handed.text.is_none() {
        return Ok(None);
    }
    // Its place is made of these, and must agree.
    let meta = [
        ("meta.step_id", file_name(&sent.step)),
        ("meta.flow_key", file_name(&view.projection.plan().name)),
        ("meta.agent_key", file_name(&sent.to)),
    ];
    let set: Vec<(String, String)> =
        meta.iter().map(|(path, value)| ((*path).to_owned(), value.clone())).collect();
    let mut document = in_dialect(view, at, DIALECT, &set)?;
    for (path, value) in meta {
        document.put(path, Datum::text(value));
    }
    if document.word_at("meta.timestamp").is_none() {
        document.put("meta.timestamp", Datum::text(moment(handed.at).unwrap_or_default()));
    }
    Ok(Some(json(&document).into_bytes()))
}
