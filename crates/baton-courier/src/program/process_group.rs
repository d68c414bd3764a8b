//! A program with all its processes, ended together.
//!
//! Invariant: the leader is reaped after the group was killed. Until then its number is not reused, so that a signal never
//! reaches another process.

use std::io;
use std::process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

#[cfg(target_os = "linux")]
use crate::process::Process;

use super::attempt::Attempt;
use super::command_line::CommandLine;

/// Stack of the thread that waits for a program; it calls one function.
const STACK_BYTES: usize = 64 * 1024;

/// A started program and its group.
pub(super) struct ProcessGroup {
    child: Box<dyn ChildWrapper>,
    leader: Pid,
    /// Tells whether the leader is the process of the sandbox.
    is_walled: bool,
    has_ended: Arc<AtomicBool>,
}

impl ProcessGroup {
    /// Starts a command in a session without a terminal; the delivery is woken when the program has ended.
    pub(super) fn start(line: CommandLine, attempt: &Arc<Attempt>) -> io::Result<Self> {
        let CommandLine { command, is_walled, left_out: _ } = line;
        let mut command = CommandWrap::from(command);
        // The wrapper waits for the whole group, which a surviving process would make endless.
        let child = command.wrap(ProcessSession).spawn()?.into_inner();
        let leader = i32::try_from(child.id())
            .ok()
            .and_then(Pid::from_raw)
            .ok_or_else(|| io::Error::other("the program has no number"))?;
        attempt.note(child.id());
        let mut group = Self { child, leader, is_walled, has_ended: Arc::new(AtomicBool::new(false)) };
        let (has_ended, attempt) = (Arc::clone(&group.has_ended), Arc::clone(attempt));
        let watched =
            thread::Builder::new().name("baton-wait".to_owned()).stack_size(STACK_BYTES).spawn(move || {
                wait(leader);
                has_ended.store(true, Ordering::Release);
                attempt.wake();
            });
        if let Err(error) = watched {
            group.kill();
            // It was killed above, and has no other waiter.
            let _ = group.child.wait();
            return Err(error);
        }
        Ok(group)
    }

    /// The number of the program, which is that of its group too.
    pub(super) fn number(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin().take()
    }

    pub(super) fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout().take()
    }

    pub(super) fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr().take()
    }

    /// Tells whether the program itself has ended; others of its group may go on.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// Asks all of the group to end.
    pub(super) fn ask_to_end(&self) {
        if self.is_walled {
            // The end of the sandbox kills all in it at once; so its processes are asked, and it ends with them.
            ask_others(self.leader);
        } else {
            self.signal(Signal::TERM);
        }
        // One that is stopped mode nothing until it goes on.
        self.signal(Signal::CONT);
    }

    /// Ends all of the group.
    pub(super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Exit status of the program. Program and group must have ended.
    pub(super) fn reap(mut self) -> io::Result<ExitStatus> {
        self.child.wait()
    }

    fn signal(&self, signal: Signal) {
        // An empty group needs no signal.
        let _ = kill_process_group(self.leader, signal);
    }
}

/// Asks the processes of a group beside its leader to end.
///
/// Each is held by a descriptor, so that its number cannot come to mean another one between the look and the signal.
#[cfg(target_os = "linux")]
fn ask_others(leader: Pid) {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};

    let numbers = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    for number in numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok()) {
        let Some(process) = i32::try_from(number).ok().and_then(Pid::from_raw) else { continue };
        let Ok(held) = pidfd_open(process, PidfdFlags::empty()) else { continue };
        let is_ours = Process::of(number).is_some_and(|other| other.group == Some(leader));
        if is_ours && process != leader {
            // An ended process needs no signal.
            let _ = pidfd_send_signal(held, Signal::TERM);
        }
    }
}

/// There is no sandbox here.
#[cfg(not(target_os = "linux"))]
fn ask_others(_: Pid) {}

/// Waits for the end of a program without reaping it.
fn wait(leader: Pid) {
    while let Err(Errno::INTR) = waitid(WaitId::Pid(leader), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {}
}
