//! `baton check`: every handoff in some files and folders, and what is wrong with it.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use baton_document::dialect::BUILT_IN;
use baton_document::report::{Colour, FileReport, REPORTS, Report, ReportForm, ReportOptions, Summary};
use baton_document::{Level, Scratch};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::progress::Progress;
use crate::project::Project;
use crate::task::{self, Done, Source, Task};
use crate::walk::{Files, Stop};
use crate::{ordered, paths, read, say};

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "check", command, run };

const ABOUT: &str = "Checks handoffs and reports what is wrong with them";

const LONG_ABOUT: &str = "\
Checks handoffs and reports what is wrong with them, where, and what would be right.

In a folder, Baton looks at the files that lie where a dialect places them (such as meta/handoff.yaml or \
.runs/…/handoffs/…, hidden and ignored ones too) and at all JSON, YAML and XML files that it recognises as \
handoffs, honouring .gitignore. A file that is named is searched for handoffs wherever they stand in it: as the \
whole file, in front matter, in a fenced block, or in the middle of an agent's answer. Nothing is run and \
nothing is changed.";

const EXAMPLES: &str = "\
Examples:
  baton check                                  this folder and what is below it
  baton check meta .runs/today                 two folders
  baton check answer.md                        the handoffs in an agent's answer
  claude -p … | baton check -                  the same, without a file
  baton check --dialect package draft.yaml     read it as a package, whatever it looks like
  baton check --strict                         warnings block too
  baton check --format sarif > baton.sarif     for code scanning
  baton check --json | jq '.summary'           for scripts

Settings are read from baton.toml at the top of the project; `baton schema config` shows what it may say.

Exit codes: 0 nothing blocks, 1 findings block, 2 wrong usage, 4 a file could not be read.";

#[derive(Debug, Args)]
struct Typed {
    /// Files and folders to check, `-` for standard input [default: the folder you are in]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Reads everything as this dialect, whatever it looks like
    #[arg(long, value_name = "DIALECT", value_parser = dialects())]
    dialect: Option<String>,
    /// How to report
    #[arg(long, value_name = "FORMAT", value_parser = formats(), default_value = "text")]
    format: String,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Lets warnings block, not only errors
    #[arg(long)]
    strict: bool,
    /// The path that standard input is treated as having
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<PathBuf>,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn dialects() -> PossibleValuesParser {
    BUILT_IN.iter().filter(|file| file.is_handoff).map(|file| file.name).collect::<Vec<_>>().into()
}

fn formats() -> PossibleValuesParser {
    REPORTS.iter().map(|form| PossibleValue::new(form.name).help(form.about)).collect::<Vec<_>>().into()
}

/// What was asked for, as it is meant.
struct Request {
    here: PathBuf,
    files: Files,
    folders: Vec<PathBuf>,
    stdin: Option<Task>,
    named: usize,
    form: &'static ReportForm,
    dialect: Option<Arc<str>>,
    is_strict: bool,
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let mut request = meant(typed)?;
    let is_strict = request.is_strict || request.files.projects().is_any_strict();
    let mut printer = Printer::new(&request, is_strict);
    printer.start()?;
    let folders = request.folders.clone();
    match check_all(request, &mut printer) {
        // Whoever reads has seen enough: what they saw counts.
        Ok(()) | Err(Failure::Unread) => {}
        Err(failure) => return Err(failure),
    }
    printer.finish(&folders)
}

/// From what was typed to what is meant; a path that is not there is found before any work is done.
fn meant(typed: Typed) -> Result<Request, Failure> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::world(format!("cannot tell which folder this is: {error}")))?;
    let name = if typed.json { "json" } else { &typed.format };
    let form = REPORTS.iter().find(|form| form.name == name);
    let form = form.ok_or_else(|| Failure::usage(format!("no report is called {name}")))?;
    let mut request = Request {
        files: Files::new(&here),
        folders: Vec::new(),
        stdin: None,
        named: 0,
        form,
        dialect: typed.dialect.map(Arc::from),
        is_strict: typed.strict,
        here,
    };
    let has_stdin = typed.paths.iter().any(|path| path == Path::new("-"));
    if typed.stdin_filename.is_some() && !has_stdin {
        return Err(Failure::Usage {
            message: "`--stdin-filename` is given, but standard input is not read".to_owned(),
            hint: Some("add `-` to read it".to_owned()),
        });
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
    Ok(request)
}

impl Request {
    fn add(&mut self, target: &Path) -> Result<(), Failure> {
        let missing = |_| Failure::usage(format!("{} does not exist", target.display()));
        let path = paths::absolute(target, &self.here).map_err(missing)?;
        path.symlink_metadata().map_err(missing)?;
        if path.is_dir() {
            self.files.add_folder(&path);
            self.folders.push(target.to_owned());
        } else {
            self.files.add_file(path);
            self.named += 1;
        }
        Ok(())
    }

    fn add_stdin(&mut self, name: Option<&Path>) -> Result<(), Failure> {
        let path = name.map(|name| paths::normal(&self.here.join(name)));
        let folder = path.as_deref().and_then(Path::parent).unwrap_or(&self.here).to_owned();
        let project = self.files.projects().of(&folder);
        let content = read::stream(io::stdin().lock(), 0, project.checker.limits().file_bytes)
            .map_err(|error| Failure::world(format!("cannot read standard input: {error}")))?;
        let shown = path.as_deref().map_or("<stdin>".to_owned(), |path| paths::shown(path, &self.here));
        let path = path.and_then(|path| project.below_root(&path));
        let source = Source::Stdin { content, path, project };
        self.stdin = Some(Task { shown, dialect: self.dialect.clone(), source });
        Ok(())
    }

    /// Whether threads would cost more than they save.
    fn is_small(&self) -> bool {
        self.folders.is_empty() && self.named <= 2
    }
}

fn check_all(request: Request, printer: &mut Printer) -> Result<(), Failure> {
    let is_small = request.is_small();
    let Request { here, files, stdin, dialect, .. } = request;
    let worker = || {
        let mut scratch = Scratch::default();
        let (here, dialect) = (&here, &dialect);
        move |found| {
            let task = match found {
                Found::Stdin(task) => task,
                Found::File(stop) => Task {
                    shown: paths::shown(&stop.path, here),
                    dialect: dialect.clone(),
                    source: Source::File(stop),
                },
            };
            task::run(task, &mut scratch)
        }
    };
    let found = stdin.into_iter().map(Found::Stdin).chain(files.map(Found::File));
    if is_small {
        return found.map(worker()).try_for_each(|done| printer.take(done));
    }
    let workers = thread::available_parallelism().map_or(1, usize::from);
    ordered::run(found, workers, worker, |done| printer.take(done))
}

/// Something to check; threads that take it share no more work than finding it.
enum Found {
    Stdin(Task),
    File(Stop),
}

/// Writes the report as results come in, and counts.
struct Printer {
    report: Box<dyn Report>,
    out: BufWriter<io::Stdout>,
    progress: Progress,
    summary: Summary,
    is_strict: bool,
    is_text: bool,
    is_terminal: bool,
    has_blocking: bool,
    has_failures: bool,
}

impl Printer {
    fn new(request: &Request, is_strict: bool) -> Self {
        let is_coloured = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
        let options = ReportOptions {
            colour: if is_coloured { Colour::Coloured } else { Colour::Plain },
            width: width(),
            blocks: if is_strict { Level::Warning } else { Level::Error },
        };
        Self {
            report: (request.form.make)(&options),
            out: BufWriter::with_capacity(64 * 1024, io::stdout()),
            progress: if request.is_small() { Progress::silent() } else { Progress::watched() },
            summary: Summary::default(),
            is_strict: request.is_strict,
            is_text: request.form.name == "text",
            is_terminal: io::stdout().is_terminal(),
            has_blocking: false,
            has_failures: false,
        }
    }

    fn start(&mut self) -> Result<(), Failure> {
        Ok(self.report.start(&mut self.out)?)
    }

    fn take(&mut self, done: Done) -> Result<(), Failure> {
        self.progress.advance();
        match done {
            Done::PassedOver => Ok(()),
            Done::Failed { shown, message } => self.failure(&shown, &message),
            Done::Listed(listed) => {
                listed.with_checked(|shown, project, checked| self.file(shown, project, checked))
            }
        }
    }

    fn file(
        &mut self,
        path: &str,
        project: &Project,
        checked: &baton_document::Checked<'_>,
    ) -> Result<(), Failure> {
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

    fn failure(&mut self, path: &str, message: &str) -> Result<(), Failure> {
        self.has_failures = true;
        let (report, out, is_text) = (&mut self.report, &mut self.out, self.is_text);
        self.progress.pause(|| {
            if is_text {
                say::error(&format!("cannot read {path}: {message}"), None);
            }
            report.failure(path, message, out)
        })?;
        Ok(())
    }

    fn finish(mut self, folders: &[PathBuf]) -> Result<Outcome, Failure> {
        let outcome = if self.has_failures {
            Outcome::Incomplete
        } else if self.has_blocking {
            Outcome::Blocked
        } else {
            Outcome::Clean
        };
        drop(std::mem::replace(&mut self.progress, Progress::silent()));
        let written = self.report.finish(&self.summary, &mut self.out).and_then(|()| self.out.flush());
        match written.map_err(Failure::from) {
            Ok(()) | Err(Failure::Unread) => {}
            Err(failure) => return Err(failure),
        }
        if self.summary.handoffs == 0 && self.summary.files == 0 && !folders.is_empty() {
            let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
            say::note(&format!("no handoffs found in {}", names.join(", ")));
        }
        Ok(outcome)
    }
}

/// The columns that people see: those of the terminal, within reason.
fn width() -> usize {
    const USUAL: usize = 140;
    let size = if io::stdout().is_terminal() { terminal_size::terminal_size() } else { None };
    size.map_or(USUAL, |(width, _)| usize::from(width.0).clamp(40, 200))
}
