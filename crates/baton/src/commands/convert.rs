//! `baton convert`: a handoff in another dialect, or in the canonical JSON that schemas describe.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use baton_document::carrier::Look;
use baton_document::{
    Converted, Datum, Fate, Gap, Input, Level, LineIndex, NoWorld, Order, Scratch, SetError,
};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use super::Row;
use crate::outcome::Outcome;
use crate::project::{Project, Projects};
use crate::say;
use baton_engine::service::Fault;
use baton_engine::service::project::paths;
use baton_engine::service::project::read::{self, Content};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "convert", command, run };

const ABOUT: &str = "Prints a handoff in another dialect";

const LONG_ABOUT: &str = "\
Prints a handoff in another dialect. What the dialect has no field for is kept under `x-baton` (in XML inside `<data>`), \
and comes back when the handoff is converted back. A handoff that is of that dialect already is printed as it stands.

A field that must be there and that nothing in the handoff says is made up where there is one sensible value; \
otherwise nothing is printed, and the message says how to give it with --set. A value that is given stands in the place \
of what the handoff says; --report says so. Where a file holds several handoffs and some of them change their dialect, it \
only fills what a handoff does not say, and the others keep what they say.

Several handoffs are printed as one file of the dialect: a list in JSON, documents in YAML, elements in XML. Those that are \
of it already stand among them with their comments, or are written anew where they were in another notation. A dialect \
whose files hold one handoff takes them one by one.

`--to json` prints the canonical JSON that `baton schema` describes: in XML an element becomes a key, a repeated \
element a list, an attribute `@name` and text beside attributes `#text`. Several handoffs in one file become a list.";

const EXAMPLES: &str = "\
Examples:
  baton convert handoff.yaml --to envelope --report
  baton convert run/review.json --to package --set to.agent=developer
  baton convert pipeline/41-reviewed.xml --to json
  agent | baton convert - --to json | jq .handoff.status";

#[derive(Debug, Args)]
struct Typed {
    /// The file with the handoff, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The dialect to convert into, or json
    #[arg(long, value_name = "DIALECT")]
    to: String,
    /// Says on standard error what became of each field
    #[arg(long)]
    report: bool,
    /// Gives a field of the result a value; again for more fields or entries of a list; a map is given as JSON
    #[arg(long, value_name = "FIELD=VALUE", value_parser = assignment)]
    set: Vec<(String, String)>,
    /// Prints one JSON object with the text and what became of each field
    #[arg(long)]
    json: bool,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((field, value)) if !field.is_empty() => Ok((field.to_owned(), value.to_owned())),
        Some(_) | None => Err("write it as FIELD=VALUE, such as to.agent=reviewer".to_owned()),
    }
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let here =
        std::env::current_dir().map_err(|error| Fault::failed(format!("no working directory: {error}")))?;
    let source = open(&typed.file, &here)?;
    let input = Input {
        path: source.path.as_deref(),
        bytes: &source.bytes,
        dialect: None,
        look: Look::Prose,
        is_named: true,
    };
    if typed.to == "json" {
        return canonical(&typed, &source, input);
    }
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let order =
        Order { to: &typed.to, set: &typed.set, now: Some(&now), wants_report: typed.report || typed.json };
    let checker = &source.project.checker;
    let converted = match checker.convert(input, order, &mut Scratch::default()) {
        Ok(converted) => converted,
        Err(refused @ SetError::TooMany { .. }) => {
            say::error(
                &refused.to_string(),
                Some("give each a file of its own, and convert them one by one"),
            );
            return Ok(Outcome::Blocked);
        }
        Err(refused) => return Err(not_tried(&refused, &source)),
    };
    let is_empty = |converted: &Converted| converted.handoffs.is_empty();
    let Some(converted) = unless_unread(&typed, (&source, input), converted, is_empty) else {
        return Ok(Outcome::Blocked);
    };
    let is_whole = converted.handoffs.iter().all(|handoff| handoff.gaps.is_empty());
    if typed.json {
        print_json(&converted, is_whole)?;
    } else if is_whole {
        io::stdout().lock().write_all(converted.text.as_bytes())?;
    }
    if typed.report && !typed.json {
        say_report(&converted);
    }
    say_gaps(&typed.to, &converted, &source);
    Ok(if is_whole { Outcome::Clean } else { Outcome::Blocked })
}

/// Why a conversion was not tried, and what may be typed instead.
fn not_tried(refused: &SetError, source: &Source) -> Fault {
    let hint = match refused {
        SetError::NoDialect(name) => {
            let names = source.project.dialect_names().chain(["json"]);
            return source.project.unknown_dialect(name, names);
        }
        SetError::NoField { dialect, .. } => format!("`baton schema {dialect}` shows its fields"),
        SetError::NoGap { .. } => "to change it, convert each from a file of its own".to_owned(),
        SetError::NoValue { .. } | SetError::NoPlace(_) | SetError::TooMany { .. } => {
            return Fault::usage(refused.to_string(), None);
        }
    };
    Fault::usage(format!("{refused}; {hint}"), None)
}

/// The canonical JSON of the handoffs in a file.
fn canonical(typed: &Typed, source: &Source, input: Input<'_>) -> Result<Outcome, Fault> {
    if !typed.set.is_empty() || typed.report {
        return Err(Fault::usage("--set and --report go with a dialect, and json is none".to_owned(), None));
    }
    let forms = source.project.checker.canonical(input, &mut Scratch::default());
    let Some(mut forms) = unless_unread(typed, (source, input), forms, Vec::is_empty) else {
        return Ok(Outcome::Blocked);
    };
    let form = if forms.len() == 1 { forms.remove(0) } else { Datum::List(forms) };
    writeln!(io::stdout().lock(), "{}", baton_document::json(&form))?;
    Ok(Outcome::Clean)
}

/// Says why there is nothing to print.
fn unless_unread<T>(
    typed: &Typed,
    (source, input): (&Source, Input<'_>),
    read: Option<T>,
    is_empty: impl Fn(&T) -> bool,
) -> Option<T> {
    let shown = typed.file.display();
    let why = match &read {
        None => unread(source, input).unwrap_or_else(|| " does not read without errors".to_owned()),
        Some(read) if is_empty(read) => " holds no handoff".to_owned(),
        Some(_) => return read,
    };
    say::error(&format!("{shown}{why}"), Some(&format!("`baton check {shown}` says more")));
    None
}

/// The first place where a file does not read, and what is wrong there.
fn unread(source: &Source, input: Input<'_>) -> Option<String> {
    let checked = source.project.checker.check(input, &NoWorld, &mut Scratch::default());
    let first = checked.findings.iter().find(|finding| {
        finding.level == Level::Error && finding.rule.starts_with("document/") && finding.span.is_some()
    })?;
    let place = LineIndex::new(checked.text?).place(first.span?.start);
    Some(format!(":{}:{}: {}", place.line, place.column, first.message))
}

fn print_json(converted: &Converted, is_whole: bool) -> Result<(), Fault> {
    let handoffs: Vec<Value> = converted
        .handoffs
        .iter()
        .map(|handoff| {
            let fields: Vec<Value> = handoff
                .fields
                .iter()
                .map(|field| {
                    let [mut to, mut kept, mut cut, mut value, mut replaced] = [const { Value::Null }; 5];
                    match &field.fate {
                        Fate::Carried { to: places, is_kept, is_cut } => {
                            (to, kept, cut) = (json!(places), json!(is_kept), json!(is_cut));
                        }
                        Fate::MadeUp(made) => value = serde_json::from_str(made).unwrap_or_default(),
                        Fate::Set { value: given, is_replaced } => {
                            (value, replaced) =
                                (serde_json::from_str(given).unwrap_or_default(), json!(is_replaced));
                        }
                        Fate::Extension | Fate::Undone | Fate::Lost => {}
                    }
                    json!({
                        "field": field.path,
                        "fate": field.fate.word(),
                        "to": to,
                        "kept": kept,
                        "cut": cut,
                        "value": value,
                        "replaced": replaced,
                    })
                })
                .collect();
            let gaps: Vec<Value> = handoff.gaps.iter().map(missing_field).collect();
            json!({
                "from": {"dialect": handoff.from.0, "kind": handoff.from.1},
                "to": {"dialect": handoff.to.0, "kind": handoff.to.1},
                "fields": fields,
                "missing": gaps,
            })
        })
        .collect();
    let text = is_whole.then_some(&converted.text);
    let object = json!({"version": 1, "text": text, "handoffs": handoffs});
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &object).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// A field that must be given, as JSON.
fn missing_field(gap: &Gap) -> Value {
    json!({"field": gap.path, "expected": gap.expected, "wrong": gap.is_wrong})
}

fn say_report(converted: &Converted) {
    for handoff in &converted.handoffs {
        let ((dialect, kind), (to_dialect, to_kind)) = (&handoff.from, &handoff.to);
        let became = if handoff.gaps.is_empty() { "became" } else { "was refused as" };
        say::plain(&format!("{dialect}/{kind} {became} {to_dialect}/{to_kind}"));
        let width = handoff.fields.iter().map(|field| field.path.chars().count()).max().unwrap_or_default();
        for field in &handoff.fields {
            let (word, more) = match &field.fate {
                Fate::Carried { to, is_kept, is_cut } => {
                    let to = if to.is_empty() { "said by the kind".to_owned() } else { to.join(", ") };
                    let beside = match (is_kept, is_cut) {
                        (true, _) => " (the original is kept)",
                        (false, true) => " (the rest is lost)",
                        (false, false) => "",
                    };
                    ("carried", format!("{to}{beside}"))
                }
                Fate::Extension => ("kept as extension", String::new()),
                Fate::MadeUp(value) => ("made up", value.clone()),
                Fate::Set { value, is_replaced: false } => ("set", value.clone()),
                Fate::Set { value, is_replaced: true } => {
                    ("set", format!("{value} (what was there is lost)"))
                }
                Fate::Undone => ("undone", "it was made up or given on the way here".to_owned()),
                Fate::Lost => ("lost", String::new()),
            };
            say::plain(format!("  {:width$}  {word:17}  {more}", field.path).trim_end());
        }
    }
}

/// Says what is missing, and of several handoffs in which.
fn say_gaps(to: &str, converted: &Converted, source: &Source) {
    let text = String::from_utf8_lossy(&source.bytes);
    let index = LineIndex::new(&text);
    let count = converted.handoffs.len();
    for (at, handoff) in converted.handoffs.iter().enumerate() {
        let which = match count {
            1 => "this handoff".to_owned(),
            _ => format!("handoff {} of {count} (line {})", at + 1, index.place(handoff.start).line),
        };
        for Gap { path, expected, is_wrong } in &handoff.gaps {
            let why = match is_wrong {
                true => format!("{to} cannot have what {which} says in `{path}`"),
                false => format!("{to} needs `{path}`, and nothing in {which} says it"),
            };
            say::error(&why, Some(&format!("give it with --set {} ({expected})", typed(path))));
        }
    }
}

/// A field and room for its value, as a shell takes it: to one, `#body` begins a comment.
fn typed(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '@');
    if path.chars().all(is_plain) { format!("{path}=…") } else { format!("'{path}=…'") }
}

struct Source {
    path: Option<String>,
    bytes: Vec<u8>,
    project: std::sync::Arc<Project>,
}

fn open(file: &Path, here: &Path) -> Result<Source, Fault> {
    let is_stdin = file == Path::new("-");
    let absolute = paths::absolute(file, here).map_err(|error| missing(file, &error))?;
    if !is_stdin && let Err(error) = absolute.symlink_metadata() {
        return Err(missing(file, &error));
    }
    let folder = if is_stdin { here } else { absolute.parent().unwrap_or(here) };
    let project = Projects::new(here).of(folder);
    let bytes_max = project.checker.limits().file_bytes;
    let content = if is_stdin {
        read::stream(io::stdin().lock(), 0, bytes_max).map_err(|error| Fault::failed(error.to_string()))?
    } else {
        read::file(&absolute, bytes_max)
            .map_err(|why| Fault::failed(format!("cannot read {}: {why}", file.display())))?
    };
    let bytes = match content {
        Content::Bytes(bytes) => bytes,
        Content::TooLarge(_) => {
            return Err(Fault::failed(format!("{} is larger than {bytes_max} bytes", file.display())));
        }
    };
    let path = if is_stdin { None } else { project.below_root(&absolute) };
    Ok(Source { path, bytes, project })
}

fn missing(file: &Path, error: &io::Error) -> Fault {
    Fault::usage(format!("{}: {error}", file.display()), None)
}
