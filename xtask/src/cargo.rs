//! Runs cargo, one named step at a time, and stops at the first step that fails.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// Runs cargo with `arguments`, its output going where ours goes.
pub(crate) fn run(step: &str, arguments: &[&str]) -> Result<()> {
    run_with(step, arguments, &[])
}

/// Runs cargo as [`run`] does, with more in its environment.
pub(crate) fn run_with(step: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    announce(step, arguments);
    let status = cargo()
        .args(arguments)
        .envs(environment.iter().copied())
        .status()
        .context("failed to start cargo")?;
    if !status.success() {
        bail!("{step} failed; repeat it with: cargo {}", arguments.join(" "));
    }
    Ok(())
}

/// Runs cargo with `arguments` and gives what it prints on its standard output.
pub(crate) fn output(step: &str, arguments: &[&str]) -> Result<String> {
    announce(step, arguments);
    let output =
        cargo().args(arguments).stderr(Stdio::inherit()).output().context("failed to start cargo")?;
    if !output.status.success() {
        bail!("{step} failed; repeat it with: cargo {}", arguments.join(" "));
    }
    String::from_utf8(output.stdout).context("failed to read the output of cargo")
}

/// Runs `cargo test` with `arguments` and closes with the sum over all test programs.
pub(crate) fn run_tests_and_sum(step: &str, arguments: &[&str]) -> Result<()> {
    announce(step, arguments);
    let mut child =
        cargo().args(arguments).stdout(Stdio::piped()).spawn().context("failed to start cargo")?;
    let output = child.stdout.take().expect("its output is piped");
    let mut sum = Sum::default();
    for line in BufReader::new(output).lines() {
        let line = line.context("failed to read the output of cargo")?;
        sum.add(&line);
        println!("{line}");
    }
    let status = child.wait().context("failed to wait for cargo")?;
    println!("{} passed, {} failed", sum.passed, sum.failed);
    if !status.success() {
        bail!("{step} failed; repeat it with: cargo {}", arguments.join(" "));
    }
    Ok(())
}

/// Tells whether a subcommand, such as `nextest`, is present.
pub(crate) fn has(subcommand: &str) -> bool {
    cargo()
        .args([subcommand, "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn announce(step: &str, arguments: &[&str]) {
    println!("== {step}: cargo {}", arguments.join(" "));
}

fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    command
}

/// The sum of the closing lines that each test program prints.
#[derive(Debug, Default, PartialEq)]
struct Sum {
    passed: usize,
    failed: usize,
}

impl Sum {
    fn add(&mut self, line: &str) {
        let Some(counts) = line.strip_prefix("test result: ") else {
            return;
        };
        let counts = counts.trim_start_matches("ok. ").trim_start_matches("FAILED. ");
        for part in counts.split("; ") {
            match part.split_once(' ') {
                Some((count, "passed")) => self.passed += count.parse().unwrap_or(0),
                Some((count, "failed")) => self.failed += count.parse().unwrap_or(0),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_adds_passed_and_failed_over_programs() {
        let mut sum = Sum::default();
        for line in [
            "running 3 tests",
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        ] {
            sum.add(line);
        }
        assert_eq!(sum, Sum { passed: 7, failed: 2 });
    }
}
