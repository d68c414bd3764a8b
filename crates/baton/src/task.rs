//! One file, from its path to its findings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_document::carrier::Look;
use baton_document::{
    Checked, Finding, Fixed, Handoff, Input, Level, Scratch, Span, Wanted, left_by_redaction,
};
use baton_engine::service::write;
use baton_engine::service::write::Written;

use crate::diff;
use crate::ordered::Held;
use crate::project::Project;
use crate::walk::{Interest, Stop};
use baton_engine::service::project::config::is_match;
use baton_engine::service::project::read::{self, Content};

/// How often a file that others change meanwhile is read and fixed again.
const TRIES_MAX: usize = 5;

/// What is done with fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Nothing.
    Report,
    /// They are shown as a diff.
    Show(Wanted),
    /// They are made.
    Write(Wanted),
}

/// A file to check.
#[derive(Debug)]
pub(crate) struct Task {
    /// Its path as reports show it.
    pub(crate) shown: String,
    /// The dialect to read it as, whatever it looks like.
    pub(crate) dialect: Option<Arc<str>>,
    /// What is done with fixes.
    pub(crate) act: Act,
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
            Done::Listed(listed) => {
                let Mended { diff, output, .. } = &listed.mended;
                let texts = diff.as_ref().map_or(0, String::len) + output.as_ref().map_or(0, Vec::len);
                listed.bytes.len() + size_of_val(&*listed.findings) + texts
            }
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
    /// What came of its fixes.
    pub(crate) mended: Mended,
}

/// What came of the fixes of a file.
#[derive(Debug, Default)]
pub(crate) struct Mended {
    /// How many findings were fixed, or would be.
    pub(crate) count: usize,
    /// What would change.
    pub(crate) diff: Option<String>,
    /// The text of standard input, fixed as far as it could be.
    pub(crate) output: Option<Vec<u8>>,
    /// Whether it has more to fix than is tried in one go.
    pub(crate) is_unsettled: bool,
    /// How many secrets must be taken out by hand.
    pub(crate) left: usize,
    /// Why the file could not be written.
    pub(crate) trouble: Option<String>,
}

impl Mended {
    /// Whether all was fixed that can be.
    fn is_done(&self) -> bool {
        !self.is_unsettled && self.trouble.is_none()
    }
}

impl Listed {
    /// Gives what was found to a reader.
    pub(crate) fn with_checked<T>(mut self, read: impl FnOnce(&str, &Project, &Checked<'_>) -> T) -> T {
        let checked = Checked {
            text: std::str::from_utf8(&self.bytes).ok().filter(|_| self.is_text),
            handoffs: std::mem::take(&mut self.handoffs),
            findings: std::mem::take(&mut self.findings),
            hidden: std::mem::take(&mut self.hidden),
            looked: None,
        };
        read(&self.shown, &self.project, &checked)
    }
}

/// Reads, fixes and checks a file.
pub(crate) fn run(task: Task, scratch: &mut Scratch) -> Done {
    let Task { shown, dialect, act, source } = task;
    match source {
        Source::Stdin { content, path, project } => {
            let interest = Interest::Named;
            Place { shown, file: None, path, interest, project, dialect, act }.check(content, scratch)
        }
        Source::File(Stop { path, interest, project }) => {
            let interest = match interest {
                Ok(interest) => interest,
                Err(message) => return Done::Failed { shown, message },
            };
            match read::file(&path, project.checker.limits().file_bytes) {
                Ok(content) => {
                    let below = project.below_root(&path);
                    let place =
                        Place { shown, file: Some(path), path: below, interest, project, dialect, act };
                    place.check(content, scratch)
                }
                Err(message) => Done::Failed { shown, message },
            }
        }
    }
}

struct Place {
    shown: String,
    /// Where it lies; none for standard input.
    file: Option<PathBuf>,
    path: Option<String>,
    interest: Interest,
    project: Arc<Project>,
    dialect: Option<Arc<str>>,
    act: Act,
}

impl Place {
    fn input<'i>(&'i self, bytes: &'i [u8]) -> Input<'i> {
        let (path, config) = (self.path.as_deref(), &self.project.config);
        let is_prose = path.is_some_and(|path| is_match(&config.prose, path));
        Input {
            path,
            bytes,
            dialect: self.dialect.as_deref().or_else(|| config.dialect_of(path?)),
            look: if is_prose || self.interest == Interest::Named { Look::Prose } else { Look::Whole },
            is_named: self.interest != Interest::Met,
        }
    }

    fn check(self, content: Content, scratch: &mut Scratch) -> Done {
        let checker = &self.project.checker;
        let mut mended = Mended::default();
        let (bytes, checked) = match content {
            Content::TooLarge(bytes) => {
                (Vec::new(), Parts::from(checker.refuse_size(self.path.as_deref(), bytes)))
            }
            Content::Bytes(bytes) => {
                let bytes = self.mend(bytes, &mut mended, scratch);
                let checked = Parts::from(checker.check(self.input(&bytes), &self.project.world, scratch));
                (bytes, checked)
            }
        };
        let Parts { is_text, handoffs, mut findings, hidden } = checked;
        if matches!(self.act, Act::Write(wanted) if wanted.secrets) && mended.is_done() {
            mended.left = left_by_redaction(&mut findings);
        }
        let is_placed = self.path.as_deref().is_some_and(|path| checker.is_placed(path));
        if self.interest == Interest::Met && bytes.is_empty() && !is_placed {
            // Nobody knows whether a large file met on the way is a handoff: it does not block.
            findings.iter_mut().for_each(|finding| finding.level = finding.level.min(Level::Info));
        }
        let is_listed = self.interest == Interest::Named || !handoffs.is_empty() || !findings.is_empty();
        if !is_listed {
            return Done::PassedOver;
        }
        let Self { shown, project, .. } = self;
        Done::Listed(Box::new(Listed { shown, project, bytes, is_text, handoffs, findings, hidden, mended }))
    }

    /// Does with the fixes of a file what is asked; gives the bytes that it has afterwards.
    fn mend(&self, bytes: Vec<u8>, mended: &mut Mended, scratch: &mut Scratch) -> Vec<u8> {
        match (self.act, &self.file) {
            (Act::Report, _) => bytes,
            (Act::Show(wanted), _) => {
                let fixed = self.fix(&bytes, wanted, mended, scratch);
                if let (Some(fixed), Ok(text)) = (fixed, std::str::from_utf8(&bytes)) {
                    mended.count = fixed.count;
                    mended.diff = Some(diff::unified(&self.shown, text, &fixed.text));
                }
                bytes
            }
            (Act::Write(wanted), None) => {
                let fixed = self.fix(&bytes, wanted, mended, scratch);
                mended.count = fixed.as_ref().map_or(0, |fixed| fixed.count);
                let bytes = fixed.map_or(bytes, |fixed| fixed.text.into_bytes());
                mended.output = Some(bytes.clone());
                bytes
            }
            (Act::Write(wanted), Some(file)) => {
                let mut bytes = bytes;
                if let Err(trouble) = self.write_fixed(file, &mut bytes, wanted, mended, scratch) {
                    mended.trouble = Some(trouble);
                }
                bytes
            }
        }
    }

    fn fix(&self, bytes: &[u8], wanted: Wanted, mended: &mut Mended, scratch: &mut Scratch) -> Option<Fixed> {
        let fixed = self.project.checker.fix(self.input(bytes), &self.project.world, wanted, scratch);
        mended.is_unsettled = fixed.is_err();
        fixed.unwrap_or_default()
    }

    /// Fixes a file until it stands as it should, or somebody else changes it each time; says why it cannot be written.
    fn write_fixed(
        &self,
        file: &Path,
        bytes: &mut Vec<u8>,
        wanted: Wanted,
        mended: &mut Mended,
        scratch: &mut Scratch,
    ) -> Result<(), String> {
        for _ in 0..TRIES_MAX {
            let Some(fixed) = self.fix(bytes, wanted, mended, scratch) else { return Ok(()) };
            let resolved = file.canonicalize().map_err(|error| read::reason(&error))?;
            if !self.project.world.contains(&resolved) {
                return Err("it leads out of the project, where nothing is changed".to_owned());
            }
            match write::replace(&resolved, bytes, fixed.text.as_bytes())? {
                Written::Done => {
                    mended.count = fixed.count;
                    *bytes = fixed.text.into_bytes();
                    return Ok(());
                }
                Written::Beside(kept) => {
                    let kept = kept.display();
                    return Err(format!(
                        "others write it all the time; something they wrote is kept in {kept}"
                    ));
                }
                Written::Changed => match read::file(file, self.project.checker.limits().file_bytes)? {
                    Content::Bytes(now) => *bytes = now,
                    Content::TooLarge(_) => return Err("it grew over the size limit meanwhile".to_owned()),
                },
            }
        }
        Err("it changed each time before it could be written; try again".to_owned())
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
        let Checked { text, handoffs, findings, hidden, looked: _ } = checked;
        Self { is_text: text.is_some(), handoffs, findings, hidden }
    }
}
