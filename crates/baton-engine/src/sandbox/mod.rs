//! What agents, programs that notify people, and commands that are run again see of a project from behind the wall; the wall
//! itself is [`baton_courier::sandbox`].
//!
//! Invariant: nothing behind the wall sees `.baton/`, in which the ledger and what others hand in lie, or changes what says
//! who agents are, what they are told and what git starts; also where that does not exist yet.

mod guards;
mod homes;
mod notifier;
mod programs;
mod repository;
mod seal;

use std::env;
use std::path::{Component, Path, PathBuf};

pub use baton_courier::sandbox::works;
use baton_courier::sandbox::{Held, Need, Sandbox, View};
use baton_document::flow::{AgentSpec, CourierWord, SandboxWord, Spanned};

use guards::Guard;
pub(crate) use guards::Guards;
pub(crate) use guards::listed as guarded;
use homes::Home;
use notifier::Notifier;
pub(crate) use programs::in_project as programs;
pub(crate) use seal::Seal;

use crate::files::private::FOLDER;

/// Where an agent runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Runs {
    /// Where Baton cannot know what it can reach: it asks for its work, or is reached through a service.
    #[default]
    Elsewhere,
    /// Nowhere: it is a person, who may be told by a program.
    Person(Option<Notifier>),
    /// As a program that Baton starts, with all that its user may do.
    Open,
    /// As a program that Baton starts, behind a wall.
    Walled {
        /// What happens where there is none.
        need: Need,
        /// What it sees beside the project.
        grants: Box<Grants>,
    },
}

/// What an agent sees beside the project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// What it may read, as it was written.
    readable: Vec<String>,
    /// What it may read and write, as it was written.
    writable: Vec<String>,
    /// What its program keeps for itself.
    homes: Vec<Home>,
    /// The variables of the environment that it has.
    environment: Vec<String>,
}

/// Where an agent works.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'p> {
    pub(crate) root: &'p Path,
    /// A worktree of its own.
    pub(crate) worktree: Option<&'p Path>,
    /// The files that its run has pinned, from the root.
    pub(crate) pinned: &'p [String],
    /// Whether agents may be at work whose walls lack what this one has deep in the project: they could lead its mounts elsewhere.
    pub(crate) is_shared: bool,
}

/// What of a project says who agents are, what they may do and which programs they start: folders.
const FOLDERS: [&str; 5] = ["flows", "dialects", "workflow-agents", ".claude", ".codex"];
/// The same as files, with what stands for one that does not exist.
const FILES: [(&str, &str); 2] = [("baton.toml", guards::CONTENTS[0]), (".mcp.json", guards::CONTENTS[2])];

impl Runs {
    /// Where an agent runs that is reached in a way.
    pub(crate) fn new(way: CourierWord, spec: &AgentSpec) -> Self {
        let need = match spec.sandbox {
            None | Some(SandboxWord::None) => None,
            Some(SandboxWord::Required) => Some(Need::Required),
            Some(SandboxWord::WhenAvailable) => Some(Need::WhenAvailable),
        };
        let homes = match way {
            CourierWord::Program | CourierWord::Acp => Vec::new(),
            CourierWord::Claude => vec![homes::CLAUDE],
            CourierWord::Codex => vec![homes::CODEX],
            CourierWord::Inbox | CourierWord::Openclaw | CourierWord::Http => return Self::Elsewhere,
            CourierWord::Human => {
                let notifier = |run: &Spanned<Vec<String>>| Notifier {
                    command: run.value.clone(),
                    writable: Vec::new(),
                };
                return Self::Person(spec.run.as_ref().map(notifier));
            }
        };
        let Some(need) = need else { return Self::Open };
        let listed = |list: &Option<Vec<String>>| list.iter().flatten().cloned().collect::<Vec<_>>();
        let (readable, writable) = (listed(&spec.readable), listed(&spec.writable));
        let grants = Grants { readable, writable, homes, environment: listed(&spec.environment) };
        Self::Walled { need, grants: Box::new(grants) }
    }

    /// Adds what agents may write outside of the project.
    pub(crate) fn among(&mut self, root: &Path, writable: &[&String]) {
        if let Self::Person(Some(notifier)) = self {
            let folders = writable.iter().filter_map(|written| granted(root, written));
            notifier.writable = folders.map(|path| path.canonicalize().unwrap_or(path)).collect();
        }
    }

    /// Whether it runs behind a wall, where one works.
    pub(crate) fn is_walled(&self) -> bool {
        matches!(self, Self::Walled { .. })
    }

    /// The wall around it.
    pub(crate) fn sandbox(&self, place: Place<'_>) -> Option<Sandbox> {
        match self {
            Self::Elsewhere | Self::Open => None,
            Self::Person(notifier) => notifier.as_ref().and_then(|notifier| notifier.sandbox(place)),
            Self::Walled { need, grants } => Some(Sandbox {
                need: *need,
                has_network: true,
                project: place.root.to_owned(),
                view: grants.view(place),
                held: Held::default(),
            }),
        }
    }

    /// Why an agent could change what it must not although it was to run behind a wall.
    pub(crate) fn gaps(&self, place: Place<'_>) -> Vec<String> {
        match self {
            Self::Elsewhere | Self::Open => Vec::new(),
            Self::Person(notifier) => {
                notifier.iter().filter_map(|notifier| notifier.gap(place.root)).collect()
            }
            Self::Walled { .. } => {
                let unheld =
                    kept(place).into_iter().filter(|path| baton_courier::beneath::hold(path).is_err());
                let unheld = unheld.map(|path| format!("{} is a link or lies behind one", path.display()));
                let left = if place.is_shared { deep(place) } else { Vec::new() };
                let left = left.into_iter().map(|path| {
                    format!("{} cannot be protected while agents of other runs are at work", path.display())
                });
                unheld.chain(left).collect()
            }
        }
    }
}

impl Place<'_> {
    /// Whether something that is granted is mounted.
    fn mounts(&self, path: &Path) -> bool {
        !path.starts_with(self.root) || (self.worktree.is_some() && !self.is_shared)
    }
}

impl Grants {
    fn view(&self, place: Place<'_>) -> Vec<View> {
        let root = place.root;
        let mut view = vec![match place.worktree {
            None => View::Writable(root.to_owned()),
            Some(_) => View::Readable(root.to_owned()),
        }];
        if works() {
            view.extend(repository::view(root, place.worktree.is_none()));
        }
        for written in &self.writable {
            match written.strip_prefix("~/").and_then(homes::known) {
                Some(home) => view.extend(home.view(&self.environment)),
                // What lies in a project that is writable needs no mount, and one could be led elsewhere.
                None => {
                    view.extend(granted(root, written).filter(|path| place.mounts(path)).map(View::Writable));
                }
            }
        }
        view.extend(self.homes.iter().flat_map(|home| home.view(&self.environment)));
        let readable = self.readable.iter().filter_map(|written| granted(root, written));
        view.extend(readable.filter(|path| place.mounts(path)).map(View::Readable));
        if place.worktree.is_none() {
            view.extend(around(place).into_iter().map(View::Writable));
        }
        view.extend(kept(place).into_iter().map(View::Kept));
        view.push(View::Hidden(root.join(FOLDER)));
        if let Some(own) = place.worktree {
            view.push(View::Writable(own.to_owned()));
            view.extend(repository::view_of_worktree(own));
        }
        view
    }
}

/// The places that are taken before an agent starts that works in a project.
pub(crate) fn guard(guards: &Guards, root: &Path) -> Vec<String> {
    let folders = FOLDERS.iter().map(|name| Guard::folder(root.join(name)));
    let files = FILES.iter().map(|(name, holds)| Guard::file(root.join(name), holds));
    let all = folders.chain(files).chain(repository::guards(root));
    take(guards, all)
}

/// The places that are taken before an agent starts in a worktree of its own.
pub(crate) fn guard_worktree(guards: &Guards, own: &Path) -> Vec<String> {
    take(guards, repository::guards_of_worktree(own).into_iter())
}

fn take(guards: &Guards, all: impl Iterator<Item = Guard>) -> Vec<String> {
    let failed = all.filter_map(|guard| {
        let error = guards.take(&guard).err()?;
        Some(format!("{} cannot be protected: {error}", guard.path.display()))
    });
    failed.collect()
}

/// What an agent must not change, by its path.
fn kept(place: Place<'_>) -> Vec<PathBuf> {
    let is_there = |path: &PathBuf| path.symlink_metadata().is_ok();
    // Every wall in a project has a mount on each of these: an agent could exchange one that its own wall lacks for a link just
    // while the wall of another is built.
    let named = FOLDERS.into_iter().chain(FILES.map(|(name, _)| name)).map(|name| place.root.join(name));
    let mut all: Vec<PathBuf> = named.filter(is_there).collect();
    all.extend(repository::hooks(place.root));
    all.extend(repository::bare(place.root));
    if !place.is_shared {
        all.extend(deep(place));
    }
    all.sort();
    all.dedup();
    let folders: Vec<PathBuf> = all.iter().filter(|path| path.is_dir()).cloned().collect();
    // What lies in a folder that is kept is kept with it.
    all.retain(|path| !folders.iter().any(|folder| path != folder && path.starts_with(folder)));
    all
}

/// What of that lies elsewhere in the project than in every wall.
pub(crate) fn deep(place: Place<'_>) -> Vec<PathBuf> {
    let pinned = place.pinned.iter().filter(|path| is_plain(Path::new(path)));
    let paths = pinned.map(|path| place.root.join(path)).filter(|path| path.symlink_metadata().is_ok());
    let is_named = |path: &PathBuf| {
        let first = path.strip_prefix(place.root).ok().and_then(|below| below.components().next());
        let first = first.and_then(|part| part.as_os_str().to_str());
        first.is_some_and(|first| FOLDERS.contains(&first) || FILES.iter().any(|(name, _)| *name == first))
    };
    paths.filter(|path| !is_named(path)).collect()
}

/// The folders between the root and what is kept deeper in it: as mounts of their own they cannot be moved away.
fn around(place: Place<'_>) -> Vec<PathBuf> {
    let deep = kept(place).into_iter().flat_map(|path| {
        let above = path.ancestors().skip(1).map(Path::to_owned).collect::<Vec<_>>();
        above.into_iter().take_while(|folder| folder != place.root && folder.starts_with(place.root))
    });
    let mut all: Vec<PathBuf> = deep.collect();
    all.sort();
    all.dedup();
    all
}

/// The wall around a command that is run again: a checkout that it may write, without the project and the network.
pub(crate) fn of_checkout(root: &Path, checkout: &Path, objects: &Path) -> Sandbox {
    let view = vec![
        View::Hidden(root.to_owned()),
        View::Readable(objects.to_owned()),
        View::Writable(checkout.to_owned()),
    ];
    let project = root.to_owned();
    Sandbox { need: Need::Required, has_network: false, project, view, held: Held::default() }
}

/// Why a path that is granted to an agent would break the wall.
pub(crate) fn too_wide(root: &Path, written: &str) -> Option<&'static str> {
    let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let path = match written.strip_prefix('~') {
        Some(below) => home.as_ref()?.join(below.trim_start_matches('/')),
        None => root.join(written),
    };
    let path = path.components().collect::<PathBuf>();
    if path.components().any(|part| part == Component::ParentDir) {
        return Some("`..` may lead anywhere");
    }
    let holds = |place: &Path| place.starts_with(&path);
    if home.as_deref().is_some_and(|home| holds(home) && !root.starts_with(&path) && home != root) {
        return Some("it holds the whole home folder, with keys and settings that name programs");
    }
    (holds(root) && path != root).then_some("it holds the whole project, with the ledger")
}

fn is_plain(path: &Path) -> bool {
    path.is_relative() && path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// A path as its owner wrote it: from the home folder with `~/`, else from the root. Nothing where it would lead upwards.
fn granted(root: &Path, written: &str) -> Option<PathBuf> {
    if too_wide(root, written).is_some() {
        return None;
    }
    let path = match written.strip_prefix('~') {
        // Where the home folder lies is not for agents to say, so that links on the way there are followed.
        Some(below) => {
            PathBuf::from(env::var_os("HOME")?).canonicalize().ok()?.join(below.trim_start_matches('/'))
        }
        None => root.join(written),
    };
    Some(path.components().filter(|part| *part != Component::CurDir).collect())
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
        assert_eq!(walled("{ courier: human, sandbox: required }"), Runs::Person(None));
        for (word, need) in [("required", Need::Required), ("when-available", Need::WhenAvailable)] {
            let runs = walled(&format!("{{ run: ./ada, sandbox: {word} }}"));
            assert_eq!(runs, Runs::Walled { need, grants: Box::default() });
        }
    }

    #[test]
    fn the_ledger_is_hidden_last_and_only_a_worktree_comes_behind_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        for name in ["baton.toml", "docs/prompts/critic.md", "flows/a.yaml"] {
            std::fs::create_dir_all(root.join(name).parent().expect("it has one")).expect("it can be made");
            std::fs::write(root.join(name), "").expect("it can be written");
        }
        let runs =
            walled("{ run: ./ada, sandbox: required, readable: [/opt/x], writable: [./out, ~, .., /] }");
        let pinned = ["flows/a.yaml", "docs/prompts/critic.md", "../x", "gone.md"].map(str::to_owned);
        let place = Place { root: &root, worktree: None, pinned: &pinned, is_shared: false };
        let view = runs.sandbox(place).expect("it is walled").view;
        assert_eq!(view.first(), Some(&View::Writable(root.clone())));
        assert_eq!(view.last(), Some(&View::Hidden(root.join(".baton"))));
        for shown in [
            View::Readable("/opt/x".into()),
            View::Writable(root.join("docs")),
            View::Writable(root.join("docs/prompts")),
            View::Kept(root.join("docs/prompts/critic.md")),
            View::Kept(root.join("baton.toml")),
            View::Kept(root.join("flows")),
        ] {
            assert!(view.contains(&shown), "{shown:?} in {view:?}");
        }
        let written = view
            .iter()
            .filter(|view| matches!(view, View::Writable(path) if !path.starts_with(&root)))
            .count();
        assert_eq!(written, 0, "{view:?}");
        assert_eq!(view.iter().filter(|view| matches!(view, View::Kept(_))).count(), 3, "{view:?}");
        let own = root.join(".baton/worktrees/run-1/ada");
        let place = Place { worktree: Some(&own), ..place };
        let view = runs.sandbox(place).expect("it is walled").view;
        assert_eq!(view.first(), Some(&View::Readable(root.clone())));
        let hidden = view.iter().position(|view| *view == View::Hidden(root.join(".baton")));
        assert_eq!(view.get(hidden.expect("it is") + 1), Some(&View::Writable(own)));
    }

    #[test]
    fn a_grant_that_holds_the_home_folder_or_the_project_is_too_wide() {
        let root = Path::new("/srv/project");
        for wide in ["~", "~/", "/", "/srv", "..", "a/../..", "~/../x"] {
            assert!(too_wide(root, wide).is_some(), "{wide}");
        }
        for good in ["out", ".", "./a/b", "~/.cache/pip", "/srv/data"] {
            assert_eq!(too_wide(root, good), None, "{good}");
        }
    }
}
