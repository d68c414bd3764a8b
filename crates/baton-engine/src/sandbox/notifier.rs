//! Programs that tell people that there is work: where they run, and whether an agent could have written what they run.

use std::path::{Path, PathBuf};

use baton_courier::sandbox::{Held, Need, Sandbox, View};

use super::programs::{is_runner, lies_at};
use super::{Place, kept, works};
use crate::files::private::FOLDER;

/// A program that notifies a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notifier {
    /// The program, with its arguments.
    pub(super) command: Vec<String>,
    /// Folders outside of the project that agents may write.
    pub(super) writable: Vec<PathBuf>,
}

impl Notifier {
    /// Whether it may run what agents can write: what lies in the project, or in a folder that an agent may write.
    pub(super) fn is_of_agents(&self, root: &Path) -> bool {
        let Some((program, arguments)) = self.command.split_first() else { return false };
        let is_theirs = |path: PathBuf| {
            path.starts_with(root) || self.writable.iter().any(|folder| path.starts_with(folder))
        };
        let is_at = |folder: &Path, word: &str| folder.join(word).canonicalize().is_ok_and(is_theirs);
        // It starts in `/`, or in the project.
        let is_named = |word: &String| {
            let text = root.to_string_lossy();
            word.contains(&*text)
                || (!word.starts_with('-') && [Path::new("/"), root].iter().any(|folder| is_at(folder, word)))
        };
        let lies_there = [Path::new("/"), root].iter().any(|folder| {
            lies_at(folder, program).is_some_and(is_theirs)
                || (program.contains('/') && is_theirs(folder.join(program)))
        });
        // A wrapper starts what one of its arguments names, perhaps by the `PATH`.
        let is_wrapped = |word: &String| !word.contains('/') && lies_at(root, word).is_some_and(is_theirs);
        is_runner(program) || lies_there || arguments.iter().any(|word| is_named(word) || is_wrapped(word))
    }

    /// The wall around it. One that runs nothing of the project needs none, and reaches the person's desktop.
    pub(super) fn sandbox(&self, place: Place<'_>) -> Option<Sandbox> {
        if !self.is_of_agents(place.root) {
            return None;
        }
        let mut view = vec![View::Writable(place.root.to_owned())];
        view.extend(kept(place).into_iter().map(View::Kept));
        let git = place.root.join(".git");
        view.extend(git.symlink_metadata().is_ok().then_some(View::Readable(git)));
        view.push(View::Hidden(place.root.join(FOLDER)));
        let project = place.root.to_owned();
        Some(Sandbox { need: Need::WhenAvailable, has_network: true, project, view, held: Held::default() })
    }

    /// Why it could do for an agent what the agent cannot.
    pub(super) fn gap(&self, root: &Path) -> Option<String> {
        let is_open = self.is_of_agents(root) && !works();
        is_open
            .then(|| format!("{} runs without a sandbox, and agents can write what it runs", self.command[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notifier_is_of_agents_if_it_runs_anything_that_they_may_write() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        std::fs::write(root.join("notify"), "").expect("it can be written");
        let others = tempfile::tempdir().expect("a folder");
        let others = others.path().canonicalize().expect("it is there");
        std::fs::write(others.join("notify"), "").expect("it can be written");
        let from_top = root.join("notify").strip_prefix("/").expect("it is below").display().to_string();
        let written = others.join("notify").display().to_string();
        let is_of_agents = |words: &[&str]| {
            let command = words.iter().map(|&word| word.to_owned()).collect();
            Notifier { command, writable: vec![others.clone()] }.is_of_agents(&root)
        };
        let absolute = root.join("notify").display().to_string();
        for words in [
            &["./notify"][..],
            &["bin/notify"],
            &[&absolute],
            &["timeout", "5", "notify"],
            &["sh", "-c", "./notify"],
            &["make"],
            &["/usr/bin/python3.11", "-m", "x"],
            &["timeout", "5", &absolute],
            &["timeout", "5", &from_top],
            &[&written],
        ] {
            assert!(is_of_agents(words), "{words:?}");
        }
        for words in [
            &["notify-send", "work for {receiver}"][..],
            &["/usr/bin/notify-send", "-u", "low", "x"],
            &["curl", "-d", "x"],
        ] {
            assert!(!is_of_agents(words), "{words:?}");
        }
    }
}
