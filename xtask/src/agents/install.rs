//! Installs agents with npm, from its configured registry, once for each version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::cast::{Agent, Source};

/// Lock file of the agents of CI.
const PINNED: [(&str, &str); 2] = [
    ("package.json", include_str!("../../agents/package.json")),
    ("package-lock.json", include_str!("../../agents/package-lock.json")),
];

/// Scripts that fetch or unpack a program; no other script of a package is run.
const SCRIPTS: [&str; 1] = ["node_modules/@anthropic-ai/claude-code/install.cjs"];

/// Installs an agent below a folder unless it is there, and gives its program.
pub(super) fn install(agent: &Agent, folder: &Path) -> Result<PathBuf> {
    let (folder, stamp) = match agent.source {
        Source::Lock => (folder.join("locked"), PINNED[1].1),
        Source::Package => (folder.join(agent.name), agent.package),
    };
    let stamped = folder.join("installed");
    if fs::read_to_string(&stamped).is_ok_and(|text| text == stamp) {
        return Ok(folder.join("node_modules").join(agent.program));
    }
    fs::create_dir_all(&folder).with_context(|| format!("failed to make {}", folder.display()))?;
    match agent.source {
        Source::Lock => {
            for (name, text) in PINNED {
                fs::write(folder.join(name), text)
                    .with_context(|| format!("failed to write {name} of the agents"))?;
            }
            npm(&["ci"], &folder)?;
        }
        Source::Package => {
            fs::write(folder.join("package.json"), "{ \"private\": true }\n")
                .context("failed to write package.json of the agent")?;
            let mut words = vec!["install", agent.package];
            words.extend(agent.beside);
            npm(&words, &folder)?;
        }
    }
    for script in SCRIPTS.map(|script| folder.join(script)) {
        if script.exists() {
            let status = Command::new("node")
                .arg(&script)
                .current_dir(script.parent().unwrap_or(&folder))
                .status()
                .context("failed to start node")?;
            if !status.success() {
                bail!("{} ended with {status}", script.display());
            }
        }
    }
    let program = folder.join("node_modules").join(agent.program);
    if !program.exists() {
        bail!("its package has no {}", agent.program);
    }
    fs::write(stamped, stamp).context("failed to note what was installed")?;
    Ok(program)
}

fn npm(words: &[&str], folder: &Path) -> Result<()> {
    println!("== npm {} in {}", words.join(" "), folder.display());
    let status = Command::new("npm")
        .args(words)
        .args([
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--loglevel=error",
            "--fetch-retries=2",
            "--fetch-timeout=60000",
        ])
        .arg("--prefix")
        .arg(folder)
        .status()
        .context("failed to start npm: Node.js 20 or newer with npm is needed to play with real agents")?;
    if !status.success() {
        bail!(
            "npm ended with {status}, for the reason above; the registry that npm is set to must be reachable \
             (`npm ping` tells), and nothing else of the network is needed"
        );
    }
    Ok(())
}
