//! The `baton` program: the faces of the system.
//!
//! Arguments as they are typed become a request as it is meant in `commands`; what comes of it becomes an exit
//! code here and nowhere else.
//!
//! Cannot: decide anything; it shows what the crates below it found.

mod commands;
mod diff;
mod drawing;
mod findings;
mod listing;
mod ordered;
mod outcome;
mod progress;
mod project;
mod reply;
mod runs;
mod say;
mod secret;
mod task;
mod walk;

use std::process::ExitCode;

use clap::ArgMatches;

/// Handoffs are many small texts; see decision 0030.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    #[cfg(unix)]
    baton_engine::service::system::keep_inherited();
    secret::guard();
    let matches = match commands::all().try_get_matches() {
        Ok(matches) => matches,
        Err(asked) => {
            // Help and version come this way too; when nobody reads them, that is fine.
            let _ = asked.print();
            return u8::try_from(asked.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    match commands::run(&matches) {
        Ok(outcome) => outcome.into(),
        Err(fault) => {
            outcome::print(&fault);
            if is_json(&matches) {
                reply::print_error(&fault);
            }
            outcome::exit_code(&fault)
        }
    }
}

/// Whether the command that was called prints JSON.
fn is_json(matches: &ArgMatches) -> bool {
    let mut called = matches;
    while let Some((_, below)) = called.subcommand() {
        called = below;
    }
    matches!(called.try_get_one::<bool>("json"), Ok(Some(true)))
}
