//! The subcommands: one file each, one row in the table here.
//!
//! Parser, help, man pages and completions all come from this table.

mod ack;
mod cancel;
mod check;
mod clarify;
mod completions;
mod convert;
mod dead;
mod demo;
mod erase;
mod explain;
mod flow;
mod gate;
mod handoff;
mod inbox;
mod init;
mod log;
mod man;
mod prompt;
mod receive;
mod resume;
mod retry;
mod return_;
mod run;
mod runs;
mod schema;
mod scripted_agent;
mod show;
mod signal;
mod stats;
mod submit;
mod verify;

use std::ffi::OsStr;
use std::path::Path;

use baton_document::dialect::BUILT_IN;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, ArgMatches, Command};

use crate::outcome::Outcome;
use baton_engine::service::Fault;

/// One subcommand.
struct Row {
    name: &'static str,
    /// Its arguments and its help.
    command: fn(Command) -> Command,
    /// Does it.
    run: fn(&ArgMatches) -> Result<Outcome, Fault>,
}

/// The name of a dialect: completions know those of Baton, and the project may have more.
#[derive(Clone)]
struct DialectName {
    /// Whether the forms of Baton's own files are meant too.
    with_own: bool,
}

impl TypedValueParser for DialectName {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let files = BUILT_IN.iter().filter(|file| file.is_handoff || self.with_own);
        Some(Box::new(files.map(|file| PossibleValue::new(file.name))))
    }
}

/// Every subcommand, in the order of the help.
static COMMANDS: &[&Row] = &[
    &check::ROW,
    &explain::ROW,
    &schema::ROW,
    &convert::ROW,
    &handoff::ROW,
    &receive::ROW,
    &run::ROW,
    &runs::ROW,
    &show::ROW,
    &log::ROW,
    &stats::ROW,
    &resume::ROW,
    &cancel::ROW,
    &erase::ROW,
    &gate::ROW,
    &inbox::ROW,
    &ack::ROW,
    &clarify::ROW,
    &return_::ROW,
    &submit::ROW,
    &verify::ROW,
    &prompt::ROW,
    &signal::ROW,
    &dead::ROW,
    &retry::ROW,
    &flow::ROW,
    &init::ROW,
    &demo::ROW,
    &completions::ROW,
    &man::ROW,
    &scripted_agent::ROW,
];

/// What the program is called.
const NAME: &str = "baton";
/// What it may be called too, for those whose scripts and habits say so.
const LINK: &str = "company";

const ABOUT: &str = "Checks, carries, routes and remembers handoffs between AI agents";

const EXAMPLES: &str = "\
Examples:
  baton check                              the handoffs of this project
  baton check meta/handoff.yaml            one file, whatever git ignores
  agent | baton check -                    an agent's answer, with the handoff somewhere in it
  baton explain manifest/from-equals-to    what a rule wants, and why
  baton schema envelope                    the shape of a dialect, as JSON Schema
  baton handoff --send                     hands the newest response over
  baton init                               a first flow, to begin with
  baton run first                          runs it
  baton runs                               what is under way, and what waits for you

Exit codes:
  0  nothing blocks; a run came to a good end, or people are awaited
  1  findings block; a run was halted, failed or cancelled
  2  the command line is wrong, or a path it names does not exist
  3  refused by the state of things: the message says what is possible instead
  4  the world failed: a file could not be read, the output could not be written";

/// The program with all its subcommands.
pub(crate) fn all() -> Command {
    let program = Command::new(NAME)
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true);
    COMMANDS.iter().fold(program, |program, row| program.subcommand((row.command)(Command::new(row.name))))
}

/// What the program is called here: by its own name, or by that of a link to it.
pub(crate) fn program() -> String {
    let called = std::env::args_os().next();
    let called = called.as_deref().and_then(|path| Path::new(path).file_stem()?.to_str());
    called.filter(|name| *name == LINK).unwrap_or(NAME).to_owned()
}

/// Does what was asked for.
pub(crate) fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let asked = matches.subcommand();
    let row = asked.and_then(|(name, below)| Some((COMMANDS.iter().find(|row| row.name == name)?, below)));
    match row {
        Some((row, below)) => (row.run)(below),
        None => Err(Fault::usage("no subcommand was named", None)),
    }
}
