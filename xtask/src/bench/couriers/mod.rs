//! Overhead of a delivery beside the agent itself: a program, Claude Code, and two hundred programs at once.
//!
//! Agents are started through a stand-in, this program itself, which notes when it began and ended. Bare starts go through
//! it too, so that it is in both figures.

mod at_once;
mod claude;
mod programs;
pub(super) mod stand_in;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::figures::{Limit, median};
use super::page::Page;
use crate::cargo;

/// The title of the section, by which it is found in the page.
pub(super) const TITLE: &str = "Couriers";

const OVERHEAD_MS: Limit = Limit::AtMost(10.0);

/// For each delivery, the milliseconds in which no agent ran.
#[derive(Default)]
struct Idle {
    bare: Vec<f64>,
    through: Vec<f64>,
}

/// Runs the agents and adds their section.
pub(super) fn measure(_: &Path, page: &mut Page) -> Result<()> {
    cargo::run("the program", &["build", "--release", "--package", "baton"])?;
    let baton = super::program()?;
    page.section(
        TITLE,
        "What Baton takes for a delivery is the time in which no agent runs: from the end of one to the start of the next and, for\n\
         an agent that works in a session, from the end of its work to the start of its handoff as well. Beside it stands the same\n\
         in a loop that starts the same commands bare. The two take turns, and the figures are medians over all turns.",
    );
    let mut rows = Vec::new();
    let (work, turns) = claude::measure(&baton)?;
    for (what, idle) in [("a program", programs::measure(&baton)?), ("Claude Code, two turns", work)] {
        let (bare, through) = (median(&idle.bare), median(&idle.through));
        let holds = page.holds(&format!("{what}, ms over bare starts"), through - bare, OVERHEAD_MS);
        rows.push(vec![
            what.to_owned(),
            idle.through.len().to_string(),
            format!("{bare:.2}"),
            format!("{through:.2}"),
            format!("{:.2}", through - bare),
            OVERHEAD_MS.to_string(),
            holds,
        ]);
    }
    page.table(
        &["agent", "deliveries", "bare, ms", "through Baton, ms", "over bare, ms", "limit, ms", "holds"],
        &rows,
    );
    page.words(&turns);
    at_once::measure(&baton, page)
}

/// A folder for a project with one flow.
fn project() -> Result<tempfile::TempDir> {
    // In the target folder, so that its disk is that of the other figures.
    let target = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");
    fs::create_dir_all(target).context("failed to make the target folder")?;
    let place = tempfile::tempdir_in(target).context("failed to make a folder in target")?;
    fs::create_dir_all(place.path().join("flows"))?;
    // It makes the folder the root of a project.
    fs::write(place.path().join("baton.toml"), "")?;
    Ok(place)
}

/// Runs the flow of a project to its end.
fn run(baton: &Path, root: &Path, name: &str, variables: &[(String, String)]) -> Result<()> {
    let output = Command::new(baton)
        .args(["run", "bench", "--no-wait", "--name", name])
        .current_dir(root)
        .envs(variables.iter().cloned())
        .stdin(Stdio::null())
        .output()
        .context("failed to start baton")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let ending = format!("ends {name}: done");
    ensure!(said.contains(&ending), "{said}{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
