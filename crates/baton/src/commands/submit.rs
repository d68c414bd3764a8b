//! `baton submit`: hands in a handoff to the run that waits for it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use baton_document::carrier::Look;
use baton_document::{Finding, Input, Level, Scratch};
use baton_engine::kernel::OwedDelivery;
use baton_engine::ledger::Store;
use baton_engine::records::entry::pinned;
use baton_engine::records::mailbox::Wish;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::runs::open::{self, Open};
use crate::runs::{book, wish};
use crate::{findings, say};
use baton_engine::project::pinned::flow_of;
use baton_engine::project::read::{self, Content};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "submit", command, run };

const ABOUT: &str = "Hands in a handoff to the run that waits for it";

const LONG_ABOUT: &str = "\
Hands in the answer of an agent with an inbox to the one delivery that waits for it: of the run that is named, or of the only \
one that waits. Where several do, `baton return` says which is meant. The file is checked in the agent's dialect first; if \
something blocks, nothing is handed in, and the exit code is 1.

With --json it prints id and taken.";

const EXAMPLES: &str = "\
Examples:
  baton submit answer.yaml
  baton submit answer.yaml --run article-3
  agent | baton submit - --run article-3";

#[derive(Debug, Args)]
struct Typed {
    /// The file with the handoff, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The run that waits for it
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
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
    let none = || Failure::Refused {
        message: "no run waits for a handoff".to_owned(),
        hint: Some("`baton inbox` lists what is waited for".to_owned()),
    };
    let ledger = baton_engine::project::store::existing(&project.root)?.ok_or_else(none)?;
    let run = match &typed.run {
        Some(run) => run.clone(),
        None => {
            let heads = book::heads(&ledger, &[])?;
            let waits = |label: &String| label.starts_with("inbox:");
            let waiting: Vec<_> = heads.into_iter().filter(|head| head.labels.iter().any(waits)).collect();
            match waiting.as_slice() {
                [] => return Err(none()),
                [one] => one.stream.clone(),
                many => {
                    let names: Vec<&str> = many.iter().map(|head| head.stream.as_str()).take(10).collect();
                    return Err(Failure::Refused {
                        message: format!("{} runs wait for a handoff", many.len()),
                        hint: Some(format!("name one with --run: {}", names.join(", "))),
                    });
                }
            }
        }
    };
    let open = open::delivery(&ledger, &run)?;
    answer(&project, &ledger, &open, &typed.file, typed.json)
}

/// Hands in the answer to a delivery.
pub(super) fn answer(
    project: &Project,
    ledger: &dyn Store,
    open: &Open<OwedDelivery>,
    file: &Path,
    as_json: bool,
) -> Result<Outcome, Failure> {
    let agent = open::agent(&open.view, open.it.to);
    let files = pinned(ledger, &open.run)?;
    let flow = flow_of(&open.run, &files)?;
    let project = &Project::pinned(&project.root, &files);
    let dialect =
        flow.agent(agent).and_then(|spec| spec.dialect.as_ref()).map(|dialect| dialect.value.as_str());
    let (bytes, shown) = content(project, file)?;
    let input = Input { path: None, bytes: &bytes, dialect, look: Look::Prose, is_named: true };
    let mut scratch = Scratch::default();
    let checked = project.checker.check(input, &project.world, &mut scratch);
    if checked.findings.iter().any(blocks) || checked.handoffs.is_empty() {
        findings::print(&shown, &checked, &project.checker)?;
        say::error(&format!("{shown} is not handed in"), Some("mend what blocks, then hand it in again"));
        return Ok(Outcome::Blocked);
    }
    let wish = Wish::Answer { key: open.it.key, attempt: open.it.attempt };
    let handed = wish::hand_in(project, ledger, &open.run, &wish, Some(&bytes))?;
    let id = format!("{}/{}", open.run, open.it.key);
    let mut out = io::stdout().lock();
    if as_json {
        writeln!(out, "{}", json!({ "id": id, "taken": handed.is_taken() }))?;
    } else {
        writeln!(out, "handed in for {id}")?;
        wish::tell(&open.run, handed);
    }
    Ok(Outcome::Clean)
}

/// Whether a finding stands in the way: errors, and a summary that is longer than a receiver is promised.
fn blocks(finding: &Finding) -> bool {
    finding.level == Level::Error || finding.rule.ends_with("-tokens")
}

fn content(project: &Project, file: &Path) -> Result<(Vec<u8>, String), Failure> {
    let bytes_max = project.config.limits.file_bytes;
    let (content, shown) = if file == Path::new("-") {
        let read = read::stream(io::stdin().lock(), 0, bytes_max).map_err(|error| read::reason(&error));
        (read, "standard input".to_owned())
    } else {
        if file.symlink_metadata().is_err() {
            return Err(Failure::usage(format!("{} does not exist", file.display())));
        }
        (read::file(file, bytes_max), file.display().to_string())
    };
    match content {
        Ok(Content::Bytes(bytes)) => Ok((bytes, shown)),
        Ok(Content::TooLarge(bytes)) => {
            Err(Failure::world(format!("cannot read {shown}: {bytes} bytes are more than {bytes_max}")))
        }
        Err(why) => Err(Failure::world(format!("cannot read {shown}: {why}"))),
    }
}
