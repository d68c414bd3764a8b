//! Users' own dialects: files in the form of the built-in ones, given as texts.
//!
//! Invariant: a file that cannot be used never stands in the way of the others, and is never forgotten.

use super::{BUILT_IN, Dialect, Place, Settings};
use crate::dialect::findings;
use crate::finding::Finding;
use crate::span::Span;

/// The dialect files of one project.
pub(crate) const FILES_MAX: usize = 64;

/// The bytes of one dialect file.
pub(crate) const FILE_BYTES_MAX: usize = 256 * 1024;

/// A dialect file of a user.
#[derive(Clone, Copy, Debug)]
pub struct DialectFile<'f> {
    /// Its path from the root, with `/`.
    pub path: &'f str,
    /// Its text.
    pub text: &'f str,
}

impl DialectFile<'_> {
    /// The files that a project may have; more are refused.
    pub const COUNT_MAX: usize = FILES_MAX;
    /// The bytes that a file may have; a larger one is refused.
    pub const BYTES_MAX: usize = FILE_BYTES_MAX;
}

/// A dialect file that cannot be used.
#[derive(Debug)]
pub struct Unusable {
    /// Its path from the root.
    pub path: Box<str>,
    /// The name of the dialect, as far as it could be read.
    pub name: Option<Box<str>>,
    /// Places of its handoffs, as far as they could be read.
    pub places: Vec<Place>,
    /// Why it cannot be used.
    pub findings: Vec<Finding>,
}

/// Users' dialect files, as a checker keeps them.
#[derive(Debug)]
pub(crate) struct UsersOwn {
    /// Values that their places refer to.
    pub(crate) settings: Settings,
    /// The paths of all of them.
    pub(crate) paths: Vec<Box<str>>,
    /// Those that cannot be used.
    pub(crate) unusable: Vec<Unusable>,
    /// Conflicts between two of them, by path.
    pub(crate) conflicts: Vec<(Box<str>, Finding)>,
}

impl UsersOwn {
    /// Knows of none.
    pub(crate) fn new(settings: &Settings) -> Self {
        Self { settings: settings.clone(), paths: Vec::new(), unusable: Vec::new(), conflicts: Vec::new() }
    }
}

/// Why a dialect cannot have the name that it has; `others` are users' dialects with their files.
pub(crate) fn refused(name: &str, span: Span, others: &[(Box<str>, Dialect)]) -> Option<Finding> {
    // The rules of every dialect are called `document/…`.
    if name == "document" || BUILT_IN.iter().any(|file| file.name == name) {
        let finding = findings::impossible(span, format!("`{name}` is a dialect that Baton has itself"));
        return Some(finding.expected("a name of its own").help("another name leaves both in use"));
    }
    let (path, _) = others.iter().find(|(_, other)| *other.name == *name)?;
    let finding = findings::impossible(span, format!("`{path}` defines a dialect `{name}` already"));
    Some(finding.expected("a name of its own"))
}
