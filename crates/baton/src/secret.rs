//! The key with which a person signs: typed where it is not shown, or from the environment.
//!
//! Agents are given neither: their environment lacks what begins with `BATON_`, and they have no terminal. What an agent
//! starts is refused by whom it comes from, as far as the system tells.
//! Invariant: nothing reads a key before this process is closed to others, and what was read is wiped when it is dropped.

use baton_engine::service::Fault;
use baton_engine::service::project::people::Secret;
use zeroize::Zeroizing;

/// Where the key is, for machines.
const VARIABLE: &str = "BATON_GATE_KEY";
/// Bytes that are read of a passphrase; no terminal gives more of one line.
#[cfg(unix)]
const TYPED_BYTES_MAX: usize = 4096;

/// Closes this process to others of the same user from its start, where a key is in its environment.
pub(crate) fn guard() {
    if std::env::var_os(VARIABLE).is_some() {
        close();
    }
}

/// Keeps other processes of the same user from reading the memory and the environment of this one, and the system from writing it
/// to a file should it crash.
fn close() {
    // Where one of these is not allowed, nothing is worse than before.
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = Rlimit { current: Some(0), maximum: getrlimit(Resource::Core).maximum };
        let _ = setrlimit(Resource::Core, limit);
    }
}

/// What a person typed, or what is in the environment.
pub(crate) fn secret() -> Result<Secret, Fault> {
    close();
    let text = match std::env::var(VARIABLE) {
        Ok(text) => Zeroizing::new(text),
        Err(_) => typed()?,
    };
    Secret::from_text(&text).ok_or_else(|| {
        Fault::refused(
            if text.trim().is_empty() {
                "an empty passphrase signs nothing".to_owned()
            } else {
                format!("this passphrase is too long: {} bytes", text.len())
            },
            Some(format!("type your passphrase, or set {VARIABLE}")),
        )
    })
}

#[cfg(unix)]
fn typed() -> Result<Zeroizing<String>, Fault> {
    use std::fs::OpenOptions;
    use std::io::Write;

    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

    let Ok(mut terminal) = OpenOptions::new().read(true).write(true).open("/dev/tty") else {
        return Err(no_terminal());
    };
    let seen = tcgetattr(&terminal).map_err(|_| no_terminal())?;
    let mut unseen = seen.clone();
    unseen.local_modes.remove(LocalModes::ECHO);
    let failed = |error: std::io::Error| Fault::failed(format!("cannot ask for the passphrase: {error}"));
    // Before it is asked for: what is typed at once would be shown. What was typed before was not meant for this.
    tcsetattr(&terminal, OptionalActions::Flush, &unseen).map_err(|error| failed(error.into()))?;
    let asked = write!(terminal, "Passphrase of your key: ").and_then(|()| terminal.flush());
    let read = asked.and_then(|()| line(&mut terminal));
    tcsetattr(&terminal, OptionalActions::Now, &seen).map_err(|error| failed(error.into()))?;
    writeln!(terminal).map_err(failed)?;
    read.map_err(failed)
}

/// Reads one line. Without a buffer of its own, so that nothing but what is given back has to be wiped.
#[cfg(unix)]
fn line(mut from: impl std::io::Read) -> std::io::Result<Zeroizing<String>> {
    use std::io::{Error, ErrorKind};

    let mut bytes = Zeroizing::new([0; TYPED_BYTES_MAX]);
    let mut length = 0;
    while length < bytes.len() && !bytes[..length].contains(&b'\n') {
        match from.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let end = bytes[..length].iter().position(|byte| *byte == b'\n').unwrap_or(length);
    let text = std::str::from_utf8(&bytes[..end]);
    text.map(|text| Zeroizing::new(text.to_owned()))
        .map_err(|_| Error::new(ErrorKind::InvalidData, "it is no text in UTF-8"))
}

#[cfg(not(unix))]
fn typed() -> Result<Zeroizing<String>, Fault> {
    Err(no_terminal())
}

fn no_terminal() -> Fault {
    Fault::refused(
        "only a person may answer a gate, and there is no terminal to ask one".to_owned(),
        Some(format!("answer in a terminal, or set {VARIABLE}")),
    )
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_typed_line_ends_with_its_break_and_has_an_end() {
        let typed = |bytes: &[u8]| line(bytes).map(|text| text.to_string()).ok();
        assert_eq!(typed(b"correct horse\nmore").as_deref(), Some("correct horse"));
        assert_eq!(typed(b"correct horse").as_deref(), Some("correct horse"));
        assert_eq!(typed(&[b'x'; 1 << 20]).map(|text| text.len()), Some(TYPED_BYTES_MAX));
        assert_eq!(typed(b"\xff\n"), None);
    }
}
