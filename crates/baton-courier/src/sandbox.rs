//! The sandbox of programs: bubblewrap, where it works, for agents, programs that notify people, and commands that are run
//! again.
//!
//! Invariant: a program and its children are in a process namespace of their own, which ends with the program and with
//! Baton. They see no other process.
//! Invariant: home folders, temporary files and sockets of the machine are hidden, the rest is read-only. Each [`View`] is
//! mounted over that, in order.
//! Invariant: no mount follows a link that an agent could have made. The path of a view is opened part by part, without
//! links, before the program starts, and bubblewrap gets the open descriptor.

use std::any::Any;
use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

use command_fds::{CommandFdExt as _, FdMapping};

use crate::report::{Cause, Failure};
use crate::{beneath, system};

/// Sandbox of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// Behaviour without bubblewrap.
    pub need: Need,
    /// Allows the network.
    pub has_network: bool,
    /// The project, whose files agents may have written.
    pub project: PathBuf,
    /// Views beside the system; the last one on a path wins.
    pub view: Vec<View>,
    /// Resources kept while the program runs.
    pub held: Held,
}

/// Resource released when the last program that needs it has ended.
#[derive(Clone, Default)]
pub struct Held(pub Option<Arc<dyn Any + Send + Sync>>);

impl fmt::Debug for Held {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Held({})", self.0.is_some())
    }
}

/// Resources do not change the view of a program.
impl PartialEq for Held {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Held {}

/// Behaviour where no sandbox works, or not as promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The program is not started.
    Required,
    /// The program is started without one.
    WhenAvailable,
}

/// View of a program on a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum View {
    /// Hides a file or folder; a missing one is skipped.
    Hidden(PathBuf),
    /// A temporary empty folder.
    Empty(PathBuf),
    /// A temporary copy; a missing file is skipped.
    Copied(PathBuf),
    /// A link.
    Link {
        /// Path of the link.
        at: PathBuf,
        /// Target of the link.
        to: PathBuf,
    },
    /// Read-only. A missing path, or one behind a link, stays hidden.
    Readable(PathBuf),
    /// Readable and writable. A missing path, or one behind a link, stays hidden.
    Writable(PathBuf),
    /// Read-only as a promise: an error where it cannot be kept.
    Kept(PathBuf),
}

/// Command line of a sandbox.
pub(crate) struct Wall {
    /// Arguments before the program and its own.
    line: Vec<OsString>,
    /// Open descriptors, by the numbers in the arguments.
    held: Vec<FdMapping>,
    /// Views that are left out, each with the reason.
    pub(crate) left_out: Vec<String>,
}

/// First descriptor number; those below belong to the program.
const HELD_FROM: i32 = 10;

/// Hidden folders: homes, temporary files, and sockets of other programs.
const COVERED: [&str; 7] = ["/home", "/root", "/tmp", "/var/tmp", "/run", "/mnt", "/media"];

/// Needed parts of these: host names, and programs of systems that keep them there.
const NEEDED: [&str; 3] = ["/run/systemd/resolve", "/run/current-system", "/run/opengl-driver"];

/// Visible parts of the home folder: tools, and the identity for commits.
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

/// Tells whether bubblewrap works on this machine: a program starts, sees its views, and does not see a hidden folder. Tested
/// once.
pub fn works() -> bool {
    static WORKS: OnceLock<bool> = OnceLock::new();
    *WORKS.get_or_init(|| {
        let tried = || -> Option<bool> {
            let covered = tempfile::tempdir().ok()?;
            let path = covered.path().canonicalize().ok()?;
            std::fs::write(path.join("seen"), "").ok()?;
            let mut wall = Wall::new(false)?;
            wall.put("--tmpfs", &path);
            wall.hold("--ro-bind-fd", Path::new("/usr"), Path::new("/usr")).ok()?;
            let program = system::program("sh")?;
            let seen = path.join("seen");
            let script = "test -d /usr/bin && ! test -e \"$1\" && ! test -w /proc/sys/kernel/hostname";
            let words = ["-c", script, "sh"].map(OsString::from).into_iter().chain([seen.into_os_string()]);
            let mut command = wall.around(&program, words, Path::new("/")).ok()?;
            let ended =
                command.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
            ended.ok().map(|status| status.success())
        };
        tried().unwrap_or(false)
    })
}

/// Isolation of every program.
fn apart(has_network: bool) -> Vec<OsString> {
    let mut all: Vec<&str> =
        vec!["--die-with-parent", "--unshare-user-try", "--unshare-pid", "--unshare-ipc"];
    all.extend(["--unshare-uts", "--unshare-cgroup-try"]);
    all.extend((!has_network).then_some("--unshare-net"));
    // A program with the right to mount could unmount a cover.
    all.extend(["--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
    // As root without capabilities a program still owns what is in it, and the kernel runs programs that some of it names.
    all.extend(["--ro-bind-try", "/proc/sys", "/proc/sys"]);
    all.into_iter().map(Into::into).collect()
}

impl Wall {
    /// A sandbox with the system alone, nothing of it hidden yet.
    fn new(has_network: bool) -> Option<Self> {
        let mut line = vec![system::program("bwrap")?.into_os_string()];
        line.extend(apart(has_network));
        Some(Self { line, held: Vec::new(), left_out: Vec::new() })
    }

    fn put(&mut self, how: &str, path: &Path) {
        self.line.extend([how.into(), path.into()]);
    }

    /// Mounts a path where only the system and its owner can create links.
    fn show(&mut self, how: &str, path: &Path) {
        if path.exists() {
            self.line.extend([how.into(), path.into(), path.into()]);
        }
    }

    /// Opens a path without following a link, and mounts it.
    fn hold(&mut self, how: &str, path: &Path, at: &Path) -> std::io::Result<()> {
        let held: OwnedFd = beneath::hold(path)?;
        self.hand(how, held, at);
        Ok(())
    }

    fn hand(&mut self, how: &str, held: OwnedFd, at: &Path) {
        let number = HELD_FROM + i32::try_from(self.held.len()).unwrap_or(i32::MAX - HELD_FROM);
        self.held.push(FdMapping { parent_fd: held, child_fd: number });
        self.line.extend([how.into(), number.to_string().into(), at.into()]);
    }

    /// Adds a view; an error is a promise that cannot be kept.
    fn view(&mut self, view: &View) -> Result<(), String> {
        let shown = |error: &std::io::Error| {
            if error.raw_os_error() == Some(rustix::io::Errno::NOENT.raw_os_error()) {
                "does not exist".to_owned()
            } else {
                "is a link or lies behind one".to_owned()
            }
        };
        match view {
            View::Hidden(path) => match beneath::hold(path) {
                Ok(_) if path.is_dir() => self.put("--tmpfs", path),
                Ok(_) => self.line.extend(["--ro-bind".into(), "/dev/null".into(), path.into()]),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => {
                    return Err(format!("{} cannot be hidden: it {}", path.display(), shown(&error)));
                }
            },
            View::Empty(path) => self.put("--tmpfs", path),
            View::Link { at, to } => self.line.extend(["--symlink".into(), to.into(), at.into()]),
            View::Copied(path) => {
                if path.is_file()
                    && let Ok(file) = std::fs::File::open(path)
                {
                    self.line.extend(["--perms".into(), "0600".into()]);
                    self.hand("--file", file.into(), path);
                }
            }
            View::Readable(path) | View::Writable(path) => {
                let how = if matches!(view, View::Readable(_)) { "--ro-bind-fd" } else { "--bind-fd" };
                match self.hold(how, path, path) {
                    Ok(()) => {}
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(error) => {
                        self.left_out.push(format!("{} is not shown: it {}", path.display(), shown(&error)));
                    }
                }
            }
            View::Kept(path) => self
                .hold("--ro-bind-fd", path, path)
                .map_err(|error| format!("{} cannot be protected: it {}", path.display(), shown(&error)))?,
        }
        Ok(())
    }

    /// The program in the sandbox.
    pub(crate) fn around(
        mut self,
        program: &Path,
        arguments: impl IntoIterator<Item = OsString>,
        directory: &Path,
    ) -> std::io::Result<Command> {
        self.put("--chdir", directory);
        let mut words = self.line.into_iter().chain(["--".into(), program.into()]).chain(arguments);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        command
            .fd_mappings(self.held)
            .map_err(|_| std::io::Error::other("two things were opened for one number"))?;
        Ok(command)
    }
}

impl Sandbox {
    /// The sandbox for a program; `None` where it is started without one. `own` are files that Baton made for it.
    ///
    /// # Errors
    /// A sandbox is required, and none works here, or not as promised.
    pub(crate) fn wall(&self, program: &Path, own: &[&Path]) -> Result<Option<Wall>, Failure> {
        let Some(mut wall) = works().then(|| Wall::new(self.has_network)).flatten() else {
            return match self.need {
                Need::WhenAvailable => Ok(None),
                Need::Required => Err(missing(program)),
            };
        };
        let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let covered = covered(home.as_deref());
        for path in &covered {
            wall.put("--tmpfs", path);
        }
        for path in NEEDED {
            wall.show("--ro-bind", Path::new(path));
        }
        // It may be a link into a hidden folder.
        wall.show("--ro-bind", &real(Path::new("/etc/resolv.conf")));
        let writable = || {
            self.view.iter().filter_map(|view| match view {
                View::Writable(path) => Some(path),
                View::Hidden(_)
                | View::Empty(_)
                | View::Link { .. }
                | View::Copied(_)
                | View::Readable(_)
                | View::Kept(_) => None,
            })
        };
        // Files of the project are visible as part of the project alone.
        let is_of_agents =
            |place: &Path| place.starts_with(&self.project) || writable().any(|path| place.starts_with(path));
        let tools = home.iter().flat_map(|home| TOOLS.map(|tool| home.join(tool)));
        let tools = tools.filter(|tool| !is_of_agents(tool));
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
        let is_hidden = |place: &PathBuf| {
            is_below(place, &covered) && !is_around(place, &covered) && !is_of_agents(place)
        };
        let own_places = if is_of_agents(program) { None } else { Some(places(program, &covered)) };
        let places = folders.chain(own_places.into_iter().flatten()).filter(is_hidden);
        for place in distinct(tools.chain(places)) {
            wall.show("--ro-bind", &place);
        }
        for view in &self.view {
            if let Err(why) = wall.view(view) {
                match self.need {
                    Need::WhenAvailable => wall.left_out.push(why),
                    Need::Required => return Err(unkept(program, &why)),
                }
            }
        }
        // What an agent puts into a folder of the `PATH` would run for the next agent, and for people, outside of any wall.
        let path = env::var_os("PATH").unwrap_or_default();
        let is_granted = |folder: &PathBuf| {
            !folder.starts_with(&self.project) && writable().any(|granted| folder.starts_with(granted))
        };
        for folder in env::split_paths(&path).filter(is_granted) {
            // One that does not exist runs nothing yet.
            let _ = wall.hold("--ro-bind-fd", &folder, &folder);
        }
        for path in own {
            wall.show("--bind", path);
        }
        Ok(Some(wall))
    }
}

fn name_of(program: &Path) -> std::borrow::Cow<'_, str> {
    program.file_name().unwrap_or(program.as_os_str()).to_string_lossy()
}

/// A promise of a required sandbox that cannot be kept.
fn unkept(program: &Path, why: &str) -> Failure {
    let message =
        format!("{} was not started: its sandbox cannot be built as promised: {why}", name_of(program));
    Failure::new(Cause::Impossible, message)
        .with_hint("put a folder or file of its own in the place of the link, then try again")
}

fn missing(program: &Path) -> Failure {
    let message =
        format!("{} was not started: it must run in a sandbox, and none works here", name_of(program));
    Failure::new(Cause::Missing, message).with_hint(HINT)
}

/// Hint for a machine without a sandbox.
const HINT: &str = "install bubblewrap (`apt install bubblewrap`, `dnf install bubblewrap`, `pacman -S bubblewrap`); where it \
    is installed, the system must allow user namespaces, which `bwrap --ro-bind / / --proc /proc --unshare-all true` tries";

/// Hidden folders, without links.
fn covered(home: Option<&Path>) -> BTreeSet<PathBuf> {
    let all = COVERED.iter().map(PathBuf::from).chain([env::temp_dir()]).chain(home.map(Path::to_owned));
    let all = all.chain(listed_home());
    let all = all.filter(|path| path.is_dir()).map(|path| real(&path));
    all.filter(|path| path.parent().is_some()).collect()
}

/// Folders that programs need; the system lists some of them as homes of its own users.
const OF_SYSTEM: [&str; 9] = ["/bin", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr"];

/// The home folder of this user by the list of the system, whatever the environment says.
fn listed_home() -> Option<PathBuf> {
    let user = rustix::process::getuid().as_raw().to_string();
    let list = std::fs::read_to_string("/etc/passwd").ok()?;
    let mut lines = list.lines().map(|line| line.split(':'));
    let home =
        lines.find_map(|mut fields| (fields.nth(2) == Some(&user)).then(|| fields.nth(2)).flatten())?;
    Some(PathBuf::from(home)).filter(|home| is_coverable(home))
}

/// Whether a home folder can be covered without taking programs away.
fn is_coverable(home: &Path) -> bool {
    home.is_absolute() && !OF_SYSTEM.iter().any(|folder| home.starts_with(folder))
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn is_below(path: &Path, covered: &BTreeSet<PathBuf>) -> bool {
    covered.iter().any(|cover| real(path).starts_with(cover) || path.starts_with(cover))
}

/// Paths that no earlier path contains: each mount slows the start of a program.
fn distinct(places: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    for place in places {
        let is_seen =
            all.iter().any(|shown| place.starts_with(shown) && real(&place).starts_with(real(shown)));
        if !is_seen {
            all.push(place);
        }
    }
    all
}

/// Tells whether a folder contains a hidden one.
fn is_around(folder: &Path, covered: &BTreeSet<PathBuf>) -> bool {
    covered.iter().any(|cover| cover.starts_with(real(folder)))
}

/// Paths that a program needs: its folder, and the Node packages around it.
fn places(program: &Path, covered: &BTreeSet<PathBuf>) -> [PathBuf; 2] {
    [program.to_owned(), real(program)].map(|path| {
        let packages = path.ancestors().filter(|part| part.file_name() == Some(OsStr::new("node_modules")));
        let folder = packages.last().or(path.parent()).unwrap_or(&path);
        // The top of a home folder is not shown for one program in it.
        if is_around(folder, covered) { path.clone() } else { folder.to_owned() }
    })
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
    fn a_place_is_mounted_once_and_not_again_below_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().canonicalize().expect("it is there");
        for name in ["tools/bin", "elsewhere"] {
            std::fs::create_dir_all(path.join(name)).expect("it can be made");
        }
        std::os::unix::fs::symlink(path.join("elsewhere"), path.join("tools/led")).expect("it can be linked");
        let all = ["tools", "tools", "tools/bin", "tools/led", "elsewhere"].map(|name| path.join(name));
        let mounted = ["tools", "tools/led", "elsewhere"].map(|name| path.join(name));
        assert_eq!(distinct(all.into_iter()), mounted);
    }

    #[test]
    fn a_home_that_the_system_lists_is_covered_unless_programs_need_it() {
        for home in ["/var/backups", "/home/ada", "/srv/app"] {
            assert!(is_coverable(Path::new(home)), "{home}");
        }
        for home in ["/usr/sbin", "/bin", "/dev", "", "relative"] {
            assert!(!is_coverable(Path::new(home)), "{home}");
        }
    }

    #[test]
    fn without_a_working_wall_a_required_one_is_an_error_and_a_wished_one_is_none() {
        let sandbox = |need| Sandbox {
            need,
            has_network: true,
            project: PathBuf::new(),
            view: Vec::new(),
            held: Held::default(),
        };
        let wall = |need| sandbox(need).wall(Path::new("/bin/sh"), &[]).map(|wall| wall.is_some());
        let (required, wished) = (wall(Need::Required), wall(Need::WhenAvailable));
        assert_eq!(wished.expect("it goes without"), works());
        match required {
            Ok(has_wall) => assert!(has_wall && works()),
            Err(failure) => {
                assert_eq!((failure.cause, works()), (Cause::Missing, false));
                assert!(failure.hint.is_some_and(|hint| hint.contains("apt install bubblewrap")));
            }
        }
    }

    #[test]
    fn a_promise_about_a_link_is_not_kept_by_following_it() {
        if !works() {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().canonicalize().expect("it is there");
        std::os::unix::fs::symlink("/root", path.join("dialects")).expect("it can be linked");
        let sandbox = |need, view| Sandbox {
            need,
            has_network: true,
            project: PathBuf::new(),
            view: vec![view],
            held: Held::default(),
        };
        let link = || path.join("dialects");
        let kept = sandbox(Need::Required, View::Kept(link())).wall(Path::new("/bin/sh"), &[]);
        let failure = kept.map(drop).expect_err("it cannot be kept");
        assert!(failure.message.contains("dialects cannot be protected: it is a link"), "{failure:?}");
        for (need, view) in [
            (Need::WhenAvailable, View::Kept(link())),
            (Need::Required, View::Readable(link())),
            (Need::Required, View::Writable(link())),
        ] {
            let wall =
                sandbox(need, view).wall(Path::new("/bin/sh"), &[]).expect("it is built").expect("it works");
            assert_eq!((wall.left_out.len(), wall.held.len()), (1, 0), "{:?}", wall.left_out);
        }
    }
}
