//! `baton flow`: whether flows would run, and what they look like.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use baton_document::flow::Flow;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};

use super::{Row, check};
use crate::drawing::{mermaid, svg};
use crate::outcome::Outcome;
use crate::project::{Project, Projects};
use crate::say;
use baton_engine::service::Fault;
use baton_engine::service::project::flows::Found;
use baton_engine::service::project::{flows, read};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "flow", command, run };

const ABOUT: &str = "Checks flow files, and draws them";

const LONG_ABOUT: &str = "\
Checks flow files, and draws them. A flow says who works, in which order, and where people decide; it is a YAML file in \
flows/ at the top of the project, and is named by its path or by its name alone. Some flows come with Baton.";

const EXAMPLES: &str = "\
Examples:
  baton flow check                          all flows of the project
  baton flow check article                  flows/article.yaml
  baton flow check --format sarif           for code scanning
  baton flow graph article                  as Mermaid, for a document
  baton flow graph article --svg flow.svg   as a picture

Exit codes: 0 nothing blocks, 1 findings block, 2 wrong usage, 4 a file could not be read or written.";

#[derive(Debug, Args)]
struct Typed {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Finds what would keep a flow from running, or from ending
    ///
    /// It finds steps that do not exist or that nothing leads to, loops without a cap, agents that nobody knows, answers that
    /// no receiver accepts, expressions over fields that no handoff has, and gates that are not what they say.
    #[command(after_help = "Examples:
  baton flow check                  all flows of the project
  baton flow check article          flows/article.yaml
  baton flow check drafts/new.yaml  a file anywhere
  baton flow check --json           for scripts")]
    Check(CheckTyped),
    /// Draws a flow: Mermaid on standard output, or an SVG file
    #[command(after_help = "Examples:
  baton flow graph article                    Mermaid, to be pasted into a document
  baton flow graph article --svg article.svg  a picture that needs nothing else
  baton flow graph article --svg - > a.svg    the same, to standard output")]
    Graph(GraphTyped),
}

#[derive(Debug, Args)]
struct CheckTyped {
    /// Flows, by path or by name [default: all in flows/]
    #[arg(value_name = "FLOW")]
    flows: Vec<String>,
    #[command(flatten)]
    report: check::ReportTyped,
}

#[derive(Debug, Args)]
struct GraphTyped {
    /// The flow, by path or by name
    #[arg(value_name = "FLOW")]
    flow: String,
    /// Writes a picture to this file instead, `-` for standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let project = Projects::here()?;
    match typed.what {
        What::Check(typed) => check_all(&typed, &project),
        What::Graph(typed) => graph(&typed, &project),
    }
}

fn check_all(typed: &CheckTyped, project: &Project) -> Result<Outcome, Fault> {
    let mut words = typed.flows.clone();
    if words.is_empty() {
        words = flows::names(&project.root.join(flows::FOLDER));
    }
    if words.is_empty() {
        return Err(Fault::usage(
            format!("there are no flows in {}/", flows::FOLDER),
            Some("name a file, or one that comes with Baton; `baton init` writes a first one".to_owned()),
        ));
    }
    let (mut files, mut texts) = (Vec::new(), Vec::new());
    for word in words {
        match flows::find(project, &word)? {
            Found::File(path) => files.push(path),
            Found::Shipped(text) => texts.push((format!("{}/{word}.yaml", flows::FOLDER), text)),
        }
    }
    for path in &files {
        // What is wrong with the flow itself its check says.
        let bytes = flows::bytes(project, path, &path.display().to_string());
        if let Some(text) = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok()) {
            flows::definitions(project, &text)?;
        }
    }
    check::files(&files, texts, &typed.report)
}

fn graph(typed: &GraphTyped, project: &Project) -> Result<Outcome, Fault> {
    let shown = &typed.flow;
    let bytes = match flows::find(project, shown)? {
        Found::File(path) => flows::bytes(project, &path, shown)?,
        Found::Shipped(text) => text.as_bytes().to_vec(),
    };
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| Fault::failed(format!("cannot read {shown}: it is not UTF-8")))?;
    let (flow, findings) = Flow::read(text);
    let hint = format!("`baton flow check {shown}` says what is wrong with it");
    let Some(flow) = flow else {
        return Err(Fault::usage(format!("{shown} holds no flow"), Some(hint)));
    };
    if !findings.is_empty() {
        say::error(&format!("not all of {shown} can be drawn"), Some(&hint));
    }
    match typed.svg.as_deref() {
        Some(file) if file != Path::new("-") => std::fs::write(file, svg(&flow)).map_err(|error| {
            // Nothing was read that could be a link.
            let why = if error.kind() == io::ErrorKind::NotFound {
                "the folder does not exist".to_owned()
            } else {
                read::reason(&error)
            };
            Fault::failed(format!("cannot write {}: {why}", file.display()))
        })?,
        Some(_) => io::stdout().lock().write_all(svg(&flow).as_bytes())?,
        None => io::stdout().lock().write_all(mermaid(&flow).as_bytes())?,
    }
    Ok(if findings.is_empty() { Outcome::Clean } else { Outcome::Blocked })
}
