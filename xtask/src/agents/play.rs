//! A flow across real agents, with all the troubles that are made on the way.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail, ensure};

use super::cast::Agent;
use super::model::{Model, Seen};

/// Troubles at a step: its first handoff is bad; the model refuses; is overloaded; cuts a message off; the agent is killed in
/// its turn; Baton is.
const TROUBLES: [&str; 6] = ["bad", "fault", "busy", "cut", "killed", "crashed"];

/// Time limit of one flow.
const PATIENCE: Duration = Duration::from_secs(900);

/// Time limit for a service to listen.
const SERVICE_PATIENCE: Duration = Duration::from_secs(240);

/// An agent with its program.
pub(super) struct Player {
    pub(super) agent: &'static Agent,
    pub(super) program: PathBuf,
}

impl Player {
    /// The program with its arguments.
    fn command(&self) -> Vec<String> {
        let modules = self.program.ancestors().find(|folder| folder.ends_with("node_modules"));
        let modules = modules.unwrap_or(&self.program).display().to_string();
        let arguments = self.agent.arguments.iter().map(|argument| argument.replace("{modules}", &modules));
        std::iter::once(self.program.display().to_string()).chain(arguments).collect()
    }

    fn plays(&self, step: &str) -> bool {
        step.rsplit_once('-').is_some_and(|(name, _)| name == self.agent.name)
    }
}

/// A service that ends when this is dropped.
struct Service(Child);

impl Service {
    fn start(mut command: Command, port: u16) -> Result<Self> {
        let mut service = Self(command.process_group(0).spawn().context("failed to start the service")?);
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if let Some(status) = service.0.try_wait()? {
                bail!("the service ended with {status}");
            }
            ensure!(
                begun.elapsed() < SERVICE_PATIENCE,
                "the service did not listen within {SERVICE_PATIENCE:?}"
            );
            thread::sleep(Duration::from_millis(100));
        }
        Ok(service)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        kill_group(self.0.id());
        // It has ended, or cannot be ended.
        let _ = self.0.wait();
    }
}

/// Plays one flow with all players in turn until every trouble was made, and returns a summary.
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
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let filled = |text: &str| {
        let text = text.replace("{url}", &model.url()).replace("{home}", &home.display().to_string());
        text.replace("{port}", &port.to_string())
    };
    for (path, text) in players.iter().flat_map(|player| player.agent.files) {
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&home))?;
        fs::write(path, filled(text))?;
    }
    fs::write(root.join("flows/tour.yaml"), flow(players, &steps))?;
    let command = |program: &Path| -> Result<Command> {
        let log = fs::OpenOptions::new().create(true).append(true).open(place.join("log"))?;
        let mut command = Command::new(program);
        command.current_dir(&root).env_clear().env("HOME", &home).stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let variables = players.iter().flat_map(|player| player.agent.variables);
        command.envs(variables.map(|(name, value)| (name, filled(value))));
        command.stdout(log.try_clone()?).stderr(log);
        Ok(command)
    };
    let mut services = Vec::new();
    for player in players {
        if let Some(words) = player.agent.service {
            let mut service = command(&player.program)?;
            service.args(&player.command()[1..]).args(words.iter().map(|word| filled(word)));
            services.push(Service::start(service, port).with_context(|| last(&place))?);
        }
    }
    let start = |words: &[&str]| command(baton)?.args(words).spawn().context("failed to start baton");
    let begun = Instant::now();
    let mut driver = start(&["run", "tour", "--name", "tour", "--no-wait"])?;
    let status = drive(&mut driver, &start, players, &model).map_err(|error| {
        anyhow!(
            "{error:#}:
{}",
            last(&place)
        )
    })?;
    drop(services);
    let log = last(&place);
    if !status.success() {
        bail!("the run ended with {status}:\n{log}");
    }
    let seen = model.seen();
    check(&steps, &seen).map_err(|error| anyhow!("{error:#}:\n{log}"))?;
    let keep = std::env::var_os("BATON_AGENTS_SHOW").is_some();
    Ok(format!(
        "{} steps in {:.0?}, {} calls of the model{}",
        steps.len(),
        begun.elapsed(),
        seen.calls,
        if keep { format!("\n{log}") } else { String::new() }
    ))
}

/// Waits for the end of the driver, and makes trouble whenever the model is asked to.
fn drive(
    driver: &mut Child,
    start: &dyn Fn(&[&str]) -> Result<Child>,
    players: &[Player],
    model: &Model,
) -> Result<ExitStatus> {
    let begun = Instant::now();
    loop {
        if let Some(status) = driver.try_wait()? {
            return Ok(status);
        }
        if begun.elapsed() > PATIENCE {
            driver.kill()?;
            driver.wait()?;
            bail!("it did not end within {PATIENCE:?}");
        }
        if let Some(step) = model.hanging() {
            if step.ends_with("-killed") {
                children(driver.id()).iter().for_each(|child| kill_group(*child));
            } else {
                driver.kill()?;
                driver.wait()?;
                *driver = start(&["resume", "tour", "--no-wait"])?;
            }
            // A service outlives the call, and is still at work.
            if players.iter().any(|player| player.agent.service.is_some() && player.plays(&step)) {
                model.release();
            }
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Checks that each step was told of the step before, and asked for its handoff as it should be.
fn check(steps: &[(String, &str)], seen: &Seen) -> Result<()> {
    for (step, _) in steps {
        if !seen.same_session.contains(step) {
            bail!("the handoff of {step} was not asked for in the session of its work");
        }
        if step.ends_with("-bad") && !seen.asked_again.contains(step) {
            bail!("the bad handoff of {step} was not asked for again");
        }
    }
    for pair in steps.windows(2) {
        let (from, to) = (&pair[0].0, &pair[1].0);
        if !seen.handed_over.get(to).is_some_and(|told| told.contains(from)) {
            bail!("{to} was not told what {from} had done");
        }
    }
    Ok(())
}

fn last(place: &Path) -> String {
    let log = fs::read_to_string(place.join("log")).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(60)..].join("\n")
}

fn flow(players: &[Player], steps: &[(String, &str)]) -> String {
    let is_walled = std::env::var_os("BATON_AGENTS_SANDBOX").is_some();
    let mut text = "flow: tour\nagents:\n".to_owned();
    for player in players {
        let (agent, command) = (player.agent, player.command());
        let names: Vec<&str> = agent.variables.iter().map(|(name, _)| *name).collect();
        text += &format!(
            "  {}:\n    dialect: envelope\n    courier: {}\n    run: {command:?}\n    environment: {names:?}\n    time: 3m\n",
            agent.name, agent.courier
        );
        if agent.courier == "acp" {
            text += "    permissions: deny\n";
        }
        if is_walled {
            let modules = player.program.ancestors().find(|folder| folder.ends_with("node_modules"));
            let modules = modules.unwrap_or(&player.program);
            text += &format!("    sandbox: required\n    readable: [{modules:?}]\n");
            if agent.courier == "acp" {
                // State of these agents; Baton knows that of Claude Code and Codex.
                text +=
                    "    writable: [~/.claude, ~/.codex, ~/.gemini, ~/.qwen, ~/.config, ~/.local/share]\n";
            }
        }
    }
    text += "steps:\n";
    for (step, agent) in steps {
        text += &format!("  - {step}: {{ agent: {agent}, task: \"Play the step {step}.\" }}\n");
    }
    text
}

/// Children of a process.
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

/// Ends an agent with its children. It leads a group of its own, which holds no other process.
fn kill_group(leader: u32) {
    // An ended group needs no signal.
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{leader}")]).stderr(Stdio::null()).status();
}
