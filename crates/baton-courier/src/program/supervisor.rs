//! Supervises a program until it and its group have ended: writes its input, reads its output, and ends it in time.
//!
//! Invariant: one thread does all of it and blocks only in one poll of all pipes, so that a program that reads nothing, or
//! fills one pipe while another is read, blocks nothing.

use std::borrow::Cow;
use std::io::{self, ErrorKind, PipeReader, Read, Write as _};
use std::os::fd::AsFd;
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::{Limits, What};

use super::LineProtocol;
use super::attempt::{Attempt, Order, set_nonblocking};
use super::attempt_files::{AwaitedFile, Content};
use super::output_lines::OutputLines;
use super::process_group::ProcessGroup;
use super::program_end::{ProgramEnd, StopReason};

/// Peer of a program in a dialogue of lines: takes each line of output, and appends to the input.
pub(crate) trait LinePeer {
    /// Takes one line, without its line feed.
    fn hear(&mut self, line: &[u8], say: &mut Vec<u8>, tell: &mut dyn FnMut(What)) -> Next;

    /// Appends the last words to a program that must end early.
    fn farewell(&mut self, say: &mut Vec<u8>);
}

/// Step after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Read more lines.
    Listen,
    /// The dialogue is complete, and the program must end.
    HangUp,
}

/// Meaning of the standard output of a program.
pub(super) enum OutputMode<'a> {
    /// The answer.
    Answer,
    /// Progress.
    Chat,
    /// Lines of a dialogue; `closes` if its input ends after the first text.
    Lines { peer: &'a mut dyn LinePeer, closes: bool },
}

/// Time for which the pipes of an ended program are read while another process holds them open.
const LINGER: Duration = Duration::from_millis(500);

/// Time for a killed program to end; only the kernel can delay it.
const GONE_WITHIN: Duration = Duration::from_secs(10);

/// Interval at which a draft is read.
const DRAFT_EVERY: Duration = Duration::from_millis(250);

/// Size of all drafts of one attempt, as a multiple of the largest answer.
const DRAFTS_PER_ANSWER: usize = 4;

const BUFFER_BYTES: usize = 32 * 1024;

/// Size of a line beyond the answer in it.
const LINE_BYTES: usize = 64 * 1024;

/// A program with its pipes, and its output so far.
pub(super) struct Supervisor<'a, T> {
    group: ProcessGroup,
    attempt: &'a Attempt,
    wake: &'a PipeReader,
    input: Cow<'a, [u8]>,
    /// Bytes of the input that were written.
    fed: usize,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    limits: Limits,
    draft: Option<&'a mut AwaitedFile>,
    draft_bytes_left: usize,
    draft_at: Instant,
    tell: T,
    mode: OutputMode<'a>,
    /// The answer so far, or the start of a line.
    output: Vec<u8>,
    chat: OutputLines,
    errors: OutputLines,
    noise_bytes: usize,
    deadline: Instant,
    cut: Option<StopReason>,
    /// Time at which a program with a complete dialogue is asked to end, unless it does so by itself.
    ask_at: Option<Instant>,
    kill_at: Option<Instant>,
    killed_at: Option<Instant>,
    linger_until: Option<Instant>,
    has_swept: bool,
}

/// Inputs of a supervisor beside the program.
pub(super) struct Supervision<'a, T> {
    pub(super) attempt: &'a Attempt,
    pub(super) wake: &'a PipeReader,
    pub(super) input: Cow<'a, [u8]>,
    pub(super) mode: OutputMode<'a>,
    pub(super) protocol: LineProtocol,
    pub(super) limits: Limits,
    pub(super) draft: Option<&'a mut AwaitedFile>,
    pub(super) tell: T,
}

impl<'a, T: FnMut(What)> Supervisor<'a, T> {
    /// Supervises a program that was just started.
    pub(super) fn over(mut group: ProcessGroup, task: Supervision<'a, T>) -> io::Result<Self> {
        let (stdin, stdout, stderr) = (group.stdin(), group.stdout(), group.stderr());
        let fds = [stdin.as_ref().map(AsFd::as_fd), stdout.as_ref().map(AsFd::as_fd)];
        let fds = fds.into_iter().chain([stderr.as_ref().map(AsFd::as_fd), Some(task.wake.as_fd())]);
        if let Err(error) = fds.flatten().try_for_each(set_nonblocking) {
            group.kill();
            // It was killed above; its status says nothing more.
            let _ = group.reap();
            return Err(error);
        }
        let now = Instant::now();
        Ok(Self {
            group,
            attempt: task.attempt,
            wake: task.wake,
            input: task.input,
            fed: 0,
            stdin,
            stdout,
            stderr,
            limits: task.limits,
            draft: task.draft,
            draft_bytes_left: task.limits.answer_bytes_max.saturating_mul(DRAFTS_PER_ANSWER),
            draft_at: now,
            tell: task.tell,
            mode: task.mode,
            output: Vec::new(),
            chat: OutputLines::new(task.protocol),
            errors: OutputLines::new(task.protocol),
            noise_bytes: 0,
            deadline: far(now, task.limits.time_max),
            cut: None,
            ask_at: None,
            kill_at: None,
            killed_at: None,
            linger_until: None,
            has_swept: false,
        })
    }

    /// Runs until the program and its group have ended.
    pub(super) fn run(mut self) -> io::Result<ProgramEnd> {
        let mut buffer = vec![0; BUFFER_BYTES];
        let is_gone = loop {
            let now = Instant::now();
            self.end_what_must_end(now);
            if self.is_over(now) {
                break self.group.has_ended();
            }
            self.look_at_draft(now);
            if let Err(error) = self.listen(now, &mut buffer) {
                // Without its output there is nothing to wait for.
                self.group.kill();
                self.group.reap()?;
                return Err(error);
            }
        };
        if let OutputMode::Lines { peer, .. } = &mut self.mode
            && self.cut.is_none()
            && !self.output.is_empty()
        {
            // The end of the program completes a last line without a line feed.
            let line = std::mem::take(&mut self.output);
            peer.hear(&line, &mut Vec::new(), &mut self.tell);
        }
        self.errors.end(&mut self.tell);
        self.chat.end(&mut self.tell);
        self.draft_at = Instant::now();
        self.look_at_draft(self.draft_at);
        let mut last_words = self.errors.into_tail();
        if last_words.trim_ascii().is_empty() {
            last_words = self.chat.into_tail();
        }
        let status = if is_gone { Some(self.group.reap()?) } else { None };
        Ok(ProgramEnd { status, cut: self.cut, output: self.output, last_words })
    }

    /// Ends the program if it must end.
    fn end_what_must_end(&mut self, now: Instant) {
        let order = self.attempt.order();
        if self.cut.is_none() {
            let runs = !self.group.has_ended();
            self.cut = match order {
                Order::Stop | Order::Kill if runs => Some(StopReason::Stopped),
                // Output counts even if the program ended in the same moment.
                _ if self.output.len() > self.output_bytes_max() => Some(StopReason::AnswerTooLong),
                _ if self.noise_bytes > self.limits.noise_bytes_max => Some(StopReason::TooLoud),
                Order::GoOn if runs && now >= self.deadline => Some(StopReason::TimeUp),
                Order::GoOn | Order::Stop | Order::Kill => None,
            };
            match self.cut {
                Some(StopReason::Stopped | StopReason::TimeUp) => {
                    if let OutputMode::Lines { peer, closes: false } = &mut self.mode {
                        peer.farewell(self.input.to_mut());
                        self.feed_stdin();
                        self.stdin = None;
                    }
                    self.group.ask_to_end();
                    self.kill_at = Some(far(now, self.limits.grace));
                }
                Some(StopReason::Done) => {}
                // One that floods is not fed time to go on with it.
                Some(StopReason::AnswerTooLong | StopReason::TooLoud) => self.kill_at = Some(now),
                None => {}
            }
        }
        if self.ask_at.take_if(|at| now >= *at).is_some() && !self.group.has_ended() {
            self.group.ask_to_end();
        }
        if order == Order::Kill {
            self.kill_at = Some(now);
            self.linger_until = self.linger_until.map(|_| now);
        }
        if self.killed_at.is_none() && self.kill_at.is_some_and(|at| now >= at) {
            self.group.kill();
            self.killed_at = Some(now);
        }
    }

    /// Tells whether all has ended, and kills the rest of the group.
    fn is_over(&mut self, now: Instant) -> bool {
        if !self.group.has_ended() {
            return self.killed_at.is_some_and(|at| now >= at + GONE_WITHIN);
        }
        let is_quiet = self.stdout.is_none() && self.stderr.is_none();
        let until = *self.linger_until.get_or_insert(now + LINGER);
        if !is_quiet && now < until {
            return false;
        }
        if !self.has_swept {
            self.has_swept = true;
            self.group.kill();
            // Earlier output of the group is still in the pipes.
            self.linger_until = Some(now + LINGER);
            return is_quiet;
        }
        true
    }

    fn look_at_draft(&mut self, now: Instant) {
        let Some(draft) = &mut self.draft else { return };
        if now < self.draft_at {
            return;
        }
        self.draft_at = now + DRAFT_EVERY;
        let bytes_max = self.limits.answer_bytes_max.min(self.draft_bytes_left);
        // An unreadable draft is none yet.
        if let Ok(Some(Content::All(bytes))) = draft.news(bytes_max)
            && !bytes.is_empty()
        {
            self.draft_bytes_left -= bytes.len();
            (self.tell)(What::Draft(bytes));
        }
    }

    /// Waits for an event or the next due time, and handles it.
    fn listen(&mut self, now: Instant, buffer: &mut [u8]) -> io::Result<()> {
        let timeout = self.next_due().map(|due| due.saturating_duration_since(now));
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let mut fds = vec![PollFd::new(self.wake, PollFlags::IN)];
        fds.extend(self.stdout.iter().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        fds.extend(self.stderr.iter().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        let speaks =
            self.fed < self.input.len() || !matches!(self.mode, OutputMode::Lines { closes: false, .. });
        fds.extend(self.stdin.iter().filter(|_| speaks).map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        drop(fds);
        // None of them blocks, so all are tried.
        while matches!((&mut &*self.wake).read(buffer), Ok(1..)) {}
        self.take_stdout(buffer);
        self.take_stderr(buffer);
        self.feed_stdin();
        Ok(())
    }

    fn take_stdout(&mut self, buffer: &mut [u8]) {
        let bytes_max = self.output_bytes_max();
        let bytes = take(&mut self.stdout, buffer);
        if bytes.is_empty() {
            return;
        }
        match &mut self.mode {
            OutputMode::Answer => {
                keep_answer(&mut self.output, bytes, bytes_max);
                self.chat.overhear(bytes);
            }
            OutputMode::Chat => {
                self.noise_bytes = self.noise_bytes.saturating_add(bytes.len());
                self.chat.hear(bytes, &mut self.tell);
            }
            OutputMode::Lines { peer, .. } => {
                self.chat.overhear(bytes);
                self.noise_bytes = self.noise_bytes.saturating_add(bytes.len());
                let mut lines = bytes.split(|&byte| byte == b'\n');
                let last = lines.next_back().unwrap_or_default();
                for part in lines {
                    keep_answer(&mut self.output, part, bytes_max);
                    if self.cut.is_some() || self.output.len() > bytes_max {
                        return;
                    }
                    let line = std::mem::take(&mut self.output);
                    if peer.hear(&line, self.input.to_mut(), &mut self.tell) == Next::HangUp {
                        self.cut = Some(StopReason::Done);
                        self.feed_stdin();
                        self.stdin = None;
                        // The rest of the session that it still saves is needed to resume it.
                        let ask_at = far(Instant::now(), self.limits.grace);
                        self.ask_at = Some(ask_at);
                        self.kill_at = Some(far(ask_at, self.limits.grace));
                        return;
                    }
                }
                keep_answer(&mut self.output, last, bytes_max);
            }
        }
    }

    /// Size limit of the answer, or of a line: one with an answer holds more, as JSON.
    fn output_bytes_max(&self) -> usize {
        let bytes_max = self.limits.answer_bytes_max;
        match self.mode {
            OutputMode::Answer | OutputMode::Chat => bytes_max,
            OutputMode::Lines { .. } => bytes_max.saturating_mul(2).saturating_add(LINE_BYTES),
        }
    }

    fn take_stderr(&mut self, buffer: &mut [u8]) {
        let bytes = take(&mut self.stderr, buffer);
        self.noise_bytes = self.noise_bytes.saturating_add(bytes.len());
        self.errors.hear(bytes, &mut self.tell);
    }

    fn feed_stdin(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        let closes = !matches!(self.mode, OutputMode::Lines { closes: false, .. });
        if self.fed == self.input.len() && !closes {
            return;
        }
        let is_fed = match stdin.write(&self.input[self.fed..]) {
            Ok(written) => {
                self.fed += written;
                if self.fed == self.input.len() && !closes {
                    // Written input is not kept for the rest of the dialogue.
                    self.input = Cow::Borrowed(&[]);
                    self.fed = 0;
                }
                self.fed == self.input.len() && closes
            }
            // A program need not read what it is fed; one that closed its input has heard enough.
            Err(error) => !may_go_on(&error),
        };
        if is_fed {
            self.stdin = None;
        }
    }

    fn next_due(&self) -> Option<Instant> {
        let running = !self.group.has_ended();
        let deadline = (running && self.cut.is_none()).then_some(self.deadline);
        let kill = self.kill_at.filter(|_| self.killed_at.is_none());
        let gone = self.killed_at.filter(|_| running).map(|at| at + GONE_WITHIN);
        let draft = self.draft.is_some().then_some(self.draft_at);
        [deadline, self.ask_at, kill, gone, draft, self.linger_until].into_iter().flatten().min()
    }
}

/// Bytes that are in a pipe now; an ended pipe is closed.
fn take<'b, P: Read>(pipe: &mut Option<P>, buffer: &'b mut [u8]) -> &'b [u8] {
    let Some(open) = pipe else { return &[] };
    match open.read(buffer) {
        Ok(0) => *pipe = None,
        Ok(bytes) => return &buffer[..bytes],
        Err(error) if may_go_on(&error) => {}
        Err(_) => *pipe = None,
    }
    &[]
}

fn may_go_on(error: &io::Error) -> bool {
    [ErrorKind::WouldBlock, ErrorKind::Interrupted].contains(&error.kind())
}

/// Appends up to one byte more than an answer may have, which tells that there was more.
fn keep_answer(output: &mut Vec<u8>, bytes: &[u8], bytes_max: usize) {
    let room = bytes_max.saturating_add(1).saturating_sub(output.len());
    output.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

/// A moment after another, or as far in the future as the clock goes.
fn far(from: Instant, by: Duration) -> Instant {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    from.checked_add(by).unwrap_or_else(|| from + YEAR)
}
