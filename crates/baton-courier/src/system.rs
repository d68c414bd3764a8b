//! Programs that Baton itself relies on, such as `git` and `bwrap`: looked for only in folders that the system fills.
//!
//! Invariant: no entry of the `PATH` that an agent could write to, such as a folder of the project, gives such a program.

use std::env;
use std::path::{Path, PathBuf};

/// Folders that the system or its package manager fills.
const FOLDERS: [&str; 8] = [
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
    "/run/current-system/sw/bin",
    "/opt/homebrew/bin",
    "/opt/local/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/snap/bin",
];

/// Folder of programs of Nix, which is read-only.
const STORE: &str = "/nix/store";

/// Path of a program by its name, in the order of the `PATH` as far as that names such folders.
#[must_use]
pub fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let named = env::split_paths(&path).filter(|folder| is_of_system(folder));
    let folders = named.chain(FOLDERS.iter().map(PathBuf::from));
    folders.map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Tells whether the system fills a folder.
fn is_of_system(folder: &Path) -> bool {
    FOLDERS.iter().any(|known| folder == Path::new(known))
        || folder.canonicalize().is_ok_and(|real| real.starts_with(STORE))
}

/// Keeps programs that are started from now on from what this process has inherited open: a descriptor from outside leads
/// past every wall.
#[cfg(unix)]
pub fn keep_inherited() {
    close_fds::set_fds_cloexec(3, &[]);
}

/// A `PATH` of these folders alone.
#[must_use]
pub fn path() -> String {
    FOLDERS.join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_a_project_is_none_of_the_system() {
        assert!(is_of_system(Path::new("/usr/bin")) && is_of_system(Path::new("/usr/local/bin")));
        for other in ["", ".", "bin", "/tmp", "/usr/bin/../../tmp", "/home/ada/bin", "/usr/src/app/bin"] {
            assert!(!is_of_system(Path::new(other)), "{other}");
        }
    }
}
