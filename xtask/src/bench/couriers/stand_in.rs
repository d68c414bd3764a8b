//! The stand-in: `xtask bench --agent NOTES [COMMAND…]` runs a command, or answers by itself, and notes when it began and
//! ended; `xtask bench --gather NOTES COUNT` answers when so many are there.

use std::fs::{self, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail, ensure};

/// Time limit of the wait for the others.
const PATIENCE: Duration = Duration::from_secs(120);

const ANSWER: &str = r#"{"meta":{"step_id":"s","flow_key":"f","agent_key":"a","timestamp":"2026-03-02T10:15:00Z"},"status":"VERIFIED","summary":{"what_i_did":"Limited loans in src/loans.py.","what_i_found":"Nothing else.","key_decisions":[],"evidence":{"artifacts_produced":["src/loans.py"],"commands_run":["pytest"],"measurements":{}}},"concerns":[],"assumptions":[],"routing":{"recommendation":"CONTINUE","reason":"done"}}"#;

/// One start of an agent: when it began and ended, in milliseconds.
pub(super) struct Note {
    pub(super) began: f64,
    pub(super) ended: f64,
}

/// Stands in for an agent, if the arguments say so.
pub(in crate::bench) fn run(arguments: &[String]) -> Option<Result<()>> {
    match arguments {
        [flag, notes, command @ ..] if flag == "--agent" => Some(agent(Path::new(notes), command)),
        [flag, notes, count] if flag == "--gather" => Some(gather(Path::new(notes), count)),
        _ => None,
    }
}

/// The words that start it, as a list of YAML.
pub(super) fn words(more: &[&str]) -> Result<Vec<String>> {
    let own = std::env::current_exe().context("failed to find this program")?;
    let own = [own.display().to_string(), "bench".to_owned()];
    Ok(own.into_iter().chain(more.iter().map(|&word| word.to_owned())).collect())
}

/// Reads what was noted.
pub(super) fn notes(path: &Path) -> Result<Vec<Note>> {
    let text = fs::read_to_string(path).context("nothing was noted")?;
    let note = |line: &str| {
        let (began, ended) = line.split_once(' ')?;
        Some(Note { began: began.parse().ok()?, ended: ended.parse().ok()? })
    };
    text.lines().map(note).collect::<Option<_>>().context("what was noted cannot be read")
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64() * 1e3)
}

fn note(path: &Path, line: &str) -> Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path).context("failed to note")?;
    file.write_all(line.as_bytes()).context("failed to note")
}

fn agent(path: &Path, command: &[String]) -> Result<()> {
    let began = now();
    if let Some((program, arguments)) = command.split_first() {
        let status = Command::new(program).args(arguments).status().context("failed to start the agent")?;
        ensure!(status.success(), "the agent ended with {status}");
    } else {
        answer()?;
    }
    note(path, &format!("{began:.4} {:.4}\n", now()))
}

fn answer() -> Result<()> {
    std::io::stdin().read_to_end(&mut Vec::new()).context("failed to read the handoff")?;
    println!("{ANSWER}");
    Ok(())
}

fn gather(path: &Path, count: &str) -> Result<()> {
    let count: u64 = count.parse().context("a count is a number")?;
    note(path, "x")?;
    let begun = SystemTime::now();
    while fs::metadata(path).is_ok_and(|found| found.len() < count) {
        if begun.elapsed().unwrap_or_default() > PATIENCE {
            bail!("not all came within {PATIENCE:?}");
        }
        thread::sleep(Duration::from_millis(20));
    }
    answer()
}
