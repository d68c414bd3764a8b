//! The section about a hop: on a disk and in memory, beside a bare start and a raw commit.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use super::play::{self, STEPS};
use crate::bench::figures::{Figures, Limit, median};
use crate::bench::page::Page;
use crate::cargo;

/// Times that all are measured, one after the other.
const ROUNDS: usize = 5;

/// Hop on a disk, as a multiple of a hop in memory and a raw commit together.
const RATIO: Limit = Limit::AtMost(1.5);

/// A file system in memory.
const MEMORY: &str = "/dev/shm";

const DISK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");

/// Title of the section, by which it is found in the page.
pub(in crate::bench) const TITLE: &str = "A hop of the program";

/// Runs the flows and adds their section.
pub(in crate::bench) fn measure(_: &Path, page: &mut Page) -> Result<()> {
    page.section(
        TITLE,
        &format!(
            "`baton run` drives a flow of {STEPS} steps, whose agents are small C programs, in a project on a disk and in one in\n\
             memory. A hop is the time from the end of one program to the start of the next; a bare start is the same between\n\
             programs that a loop starts. A raw commit is one row in a new SQLite file on that disk, WAL and FULL. All are medians\n\
             over {ROUNDS} rounds in turn."
        ),
    );
    cargo::run("the program", &["build", "--release", "--package", "baton"])?;
    let program = crate::bench::program()?;
    let memory = Path::new(MEMORY);
    ensure!(memory.is_dir(), "a hop in memory is measured in {MEMORY}, which is missing");
    let disk = tempfile::tempdir_in(DISK).context("failed to make a folder on the disk")?;
    let memory = tempfile::tempdir_in(memory).context("failed to make a folder in memory")?;
    let agent = play::compile(disk.path())?;
    let mut commits = Vec::new();
    let (mut bare, mut on_disk, mut in_memory) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        commits.push(raw_commit(disk.path())?);
        on_disk.extend(play::flow(&program, &agent, disk.path())?);
        bare.extend(play::bare(&agent, disk.path())?);
        in_memory.extend(play::flow(&program, &agent, memory.path())?);
    }
    let millis = |nanos: &[f64]| median(nanos) / 1e6;
    let (commit, bare) = (millis(&commits), millis(&bare));
    let (on_disk, in_memory) = (millis(&on_disk), millis(&in_memory));
    let ratio = on_disk / (in_memory + commit);
    let holds = page.holds("a hop on a disk, times a hop in memory and a raw commit", ratio, RATIO);
    let row = |what: &str, ms: f64| vec![what.to_owned(), format!("{ms:.2}"), String::new(), String::new()];
    page.table(
        &["what", "ms", "limit", "holds"],
        &[
            row("bare start", bare),
            row("raw commit", commit),
            row("hop in memory", in_memory),
            row("hop on a disk", on_disk),
            vec![
                "hop on a disk, times a hop in memory and a raw commit".to_owned(),
                format!("{ratio:.2}"),
                RATIO.to_string(),
                holds,
            ],
        ],
    );
    Ok(())
}

/// Nanoseconds of a raw commit in a folder.
fn raw_commit(folder: &Path) -> Result<f64> {
    let folder = folder.to_str().context("the path of the folder is not UTF-8")?;
    let arguments = ["--profile", "release", "--package", "baton-ledger", "--bench", "commit", "--", folder];
    Figures::read(&cargo::output("raw commits", &[["bench"].as_slice(), &arguments].concat())?)?
        .nanos("raw commit")
}
