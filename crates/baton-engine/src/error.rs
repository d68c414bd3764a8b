//! What can go wrong, and whose fault it is: refusals are answers, failures are the world's.

use std::fmt;
use std::path::PathBuf;

use baton_kernel::Refusal;

/// What names of Baton's own streams start with.
pub(crate) const RESERVED: &str = "baton/";

/// Why something was not done.
#[derive(Debug)]
pub enum Problem {
    /// The state of things does not allow it.
    Refused(Refused),
    /// The world failed.
    Failed(Error),
}

/// Something that the state of things does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The run says no.
    Run(Refusal),
    /// The ledger says no.
    Ledger(baton_ledger::Refused),
    /// There is no such run.
    NoRun {
        /// Its name.
        run: String,
    },
    /// The run is not over, and may still need its texts.
    NotOver {
        /// Its name.
        run: String,
    },
    /// Another run has the same text, and is not over.
    StillHeld {
        /// Its name.
        run: String,
    },
    /// Baton itself writes under names like this.
    Reserved {
        /// The name.
        run: String,
    },
    /// The environment of a run cannot be made from the files that it has pinned.
    NoEnvironment {
        /// The run.
        run: String,
        /// The reason.
        why: String,
        /// What would help.
        hint: &'static str,
    },
    /// The same decision was handed in before, and waits to be taken.
    Posted {
        /// The run.
        run: String,
    },
    /// What was signed is not what is asked, or the signature is none.
    BadSignature,
    /// The answer was signed for the ledger of another project, or for a copy of this one.
    OtherLedger,
    /// The answer was signed before answers named the ledger that they are for.
    OlderAnswer,
    /// More people with a passphrase are listed than are tried for one answer.
    ManyPeople {
        /// How many were tried.
        tried: usize,
    },
    /// The signature is right, but nobody of the project has that key.
    UnknownPerson {
        /// The public key.
        key: String,
        /// The people that are known.
        known: String,
    },
    /// Baton itself reaches this agent, and takes its answers from nobody else.
    NoInbox {
        /// The agent.
        agent: String,
    },
    /// A name would be recorded that holds a secret.
    Secret {
        /// What the name is of.
        of: &'static str,
        /// What the secret is.
        is: &'static str,
        /// Its fingerprint.
        fingerprint: String,
    },
    /// What is wanted cannot be asked like this.
    RunRequest {
        /// Why.
        what: String,
    },
}

/// A failure of the world.
#[derive(Debug)]
pub enum Error {
    /// The ledger failed.
    Ledger(baton_ledger::Error),
    /// A record of a run does not say what this Baton can read.
    History {
        /// The run.
        run: String,
        /// The record.
        seq: u64,
        /// What is wrong with it.
        what: String,
    },
    /// The folder in which Baton keeps its record is not safe to use.
    Folder {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A file of the project could not be kept.
    File {
        /// The file, from the root.
        path: String,
        /// What is wrong with it.
        what: String,
    },
}

impl Refused {
    /// What would be possible instead, if there is something.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Run(refusal) => refusal.hint(),
            Self::Ledger(refused) => Some(refused.hint()),
            Self::NoRun { .. } => Some("`baton runs` lists the runs"),
            Self::NotOver { .. } | Self::StillHeld { .. } => {
                Some("let it come to its end, or end it with `baton cancel`; then erase again")
            }
            Self::NoEnvironment { hint, .. } => Some(hint),
            Self::Reserved { .. } => Some("give it another name"),
            Self::Posted { .. } => Some("`baton resume RUN` lets the run go on with it"),
            Self::BadSignature => Some("sign the answer with a person's key: set BATON_GATE_KEY"),
            Self::OtherLedger | Self::OlderAnswer => {
                Some("answer again, here: `baton gate list` shows what is open")
            }
            Self::ManyPeople { .. } => Some("say who you are: --as NAME"),
            Self::UnknownPerson { .. } => {
                Some("a person must be in `[people]` of baton.toml when the run starts")
            }
            Self::NoInbox { .. } => Some("only agents with `inbox: true` hand in their answers"),
            Self::Secret { .. } => Some("take the secret out, and revoke it if it is one"),
            Self::RunRequest { .. } => None,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(refusal) => refusal.fmt(out),
            Self::Ledger(refused) => refused.fmt(out),
            Self::NoRun { run } => write!(out, "there is no run {run}"),
            Self::NotOver { run } => write!(out, "{run} is not over, and may still need its texts"),
            Self::StillHeld { run } => {
                write!(out, "{run} has the same text and may still need it: it is not over")
            }
            Self::NoEnvironment { run, why, .. } => write!(out, "{run}: {why}"),
            Self::Reserved { run } => {
                write!(out, "{run} is no name for a run: what starts with `{RESERVED}` is Baton's own")
            }
            Self::Posted { run } => write!(out, "this was answered before, and waits for {run} to go on"),
            Self::BadSignature => {
                out.write_str("the answer is not signed by a person for what is asked here")
            }
            Self::OtherLedger => {
                out.write_str("the answer is not for this ledger: it was signed in another one")
            }
            Self::OlderAnswer => {
                out.write_str("the answer does not name the ledger that it is for: an older Baton signed it")
            }
            Self::ManyPeople { tried } => {
                write!(out, "the key of none of the first {tried} people who were tried, and there are more")
            }
            Self::UnknownPerson { key, known } => {
                write!(out, "nobody of this project has the key {key}; it knows {known}")
            }
            Self::NoInbox { agent } => write!(out, "Baton itself reaches {agent} and hears it"),
            Self::Secret { of, is, fingerprint } => {
                write!(out, "{is} in the name of a {of}, which would be recorded ({fingerprint})")
            }
            Self::RunRequest { what } => out.write_str(what),
        }
    }
}

impl Error {
    /// What would help.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Ledger(error) => error.hint(),
            Self::History { .. } => "a newer Baton may have written it; use that one",
            Self::Folder { .. } => "move it away, or make it a folder of your own; nothing in it was touched",
            Self::File { .. } => "mend it and go on: nothing of the run is lost",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ledger(error) => error.fmt(out),
            Self::History { run, seq, what } => write!(out, "read record {seq} of {run}: {what}"),
            Self::Folder { path, what } => write!(out, "{}: {what}", path.display()),
            Self::File { path, what } => write!(out, "keep {path}: {what}"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(out),
            Self::Failed(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Ledger(error) => Some(error),
            Self::History { .. } | Self::Folder { .. } | Self::File { .. } => None,
        }
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Failed(error) => Some(error),
            Self::Refused(_) => None,
        }
    }
}

impl From<baton_ledger::Error> for Error {
    fn from(error: baton_ledger::Error) -> Self {
        Self::Ledger(error)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<baton_ledger::Error> for Problem {
    fn from(error: baton_ledger::Error) -> Self {
        Self::Failed(Error::Ledger(error))
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Refused::Run(refusal))
    }
}

impl From<baton_ledger::Refused> for Problem {
    fn from(refused: baton_ledger::Refused) -> Self {
        Self::Refused(Refused::Ledger(refused))
    }
}
