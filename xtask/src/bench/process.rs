//! Measures a program from outside: its time, and its peak of memory.
//!
//! Cannot: see memory that a process takes in the last fraction of a millisecond before it ends.

use std::fs;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

/// Interval at which a running process is inspected.
const LOOK: Duration = Duration::from_micros(200);

/// End of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    /// By itself, with this code.
    Code(i32),
    /// By a signal, as when memory is refused.
    Signal,
    /// By a time-out.
    Patience,
}

/// Measurements of a process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) seconds: f64,
    pub(super) peak_mib: f64,
    pub(super) end: End,
}

/// Runs a program to its end, or until our patience ends, and watches its memory.
pub(super) fn watch(command: &mut Command, patience: Duration) -> Result<Seen> {
    let start = Instant::now();
    let mut child = spawn(command)?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kib = 0;
    loop {
        if let Some(kib) = fs::read_to_string(&status).ok().as_deref().and_then(peak) {
            peak_kib = peak_kib.max(kib);
        }
        let ended = child.try_wait().context("failed to wait")?;
        let seconds = start.elapsed().as_secs_f64();
        let seen = |end| Seen { seconds, peak_mib: f64::from(peak_kib) / 1024.0, end };
        if let Some(ended) = ended {
            return Ok(seen(ended.code().map_or(End::Signal, End::Code)));
        }
        if start.elapsed() > patience {
            child.kill().context("failed to stop it")?;
            child.wait().context("failed to wait")?;
            return Ok(seen(End::Patience));
        }
        thread::sleep(LOOK);
    }
}

/// Runs a program to its end and gives the seconds it took; nothing looks at it meanwhile.
pub(super) fn seconds(command: &mut Command) -> Result<f64> {
    let start = Instant::now();
    let status = spawn(command)?.wait().context("failed to wait")?;
    let seconds = start.elapsed().as_secs_f64();
    // 1: there are findings, which is an answer too.
    ensure!(matches!(status.code(), Some(0 | 1)), "{} ended with {status}", command.get_program().display());
    Ok(seconds)
}

fn spawn(command: &mut Command) -> Result<Child> {
    command.spawn().with_context(|| format!("failed to start {}", command.get_program().display()))
}

/// The highest resident memory in KiB that a `/proc/…/status` tells of.
fn peak(status: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_and_its_absence_too() {
        assert_eq!(peak("Name:\tx\nVmPeak:\t  900 kB\nVmHWM:\t    5120 kB\nVmRSS:\t 80 kB\n"), Some(5120));
        assert_eq!(peak("Name:\tx\nState:\tZ (zombie)\n"), None);
    }

    #[test]
    fn a_program_is_seen_to_end_or_is_ended() -> Result<()> {
        let seen = watch(Command::new("sh").args(["-c", "exit 3"]), Duration::from_secs(60))?;
        assert_eq!(seen.end, End::Code(3));
        let seen = watch(Command::new("sleep").arg("600"), Duration::from_millis(1))?;
        assert_eq!(seen.end, End::Patience);
        assert!(seen.seconds < 60.0);
        Ok(())
    }
}
