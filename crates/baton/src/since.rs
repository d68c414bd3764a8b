//! The files that differ from a revision, as git tells: changed, staged, renamed and new ones.
//!
//! What git ignores has no state in any revision, so that it differs too, for whoever looks at such files at all.
//!
//! Invariant: a revision is looked up before anything is asked about it, so that it is never more than a name.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::outcome::Failure;
use baton_engine::git::{Silence, ask, line, parts, path};

/// The files of one repository that differ from a revision.
#[derive(Debug)]
pub(crate) struct Changes {
    top: PathBuf,
    /// From the top; a folder stands for all that is in it, as a submodule does.
    paths: HashSet<PathBuf>,
    /// The same for what git ignores, in whole folders where it can.
    ignored: HashSet<PathBuf>,
}

impl Changes {
    /// Asks what differs from a revision in the repository that a folder is in.
    pub(crate) fn since(revision: &str, folder: &Path) -> Result<Self, Failure> {
        let top = ask(folder, &["rev-parse", "--show-toplevel"]).map_err(|silence| match silence {
            Silence::Refused(why) if why.contains("not a git repository") => Failure::Usage {
                message: format!("`--since` asks git, but {} is in no git repository", folder.display()),
                hint: Some("leave `--since` out to check all files".to_owned()),
            },
            silence @ (Silence::Refused(_) | Silence::Failed(_)) => failed(silence),
        })?;
        let top = path(top.strip_suffix(b"\n").unwrap_or(&top));
        let commit = commit(revision, &top)?;
        let mut paths = HashSet::new();
        let diff = [
            "diff",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--diff-filter=d",
        ];
        let questions: [Vec<&str>; 3] = [
            [&diff[..], &[&commit, "--"]].concat(),
            [&diff[..], &["--cached", &commit, "--"]].concat(),
            vec!["ls-files", "--others", "--exclude-standard", "-z"],
        ];
        for question in questions {
            let answer = ask(&top, &question).map_err(failed)?;
            paths.extend(parts(&answer).map(path));
        }
        let ignored = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
        let ignored = ask(&top, &ignored).map_err(failed)?;
        let ignored = parts(&ignored).map(path).collect();
        Ok(Self { top, paths, ignored })
    }

    /// All of them but those that git ignores.
    pub(crate) fn all(&self) -> impl Iterator<Item = PathBuf> {
        self.paths.iter().map(|path| self.top.join(path))
    }

    /// Whether a folder is in the same checkout, so that it need not be asked again.
    pub(crate) fn is_for(&self, folder: &Path) -> bool {
        let nearest = folder.canonicalize().ok().and_then(|folder| {
            folder.ancestors().find(|parent| parent.join(".git").exists()).map(Path::to_owned)
        });
        nearest.as_ref() == Some(&self.top)
    }

    /// Whether a file differs; a link does when it or what it leads to does.
    pub(crate) fn has(&self, file: &Path) -> bool {
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
fn commit(revision: &str, top: &Path) -> Result<String, Failure> {
    let named = format!("{revision}^{{commit}}");
    let found = ask(top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &named]);
    match found.as_deref().map(line) {
        Ok(commit) if !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_hexdigit()) => Ok(commit),
        Err(Silence::Failed(why)) => Err(Failure::world(why.clone())),
        Ok(_) | Err(Silence::Refused(_)) => {
            let shallow = ask(top, &["rev-parse", "--is-shallow-repository"]);
            let is_shallow = shallow.is_ok_and(|answer| line(&answer) == "true");
            Err(Failure::Usage {
                message: format!("git knows no revision `{revision}`"),
                hint: Some(if is_shallow {
                    "this clone has only a part of the history; `git fetch --unshallow` brings the rest"
                        .to_owned()
                } else {
                    "name a commit, a branch or a tag, such as HEAD~1 or main".to_owned()
                }),
            })
        }
    }
}

fn failed(silence: Silence) -> Failure {
    match silence {
        Silence::Refused(why) => Failure::world(format!("git gave no answer: {why}")),
        Silence::Failed(why) => Failure::world(why),
    }
}
