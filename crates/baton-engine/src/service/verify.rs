//! Evidence of a handoff, looked at.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use baton_kernel::{Event, Key, Millis};
use baton_ledger::{Ledger, Store};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facade::Service;
use super::names::{Named, parsed};
use super::{lookup, moment};
use crate::evidence::{self, Claim, Recorded};
use crate::project::Project;
use crate::project::fault::{Diagnostic, Fault, Result, Severity};
use crate::project::read::{self, Content};
use crate::project::store;
use crate::records::entry::history;
use crate::sandbox;

pub use crate::evidence::{Depth, Verdict};

/// A handoff whose evidence is looked at.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct VerifyRequest {
    /// A handoff as RUN/NUMBER, or a file.
    pub id: String,
    /// Runs the commands that it names again.
    #[serde(default)]
    pub rerun: bool,
    /// Runs them also where no sandbox works.
    #[serde(default)]
    pub no_sandbox: bool,
}

/// What came of looking.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerifyReply {
    /// What was looked at.
    pub id: String,
    /// The verdict.
    #[schemars(with = "serde_json::Value")]
    pub verdict: Verdict,
}

impl Service {
    /// Looks at the evidence of a handoff, and records the verdict about one of a run. `note` hears what is worth knowing before
    /// commands run.
    pub fn verify(&self, request: &VerifyRequest, note: &mut dyn FnMut(Diagnostic)) -> Result<VerifyReply> {
        let project = &self.project;
        let id = &request.id;
        let file = PathBuf::from(id);
        let ledger = if file.is_file() { None } else { Some(recorded(project, id)?) };
        let handoff = match &ledger {
            None => Handoff { text: read_file(project, &file)?, worked: None, key: None },
            Some(ledger) => find(ledger, id)?,
        };
        let depth = if request.rerun { Depth::Rerun } else { Depth::Artifacts };
        let Some(mut claim) = Claim::of_text(&project.checker, &project.root, &handoff.text, depth) else {
            let hint = Some(format!("`baton check {id}` says what is"));
            return Err(Fault::refused(format!("there is no handoff in {id}"), hint));
        };
        claim.worked = handoff.worked;
        if let (Some(ledger), Some(key)) = (&ledger, handoff.key) {
            (claim.before, claim.handed_over) = evidence::seen_by_flow(ledger, parsed(id).0, key)?;
        }
        claim.is_open = request.no_sandbox;
        if request.no_sandbox && !sandbox::works() {
            let message = "bubblewrap does not work here: the commands run with all that you may do";
            note(Diagnostic::new(Severity::Note, message));
        }
        let verdict = claim.look().verdict(&project.checker);
        if let (Some(ledger), Some(key)) = (&ledger, handoff.key) {
            let recorded = Recorded { key, verdict: verdict.clone() };
            evidence::record(ledger, parsed(id).0, &recorded, moment::now())?;
        }
        Ok(VerifyReply { id: id.clone(), verdict })
    }
}

/// The ledger, for a handoff that is named by its run; an id without a run is a file that does not exist.
fn recorded(project: &Project, id: &str) -> Result<Box<dyn Store>> {
    let (run, named) = parsed(id);
    let ledger = store::existing(&project.root)?;
    let is_run = ledger.as_ref().map_or(Ok(false), |ledger| lookup::is_there(ledger, run))?;
    match (ledger, named) {
        (Some(ledger), _) if is_run => Ok(ledger),
        (_, Named::Handoff(_)) => Err(lookup::no_run(run)),
        (_, Named::Run | Named::Question(_) | Named::Delivery(_) | Named::Step(_)) => Err(Fault::usage(
            format!("{id} does not exist"),
            Some("name a file, or a handoff as RUN/NUMBER; `baton log RUN` names each".to_owned()),
        )),
    }
}

/// A handoff whose evidence is looked at.
struct Handoff {
    text: Vec<u8>,
    worked: Option<(Millis, Millis)>,
    key: Option<Key>,
}

fn read_file(project: &Project, path: &Path) -> Result<Vec<u8>> {
    let shown = path.display();
    match read::file(path, project.config.limits.file_bytes) {
        Ok(Content::Bytes(bytes)) => Ok(bytes),
        Ok(Content::TooLarge(bytes)) => Err(Fault::failed(format!("{shown}: {bytes} bytes are too many"))),
        Err(why) => Err(Fault::failed(format!("{shown}: {why}"))),
    }
}

/// A handoff of a run, with when its work began and when it was handed over.
fn find(ledger: &dyn Ledger, id: &str) -> Result<Handoff> {
    let (run, Named::Handoff(number)) = parsed(id) else {
        return Err(Fault::refused(
            format!("{id} is no handoff and no file"),
            Some("a handoff is named RUN/NUMBER; `baton log RUN` names each".to_owned()),
        ));
    };
    let mut began = BTreeMap::new();
    let mut count = 0;
    for entry in history(ledger, run)? {
        let at = entry.record.at;
        let is_it = entry.is_handoff() && {
            count += 1;
            count == number
        };
        if is_it && let Some(made) = entry.made() {
            let message = if made.is_error {
                format!("{id} says why {} failed: it has no evidence", made.agent)
            } else {
                format!("Baton wrote {id}, because {} gave no handoff: it has no evidence", made.agent)
            };
            return Err(Fault::refused(message, Some(format!("`baton show {id}` shows it"))));
        }
        match &entry.event {
            Some(Event::DeliveryStarted { key, .. }) => {
                began.entry(*key).or_insert(at);
            }
            Some(Event::Answered { key, .. }) if is_it => {
                let text = entry.record.payload.and_then(|payload| payload.bytes);
                let text = text.ok_or_else(|| {
                    let hint = Some(format!("`baton show {id}` says why"));
                    Fault::refused(format!("the text of {id} was erased"), hint)
                })?;
                let worked = began.get(key).map(|began| (*began, at));
                return Ok(Handoff { text, worked, key: Some(*key) });
            }
            _ => {}
        }
    }
    Err(Fault::refused(
        format!("{run} has no handoff {number}; it has {count}"),
        Some(format!("`baton log {run}` names each")),
    ))
}
