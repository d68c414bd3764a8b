//! Finds the program that a command names, so that a missing one is named before anything is started.

use std::env;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::{Cause, Failure};

/// The path of a program: on the `PATH` of Baton itself outside of the project if its name has no `/`, else from the root.
pub(super) fn locate(program: &str, root: &Path) -> Result<PathBuf, Failure> {
    if program.is_empty() {
        return Err(Failure::new(Cause::Missing, "the command of the agent is empty")
            .with_hint("write the program and its arguments as a list"));
    }
    if program.contains('/') {
        let path = root.join(program);
        return if !path.is_file() {
            Err(Failure::new(Cause::Missing, format!("the program {} does not exist", path.display()))
                .with_hint("a path to a program starts at the root of the project, or with a `/`"))
        } else if is_executable(&path) {
            Ok(path)
        } else {
            Err(forbidden(&path))
        };
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut refused = None;
    // An agent could put a program of any name into a folder of the project.
    let is_of_project = |folder: &Path| folder.canonicalize().is_ok_and(|folder| folder.starts_with(root));
    let folders = env::split_paths(&path).filter(|folder| folder.is_absolute() && !is_of_project(folder));
    for folder in folders {
        let candidate = folder.join(program);
        if !candidate.is_file() {
            continue;
        }
        if is_executable(&candidate) {
            return Ok(candidate);
        }
        refused.get_or_insert(candidate);
    }
    Err(refused.map_or_else(
        || {
            Failure::new(Cause::Missing, format!("the program {program} is not on the PATH"))
                .with_hint(format!("install {program}, or write its full path in the command of the agent"))
        },
        |path| forbidden(&path),
    ))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

fn forbidden(path: &Path) -> Failure {
    Failure::new(Cause::Forbidden, format!("{} may not be executed", path.display()))
        .with_hint(format!("`chmod +x {}` allows it", path.display()))
}
