//! Two hundred programs at once: each answers when all are there.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::{project, stand_in};
use crate::bench::page::Page;

const AGENTS: usize = 200;

/// Interval at which Baton is inspected.
const LOOK: Duration = Duration::from_millis(20);

pub(super) fn measure(baton: &Path, page: &mut Page) -> Result<()> {
    let place = project()?;
    let (bare, through) = (place.path().join("bare"), place.path().join("through"));
    let count = AGENTS.to_string();
    let words = stand_in::words(&["--gather", &through.display().to_string(), &count])?;
    let names: Vec<String> = (0..AGENTS).map(|number| format!("s{number}")).collect();
    let steps: String = names.iter().map(|name| format!("  - {name}: ada\n")).collect();
    let flow = format!(
        "flow: bench\nagents:\n  ada: {{ dialect: envelope, run: {words:?}, restart: safe }}\ncaps: {{ handoffs: 1000, pair: 1000 }}\nsteps:\n  - all: {{ parallel: [{}] }}\n{steps}",
        names.join(", ")
    );
    fs::write(place.path().join("flows/bench.yaml"), flow)?;

    let words = stand_in::words(&["--gather", &bare.display().to_string(), &count])?;
    let begun = Instant::now();
    let start = |_| {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null());
        command.spawn().context("failed to start an agent")
    };
    let children: Vec<Child> = (0..AGENTS).map(start).collect::<Result<_>>()?;
    for mut child in children {
        ensure!(child.wait()?.success(), "a bare agent failed");
    }
    let bare = begun.elapsed();

    let begun = Instant::now();
    let mut driver = Command::new(baton)
        .args(["run", "bench", "--no-wait", "--name", "all"])
        .current_dir(place.path())
        .stdin(Stdio::null())
        .stdout(fs::File::create(place.path().join("said")).context("failed to make a file")?)
        .spawn()
        .context("failed to start baton")?;
    let own = format!("/proc/{}", driver.id());
    let (mut kib, mut handles, mut threads) = (0, 0, 0);
    while driver.try_wait()?.is_none() {
        let status = fs::read_to_string(format!("{own}/status")).unwrap_or_default();
        let line = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
        let number =
            |line: Option<&str>| line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kib = kib.max(number(line("VmHWM:")).unwrap_or(0));
        threads = threads.max(number(line("Threads:")).unwrap_or(0));
        handles = handles.max(fs::read_dir(format!("{own}/fd")).map_or(0, Iterator::count));
        thread::sleep(LOOK);
    }
    let took = begun.elapsed();
    let said = fs::read_to_string(place.path().join("said")).context("failed to read what baton said")?;
    let answers = said.lines().filter(|line| line.contains(" answers ")).count();
    ensure!(said.contains("ends all: done") && answers == AGENTS, "{answers} of {AGENTS} answered:\n{said}");
    page.words(&format!(
        "{AGENTS} programs at once on two cores, each of which answers only when all are there: none is lost. From the first start\n\
         to the last end it takes {:.1} s through Baton and {:.1} s bare. Baton has at most {:.0} MiB of memory, {handles} file\n\
         handles and {threads} threads.",
        took.as_secs_f64(),
        bare.as_secs_f64(),
        kib as f64 / 1024.0
    ));
    Ok(())
}
