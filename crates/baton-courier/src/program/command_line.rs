//! The one place where a start is put together: program, environment, working folder, and sandbox.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Cause, Delivery, Failure, What};

use super::attempt_files::AttemptFiles;
use super::failures::broken;
use super::locate::locate;
use super::variables::variables;

/// A program that can be started, with pipes for all that it says and mode.
pub(super) struct CommandLine {
    pub(super) command: Command,
    /// Tells whether the process that is started is that of a sandbox.
    pub(super) is_walled: bool,
    /// Files that should be visible in the sandbox and are not.
    pub(super) left_out: Vec<String>,
}

impl CommandLine {
    /// Reports the files that the sandbox leaves out.
    pub(super) fn tell(&mut self, tell: &mut dyn FnMut(What)) {
        for line in std::mem::take(&mut self.left_out) {
            tell(What::Progress(line.into_bytes()));
        }
    }
}

impl CommandLine {
    /// A program for a delivery; `shown` is a file or folder that Baton made for it.
    pub(super) fn new(
        name: &str,
        arguments: Vec<OsString>,
        delivery: &Delivery,
        files: &AttemptFiles<'_>,
        shown: Option<&Path>,
    ) -> Result<Self, Failure> {
        let path = locate(name, &delivery.root)?;
        let directory = &delivery.directory;
        if !directory.is_dir() {
            let message = format!("the folder {} that {name} works in does not exist", directory.display());
            return Err(Failure::new(Cause::Impossible, message));
        }
        let wall = match &delivery.sandbox {
            Some(sandbox) => sandbox.wall(&path, shown.as_slice())?,
            None => None,
        };
        let is_walled = wall.is_some();
        let (mut command, left_out) = match wall {
            Some(mut wall) => {
                let left_out = std::mem::take(&mut wall.left_out);
                let command = wall.around(&path, arguments, directory);
                (command.map_err(|error| broken(name, "could not be put behind its wall", &error))?, left_out)
            }
            None => {
                let mut command = Command::new(path);
                command.args(arguments);
                (command, Vec::new())
            }
        };
        command.env_clear().envs(variables(delivery, files)?).current_dir(directory);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(Self { command, is_walled, left_out })
    }
}
