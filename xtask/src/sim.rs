//! `cargo xtask sim [SEED]`: repeats one simulated world and tells its story, or runs many.
//!
//! The simulator itself is a test of the engine, `crates/baton-engine/tests/all/sim`; this runs it with optimised code.

use anyhow::{Context as _, Result, bail};

use crate::{Task, cargo};

pub(crate) const TASK: Task = Task {
    name: "sim",
    arguments: "[SEED | --count N [--first SEED]]",
    does: "runs simulated worlds; with a seed, the one that a failure named",
    run,
};

/// Worlds that are run unless told otherwise.
const COUNT: u64 = 3_000;

fn run(arguments: &[String]) -> Result<()> {
    let mut variables: Vec<(&str, String)> = Vec::new();
    let mut count = Some(COUNT);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut number = |name: &str| -> Result<u64> {
            let text = words.next().with_context(|| format!("{name} needs a number"))?;
            text.parse().with_context(|| format!("{text:?} is no number"))
        };
        match word.as_str() {
            "--count" => count = Some(number("--count")?),
            "--first" => variables.push(("BATON_SIM_FIRST", number("--first")?.to_string())),
            seed => {
                let Ok(seed) = seed.parse::<u64>() else { bail!("{seed:?} is no seed; a seed is a number") };
                variables.push(("BATON_SIM_SEED", seed.to_string()));
                count = None;
            }
        }
    }
    variables.extend(count.map(|count| ("BATON_SIM_COUNT", count.to_string())));
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let test = "sim::whatever_breaks_nothing_acknowledged_is_lost_and_every_run_ends";
    let arguments = [
        "test",
        "--profile",
        "sim",
        "-p",
        "baton-engine",
        "--test",
        "all",
        test,
        "--",
        "--exact",
        "--nocapture",
    ];
    cargo::run_with("sim", &arguments, &variables)
}
