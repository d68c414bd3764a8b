//! What the system says about a process, where it has a `/proc`.

use std::fs;

use rustix::process::Pid;

/// What is known of a process that runs.
pub(crate) struct Process {
    /// The process that started it, or that has taken it over.
    pub(crate) parent: u32,
    /// The group that it is in.
    pub(crate) group: Option<Pid>,
    /// The number of the session that it is in: that of the process which began the session.
    pub(crate) session: u32,
    /// When it began, in ticks: with its number this names it for good.
    pub(crate) born: String,
}

impl Process {
    /// The process of a number; nothing if it is gone, or only waits to be reaped.
    pub(crate) fn of(number: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        // The name stands in brackets and may hold any sign; behind it come the state, the parent, the group and the session,
        // and 16 fields after that the start.
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
