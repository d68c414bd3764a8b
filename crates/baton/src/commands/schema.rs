//! `baton schema`: the shape of a dialect or of a reply as JSON Schema.

use std::io::{self, Write};

use baton_document::dialect::{Strictness, json_schema};
use baton_engine::service::{Fault, REPLIES, ReplySchema};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;

use super::{DialectName, Row};
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::table;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "schema", command, run };

/// Prefix of the names of replies.
const REPLY: &str = "reply";

const ABOUT: &str =
    "Prints the JSON Schema of a dialect, of baton.toml, of flows, of dialect files, or of a reply";

const LONG_ABOUT: &str = "\
Prints the JSON Schema (2020-12) of a dialect, the project's own included, of baton.toml, of flows, or of dialect files.

It describes the canonical JSON form: in XML an element is a key, a repeated element a list, an attribute `@name` \
and text beside attributes `#text`. What Baton finds without structural errors is valid by any standard validator.

`baton schema reply` lists what commands print with --json; `baton schema reply/NAME` prints the schema of one.";

const EXAMPLES: &str = "\
Examples:
  baton schema envelope > envelope.schema.json    for an editor or another validator
  baton schema pipeline --lenient                 takes what Baton accepts with an info, too
  baton schema note                               a dialect of this project, from dialects/note.yaml
  baton schema config                             what baton.toml may say
  baton schema flow                               what a flow file may say
  baton schema dialect                            what a dialect file may say
  baton schema reply/runs                         what `baton runs --json` prints";

#[derive(Debug, Args)]
struct Typed {
    /// The dialect; `config` for baton.toml, `flow` for flows, `dialect` for dialect files; `reply` lists replies
    #[arg(value_name = "DIALECT", value_parser = DialectName { with_own: true }, hide_possible_values = true)]
    name: String,
    /// Takes drift too: other letters in words, yes and no for booleans, and the like
    #[arg(long)]
    lenient: bool,
    /// Changes nothing: a schema is JSON
    #[arg(long, hide = true)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    if typed.name == REPLY {
        return list();
    }
    if let Some(name) = typed.name.strip_prefix(REPLY).and_then(|rest| rest.strip_prefix('/')) {
        return print(&reply(name)?.schema());
    }
    let project = Projects::here()?;
    let dialects = project.checker.dialects();
    let own = dialects.own.iter().map(|form| &*form.name);
    let dialect = dialects.find(&typed.name);
    let dialect =
        dialect.ok_or_else(|| project.unknown_dialect(&typed.name, project.dialect_names().chain(own)))?;
    let strictness = if typed.lenient { Strictness::Lenient } else { Strictness::Strict };
    print(&json_schema(dialect, strictness))
}

fn print(schema: &Value) -> Result<Outcome, Fault> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, schema).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(Outcome::Clean)
}

/// Lists the replies that have a schema.
fn list() -> Result<Outcome, Fault> {
    let rows: Vec<_> =
        REPLIES.iter().map(|reply| vec![format!("{REPLY}/{}", reply.name), reply.about.to_owned()]).collect();
    let mut out = io::stdout().lock();
    for line in table::lines(&[], &rows, 1, table::width()) {
        writeln!(out, "{line}")?;
    }
    Ok(Outcome::Clean)
}

fn reply(name: &str) -> Result<&'static ReplySchema, Fault> {
    REPLIES.iter().find(|reply| reply.name == name).ok_or_else(|| {
        let hint = Some("`baton schema reply` lists them".to_owned());
        Fault::usage(format!("no reply is called `{name}`"), hint)
    })
}
