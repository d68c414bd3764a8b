//! How a program is kept from the rest of the machine: bubblewrap, where it works. Everything that Baton puts behind a
//! wall goes through here: agents, and commands that are run again.
//!
//! Invariant: what a program behind the wall starts is in a process namespace of its own. It ends with the program, and
//! with Baton, and sees no other process.
//! Invariant: the home folders, temporary files and sockets of the machine are covered, the rest can only be read. What
//! a [`View`] says is put over that, in its order.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::{Cause, Failure};

/// How a program is kept from the rest of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// What happens where there is none.
    pub need: Need,
    /// Whether it may use the network.
    pub has_network: bool,
    /// What it sees beside the system, the last word on a path last.
    pub view: Vec<View>,
}

/// What happens where no sandbox works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing is started.
    Required,
    /// It is started without.
    WhenAvailable,
}

/// What a program sees of a path. What does not exist is passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum View {
    /// Nothing.
    Hidden(PathBuf),
    /// What is there, to be read.
    Readable(PathBuf),
    /// What is there, to be read and written.
    Writable(PathBuf),
}

/// Where system programs lie. They come before the `PATH`, which may lead into a project.
const SYSTEM: [&str; 4] = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

/// What no program is shown: where people keep their things, temporary files, and the sockets of other programs.
const COVERED: [&str; 7] = ["/home", "/root", "/tmp", "/var/tmp", "/run", "/mnt", "/media"];

/// What is needed of these: names of other machines, and the programs of systems that keep them there.
const NEEDED: [&str; 3] = ["/run/systemd/resolve", "/run/current-system", "/run/opengl-driver"];

/// Places below the home folder where tools lie, and who commits; nothing else there is shown.
const TOOLS: [&str; 18] = [
    ".cargo/bin",
    ".cargo/registry",
    ".rustup",
    ".local/bin",
    ".local/lib",
    ".local/share/claude",
    ".local/share/mise",
    ".local/share/pnpm",
    ".nvm",
    ".volta",
    ".fnm",
    ".bun/bin",
    ".deno/bin",
    ".pyenv",
    ".asdf",
    "go/pkg",
    ".gitconfig",
    ".config/git",
];

/// Whether bubblewrap works on this machine; asked once.
pub fn works() -> bool {
    static WORKS: OnceLock<bool> = OnceLock::new();
    *WORKS.get_or_init(|| {
        let Some(bwrap) = bwrap() else { return false };
        let mut command = Command::new(bwrap);
        command.args(apart(false)).args(["--", "true"]);
        let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        ended.is_ok_and(|status| status.success())
    })
}

/// Where bubblewrap is.
fn bwrap() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = SYSTEM.iter().map(PathBuf::from).chain(env::split_paths(&path));
    folders
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("bwrap"))
        .find(|path| path.is_file())
}

/// What is apart for every program behind the wall.
fn apart(has_network: bool) -> Vec<OsString> {
    let mut all: Vec<&str> =
        vec!["--die-with-parent", "--unshare-user-try", "--unshare-pid", "--unshare-ipc"];
    all.extend(["--unshare-uts", "--unshare-cgroup-try"]);
    all.extend((!has_network).then_some("--unshare-net"));
    // Whoever may mount may take a cover off.
    all.extend(["--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
    all.into_iter().map(Into::into).collect()
}

impl Sandbox {
    /// All that stands before a program and its arguments; nothing where it is started without a wall. `own` is what
    /// Baton made for it.
    ///
    /// # Errors
    /// A sandbox is required, and none works here.
    pub(crate) fn before(
        &self,
        program: &Path,
        directory: &Path,
        own: &[&Path],
    ) -> Result<Option<Vec<OsString>>, Failure> {
        let bwrap = bwrap().filter(|_| works());
        let Some(bwrap) = bwrap else {
            return match self.need {
                Need::WhenAvailable => Ok(None),
                Need::Required => Err(missing(program)),
            };
        };
        let mut line = vec![bwrap.into_os_string()];
        line.extend(apart(self.has_network));
        let home = env::var_os("HOME").map(PathBuf::from);
        let covered = covered(home.as_deref());
        for path in &covered {
            add(&mut line, "--tmpfs", path);
        }
        for path in NEEDED {
            show(&mut line, "--ro-bind", Path::new(path));
        }
        // It may be a link into what is covered.
        show(&mut line, "--ro-bind", &real(Path::new("/etc/resolv.conf")));
        for tool in home.iter().flat_map(|home| TOOLS.map(|tool| home.join(tool))) {
            show(&mut line, "--ro-bind", &tool);
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
        let is_hidden = |place: &PathBuf| is_below(place, &covered) && !is_around(place, &covered);
        for place in folders.chain(places(program, &covered)).filter(is_hidden) {
            show(&mut line, "--ro-bind", &place);
        }
        for view in &self.view {
            match view {
                View::Hidden(path) if path.is_dir() => add(&mut line, "--tmpfs", path),
                View::Hidden(path) if path.exists() => {
                    line.extend(["--ro-bind".into(), "/dev/null".into(), path.into()]);
                }
                View::Hidden(_) => {}
                View::Readable(path) => show(&mut line, "--ro-bind", path),
                View::Writable(path) => show(&mut line, "--bind", path),
            }
        }
        for path in own {
            show(&mut line, "--bind", path);
        }
        add(&mut line, "--chdir", directory);
        line.push("--".into());
        Ok(Some(line))
    }
}

fn missing(program: &Path) -> Failure {
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
    let message = format!("{name} was not started: it must run in a sandbox, and none works here");
    Failure::new(Cause::Missing, message).with_hint(HINT)
}

/// How to get a sandbox.
const HINT: &str = "install bubblewrap (`apt install bubblewrap`, `dnf install bubblewrap`, `pacman -S bubblewrap`); where it \
    is installed, the system must allow user namespaces, which `bwrap --ro-bind / / --proc /proc --unshare-all true` tries";

/// The folders that are covered, without links.
fn covered(home: Option<&Path>) -> BTreeSet<PathBuf> {
    let all = COVERED.iter().map(PathBuf::from).chain([env::temp_dir()]).chain(home.map(Path::to_owned));
    let all = all.filter(|path| path.is_dir()).map(|path| real(&path));
    all.filter(|path| path.parent().is_some()).collect()
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn is_below(path: &Path, covered: &BTreeSet<PathBuf>) -> bool {
    covered.iter().any(|cover| real(path).starts_with(cover) || path.starts_with(cover))
}

/// Whether something that is covered would be shown with a folder.
fn is_around(folder: &Path, covered: &BTreeSet<PathBuf>) -> bool {
    covered.iter().any(|cover| cover.starts_with(real(folder)))
}

/// What a program needs of where it lies: its folder, and the packages of Node that it is one of.
fn places(program: &Path, covered: &BTreeSet<PathBuf>) -> [PathBuf; 2] {
    [program.to_owned(), real(program)].map(|path| {
        let packages = path.ancestors().filter(|part| part.file_name() == Some(OsStr::new("node_modules")));
        let folder = packages.last().or(path.parent()).unwrap_or(&path);
        // The top of a home folder is not shown for one program in it.
        if is_around(folder, covered) { path.clone() } else { folder.to_owned() }
    })
}

fn show(line: &mut Vec<OsString>, how: &str, path: &Path) {
    if path.exists() {
        line.extend([how.into(), path.into(), path.into()]);
    }
}

fn add(line: &mut Vec<OsString>, how: &str, path: &Path) {
    line.extend([how.into(), path.into()]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_shown_with_its_packages_and_never_with_a_whole_home() {
        let covered = ["/home", "/home/ada"].map(PathBuf::from).into();
        for (program, shown) in [
            (
                "/home/ada/.npm/lib/node_modules/claude/node_modules/x/cli.js",
                "/home/ada/.npm/lib/node_modules",
            ),
            ("/home/agent", "/home/agent"),
            ("/home/ada/agent", "/home/ada/agent"),
            ("/home/ada/bin/agent", "/home/ada/bin"),
        ] {
            assert_eq!(places(Path::new(program), &covered)[0], Path::new(shown));
        }
    }

    #[test]
    fn whoever_needs_none_goes_without_where_there_is_none() {
        let sandbox = |need| Sandbox { need, has_network: true, view: Vec::new() };
        let before = |need| sandbox(need).before(Path::new("/bin/sh"), Path::new("/"), &[]);
        let (required, wished) = (before(Need::Required), before(Need::WhenAvailable));
        if works() {
            assert_eq!(required.expect("it works"), wished.expect("it works"));
        } else {
            assert_eq!(wished.expect("it goes without"), None);
            let failure = required.expect_err("it is required");
            assert_eq!(failure.cause, Cause::Missing);
            assert!(failure.hint.is_some_and(|hint| hint.contains("apt install bubblewrap")));
        }
    }
}
