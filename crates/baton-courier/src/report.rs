//! Reports of an attempt, and the causes of its failure.

use std::fmt;

use crate::key::Key;

/// Report of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The delivery.
    pub key: Key,
    /// Which of its attempts.
    pub attempt: u32,
    /// The event.
    pub what: What,
}

/// Event of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The agent said something about its work: one line, as it wrote it.
    Progress(Vec<u8>),
    /// The handoff that the agent is working on, as it is now.
    Draft(Vec<u8>),
    /// The agent wants to know something.
    Question(String),
    /// The session by which the agent can be asked again.
    Session(String),
    /// The agent has answered; the attempt is over.
    Answer(Vec<u8>),
    /// There will be no answer; the attempt is over.
    Failure(Failure),
}

impl What {
    /// Tells whether the attempt is over with this.
    #[must_use]
    pub fn is_final(&self) -> bool {
        match self {
            Self::Answer(_) | Self::Failure(_) => true,
            Self::Progress(_) | Self::Draft(_) | Self::Question(_) | Self::Session(_) => false,
        }
    }
}

/// Why an attempt has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Cause.
    pub cause: Cause,
    /// Message for people.
    pub message: String,
    /// Fix, for people.
    pub hint: Option<String>,
    /// The last that the agent said, as it wrote it.
    pub last_words: Vec<u8>,
    /// Request for permission that ended the attempt.
    pub wants: Option<Box<Wants>>,
}

/// Something that an agent wants to do and asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Names the request: the same for one that wants exactly the same.
    pub request: String,
    /// Description for people.
    pub text: String,
}

impl Failure {
    /// A failure without further details.
    #[must_use]
    pub fn new(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause, message: message.into(), hint: None, last_words: Vec::new(), wants: None }
    }

    /// The same with what would mend it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// Cause of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It was stopped on request, or because the courier was dropped.
    Stopped,
    /// It took too long.
    TimeUp,
    /// It said too much.
    TooMuch,
    /// It ended well but said nothing.
    Empty,
    /// It asked a question and ended without an answer.
    Asked,
    /// It asked whether it may do something, which its courier may not say.
    Permission,
    /// It ended with this exit code, which is not 0.
    Exited(i32),
    /// It was ended by this signal.
    Killed(i32),
    /// It said that it failed.
    Failed,
    /// It answered with this HTTP status, which is no success.
    Status(u16),
    /// It could not be reached, or the connection to it was lost.
    Unreachable,
    /// The program does not exist.
    Missing,
    /// The program may not be executed.
    Forbidden,
    /// The delivery cannot be made as it is.
    Impossible,
    /// A file, a pipe or a process of ours failed.
    Broken,
}

impl Cause {
    /// Party at fault.
    #[must_use]
    pub fn fault(self) -> Fault {
        match self {
            Self::Stopped => Fault::Nobody,
            Self::TimeUp
            | Self::TooMuch
            | Self::Empty
            | Self::Asked
            | Self::Permission
            | Self::Exited(_)
            | Self::Killed(_)
            | Self::Failed
            | Self::Status(_) => Fault::Agent,
            Self::Missing | Self::Forbidden => Fault::Settings,
            Self::Impossible => Fault::Delivery,
            Self::Unreachable | Self::Broken => Fault::World,
        }
    }

    /// Use of a retry.
    #[must_use]
    pub fn again(self) -> Again {
        match self {
            Self::Stopped
            | Self::TimeUp
            | Self::TooMuch
            | Self::Empty
            | Self::Exited(_)
            | Self::Killed(_)
            | Self::Failed
            | Self::Unreachable
            | Self::Broken => Again::MayHelp,
            // Too early, too often, already at work on it, or out of order: all of that passes.
            Self::Status(408 | 409 | 425 | 429 | 500..) => Again::MayHelp,
            Self::Asked | Self::Permission => Again::OnceAnswered,
            Self::Status(_) | Self::Missing | Self::Forbidden | Self::Impossible => Again::Pointless,
        }
    }
}

/// Party at fault for a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// None: the end was requested.
    Nobody,
    /// The agent's.
    Agent,
    /// The settings of the agent.
    Settings,
    /// The delivery.
    Delivery,
    /// The machine's.
    World,
}

/// Use of a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// A retry may succeed.
    MayHelp,
    /// A retry may succeed after an answer.
    OnceAnswered,
    /// Something must be changed first.
    Pointless,
}
