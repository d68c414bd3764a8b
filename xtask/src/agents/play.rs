//! The flows that agents play, with everything that goes wrong on the way.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::cast::Agent;
use super::model::Model;

/// What goes wrong at a step: its first handoff is bad; the model refuses; it has too much to do; it ends in the middle of
/// a message; the agent is killed in its turn; Baton is.
const TROUBLES: [&str; 6] = ["bad", "fault", "busy", "cut", "killed", "crashed"];

/// How long one flow may take.
const PATIENCE: Duration = Duration::from_secs(900);

/// An agent with its program.
pub(super) struct Player {
    pub(super) agent: &'static Agent,
    pub(super) program: PathBuf,
}

/// Plays one flow with all players, who take turns until everything has gone wrong, and tells what was seen.
pub(super) fn play(players: &[Player], baton: &Path) -> Result<String> {
    let count = TROUBLES.len().max(players.len());
    let turns = players.iter().cycle().zip(TROUBLES.iter().cycle()).take(count);
    let steps: Vec<(String, &str)> = turns
        .map(|(player, trouble)| (format!("{}-{trouble}", player.agent.name), player.agent.name))
        .collect();
    let place = tempfile::Builder::new().prefix("baton-agents-").tempdir()?;
    let place = place.path().canonicalize()?;
    let (home, root) = (place.join("home"), place.join("project"));
    fs::create_dir_all(root.join("flows"))?;
    fs::create_dir_all(&home)?;
    let model = Model::start()?;
    let filled =
        |text: &str| text.replace("{url}", &model.url()).replace("{home}", &home.display().to_string());
    for (path, text) in players.iter().flat_map(|player| player.agent.files) {
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&home))?;
        fs::write(path, filled(text))?;
    }
    fs::write(root.join("flows/tour.yaml"), flow(players, &steps))?;
    let start = |words: &[&str]| -> Result<Child> {
        let log = fs::OpenOptions::new().create(true).append(true).open(place.join("log"))?;
        let mut command = Command::new(baton);
        command.args(words).current_dir(&root).env_clear().env("HOME", &home).stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let variables = players.iter().flat_map(|player| player.agent.variables);
        command.envs(variables.map(|(name, value)| (name, filled(value))));
        command.stdout(log.try_clone()?).stderr(log).spawn().context("failed to start baton")
    };
    let begun = Instant::now();
    let mut driver = start(&["run", "tour", "--name", "tour", "--no-wait"])?;
    let status = loop {
        if let Some(status) = driver.try_wait()? {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            driver.kill()?;
            driver.wait()?;
            bail!("it did not end within {PATIENCE:?}:\n{}", last(&place));
        }
        match model.hanging().as_deref() {
            Some("killed") => children(driver.id()).iter().for_each(|child| kill_group(*child)),
            Some("crashed") => {
                driver.kill()?;
                driver.wait()?;
                driver = start(&["resume", "tour", "--no-wait"])?;
            }
            Some(_) | None => {}
        }
        thread::sleep(Duration::from_millis(100));
    };
    let log = last(&place);
    if !status.success() {
        bail!("the run ended with {status}:\n{log}");
    }
    let seen = model.seen();
    for (step, _) in &steps {
        if !seen.same_session.contains(step) {
            bail!("the handoff of {step} was not asked for in the session of its work:\n{log}");
        }
        if step.ends_with("-bad") && !seen.asked_again.contains(step) {
            bail!("the bad handoff of {step} was not asked for again:\n{log}");
        }
    }
    for pair in steps.windows(2) {
        let (from, to) = (&pair[0].0, &pair[1].0);
        if !seen.handed_over.get(to).is_some_and(|told| told.contains(from)) {
            bail!("{to} was not told what {from} had done:\n{log}");
        }
    }
    let keep = std::env::var_os("BATON_AGENTS_SHOW").is_some();
    Ok(format!(
        "{} steps in {:.0?}, {} calls of the model{}",
        steps.len(),
        begun.elapsed(),
        seen.calls,
        if keep { format!("\n{log}") } else { String::new() }
    ))
}

fn last(place: &Path) -> String {
    let log = fs::read_to_string(place.join("log")).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(60)..].join("\n")
}

fn flow(players: &[Player], steps: &[(String, &str)]) -> String {
    let mut text = "flow: tour\nagents:\n".to_owned();
    for Player { agent, program } in players {
        let mut command = vec![program.display().to_string()];
        command.extend(agent.arguments.iter().map(|&argument| argument.to_owned()));
        let names: Vec<&str> = agent.variables.iter().map(|(name, _)| *name).collect();
        text += &format!(
            "  {}:\n    dialect: envelope\n    courier: {}\n    run: {command:?}\n    environment: {names:?}\n    time: 3m\n    permissions: deny\n",
            agent.name, agent.courier
        );
    }
    text += "steps:\n";
    for (step, agent) in steps {
        text += &format!("  - {step}: {{ agent: {agent}, task: \"Play the step {step}.\" }}\n");
    }
    text
}

/// The processes that a process has started.
fn children(parent: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers
        .filter(|number| {
            let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
            let behind = stat.rsplit(')').next().unwrap_or_default();
            behind.split_ascii_whitespace().nth(1) == Some(parent.to_string().as_str())
        })
        .collect()
}

/// Ends an agent with all that it started. It leads a group of its own, so that nobody else is meant.
fn kill_group(leader: u32) {
    // One that is gone already needs no signal.
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{leader}")]).stderr(Stdio::null()).status();
}
