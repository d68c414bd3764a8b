//! A project: its root, its settings, the checker made from them, and the files below it.
//!
//! *Invariant:* a file that the user wrote and that is not used becomes a diagnostic.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::project::config::{self, Config};
use crate::project::dialects::{self, Sources};
use crate::project::fault::{Diagnostic, Fault, Severity};
use crate::project::paths;
use crate::project::pinned::Pinned;
use crate::project::root::CONFIG_NAME;
use crate::project::world::DiskWorld;
use baton_document::dialect::DialectFile;
use baton_document::{Checker, LineIndex};

/// Everything that checking a file needs to know about the project it belongs to.
#[derive(Debug)]
pub struct Project {
    /// The folder that paths in documents start from.
    pub root: PathBuf,
    /// What `baton.toml` sets.
    pub config: Config,
    /// The path of `baton.toml`, where there is one.
    pub config_path: Option<PathBuf>,
    /// The paths of its dialect files.
    pub dialect_paths: Vec<PathBuf>,
    /// Checks its files.
    pub checker: Arc<Checker>,
    /// The files around a document.
    pub world: DiskWorld,
    /// Dialect files that are not used, and why.
    pub diagnostics: Vec<Diagnostic>,
}

impl Project {
    /// Opens the project at a root.
    pub fn open(root: &Path) -> Self {
        let path = root.join(CONFIG_NAME);
        let config_path = path.symlink_metadata().is_ok().then_some(path);
        let mut config = config_path.as_deref().map(config::open).unwrap_or_default();
        let levels = std::mem::take(&mut config.levels);
        let allowed = config.allowed.clone();
        let world = DiskWorld::new(root);
        let sources = dialects::open(root, config.dialect_files.as_deref());
        let files: Vec<_> = sources.files.iter().map(dialects::Source::file).collect();
        let checker =
            Checker::with_dialects(&config.settings, levels, config.limits, &files).allowing(allowed);
        let diagnostics = unused(&sources, &checker);
        let dialect_paths = sources.files.into_iter().map(|file| file.path).collect();
        let checker = Arc::new(checker);
        Self { root: root.to_owned(), config, config_path, dialect_paths, checker, world, diagnostics }
    }

    /// The project as a run goes by it: with the settings and dialects that the run has pinned.
    pub fn pinned(root: &Path, files: &[Pinned]) -> Self {
        let text = |file: &Pinned| String::from_utf8_lossy(&file.bytes).into_owned();
        let config = files.iter().find(|file| file.path == CONFIG_NAME);
        let mut config = config.map(|file| config::read(&text(file))).unwrap_or_default();
        let levels = std::mem::take(&mut config.levels);
        let allowed = config.allowed.clone();
        let is_dialect = |file: &&Pinned| !file.is_flow && dialects::has_ending(Path::new(&file.path));
        let texts: Vec<_> = files.iter().filter(is_dialect).map(|file| (&file.path, text(file))).collect();
        let files: Vec<_> = texts.iter().map(|(path, text)| DialectFile { path, text }).collect();
        let checker =
            Checker::with_dialects(&config.settings, levels, config.limits, &files).allowing(allowed);
        Self {
            root: root.to_owned(),
            config,
            config_path: None,
            dialect_paths: Vec::new(),
            checker: Arc::new(checker),
            world: DiskWorld::new(root),
            diagnostics: Vec::new(),
        }
    }

    /// The names of its dialects of handoffs, its own first.
    pub fn dialect_names(&self) -> impl Iterator<Item = &str> {
        self.checker.dialects().handoffs.iter().map(|dialect| &*dialect.name)
    }

    /// Why a dialect is not there, if its file is but cannot be used.
    pub fn why_unusable(&self, name: &str) -> Option<String> {
        let file = self.checker.unusable().iter().find(|file| file.name.as_deref() == Some(name))?;
        Some(format!("{0} defines it, but cannot be used; `baton check {0}` says why", file.path))
    }

    /// The failure of asking for a dialect that is not there; `names` are those that are.
    pub fn unknown_dialect(&self, name: &str, names: impl Iterator<Item: AsRef<str>>) -> Fault {
        let near = self.checker.dialects().nearest(name).map(|near| format!("did you mean `{near}`? "));
        let names = names.map(|name| name.as_ref().to_owned()).collect::<Vec<_>>().join(", ");
        let known = || format!("{}there are {names}", near.unwrap_or_default());
        let hint = self.why_unusable(name).unwrap_or_else(known);
        Fault::usage(format!("no dialect is called `{name}`"), Some(hint))
    }

    /// A path below the root, as globs and dialects see it.
    pub fn below_root(&self, path: &Path) -> Option<String> {
        paths::from_root(path, &self.root)
    }
}

/// Diagnostics of the dialect files that are not used.
fn unused(sources: &Sources, checker: &Checker) -> Vec<Diagnostic> {
    let unread = sources.problems.iter().map(|problem| Diagnostic::new(Severity::Error, problem));
    let unusable = checker.unusable().iter().filter_map(|unusable| {
        let first = unusable.findings.first()?;
        let source =
            sources.files.iter().map(dialects::Source::file).find(|file| *file.path == *unusable.path);
        let place = source.zip(first.span).map(|(file, span)| LineIndex::new(file.text).place(span.start));
        let at = place.map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default();
        let message = format!("the dialect file {}{at} is not used: {}", unusable.path, first.message);
        let hint = format!("`baton check {}` says all that is wrong with it", unusable.path);
        let diagnostic = Diagnostic::new(Severity::Error, message).about(&*unusable.path, place);
        Some(Diagnostic { hint: Some(hint), ..diagnostic })
    });
    unread.chain(unusable).collect()
}
