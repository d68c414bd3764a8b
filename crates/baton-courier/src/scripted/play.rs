//! Plays one call of a script.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::fields::{field, filled};
use super::{Act, Death, Fault, Script};

/// Interval at which an awaited file is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(2);

const CHUNK_BYTES: u64 = 8 * 1024;

/// Input and outputs of a call.
pub struct Stage<'a> {
    /// The number of the call; the first one is 1.
    pub call: u64,
    /// The handoff that it was given.
    pub handoff: String,
    /// The variables that it was given.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Output of the answer, unless that is a file.
    pub out: &'a mut dyn Write,
    /// Output of all else.
    pub err: &'a mut dyn Write,
}

/// End of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With this exit code.
    Exit(u8),
    /// By this signal.
    Die(Death),
}

/// Plays the call of a script that is due.
///
/// # Errors
/// If the script asks for a field that the handoff does not have, or the world does not let it do what it says.
pub fn play(script: &Script, stage: &mut Stage<'_>) -> Result<Ending, Fault> {
    let mut answered = Answered::Nothing;
    for act in &script.call(stage.call).does {
        match act {
            Act::Say(text) => stage.say(text)?,
            Act::Question(text) => stage.say(&format!("baton:question {text}"))?,
            Act::Session(text) => stage.say(&format!("baton:session {text}"))?,
            Act::Draft(text) => {
                let text = stage.filled(text)?;
                let path = stage.path("BATON_DRAFT").ok_or_else(|| {
                    Fault("the script writes a draft, but BATON_DRAFT names no file for it".to_owned())
                })?;
                replace(&path, &text).map_err(|error| at(&path, &error))?;
            }
            Act::Answer(text) => {
                let text = stage.filled(text)?;
                stage.answer(text.as_bytes(), &mut answered)?;
            }
            Act::Drip { text, pause_ms } => {
                for byte in stage.filled(text)?.bytes() {
                    stage.answer(&[byte], &mut answered)?;
                    thread::sleep(Duration::from_millis(*pause_ms));
                }
            }
            Act::Garbage(bytes) => {
                in_chunks(*bytes, garbage, |chunk| stage.answer(chunk, &mut answered))?;
            }
            Act::Flood(bytes) => in_chunks(*bytes, filler, |chunk| stage.answer(chunk, &mut answered))?,
            Act::Shout(bytes) => in_chunks(*bytes, filler, |chunk| write(stage.err, chunk))?,
            Act::WaitMs(pause) => thread::sleep(Duration::from_millis(*pause)),
            Act::WaitFor(path) => {
                let path = PathBuf::from(stage.filled(path)?);
                while !path.exists() {
                    thread::sleep(LOOK_EVERY);
                }
            }
            Act::Touch(path) => {
                let path = PathBuf::from(stage.filled(path)?);
                fs::write(&path, b"").map_err(|error| at(&path, &error))?;
            }
            Act::Hang => hang(),
            Act::Exit(code) => return Ok(Ending::Exit(*code)),
            Act::Die(death) => return Ok(Ending::Die(*death)),
        }
    }
    Ok(Ending::Exit(0))
}

enum Answered {
    Nothing,
    Something,
}

impl Stage<'_> {
    fn say(&mut self, text: &str) -> Result<(), Fault> {
        let line = format!("{}\n", self.filled(text)?);
        write(self.err, line.as_bytes())
    }

    /// Writes a part of the answer: to the file that was asked for, else to standard output.
    fn answer(&mut self, bytes: &[u8], answered: &mut Answered) -> Result<(), Fault> {
        let Some(path) = self.path("BATON_ANSWER") else {
            return write(self.out, bytes);
        };
        let is_first = matches!(std::mem::replace(answered, Answered::Something), Answered::Nothing);
        let mut options = fs::OpenOptions::new();
        options.create(true).write(true).truncate(is_first).append(!is_first);
        let file = options.open(&path).map_err(|error| at(&path, &error));
        file.and_then(|mut file| file.write_all(bytes).map_err(|error| at(&path, &error)))
    }

    fn path(&self, variable: &str) -> Option<PathBuf> {
        (self.variable)(variable).map(PathBuf::from)
    }

    fn filled(&self, text: &str) -> Result<String, Fault> {
        filled(text, &|name| match name {
            "baton.call" => Some(self.call.to_string()),
            "baton.key" => (self.variable)("BATON_KEY"),
            "baton.attempt" => (self.variable)("BATON_ATTEMPT"),
            "baton.session" => (self.variable)("BATON_SESSION"),
            "baton.handoff" => Some(self.handoff.clone()),
            field_name => field(&self.handoff, field_name).map(ToOwned::to_owned),
        })
    }
}

/// Writes a file that is whole from the first moment.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut half = path.as_os_str().to_owned();
    half.push(".half");
    fs::write(&half, text)?;
    fs::rename(&half, path)
}

fn write(out: &mut dyn Write, bytes: &[u8]) -> Result<(), Fault> {
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| Fault(format!("nobody listens: {error}")))
}

fn in_chunks(
    bytes: u64,
    fill: fn(u64) -> u8,
    mut write: impl FnMut(&[u8]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut done = 0;
    while done < bytes {
        let end = bytes.min(done + CHUNK_BYTES);
        let chunk: Vec<u8> = (done..end).map(fill).collect();
        write(&chunk)?;
        done = end;
    }
    Ok(())
}

/// Bytes that no text can begin with.
fn garbage(index: u64) -> u8 {
    0xf8 | u8::try_from(index % 8).expect("less than eight")
}

/// Lines of dots.
fn filler(index: u64) -> u8 {
    if index % 64 == 63 { b'\n' } else { b'.' }
}

fn hang() -> ! {
    loop {
        thread::park();
    }
}

fn at(path: &Path, error: &io::Error) -> Fault {
    Fault(format!("{}: {error}", path.display()))
}
