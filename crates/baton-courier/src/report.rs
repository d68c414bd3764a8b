//! What a courier reports of an attempt, and what can go wrong with one.

use std::fmt;

use crate::Key;

/// Something that happened to an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The delivery.
    pub key: Key,
    /// Which of its attempts.
    pub attempt: u32,
    /// What happened.
    pub what: What,
}

/// What can happen to an attempt.
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
    /// What it comes down to.
    pub cause: Cause,
    /// What happened, for people.
    pub message: String,
    /// What would mend it, for people.
    pub hint: Option<String>,
    /// The last that the agent said, as it wrote it.
    pub last_words: Vec<u8>,
    /// What the agent wants to do, if it asks whether it may.
    pub wants: Option<Box<Wants>>,
}

/// Something that an agent wants to do and asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Names the request: the same for one that wants exactly the same.
    pub request: String,
    /// What it wants to do, for people.
    pub text: String,
}

impl Failure {
    /// A failure of which nothing more is known.
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

/// What the failure of an attempt comes down to.
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
    /// What was to be started does not exist.
    Missing,
    /// What was to be started may not be.
    Forbidden,
    /// The delivery cannot be made as it is.
    Impossible,
    /// A file, a pipe or a process of ours failed.
    Broken,
}

impl Cause {
    /// Whose fault it is.
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

    /// Whether the same delivery could end otherwise.
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

/// Whose fault a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nobody's: it was wanted.
    Nobody,
    /// The agent's.
    Agent,
    /// That of whoever set the agent up.
    Settings,
    /// That of whoever made the delivery.
    Delivery,
    /// The machine's.
    World,
}

/// Whether it makes sense to try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It may end otherwise.
    MayHelp,
    /// It may, once the question is answered.
    OnceAnswered,
    /// Something must be changed first.
    Pointless,
}
