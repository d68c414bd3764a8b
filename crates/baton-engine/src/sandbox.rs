//! What agents, and commands that are run again, see of a project from behind the wall; the wall itself is
//! [`baton_courier::sandbox`].
//!
//! Invariant: nobody behind the wall sees `.baton/`, in which the ledger and what others hand in lie, and nobody there
//! changes what says who agents are and what git starts.

use std::env;
use std::path::{Path, PathBuf};

pub use baton_courier::sandbox::works;
use baton_courier::sandbox::{Need, Sandbox, View};
use baton_document::flow::{AgentSpec, CourierWord, DEFINITIONS, SandboxWord};

use crate::git;
use crate::store::FOLDER;

/// Where an agent runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Runs {
    /// Where Baton cannot know what it can reach: it asks for its work, or is reached through a service.
    #[default]
    Elsewhere,
    /// Nowhere: it is a person.
    Person,
    /// As a program that Baton starts, with all that whoever starts Baton may do.
    Open,
    /// As a program that Baton starts, behind a wall.
    Walled {
        /// What happens where there is none.
        need: Need,
        /// What it may read beside the project, as it was written.
        readable: Vec<String>,
        /// What it may read and write beside the project, as it was written.
        writable: Vec<String>,
    },
}

/// What an agent program keeps for itself below the home folder, and which of that says what it starts.
const CLAUDE: ([&str; 2], &str) = (["~/.claude", "~/.claude.json"], "~/.claude/settings.json");
const CODEX: ([&str; 1], &str) = (["~/.codex"], "~/.codex/config.toml");

/// What of a project says who agents are.
const DEFINED: [&str; 3] = ["baton.toml", "flows", "dialects"];

impl Runs {
    /// Where an agent runs that is reached in a way.
    pub(crate) fn new(way: CourierWord, spec: &AgentSpec) -> Self {
        let need = match spec.sandbox {
            None | Some(SandboxWord::None) => None,
            Some(SandboxWord::Required) => Some(Need::Required),
            Some(SandboxWord::WhenAvailable) => Some(Need::WhenAvailable),
        };
        let own = |of: &[&str]| of.iter().map(|&path| path.to_owned()).collect::<Vec<_>>();
        let (own_writable, own_readable) = match way {
            CourierWord::Program | CourierWord::Acp => (Vec::new(), Vec::new()),
            CourierWord::Claude => (own(&CLAUDE.0), own(&[CLAUDE.1])),
            CourierWord::Codex => (own(&CODEX.0), own(&[CODEX.1])),
            CourierWord::Inbox | CourierWord::Openclaw | CourierWord::Http => return Self::Elsewhere,
            CourierWord::Human => return Self::Person,
        };
        let Some(need) = need else { return Self::Open };
        let listed = |list: &Option<Vec<String>>| list.iter().flatten().cloned().collect::<Vec<_>>();
        Self::Walled {
            need,
            readable: own_readable.into_iter().chain(listed(&spec.readable)).collect(),
            writable: own_writable.into_iter().chain(listed(&spec.writable)).collect(),
        }
    }

    /// The wall around it, in a project and perhaps in a worktree of its own.
    pub(crate) fn sandbox(&self, root: &Path, worktree: Option<&Path>) -> Option<Sandbox> {
        let Self::Walled { need, readable, writable } = self else { return None };
        let root = real(root);
        let mut view = vec![match worktree {
            None => View::Writable(root.clone()),
            Some(_) => View::Readable(root.clone()),
        }];
        view.extend(writable.iter().filter_map(|path| from_root(&root, path)).map(View::Writable));
        view.extend(readable.iter().filter_map(|path| from_root(&root, path)).map(View::Readable));
        if works() {
            view.extend(repository(&root));
        }
        let defined = DEFINED.iter().chain(&DEFINITIONS).map(|path| root.join(path));
        view.extend(defined.map(View::Readable));
        view.push(View::Hidden(root.join(FOLDER)));
        if let Some(own) = worktree {
            view.push(View::Writable(own.to_owned()));
            // It leads git to the repository, and to nothing that it would start.
            view.push(View::Readable(own.join(".git")));
        }
        Some(Sandbox { need: *need, has_network: true, view })
    }
}

/// What is seen of a repository: an agent may commit, and may not say what git starts.
fn repository(root: &Path) -> Vec<View> {
    let Some(home) = git::Home::of(root).filter(git::Home::is_proven) else { return Vec::new() };
    let folder = home.common;
    // It is a mount of its own, so that it cannot be moved away with what lies in it.
    let held = [folder.join("config"), folder.join("hooks")];
    [View::Writable(folder)].into_iter().chain(held.map(View::Readable)).collect()
}

/// The wall around a command that is run again: a checkout that it may write, without the project and the network.
pub(crate) fn of_checkout(root: &Path, checkout: &Path, objects: &Path) -> Sandbox {
    let view = vec![
        View::Hidden(root.to_owned()),
        View::Readable(objects.to_owned()),
        View::Writable(checkout.to_owned()),
    ];
    Sandbox { need: Need::Required, has_network: false, view }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// A path as its owner wrote it: from the home folder with `~/`, else from the root.
fn from_root(root: &Path, written: &str) -> Option<PathBuf> {
    match written.strip_prefix('~') {
        Some(below) => Some(PathBuf::from(env::var_os("HOME")?).join(below.trim_start_matches('/'))),
        None => Some(root.join(written)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walled(agent: &str) -> Runs {
        let text = format!("flow: f\nagents:\n  ada: {agent}\nsteps:\n  - work: ada\n");
        let flow = baton_document::flow::Flow::read(&text).0.expect("it is a flow");
        let ada = flow.agent("ada").expect("it is there");
        Runs::new(ada.way().expect("it is reached"), ada)
    }

    #[test]
    fn where_an_agent_runs_is_known_of_those_that_baton_starts() {
        assert_eq!(walled("{ run: ./ada }"), Runs::Open);
        assert_eq!(walled("{ run: ./ada, sandbox: none }"), Runs::Open);
        assert_eq!(walled("{ inbox: true, sandbox: required }"), Runs::Elsewhere);
        assert_eq!(walled("{ courier: human, sandbox: required }"), Runs::Person);
        for (word, need) in [("required", Need::Required), ("when-available", Need::WhenAvailable)] {
            let (readable, writable) = (Vec::new(), Vec::new());
            let runs = walled(&format!("{{ run: ./ada, sandbox: {word} }}"));
            assert_eq!(runs, Runs::Walled { need, readable, writable });
        }
    }

    #[test]
    fn the_ledger_is_hidden_last_and_only_a_worktree_comes_behind_it() {
        let root = Path::new("/project");
        let runs =
            walled("{ courier: codex, sandbox: required, readable: [/opt/x], writable: [~/.cache, out] }");
        let sandbox = runs.sandbox(root, None).expect("it is walled");
        assert_eq!(sandbox.view.first(), Some(&View::Writable(root.to_owned())));
        assert_eq!(sandbox.view.last(), Some(&View::Hidden(root.join(".baton"))));
        for shown in [View::Readable("/opt/x".into()), View::Writable("/project/out".into())] {
            assert!(sandbox.view.contains(&shown), "{shown:?}");
        }
        assert!(sandbox.view.contains(&View::Readable("/project/baton.toml".into())));
        let own = Path::new("/project/.baton/worktrees/run-1/ada");
        let sandbox = runs.sandbox(root, Some(own)).expect("it is walled");
        assert_eq!(sandbox.view.first(), Some(&View::Readable(root.to_owned())));
        let hidden = sandbox.view.iter().position(|view| *view == View::Hidden(root.join(".baton")));
        assert_eq!(sandbox.view.get(hidden.expect("it is") + 1), Some(&View::Writable(own.to_owned())));
    }
}
