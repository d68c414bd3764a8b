//! Asks the `git` program. It reads, and writes nothing but a clean checkout, the objects that name what files hold, or a branch
//! that somebody asked for.
//!
//! Invariant: whatever comes from outside is no option: revisions stand behind `--end-of-options`, paths behind `--`.
//! Invariant: time and output are bounded, and nothing that a repository configures is started.

mod telling;

pub use telling::{Telling, Told, listen};

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How long one question may take.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(20);

/// The bytes of one answer.
const ANSWER_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Why git gave no answer.
#[derive(Debug)]
pub enum Silence {
    /// It said why.
    Refused(String),
    /// It could not be started, took too long or said too much.
    Failed(String),
}

/// Asks git something about the repository that a folder is in.
pub fn ask(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, Silence> {
    ask_within(folder, arguments, ANSWER_TIME_MAX)
}

/// Asks git something that must be answered soon.
pub fn ask_within(folder: &Path, arguments: &[&str], time_max: Duration) -> Result<Vec<u8>, Silence> {
    ask_with(folder, arguments, &[], time_max)
}

/// Asks git something with variables of its environment.
pub(crate) fn ask_with(
    folder: &Path,
    arguments: &[&str],
    variables: &[(&str, &OsStr)],
    time_max: Duration,
) -> Result<Vec<u8>, Silence> {
    let mut command = command(folder, arguments);
    command.envs(variables.iter().copied()).stderr(Stdio::piped());
    let mut child = start(&mut command)?;
    let answer = answer(&mut child, time_max);
    if answer.is_err() {
        // It may have ended by itself just now.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| lost(&error))?;
    let (said, complaint) = answer?;
    if status.success() { Ok(said) } else { Err(Silence::Refused(first_line(&complaint))) }
}

/// A question, before variables and the stream of complaints are set.
fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["--no-optional-locks", "--literal-pathspecs"]);
    // A repository may name programs that watch it; none is started for a question.
    command.args(["-c", "core.fsmonitor=false", "-c", "diff.external=", "-c", "log.showSignature=false"]);
    command.args(["-c", "core.hooksPath=/dev/null"]);
    command.args(arguments).env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_NO_LAZY_FETCH", "1");
    // Within a hook git names the repository of the hook; the folder says which one is meant.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    // A repository can have git start something after all, which is to find no key of a person.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"BATON_")) {
        command.env_remove(name);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

fn start(command: &mut Command) -> Result<Child, Silence> {
    command.spawn().map_err(|error| {
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        let why = if is_missing {
            "git is not installed".to_owned()
        } else {
            format!("git could not be started: {error}")
        };
        Silence::Failed(why)
    })
}

fn lost(error: &io::Error) -> Silence {
    Silence::Failed(format!("git was lost: {error}"))
}

/// Makes a branch where HEAD is; says no if there is one of that name.
pub fn make_branch(folder: &Path, branch: &str) -> Result<bool, Silence> {
    let name = format!("refs/heads/{branch}");
    if ask(folder, &["rev-parse", "--verify", "--quiet", "--end-of-options", &name]).is_ok() {
        return Ok(false);
    }
    let make = ["-c", "core.hooksPath=/dev/null", "branch", "--no-track", "--end-of-options", branch];
    ask(folder, &make).map(|_| true)
}

/// Both streams of git, read side by side so that neither makes it wait.
fn answer(child: &mut Child, time_max: Duration) -> Result<(Vec<u8>, Vec<u8>), Silence> {
    let (sender, receiver) = mpsc::channel();
    let listen = |stream: Option<Box<dyn Read + Send>>, is_answer: bool| {
        let sender = sender.clone();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stream.map(|stream| stream.take(ANSWER_BYTES_MAX + 1).read_to_end(&mut bytes));
            // When nobody waits any more, the answer came too late.
            let _ = sender.send((is_answer, read.is_some_and(|read| read.is_ok()), bytes));
        });
    };
    listen(child.stdout.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>), true);
    listen(child.stderr.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>), false);
    let (mut said, mut complaint) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let (is_answer, is_whole, bytes) = receiver
            .recv_timeout(time_max)
            .map_err(|_| Silence::Failed(format!("git took longer than {} s", time_max.as_secs())))?;
        if !is_whole || bytes.len() as u64 > ANSWER_BYTES_MAX {
            return Err(Silence::Failed("git said more than can be read".to_owned()));
        }
        *(if is_answer { &mut said } else { &mut complaint }) = bytes;
    }
    Ok((said, complaint))
}

fn first_line(complaint: &[u8]) -> String {
    let text = String::from_utf8_lossy(complaint);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("git did not say why");
    line.trim_start_matches("fatal: ").trim_start_matches("error: ").to_owned()
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
