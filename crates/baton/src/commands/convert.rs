//! `baton convert`: a handoff in another form; so far the canonical JSON that schemas describe.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use baton_document::carrier::Look;
use baton_document::{Input, Scratch};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::read::{self, Content};
use crate::{paths, say};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "convert", command, run };

const ABOUT: &str = "Prints a handoff in another form";

const LONG_ABOUT: &str = "\
Prints a handoff in another form; so far in the canonical JSON that `baton schema` describes.

In XML an element becomes a key, a repeated element a list, an attribute `@name` and text beside attributes `#text`; \
numbers and booleans are what the dialect says they are. Several handoffs in one file become a list.";

const EXAMPLES: &str = "\
Examples:
  baton convert pipeline/41-reviewed.xml --to json
  agent | baton convert - --to json | jq .handoff.status";

#[derive(Debug, Args)]
struct Typed {
    /// The file with the handoff, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The form to print
    #[arg(long, value_name = "FORM", value_parser = ["json"])]
    to: String,
    /// Changes nothing: the form is JSON
    #[arg(long, hide = true)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let here =
        std::env::current_dir().map_err(|error| Failure::world(format!("no working directory: {error}")))?;
    let source = open(&typed.file, &here)?;
    let input = Input {
        path: source.path.as_deref(),
        bytes: &source.bytes,
        dialect: None,
        look: Look::Prose,
        is_named: true,
    };
    let checker = &source.project.checker;
    let forms = checker.canonical(input, &mut Scratch::default());
    let why = match &forms {
        None => Some("does not read without errors"),
        Some(forms) if forms.is_empty() => Some("holds no handoff"),
        Some(_) => None,
    };
    if let Some(why) = why {
        let shown = typed.file.display();
        say::error(&format!("{shown} {why}"), Some(&format!("`baton check {shown}` says more")));
        return Ok(Outcome::Blocked);
    }
    print(forms.unwrap_or_default())?;
    Ok(Outcome::Clean)
}

struct Source {
    path: Option<String>,
    bytes: Vec<u8>,
    project: std::sync::Arc<Project>,
}

fn open(file: &Path, here: &Path) -> Result<Source, Failure> {
    let is_stdin = file == Path::new("-");
    let absolute = paths::absolute(file, here).map_err(|error| missing(file, &error))?;
    if !is_stdin && let Err(error) = absolute.symlink_metadata() {
        return Err(missing(file, &error));
    }
    let folder = if is_stdin { here } else { absolute.parent().unwrap_or(here) };
    let project = Projects::new(here).of(folder);
    let bytes_max = project.checker.limits().file_bytes;
    let content = if is_stdin {
        read::stream(io::stdin().lock(), 0, bytes_max).map_err(|error| Failure::world(error.to_string()))?
    } else {
        read::file(&absolute, bytes_max)
            .map_err(|why| Failure::world(format!("cannot read {}: {why}", file.display())))?
    };
    let bytes = match content {
        Content::Bytes(bytes) => bytes,
        Content::TooLarge(_) => {
            return Err(Failure::world(format!("{} is larger than {bytes_max} bytes", file.display())));
        }
    };
    let path = if is_stdin { None } else { project.below_root(&absolute) };
    Ok(Source { path, bytes, project })
}

fn missing(file: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("{}: {error}", file.display()))
}

fn print(mut forms: Vec<Value>) -> Result<(), Failure> {
    let form = if forms.len() == 1 { forms.remove(0) } else { Value::Array(forms) };
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &form).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}
