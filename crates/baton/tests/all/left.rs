//! What still works in the folder of a test when the test is over: it is ended, also where the test failed half way.
//!
//! Whoever works there is known by its folder, which the system says and which no other test has. So a number of a process
//! that was used again, or that means something else behind a wall, never ends a stranger.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How often it is looked again: what is being ended may have started something just before.
const LOOKS_MAX: usize = 20;

/// Ends all that works in a folder when it is dropped. It must be dropped before the folder goes.
pub(crate) struct Left {
    folder: PathBuf,
}

impl Left {
    /// Whatever works in this folder, or below it.
    pub(crate) fn of(folder: &Path) -> Self {
        Self { folder: folder.canonicalize().unwrap() }
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        let own = group("self");
        for _ in 0..LOOKS_MAX {
            let working = working(&self.folder);
            if working.is_empty() {
                return;
            }
            for process in working {
                // The group of the tests themselves is not ended: of that one, only who works here.
                let group = group(&process).filter(|group| Some(group) != own.as_ref());
                let whom = group.map_or(process, |group| format!("-{group}"));
                // It may have ended by itself just now.
                let killed =
                    Command::new("kill").args(["-s", "KILL", "--", &whom]).stderr(Stdio::null()).status();
                drop(killed);
            }
        }
    }
}

/// The numbers of the processes that work in a folder or below it; none where the system does not say.
fn working(folder: &Path) -> Vec<String> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let works_here = |name: &String| {
        name.bytes().all(|byte| byte.is_ascii_digit())
            && *name != std::process::id().to_string()
            && fs::read_link(format!("/proc/{name}/cwd")).is_ok_and(|place| place.starts_with(folder))
    };
    processes.filter_map(|process| process.file_name().into_string().ok()).filter(works_here).collect()
}

/// The group of a process.
fn group(process: &str) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Its name is in brackets and may hold anything; behind it come its state, its parent and its group.
    stat.rsplit_once(')')?.1.split_whitespace().nth(2).map(str::to_owned)
}
