//! Automation of this repository: `cargo xtask ready` is exactly what CI runs.
//!
//! Each task is one file and one row in [`TASKS`]. The tests of this crate look at the repository itself:
//! `walls` at what each crate cannot do, `tidy` at what every file must keep.
//!
//! Cannot: ship. No crate may depend on it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its readers sit at a terminal")]

mod agents;
mod attacks;
mod bench;
mod cargo;
mod fuzz;
mod r#gen;
mod new;
mod ready;
#[cfg(test)]
mod repository;
mod sim;
mod test;
#[cfg(test)]
mod tidy;
#[cfg(test)]
mod walls;

use std::process::ExitCode;

/// One thing that `cargo xtask` does.
struct Task {
    name: &'static str,
    arguments: &'static str,
    does: &'static str,
    run: fn(&[String]) -> anyhow::Result<()>,
}

const TASKS: &[Task] = &[
    ready::TASK,
    test::TASK,
    attacks::TASK,
    agents::TASK,
    bench::TASK,
    fuzz::TASK,
    sim::TASK,
    r#gen::TASK,
    new::TASK,
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        eprint!("{}", help());
        return ExitCode::from(2);
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{}", help());
        return ExitCode::SUCCESS;
    }
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        eprint!("there is no task {name:?}\n\n{}", help());
        return ExitCode::from(2);
    };
    match (task.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask {name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn help() -> String {
    let mut text = String::from("usage: cargo xtask TASK\n\n");
    for task in TASKS {
        text +=
            &format!("  {}\n      {}\n", format!("{} {}", task.name, task.arguments).trim_end(), task.does);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_task_once() {
        let help = help();
        for task in TASKS {
            let rows = help.lines().filter(|line| line.split_whitespace().next() == Some(task.name)).count();
            assert_eq!(rows, 1, "{}", task.name);
        }
    }
}
