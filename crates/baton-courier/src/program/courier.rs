//! The courier for programs: one attempt writes its files, runs the program, and returns its answer or a failure.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::PipeReader;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use crate::temporary::FolderPool;
use crate::{Cause, Delivery, Failure, Kind, What};

use super::attempt::{Attempt, Order};
use super::attempt_files::{AttemptFiles, Content};
use super::attempt_threads::{AttemptRunner, AttemptThreads, courier_newtype};
use super::command_line::CommandLine;
use super::failures::{broken, not_started, too_long};
use super::process_group::ProcessGroup;
use super::program_end::how_it_ended;
use super::supervisor::{OutputMode, Supervision, Supervisor};
use super::{Input, Output, Program};

/// Courier that starts a program for every attempt.
pub struct ProgramCourier(AttemptThreads<ProgramRunner>);

impl ProgramCourier {
    /// A courier for one program.
    #[must_use]
    pub fn new(program: Program) -> Self {
        Self(AttemptThreads::new(ProgramRunner { program, folders: FolderPool::default() }))
    }
}

courier_newtype!(ProgramCourier);

/// A program, and the private folders of its attempts.
struct ProgramRunner {
    program: Program,
    folders: FolderPool,
}

impl AttemptRunner for ProgramRunner {
    fn kind(&self) -> Kind {
        self.program.kind
    }

    fn run_attempt(
        &self,
        attempt: &Arc<Attempt>,
        wake: &PipeReader,
        delivery: &Delivery,
        tell: &mut dyn FnMut(What),
    ) -> Result<Vec<u8>, Failure> {
        run_attempt(&self.program, &self.folders, attempt, wake, delivery, tell)
    }
}

/// Delivers to the program and returns its answer.
pub(super) fn run_attempt(
    program: &Program,
    folders: &FolderPool,
    attempt: &Arc<Attempt>,
    wake: &PipeReader,
    delivery: &Delivery,
    tell: &mut dyn FnMut(What),
) -> Result<Vec<u8>, Failure> {
    let name = program.command.first().map_or("", String::as_str);
    if attempt.order() != Order::GoOn {
        return Err(Failure::new(Cause::Stopped, format!("{name} was stopped before it was started")));
    }
    let mut files = AttemptFiles::write(program, delivery, folders)?;
    let mut command = command(program, delivery, &files)?;
    command.tell(tell);
    let group = ProcessGroup::start(command, attempt).map_err(|error| not_started(name, &error))?;
    let mut has_asked = false;
    let task = Supervision {
        attempt,
        wake,
        input: match program.input {
            Input::Stdin => Cow::Borrowed(delivery.handoff.as_slice()),
            Input::File(_) => Cow::Borrowed(&[]),
        },
        mode: match program.output {
            Output::Stdout => OutputMode::Answer,
            Output::File(_) => OutputMode::Chat,
        },
        protocol: program.protocol,
        limits: delivery.limits,
        draft: files.draft.as_mut(),
        tell: |what: What| {
            has_asked |= matches!(what, What::Question(_));
            tell(what);
        },
    };
    let mut ended = Supervisor::over(group, task)
        .and_then(Supervisor::run)
        .map_err(|error| broken(name, "could not be watched", &error))?;
    let last_words = std::mem::take(&mut ended.last_words);
    let verdict = how_it_ended(name, &ended, &delivery.limits)
        .and_then(|()| answer(name, program, ended.output, &mut files, delivery))
        .map_err(|failure| if has_asked { as_question(name, failure) } else { failure });
    verdict.map_err(|failure| Failure { last_words, ..failure })
}

fn command(program: &Program, delivery: &Delivery, files: &AttemptFiles<'_>) -> Result<CommandLine, Failure> {
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
    let mut line = CommandLine::new(name, arguments, delivery, files, files.folder())?;
    line.command.stdin(match program.input {
        Input::Stdin => Stdio::piped(),
        Input::File(_) => Stdio::null(),
    });
    Ok(line)
}

/// An argument with the placeholders filled in; values are not expanded again.
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

fn answer(
    name: &str,
    program: &Program,
    output: Vec<u8>,
    files: &mut AttemptFiles<'_>,
    delivery: &Delivery,
) -> Result<Vec<u8>, Failure> {
    let bytes_max = delivery.limits.answer_bytes_max;
    let (bytes, place) = match (&program.output, &mut files.answer) {
        (Output::Stdout, _) | (Output::File(_), None) => (output, "on its standard output".to_owned()),
        (Output::File(_), Some(awaited)) => {
            let existed = awaited.existed();
            let path = awaited.path.display().to_string();
            match awaited.news(bytes_max) {
                Ok(Some(Content::All(bytes))) => (bytes, format!("at {path}")),
                Ok(Some(Content::TooMuch)) => {
                    return Err(Failure::new(Cause::TooMuch, too_long(name, bytes_max)));
                }
                Ok(None) if existed => {
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

/// Failure of a program that asked a question, and is expected to end without an answer.
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
