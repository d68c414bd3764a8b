//! Finds the files to check, in the order of their paths, each once.
//!
//! A folder gives two streams: the files that lie where a dialect places them, whatever git ignores, and all
//! other files that may be handoffs, honouring `.gitignore`. A folder below with a `baton.toml` of its own is a
//! project of its own. All streams are sorted, so they are merged without keeping them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use baton_document::tree::Syntax;
use ignore::{DirEntry, Walk, WalkBuilder};

use crate::project::{Project, Projects};
use baton_engine::service::project::config::{is_match, is_match_or_below};
use baton_engine::service::project::root::CONFIG_NAME;

/// Folders that are never looked into.
const NEVER: [&str; 2] = [".git", ".baton"];
/// The endings of files that may be handoffs as a whole.
const ENDINGS: [&str; 6] = ["json", "yaml", "yml", "xml", "jsonl", "ndjson"];

/// Why a file is looked at; what matters more comes later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Interest {
    /// It was met on the way.
    Met,
    /// It holds the settings of a project, or one of its dialects.
    Config,
    /// It was asked for.
    Named,
}

/// A file to check, or a place that could not be looked at.
#[derive(Debug)]
pub(crate) struct Stop {
    /// Its path.
    pub(crate) path: PathBuf,
    /// Why it is looked at, or why it cannot be.
    pub(crate) interest: Result<Interest, String>,
    /// The project it belongs to.
    pub(crate) project: Arc<Project>,
}

/// The files to check.
pub(crate) struct Files {
    projects: Projects,
    streams: Vec<Stream>,
}

impl Files {
    /// Starts without any; `here` is where one stands.
    pub(crate) fn new(here: &Path) -> Self {
        Self { projects: Projects::new(here), streams: Vec::new() }
    }

    /// The projects in use.
    pub(crate) fn projects(&mut self) -> &mut Projects {
        &mut self.projects
    }

    /// Adds a file that was asked for.
    pub(crate) fn add_file(&mut self, path: PathBuf) {
        let project = self.projects.of(path.parent().unwrap_or(&path));
        self.add_config(&project);
        self.streams.push(Stream::one(Stop { path, interest: Ok(Interest::Named), project }));
    }

    /// Adds the files of a folder.
    pub(crate) fn add_folder(&mut self, folder: &Path) {
        let project = self.projects.of(folder);
        self.add_config(&project);
        for start in placement_starts(&project, folder) {
            self.streams.push(Stream::of(&start, &project, Pick::Placed));
        }
        self.streams.push(Stream::of(folder, &project, Pick::Usual));
    }

    /// Adds the files that decide about the others: the settings, the dialects.
    fn add_config(&mut self, project: &Arc<Project>) {
        for path in project.config_path.iter().chain(&project.dialect_paths) {
            let (path, project) = (path.clone(), Arc::clone(project));
            self.streams.push(Stream::one(Stop { path, interest: Ok(Interest::Config), project }));
        }
    }

    /// The position of the stream whose next file comes first.
    fn first(&mut self) -> Option<usize> {
        let mut nested = Vec::new();
        for stream in &mut self.streams {
            stream.fill(&mut nested);
        }
        if !nested.is_empty() {
            nested.iter().for_each(|folder| self.add_folder(folder));
            return self.first();
        }
        self.streams.retain(|stream| stream.next.is_some());
        let path = |at: &usize| self.streams[*at].next.as_ref().map(|stop| stop.path.as_path());
        (0..self.streams.len()).min_by(|a, b| path(a).cmp(&path(b)))
    }
}

impl Iterator for Files {
    type Item = Stop;

    fn next(&mut self) -> Option<Stop> {
        let first = self.first()?;
        let mut stop = self.streams[first].next.take()?;
        // Another stream may have come to the same file for a better reason.
        while let Some(again) = self.first().filter(|at| self.streams[*at].is_at(&stop.path)) {
            let other = self.streams[again].next.take()?;
            if other.interest > stop.interest {
                stop = other;
            }
        }
        Some(stop)
    }
}

/// Which files of a folder a stream gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pick {
    /// Those that lie where a dialect places them.
    Placed,
    /// Those that may be handoffs.
    Usual,
}

struct Stream {
    next: Option<Stop>,
    rest: Option<Tree>,
}

struct Tree {
    walk: Walk,
    pick: Pick,
    project: Arc<Project>,
    /// Projects met below, which are left out here and walked as their own.
    nested: Arc<Mutex<Vec<PathBuf>>>,
    /// Lists of ignored files that cannot be read; their folders are not walked.
    odd: Arc<Mutex<Vec<PathBuf>>>,
}

/// The list of ignored files in a folder.
const IGNORES: &str = ".gitignore";
/// The bytes that such a list may have.
const IGNORES_BYTES_MAX: u64 = 1024 * 1024;

/// A list of ignored files that would be waited for, or read without end.
fn odd_ignores(folder: &Path, project: &Project) -> Option<PathBuf> {
    let is_odd = |path: &PathBuf| {
        let Ok(kind) = path.symlink_metadata() else { return false };
        let is_outside = || path.canonicalize().is_ok_and(|resolved| !project.world.contains(&resolved));
        let is_plain = |meta: std::fs::Metadata| meta.is_file() && meta.len() <= IGNORES_BYTES_MAX;
        (kind.is_symlink() && is_outside()) || path.metadata().is_ok_and(|meta| !is_plain(meta))
    };
    [folder.join(IGNORES), folder.join(".git/info/exclude")].into_iter().find(is_odd)
}

impl Stream {
    fn one(stop: Stop) -> Self {
        Self { next: Some(stop), rest: None }
    }

    fn of(start: &Path, project: &Arc<Project>, pick: Pick) -> Self {
        let nested = Arc::new(Mutex::new(Vec::new()));
        let mut builder = WalkBuilder::new(start);
        builder.standard_filters(pick == Pick::Usual).ignore(false).require_git(false).follow_links(false);
        builder.sort_by_file_name(|a, b| a.cmp(b));
        let (met, within) = (Arc::clone(&nested), Arc::clone(project));
        let odd = Arc::new(Mutex::new(Vec::new()));
        if pick == Pick::Usual {
            // Those of the folders above count too.
            let first = start.ancestors().find_map(|folder| odd_ignores(folder, project));
            if let Some(path) = first {
                builder.standard_filters(false).max_depth(Some(0));
                odd.lock().unwrap_or_else(PoisonError::into_inner).push(path);
            }
        }
        let found = Arc::clone(&odd);
        builder.filter_entry(move |entry| {
            let is_entered = is_entered(entry, &within, &met);
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            if is_entered
                && is_folder
                && pick == Pick::Usual
                && entry.depth() > 0
                && let Some(path) = odd_ignores(entry.path(), &within)
            {
                found.lock().unwrap_or_else(PoisonError::into_inner).push(path);
                return false;
            }
            is_entered
        });
        let project = Arc::clone(project);
        Self { next: None, rest: Some(Tree { walk: builder.build(), pick, project, nested, odd }) }
    }

    fn is_at(&self, path: &Path) -> bool {
        self.next.as_ref().is_some_and(|stop| stop.path == path)
    }

    /// Looks for the next file; projects met on the way go to `nested`.
    fn fill(&mut self, nested: &mut Vec<PathBuf>) {
        let Some(tree) = self.rest.as_mut().filter(|_| self.next.is_none()) else { return };
        self.next = tree.walk.by_ref().find_map(|entry| match entry {
            Ok(entry) => picked(entry, &tree.project, tree.pick),
            Err(error) => unreadable(&error, &tree.project),
        });
        if self.next.is_none() {
            let odd = tree.odd.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let message =
                "it is no regular file of at most 1 MiB in the project, so its folder is not walked"
                    .to_owned();
            self.next =
                odd.map(|path| Stop { path, interest: Err(message), project: Arc::clone(&tree.project) });
        }
        nested.append(&mut tree.nested.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

fn is_entered(entry: &DirEntry, project: &Project, nested: &Mutex<Vec<PathBuf>>) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    if entry.depth() == 0 || !is_folder {
        return true;
    }
    let is_never = NEVER.iter().any(|name| entry.file_name() == *name);
    let is_excluded =
        || project.below_root(entry.path()).is_some_and(|path| is_match(&project.config.exclude, &path));
    if is_never || is_excluded() {
        return false;
    }
    let is_project = entry.path().join(CONFIG_NAME).is_file();
    if is_project {
        nested.lock().unwrap_or_else(PoisonError::into_inner).push(entry.path().to_owned());
    }
    !is_project
}

fn picked(entry: DirEntry, project: &Arc<Project>, pick: Pick) -> Option<Stop> {
    if entry.file_type().is_none_or(|kind| kind.is_dir()) {
        return None;
    }
    let path = project.below_root(entry.path())?;
    let may_be = project.checker.is_placed(&path)
        || (pick == Pick::Usual
            && (has_ending(entry.path(), project) || is_match(&project.config.prose, &path)));
    let is_wanted = may_be
        && !is_match_or_below(&project.config.exclude, &path)
        && !(entry.path_is_symlink() && leads_away(entry.path(), project));
    is_wanted.then(|| Stop {
        path: entry.into_path(),
        interest: Ok(Interest::Met),
        project: Arc::clone(project),
    })
}

/// Whether a link leads out of the project, or to a folder.
fn leads_away(link: &Path, project: &Project) -> bool {
    link.canonicalize().is_ok_and(|resolved| resolved.is_dir() || !project.world.contains(&resolved))
}

fn has_ending(path: &Path, project: &Project) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    // Only users have dialects in TOML: without one, the TOML files of a project are none of Baton's business.
    let in_toml =
        || project.checker.dialects().handoffs.iter().any(|dialect| dialect.syntaxes.contains(&Syntax::Toml));
    ending.is_some_and(|ending| {
        ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
            || (ending.eq_ignore_ascii_case("toml") && in_toml())
    })
}

fn unreadable(error: &ignore::Error, project: &Arc<Project>) -> Option<Stop> {
    let path = path_of(error)?;
    let message =
        error.io_error().map_or_else(|| error.to_string(), baton_engine::service::project::read::reason);
    Some(Stop { path, interest: Err(message), project: Arc::clone(project) })
}

fn path_of(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path.clone()),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Partial(_)
        | ignore::Error::Loop { .. }
        | ignore::Error::Io(_)
        | ignore::Error::Glob { .. }
        | ignore::Error::UnrecognizedFileType(_)
        | ignore::Error::InvalidDefinition => None,
    }
}

/// The folders and files below a folder in which dialects place handoffs, none within another.
fn placement_starts(project: &Project, folder: &Path) -> Vec<PathBuf> {
    let places = project.checker.dialects().handoffs.iter().flat_map(|dialect| &dialect.places);
    let mut starts: Vec<PathBuf> = places
        .filter_map(|place| {
            let prefix = project.root.join(&*place.prefix);
            let start = if folder.starts_with(&prefix) { folder } else { &prefix };
            let is_here = start.starts_with(folder) && is_reached(folder, start);
            is_here.then(|| start.to_owned())
        })
        .collect();
    starts.sort();
    starts.dedup_by(|later, earlier| later.starts_with(earlier));
    starts
}

/// Whether a folder leads to a path without a link to a folder and without another project in between.
fn is_reached(folder: &Path, path: &Path) -> bool {
    let Ok(below) = path.strip_prefix(folder) else { return false };
    let mut at = folder.to_owned();
    for part in below.components() {
        at.push(part);
        let is_barred = at.is_dir() && (at.is_symlink() || at.join(CONFIG_NAME).is_file());
        if is_barred || at.symlink_metadata().is_err() {
            return false;
        }
    }
    true
}
