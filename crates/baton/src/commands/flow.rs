//! `baton flow`: whether flows would run, and what they look like.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use baton_document::flow::Flow;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};

use super::{Row, check};
use crate::drawing::{mermaid, svg};
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::read::{self, Content};
use crate::{paths, say};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "flow", command, run };

/// Where the flows of a project lie.
const FOLDER: &str = "flows";

const ABOUT: &str = "Checks flow files, and draws them";

const LONG_ABOUT: &str = "\
Checks flow files, and draws them. A flow says who works, in which order, and where people decide; it is a YAML file in \
flows/ at the top of the project, and is named by its path or by its name alone.";

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
    flows: Vec<PathBuf>,
    #[command(flatten)]
    report: check::ReportTyped,
}

#[derive(Debug, Args)]
struct GraphTyped {
    /// The flow, by path or by name
    #[arg(value_name = "FLOW")]
    flow: PathBuf,
    /// Writes a picture to this file instead, `-` for standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::here()?;
    match typed.what {
        What::Check(typed) => {
            let named: Result<Vec<PathBuf>, Failure> =
                typed.flows.iter().map(|flow| found(flow, &project)).collect();
            let flows = if typed.flows.is_empty() { all(&project)? } else { named? };
            check::files(flows, typed.report)
        }
        What::Graph(typed) => graph(&typed, &project),
    }
}

fn graph(typed: &GraphTyped, project: &Project) -> Result<Outcome, Failure> {
    let path = found(&typed.flow, project)?;
    let shown = path.display();
    let failed = |why: String| Failure::world(format!("cannot read {shown}: {why}"));
    let bytes = match read::file(&path, project.checker.limits().own_bytes) {
        Ok(Content::Bytes(bytes)) => bytes,
        Ok(Content::TooLarge(_)) => return Err(failed("it is too large".to_owned())),
        Err(why) => return Err(failed(why)),
    };
    let text = std::str::from_utf8(&bytes).map_err(|_| failed("it is not UTF-8 text".to_owned()))?;
    let (flow, findings) = Flow::read(text);
    let hint = format!("`baton flow check {shown}` says what is wrong with it");
    let Some(flow) = flow else {
        return Err(Failure::Usage { message: format!("{shown} holds no flow"), hint: Some(hint) });
    };
    if !findings.is_empty() {
        say::error(&format!("not all of {shown} can be drawn"), Some(&hint));
    }
    match typed.svg.as_deref() {
        Some(file) if file != Path::new("-") => std::fs::write(file, svg(&flow)).map_err(|error| {
            Failure::world(format!("cannot write {}: {}", file.display(), read::reason(&error)))
        })?,
        Some(_) => io::stdout().lock().write_all(svg(&flow).as_bytes())?,
        None => io::stdout().lock().write_all(mermaid(&flow).as_bytes())?,
    }
    Ok(if findings.is_empty() { Outcome::Clean } else { Outcome::Blocked })
}

/// The file of a flow: a path, or a name in `flows/`.
fn found(flow: &Path, project: &Project) -> Result<PathBuf, Failure> {
    if flow.symlink_metadata().is_ok_and(|meta| !meta.is_dir()) {
        return Ok(flow.to_owned());
    }
    let name = flow.to_string_lossy();
    let in_folder = ["yaml", "yml"].map(|ending| project.root.join(FOLDER).join(format!("{name}.{ending}")));
    if let Some(path) = in_folder.into_iter().find(|path| path.is_file()) {
        return Ok(path);
    }
    let known = names(project);
    let hint = if known.is_empty() {
        format!("there are no flows in {FOLDER}/; a path to a file will do too")
    } else {
        format!("there are {}", known.join(", "))
    };
    Err(Failure::Usage { message: format!("no flow is called `{name}`"), hint: Some(hint) })
}

/// All flows of a project, by their paths.
fn all(project: &Project) -> Result<Vec<PathBuf>, Failure> {
    let names = names(project);
    if names.is_empty() {
        let folder = paths::shown(&project.root.join(FOLDER), &project.root);
        let message = format!("there are no flows in {folder}/");
        return Err(Failure::Usage {
            message,
            hint: Some("name a file, or write flows/NAME.yaml".to_owned()),
        });
    }
    names.iter().map(|name| found(Path::new(name), project)).collect()
}

/// The names of a project's flows, in order.
fn names(project: &Project) -> Vec<String> {
    let entries = std::fs::read_dir(project.root.join(FOLDER)).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<String> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names.dedup();
    names
}
