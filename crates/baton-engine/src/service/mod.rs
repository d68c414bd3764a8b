//! The use cases that every face calls: one file each, with requests and replies as plain structs.
//!
//! The JSON of a reply is what `--json` prints. *Cannot:* print, parse arguments. A face uses nothing of the engine but this
//! room.

mod answers;
mod authority;
mod caps;
mod dead;
mod drive;
mod erase;
mod error;
mod event_text;
mod exchange;
mod facade;
mod follow;
mod gates;
mod handoff;
mod inbox;
mod log;
mod lookup;
pub mod moment;
mod names;
mod open;
mod pending_files;
mod permission;
mod person;
pub mod post;
mod prompt;
mod proof;
mod reach;
mod reception;
mod relay;
mod request;
mod runs;
mod schemas;
mod show;
mod signer;
mod standing;
mod start;
mod stats;
mod steps;
mod summary;
pub mod text;
mod verify;
mod watch;

pub use crate::files::write;
pub use crate::project;
pub use crate::project::fault::{CODES, Diagnostic, Fault, FaultKind, FileFindings, Result, Severity};
pub use crate::{scripted, system};
pub use answers::{AckReply, AckStage, AnswerChoice, CancelReply, ClarifyRequest, HandedReply, SignalReply};
pub use dead::{DeadLetter, DeadReply, FailedAttempt};
pub use drive::{Driven, Observer};
pub use erase::{EraseReply, EraseRequest, TextEntry};
pub use error::{ErrorBody, ErrorProblem, ErrorReply};
pub use exchange::{HandoffRequest, MANIFEST_PATH, ManifestReply, ReceiveReply, SentReply, TextFile};
pub use facade::Service;
pub use gates::{
    AnswerGate, AnswerGateReply, GateCheck, GateEntry, GateReply, GateView, GateWord, GatesReply, OpenGate,
    PermissionEntry, PermissionView, UNENFORCED, short,
};
pub use handoff::{ErasedText, HandoffReply};
pub use inbox::{InboxItem, InboxReply};
pub use log::{LogEntry, SaidLine};
pub use person::person;
pub use prompt::{FlowPrompts, PROMPTS, Prompt, TaskPrompt, version};
pub use proof::{BadRecord, EarlierHead, LastRecord, ProofReply};
pub use reception::{ChecklistItem, ChecklistReply, Reception};
pub use runs::{RunsReply, RunsRequest};
pub use schemas::{REPLIES, REPLY_VERSION, ReplySchema};
pub use show::{OpenReply, PersonAnswer, RunReply, ShowReply, Shown, Working};
pub use signer::must_be_strong;
pub use start::{DrivenReply, StartRequest};
pub use stats::{Metrics, StatsReply};
pub use steps::{GivenUp, Mark, StepEntry};
pub use summary::{AwaitedReply, EndingReply, NextStep, RunSummary, Watched};
pub use verify::{Depth, Verdict, VerifyReply, VerifyRequest};
pub use watch::{LogCursor, LogItem, LogPage};
