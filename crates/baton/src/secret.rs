//! The key with which a person signs: from the environment, or typed where nobody sees it.
//!
//! Agents are given neither: their environment lacks what begins with `BATON_`, and they have no terminal. What an agent
//! starts is refused by whom it comes from, as far as the system tells.

use baton_engine::people::GateKey;

use crate::outcome::Failure;

/// Where the key is, for machines.
const VARIABLE: &str = "BATON_GATE_KEY";

/// Keeps other processes of the same user from reading the key out of this one, where there is one.
///
/// An agent may look into `/proc` for the environment of whoever started it.
pub(crate) fn guard() {
    #[cfg(target_os = "linux")]
    if std::env::var_os(VARIABLE).is_some() {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // Where it is not allowed, nothing is worse than before.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// The key of the person who answers. An agent without a sandbox may make up one of its own: whether what is signed with it may
/// be handed in says `authority.rs`.
pub(crate) fn key() -> Result<GateKey, Failure> {
    let text = match std::env::var(VARIABLE) {
        Ok(text) => text,
        Err(_) => typed()?,
    };
    GateKey::from_text(&text).ok_or_else(|| Failure::Refused {
        message: "an empty passphrase signs nothing".to_owned(),
        hint: Some(format!("type your passphrase, or set {VARIABLE}")),
    })
}

#[cfg(unix)]
fn typed() -> Result<String, Failure> {
    use std::fs::OpenOptions;
    use std::io::{BufRead, BufReader, Write};

    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

    let Ok(mut terminal) = OpenOptions::new().read(true).write(true).open("/dev/tty") else {
        return Err(no_terminal());
    };
    let seen = tcgetattr(&terminal).map_err(|_| no_terminal())?;
    let mut unseen = seen.clone();
    unseen.local_modes.remove(LocalModes::ECHO);
    let failed = |error: std::io::Error| Failure::world(format!("cannot ask for the passphrase: {error}"));
    write!(terminal, "Passphrase of your key: ").and_then(|()| terminal.flush()).map_err(failed)?;
    tcsetattr(&terminal, OptionalActions::Now, &unseen).map_err(|error| failed(error.into()))?;
    let mut line = String::new();
    let read = BufReader::new(&terminal).read_line(&mut line);
    tcsetattr(&terminal, OptionalActions::Now, &seen).map_err(|error| failed(error.into()))?;
    writeln!(terminal).map_err(failed)?;
    read.map_err(failed)?;
    Ok(line)
}

#[cfg(not(unix))]
fn typed() -> Result<String, Failure> {
    Err(no_terminal())
}

fn no_terminal() -> Failure {
    Failure::Refused {
        message: "only a person may answer a gate, and there is no terminal to ask one".to_owned(),
        hint: Some(format!("answer in a terminal, or set {VARIABLE}")),
    }
}
