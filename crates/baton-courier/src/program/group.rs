//! A program with all the processes it starts, as one thing that can be ended.
//!
//! Invariant: the leader is not reaped before the group was ended. Until then its number cannot belong to anybody
//! else, so that a signal never reaches a stranger.

use std::io;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// The stack of the thread that waits for a program; it calls one function.
const STACK_BYTES: usize = 64 * 1024;

/// A started program and its group.
pub(super) struct Group {
    child: Box<dyn ChildWrapper>,
    leader: Pid,
    has_ended: Arc<AtomicBool>,
}

impl Group {
    /// Starts a command in a session without a terminal; `wake` is called when the program has ended.
    pub(super) fn start(command: Command, wake: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let mut command = CommandWrap::from(command);
        // Its own child waits for the whole group, which a process that goes on would make us do forever.
        let child = command.wrap(ProcessSession).spawn()?.into_inner();
        let leader = i32::try_from(child.id())
            .ok()
            .and_then(Pid::from_raw)
            .ok_or_else(|| io::Error::other("the program has no number"))?;
        let mut group = Self { child, leader, has_ended: Arc::new(AtomicBool::new(false)) };
        let has_ended = Arc::clone(&group.has_ended);
        let watched =
            thread::Builder::new().name("baton-wait".to_owned()).stack_size(STACK_BYTES).spawn(move || {
                wait(leader);
                has_ended.store(true, Ordering::Release);
                wake();
            });
        if let Err(error) = watched {
            group.kill();
            // It was killed just now and nobody else waits for it.
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
        self.signal(Signal::TERM);
        // One that is stopped hears nothing until it goes on.
        self.signal(Signal::CONT);
    }

    /// Ends all of the group.
    pub(super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// How the program ended. It must have ended, and the group must have been ended too.
    pub(super) fn reap(mut self) -> io::Result<ExitStatus> {
        self.child.wait()
    }

    fn signal(&self, signal: Signal) {
        // A group of which nobody is left needs no signal.
        let _ = kill_process_group(self.leader, signal);
    }
}

/// Waits for the end of a program without reaping it.
fn wait(leader: Pid) {
    while let Err(Errno::INTR) = waitid(WaitId::Pid(leader), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {}
}
