//! The files that differ from a revision, as git tells: changed, staged, renamed and new ones.
//!
//! What git ignores has no state in any revision, so that it differs too, for whoever looks at such files at all.
//!
//! Invariant: a revision is looked up before anything is asked about it, so that it is never more than a name.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::git::{Repository, Silence, line, parts, path};
use crate::project::fault::{Fault, Result};

/// How long git may take to compare all files.
const TIME_MAX: Duration = Duration::from_secs(120);

/// The files of one repository that differ from a revision.
#[derive(Debug)]
pub struct Changes {
    top: PathBuf,
    /// From the top; a folder stands for all that is in it, as a submodule does.
    paths: HashSet<PathBuf>,
    /// The same for what git ignores, in whole folders where it can.
    ignored: HashSet<PathBuf>,
}

impl Changes {
    /// Asks what differs from a revision in the repository that a folder is in.
    pub fn since(revision: &str, folder: &Path) -> Result<Self> {
        let repository = Repository::open(folder).map_err(|silence| match silence {
            Silence::Refused(why) if why.contains("not a git repository") => Fault::usage(
                format!("`--since` asks git, but {} is in no git repository", folder.display()),
                Some("leave `--since` out to check all files".to_owned()),
            ),
            silence @ (Silence::Refused(_) | Silence::Failed(_)) => failed(silence),
        })?;
        // Paths come from the top, whatever folder is asked about.
        let top = repository.top().to_owned();
        let repository = Repository::open(&top).map_err(failed)?;
        let commit = commit(revision, &repository)?;
        // The index of the repository may have been made to pass files off as unchanged.
        let index = repository.index_of(&commit, TIME_MAX).map_err(failed)?;
        let ask = |question: &[&str]| {
            let answer =
                repository.question(question).index(&index).within(TIME_MAX).ask().map_err(failed)?;
            Ok::<HashSet<PathBuf>, Fault>(parts(&answer).map(path).collect())
        };
        let mut paths = ask(&["diff", "--name-only", "-z", "--no-renames", "--diff-filter=d"])?;
        paths.extend(ask(&["ls-files", "--others", "--exclude-standard", "-z"])?);
        paths.extend(repository.staged(&commit, TIME_MAX));
        paths.extend(repository.changed_submodules(&index, TIME_MAX).map_err(failed)?);
        let ignored = ask(&["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"])?;
        Ok(Self { top, paths, ignored })
    }

    /// All of them but those that git ignores.
    pub fn all(&self) -> impl Iterator<Item = PathBuf> {
        self.paths.iter().map(|path| self.top.join(path))
    }

    /// Whether a folder is in the same checkout, so that it need not be asked again.
    pub fn is_for(&self, folder: &Path) -> bool {
        let nearest = folder.canonicalize().ok().and_then(|folder| {
            folder.ancestors().find(|parent| parent.join(".git").exists()).map(Path::to_owned)
        });
        nearest.as_ref() == Some(&self.top)
    }

    /// Whether a file differs; a link does when it or what it leads to does.
    pub fn has(&self, file: &Path) -> bool {
        let named = match (file.parent(), file.file_name()) {
            (Some(folder), Some(name)) => folder.canonicalize().map(|folder| folder.join(name)).ok(),
            (Some(_) | None, Some(_) | None) => None,
        };
        let is_listed = |path: PathBuf| {
            let below = path.strip_prefix(&self.top).ok();
            let is_known = |part: &Path| self.paths.contains(part) || self.ignored.contains(part);
            below.is_some_and(|below| below.ancestors().any(is_known))
        };
        named.is_some_and(is_listed) || file.canonicalize().is_ok_and(is_listed)
    }
}

/// The commit that a revision names.
fn commit(revision: &str, repository: &Repository) -> Result<String> {
    if let Some(commit) = repository.commit(revision).map_err(failed)? {
        return Ok(commit);
    }
    let shallow = repository.ask(&["rev-parse", "--is-shallow-repository"]);
    let is_shallow = shallow.is_ok_and(|answer| line(&answer) == "true");
    Err(Fault::usage(
        format!("git knows no revision `{revision}`"),
        Some(if is_shallow {
            "this clone has only a part of the history; `git fetch --unshallow` brings the rest".to_owned()
        } else {
            "name a commit, a branch or a tag, such as HEAD~1 or main".to_owned()
        }),
    ))
}

fn failed(silence: Silence) -> Fault {
    match silence {
        Silence::Refused(why) => Fault::failed(format!("git gave no answer: {why}")),
        Silence::Failed(why) => Fault::failed(why),
    }
}
