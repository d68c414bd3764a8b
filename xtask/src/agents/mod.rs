//! `cargo xtask agents [NAME…]`: flows across real coding agents, with a scripted model on loopback and no real key.
//!
//! Each agent plays a flow alone, and all that were named play one together. They are installed from npm into
//! `target/agents`; `ready` plays with those of the lock file.

mod cast;
mod install;
mod model;
mod play;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::{Task, cargo};
use cast::{AGENTS, Agent, Source};
use model::Model;
use play::Player;

pub(crate) const TASK: Task = Task {
    name: "agents",
    arguments: "[NAME…]",
    does: "runs flows across real agents, with a scripted model",
    run,
};

fn run(arguments: &[String]) -> Result<()> {
    let unknown = arguments.iter().find(|name| AGENTS.iter().all(|agent| agent.name != name.as_str()));
    if let Some(unknown) = unknown {
        let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
        bail!("there is no agent {unknown:?}; there are {}", names.join(", "));
    }
    play_with(|agent| arguments.is_empty() || arguments.iter().any(|name| name == agent.name))
}

/// Plays with the agents of the lock file.
pub(crate) fn run_locked() -> Result<()> {
    play_with(|agent| agent.source == Source::Lock)
}

fn play_with(is_wanted: impl Fn(&Agent) -> bool) -> Result<()> {
    cargo::run("agents", &["build", "--package", "baton"])?;
    let target = target()?;
    let baton = target.join("debug/baton");
    let mut players = Vec::new();
    for agent in AGENTS.iter().filter(|agent| is_wanted(agent)) {
        let program = install::install(agent, &target.join("agents"))
            .with_context(|| format!("{} could not be installed", agent.package))?;
        players.push(Player { agent, program });
    }
    let mut casts: Vec<&[Player]> = players.chunks(1).collect();
    if players.len() > 1 {
        casts.push(&players);
    }
    let mut failed = Vec::new();
    for cast in casts {
        let names: Vec<&str> = cast.iter().map(|player| player.agent.name).collect();
        let names = names.join(", ");
        match play::play(cast, &baton) {
            Ok(told) => println!("{names}: {told}"),
            Err(error) => {
                println!("{names}: FAILED: {error:#}");
                failed.push(names);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("these did not come through: {}", failed.join("; ")) }
}

/// An agent, installed, with a model that plays; what is measured runs there.
pub(crate) struct Stage {
    pub(crate) program: PathBuf,
    pub(crate) variables: Vec<(String, String)>,
    _model: Model,
}

impl Stage {
    /// Claude Code with this home.
    pub(crate) fn of_claude(home: &Path) -> Result<Self> {
        let agent = AGENTS.iter().find(|agent| agent.name == "claude").context("there is a Claude Code")?;
        let program = install::install(agent, &target()?.join("agents"))?;
        let model = Model::start()?;
        let filled = |value: &str| value.replace("{url}", &model.url());
        let home = ("HOME".to_owned(), home.display().to_string());
        let named = agent.variables.iter().map(|(name, value)| ((*name).to_owned(), filled(value)));
        let variables = named.chain(std::iter::once(home)).collect();
        Ok(Self { program, variables, _model: model })
    }
}

/// The folder that cargo builds in.
fn target() -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    target.canonicalize().context("failed to find the target folder")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

    fn version(agent: &Agent) -> Result<(&str, &str)> {
        agent.package.rsplit_once('@').context("a package has a version")
    }

    #[test]
    fn the_lock_file_pins_what_ci_plays_with_and_names_no_registry() -> Result<()> {
        let read = |name: &str| fs::read_to_string(format!("{ROOT}/xtask/agents/{name}"));
        let (wanted, lock) = (read("package.json")?, read("package-lock.json")?);
        for agent in AGENTS.iter().filter(|agent| agent.source == Source::Lock) {
            let (name, version) = version(agent)?;
            assert!(wanted.contains(&format!("\"{name}\": \"{version}\"")), "{name}");
            assert!(lock.contains(&format!("\"{name}\": \"{version}\"")), "{name}");
        }
        assert!(!lock.contains("\"resolved\"") && !lock.contains("://"));
        Ok(())
    }

    #[test]
    fn the_page_of_agents_says_which_versions_were_tried() -> Result<()> {
        let page = fs::read_to_string(format!("{ROOT}/docs/agents.md"))?;
        for agent in AGENTS {
            let (_, version) = version(agent)?;
            assert!(page.contains(&format!("| {version} | `{}` |", agent.courier)), "{}", agent.name);
        }
        Ok(())
    }
}
