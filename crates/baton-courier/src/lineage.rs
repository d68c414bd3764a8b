//! Whether this process comes from an agent: from a program that a courier started, or from one of that program's children.
//!
//! It is asked before something is taken that is a person's to say. A process that leaves its parents behind and cleans its
//! environment is not known again: only a sandbox keeps an agent from that.
//!
//! Cannot: tell anything where the system has no `/proc`, beyond the variables of this process.

use std::fs;

use crate::leash;
use crate::process::Process;

/// The variable by which what an agent starts is known: couriers set it, and people have no use for it.
pub(crate) const MARK: &str = "BATON_ATTEMPT";

/// How many parents are looked at; a line that long is nobody's at a terminal.
const PARENTS_MAX: usize = 1_000;

/// Whether this process comes from an agent.
pub fn is_of_agent() -> bool {
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let noted = leash::noted();
    let mut number = std::process::id();
    for _ in 0..PARENTS_MAX {
        let Some(process) = Process::of(number) else { return false };
        if noted.contains(&(number, process.born)) || is_marked(number) {
            return true;
        }
        if process.parent <= 1 {
            return false;
        }
        number = process.parent;
    }
    true
}

/// Whether a process was started with the variable of agents. What belongs to somebody else is nobody's agent.
fn is_marked(number: u32) -> bool {
    let Ok(variables) = fs::read(format!("/proc/{number}/environ")) else { return false };
    let has_name =
        |variable: &[u8]| variable.strip_prefix(MARK.as_bytes()).is_some_and(|rest| rest.starts_with(b"="));
    variables.split(|byte| *byte == 0).any(has_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_the_variable_that_it_was_started_with() {
        let start = |name: &str| {
            let mut command = std::process::Command::new("sleep");
            command.arg("60").env_clear().env(name, "1").spawn().expect("it starts")
        };
        let (mut agent, mut other) = (start(MARK), start("BATON_ATTEMPTS"));
        if Process::of(agent.id()).is_some() {
            assert!(is_marked(agent.id()) && !is_marked(other.id()));
        }
        for child in [&mut agent, &mut other] {
            child.kill().expect("it ends");
            child.wait().expect("it is reaped");
        }
    }
}
