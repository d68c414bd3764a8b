//! A project: its root, its settings, the checker made from them, and the files below it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_document::Checker;

use crate::config::{self, Config};
use crate::paths;
use crate::root::{self, CONFIG_NAME};
use crate::world::DiskWorld;

/// Everything that checking a file needs to know about the project it belongs to.
#[derive(Debug)]
pub(crate) struct Project {
    /// The folder that paths in documents start from.
    pub(crate) root: PathBuf,
    /// What `baton.toml` sets.
    pub(crate) config: Config,
    /// The path of `baton.toml`, where there is one.
    pub(crate) config_path: Option<PathBuf>,
    /// Checks its files.
    pub(crate) checker: Checker,
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
        let checker = Checker::new(&config.settings, levels, config.limits).allowing(allowed);
        let world = DiskWorld::new(root);
        Self { root: root.to_owned(), config, config_path, checker, world }
    }

    /// A path below the root, as globs and dialects see it.
    pub(crate) fn below_root(&self, path: &Path) -> Option<String> {
        paths::from_root(path, &self.root)
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

    /// The project that a folder belongs to.
    pub(crate) fn of(&mut self, folder: &Path) -> Arc<Project> {
        let root = root::find(folder, &self.here);
        let project = self.opened.entry(root).or_insert_with_key(|root| Arc::new(Project::open(root)));
        Arc::clone(project)
    }

    /// Whether warnings block in one of them.
    pub(crate) fn is_any_strict(&self) -> bool {
        self.opened.values().any(|project| project.config.is_strict)
    }
}
