//! Questions to the `git` program about a repository that may have been made to attack whoever asks.
//!
//! Git takes configuration, and with it programs to start, from many places that an agent can write: `config`, `commondir`,
//! `config.worktree`, `info/attributes`, the `.git` file of a worktree, submodules. So git is never shown the repository's
//! own folder. Each [`Repository`] has a private one ([`private`]) whose configuration Baton writes; of the repository only
//! objects and references are in it. Attributes of the work tree then name filters and drivers that nothing defines.
//!
//! Invariant: git reads no configuration, hook, attribute definition or index that lies where an agent can write.
//! Invariant: git comes from a folder of the system, with an environment that holds nothing of Baton's.
//! Invariant: what comes from outside is no option: revisions stand behind `--end-of-options`, paths behind `--`.
//! Invariant: time and output are bounded. Objects go to the private folder or to `.baton/`, never into the repository.

mod answer;
mod answer_stream;
mod changes;
mod home;
mod private;
mod refs;
mod tree;
mod worktree;

pub use answer_stream::{AnswerStream, StreamItem};
pub use home::Home;
pub(crate) use worktree::Checkout;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use baton_courier::system;

use answer::{answer, first_line, lost, start, unread};
use private::Private;

/// How long one question may take.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(20);

/// What git says of a folder that is in no repository.
const NONE: &str = "not a git repository (or any of the parent directories)";

/// Settings that every question is asked with: nothing is started, and nothing is taken from a cache that others may write.
const SETTINGS: [&str; 19] = [
    "core.attributesFile=/dev/null",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.preloadIndex=true",
    // Names that other systems take for `.git` are files like any others here, and must not hide.
    "core.protectHFS=false",
    "core.protectNTFS=false",
    "core.quotePath=false",
    "core.safecrlf=false",
    "core.splitIndex=false",
    "core.untrackedCache=false",
    "diff.external=",
    "diff.ignoreSubmodules=dirty",
    "gc.auto=0",
    "log.showSignature=false",
    "maintenance.auto=false",
    "protocol.allow=never",
    "submodule.recurse=false",
    "status.submoduleSummary=false",
];

/// Why git gave no answer.
#[derive(Debug)]
pub enum Silence {
    /// It said why.
    Refused(String),
    /// It could not be started, took too long or said too much.
    Failed(String),
}

impl Silence {
    /// The reason as text.
    pub fn into_reason(self) -> String {
        match self {
            Self::Refused(why) | Self::Failed(why) => why,
        }
    }
}

/// A repository, as far as it can be asked without trusting it.
#[derive(Debug)]
pub struct Repository {
    /// The folder that it is asked about, and that paths start from.
    folder: PathBuf,
    home: Home,
    private: Private,
}

impl Repository {
    /// Opens the repository that a folder is in.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn open(folder: &Path) -> Result<Self, Silence> {
        let folder = folder
            .canonicalize()
            .map_err(|error| Silence::Failed(format!("{} cannot be opened: {error}", folder.display())))?;
        let home = Home::of(&folder).ok_or_else(|| Silence::Refused(NONE.to_owned()))?;
        let private = Private::new(&home, None)?;
        Ok(Self { folder, home, private })
    }

    /// Opens it with a folder for new objects, which outlives this process.
    pub(crate) fn open_keeping(folder: &Path, objects: &Path) -> Result<Self, Silence> {
        let mut repository = Self::open(folder)?;
        repository.private = Private::new(&repository.home, Some(objects))?;
        Ok(repository)
    }

    /// The top folder of the work tree.
    pub fn top(&self) -> &Path {
        &self.home.top
    }

    /// Asks git something.
    pub fn ask(&self, arguments: &[&str]) -> Result<Vec<u8>, Silence> {
        self.question(arguments).ask()
    }

    /// Asks git something that must be answered soon.
    pub fn ask_within(&self, arguments: &[&str], time_max: Duration) -> Result<Vec<u8>, Silence> {
        self.question(arguments).within(time_max).ask()
    }

    /// A question that is put together.
    pub fn question<'q>(&'q self, arguments: &'q [&'q str]) -> Question<'q> {
        Question {
            repository: self,
            arguments,
            index: None,
            work_tree: None,
            input: None,
            time_max: ANSWER_TIME_MAX,
            is_whole: false,
        }
    }

    /// An index that holds a commit or tree and knows no times, so that files are compared by what they hold.
    pub fn index_of(&self, tree: &str, time_max: Duration) -> Result<Index, Silence> {
        let index = Index(self.private.new_index());
        self.question(&["read-tree", tree]).index(&index).within(time_max).ask()?;
        Ok(index)
    }

    /// The full name of the commit that a revision names; nothing where it names none.
    pub fn commit(&self, revision: &str) -> Result<Option<String>, Silence> {
        self.commit_within(revision, ANSWER_TIME_MAX)
    }

    fn commit_within(&self, revision: &str, time_max: Duration) -> Result<Option<String>, Silence> {
        let named = format!("{revision}^{{commit}}");
        match self.ask_within(&["rev-parse", "--verify", "--quiet", "--end-of-options", &named], time_max) {
            Ok(said) => Ok(Some(line(&said)).filter(|name| is_name(name))),
            Err(Silence::Refused(_)) => Ok(None),
            Err(failed @ Silence::Failed(_)) => Err(failed),
        }
    }
}

/// An index of Baton's own, in the private folder of its repository.
#[derive(Debug)]
pub struct Index(PathBuf);

/// A question to git.
pub struct Question<'q> {
    repository: &'q Repository,
    arguments: &'q [&'q str],
    index: Option<&'q Index>,
    work_tree: Option<&'q Path>,
    input: Option<Vec<u8>>,
    time_max: Duration,
    is_whole: bool,
}

impl<'q> Question<'q> {
    /// Takes no answer that leaves out what git could not read.
    #[must_use]
    pub(crate) fn whole(self) -> Self {
        Self { is_whole: true, ..self }
    }

    /// Asks by an index.
    #[must_use]
    pub fn index(self, index: &'q Index) -> Self {
        Self { index: Some(index), ..self }
    }

    /// Asks about another work tree.
    #[must_use]
    pub(crate) fn work_tree(self, folder: &'q Path) -> Self {
        Self { work_tree: Some(folder), ..self }
    }

    /// Gives git something to read.
    #[must_use]
    pub(crate) fn input(self, bytes: Vec<u8>) -> Self {
        Self { input: Some(bytes), ..self }
    }

    /// Limits the time of the answer.
    #[must_use]
    pub fn within(self, time_max: Duration) -> Self {
        Self { time_max, ..self }
    }

    /// Asks.
    pub fn ask(mut self) -> Result<Vec<u8>, Silence> {
        let input = self.input.take();
        let mut command = self.command()?;
        command.stderr(Stdio::piped());
        if input.is_some() {
            command.stdin(Stdio::piped());
        }
        let mut child = start(&mut command)?;
        let answer = answer(&mut child, input, self.time_max);
        if answer.is_err() {
            // It may have ended by itself just now.
            let _ = child.kill();
        }
        let status = child.wait().map_err(|error| lost(&error))?;
        let (said, complaint) = answer?;
        if !status.success() {
            return Err(Silence::Refused(first_line(&complaint)));
        }
        match unread(&complaint).filter(|_| self.is_whole) {
            Some(line) => Err(Silence::Failed(line)),
            None => Ok(said),
        }
    }

    /// Asks something that has a long answer.
    pub fn listen(self) -> Result<AnswerStream, Silence> {
        let child: Child = start(self.command()?.stderr(Stdio::null()))?;
        Ok(AnswerStream::new(child))
    }

    fn command(&self) -> Result<Command, Silence> {
        let Repository { folder, home, private } = self.repository;
        let git = system::program("git")
            .ok_or_else(|| Silence::Failed("git is not installed in a folder of the system".to_owned()))?;
        private.follow(home)?;
        let mut command = Command::new(git);
        command.env_clear().env("PATH", system::path()).env("LC_ALL", "C").env("HOME", private.path());
        let settings =
            SETTINGS.iter().map(|&setting| setting.to_owned()).chain(private.settings().iter().cloned());
        settings.for_each(|setting| {
            command.arg("-c").arg(setting);
        });
        command.args(["--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"]);
        let (first, rest) =
            self.arguments.split_first().map_or(("version", &[][..]), |(first, rest)| (*first, rest));
        command.arg(first);
        if first == "diff" {
            // What `.gitmodules` says of a submodule would win over settings, and have git started in it.
            command.args(["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"]);
        }
        command.args(rest);
        let unset = OsStr::new("/dev/null");
        let own_index = private.path().join("index");
        let work_tree = self.work_tree.unwrap_or(&home.top);
        command.current_dir(self.work_tree.unwrap_or(folder));
        for (name, value) in [
            ("GIT_DIR", private.path().as_os_str()),
            ("GIT_WORK_TREE", work_tree.as_os_str()),
            ("GIT_INDEX_FILE", self.index.map_or(own_index.as_os_str(), |index| index.0.as_os_str())),
            ("GIT_OBJECT_DIRECTORY", private.objects().as_os_str()),
            ("GIT_CONFIG_GLOBAL", unset),
            ("GIT_CONFIG_SYSTEM", unset),
            ("GIT_CONFIG_NOSYSTEM", OsStr::new("1")),
            ("GIT_ATTR_NOSYSTEM", OsStr::new("1")),
            ("GIT_NO_LAZY_FETCH", OsStr::new("1")),
            ("GIT_TERMINAL_PROMPT", OsStr::new("0")),
            ("GIT_AUTHOR_NAME", OsStr::new("baton")),
            ("GIT_AUTHOR_EMAIL", OsStr::new("baton@localhost")),
            ("GIT_COMMITTER_NAME", OsStr::new("baton")),
            ("GIT_COMMITTER_EMAIL", OsStr::new("baton@localhost")),
        ] {
            command.env(name, value);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        Ok(command)
    }
}

/// Whether a text is the name of an object, and so no option.
pub(crate) fn is_name(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The answer as one line.
pub fn line(answer: &[u8]) -> String {
    String::from_utf8_lossy(answer).trim_end_matches(['\n', '\r']).to_owned()
}

/// The parts of an answer that ends each with NUL.
pub fn parts(answer: &[u8]) -> impl Iterator<Item = &[u8]> {
    answer.split(|byte| *byte == 0).filter(|part| !part.is_empty())
}

/// A path as git gives it.
#[cfg(unix)]
pub fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// A path as git gives it.
#[cfg(not(unix))]
pub fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
