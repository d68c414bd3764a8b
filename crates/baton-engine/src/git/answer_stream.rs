//! A long answer of git, heard part by part: whoever has heard enough stops listening, and git ends.

use std::io::Read;
use std::process::{Child, ChildStdout};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Instant;

use super::Silence;
use super::answer::lost;

/// The bytes that are read at once.
const PIECE_BYTES: usize = 16 * 1024;

/// The pieces that may wait to be heard; git waits with more.
const PIECES_MAX: usize = 4;

/// The bytes of one part: no path is longer.
const PART_BYTES_MAX: usize = 64 * 1024;

/// An answer that is being given, whose parts end each with NUL.
#[derive(Debug)]
pub struct AnswerStream {
    child: Child,
    pieces: Receiver<Vec<u8>>,
    /// What was read and not heard yet.
    read: Vec<u8>,
    /// Where in it the next part starts.
    heard: usize,
}

/// What came of listening for the next part.
#[derive(Debug, PartialEq, Eq)]
pub enum StreamItem {
    /// The next part.
    Part(Vec<u8>),
    /// There is none any more.
    Over,
    /// It did not come in time.
    Later,
}

/// Passes an answer on until it ends or nobody listens.
fn pass_on(mut answer: ChildStdout, sender: &SyncSender<Vec<u8>>) {
    let mut piece = vec![0; PIECE_BYTES];
    while let Ok(length @ 1..) = answer.read(&mut piece) {
        if sender.send(piece[..length].to_vec()).is_err() {
            return;
        }
    }
}

impl AnswerStream {
    /// The answer of a git that was just asked.
    pub(super) fn new(mut child: Child) -> Self {
        let (sender, pieces) = mpsc::sync_channel(PIECES_MAX);
        let answer = child.stdout.take();
        thread::spawn(move || answer.map(|answer| pass_on(answer, &sender)));
        Self { child, pieces, read: Vec::new(), heard: 0 }
    }

    /// The next part, if it comes before a moment.
    pub fn next(&mut self, until: Instant) -> Result<StreamItem, Silence> {
        loop {
            let unheard = &self.read[self.heard..];
            if let Some(length) = unheard.iter().position(|byte| *byte == 0) {
                let part = unheard[..length].to_vec();
                self.heard += length + 1;
                return Ok(StreamItem::Part(part));
            }
            if unheard.len() > PART_BYTES_MAX {
                return Err(Silence::Failed("git said more than can be read".to_owned()));
            }
            let time = until.saturating_duration_since(Instant::now());
            match self.pieces.recv_timeout(time) {
                Ok(piece) => {
                    self.read.drain(..self.heard);
                    self.heard = 0;
                    self.read.extend(piece);
                }
                Err(RecvTimeoutError::Timeout) => return Ok(StreamItem::Later),
                Err(RecvTimeoutError::Disconnected) => return self.last(),
            }
        }
    }

    /// What is left when nothing more comes; a git that failed may have left something out.
    fn last(&mut self) -> Result<StreamItem, Silence> {
        let status = self.child.wait().map_err(|error| lost(&error))?;
        if !status.success() {
            return Err(Silence::Refused("git did not say why".to_owned()));
        }
        let part = self.read.split_off(self.heard);
        self.heard = self.read.len();
        Ok(if part.is_empty() { StreamItem::Over } else { StreamItem::Part(part) })
    }
}

impl Drop for AnswerStream {
    fn drop(&mut self) {
        // It may have ended by itself, and been waited for, already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::git::Repository;

    const SOON: Duration = Duration::from_secs(20);

    fn told(arguments: &[&str]) -> Result<Vec<Vec<u8>>, Silence> {
        let repository = Repository::open(&std::env::current_dir().expect("it is there")).expect("it is one");
        let mut answer_stream = repository.question(arguments).listen()?;
        let mut parts = Vec::new();
        loop {
            match answer_stream.next(Instant::now() + SOON)? {
                StreamItem::Part(part) => parts.push(part),
                StreamItem::Over => {
                    assert_eq!(answer_stream.next(Instant::now())?, StreamItem::Over, "an end stays one");
                    return Ok(parts);
                }
                StreamItem::Later => panic!("git does not answer"),
            }
        }
    }

    #[test]
    fn every_part_is_told_and_a_failure_is_no_end() {
        let many = (0..5_000).map(|number| format!("part-{number}")).collect::<Vec<_>>();
        let mut arguments = vec!["rev-parse", "--sq-quote"];
        arguments.extend(many.iter().map(String::as_str));
        let parts = told(&arguments).expect("git quotes its arguments");
        // One line without NUL, longer than what is read at once.
        assert_eq!(parts.len(), 1);
        assert!(parts[0].len() > PIECE_BYTES && parts[0].ends_with(b"'part-4999'\n"));
        assert!(matches!(told(&["no-such-command"]), Err(Silence::Refused(_))));
        assert_eq!(told(&["version", "--build-options"]).expect("git knows its version").len(), 1);
    }
}
