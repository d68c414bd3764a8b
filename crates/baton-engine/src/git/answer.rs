//! What git answers, read within bounds of time and size.

use std::io::{self, Read, Write as _};
use std::process::{Child, Command};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::Silence;

/// The bytes of one answer.
const ANSWER_BYTES_MAX: u64 = 64 * 1024 * 1024;

pub(super) fn start(command: &mut Command) -> Result<Child, Silence> {
    command.spawn().map_err(|error| {
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        let why = if is_missing {
            "git is not installed".to_owned()
        } else {
            format!("git could not be started: {error}")
        };
        Silence::Failed(why)
    })
}

pub(super) fn lost(error: &io::Error) -> Silence {
    Silence::Failed(format!("git was lost: {error}"))
}

/// Both streams of git, read side by side while it is given its input, so that none of the three waits for another.
pub(super) fn answer(
    child: &mut Child,
    input: Option<Vec<u8>>,
    time_max: Duration,
) -> Result<(Vec<u8>, Vec<u8>), Silence> {
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        // A git that ends before it has read everything says why itself.
        thread::spawn(move || stdin.write_all(&input));
    }
    let (sender, receiver) = mpsc::channel();
    let listen = |stream: Option<Box<dyn Read + Send>>, is_answer: bool| {
        let sender = sender.clone();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stream.map(|stream| stream.take(ANSWER_BYTES_MAX + 1).read_to_end(&mut bytes));
            // After the time-out there is no receiver.
            let _ = sender.send((is_answer, read.is_some_and(|read| read.is_ok()), bytes));
        });
    };
    listen(child.stdout.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>), true);
    listen(child.stderr.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>), false);
    let (mut said, mut complaint) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let (is_answer, is_whole, bytes) = receiver
            .recv_timeout(time_max)
            .map_err(|_| Silence::Failed(format!("git took longer than {} s", time_max.as_secs())))?;
        if !is_whole || bytes.len() as u64 > ANSWER_BYTES_MAX {
            return Err(Silence::Failed("git said more than can be read".to_owned()));
        }
        *(if is_answer { &mut said } else { &mut complaint }) = bytes;
    }
    Ok((said, complaint))
}

/// What git could not read, and only warned of: an answer without it would be taken for the whole.
pub(super) fn unread(complaint: &[u8]) -> Option<String> {
    const SIGNS: [&str; 5] = [
        "could not open directory",
        "unable to access",
        "Permission denied",
        "File name too long",
        "error: ",
    ];
    let text = String::from_utf8_lossy(complaint);
    let line = text.lines().find(|line| SIGNS.iter().any(|sign| line.contains(sign)))?;
    Some(line.trim_start_matches("warning: ").trim_start_matches("error: ").to_owned())
}

pub(super) fn first_line(complaint: &[u8]) -> String {
    let text = String::from_utf8_lossy(complaint);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("git did not say why");
    line.trim_start_matches("fatal: ").trim_start_matches("error: ").to_owned()
}
