//! The scripted agent as a program: what it is called with comes from its arguments, its environment and its input.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use super::calls::count;
use super::{Death, Ending, Fault, Script, Stage, play};

const USAGE: &str = "usage: scripted-agent SCRIPT CALLS
plays SCRIPT (TOML); CALLS is a file that counts the calls, with a line for each";

/// Plays the script that the arguments name, as the program that was started with them. It may end the process by a
/// signal, or never end, if the script says so.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match played(arguments) {
        Ok(Ending::Exit(code)) => ExitCode::from(code),
        Ok(Ending::Die(death)) => die(death),
        Err(fault) => {
            // The reader may have gone.
            let _ = writeln!(io::stderr(), "scripted-agent: {fault}");
            ExitCode::from(2)
        }
    }
}

fn played(arguments: impl IntoIterator<Item = OsString>) -> Result<Ending, Fault> {
    let mut arguments = arguments.into_iter().map(PathBuf::from);
    let (Some(script_path), Some(calls), None) = (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err(Fault(USAGE.to_owned()));
    };
    let in_script = |fault: &dyn std::fmt::Display| Fault(format!("{}: {fault}", script_path.display()));
    let text = fs::read_to_string(&script_path).map_err(|error| in_script(&error))?;
    let script = Script::read(&text).map_err(|fault| in_script(&fault))?;
    let variable = |name: &str| env::var(name).ok();
    let given = |name: &str| variable(name).unwrap_or_else(|| "-".to_owned());
    let call = count(&calls, &format!("{} {}", given("BATON_KEY"), given("BATON_ATTEMPT")))
        .map_err(|error| Fault(format!("{}: {error}", calls.display())))?;
    let mut stage = Stage {
        call,
        handoff: handoff(variable("BATON_HANDOFF"))?,
        variable: &variable,
        out: &mut io::stdout().lock(),
        err: &mut io::stderr().lock(),
    };
    play(&script, &mut stage).map_err(|fault| in_script(&format!("call {call}: {fault}")))
}

fn handoff(path: Option<String>) -> Result<String, Fault> {
    let bytes = match path {
        Some(path) => fs::read(&path).map_err(|error| Fault(format!("{path}: {error}")))?,
        None => {
            let mut bytes = Vec::new();
            io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .map_err(|error| Fault(format!("standard input: {error}")))?;
            bytes
        }
    };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(unix)]
fn die(death: Death) -> ExitCode {
    use rustix::process::{Signal, getpid, kill_process};
    let signal = match death {
        Death::Kill => Signal::KILL,
        Death::Terminate => Signal::TERM,
        Death::Abort => Signal::ABORT,
        Death::Segfault => Signal::SEGV,
    };
    // The language itself listens for some of them, once, to tell a stack that ran over from other faults.
    for _ in 0..2 {
        // A signal that was not delivered leaves the exit code to tell.
        let _ = kill_process(getpid(), signal);
    }
    ExitCode::from(70)
}

#[cfg(not(unix))]
fn die(_: Death) -> ExitCode {
    std::process::abort()
}
