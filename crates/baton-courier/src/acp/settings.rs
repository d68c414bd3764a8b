//! Settings of an agent that speaks the Agent Client Protocol, as its owner writes them.

/// An agent that speaks the Agent Client Protocol.
#[derive(Clone, Debug)]
pub struct Acp {
    /// The program, with the arguments that make it speak the protocol.
    pub command: Vec<String>,
    /// Further arguments.
    pub arguments: Vec<String>,
    /// Reply to its requests for permission.
    pub permissions: Policy,
    /// Allows a new session for its work when it has lost the old one.
    pub restarts: bool,
    /// The model, where the agent offers a choice.
    pub model: Option<String>,
}

/// Reply to requests for permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Policy {
    /// A person says it for the delivery; the attempt ends with the question.
    #[default]
    Ask,
    /// Yes, each time.
    Allow,
    /// No, each time.
    Deny,
}
