//! Programs that tell people that there is work: where they run, and whether an agent could have written what they run.

use std::path::Path;

use baton_courier::sandbox::{Held, Need, Sandbox, View};

use super::{Place, kept, works};
use crate::files::private::FOLDER;

/// A program that notifies a person, with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notifier(pub(super) Vec<String>);

/// Programs that run what they find in the folder they are in, or what their arguments say.
const RUNNERS: [&str; 22] = [
    "awk", "bash", "bun", "busybox", "cargo", "dash", "deno", "env", "fish", "go", "just", "ksh", "make",
    "node", "npm", "npx", "perl", "pnpm", "ruby", "sh", "yarn", "zsh",
];

impl Notifier {
    /// Whether it may run what lies in a project.
    pub(super) fn is_of_project(&self, root: &Path) -> bool {
        let Some((program, arguments)) = self.0.split_first() else { return false };
        let name = program.rsplit('/').next().unwrap_or(program);
        let is_runner = RUNNERS.contains(&name) || name.starts_with("python");
        let program_path = root.join(program);
        let is_inside = program.contains('/')
            && (program_path.starts_with(root)
                || program_path.canonicalize().is_ok_and(|path| path.starts_with(root)));
        let names_project = |word: &String| {
            let text = root.to_string_lossy();
            word.contains(&*text) || (!word.starts_with('-') && root.join(word).symlink_metadata().is_ok())
        };
        is_runner || is_inside || arguments.iter().any(names_project)
    }

    /// The wall around it. One that runs nothing of the project needs none, and reaches the person's desktop.
    pub(super) fn sandbox(&self, place: Place<'_>) -> Option<Sandbox> {
        if !self.is_of_project(place.root) {
            return None;
        }
        let mut view = vec![View::Writable(place.root.to_owned())];
        view.extend(kept(place).into_iter().map(View::Kept));
        let git = place.root.join(".git");
        view.extend(git.symlink_metadata().is_ok().then_some(View::Readable(git)));
        view.push(View::Hidden(place.root.join(FOLDER)));
        Some(Sandbox { need: Need::WhenAvailable, has_network: true, view, held: Held::default() })
    }

    /// Why it could do for an agent what the agent cannot.
    pub(super) fn gap(&self, root: &Path) -> Option<String> {
        let is_open = self.is_of_project(root) && !works();
        is_open.then(|| format!("{} runs without a sandbox, and agents can write what it runs", self.0[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notifier_is_of_the_project_if_it_runs_anything_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        std::fs::write(root.join("notify"), "").expect("it can be written");
        let is_of_project = |words: &[&str]| {
            Notifier(words.iter().map(|&word| word.to_owned()).collect()).is_of_project(&root)
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
        ] {
            assert!(is_of_project(words), "{words:?}");
        }
        for words in [
            &["notify-send", "work for {receiver}"][..],
            &["/usr/bin/notify-send", "-u", "low", "x"],
            &["curl", "-d", "x"],
        ] {
            assert!(!is_of_project(words), "{words:?}");
        }
    }
}
