//! `baton receive`: takes a handoff that a manifest announces, and begins the answer.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use baton_engine::mirror::manifests::PATH;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::runs::moment;
use crate::say;
use crate::shuttle::{discussion, reply, validate};
use baton_engine::project::paths;
use baton_engine::project::read::{self, Content};

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
    #[arg(value_name = "FILE", default_value = PATH)]
    file: PathBuf,
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
    let is_usual = typed.file == Path::new(PATH);
    let file = if is_usual { project.root.join(PATH) } else { typed.file.clone() };
    let bytes = manifest(&project, &file, &typed.file)?;
    let shown = typed.file.display().to_string();
    let below = if is_usual { Some(PATH.to_owned()) } else { below_root(&project, &file) };
    let path = below.as_deref().unwrap_or(&shown);
    let checked = validate(&project, (path, &bytes), typed.json)?;
    let said = String::from_utf8_lossy(&bytes);
    let document = crate::shuttle::document(&said);
    if !checked.is_valid {
        if typed.json {
            println_json(
                &json!({ "manifest": null, "findings": checked.findings, "source": null, "reply": null }),
            )?;
        }
        say::error(&format!("{shown} is not a manifest that can be received"), None);
        return Ok(Outcome::Blocked);
    }
    let word = |key: &str| document.word_at(key).map(str::trim).filter(|word| !word.is_empty());
    let (Some(from), Some(to), Some(source)) = (word("from"), word("to"), word("source_file")) else {
        return Err(Failure::Refused {
            message: format!("{shown} does not say from whom, to whom and about which file"),
            hint: Some("it is from before versions; `baton handoff` writes one that does".to_owned()),
        });
    };
    let text = discussion::text(&project, source)?;
    if let Some(answer) = reply::existing(&project, to, source) {
        return Err(Failure::Refused {
            message: format!("{to} has begun an answer already: {}", answer.path()),
            hint: Some("write there; nothing is overwritten".to_owned()),
        });
    }
    let Some(path) = reply::path(&project, to) else {
        return Err(Failure::Refused {
            message: "no number is left for a response, or its writer has no name for a file".to_owned(),
            hint: None,
        });
    };
    let stub = reply::stub(to, from, source, &moment::day(moment::now()));
    write_new(&project, &path, &stub)?;
    if typed.json {
        let object = json!({
            "manifest": serde_json::from_str::<serde_json::Value>(&baton_document::json(&document)).unwrap_or_default(),
            "findings": checked.findings,
            "source": { "path": source, "text": text },
            "reply": { "path": path, "text": stub },
        });
        println_json(&object)?;
        return Ok(Outcome::Clean);
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{}", say::printable(text.trim_end()))?;
    drop(out);
    say::note(&format!("{from} hands over to {to}; {source} is above"));
    say::note(&format!("the answer begins in {path}; write it, then hand back with `baton handoff`"));
    Ok(Outcome::Clean)
}

fn println_json(value: &serde_json::Value) -> Result<(), Failure> {
    Ok(writeln!(io::stdout().lock(), "{value}")?)
}

/// The bytes of the manifest.
fn manifest(project: &Project, file: &Path, typed: &Path) -> Result<Vec<u8>, Failure> {
    let shown = typed.display();
    if file.symlink_metadata().is_err() {
        let message = format!("{shown} does not exist");
        let hint = Some("`baton handoff` writes meta/handoff.yaml".to_owned());
        return Err(Failure::Usage { message, hint });
    }
    match read::file(file, project.config.limits.file_bytes) {
        Ok(Content::Bytes(bytes)) => Ok(bytes),
        Ok(Content::TooLarge(bytes)) => {
            Err(Failure::world(format!("cannot read {shown}: it has {bytes} bytes")))
        }
        Err(why) => Err(Failure::world(format!("cannot read {shown}: {why}"))),
    }
}

fn below_root(project: &Project, file: &Path) -> Option<String> {
    let here = std::env::current_dir().ok()?;
    project.below_root(&paths::absolute(file, &here).ok()?)
}

/// Writes a file that is not there yet.
fn write_new(project: &Project, path: &str, text: &str) -> Result<(), Failure> {
    let full = project.root.join(path);
    let inside = full.parent().and_then(|folder| folder.canonicalize().ok());
    if !inside.is_some_and(|folder| project.world.contains(&folder)) {
        return Err(Failure::Refused { message: format!("{path} leads out of the project"), hint: None });
    }
    let made = OpenOptions::new().write(true).create_new(true).open(&full);
    let written = made.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        if error.kind() == ErrorKind::AlreadyExists {
            let hint = Some("nothing is overwritten; try again".to_owned());
            Failure::Refused { message: format!("{path} is there already"), hint }
        } else {
            Failure::world(format!("cannot write {path}: {error}"))
        }
    })
}
