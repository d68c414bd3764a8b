//! `baton verify`: whether the evidence of a handoff is as it says.

use std::io::{self, Write};

use baton_engine::service::{Depth, Service, Verdict, VerifyRequest};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::table;
use crate::{reply, say};
use baton_engine::service::Fault;

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

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let service = Service::open(&Projects::to_act()?);
    let request = VerifyRequest { id: typed.id, rerun: typed.rerun, no_sandbox: typed.no_sandbox };
    let reply = service.verify(&request, &mut |note| say::diagnostic(&note))?;
    if typed.json {
        reply::print(&reply)?;
    } else {
        let mut out = io::stdout().lock();
        writeln!(out, "{}  {}", table::one_line(&reply.id), headline(&reply.verdict))?;
        tell(&reply.verdict, &mut out)?;
    }
    Ok(if reply.verdict.holds { Outcome::Clean } else { Outcome::Blocked })
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
