//! The projects in use, each opened once; problems with their own files are printed when they are opened.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_engine::service::project::fault::Diagnostic;
use baton_engine::service::project::{root, settings, store};

pub(crate) use baton_engine::service::project::Project;

use crate::say;
use baton_engine::service::Fault;

/// The projects in use, each opened once.
#[derive(Debug)]
pub(crate) struct Projects {
    here: PathBuf,
    opened: HashMap<PathBuf, Arc<Project>>,
}

impl Projects {
    /// Starts without any; `here` is the working directory.
    pub(crate) fn new(here: &Path) -> Self {
        Self { here: here.to_owned(), opened: HashMap::new() }
    }

    /// The project of the working directory, for a command that only reads; warns of bad settings.
    pub(crate) fn here() -> Result<Arc<Project>, Fault> {
        let project = Self::around()?;
        print(&settings::warnings(&project));
        Ok(project)
    }

    /// The project of the working directory, for a command that changes state: its settings must hold.
    pub(crate) fn to_act() -> Result<Arc<Project>, Fault> {
        let project = Self::around()?;
        print(&settings::must_hold(&project)?);
        store::secure(&project.root)?;
        Ok(project)
    }

    fn around() -> Result<Arc<Project>, Fault> {
        let here = std::env::current_dir()
            .map_err(|error| Fault::failed(format!("cannot tell which folder this is: {error}")))?;
        Ok(Self::new(&here).of(&here))
    }

    /// The project that a folder belongs to.
    pub(crate) fn of(&mut self, folder: &Path) -> Arc<Project> {
        let root = root::find(folder, &self.here);
        let project = self.opened.entry(root).or_insert_with_key(|root| {
            let project = Project::open(root);
            print(&project.diagnostics);
            Arc::new(project)
        });
        Arc::clone(project)
    }

    /// Refuses a dialect that none of them has.
    pub(crate) fn must_know(&self, name: &str) -> Result<(), Fault> {
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

/// Prints problems with a project's own files.
fn print(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        say::diagnostic(diagnostic);
    }
}
