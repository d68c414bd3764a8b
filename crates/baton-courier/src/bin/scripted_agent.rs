//! The program `scripted-agent`: an agent that plays a script, so that everything around agents can be tried without one.

use std::env;
use std::io::{self, Write as _};
use std::process::ExitCode;

use baton_courier::scripted::{Death, Ending, run};

fn main() -> ExitCode {
    match run(env::args_os().skip(1)) {
        Ok(Ending::Exit(code)) => ExitCode::from(code),
        Ok(Ending::Die(death)) => die(death),
        Err(fault) => {
            // Nobody may be there to read it.
            let _ = writeln!(io::stderr(), "scripted-agent: {fault}");
            ExitCode::from(2)
        }
    }
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
