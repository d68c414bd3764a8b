//! The walls around agents that are at work: places that are kept from them, and whether what they must not change is as it was.

use std::any::Any;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use baton_courier::sandbox::Held;

use super::Engine;
use crate::files::private;
use crate::files::private::FOLDER;
use crate::history::views;
use crate::run::Run;
use crate::sandbox::{Guards, Place, Seal, deep, guard, works};

/// Other runs that are looked at.
const OTHERS_MAX: usize = 2;

/// What stands around agents.
#[derive(Default)]
pub(super) struct Walls {
    /// The places that are taken, and why some are not.
    guards: Option<(Option<Arc<Guards>>, Vec<String>)>,
    /// What agents that are at work must not change, by their deliveries.
    seals: BTreeMap<baton_courier::Key, Seal>,
}

/// How long a driver that ends waits for programs behind a wall, such as notifiers, before it leaves their placeholders.
const LAST_TIME_MAX: Duration = Duration::from_secs(5);

impl Drop for Walls {
    fn drop(&mut self) {
        let Some((Some(guards), _)) = &self.guards else { return };
        let start = Instant::now();
        while Arc::strong_count(guards) > 1 && start.elapsed() < LAST_TIME_MAX {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Walls {
    /// Why agents could make what they must not.
    pub(super) fn unguarded(&self) -> &[String] {
        self.guards.as_ref().map_or(&[], |(_, unguarded)| unguarded)
    }

    /// What a program behind a wall holds, so that the places are taken until the last one has ended.
    pub(super) fn held(&self) -> Held {
        Held(self.guards().map(|guards| guards as Arc<dyn Any + Send + Sync>))
    }

    fn guard(&mut self, root: &Path) {
        if self.guards.is_some() || !works() {
            return;
        }
        // Where nothing is remembered on disk there may be no folder yet.
        let _ = private::folder(&root.join(FOLDER));
        self.guards = Some(match Guards::open(root) {
            Ok(guards) => {
                let unguarded = guard(&guards, root);
                (Some(Arc::new(guards)), unguarded)
            }
            Err(error) => (None, vec![format!("nothing can be protected that does not exist: {error}")]),
        });
    }
}

impl Walls {
    /// Remembers what an agent that starts must not change.
    pub(super) fn seal(&mut self, key: &baton_courier::Key, seal: Seal) {
        self.seals.insert(key.clone(), seal);
    }

    /// What an agent must not have changed, for whoever looks.
    pub(super) fn unseal(&mut self, key: &baton_courier::Key) -> Option<Seal> {
        self.seals.remove(key)
    }

    /// The places that are taken.
    pub(super) fn guards(&self) -> Option<Arc<Guards>> {
        self.guards.as_ref().and_then(|(guards, _)| guards.clone())
    }
}

impl Engine<'_> {
    /// Whether agents of other runs may be at work in the project, whose walls lack what the wall of this run has deep in it.
    pub(super) fn is_shared(&self, run: &str) -> bool {
        let Some(pinned) = self.runs.get(run).map(Run::pinned) else { return false };
        let place = Place { root: &self.settings.root, worktree: None, pinned, is_shared: false };
        if deep(place).is_empty() {
            return false;
        }
        let others = views::runs(self.ledger, &["working"], None, OTHERS_MAX);
        // What is not known is taken for shared.
        others.map_or(true, |others| others.iter().any(|other| other.stream != run))
    }

    /// Takes the places that agents must not make, before any of them starts.
    pub(super) fn guard(&mut self, run: &str) {
        let is_walled = |run: &Run| run.environment.agents.all().any(|(_, setup)| setup.runs.is_walled());
        if self.runs.get(run).is_some_and(is_walled) {
            self.walls.guard(&self.settings.root);
        }
    }
}
