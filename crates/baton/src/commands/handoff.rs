//! `baton handoff`: the newest response of a discussion becomes a handoff, and is sent if that is wanted.

use std::io::{self, Write};

use baton_engine::git::{Repository, Silence};
use baton_engine::mirror::manifests::{Manifests, PATH, Relayed};
use baton_engine::project::store;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::runs::moment;
use crate::say;
use crate::shuttle::send::{Sent, refuse_twice, send};
use crate::shuttle::{Generated, document, generate, prompt, validate};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "handoff", command, run };

const ABOUT: &str = "Makes a handoff of the newest response, and sends it";

const LONG_ABOUT: &str = "\
Makes meta/handoff.yaml of the response in discussion/ with the highest number, checks it, and prints what its receiver is \
to be told: what to read, how things stand, the next item of the work queue that is ready, the files that changed, and how \
to answer. If the manifest has errors they are printed, nothing is written, and the exit code is 1.

Who it is from and to stands in the front matter of the response (from, to, work_queue_item, files_changed, status), else \
in its lines `**From:** …` and `**To:** …`. A name such as \"Claude (Opus)\" means the participant `claude` of \
meta/collaboration.yaml. Files are those of the front matter, else those that git says changed since the previous response \
was committed.

With --send it goes to the receiver as [agents.NAME] of baton.toml says, in a run of its own. Then status, sent_at and \
session_key in the manifest say so. If that fails, status is `failed`, the reason is in the ledger, and the exit code is \
4; sending again is a new attempt of the same delivery. What the receiver has already is not sent twice (exit code 3).

Every manifest and every sending stays in the ledger when the file is replaced: `baton log` tells them.

With --json it prints path, manifest, findings, notes, prompt, branch, next and sent.";

const EXAMPLES: &str = "\
Examples:
  baton handoff                    writes the manifest, prints what to tell the receiver
  baton handoff --send             and sends it
  baton handoff --to claude        to somebody else than the response says
  baton handoff --branch           and makes the branch handoff/58-codex-to-claude
  baton handoff --json | jq -r .prompt";

#[derive(Debug, Args)]
struct Typed {
    /// Sends it to its receiver
    #[arg(long)]
    send: bool,
    /// The receiver, whoever the response names
    #[arg(long, value_name = "AGENT", value_parser = name)]
    to: Option<String>,
    /// Makes the branch that the manifest names, where HEAD is
    #[arg(long)]
    branch: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

fn name(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err("an agent has a name of one line".to_owned());
    }
    Ok(name.to_owned())
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::to_act()?;
    let made = generate(&project, typed.to.as_deref(), moment::now())?;
    for note in made.notes.iter().filter(|_| !typed.json) {
        say::warning(note);
    }
    let checked = validate(&project, (PATH, made.text.as_bytes()), typed.json)?;
    let mut shown = Shown { made: &made, findings: checked.findings, prompt: None, next: None, sent: None };
    if !checked.is_valid {
        if typed.json {
            shown.print(&made.text)?;
        }
        let hint = "mend the head of the response, or name the receiver with --to";
        say::error(&format!("{} makes no manifest that holds", made.word("source_file")), Some(hint));
        return Ok(Outcome::Blocked);
    }
    let ledger = store::open(&project.root)?;
    if typed.send {
        refuse_twice(&project, &ledger, &made)?;
    }
    if typed.branch {
        make_branch(&project, made.word("branch"))?;
    }
    let manifests = Manifests { ledger: &ledger, checker: &project.checker, root: &project.root };
    let about = format!("{}, from {} to {}", made.word("source_file"), made.word("from"), made.word("to"));
    for conflict in manifests.generated(made.text.as_bytes(), made.name, &about, moment::now())? {
        let saved = conflict.saved.map(|saved| format!("; it is saved as {saved}")).unwrap_or_default();
        say::note(&format!("{}: {}{saved}", conflict.path, conflict.why));
    }
    let next = prompt::next_ready(&project.world);
    let told = prompt::relay(&project, &made, next.as_ref(), &super::program());
    (shown.prompt, shown.next) = (Some(told.clone()), next.map(|item| item.id));
    if !typed.json {
        write!(io::stdout().lock(), "{}", say::printable(&told))?;
    }
    if !typed.send {
        if typed.json {
            shown.print(&made.text)?;
        }
        return Ok(Outcome::Clean);
    }
    let Some(sent) = send(&project, &ledger, &made, &told)? else {
        say::note("stopped; `baton handoff --send` tries it again");
        return Ok(Outcome::Interrupted);
    };
    if !sent.is_written {
        say::note(&format!(
            "{PATH} was changed meanwhile and stays as it is; the ledger says what came of this"
        ));
    }
    let (to, run) = (made.word("to"), &sent.run);
    let outcome = match &sent.relayed {
        Relayed::Sent { .. } => {
            say::note(&format!("{to} has it; `baton log {run}` tells how"));
            Outcome::Clean
        }
        Relayed::Failed { reason } => {
            let hint = format!("`baton log {run}` tells all; `baton handoff --send` tries it again");
            say::error(&format!("it could not be sent to {to}: {reason}"), Some(&hint));
            Outcome::Incomplete
        }
    };
    if typed.json {
        let text = sent.text.clone();
        shown.sent = Some(sent);
        shown.print(&text)?;
    }
    Ok(outcome)
}

/// What is shown as data.
struct Shown<'s> {
    made: &'s Generated,
    findings: Value,
    prompt: Option<String>,
    next: Option<String>,
    sent: Option<Sent>,
}

impl Shown<'_> {
    fn print(&self, manifest: &str) -> Result<(), Failure> {
        let sent = self.sent.as_ref().map(|sent| {
            let (is_sent, session, reason) = match &sent.relayed {
                Relayed::Sent { session } => (true, session.as_ref(), None),
                Relayed::Failed { reason } => (false, None, Some(reason)),
            };
            json!({
                "run": sent.run, "sent": is_sent, "at": moment::stamp(sent.at), "session": session,
                "reason": reason, "written": sent.is_written,
            })
        });
        let manifest = baton_document::json(&document(manifest));
        let object = json!({
            "path": PATH,
            "manifest": serde_json::from_str::<Value>(&manifest).unwrap_or_default(),
            "findings": self.findings,
            "notes": self.made.notes,
            "prompt": self.prompt,
            "branch": self.made.word("branch"),
            "next": self.next,
            "sent": sent,
        });
        Ok(writeln!(io::stdout().lock(), "{object}")?)
    }
}

/// Makes a branch where HEAD is, unless it is there.
fn make_branch(project: &Project, branch: &str) -> Result<(), Failure> {
    let made = Repository::open(&project.root).and_then(|repository| match repository.commit("HEAD")? {
        Some(head) => repository.make_branch(branch, &head),
        None => Err(Silence::Refused("there is no commit yet".to_owned())),
    });
    match made {
        Ok(true) => say::note(&format!("made the branch {branch}")),
        Ok(false) => say::note(&format!("the branch {branch} is there already")),
        Err(Silence::Refused(message)) => {
            let hint = Some("a branch needs a repository with a commit; leave --branch out".to_owned());
            return Err(Failure::Refused { message: format!("no branch was made: {message}"), hint });
        }
        Err(Silence::Failed(why)) => return Err(Failure::world(why)),
    }
    Ok(())
}
