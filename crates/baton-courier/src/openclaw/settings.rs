//! Settings of an agent of OpenClaw, as its owner writes them.

/// An agent of OpenClaw.
#[derive(Clone, Debug, Default)]
pub struct Openclaw {
    /// The program and its first arguments; `openclaw` unless said.
    pub command: Vec<String>,
    /// `agent:NAME:SESSION` is a session that it always works in, `agent:NAME` one for each delivery. It is `agent:main`
    /// unless said.
    pub session_key: Option<String>,
    /// Arguments behind all others.
    pub arguments: Vec<String>,
}
