//! The door: a project whose use cases can be called.

use std::sync::Arc;

use baton_ledger::Store;

use super::lookup;
use crate::project::fault::Result;
use crate::project::{Project, store};

/// The use cases of a project.
pub struct Service {
    pub(super) project: Arc<Project>,
}

impl Service {
    /// Opens the service of a project.
    pub fn open(project: &Arc<Project>) -> Self {
        Self { project: Arc::clone(project) }
    }

    /// The project.
    pub fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Whether the project has a ledger: something was recorded in it.
    pub fn has_ledger(&self) -> Result<bool> {
        Ok(lookup::to_read(&self.project)?.is_some())
    }

    /// The ledger, if there is one.
    pub(super) fn existing(&self) -> Result<Option<Box<dyn Store>>> {
        lookup::to_read(&self.project)
    }

    /// The ledger, for something in it by its id.
    pub(super) fn ledger_of(&self, id: &str) -> Result<Box<dyn Store>> {
        lookup::to_find(&self.project, id)
    }

    /// The ledger, made if there is none.
    pub(super) fn ledger(&self) -> Result<Box<dyn Store>> {
        Ok(store::open(&self.project.root)?)
    }
}
