//! Data of a process from `/proc`, where the system has one.

use std::fs;

use rustix::process::Pid;

/// A running process.
pub(crate) struct Process {
    /// Its parent, or the process that adopted it.
    pub(crate) parent: u32,
    /// Its process group.
    pub(crate) group: Option<Pid>,
    /// Its session: the number of the process that began it.
    pub(crate) session: u32,
    /// Start time in ticks; number and start time identify a process for good.
    pub(crate) born: String,
}

impl Process {
    /// The process with a number; `None` if it has ended.
    pub(crate) fn of(number: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        // The name in brackets may hold any character; state, parent, group and session follow, and 16 fields later the start.
        let fields = &stat[stat.rfind(')')? + 1..];
        let mut fields = fields.split_ascii_whitespace();
        let state = fields.next()?;
        if state == "Z" || state == "X" {
            return None;
        }
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok().and_then(Pid::from_raw);
        let session = fields.next()?.parse().ok()?;
        fields.nth(15).map(|born| Self { parent, group, session, born: born.to_owned() })
    }
}
