//! The agent that this process comes from: a program that a courier started, or a descendant of one.
//!
//! It is looked up before an answer that belongs to a person, or to another agent, is accepted. Evidence is: the variable that
//! couriers set, in this process and in its parents; parents with a note of a process lock; and the session of a noted process,
//! which outlives parents. The note names the agent. Without a note the variables do, if those of all parents agree: any
//! program can set variables for its children.
//!
//! Cannot: recognise a process that leaves its session and its parents with a clean environment, or that a service (`cron`)
//! starts for an agent. Cannot: keep an agent without a sandbox from writing notes of its own. Only a sandbox does.
//! Cannot: use more than the variables of this process where the system has no `/proc`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::Process;
use crate::process_lock::{self, ProcessNote};

/// Variable that couriers set for agents, and that people have no use for.
pub(crate) const MARK: &str = "BATON_ATTEMPT";
/// The variable that names the agent.
pub(crate) const RECEIVER: &str = "BATON_RECEIVER";
/// The variable that names the project.
pub(crate) const ROOT: &str = "BATON_ROOT";

/// Limit of the parents that are followed; no terminal session is that deep.
const PARENTS_MAX: usize = 1_000;

/// Origin of a process: an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The agent, if known.
    pub agent: Option<Identity>,
}

/// An agent at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name.
    pub name: String,
    /// Its project; `None` matches any.
    pub root: Option<PathBuf>,
}

impl Identity {
    /// Tells whether this is the named agent of a project.
    #[must_use]
    pub fn is(&self, root: &Path, name: &str) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.name == name && self.root.as_deref().is_none_or(|own| real(own) == real(root))
    }
}

/// Origin of this process; `None` if it comes from no known agent.
#[must_use]
pub fn origin() -> Option<Origin> {
    let own = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    origin_of(std::process::id(), &process_lock::noted(), claim(own).into_iter().collect())
}

/// Origin of a process, given the notes of processes at work.
fn origin_of(mut number: u32, noted: &[ProcessNote], mut claims: Vec<Option<Identity>>) -> Option<Origin> {
    for _ in 0..PARENTS_MAX {
        let Some(process) = Process::of(number) else { break };
        if let Some(agent) = leader(number, &process, noted) {
            return Some(Origin { agent });
        }
        claims.extend(claim_of(number));
        // The process that began its session may outlive the parents in between.
        claims.extend(claim_of(process.session));
        if process.parent <= 1 {
            break;
        }
        number = process.parent;
    }
    let first = claims.first()?.clone();
    let is_agreed = claims.iter().all(|claim| *claim == first);
    Some(Origin { agent: first.filter(|_| is_agreed) })
}

/// The agent whose program or session a process belongs to; the outer `None` without such a session.
fn leader(number: u32, process: &Process, noted: &[ProcessNote]) -> Option<Option<Identity>> {
    let is_leader = |note: &&ProcessNote| {
        let is_it = note.number == number && note.born == process.born;
        // The number of a session stays in use until its last process has ended, even if its first has ended long before.
        let begun = || Process::of(process.session).is_none_or(|first| first.born == note.born);
        is_it || (note.number == process.session && begun())
    };
    let notes: Vec<&ProcessNote> = noted.iter().filter(is_leader).collect();
    let assignment = notes.iter().find_map(|note| note.assignment.as_ref());
    let agent = assignment.map(|assignment| Identity {
        name: assignment.agent.clone(),
        root: Some(PathBuf::from(&assignment.root)),
    });
    (!notes.is_empty()).then_some(agent)
}

/// Claim in the environment of a process; `None` without one. A process of another user is no agent of this one.
fn claim_of(number: u32) -> Option<Option<Identity>> {
    let variables = fs::read(format!("/proc/{number}/environ")).ok()?;
    claim(|name| {
        let behind = |variable: &[u8]| {
            let value = variable.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
            Some(String::from_utf8_lossy(value).into_owned())
        };
        variables.split(|byte| *byte == 0).find_map(behind)
    })
}

/// Claim in a set of variables; the outer `None` if they are not those of an agent.
fn claim(variable: impl Fn(&str) -> Option<String>) -> Option<Option<Identity>> {
    variable(MARK)?;
    let root = variable(ROOT).map(PathBuf::from);
    Some(variable(RECEIVER).map(|name| Identity { name, root }))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Child, Command, Stdio};

    use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};

    use super::*;
    use crate::process_lock::Assignment;

    fn ended(mut child: Child) {
        child.kill().expect("it ends");
        child.wait().expect("it is reaped");
    }

    #[test]
    fn a_process_is_known_by_the_variable_that_it_was_started_with() {
        let start = |name: &str| {
            let mut command = Command::new("sleep");
            command.arg("60").env_clear().env(name, "1").spawn().expect("it starts")
        };
        let (agent, other) = (start(MARK), start("BATON_ATTEMPTS"));
        if Process::of(agent.id()).is_some() {
            let origin = |child: &Child| origin_of(child.id(), &[], Vec::new());
            assert_eq!(origin(&agent), Some(Origin { agent: None }));
            assert_eq!(origin(&other), None);
        }
        ended(agent);
        ended(other);
    }

    fn note(number: u32, agent: &str) -> ProcessNote {
        let born = Process::of(number).map_or_else(|| "0".to_owned(), |process| process.born);
        let assignment =
            Assignment { root: "/p".to_owned(), key: "run/1".to_owned(), agent: agent.to_owned() };
        ProcessNote { number, born, assignment: Some(assignment) }
    }

    /// Leader of a session, and the number of a descendant whose parents have ended.
    fn forked_twice() -> (Box<dyn ChildWrapper>, u32) {
        let mut command = Command::new("sh");
        // The shell in between ends at once; what it leaves is a child of another process.
        command.args(["-c", "(sleep 60 & echo $!); read -r _"]).env_clear();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let child = CommandWrap::from(command).wrap(ProcessSession).spawn().expect("it starts");
        // The program alone: the rest of its group outlives it.
        let mut child = child.into_inner();
        let mut line = String::new();
        let said = child.stdout().take().expect("it has a pipe");
        BufReader::new(said).read_line(&mut line).expect("it says a number");
        (child, line.trim().parse().expect("a number"))
    }

    #[test]
    fn a_process_that_lost_its_parents_is_known_by_its_session() {
        let (mut child, number) = forked_twice();
        if let Some(process) = Process::of(number) {
            assert_ne!(process.parent, child.id(), "its parents are gone");
            let noted = [note(child.id(), "ada")];
            let agent = origin_of(number, &noted, Vec::new()).and_then(|origin| origin.agent);
            assert!(agent.is_some_and(|agent| agent.is(Path::new("/p"), "ada")));
            let other = ProcessNote { born: "1".to_owned(), ..noted[0].clone() };
            assert_eq!(origin_of(number, &[other], Vec::new()), None, "another program of the same number");
            // Also when the program that began the session has ended.
            drop(child.stdin().take());
            child.wait().expect("it is reaped");
            assert!(origin_of(number, &noted, Vec::new()).is_some());
        }
        let _ = rustix::process::kill_process(
            rustix::process::Pid::from_raw(number.cast_signed()).expect("a number"),
            rustix::process::Signal::KILL,
        );
        let _ = child.start_kill().and_then(|()| child.wait());
    }

    #[test]
    fn which_agent_it_is_says_the_note_and_no_variable() {
        let mut command = Command::new("sleep");
        command.arg("60").env_clear().env(MARK, "1").env("BATON_RECEIVER", "ben").env("BATON_KEY", "other/1");
        let child = command.spawn().expect("it starts");
        if Process::of(child.id()).is_some() {
            let agent = |noted: &[ProcessNote], own: Vec<Option<Identity>>| {
                let origin = origin_of(child.id(), noted, own).expect("an agent");
                origin.agent.map(|agent| agent.name)
            };
            let says = |name: &str| Some(Identity { name: name.to_owned(), root: None });
            assert_eq!(agent(&[note(child.id(), "ada")], vec![says("ben")]).as_deref(), Some("ada"));
            assert_eq!(agent(&[], vec![says("ben")]).as_deref(), Some("ben"), "there is no note");
            assert_eq!(agent(&[], vec![says("cleo")]), None, "one of them was made up");
        }
        ended(child);
    }
}
