//! `state/current.json`, the list of all handoffs of the project, and the archive of each below `.project/07-audit`.

use baton_document::{Datum, Meaning, Said, json, yaml};
use baton_kernel::{Choice, Ending, GateAnswer, Stage};

use super::{Conflict, MirrorFile, SystemFiles, View, Wanted, file_name, in_dialect};
use crate::history::projection::{End, HUMAN, Handoff, Projection, Receiver};
use crate::outbound::compose::moment;
use crate::records::ids::{Nameless, Place};

const DIALECT: &str = "package";
const LIST: &str = "state/current.json";
/// Who gets what nobody works on any further.
const ORCHESTRATOR: &str = "orchestrator";

/// A handoff in the list of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) timestamp: String,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) status: String,
}

impl Row {
    /// As it stands in a list.
    pub(crate) fn datum(&self) -> Datum<'_> {
        let entry = |key: &'static str, text: &str| (key.into(), Datum::text(text.to_owned()));
        Datum::Map(vec![
            entry("id", &self.id),
            entry("timestamp", &self.timestamp),
            entry("from", &self.from),
            entry("to", &self.to),
            entry("status", &self.status),
        ])
    }
}

pub(super) fn files(view: &View<'_>) -> SystemFiles {
    let mut made = SystemFiles::default();
    let projection = view.projection;
    for (at, handed) in projection.handoffs.iter().enumerate() {
        let Some(given) = view.ids.of(&place(projection, handed)) else { continue };
        let session = file_name(projection.run());
        let path = format!(".project/07-audit/sessions/{session}/handoffs/{}.yaml", file_name(&given.id));
        if let Some(own) = &given.instead_of {
            let why = format!(
                "{}/{} brings the id `{own}`, which another handoff has or which names no file; it is {} here",
                projection.run(),
                at + 1,
                given.id
            );
            made.conflicts.push(Conflict { path: path.clone(), saved: None, why });
        }
        let archived = match &handed.text {
            None => Ok(Wanted::Gone),
            Some(_) => archived(view, at, handed, &given.id).map(Wanted::Is),
        };
        match archived {
            Ok(wanted) => made.files.push(MirrorFile { path, wanted, owner: None }),
            Err(why) => {
                let why = format!("{}/{} cannot be kept as a package: {why}", projection.run(), at + 1);
                made.conflicts.push(Conflict { path, saved: None, why });
            }
        }
    }
    made.files.push(MirrorFile {
        path: LIST.to_owned(),
        wanted: Wanted::Is(list(view).into_bytes()),
        owner: None,
    });
    made
}

/// Where a handoff is recorded.
fn place(projection: &Projection, handed: &Handoff) -> Place {
    Place { run: projection.run().to_owned(), seq: handed.seq }
}

/// The handoffs of a run that need an id.
pub(crate) fn nameless(projection: &Projection, sayings: &[Option<Said>]) -> Vec<Nameless> {
    let own = |said: &Option<Said>| said.as_ref()?.text(Meaning::Id).map(str::to_owned);
    let all = projection.handoffs.iter().zip(sayings);
    all.map(|(handed, said)| Nameless { place: place(projection, handed), own: own(said) }).collect()
}

/// The rows of a run.
pub(crate) fn rows(view: &View<'_>) -> Vec<Row> {
    let projection = view.projection;
    let row = |(handed, said): (&Handoff, &Option<Said>)| {
        let given = view.ids.of(&place(projection, handed))?;
        let named = said.as_ref().and_then(|said| said.text(Meaning::To));
        Some(Row {
            id: given.id.clone(),
            timestamp: moment(handed.at).unwrap_or_default(),
            from: handed.from.clone(),
            to: projection.receiver(handed).or(named).unwrap_or(ORCHESTRATOR).to_owned(),
            status: status(projection, handed).to_owned(),
        })
    };
    projection.handoffs.iter().zip(view.sayings).filter_map(row).collect()
}

/// The list of all handoffs, in the order in which they got their ids.
fn list(view: &View<'_>) -> String {
    let own = rows(view);
    let find = |id: &str| view.others.iter().chain(&own).find(|row| row.id == id);
    let all = view.ids.all().iter().filter_map(|given| find(&given.id));
    let handoffs = Datum::List(all.map(Row::datum).collect());
    json(&Datum::Map(vec![("handoffs".into(), handoffs)]))
}

/// How far a handoff has come: in a run that is over nobody is awaited any more, and what is still open is not wanted.
fn status(projection: &Projection, handed: &Handoff) -> &'static str {
    match reached(projection, handed) {
        "pending" | "received" | "accepted" | "started" if projection.ended.is_some() => "failed",
        reached => reached,
    }
}

/// How far a handoff has come with whoever got it last.
fn reached(projection: &Projection, handed: &Handoff) -> &'static str {
    let is_cancelled = matches!(projection.state.ending(), Some(Ending::Cancelled(_)));
    match handed.receivers.last() {
        // It says that the step was given up, and nobody was there to be asked.
        None if projection.ended.is_some() && handed.given_up.is_some() => "failed",
        None if projection.ended.is_some() && !is_cancelled => "completed",
        None => "pending",
        Some(Receiver::Agent(at)) => {
            match projection.deliveries.get(*at).map(|sent| (sent.end, sent.stage)) {
                Some((End::Answered, _)) => "completed",
                Some((End::Dead | End::Stopped, _)) => "failed",
                Some((End::Questioned, _)) => "received",
                Some((End::Out | End::Failed, Some(Stage::Received))) => "received",
                Some((End::Out | End::Failed, Some(Stage::Accepted))) => "accepted",
                Some((End::Out | End::Failed, Some(Stage::Started))) => "started",
                Some((End::Out | End::Failed, None)) | None => "pending",
            }
        }
        Some(Receiver::Gate { answer, is_over, .. }) => match answer {
            Some(GateAnswer::Reject) => "rejected",
            Some(GateAnswer::Question) => "received",
            Some(GateAnswer::Approve) => "completed",
            None if *is_over => "completed",
            None => "pending",
        },
        Some(Receiver::Person { answer, .. }) => match answer {
            Some(Choice::Halt) => "rejected",
            Some(Choice::Again | Choice::GoOn | Choice::Go(_)) => "completed",
            None => "pending",
        },
        Some(Receiver::Withdrawn) => "failed",
    }
}

/// A handoff as it is archived: what its agent wrote, with its id and where the workflow really was.
fn archived(view: &View<'_>, at: usize, handed: &Handoff, id: &str) -> Result<Vec<u8>, String> {
    let projection = view.projection;
    // To whom it went first: that does not change any more.
    let to = match handed.receivers.first() {
        Some(Receiver::Agent(delivery)) => projection.deliveries.get(*delivery).map(|sent| sent.to.as_str()),
        Some(Receiver::Gate { .. } | Receiver::Person { .. } | Receiver::Withdrawn) => Some(HUMAN),
        None => None,
    };
    let to = to.unwrap_or(ORCHESTRATOR);
    let set = [("from.agent", handed.from.as_str()), ("to.agent", to)];
    let set: Vec<(String, String)> =
        set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let mut document = in_dialect(view, at, DIALECT, &set)?;
    let timestamp = document.remove("timestamp");
    let timestamp = timestamp.unwrap_or_else(|| Datum::text(moment(handed.at).unwrap_or_default()));
    document.remove("id");
    document.remove("workflow_state");
    let names = |steps: &[String]| Datum::List(steps.iter().cloned().map(Datum::text).collect());
    let state = Datum::Map(vec![
        ("name".into(), Datum::text(projection.plan().name.clone())),
        ("current_step".into(), Datum::text(handed.place.step.clone())),
        ("completed_steps".into(), names(&handed.place.completed)),
        ("remaining_steps".into(), names(&handed.place.remaining)),
    ]);
    let mut entries = vec![("id".into(), Datum::text(id.to_owned())), ("timestamp".into(), timestamp)];
    if let Datum::Map(own) = document {
        entries.extend(own);
    }
    entries.push(("workflow_state".into(), state));
    Ok(yaml(&Datum::Map(vec![("handoff".into(), Datum::Map(entries))])).into_bytes())
}
