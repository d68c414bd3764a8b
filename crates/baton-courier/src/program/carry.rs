//! One attempt: files are laid out, the program is started and watched, and what it did becomes an answer or a failure.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;

use crate::temporary::FolderPool;
use crate::{Cause, Delivery, Failure, Limits, What};

use super::flights::{Flight, Order};
use super::group::Group;
use super::line::Line;
use super::places::{Content, Files};
use super::watch::{Cut, Ended, Hears, Task, Watch};
use super::{Given, Program, Taken};

/// Carries a delivery to the program and brings back its answer.
pub(super) fn carry(
    program: &Program,
    folders: &FolderPool,
    flight: &Arc<Flight>,
    wake: &PipeReader,
    delivery: &Delivery,
    tell: &mut dyn FnMut(What),
) -> Result<Vec<u8>, Failure> {
    let name = program.command.first().map_or("", String::as_str);
    if flight.order() != Order::GoOn {
        return Err(Failure::new(Cause::Stopped, format!("{name} was stopped before it was started")));
    }
    let mut files = Files::lay_out(program, delivery, folders)?;
    let mut command = command(program, delivery, &files)?;
    command.tell(tell);
    let group = Group::start(command, flight).map_err(|error| not_started(name, &error))?;
    let mut has_asked = false;
    let task = Task {
        flight,
        wake,
        input: match program.given {
            Given::Stdin => Cow::Borrowed(delivery.handoff.as_slice()),
            Given::File(_) => Cow::Borrowed(&[]),
        },
        hears: match program.taken {
            Taken::Stdout => Hears::Answer,
            Taken::File(_) => Hears::Chat,
        },
        spoken: program.spoken,
        limits: delivery.limits,
        draft: files.draft.as_mut(),
        tell: |what: What| {
            has_asked |= matches!(what, What::Question(_));
            tell(what);
        },
    };
    let mut ended = Watch::over(group, task)
        .and_then(Watch::run)
        .map_err(|error| broken(name, "could not be watched", &error))?;
    let last_words = std::mem::take(&mut ended.last_words);
    let verdict = how_it_ended(name, &ended, &delivery.limits)
        .and_then(|()| answer(name, program, ended.output, &mut files, delivery))
        .map_err(|failure| if has_asked { as_question(name, failure) } else { failure });
    verdict.map_err(|failure| Failure { last_words, ..failure })
}

fn command(program: &Program, delivery: &Delivery, files: &Files<'_>) -> Result<Line, Failure> {
    let (name, arguments) =
        program.command.split_first().map_or(("", [].as_slice()), |(name, rest)| (name, rest));
    let paths: [(&str, Option<&Path>); 5] = [
        ("{handoff}", files.handoff.as_deref()),
        ("{answer}", files.answer.as_ref().map(|answer| answer.path.as_path())),
        ("{draft}", files.draft.as_ref().map(|draft| draft.path.as_path())),
        ("{prompt}", files.prompt.as_deref()),
        ("{root}", Some(&delivery.root)),
    ];
    let arguments = arguments.iter().map(|argument| filled(argument, &paths)).collect();
    let mut line = Line::new(name, arguments, delivery, files, files.folder())?;
    line.command.stdin(match program.given {
        Given::Stdin => Stdio::piped(),
        Given::File(_) => Stdio::null(),
    });
    Ok(line)
}

/// An argument with the paths in it; what is filled in is not looked at again.
fn filled(argument: &str, paths: &[(&str, Option<&Path>)]) -> OsString {
    let mut filled = OsString::new();
    let mut rest = argument;
    while !rest.is_empty() {
        let next = paths
            .iter()
            .filter_map(|&(name, path)| Some((rest.find(name)?, name, path?)))
            .min_by_key(|&(offset, ..)| offset);
        let Some((offset, name, path)) = next else { break };
        filled.push(&rest[..offset]);
        filled.push(path);
        rest = &rest[offset + name.len()..];
    }
    filled.push(rest);
    filled
}

pub(super) fn not_started(name: &str, error: &io::Error) -> Failure {
    let kind = error.kind();
    if kind == ErrorKind::NotFound {
        // The program itself was found before.
        Failure::new(Cause::Missing, format!("{name} needs another program that does not exist"))
            .with_hint(format!("the first line of {name} names the program that runs it, behind `#!`"))
    } else if kind == ErrorKind::PermissionDenied {
        Failure::new(Cause::Forbidden, format!("{name} may not be executed: {error}"))
    } else if [ErrorKind::InvalidInput, ErrorKind::ArgumentListTooLong].contains(&kind) {
        Failure::new(Cause::Impossible, format!("{name} cannot be given this delivery: {error}"))
            .with_hint("no argument and no variable may hold a NUL or more than the system allows")
    } else {
        broken(name, "could not be started", error)
    }
}

pub(super) fn broken(name: &str, what: &str, error: &io::Error) -> Failure {
    Failure::new(Cause::Broken, format!("{name} {what}: {error}"))
}

/// Nothing if the program ended well and by itself.
pub(super) fn how_it_ended(name: &str, ended: &Ended, limits: &Limits) -> Result<(), Failure> {
    let fail = |cause, message: String| Err(Failure::new(cause, message));
    let Some(status) = ended.status else {
        return fail(Cause::Broken, format!("{name} was killed, and the system does not let go of it"));
    };
    match ended.cut {
        Some(Cut::Stopped) => fail(Cause::Stopped, format!("{name} was stopped before it had answered")),
        Some(Cut::TimeUp) => {
            fail(Cause::TimeUp, format!("{name} had not answered after {:?} and was ended", limits.time_max))
        }
        Some(Cut::AnswerTooLong) => fail(Cause::TooMuch, too_long(name, limits.answer_bytes_max)),
        Some(Cut::TooLoud) => fail(
            Cause::TooMuch,
            format!(
                "{name} said more than {} bytes beside its answer, which is not used",
                limits.noise_bytes_max
            ),
        ),
        Some(Cut::Done) => Ok(()),
        None => by_itself(name, status),
    }
}

fn by_itself(name: &str, status: ExitStatus) -> Result<(), Failure> {
    if status.success() {
        return Ok(());
    }
    let (cause, message) = match (status.code(), status.signal()) {
        (Some(code), _) => (Cause::Exited(code), format!("{name} ended with exit code {code}")),
        (None, Some(signal)) => (Cause::Killed(signal), format!("{name} was killed by signal {signal}")),
        (None, None) => (Cause::Broken, format!("{name} ended in an unknown way: {status}")),
    };
    Err(Failure::new(cause, message))
}

fn answer(
    name: &str,
    program: &Program,
    output: Vec<u8>,
    files: &mut Files<'_>,
    delivery: &Delivery,
) -> Result<Vec<u8>, Failure> {
    let bytes_max = delivery.limits.answer_bytes_max;
    let (bytes, place) = match (&program.taken, &mut files.answer) {
        (Taken::Stdout, _) | (Taken::File(_), None) => (output, "on its standard output".to_owned()),
        (Taken::File(_), Some(awaited)) => {
            let lay_there = awaited.lay_there();
            let path = awaited.path.display().to_string();
            match awaited.news(bytes_max) {
                Ok(Some(Content::All(bytes))) => (bytes, format!("at {path}")),
                Ok(Some(Content::TooMuch)) => {
                    return Err(Failure::new(Cause::TooMuch, too_long(name, bytes_max)));
                }
                Ok(None) if lay_there => {
                    let message = format!("{name} ended well, but left the file at {path} as it was before");
                    return Err(Failure::new(Cause::Empty, message));
                }
                Ok(None) => (Vec::new(), format!("at {path}")),
                Err(error) => {
                    let message = format!("the answer of {name} at {path} cannot be taken: {error}");
                    return Err(Failure::new(Cause::Broken, message));
                }
            }
        }
    };
    if bytes.trim_ascii().is_empty() {
        return Err(Failure::new(Cause::Empty, format!("{name} ended well, but there is no answer {place}")));
    }
    Ok(bytes)
}

fn too_long(name: &str, bytes_max: usize) -> String {
    format!("the answer of {name} has more than {bytes_max} bytes and is not used")
}

/// The failure of a program that asked a question: to end without an answer is what is expected of it then.
fn as_question(name: &str, failure: Failure) -> Failure {
    match failure.cause {
        Cause::Empty => {
            Failure::new(Cause::Asked, format!("{name} asked a question and ended without an answer"))
        }
        Cause::Stopped
        | Cause::TimeUp
        | Cause::TooMuch
        | Cause::Asked
        | Cause::Permission
        | Cause::Exited(_)
        | Cause::Killed(_)
        | Cause::Failed
        | Cause::Status(_)
        | Cause::Unreachable
        | Cause::Missing
        | Cause::Forbidden
        | Cause::Impossible
        | Cause::Broken => failure,
    }
}
