//! The files that the command of an agent, or of a notifier, runs.

use std::env;
use std::path::{Component, Path, PathBuf};

/// Programs that run what they find in the folder they are in, or what their arguments say.
const RUNNERS: [&str; 22] = [
    "awk", "bash", "bun", "busybox", "cargo", "dash", "deno", "env", "fish", "go", "just", "ksh", "make",
    "node", "npm", "npx", "perl", "pnpm", "ruby", "sh", "yarn", "zsh",
];

/// Whether a program runs what its arguments name.
pub(super) fn is_runner(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    RUNNERS.contains(&name) || name.starts_with("python")
}

/// The files of a project that a command runs, from the root: its program, and the script of an interpreter.
pub(crate) fn in_project(root: &Path, directory: &Path, command: &[String]) -> Vec<String> {
    let Some((program, arguments)) = command.split_first() else { return Vec::new() };
    let script = arguments.iter().find(|word| !word.starts_with('-')).filter(|_| is_runner(program));
    let program = program.contains('/').then(|| below(root, &root.join(program))).flatten();
    program.into_iter().chain(script.and_then(|word| below(root, &directory.join(word)))).collect()
}

/// A path from the root; nothing where it leads out.
fn below(root: &Path, path: &Path) -> Option<String> {
    let below = path.strip_prefix(root).ok()?;
    let is_plain = below.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let below: PathBuf = below.components().filter(|part| *part != Component::CurDir).collect();
    below.to_str().filter(|text| is_plain && !text.is_empty()).map(str::to_owned)
}

/// Where a program lies: at its path from a folder, else in the first folder of the `PATH` that has it.
pub(super) fn lies_at(folder: &Path, program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return folder.join(program).canonicalize().ok();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .find_map(|folder| folder.join(program).canonicalize().ok().filter(|path| path.is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_and_the_script_of_a_command_are_known_where_they_lie_in_the_project() {
        let files = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            in_project(Path::new("/srv/p"), Path::new("/srv/p"), &words)
        };
        for (command, of_project) in [
            (&["./ada.sh", "notes.md"][..], &["ada.sh"][..]),
            (&["/srv/p/bin/ada"], &["bin/ada"]),
            (&["sh", "-e", "agents/ada.sh", "x"], &["agents/ada.sh"]),
            (&["bin/python3.12", "ada.py"], &["bin/python3.12", "ada.py"]),
            (&["claude", "-p", "x"], &[]),
            (&["../other/ada"], &[]),
            (&["/opt/ada"], &[]),
        ] {
            assert_eq!(files(command), of_project, "{command:?}");
        }
    }
}
