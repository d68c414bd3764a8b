//! The words of flow files: each closed set with how it is written.

/// A closed set of words.
pub trait Word: Copy + PartialEq + 'static {
    /// The members with their words; other words for a member stand behind its own.
    const WORDS: &'static [(&'static str, Self)];

    /// The member that a word names, in letters of any size.
    fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(own, _)| own.eq_ignore_ascii_case(word)).map(|(_, member)| *member)
    }

    /// The word of a member.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, member)| *member == self).map_or("", |(word, _)| word)
    }
}

/// Makes a set of words: one line for each member.
macro_rules! words {
    ($(#[$of:meta])* $name:ident { $($(#[$about:meta])* $member:ident = $word:literal $(| $also:literal)*,)+ }) => {
        $(#[$of])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$about])* $member,)+
        }

        impl Word for $name {
            const WORDS: &'static [(&'static str, Self)] =
                &[$(($word, $name::$member), $(($also, $name::$member),)*)+];
        }
    };
}

words! {
    /// Outcome of the work of a step.
    Outcome {
        /// Complete.
        Done = "done",
        /// Complete, with concerns.
        Concerns = "concerns",
        /// Some of it is done.
        Partial = "partial",
        /// It cannot go on without a person.
        Blocked = "blocked",
        /// It broke.
        Failed = "failed",
        /// There was nothing to do.
        Skipped = "skipped",
    }
}

words! {
    /// Part of the work before a step that is handed on.
    #[derive(Default)]
    Passes {
        /// All of it.
        #[default]
        All = "all",
        /// Only the summary.
        Summary = "summary",
    }
}

words! {
    /// Evidence that must hold for an answer to count.
    Verify {
        /// The files that it names.
        Artifacts = "artifacts",
        /// Its files, and its commands when they are run again.
        Rerun = "rerun",
    }
}

words! {
    /// Handling of a time-out.
    #[derive(Default)]
    OnTime {
        /// It is tried again.
        #[default]
        Retry = "retry",
        /// The run halts.
        Stop = "stop",
        /// A person is asked.
        Ask = "ask",
    }
}

words! {
    /// Handling of used-up rounds of a loop.
    OnCap {
        /// The loop is left, with its concerns.
        GoOn = "go-on",
        /// A person is asked.
        Ask = "ask",
    }
}

words! {
    /// Kind of a gate.
    GateWord {
        /// It never passes without an answer.
        Blocking = "blocking" | "bloquante" | "bloquant",
        /// It goes on if unanswered when the answer is due.
        Informative = "informative" | "informatif" | "advisory",
        /// It passes when its checks hold.
        Auto = "auto" | "automatique" | "automatic",
    }
}

words! {
    /// When joined branches count as passed.
    JoinWord {
        /// All have ended.
        AllComplete = "all-complete",
        /// All are verified.
        AllVerified = "all-verified",
        /// One is verified.
        AnyVerified = "any-verified",
        /// One has ended that is not blocked.
        First = "first",
        /// All pass.
        AllMustPass = "all-must-pass",
        /// One passes.
        AnyPass = "any-pass",
        /// More than half pass.
        MajorityPass = "majority-pass",
    }
}

words! {
    /// Which status of the branches the joined one is.
    StatusWord {
        /// The worst of those that ended.
        Worst = "worst",
        /// The best of those that ended.
        Best = "best",
    }
}

words! {
    /// True if work that may have begun may be begun again without asking.
    Restart {
        /// Its work has no effects that may not happen twice.
        Safe = "safe",
        /// A person decides.
        Ask = "ask",
    }
}

words! {
    /// True if an agent runs in a sandbox.
    SandboxWord {
        /// It does, or it does not run.
        Required = "required",
        /// It does where a sandbox works.
        WhenAvailable = "when-available",
        /// It does not.
        None = "none",
    }
}

impl SandboxWord {
    /// Strictness of the sandbox, higher for more.
    pub fn strictness(self) -> u8 {
        match self {
            Self::None => 0,
            Self::WhenAvailable => 1,
            Self::Required => 2,
        }
    }
}

words! {
    /// Courier of an agent.
    CourierWord {
        /// A program that is started for each handoff.
        Program = "program",
        /// Nobody: the agent asks for its work itself.
        Inbox = "inbox",
        /// An agent that speaks the Agent Client Protocol.
        Acp = "acp",
        /// Claude Code.
        Claude = "claude",
        /// Codex.
        Codex = "codex",
        /// An `OpenClaw` gateway.
        Openclaw = "openclaw",
        /// A service that is posted to.
        Http = "http",
        /// A person.
        Human = "human",
    }
}

impl CourierWord {
    /// Tells whether a handoff waits until an answer is handed in.
    pub fn is_kept(self) -> bool {
        match self {
            Self::Inbox | Self::Human => true,
            Self::Program | Self::Acp | Self::Claude | Self::Codex | Self::Openclaw | Self::Http => false,
        }
    }
}

words! {
    /// Answer to an agent that asks for a permission.
    Permissions {
        /// A person is asked.
        Ask = "ask",
        /// Yes.
        Allow = "allow",
        /// No.
        Deny = "deny",
    }
}

words! {
    /// Handling of a handoff whose receiver cannot start with it.
    ReceptionWord {
        /// The receiver gets it, and is told what is missing.
        Warn = "warn",
        /// It goes back to its sender, who is asked.
        Strict = "strict",
    }
}

words! {
    /// The files of another system that are kept.
    Keeps {
        /// The envelopes of a run.
        Envelope = "envelope",
        /// The state and the archive of packages.
        Package = "package",
        /// The state file of an issue.
        Pipeline = "pipeline",
        /// The manifest.
        Manifest = "manifest",
    }
}

words! {
    /// The ways in which an agent's work ends, as its definition lists its outputs.
    Ends {
        /// It did what was asked.
        Success = "success",
        /// It broke.
        Failure = "failure",
        /// It cannot go on without a person.
        Blocked = "blocked",
    }
}
