//! JSON Schemas of the replies.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::{
    AckReply, AnswerGateReply, CancelReply, DeadReply, EraseReply, ErrorReply, GateReply, GatesReply,
    HandedReply, HandoffReply, InboxReply, LogEntry, ManifestReply, OpenReply, ProofReply, ReceiveReply,
    RunReply, RunSummary, RunsReply, SaidLine, SignalReply, StatsReply, VerifyReply,
};

/// Version of the shapes of replies: a reply only gains fields under one version.
pub const REPLY_VERSION: u8 = 1;

/// A reply whose schema can be printed.
pub struct ReplySchema {
    /// Its name, as in `baton schema reply/NAME`.
    pub name: &'static str,
    /// Where it is printed.
    pub about: &'static str,
    schema: fn() -> Value,
}

impl ReplySchema {
    /// The schema, by JSON Schema 2020-12.
    pub fn schema(&self) -> Value {
        let mut schema = (self.schema)();
        if !LINES.contains(&self.name)
            && let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut)
        {
            properties.insert("version".to_owned(), json!({ "const": REPLY_VERSION }));
        }
        schema
    }

    const fn new<T: JsonSchema>(name: &'static str, about: &'static str) -> Self {
        Self { name, about, schema: of::<T> }
    }
}

/// Replies without a version: lines, and errors.
const LINES: [&str; 4] = ["error", "log", "said", "summary"];

fn of<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

/// The replies, by name.
pub const REPLIES: &[ReplySchema] = &[
    ReplySchema::new::<AckReply>("ack", "baton ack --json"),
    ReplySchema::new::<CancelReply>("cancel", "baton cancel --json"),
    ReplySchema::new::<DeadReply>("dead", "baton dead --json"),
    ReplySchema::new::<EraseReply>("erase", "baton erase --json"),
    ReplySchema::new::<ErrorReply>("error", "any command with --json that was not carried out"),
    ReplySchema::new::<GateReply>("gate", "baton gate show --json"),
    ReplySchema::new::<AnswerGateReply>("gate-answer", "baton gate approve, reject, ask --json"),
    ReplySchema::new::<GatesReply>("gates", "baton gate list --json"),
    ReplySchema::new::<HandedReply>("handed", "baton clarify, return, submit --json"),
    ReplySchema::new::<HandoffReply>("handoff", "baton show RUN/NUMBER --json"),
    ReplySchema::new::<InboxReply>("inbox", "baton inbox --json"),
    ReplySchema::new::<LogEntry>("log", "a line of baton log --json, baton run --json"),
    ReplySchema::new::<ManifestReply>("manifest", "baton handoff --json"),
    ReplySchema::new::<OpenReply>("open", "baton show of something else that is open --json"),
    ReplySchema::new::<ProofReply>("proof", "baton log --verify --json"),
    ReplySchema::new::<ReceiveReply>("receive", "baton receive --json"),
    ReplySchema::new::<RunReply>("run", "baton show RUN --json"),
    ReplySchema::new::<RunsReply>("runs", "baton runs --json"),
    ReplySchema::new::<SaidLine>("said", "a line that an agent said, in baton log -f --json"),
    ReplySchema::new::<SignalReply>("signal", "baton signal --json"),
    ReplySchema::new::<StatsReply>("stats", "baton stats --json"),
    ReplySchema::new::<RunSummary>("summary", "the last line of baton run --json"),
    ReplySchema::new::<VerifyReply>("verify", "baton verify --json"),
];
