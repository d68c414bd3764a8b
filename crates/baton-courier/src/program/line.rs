//! The one place where what is started is put together: the program, its environment, where it works, and the wall
//! around it.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Cause, Delivery, Failure};

use super::locate::locate;
use super::places::Files;
use super::variables::variables;

/// A program that can be started, with pipes for all that it says and hears.
pub(super) struct Line {
    pub(super) command: Command,
    /// Whether it runs in a sandbox, whose own process it is then that is started.
    pub(super) is_walled: bool,
}

impl Line {
    /// A program for a delivery; `shown` is a file or folder that Baton made for it.
    pub(super) fn new(
        name: &str,
        arguments: Vec<OsString>,
        delivery: &Delivery,
        files: &Files,
        shown: Option<&Path>,
    ) -> Result<Self, Failure> {
        let path = locate(name, &delivery.root)?;
        let directory = &delivery.directory;
        if !directory.is_dir() {
            let message = format!("the folder {} that {name} works in does not exist", directory.display());
            return Err(Failure::new(Cause::Impossible, message));
        }
        let wall = match &delivery.sandbox {
            Some(sandbox) => sandbox.before(&path, directory, shown.as_slice())?,
            None => None,
        };
        let is_walled = wall.is_some();
        let mut words = wall.unwrap_or_default().into_iter().chain([path.into_os_string()]).chain(arguments);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).env_clear().envs(variables(delivery, files)?).current_dir(directory);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(Self { command, is_walled })
    }
}
