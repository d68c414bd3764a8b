//! Branches, written without git: git would follow a link that lies among the references to wherever it leads.

use std::io;
use std::path::Path;

use baton_courier::beneath::Dir;

use super::home::{config, word};
use super::{Repository, Silence, line};

/// The bytes of a reference.
const REF_BYTES_MAX: u64 = 4 * 1024;

impl Repository {
    /// Makes a branch at a commit; says no if there is one of that name.
    pub fn make_branch(&self, branch: &str, at: &str) -> Result<bool, Silence> {
        let name = format!("refs/heads/{branch}");
        self.ask(&["check-ref-format", &name])
            .map_err(|_| Silence::Refused(format!("'{branch}' is not a valid branch name")))?;
        self.needs_files()?;
        let known = self.ask(&["for-each-ref", "--format=%(refname)", "refs/heads"])?;
        let known = String::from_utf8_lossy(&known);
        if known.lines().any(|known| known == name) {
            return Ok(false);
        }
        let is_around = |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.starts_with('/'));
        if let Some(other) = known.lines().find(|known| is_around(&name, known) || is_around(known, &name)) {
            return Err(Silence::Refused(format!("'{other}' exists; cannot create '{name}'")));
        }
        let write = || -> io::Result<()> {
            let path = Path::new(&name);
            let (folder, file) = (path.parent().unwrap_or(path), path.file_name().unwrap_or_default());
            let folder = Dir::open(&self.home.common)?.make(folder)?;
            // The name of the lock that git takes too.
            let mut lock = file.to_owned();
            lock.push(".lock");
            folder.create(&lock, format!("{at}\n").as_bytes())?;
            match folder.kind(file)? {
                None => folder.rename(&lock, file),
                Some(_) => {
                    folder.remove_file(&lock)?;
                    Err(io::ErrorKind::AlreadyExists.into())
                }
            }
        };
        write()
            .map(|()| true)
            .map_err(|error| Silence::Failed(format!("the branch {branch} cannot be made: {error}")))
    }

    /// Deletes a branch whose commits are in `HEAD` too. One that git has packed stays.
    pub(crate) fn forget_branch(&self, branch: &str) -> Result<(), Silence> {
        let name = format!("refs/heads/{branch}");
        let Some(commit) = self.commit(&name)? else { return Ok(()) };
        self.ask(&["merge-base", "--is-ancestor", &commit, "HEAD"])?;
        self.needs_files()?;
        let remove = || -> io::Result<()> {
            let path = Path::new(&name);
            let (folder, file) = (path.parent().unwrap_or(path), path.file_name().unwrap_or_default());
            let folder = Dir::open(&self.home.common)?.below(folder)?;
            if line(&folder.read(file, REF_BYTES_MAX)?) == commit {
                folder.remove_file(file)?;
            }
            Ok(())
        };
        remove().map_err(|error| Silence::Failed(format!("the branch {branch} cannot be deleted: {error}")))
    }

    fn needs_files(&self) -> Result<(), Silence> {
        let kept = word(&config(&self.home.common), "extensions", "refstorage");
        if kept.is_none_or(|kept| kept.eq_ignore_ascii_case("files")) {
            return Ok(());
        }
        Err(Silence::Refused(
            "branches of a repository with `extensions.refStorage` are not written by Baton".to_owned(),
        ))
    }
}
