//! `baton handoff`: the newest response of a discussion becomes a handoff, and is sent if that is wanted.

use std::io::{self, Write};

use baton_engine::service::{HandoffRequest, MANIFEST_PATH, ManifestReply, Service};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::drive::Face;
use crate::{reply, say};
use baton_engine::service::Fault;

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

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let service = Service::open(&Projects::to_act()?);
    let mut reply = service.manifest(typed.to.as_deref())?;
    if !typed.json {
        reply.notes.iter().for_each(|note| say::warning(note));
        reply.findings_text.iter().for_each(|text| say::plain(text.trim_end()));
    }
    if !reply.is_valid {
        if typed.json {
            reply::print(&reply)?;
        }
        let hint = "mend the head of the response, or name the receiver with --to";
        say::error(&format!("{} makes no manifest that holds", reply.source), Some(hint));
        return Ok(Outcome::Blocked);
    }
    let request = HandoffRequest { to: typed.to, send: typed.send, branch: typed.branch };
    service.handoff(&mut reply, &request, &super::program())?.iter().for_each(say::diagnostic);
    if !typed.json {
        let prompt = reply.prompt.as_deref().unwrap_or_default();
        write!(io::stdout().lock(), "{}", say::printable(prompt))?;
    }
    let outcome = if typed.send { send(&service, &mut reply)? } else { Outcome::Clean };
    if typed.json && outcome != Outcome::Interrupted {
        reply::print(&reply)?;
    }
    Ok(outcome)
}

fn send(service: &Service, reply: &mut ManifestReply) -> Result<Outcome, Fault> {
    let Some(sent) = service.handoff_send(reply, &mut Face::quiet())? else {
        say::note("stopped; `baton handoff --send` tries it again");
        return Ok(Outcome::Interrupted);
    };
    if !sent.written {
        say::note(&format!(
            "{MANIFEST_PATH} was changed meanwhile and stays as it is; the ledger says what came of this"
        ));
    }
    let (to, run) = (&reply.to, &sent.run);
    match &sent.reason {
        None => {
            say::note(&format!("{to} has it; `baton log {run}` tells how"));
            Ok(Outcome::Clean)
        }
        Some(reason) => {
            let hint = format!("`baton log {run}` tells all; `baton handoff --send` tries it again");
            say::error(&format!("it could not be sent to {to}: {reason}"), Some(&hint));
            Ok(Outcome::Incomplete)
        }
    }
}
