//! Stands by a program until it and its group have ended: feeds it, listens to it, and ends it when it must end.
//!
//! Invariant: one thread does all of it and never blocks on anything but the look at all pipes at once, so that a
//! program that reads nothing, or fills one pipe while another is looked at, makes nobody wait.

use std::borrow::Cow;
use std::io::{self, ErrorKind, PipeReader, Read, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use crate::{Limits, What};

use super::Spoken;
use super::flights::{Flight, Order};
use super::group::Group;
use super::places::{Awaited, Content};
use super::speech::Speech;

/// Who speaks with a program in lines: each line that it writes is heard, and what is to be said to it appended.
pub(crate) trait Partner {
    /// Takes in one line, without its line feed.
    fn hear(&mut self, line: &[u8], say: &mut Vec<u8>, tell: &mut dyn FnMut(What)) -> Next;

    /// What is said to a program that is to end before its time.
    fn farewell(&mut self, say: &mut Vec<u8>);
}

/// What follows a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// More of them.
    Listen,
    /// Nothing: all is said, and the program is to end.
    HangUp,
}

/// What the standard output of a program is.
pub(super) enum Hears<'a> {
    /// Its answer.
    Answer,
    /// Something beside its answer.
    Chat,
    /// Lines for somebody who speaks with it; `closes` if there is nothing to say to it but what it is given first.
    Lines { partner: &'a mut dyn Partner, closes: bool },
}

/// How long the pipes of a program that has ended are listened to while somebody else still holds them open.
const LINGER: Duration = Duration::from_millis(500);

/// How long a killed program may take to be gone; only the system itself can make it take longer.
const GONE_WITHIN: Duration = Duration::from_secs(10);

/// How often a draft is looked at.
const DRAFT_EVERY: Duration = Duration::from_millis(250);

/// How many times the largest answer the drafts of one attempt may be together.
const DRAFTS_PER_ANSWER: usize = 4;

const BUFFER_BYTES: usize = 32 * 1024;

/// The bytes of a line beside the answer that it may hold.
const LINE_BYTES: usize = 64 * 1024;

/// How the watch over a program ended.
pub(super) struct Ended {
    /// How the program did; nothing if it is still there.
    pub(super) status: Option<ExitStatus>,
    /// Why it was ended, if it did not end by itself.
    pub(super) cut: Option<Cut>,
    /// Its standard output, if the answer is there.
    pub(super) output: Vec<u8>,
    /// The last that it said: on standard error, or else on standard output.
    pub(super) last_words: Vec<u8>,
}

/// Why a program was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    Stopped,
    TimeUp,
    AnswerTooLong,
    TooLoud,
    /// All was said.
    Done,
}

/// A program with its pipes, and what was heard so far.
pub(super) struct Watch<'a, T> {
    group: Group,
    flight: &'a Flight,
    wake: &'a PipeReader,
    input: Cow<'a, [u8]>,
    /// How much of the input was given already.
    given: usize,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    limits: Limits,
    draft: Option<&'a mut Awaited>,
    draft_bytes_left: usize,
    draft_at: Instant,
    tell: T,
    hears: Hears<'a>,
    /// The answer so far, or the beginning of a line.
    output: Vec<u8>,
    chat: Speech,
    speech: Speech,
    noise_bytes: usize,
    deadline: Instant,
    cut: Option<Cut>,
    /// When one that has said all is asked to end, unless it does so by itself once nobody speaks any more.
    ask_at: Option<Instant>,
    kill_at: Option<Instant>,
    killed_at: Option<Instant>,
    linger_until: Option<Instant>,
    has_swept: bool,
}

/// What a watch needs to know beside the program itself.
pub(super) struct Task<'a, T> {
    pub(super) flight: &'a Flight,
    pub(super) wake: &'a PipeReader,
    pub(super) input: Cow<'a, [u8]>,
    pub(super) hears: Hears<'a>,
    pub(super) spoken: Spoken,
    pub(super) limits: Limits,
    pub(super) draft: Option<&'a mut Awaited>,
    pub(super) tell: T,
}

impl<'a, T: FnMut(What)> Watch<'a, T> {
    /// Begins a watch over a program that was just started.
    pub(super) fn over(mut group: Group, task: Task<'a, T>) -> io::Result<Self> {
        let (stdin, stdout, stderr) = (group.stdin(), group.stdout(), group.stderr());
        let fds = [stdin.as_ref().map(AsFd::as_fd), stdout.as_ref().map(AsFd::as_fd)];
        let fds = fds.into_iter().chain([stderr.as_ref().map(AsFd::as_fd), Some(task.wake.as_fd())]);
        if let Err(error) = fds.flatten().try_for_each(never_block) {
            group.kill();
            // It was killed just now; nothing more is known of it.
            let _ = group.reap();
            return Err(error);
        }
        let now = Instant::now();
        Ok(Self {
            group,
            flight: task.flight,
            wake: task.wake,
            input: task.input,
            given: 0,
            stdin,
            stdout,
            stderr,
            limits: task.limits,
            draft: task.draft,
            draft_bytes_left: task.limits.answer_bytes_max.saturating_mul(DRAFTS_PER_ANSWER),
            draft_at: now,
            tell: task.tell,
            hears: task.hears,
            output: Vec::new(),
            chat: Speech::new(task.spoken),
            speech: Speech::new(task.spoken),
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

    /// Watches until the program and its group have ended.
    pub(super) fn run(mut self) -> io::Result<Ended> {
        let mut buffer = vec![0; BUFFER_BYTES];
        let is_gone = loop {
            let now = Instant::now();
            self.end_what_must_end(now);
            if self.is_over(now) {
                break self.group.has_ended();
            }
            self.look_at_draft(now);
            if let Err(error) = self.listen(now, &mut buffer) {
                // Without ears there is nothing to wait for.
                self.group.kill();
                self.group.reap()?;
                return Err(error);
            }
        };
        if let Hears::Lines { partner, .. } = &mut self.hears
            && self.cut.is_none()
            && !self.output.is_empty()
        {
            // A last line without a line feed is over when the program is.
            let line = std::mem::take(&mut self.output);
            partner.hear(&line, &mut Vec::new(), &mut self.tell);
        }
        self.speech.end(&mut self.tell);
        self.chat.end(&mut self.tell);
        self.draft_at = Instant::now();
        self.look_at_draft(self.draft_at);
        let mut last_words = self.speech.into_tail();
        if last_words.trim_ascii().is_empty() {
            last_words = self.chat.into_tail();
        }
        let status = if is_gone { Some(self.group.reap()?) } else { None };
        Ok(Ended { status, cut: self.cut, output: self.output, last_words })
    }

    /// Decides whether the program must end, and sees to it that it does.
    fn end_what_must_end(&mut self, now: Instant) {
        let order = self.flight.order();
        if self.cut.is_none() {
            let runs = !self.group.has_ended();
            self.cut = match order {
                Order::Stop | Order::Kill if runs => Some(Cut::Stopped),
                // What was said counts even if it ended in the same moment.
                _ if self.output.len() > self.output_bytes_max() => Some(Cut::AnswerTooLong),
                _ if self.noise_bytes > self.limits.noise_bytes_max => Some(Cut::TooLoud),
                Order::GoOn if runs && now >= self.deadline => Some(Cut::TimeUp),
                Order::GoOn | Order::Stop | Order::Kill => None,
            };
            match self.cut {
                Some(Cut::Stopped | Cut::TimeUp) => {
                    if let Hears::Lines { partner, closes: false } = &mut self.hears {
                        partner.farewell(self.input.to_mut());
                        self.feed_stdin();
                        self.stdin = None;
                    }
                    self.group.ask_to_end();
                    self.kill_at = Some(far(now, self.limits.grace));
                }
                Some(Cut::Done) => {}
                // One that floods is not given time to go on with it.
                Some(Cut::AnswerTooLong | Cut::TooLoud) => self.kill_at = Some(now),
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

    /// Tells whether all is over, and ends what the program left behind.
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
            // What the group had written before is still in the pipes.
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
        // A draft that cannot be read is none yet.
        if let Ok(Some(Content::All(bytes))) = draft.news(bytes_max)
            && !bytes.is_empty()
        {
            self.draft_bytes_left -= bytes.len();
            (self.tell)(What::Draft(bytes));
        }
    }

    /// Waits until something happens or is due, and takes in what did.
    fn listen(&mut self, now: Instant, buffer: &mut [u8]) -> io::Result<()> {
        let timeout = self.next_due().map(|due| due.saturating_duration_since(now));
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let mut fds = vec![PollFd::new(self.wake, PollFlags::IN)];
        fds.extend(self.stdout.iter().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        fds.extend(self.stderr.iter().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        let speaks =
            self.given < self.input.len() || !matches!(self.hears, Hears::Lines { closes: false, .. });
        fds.extend(self.stdin.iter().filter(|_| speaks).map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        drop(fds);
        // None of them blocks, so that there is no need to know which one it was.
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
        match &mut self.hears {
            Hears::Answer => {
                keep_answer(&mut self.output, bytes, bytes_max);
                self.chat.overhear(bytes);
            }
            Hears::Chat => {
                self.noise_bytes = self.noise_bytes.saturating_add(bytes.len());
                self.chat.hear(bytes, &mut self.tell);
            }
            Hears::Lines { partner, .. } => {
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
                    if partner.hear(&line, self.input.to_mut(), &mut self.tell) == Next::HangUp {
                        self.cut = Some(Cut::Done);
                        self.feed_stdin();
                        self.stdin = None;
                        // What it still writes down of the session is needed when the session is resumed.
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

    /// The bytes that the answer may have, or a line: one that holds an answer says more, and says it in JSON.
    fn output_bytes_max(&self) -> usize {
        let bytes_max = self.limits.answer_bytes_max;
        match self.hears {
            Hears::Answer | Hears::Chat => bytes_max,
            Hears::Lines { .. } => bytes_max.saturating_mul(2).saturating_add(LINE_BYTES),
        }
    }

    fn take_stderr(&mut self, buffer: &mut [u8]) {
        let bytes = take(&mut self.stderr, buffer);
        self.noise_bytes = self.noise_bytes.saturating_add(bytes.len());
        self.speech.hear(bytes, &mut self.tell);
    }

    fn feed_stdin(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        let closes = !matches!(self.hears, Hears::Lines { closes: false, .. });
        if self.given == self.input.len() && !closes {
            return;
        }
        let is_fed = match stdin.write(&self.input[self.given..]) {
            Ok(written) => {
                self.given += written;
                if self.given == self.input.len() && !closes {
                    // What was said need not be kept for as long as they speak.
                    self.input = Cow::Borrowed(&[]);
                    self.given = 0;
                }
                self.given == self.input.len() && closes
            }
            // A program need not read what it is given; one that closed its input has heard enough.
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

/// What a pipe has to give right now; it is closed when it has ended.
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

/// Makes a pipe give what it has instead of waiting for more.
pub(super) fn never_block(fd: BorrowedFd<'_>) -> io::Result<()> {
    let flags = fcntl_getfl(fd)?;
    Ok(fcntl_setfl(fd, flags | OFlags::NONBLOCK)?)
}
