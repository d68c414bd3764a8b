//! `baton verify`: whether the evidence of a handoff is as it says.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use baton_engine::evidence;
use baton_engine::evidence::{Claim, Depth, Recorded, Verdict};
use baton_engine::kernel::{Event, Key, Millis};
use baton_engine::ledger::{Ledger, Store};
use baton_engine::project::store;
use baton_engine::records::entry::history;
use baton_engine::sandbox;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::runs::names::{Named, parsed};
use crate::runs::{book, moment, table};
use crate::say;
use baton_engine::project::read::{self, Content};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "verify", command, run };

const ABOUT: &str = "Looks whether the evidence of a handoff is as it says";

const LONG_ABOUT: &str = "\
Looks at what a handoff says was made, changed and run: its files exist inside of the project and are hashed, and those that it \
names as changed are those that git says were changed since its work began. With --rerun the commands that it names are run \
again, each with a time limit, in a clean checkout of what git would commit now; bubblewrap keeps them from the network, from \
the home folder and from the rest of the project. Where bubblewrap does not work they are not run, unless --no-sandbox says so.

The verdict about a handoff of a run is recorded, and `baton show` shows it. Of a file, when its work began is not known, so \
that changes are not compared. Exit code 1 means that something is not as the handoff says.

With --json it prints id and verdict: holds, depth, findings, notes, files (path, hash), commands (command, ended, is_well, last) \
and sandbox.";

const EXAMPLES: &str = "\
Examples:
  baton verify article-3/2            the second handoff of a run
  baton verify article-3/2 --rerun    also runs its commands again
  baton verify meta/handoff.yaml      the handoff in a file";

#[derive(Debug, Args)]
struct Typed {
    /// A handoff as RUN/NUMBER, or a file
    #[arg(value_name = "ID")]
    id: String,
    /// Runs the commands that it names again
    #[arg(long)]
    rerun: bool,
    /// Runs them even where nothing keeps them from the rest of this machine
    #[arg(long, requires = "rerun")]
    no_sandbox: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::to_act()?;
    let file = PathBuf::from(&typed.id);
    let is_file = file.is_file();
    let ledger = if is_file { None } else { Some(recorded(&project, &typed.id)?) };
    let handoff = match &ledger {
        None => Handoff { text: read_file(&project, &file)?, worked: None, key: None },
        Some(ledger) => find(ledger, &typed.id)?,
    };
    let depth = if typed.rerun { Depth::Rerun } else { Depth::Artifacts };
    let claim = Claim::of_text(&project.checker, &project.root, &handoff.text, depth);
    let Some(mut claim) = claim else {
        return Err(Failure::Refused {
            message: format!("there is no handoff in {}", typed.id),
            hint: Some(format!("`baton check {}` says what is", typed.id)),
        });
    };
    claim.worked = handoff.worked;
    if let (Some(ledger), Some(key)) = (&ledger, handoff.key) {
        (claim.before, claim.handed_over) = evidence::seen_by_flow(ledger, parsed(&typed.id).0, key)?;
    }
    claim.is_open = typed.no_sandbox;
    if typed.no_sandbox && !sandbox::works() {
        say::note("bubblewrap does not work here: the commands run with all that you may do");
    }
    let verdict = claim.look().verdict(&project.checker);
    if let (Some(ledger), Some(key)) = (&ledger, handoff.key) {
        let recorded = Recorded { key, verdict: verdict.clone() };
        evidence::record(ledger, parsed(&typed.id).0, &recorded, moment::now())?;
    }
    let mut out = io::stdout().lock();
    if typed.json {
        writeln!(out, "{}", json!({ "id": typed.id, "verdict": verdict }))?;
    } else {
        writeln!(out, "{}  {}", table::one_line(&typed.id), headline(&verdict))?;
        tell(&verdict, &mut out)?;
    }
    Ok(if verdict.holds { Outcome::Clean } else { Outcome::Blocked })
}

/// The ledger, for a handoff that is named by its run; what names no run is a file that is not there.
fn recorded(project: &Project, id: &str) -> Result<Box<dyn Store>, Failure> {
    let (run, named) = parsed(id);
    let ledger = store::existing(&project.root)?;
    let is_run = ledger.as_ref().map_or(Ok(false), |ledger| book::is_there(ledger, run))?;
    match (ledger, named) {
        (Some(ledger), _) if is_run => Ok(ledger),
        (_, Named::Handoff(_)) => Err(book::no_run(run)),
        (_, Named::Run | Named::Question(_) | Named::Delivery(_) | Named::Step(_)) => Err(Failure::Usage {
            message: format!("{id} does not exist"),
            hint: Some("name a file, or a handoff as RUN/NUMBER; `baton log RUN` names each".to_owned()),
        }),
    }
}

/// A handoff whose evidence is looked at.
struct Handoff {
    text: Vec<u8>,
    worked: Option<(Millis, Millis)>,
    key: Option<Key>,
}

fn read_file(project: &Project, path: &Path) -> Result<Vec<u8>, Failure> {
    let shown = path.display();
    match read::file(path, project.config.limits.file_bytes) {
        Ok(Content::Bytes(bytes)) => Ok(bytes),
        Ok(Content::TooLarge(bytes)) => Err(Failure::world(format!("{shown}: {bytes} bytes are too many"))),
        Err(why) => Err(Failure::world(format!("{shown}: {why}"))),
    }
}

/// A handoff of a run, with when its work began and when it was handed over.
fn find(ledger: &dyn Ledger, id: &str) -> Result<Handoff, Failure> {
    let (run, Named::Handoff(number)) = parsed(id) else {
        return Err(Failure::Refused {
            message: format!("{id} is no handoff and no file"),
            hint: Some("a handoff is named RUN/NUMBER; `baton log RUN` names each".to_owned()),
        });
    };
    let mut began = std::collections::BTreeMap::new();
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
            return Err(Failure::Refused { message, hint: Some(format!("`baton show {id}` shows it")) });
        }
        match &entry.event {
            Some(Event::DeliveryStarted { key, .. }) => {
                began.entry(*key).or_insert(at);
            }
            Some(Event::Answered { key, .. }) if is_it => {
                let text = entry.record.payload.and_then(|payload| payload.bytes);
                let text = text.ok_or_else(|| Failure::Refused {
                    message: format!("the text of {id} was erased"),
                    hint: Some(format!("`baton show {id}` says why")),
                })?;
                let worked = began.get(key).map(|began| (*began, at));
                return Ok(Handoff { text, worked, key: Some(*key) });
            }
            _ => {}
        }
    }
    Err(Failure::Refused {
        message: format!("{run} has no handoff {number}; it has {count}"),
        hint: Some(format!("`baton log {run}` names each")),
    })
}

/// A verdict in a few words.
pub(super) fn headline(verdict: &Verdict) -> String {
    let what = match verdict.depth {
        Depth::Artifacts => "its files",
        Depth::Rerun => "its files and commands",
    };
    if verdict.holds {
        format!("verified: {what} are as it says")
    } else {
        format!("not verified: {what} are not as it says")
    }
}

/// A verdict in full, a line for each thing that was looked at.
pub(super) fn tell(verdict: &Verdict, out: &mut dyn Write) -> io::Result<()> {
    for finding in &verdict.findings {
        writeln!(out, "  ✘ {}", table::one_line(finding))?;
    }
    for file in &verdict.files {
        if let Some(hash) = &file.hash {
            writeln!(out, "  ✔ {}  sha256 {}", table::one_line(&file.path), table::one_line(hash))?;
        }
    }
    for ran in verdict.commands.iter().filter(|ran| ran.is_well) {
        writeln!(out, "  ✔ `{}` {}", table::one_line(&ran.command), table::one_line(&ran.ended))?;
    }
    for ran in verdict.commands.iter().filter(|ran| !ran.is_well) {
        for line in ran.last.lines().rev().take(5).collect::<Vec<_>>().into_iter().rev() {
            writeln!(out, "    │ {}", table::one_line(line))?;
        }
    }
    if verdict.sandbox.as_deref() == Some("none") {
        writeln!(out, "  · its commands ran without a sandbox")?;
    }
    for note in &verdict.notes {
        writeln!(out, "  · {}", table::one_line(note))?;
    }
    Ok(())
}
