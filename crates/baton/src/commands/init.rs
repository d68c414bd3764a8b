//! `baton init`: starts what a project can have: a first flow that runs, or a dialect file.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};

use baton_document::dialect::BUILT_IN;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};

use super::Row;
use crate::outcome::Outcome;
use crate::project::{Project, Projects};
use baton_engine::service::Fault;
use baton_engine::service::project::dialects::FOLDER;
use baton_engine::service::project::paths;
use baton_engine::service::project::root::CONFIG_NAME;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "init", command, run };

const ABOUT: &str = "Starts a first flow, or a dialect of your own";

const LONG_ABOUT: &str = "\
Starts a first flow: writes flows/first.yaml with two small agents that need no model, and baton.toml if there is none, so that \
`baton run first` works at once. With `dialect`, writes a dialect file that is right as it is. Comments in the files say how to \
go on.

Nothing is overwritten. The files go to the top of the project.";

const EXAMPLES: &str = "\
Examples:
  baton init                       writes flows/first.yaml, its agents and baton.toml
  baton init dialect               writes dialects/note.yaml
  baton init dialect shift-log     writes dialects/shift-log.yaml

Exit codes: 0 written or there already, 2 a name that no dialect of yours can have, 3 a dialect of that name is there already, \
4 a file could not be written.";

/// What a new file says; `NAME` is replaced.
const STARTER: &str = include_str!("init_dialect.yaml");

/// The files of a first flow, each with its path.
const FIRST: [(&str, &str); 3] = [
    (CONFIG_NAME, include_str!("init_config.toml")),
    ("flows/first.yaml", include_str!("init_flow.yaml")),
    ("flows/first-agent.sh", include_str!("init_agent.sh")),
];

#[derive(Debug, Args)]
struct Typed {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Writes dialects/NAME.yaml, to be changed into a dialect of your own
    Dialect {
        /// The name of the dialect: small letters, digits and -
        #[arg(value_name = "NAME", default_value = "note")]
        name: String,
    },
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let project = Projects::here()?;
    match typed.what {
        None => first(&project),
        Some(What::Dialect { name }) => dialect(&project, &name),
    }
}

/// Writes what a first run needs, and leaves what is there.
fn first(project: &Project) -> Result<Outcome, Fault> {
    let mut out = io::stdout().lock();
    for (path, text) in FIRST {
        let there = project.root.join(path);
        if let Some(folder) = there.parent() {
            fs::create_dir_all(folder).map_err(|error| failed(path, &error))?;
        }
        match OpenOptions::new().write(true).create_new(true).open(&there) {
            Ok(mut file) => {
                file.write_all(text.as_bytes()).map_err(|error| failed(path, &error))?;
                writeln!(out, "wrote {path}")?;
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                writeln!(out, "{path} is there already, and is left as it is")?;
            }
            Err(error) => return Err(failed(path, &error)),
        }
    }
    writeln!(out, "\nNext:")?;
    let steps = [
        ("baton run first", "runs it"),
        ("baton show first-1", "what came of it"),
        ("baton log first-1", "who did what, and why"),
    ];
    for (step, why) in steps {
        writeln!(out, "  {step:<20}  {why}")?;
    }
    Ok(Outcome::Clean)
}

/// Writes a dialect file to begin with.
fn dialect(project: &Project, name: &str) -> Result<Outcome, Fault> {
    let folder = project.root.join(FOLDER);
    let path = folder.join(format!("{name}.yaml"));
    let shown = paths::from_root(&path, &project.root).unwrap_or_default();
    if path.symlink_metadata().is_ok() {
        return Err(there_already(&shown));
    }
    is_free(project, name)?;
    fs::create_dir_all(&folder).map_err(|error| failed(FOLDER, &error))?;
    let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(there_already(&shown));
        }
        Err(error) => return Err(failed(&shown, &error)),
    };
    file.write_all(STARTER.replace("NAME", name).as_bytes()).map_err(|error| failed(&shown, &error))?;
    print(project, name, &shown)?;
    Ok(Outcome::Clean)
}

/// Refuses a name that no dialect of a project can have, or that one has.
fn is_free(project: &Project, name: &str) -> Result<(), Fault> {
    let is_word = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if !is_word {
        return Err(Fault::usage(
            format!("`{name}` is no name for a dialect"),
            Some("a name has small letters, digits and -, such as shift-log".to_owned()),
        ));
    }
    let message = format!("a dialect `{name}` is there already");
    let hint = Some("two dialects of one name would share their rules; take another name".to_owned());
    if name == "document" || BUILT_IN.iter().any(|built_in| built_in.name == name) {
        return Err(Fault::usage(message, hint));
    }
    if project.checker.dialects().find(name).is_some() {
        return Err(Fault::refused(message, hint));
    }
    Ok(())
}

fn there_already(shown: &str) -> Fault {
    Fault::refused(
        format!("{shown} is there already, and is left as it is"),
        Some("another name writes another file".to_owned()),
    )
}

fn failed(path: &str, error: &io::Error) -> Fault {
    Fault::failed(format!("cannot write {path}: {error}"))
}

fn print(project: &Project, name: &str, shown: &str) -> Result<(), Fault> {
    let mut out = io::stdout().lock();
    writeln!(out, "wrote {shown}\n\nNext:")?;
    let steps = [
        (format!("edit {shown}"), "the comments say how; docs/dialects.md lists every key"),
        (format!("baton check {shown}"), "says what is wrong with it, and with its examples"),
        (format!("baton explain {name}"), "lists its rules"),
        (format!("baton schema {name}"), "prints its JSON Schema"),
    ];
    for (step, why) in steps {
        writeln!(out, "  {step:<40}  {why}")?;
    }
    if project.config.dialect_files.is_some() {
        writeln!(out, "\nbaton.toml says where dialects lie: add \"{shown}\" to `dialects` there.")?;
    }
    Ok(())
}
