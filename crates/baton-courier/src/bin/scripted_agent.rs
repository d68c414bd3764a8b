//! The program `scripted-agent`: an agent that plays a script, so that everything around agents can be tried without one.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    baton_courier::scripted::run(env::args_os().skip(1))
}
