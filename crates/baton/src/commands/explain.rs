//! `baton explain`: what a rule wants and why, and which rules there are.

use std::io::{self, Write};

use baton_document::page::{self, Page};
use baton_document::rules::{self, Rule};
use baton_document::{Checker, Level};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use super::Row;
use crate::outcome::Outcome;
use crate::project::{Project, Projects};
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "explain", command, run };

const ABOUT: &str = "Explains a rule, or lists them all";

const LONG_ABOUT: &str = "\
Explains a rule: what it wants, why, and an example of wrong and right. Without a rule, lists them all.

Rules about single fields are many, so the list only counts them; name a dialect and a kind to see them. The rules of \
the project's own dialects are among them.";

const EXAMPLES: &str = "\
Examples:
  baton explain                              all rules, by dialect
  baton explain manifest/from-equals-to      one rule
  baton explain envelope                     the rules of a dialect
  baton explain exchange/response            the rules about the fields of one kind of document

The level of any rule can be set in baton.toml:

  [rules]
  \"manifest/from-equals-to\" = \"warning\"";

#[derive(Debug, Args)]
struct Typed {
    /// A rule's id, a dialect, or a dialect and a kind
    #[arg(value_name = "RULE")]
    rule: Option<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let project = Projects::here()?;
    let checker = &project.checker;
    let text = match typed.rule.as_deref().map(|name| name.trim_end_matches('/')) {
        None if typed.json => as_json(&pages(checker, "")),
        None => all(checker),
        Some(name) => match page::find(checker, name) {
            Some(page) if typed.json => page_as_json(&page),
            Some(page) => shown(&page),
            None => list(&project, name, typed.json)?,
        },
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(Outcome::Clean)
}

/// A page with its level below the heading.
fn shown(page: &Page) -> String {
    let level = format!("Level: {}, unless baton.toml says otherwise.", word(page.level));
    let text = page::for_reading(&page.text);
    match text.split_once('\n') {
        Some((heading, rest)) => format!("{heading}\n\n{level}\n{}\n", rest.trim_end()),
        None => format!("{text}\n\n{level}\n"),
    }
}

fn page_as_json(page: &Page) -> String {
    let text = page::for_reading(&page.text);
    pretty(&json!({"id": page.id, "level": word(page.level), "page": text}))
}

fn word(level: Option<Level>) -> &'static str {
    level.map_or("off", Level::word)
}

/// Every rule, by dialect, with the rules about fields counted.
fn all(checker: &Checker) -> String {
    let groups = rules::RULES.iter().filter_map(|rules| rules.first()).map(|rule| dialect_of(rule));
    let others = checker.dialects().handoffs.iter().map(|dialect| &*dialect.name);
    let mut names: Vec<&str> = Vec::new();
    for name in groups.chain(others) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut text: String = names.into_iter().map(|name| format!("{}\n", group(checker, name))).collect();
    text.push_str("`baton explain RULE` prints the page of a rule.\n");
    text
}

/// The rules of one dialect, below its name.
fn group(checker: &Checker, name: &str) -> String {
    let title = checker.dialects().find(name).map_or("every dialect", |dialect| &dialect.title);
    let own = rules::all().filter(|rule| dialect_of(rule) == name);
    let mut lines: Vec<Line> = own.map(|rule| Line::new(rule.id, rule.level, rule.page)).collect();
    lines.extend(kinds(checker, name));
    format!("{name}: {title}\n{}", aligned(&lines))
}

fn dialect_of(rule: &Rule) -> &'static str {
    rule.id.split('/').next().unwrap_or_default()
}

/// One line of a list.
struct Line {
    name: String,
    level: &'static str,
    about: String,
}

impl Line {
    fn new(id: &str, level: Option<Level>, page: &str) -> Self {
        Self { name: id.to_owned(), level: word(level), about: page::first_sentence(page) }
    }
}

fn aligned(lines: &[Line]) -> String {
    let width = lines.iter().map(|line| line.name.chars().count()).max().unwrap_or_default();
    let line = |line: &Line| {
        let text = format!("  {:<width$}  {:<7}  {}", line.name, line.level, line.about);
        format!("{}\n", text.trim_end())
    };
    lines.iter().map(line).collect()
}

/// For each kind of a dialect, how many rules there are about its fields.
fn kinds(checker: &Checker, dialect: &str) -> Vec<Line> {
    let kinds = checker.dialects().find(dialect).into_iter().flat_map(|dialect| {
        let around = dialect.entries.iter().map(|entries| &entries.around);
        dialect.kinds.iter().chain(around)
    });
    let ids = page::ids(checker);
    kinds
        .filter_map(|kind| {
            let start = format!("{dialect}/{}/", kind.name);
            let count = ids.iter().filter(|(id, _)| id.starts_with(&start)).count();
            let about = format!("{count} rules about fields. {}", kind.about);
            (count > 0).then(|| Line { name: format!("{start}…"), level: "", about })
        })
        .collect()
}

/// The pages of all rules whose ids start with a text.
fn pages(checker: &Checker, start: &str) -> Vec<Page> {
    let own = rules::all().filter(|rule| rule.id.starts_with(start));
    let own = own.map(|rule| Page { id: rule.id.to_owned(), level: rule.level, text: rule.page.to_owned() });
    own.chain(page::shapes_below(checker, start)).collect()
}

/// The rules of a dialect or of one of its kinds.
fn list(project: &Project, name: &str, is_json: bool) -> Result<String, Fault> {
    let checker = &project.checker;
    let is_dialect =
        checker.dialects().find(name).is_some() || rules::all().any(|rule| dialect_of(rule) == name);
    if is_dialect && !is_json {
        return Ok(group(checker, name));
    }
    let pages = pages(checker, &format!("{name}/"));
    if pages.is_empty() {
        return Err(unknown(project, name));
    }
    if is_json {
        return Ok(as_json(&pages));
    }
    let lines: Vec<Line> = pages.iter().map(|page| Line::new(&page.id, page.level, &page.text)).collect();
    Ok(aligned(&lines))
}

fn as_json(pages: &[Page]) -> String {
    let row = |page: &Page| json!({"id": page.id, "level": word(page.level), "about": page::first_sentence(&page.text)});
    pretty(&json!({"rules": pages.iter().map(row).collect::<Vec<_>>()}))
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn unknown(project: &Project, name: &str) -> Fault {
    let dialect = name.split('/').next().unwrap_or_default();
    let near = || page::nearest(&project.checker, name).map(|near| format!("did you mean `{near}`?"));
    let hint = project.why_unusable(dialect).or_else(near);
    let hint = hint.unwrap_or_else(|| "`baton explain` lists all rules".to_owned());
    Fault::usage(format!("no rule is called `{name}`"), Some(hint))
}
