//! Whether this process comes from an agent, and from which: from a program that a courier started, or from what that program
//! started in turn.
//!
//! It is asked before something is taken that is a person's to say, or another agent's. Known are: the variable that couriers
//! set, in this process and in its parents; parents that are noted as at work; and the session of a program that is noted, which
//! a process stays in when its parents are gone. Which agent it is says the note. Only where there is none the variables say it,
//! and only if those of all parents agree: any program can set variables for what it starts.
//!
//! Cannot: know a process that leaves its session and its parents with a clean environment, or that another program starts for
//! an agent (`cron`, a service). Cannot: keep an agent without a sandbox from writing notes of its own. Only a sandbox does.
//! Cannot: tell anything where the system has no `/proc`, beyond the variables of this process.

use std::fs;
use std::path::{Path, PathBuf};

use crate::leash::{self, Noted};
use crate::process::Process;

/// The variable by which what an agent starts is known: couriers set it, and people have no use for it.
pub(crate) const MARK: &str = "BATON_ATTEMPT";
/// The variable that names the agent.
pub(crate) const RECEIVER: &str = "BATON_RECEIVER";
/// The variable that names the project.
pub(crate) const ROOT: &str = "BATON_ROOT";

/// How many parents are looked at; a line that long is nobody's at a terminal.
const PARENTS_MAX: usize = 1_000;

/// The agent that a process comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Which agent that is, if it is known.
    pub agent: Option<Identity>,
}

/// An agent at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name.
    pub name: String,
    /// The project that it works in; any if it is not known.
    pub root: Option<PathBuf>,
}

impl Identity {
    /// Whether this is the agent of a name in a project.
    #[must_use]
    pub fn is(&self, root: &Path, name: &str) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.name == name && self.root.as_deref().is_none_or(|own| real(own) == real(root))
    }
}

/// The agent that this process comes from; nothing if none is known.
#[must_use]
pub fn origin() -> Option<Origin> {
    let own = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    origin_of(std::process::id(), &leash::noted(), claim(own).into_iter().collect())
}

/// The agent that a process comes from, given the programs that are at work.
fn origin_of(mut number: u32, noted: &[Noted], mut claims: Vec<Option<Identity>>) -> Option<Origin> {
    for _ in 0..PARENTS_MAX {
        let Some(process) = Process::of(number) else { break };
        if let Some(agent) = leader(number, &process, noted) {
            return Some(Origin { agent });
        }
        claims.extend(claim_of(number));
        // What began its session may be there still, where the parents in between are gone.
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

/// The agent whose program a process is, or in whose session it is; the outer nothing if it is in none.
fn leader(number: u32, process: &Process, noted: &[Noted]) -> Option<Option<Identity>> {
    let is_leader = |note: &&Noted| {
        let is_it = note.number == number && note.born == process.born;
        // The number of a session stays taken until the last process has left it, whatever became of the first.
        let begun = || Process::of(process.session).is_none_or(|first| first.born == note.born);
        is_it || (note.number == process.session && begun())
    };
    let notes: Vec<&Noted> = noted.iter().filter(is_leader).collect();
    let works_for = notes.iter().find_map(|note| note.works_for.as_ref());
    let agent = works_for.map(|works_for| Identity {
        name: works_for.agent.clone(),
        root: Some(PathBuf::from(&works_for.root)),
    });
    (!notes.is_empty()).then_some(agent)
}

/// What a process was started with says of itself; nothing if it is not said to be of an agent. What belongs to another user is
/// no agent of this one.
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

/// What variables say of whose they are; the outer nothing if they are not those of an agent.
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
    use crate::leash::WorksFor;

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

    fn note(number: u32, agent: &str) -> Noted {
        let born = Process::of(number).map_or_else(|| "0".to_owned(), |process| process.born);
        let works_for = WorksFor { root: "/p".to_owned(), key: "run/1".to_owned(), agent: agent.to_owned() };
        Noted { number, born, works_for: Some(works_for) }
    }

    /// A program that leads a session, and what it started: the number of a process of which the parents are gone.
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
            let other = Noted { born: "1".to_owned(), ..noted[0].clone() };
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
            let agent = |noted: &[Noted], own: Vec<Option<Identity>>| {
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
