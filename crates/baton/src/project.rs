//! A project: its root, its settings, the checker made from them, and the files below it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_document::dialect::DialectFile;
use baton_document::{Checker, LineIndex};
use baton_engine::project::store;
use baton_engine::records::entry::Pinned;

use crate::config::{self, Config};
use crate::dialects::{self, Sources};
use crate::outcome::Failure;
use crate::root::{self, CONFIG_NAME};
use crate::world::DiskWorld;
use crate::{paths, say, settings};

/// Everything that checking a file needs to know about the project it belongs to.
#[derive(Debug)]
pub(crate) struct Project {
    /// The folder that paths in documents start from.
    pub(crate) root: PathBuf,
    /// What `baton.toml` sets.
    pub(crate) config: Config,
    /// The path of `baton.toml`, where there is one.
    pub(crate) config_path: Option<PathBuf>,
    /// The paths of its dialect files.
    pub(crate) dialect_paths: Vec<PathBuf>,
    /// Checks its files.
    pub(crate) checker: Arc<Checker>,
    /// The files around a document.
    pub(crate) world: DiskWorld,
}

impl Project {
    /// Opens the project at a root.
    pub(crate) fn open(root: &Path) -> Self {
        let path = root.join(CONFIG_NAME);
        let config_path = path.symlink_metadata().is_ok().then_some(path);
        let mut config = config_path.as_deref().map(config::open).unwrap_or_default();
        let levels = std::mem::take(&mut config.levels);
        let allowed = std::mem::take(&mut config.allowed);
        let world = DiskWorld::new(root);
        let sources = dialects::open(root, config.dialect_files.as_deref());
        let files: Vec<_> = sources.files.iter().map(dialects::Source::file).collect();
        let checker = Arc::new(
            Checker::with_dialects(&config.settings, levels, config.limits, &files).allowing(allowed),
        );
        tell(&sources, &checker);
        let dialect_paths = sources.files.into_iter().map(|file| file.path).collect();
        Self { root: root.to_owned(), config, config_path, dialect_paths, checker, world }
    }

    /// The project as a run goes by it: with the settings and dialects that the run has pinned.
    pub(crate) fn pinned(root: &Path, files: &[Pinned]) -> Self {
        let text = |file: &Pinned| String::from_utf8_lossy(&file.bytes).into_owned();
        let config = files.iter().find(|file| file.path == CONFIG_NAME);
        let mut config = config.map(|file| config::read(&text(file))).unwrap_or_default();
        let levels = std::mem::take(&mut config.levels);
        let allowed = std::mem::take(&mut config.allowed);
        let is_dialect = |file: &&Pinned| !file.is_flow && dialects::has_ending(Path::new(&file.path));
        let texts: Vec<_> = files.iter().filter(is_dialect).map(|file| (&file.path, text(file))).collect();
        let files: Vec<_> = texts.iter().map(|(path, text)| DialectFile { path, text }).collect();
        let checker = Arc::new(
            Checker::with_dialects(&config.settings, levels, config.limits, &files).allowing(allowed),
        );
        let (config_path, dialect_paths, world) = (None, Vec::new(), DiskWorld::new(root));
        Self { root: root.to_owned(), config, config_path, dialect_paths, checker, world }
    }

    /// The names of its dialects of handoffs, its own first.
    pub(crate) fn dialect_names(&self) -> impl Iterator<Item = &str> {
        self.checker.dialects().handoffs.iter().map(|dialect| &*dialect.name)
    }

    /// Why a dialect is not there, if its file is but cannot be used.
    pub(crate) fn why_unusable(&self, name: &str) -> Option<String> {
        let file = self.checker.unusable().iter().find(|file| file.name.as_deref() == Some(name))?;
        Some(format!("{0} defines it, but cannot be used; `baton check {0}` says why", file.path))
    }

    /// The failure of asking for a dialect that is not there; `names` are those that are.
    pub(crate) fn unknown_dialect(&self, name: &str, names: impl Iterator<Item: AsRef<str>>) -> Failure {
        let near = self.checker.dialects().nearest(name).map(|near| format!("did you mean `{near}`? "));
        let names = names.map(|name| name.as_ref().to_owned()).collect::<Vec<_>>().join(", ");
        let known = || format!("{}there are {names}", near.unwrap_or_default());
        let hint = self.why_unusable(name).unwrap_or_else(known);
        Failure::Usage { message: format!("no dialect is called `{name}`"), hint: Some(hint) }
    }

    /// A path below the root, as globs and dialects see it.
    pub(crate) fn below_root(&self, path: &Path) -> Option<String> {
        paths::from_root(path, &self.root)
    }
}

/// Says which dialect files are not used: nothing that a user wrote is left out without a word.
fn tell(sources: &Sources, checker: &Checker) {
    for problem in &sources.problems {
        say::error(problem, None);
    }
    for unusable in checker.unusable() {
        let Some(first) = unusable.findings.first() else { continue };
        let source =
            sources.files.iter().map(dialects::Source::file).find(|file| *file.path == *unusable.path);
        let place = source.zip(first.span).map(|(file, span)| {
            let place = LineIndex::new(file.text).place(span.start);
            format!(":{}:{}", place.line, place.column)
        });
        let place = place.unwrap_or_default();
        let message = format!("the dialect file {}{place} is not used: {}", unusable.path, first.message);
        let hint = format!("`baton check {}` says all that is wrong with it", unusable.path);
        say::error(&message, Some(&hint));
    }
}

/// The projects in use, each opened once.
#[derive(Debug)]
pub(crate) struct Projects {
    here: PathBuf,
    opened: HashMap<PathBuf, Arc<Project>>,
}

impl Projects {
    /// Starts without any; `here` is where one stands.
    pub(crate) fn new(here: &Path) -> Self {
        Self { here: here.to_owned(), opened: HashMap::new() }
    }

    /// The project that one stands in, for whoever only reads; says what is wrong with its settings.
    pub(crate) fn here() -> Result<Arc<Project>, Failure> {
        let project = Self::around()?;
        settings::warn(&project);
        Ok(project)
    }

    /// The project that one stands in, for whoever acts: its settings must hold.
    pub(crate) fn to_act() -> Result<Arc<Project>, Failure> {
        let project = Self::around()?;
        settings::must_hold(&project)?;
        store::secure(&project.root)?;
        Ok(project)
    }

    fn around() -> Result<Arc<Project>, Failure> {
        let here = std::env::current_dir()
            .map_err(|error| Failure::world(format!("cannot tell which folder this is: {error}")))?;
        Ok(Self::new(&here).of(&here))
    }

    /// The project that a folder belongs to.
    pub(crate) fn of(&mut self, folder: &Path) -> Arc<Project> {
        let root = root::find(folder, &self.here);
        let project = self.opened.entry(root).or_insert_with_key(|root| Arc::new(Project::open(root)));
        Arc::clone(project)
    }

    /// Refuses a dialect that none of them has.
    pub(crate) fn must_know(&self, name: &str) -> Result<(), Failure> {
        let knows = |project: &Arc<Project>| project.dialect_names().any(|known| known == name);
        match self.opened.values().next() {
            Some(first) if !self.opened.values().any(knows) => {
                Err(first.unknown_dialect(name, first.dialect_names()))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Whether warnings block in one of them.
    pub(crate) fn is_any_strict(&self) -> bool {
        self.opened.values().any(|project| project.config.is_strict)
    }
}
