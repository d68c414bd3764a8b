//! `baton receive`: takes a handoff that a manifest announces, and begins the answer.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use baton_engine::service::project::read::{self, Content};
use baton_engine::service::project::{Project, paths};
use baton_engine::service::{MANIFEST_PATH, Service};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::{reply, say};
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "receive", command, run };

const ABOUT: &str = "Takes a handoff that a manifest announces, and begins the answer";

const LONG_ABOUT: &str = "\
Checks the manifest, prints the response that it announces, and writes the beginning of the answer: \
discussion/NNN-AGENT-response.md with the next number, with From and To swapped. Then `baton handoff` hands back.

Nothing is overwritten: if the receiver has answered already, the exit code is 3. If the manifest has errors, they are \
printed, and the exit code is 1.

With --json it prints manifest, findings, source (path and text) and reply (path and text).";

const EXAMPLES: &str = "\
Examples:
  baton receive                        the manifest in meta/handoff.yaml
  baton receive other/handoff.yaml     another one
  baton receive --json | jq -r .reply.path";

#[derive(Debug, Args)]
struct Typed {
    /// The manifest
    #[arg(value_name = "FILE", default_value = MANIFEST_PATH)]
    file: PathBuf,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let project = Projects::to_act()?;
    let is_usual = typed.file == Path::new(MANIFEST_PATH);
    let file = if is_usual { project.root.join(MANIFEST_PATH) } else { typed.file.clone() };
    let bytes = manifest(&project, &file, &typed.file)?;
    let shown = typed.file.display().to_string();
    let below = if is_usual { Some(MANIFEST_PATH.to_owned()) } else { below_root(&project, &file) };
    let path = below.as_deref().unwrap_or(&shown);
    let reply = Service::open(&project).receive(&bytes, path, &shown)?;
    if !typed.json {
        reply.findings_text.iter().for_each(|text| say::plain(text.trim_end()));
    }
    let (Some(source), Some(answer)) = (&reply.source, &reply.reply) else {
        if typed.json {
            reply::print(&reply)?;
        }
        say::error(&format!("{shown} is not a manifest that can be received"), None);
        return Ok(Outcome::Blocked);
    };
    if typed.json {
        reply::print(&reply)?;
        return Ok(Outcome::Clean);
    }
    writeln!(io::stdout().lock(), "{}", say::printable(source.text.trim_end()))?;
    say::note(&format!("{} hands over to {}; {} is above", reply.from, reply.to, source.path));
    let path = &answer.path;
    say::note(&format!("the answer begins in {path}; write it, then hand back with `baton handoff`"));
    Ok(Outcome::Clean)
}

/// The bytes of the manifest.
fn manifest(project: &Project, file: &Path, typed: &Path) -> Result<Vec<u8>, Fault> {
    let shown = typed.display();
    if file.symlink_metadata().is_err() {
        let message = format!("{shown} does not exist");
        let hint = Some("`baton handoff` writes meta/handoff.yaml".to_owned());
        return Err(Fault::usage(message, hint));
    }
    match read::file(file, project.config.limits.file_bytes) {
        Ok(Content::Bytes(bytes)) => Ok(bytes),
        Ok(Content::TooLarge(bytes)) => {
            Err(Fault::failed(format!("cannot read {shown}: it has {bytes} bytes")))
        }
        Err(why) => Err(Fault::failed(format!("cannot read {shown}: {why}"))),
    }
}

fn below_root(project: &Project, file: &Path) -> Option<String> {
    let here = std::env::current_dir().ok()?;
    project.below_root(&paths::absolute(file, &here).ok()?)
}
