//! How a command that others wrote is kept from everything but its checkout: bubblewrap, where it works.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Places below the home folder where tools lie; a command may read them and nothing else there.
const TOOLS: [&str; 8] =
    [".cargo/bin", ".cargo/registry", ".rustup", ".local/bin", ".local/lib", ".nvm", ".pyenv", "go/pkg"];

/// Whether bubblewrap works on this machine; asked once.
pub fn works() -> bool {
    static WORKS: OnceLock<bool> = OnceLock::new();
    *WORKS.get_or_init(|| {
        let mut command = Command::new("bwrap");
        command.args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "true"]);
        let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        ended.is_ok_and(|status| status.success())
    })
}

/// A command line, within bubblewrap: without a network, without other processes, without the home folder and the
/// project, with a checkout that it may write.
pub(super) fn walled(line: &str, checkout: &Path, root: &Path, home: Option<&Path>) -> Vec<String> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut all: Vec<String> =
        ["bwrap", "--unshare-all", "--die-with-parent", "--new-session"].map(str::to_owned).into();
    let mut add = |words: &[&str]| all.extend(words.iter().map(|&word| word.to_owned()));
    add(&["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run"]);
    if let Some(home) = home.filter(|home| home.parent().is_some()) {
        add(&["--tmpfs", &text(home)]);
        for tool in TOOLS {
            let tool = text(&home.join(tool));
            add(&["--ro-bind-try", &tool, &tool]);
        }
    }
    add(&["--tmpfs", &text(root)]);
    let git = text(&root.join(".git"));
    add(&["--ro-bind-try", &git, &git]);
    let checkout = text(checkout);
    add(&["--bind", &checkout, &checkout, "--chdir", &checkout, "--", "sh", "-c", line]);
    all
}
