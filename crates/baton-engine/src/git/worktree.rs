//! Work trees beside the repository's own: those of agents, which stay linked to it, and clean checkouts, which are repositories
//! of their own. Both are filled by git and made known without it.
//!
//! Invariant: no filter runs, so that a file that another program stores elsewhere (Git LFS) is there as its pointer.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_courier::beneath;
use baton_courier::beneath::Dir;
use baton_courier::temporary::{Folder, Use};

use super::changes::SUBMODULE;
use super::home::{config, first_line};
use super::private::configuration;
use super::{Index, Repository, Silence, parts};

/// How long git may take to fill one.
const TIME_MAX: Duration = Duration::from_secs(60);
/// Names that are tried for one in the repository.
const NAMES_MAX: usize = 100;
/// The bytes of the file that leads back to a work tree.
const LINK_BYTES_MAX: u64 = 8 * 1024;

fn failed(what: &str) -> impl Fn(io::Error) -> Silence {
    move |error| Silence::Failed(format!("{what}: {error}"))
}

impl Repository {
    /// Adds a work tree at a path with a branch, which is made at `HEAD` where there is none. `name` is what the repository
    /// calls it if it can.
    pub(crate) fn add_worktree(&self, path: &Path, name: &str, branch: &str) -> Result<(), Silence> {
        let head = || {
            self.commit("HEAD")
                .map(|head| head.ok_or_else(|| Silence::Refused("there is no commit yet".to_owned())))
        };
        let commit = match self.commit(&format!("refs/heads/{branch}"))? {
            // It has what the agent did before.
            Some(commit) => commit,
            None => {
                let head = head()??;
                self.make_branch(branch, &head)?;
                head
            }
        };
        fs::create_dir_all(path).map_err(failed("its folder cannot be made"))?;
        let index = self.fill(path, &commit)?;
        let index = fs::read(&index.0).map_err(failed("its index cannot be read"))?;
        let link = |name: &OsStr| self.home.common.join("worktrees").join(name);
        let add = || -> io::Result<OsString> {
            let all = Dir::open(&self.home.common)?.make(Path::new("worktrees"))?;
            let mut names = (1..NAMES_MAX).map(|number| match number {
                1 => OsString::from(name),
                _ => OsString::from(format!("{name}-{number}")),
            });
            let free = names.find(|name| all.kind(name).is_ok_and(|kind| kind.is_none()));
            let name = free.ok_or_else(|| io::Error::other("every name for it is taken"))?;
            let own = all.make(Path::new(&name))?;
            own.create("HEAD".as_ref(), format!("ref: refs/heads/{branch}\n").as_bytes())?;
            own.create("commondir".as_ref(), b"../..\n")?;
            own.create("gitdir".as_ref(), format!("{}\n", path.join(".git").display()).as_bytes())?;
            own.create("index".as_ref(), &index)?;
            Ok(name)
        };
        let name = add().map_err(failed("the repository cannot list it"))?;
        fs::write(path.join(".git"), format!("gitdir: {}\n", link(&name).display()))
            .map_err(failed("it cannot be linked to the repository"))
    }

    /// Removes a work tree that holds nothing but what its branch has; says whether it did.
    pub(crate) fn remove_worktree(&self, path: &Path, branch: &str) -> Result<bool, Silence> {
        let tip = self.commit(&format!("refs/heads/{branch}"))?;
        let Some(tip) = tip else { return Ok(false) };
        let own = Self::open(path)?;
        if own.home.common != self.home.common || own.home.top != path {
            return Ok(false);
        }
        let held = own.tree(TIME_MAX)?;
        if !own.differing(&held, &own.tree_of(&tip)?, TIME_MAX)?.is_empty() {
            return Ok(false);
        }
        beneath::remove_all(path).map_err(failed("it cannot be removed"))?;
        let forget = || -> io::Result<()> {
            let (Some(folder), Some(name)) = (own.home.git_dir.parent(), own.home.git_dir.file_name()) else {
                return Ok(());
            };
            if folder != self.home.common.join("worktrees") {
                return Ok(());
            }
            let folder = Dir::open(folder)?;
            let leads_to = folder.below(Path::new(name))?.read("gitdir".as_ref(), LINK_BYTES_MAX)?;
            if String::from_utf8_lossy(&leads_to).trim() == path.join(".git").to_string_lossy() {
                folder.remove_all(name)?;
            }
            Ok(())
        };
        forget().map_err(failed("the repository still lists it"))?;
        Ok(true)
    }

    /// The tree of a commit.
    fn tree_of(&self, commit: &str) -> Result<String, Silence> {
        let named = format!("{commit}^{{tree}}");
        self.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &named])
            .map(|said| super::line(&said))
    }

    /// Writes the files of a commit into a folder.
    fn fill(&self, folder: &Path, commit: &str) -> Result<Index, Silence> {
        let index = Index(self.private.new_index());
        let fill = ["read-tree", "-u", "--reset", commit];
        self.question(&fill).work_tree(folder).index(&index).within(TIME_MAX).ask()?;
        Ok(index)
    }

    /// Refuses a checkout that does not hold what the names of its objects say: git takes objects as they are, and agents can write
    /// them.
    fn must_be_filled(&self, folder: &Path, commit: &str, held: &Index) -> Result<(), Silence> {
        let listed = |index: &Index| {
            self.question(&["ls-files", "--stage", "-z", "--full-name"]).index(index).within(TIME_MAX).ask()
        };
        let expected = listed(held)?;
        // It knows no times, so that git hashes every file; comparing by `diff` would read the objects.
        let read = self.index_of(commit, TIME_MAX)?;
        let files = parts(&expected).filter(|entry| !entry.starts_with(SUBMODULE));
        let names = files.filter_map(|entry| entry.splitn(2, |byte| *byte == b'\t').nth(1));
        let input: Vec<u8> = names.flat_map(|name| name.iter().copied().chain([0])).collect();
        let update = ["update-index", "-z", "--stdin"];
        self.question(&update).work_tree(folder).index(&read).input(input).within(TIME_MAX).ask()?;
        let found = listed(&read)?;
        if found == expected {
            return Ok(());
        }
        let found: BTreeSet<&[u8]> = parts(&found).collect();
        let first = parts(&expected).find(|entry| !found.contains(entry));
        let first = first.and_then(|entry| entry.splitn(2, |byte| *byte == b'\t').nth(1)).map(super::path);
        let first = first.map_or_else(|| "a folder".to_owned(), |path| path.display().to_string());
        Err(Silence::Refused(format!(
            "{first} is not what its name in the repository says: `git fsck` names the objects"
        )))
    }

    /// Whether a path is a work tree that some repository lists.
    pub(crate) fn is_worktree(path: &Path) -> bool {
        first_line(&path.join(".git")).is_some_and(|line| line.starts_with("gitdir:"))
    }
}

/// A clean checkout: a repository of its own with the files that git would commit now. It is gone when it is dropped.
pub(crate) struct Checkout {
    /// The folder with the files.
    pub(crate) path: PathBuf,
    /// The commit that it is of.
    pub(crate) commit: String,
    /// The objects that it shares with the repository.
    pub(crate) objects: PathBuf,
    _folder: Folder,
}

impl Checkout {
    /// Checks out what git would commit now: what is committed, with all changes that are not ignored.
    ///
    /// The repository stays as it is.
    pub(crate) fn new(root: &Path) -> Result<Self, Silence> {
        let folder = Folder::new(Use::Checkout).map_err(failed("no folder can be made for it"))?;
        let path = folder.path().join("tree");
        let own = path.join(".git");
        fs::create_dir_all(own.join("refs")).map_err(failed("its folder cannot be made"))?;
        let repository = Repository::open_keeping(root, &own.join("objects"))?;
        let Some(head) = repository.commit("HEAD")? else {
            return Err(Silence::Refused("there is no commit yet".to_owned()));
        };
        let (tree, held) = repository.written(TIME_MAX, false)?;
        let commit =
            super::line(&repository.ask(&["commit-tree", &tree, "-p", &head, "-m", "what is verified"])?);
        let refs = repository.ask(&["for-each-ref", "--format=%(objectname) %(refname)"])?;
        let write = || -> io::Result<()> {
            fs::write(own.join("config"), configuration(&config(&repository.home.common)))?;
            fs::write(own.join("HEAD"), format!("{commit}\n"))?;
            fs::write(own.join("packed-refs"), [b"# pack-refs with:\n", refs.as_slice()].concat())?;
            let shallow = repository.private.path().join("shallow");
            if shallow.exists() {
                fs::copy(shallow, own.join("shallow"))?;
            }
            Ok(())
        };
        write().map_err(failed("its repository cannot be made"))?;
        let index = repository.fill(&path, &commit)?;
        repository.must_be_filled(&path, &commit, &held)?;
        fs::rename(&index.0, own.join("index"))
            .or_else(|_| fs::copy(&index.0, own.join("index")).map(drop))
            .map_err(failed("its index cannot be written"))?;
        let objects = repository.home.common.join("objects");
        Ok(Self { path, commit, objects, _folder: folder })
    }
}
