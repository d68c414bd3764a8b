//! `baton check`: every handoff in some files and folders, and what is wrong with it.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use baton_document::report::{Colour, FileReport, REPORTS, Report, ReportForm, ReportOptions, Summary};
use baton_document::{Level, Scratch, Wanted};
use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::{DialectName, Row};
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::project::Project;
use crate::task::{self, Act, Done, Mended, Source, Task};
use crate::walk::{Files, Stop};
use crate::{ordered, reply, say};
use baton_engine::service::project::read::Content;
use baton_engine::service::project::since::Changes;
use baton_engine::service::project::{paths, read};
use baton_engine::service::{Fault, FaultKind};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "check", command, run };

const ABOUT: &str = "Checks handoffs and reports what is wrong with them";

const LONG_ABOUT: &str = "\
Checks handoffs and reports what is wrong with them, where, and what would be right.

In a folder, Baton looks at the files that lie where a dialect places them (such as meta/handoff.yaml or \
.runs/…/handoffs/…, hidden and ignored ones too) and at all JSON, YAML and XML files that it recognises as \
handoffs, honouring .gitignore. A file that is named is searched for handoffs wherever they stand in it: as the \
whole file, in front matter, in a fenced block, or in the middle of an agent's answer. Nothing that a document \
names is run, and nothing is changed unless you say so.

--fix makes the fixes that keep the meaning: other letters of a word, `yes` for true, a slip in a key, a plain word \
for a map, a count that can be computed, an odd timestamp that can be read in one way only. Comments and all text \
that is not fixed stay byte by byte. --redact takes secrets out, and only that; with --fix both are done. --diff \
shows what would change and changes nothing; a diff has the old lines and those around them, so it shows the secrets \
in them, which no report does.";

const EXAMPLES: &str = "\
Examples:
  baton check                                  this folder and what is below it
  baton check meta .runs/today                 two folders
  baton check answer.md                        the handoffs in an agent's answer
  claude -p … | baton check -                  the same, without a file
  baton check --dialect package draft.yaml     read it as a package, whatever it looks like
  baton check --strict                         warnings block too
  baton check --since main                     only files that differ from main, new ones included
  baton check --diff                           what --fix would change
  baton check --fix                            change it
  baton check --fix - < draft.yaml > out.yaml  the same for a stream; the report goes to standard error
  baton check --redact answer.md               take out secrets
  baton check --format sarif > baton.sarif     for code scanning
  baton check --json | jq '.summary'           for scripts

Settings are read from baton.toml at the top of the project; `baton schema config` shows what it may say.

Exit codes: 0 nothing blocks, 1 findings block or --diff shows a change, 2 wrong usage, 4 a file could not be read \
or written.";

#[derive(Debug, Args)]
struct Typed {
    /// Files and folders to check, `-` for standard input [default: the folder you are in]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Reads everything as this dialect, of Baton or of the project, whatever it looks like
    #[arg(long, value_name = "DIALECT", value_parser = DialectName { with_own: false }, hide_possible_values = true)]
    dialect: Option<String>,
    #[command(flatten)]
    report: ReportTyped,
    /// Makes the fixes that keep the meaning, and reports what is left
    #[arg(long)]
    fix: bool,
    /// Shows what --fix, or --redact, would change, and changes nothing
    #[arg(long)]
    diff: bool,
    /// Takes secrets out
    #[arg(long)]
    redact: bool,
    /// Checks only files that differ from this revision in git
    #[arg(long, value_name = "REV", value_parser = NonEmptyStringValueParser::new())]
    since: Option<String>,
    /// The path that standard input is treated as having
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<PathBuf>,
}

// How to report, for every subcommand that checks something. No doc comment: it would become the help of each.
#[derive(Debug, Args)]
pub(super) struct ReportTyped {
    /// How to report
    #[arg(long, value_name = "FORMAT", value_parser = formats(), default_value = "text")]
    format: String,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Lets warnings block, not only errors
    #[arg(long)]
    strict: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn formats() -> PossibleValuesParser {
    REPORTS.iter().map(|form| PossibleValue::new(form.name).help(form.about)).collect::<Vec<_>>().into()
}

/// What was asked for, as it is meant.
struct Request {
    here: PathBuf,
    files: Files,
    folders: Vec<PathBuf>,
    /// Texts that were read already: standard input, flows that come with Baton.
    texts: Vec<Task>,
    named: usize,
    form: &'static ReportForm,
    dialect: Option<Arc<str>>,
    is_strict: bool,
    act: Act,
    /// What differs from a revision, where only that is checked.
    since: Option<Since>,
}

/// The revision that files are compared with, and what differs from it in each repository.
struct Since {
    revision: String,
    changes: Vec<Changes>,
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    checked(meant(typed)?)
}

/// Checks some files, and texts of this project with the paths that they are said to have.
pub(super) fn files(
    files: &[PathBuf],
    texts: Vec<(String, &'static str)>,
    report: &ReportTyped,
) -> Result<Outcome, Fault> {
    let mut request = Request::new(report, Act::Report, None)?;
    files.iter().try_for_each(|file| request.add(file))?;
    for (path, text) in texts {
        let here = request.here.clone();
        let project = request.files.projects().of(&here);
        let content = Content::Bytes(text.as_bytes().to_vec());
        let source = Source::Stdin { content, path: Some(path.clone()), project };
        request.texts.push(Task { shown: path, dialect: None, act: Act::Report, source });
    }
    checked(request)
}

fn checked(mut request: Request) -> Result<Outcome, Fault> {
    let is_strict = request.is_strict || request.files.projects().is_any_strict();
    let mut printer = Printer::new(&request, is_strict);
    printer.start()?;
    let folders = request.folders.clone();
    let since = request.since.as_ref().map(|since| since.revision.clone());
    match check_all(request, &mut printer) {
        // Whoever reads has seen enough: what they saw counts.
        Ok(()) => {}
        Err(fault) if fault.kind == FaultKind::Unread => {}
        Err(failure) => return Err(failure),
    }
    printer.finish(&folders, since.as_deref())
}

/// What is done with fixes: `--diff` shows what the others would do, and alone what `--fix` would.
fn act(typed: &Typed) -> Act {
    let wanted = Wanted { safe: typed.fix || !typed.redact, secrets: typed.redact };
    match (typed.diff, typed.fix || typed.redact) {
        (true, _) => Act::Show(wanted),
        (false, true) => Act::Write(wanted),
        (false, false) => Act::Report,
    }
}

/// From what was typed to what is meant; a path that is not there is found before any work is done.
fn meant(typed: Typed) -> Result<Request, Fault> {
    let act = act(&typed);
    let mut request = Request::new(&typed.report, act, typed.dialect.map(Arc::from))?;
    let has_stdin = typed.paths.iter().any(|path| path == Path::new("-"));
    if typed.stdin_filename.is_some() && !has_stdin {
        return Err(Fault::usage(
            "`--stdin-filename` is given, but standard input is not read".to_owned(),
            Some("add `-` to read it".to_owned()),
        ));
    }
    if let Some(revision) = typed.since {
        if has_stdin {
            return Err(Fault::usage("`--since` compares files, and standard input is none", None));
        }
        request.since = Some(Since { revision, changes: Vec::new() });
    }
    let mut targets: Vec<PathBuf> = typed.paths.into_iter().filter(|path| path != Path::new("-")).collect();
    if targets.is_empty() && !has_stdin {
        targets.push(PathBuf::from("."));
    }
    for target in &targets {
        request.add(target)?;
    }
    if has_stdin {
        request.add_stdin(typed.stdin_filename.as_deref())?;
    }
    if let Some(name) = request.dialect.clone() {
        request.files.projects().must_know(&name)?;
    }
    Ok(request)
}

impl Request {
    /// One without anything to check.
    fn new(report: &ReportTyped, act: Act, dialect: Option<Arc<str>>) -> Result<Self, Fault> {
        let here = std::env::current_dir()
            .map_err(|error| Fault::failed(format!("cannot tell which folder this is: {error}")))?;
        let name = if report.json { "json" } else { &report.format };
        let form = REPORTS.iter().find(|form| form.name == name);
        let form = form.ok_or_else(|| Fault::usage(format!("no report is called {name}"), None))?;
        Ok(Self {
            files: Files::new(&here),
            folders: Vec::new(),
            texts: Vec::new(),
            named: 0,
            form,
            act,
            dialect,
            is_strict: report.strict,
            since: None,
            here,
        })
    }

    fn add(&mut self, target: &Path) -> Result<(), Fault> {
        let missing = |_| Fault::usage(format!("{} does not exist", target.display()), None);
        let path = paths::absolute(target, &self.here).map_err(missing)?;
        path.symlink_metadata().map_err(missing)?;
        if let Some(Since { revision, changes }) = &mut self.since {
            let folder = if path.is_dir() { &path } else { path.parent().unwrap_or(&path) };
            if !changes.iter().any(|changes| changes.is_for(folder)) {
                changes.push(Changes::since(revision, folder)?);
            }
        }
        if path.is_dir() {
            self.files.add_folder(&path);
            self.folders.push(target.to_owned());
        } else {
            self.files.add_file(path);
            self.named += 1;
        }
        Ok(())
    }

    fn add_stdin(&mut self, name: Option<&Path>) -> Result<(), Fault> {
        let path = name.map(|name| paths::normal(&self.here.join(name)));
        let folder = path.as_deref().and_then(Path::parent).unwrap_or(&self.here).to_owned();
        let project = self.files.projects().of(&folder);
        let content = read::stream(io::stdin().lock(), 0, project.checker.limits().file_bytes)
            .map_err(|error| Fault::failed(format!("cannot read standard input: {error}")))?;
        let shown = path.as_deref().map_or("<stdin>".to_owned(), |path| paths::shown(path, &self.here));
        let path = path.and_then(|path| project.below_root(&path));
        let source = Source::Stdin { content, path, project };
        self.texts.push(Task { shown, dialect: self.dialect.clone(), act: self.act, source });
        Ok(())
    }

    /// Whether threads would cost more than they save.
    fn is_small(&self) -> bool {
        self.folders.is_empty() && self.named <= 2
    }
}

fn check_all(request: Request, printer: &mut Printer) -> Result<(), Fault> {
    let is_small = request.is_small();
    let Request { here, files, texts, dialect, act, since, .. } = request;
    let worker = || {
        let mut scratch = Scratch::default();
        let (here, dialect) = (&here, &dialect);
        move |found| {
            let task = match found {
                Found::Text(task) => task,
                Found::File(stop) => Task {
                    shown: paths::shown(&stop.path, here),
                    dialect: dialect.clone(),
                    act,
                    source: Source::File(stop),
                },
            };
            task::run(task, &mut scratch)
        }
    };
    let is_asked = |stop: &Stop| {
        let is_changed = |since: &Since| since.changes.iter().any(|changes| changes.has(&stop.path));
        stop.interest.is_err() || since.as_ref().is_none_or(is_changed)
    };
    let found = texts.into_iter().map(Found::Text).chain(files.filter(is_asked).map(Found::File));
    if is_small {
        return found.map(worker()).try_for_each(|done| printer.take(done));
    }
    let workers = thread::available_parallelism().map_or(1, usize::from);
    ordered::run(found, workers, worker, |done| printer.take(done))
}

/// Something to check; threads that take it share no more work than finding it.
enum Found {
    Text(Task),
    File(Stop),
}

/// Writes the report as results come in, and counts.
///
/// Where standard output carries text – a diff, or standard input fixed – the report goes to standard error.
struct Printer {
    report: Box<dyn Report>,
    out: Box<dyn Write + Send>,
    act: Act,
    carries_text: bool,
    /// How many findings were fixed, or would be, and in how many files.
    fixed: (usize, usize),
    progress: Progress,
    summary: Summary,
    is_strict: bool,
    is_text: bool,
    is_terminal: bool,
    has_blocking: bool,
    has_failures: bool,
    /// Whether a file has more to fix than is tried in one go, or than can be done for its owner.
    has_unsettled: bool,
}

impl Printer {
    fn new(request: &Request, is_strict: bool) -> Self {
        let carries_text = match request.act {
            Act::Report => false,
            Act::Show(_) => true,
            Act::Write(_) => !request.texts.is_empty(),
        };
        let choice = if carries_text {
            anstream::AutoStream::choice(&io::stderr())
        } else {
            anstream::AutoStream::choice(&io::stdout())
        };
        let is_coloured = choice != anstream::ColorChoice::Never;
        let options = ReportOptions {
            colour: if is_coloured { Colour::Coloured } else { Colour::Plain },
            width: width(),
            blocks: if is_strict { Level::Warning } else { Level::Error },
        };
        Self {
            report: (request.form.make)(&options),
            out: if carries_text {
                Box::new(BufWriter::new(io::stderr()))
            } else {
                Box::new(BufWriter::with_capacity(64 * 1024, io::stdout()))
            },
            act: request.act,
            carries_text,
            fixed: (0, 0),
            progress: if request.is_small() { Progress::silent() } else { Progress::watched() },
            summary: Summary::default(),
            is_strict: request.is_strict,
            is_text: request.form.name == "text",
            is_terminal: if carries_text { io::stderr().is_terminal() } else { io::stdout().is_terminal() },
            has_blocking: false,
            has_failures: false,
            has_unsettled: false,
        }
    }

    fn start(&mut self) -> Result<(), Fault> {
        reply::begin();
        Ok(self.report.start(&mut self.out)?)
    }

    fn take(&mut self, done: Done) -> Result<(), Fault> {
        self.progress.advance();
        match done {
            Done::PassedOver => Ok(()),
            Done::Failed { shown, message } => self.failure(&shown, &message),
            Done::Listed(mut listed) => {
                let mended = std::mem::take(&mut listed.mended);
                let shown = listed.shown.clone();
                listed.with_checked(|shown, project, checked| self.file(shown, project, checked))?;
                self.mended(&shown, &mended)
            }
        }
    }

    fn file(
        &mut self,
        path: &str,
        project: &Project,
        checked: &baton_document::Checked<'_>,
    ) -> Result<(), Fault> {
        self.summary.add(checked);
        let is_strict = self.is_strict || project.config.is_strict;
        let lowest = if is_strict { Level::Warning } else { Level::Error };
        self.has_blocking |= checked.findings.iter().any(|finding| finding.level >= lowest);
        let file = FileReport { path, checked, checker: &project.checker };
        let (report, out) = (&mut self.report, &mut self.out);
        let is_seen = !checked.findings.is_empty() && self.is_terminal;
        self.progress.pause(|| {
            report.file(&file, out)?;
            // On a terminal findings appear as they come.
            if is_seen { out.flush() } else { Ok(()) }
        })?;
        Ok(())
    }

    /// Hands on what came of the fixes of a file.
    fn mended(&mut self, path: &str, mended: &Mended) -> Result<(), Fault> {
        if mended.count > 0 {
            self.fixed = (self.fixed.0 + mended.count, self.fixed.1 + 1);
        }
        let texts = mended.diff.iter().map(String::as_bytes).chain(mended.output.as_deref());
        self.progress.pause(|| texts.into_iter().try_for_each(|text| io::stdout().write_all(text)))?;
        if mended.is_unsettled {
            self.has_unsettled = true;
            self.progress
                .pause(|| say::note(&format!("{path} has more to fix than is tried in one go; it stays")));
        }
        if mended.left > 0 {
            self.has_unsettled = true;
            let what = counted(mended.left, "secret");
            self.progress.pause(|| say::note(&format!("{path} still has {what}, to be taken out by hand")));
        }
        match &mended.trouble {
            Some(message) => self.fail("write", path, message),
            None => Ok(()),
        }
    }

    fn failure(&mut self, path: &str, message: &str) -> Result<(), Fault> {
        self.fail("read", path, message)
    }

    fn fail(&mut self, act: &str, path: &str, message: &str) -> Result<(), Fault> {
        self.has_failures = true;
        let (report, out, is_text) = (&mut self.report, &mut self.out, self.is_text);
        self.progress.pause(|| {
            if is_text {
                say::error(&format!("cannot {act} {path}: {message}"), None);
            }
            report.failure(path, message, out)
        })?;
        Ok(())
    }

    fn finish(mut self, folders: &[PathBuf], since: Option<&str>) -> Result<Outcome, Fault> {
        let is_shown = matches!(self.act, Act::Show(_)) && self.fixed.0 > 0;
        let outcome = if self.has_failures {
            Outcome::Incomplete
        } else if self.has_blocking || is_shown {
            Outcome::Blocked
        } else {
            Outcome::Clean
        };
        drop(std::mem::replace(&mut self.progress, Progress::silent()));
        let written = self.report.finish(&self.summary, &mut self.out).and_then(|()| self.out.flush());
        match written.map_err(Fault::from) {
            Ok(()) => {}
            Err(fault) if fault.kind == FaultKind::Unread => {}
            Err(failure) => return Err(failure),
        }
        if self.summary.handoffs == 0 && self.summary.files == 0 && !folders.is_empty() {
            let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
            let differing = since.map(|since| format!(" that differ from {since}")).unwrap_or_default();
            say::note(&format!("no handoffs found in {}{differing}", names.join(", ")));
        }
        if self.carries_text {
            io::stdout().flush()?;
        }
        if let Some(note) = fixed_note(self.act, self.fixed, self.has_failures || self.has_unsettled) {
            say::note(&note);
        }
        Ok(outcome)
    }
}

/// What is said at the end of so many findings that were fixed in so many files; `is_partial` where not all could be.
fn fixed_note(act: Act, (count, files): (usize, usize), is_partial: bool) -> Option<String> {
    let what = || format!("{} in {}", counted(count, "finding"), counted(files, "file"));
    match act {
        Act::Report => None,
        Act::Show(_) if count > 0 => Some(format!("{} would be fixed", what())),
        Act::Write(_) if count > 0 => Some(format!("fixed {}", what())),
        // Why nothing was fixed has been said of each file.
        Act::Show(_) | Act::Write(_) if is_partial => None,
        Act::Show(_) | Act::Write(_) => Some("nothing to fix".to_owned()),
    }
}

fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// The columns that people see: those of the terminal, within reason.
fn width() -> usize {
    const USUAL: usize = 140;
    let size = if io::stdout().is_terminal() { terminal_size::terminal_size() } else { None };
    size.map_or(USUAL, |(width, _)| usize::from(width.0).clamp(40, 200))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_to_fix_is_said_only_where_all_was_looked_at() {
        let wanted = Wanted { safe: true, secrets: false };
        for act in [Act::Show(wanted), Act::Write(wanted)] {
            assert_eq!(fixed_note(act, (0, 0), false).as_deref(), Some("nothing to fix"));
            assert_eq!(fixed_note(act, (0, 0), true), None);
        }
        assert_eq!(
            fixed_note(Act::Write(wanted), (2, 1), true).as_deref(),
            Some("fixed 2 findings in 1 file")
        );
        assert_eq!(fixed_note(Act::Report, (0, 0), false), None);
    }
}
