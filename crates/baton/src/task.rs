//! One file, from its path to its findings.

use std::sync::Arc;

use baton_document::carrier::Look;
use baton_document::{Checked, Finding, Handoff, Input, Level, Scratch, Span};

use crate::config::is_match;
use crate::ordered::Held;
use crate::project::Project;
use crate::read::{self, Content};
use crate::walk::{Interest, Stop};

/// A file to check.
#[derive(Debug)]
pub(crate) struct Task {
    /// Its path as reports show it.
    pub(crate) shown: String,
    /// The dialect to read it as, whatever it looks like.
    pub(crate) dialect: Option<Arc<str>>,
    /// Where its bytes come from.
    pub(crate) source: Source,
}

/// Where bytes come from.
#[derive(Debug)]
pub(crate) enum Source {
    /// A file.
    File(Stop),
    /// Standard input, which was read already, with the path it is said to have.
    Stdin { content: Content, path: Option<String>, project: Arc<Project> },
}

/// What came of a file.
pub(crate) enum Done {
    /// It is worth listing.
    Listed(Box<Listed>),
    /// It could not be read.
    Failed { shown: String, message: String },
    /// It is no handoff, and nobody asked for it.
    PassedOver,
}

impl Held for Done {
    fn bytes(&self) -> usize {
        match self {
            Done::Listed(listed) => listed.bytes.len() + size_of_val(&*listed.findings),
            Done::Failed { .. } | Done::PassedOver => 0,
        }
    }
}

/// A file with what was found in it.
pub(crate) struct Listed {
    /// Its path as reports show it.
    pub(crate) shown: String,
    /// Its project.
    pub(crate) project: Arc<Project>,
    bytes: Vec<u8>,
    is_text: bool,
    handoffs: Vec<Handoff>,
    findings: Vec<Finding>,
    hidden: Vec<Span>,
}

impl Listed {
    /// Gives what was found to a reader.
    pub(crate) fn with_checked<T>(mut self, read: impl FnOnce(&str, &Project, &Checked<'_>) -> T) -> T {
        let checked = Checked {
            text: std::str::from_utf8(&self.bytes).ok().filter(|_| self.is_text),
            handoffs: std::mem::take(&mut self.handoffs),
            findings: std::mem::take(&mut self.findings),
            hidden: std::mem::take(&mut self.hidden),
        };
        read(&self.shown, &self.project, &checked)
    }
}

/// Reads and checks a file.
pub(crate) fn run(task: Task, scratch: &mut Scratch) -> Done {
    let Task { shown, dialect, source } = task;
    match source {
        Source::Stdin { content, path, project } => {
            let place = Place { shown, path, interest: Interest::Named, project };
            place.check(content, dialect.as_deref(), scratch)
        }
        Source::File(Stop { path, interest, project }) => {
            let interest = match interest {
                Ok(interest) => interest,
                Err(message) => return Done::Failed { shown, message },
            };
            match read::file(&path, project.checker.limits().file_bytes) {
                Ok(content) => {
                    let place = Place { shown, path: project.below_root(&path), interest, project };
                    place.check(content, dialect.as_deref(), scratch)
                }
                Err(message) => Done::Failed { shown, message },
            }
        }
    }
}

struct Place {
    shown: String,
    path: Option<String>,
    interest: Interest,
    project: Arc<Project>,
}

impl Place {
    fn check(self, content: Content, dialect: Option<&str>, scratch: &mut Scratch) -> Done {
        let Self { shown, path, interest, project } = self;
        let (checker, config) = (&project.checker, &project.config);
        let path = path.as_deref();
        let (bytes, checked) = match content {
            Content::TooLarge(bytes) => (Vec::new(), Parts::from(checker.refuse_size(path, bytes))),
            Content::Bytes(bytes) => {
                let is_prose = path.is_some_and(|path| is_match(&config.prose, path));
                let input = Input {
                    path,
                    bytes: &bytes,
                    dialect: dialect.or_else(|| config.dialect_of(path?)),
                    look: if is_prose || interest == Interest::Named { Look::Prose } else { Look::Whole },
                    is_named: interest != Interest::Met,
                };
                let checked = Parts::from(checker.check(input, &project.world, scratch));
                (bytes, checked)
            }
        };
        let Parts { is_text, handoffs, mut findings, hidden } = checked;
        if interest == Interest::Met && bytes.is_empty() && !path.is_some_and(|path| checker.is_placed(path))
        {
            // Nobody knows whether a large file met on the way is a handoff: it does not block.
            findings.iter_mut().for_each(|finding| finding.level = finding.level.min(Level::Info));
        }
        let is_listed = interest == Interest::Named || !handoffs.is_empty() || !findings.is_empty();
        if !is_listed {
            return Done::PassedOver;
        }
        Done::Listed(Box::new(Listed {
            shown,
            project: Arc::clone(&project),
            bytes,
            is_text,
            handoffs,
            findings,
            hidden,
        }))
    }
}

/// What was found, without the text it was found in.
struct Parts {
    is_text: bool,
    handoffs: Vec<Handoff>,
    findings: Vec<Finding>,
    hidden: Vec<Span>,
}

impl From<Checked<'_>> for Parts {
    fn from(checked: Checked<'_>) -> Self {
        let Checked { text, handoffs, findings, hidden } = checked;
        Self { is_text: text.is_some(), handoffs, findings, hidden }
    }
}
