//! Reception: the checklist of whoever receives a package, gone through before it is handed over, and what came of it.
//!
//! What is found wanting is recorded with the delivery. The receiver is told, and may ask in its acknowledgment; where it
//! is strict, the sender is asked in its place, and the package is not handed over.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use baton_document::carrier::Look;
use baton_document::{Checker, Datum, Input, Level, Scratch, Seen, World};
use baton_kernel::{Event, Key, Millis, Stage, State, evolve};
use serde::{Deserialize, Serialize};

use crate::intake::{self, PACKAGE};
use crate::{Agents, Entry, stored};

/// The rules whose findings say that a summary cannot be understood.
const SUMMARY: [&str; 2] = ["package/empty-summary", "package/vague-summary"];
/// The fields of packages that name files.
const ARTIFACTS: &str = "context.artifacts";
/// How much is told of one package.
const TOLD_MAX: usize = 20;

/// What a receiver goes through before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// The summary can be understood.
    Summary,
    /// All artifacts exist.
    Artifacts,
    /// What is expected is clear.
    Deliverable,
    /// The constraints fit what the receiver can do.
    Constraints,
}

/// Something that is missing or unclear.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanting {
    /// What of the checklist does not hold.
    pub item: Item,
    /// Why, in a line.
    pub text: String,
}

/// A checklist that was gone through, as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checklist {
    /// The delivery.
    pub key: Key,
    /// Whether the receiver got it all the same.
    pub handed_over: bool,
    /// What is missing or unclear; nothing means that all of the checklist holds.
    pub findings: Vec<Wanting>,
}

impl Checklist {
    /// Its findings, each in a line.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.findings.iter().map(|finding| finding.text.clone()).collect()
    }

    /// What the sender is asked, where the receiver does not get it.
    pub(crate) fn question(&self, receiver: &str) -> String {
        let lines = self.findings.iter().map(|finding| format!("\n- {}", finding.text));
        format!(
            "{receiver} cannot start with this handoff. What is missing or unclear?{}",
            lines.collect::<String>()
        )
    }
}

/// How a delivery was received: each is a fact of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The delivery.
    pub key: Key,
    /// Who it went to.
    pub receiver: String,
    /// When it was sent.
    pub sent: Millis,
    /// When its receiver said that it has it.
    pub received: Option<Millis>,
    /// When its receiver said that it understood it, and takes it.
    pub accepted: Option<Millis>,
    /// When its receiver said that it began.
    pub started: Option<Millis>,
    /// When somebody asked what was meant, with the question.
    pub questioned: Option<(Millis, String)>,
    /// What the checklist found, if it was gone through.
    pub checklist: Option<Checklist>,
}

/// How the deliveries of a run were received, in order.
pub fn receipts(history: &[Entry]) -> Vec<Receipt> {
    let mut state = State::new();
    let mut all: Vec<Receipt> = Vec::new();
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    for entry in history {
        let at = entry.record.at;
        let Some(event) = &entry.event else {
            if let Some(checklist) = read(&entry.record)
                && let Some(receipt) = places.get(&checklist.key).and_then(|place| all.get_mut(*place))
            {
                receipt.checklist = Some(checklist);
            }
            continue;
        };
        if let Event::DeliveryStarted { key, to, .. } = event {
            places.entry(*key).or_insert_with(|| {
                let agent = state.plan().agents.get(usize::from(to.0));
                all.push(Receipt {
                    key: *key,
                    receiver: agent.map_or_else(String::new, |agent| agent.name.clone()),
                    sent: at,
                    received: None,
                    accepted: None,
                    started: None,
                    questioned: None,
                    checklist: None,
                });
                all.len() - 1
            });
        }
        let mut on = |key: &Key, change: &dyn Fn(&mut Receipt)| {
            if let Some(receipt) = places.get(key).and_then(|place| all.get_mut(*place)) {
                change(receipt);
            }
        };
        if let Event::Acknowledged { key, stage, .. } = event {
            on(key, &|receipt| match stage {
                Stage::Received => receipt.received = Some(at),
                Stage::Accepted => receipt.accepted = Some(at),
                Stage::Started => receipt.started = Some(at),
            });
        } else if let Event::Questioned { key, .. } = event {
            let bytes = entry.record.payload.as_ref().and_then(|payload| payload.bytes.as_deref());
            let text = String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
            on(key, &|receipt| receipt.questioned = Some((at, text.clone())));
        }
        evolve(&mut state, event);
    }
    all
}

/// The checklist that a record holds, if it holds one.
pub(crate) fn read(record: &baton_ledger::Record) -> Option<Checklist> {
    (record.kind == stored::RECEIVED).then(|| serde_json::from_slice(&record.body).ok()).flatten()
}

/// Who receives a package, and where.
pub(crate) struct Reception<'r> {
    pub(crate) receiver: &'r str,
    /// Whether another agent asks for a part of its work, and must say for which.
    pub(crate) is_delegated: bool,
    /// Whether the sender was asked what it meant, and has answered: what files cannot say is said then.
    pub(crate) is_answered: bool,
    pub(crate) agents: &'r Agents,
    pub(crate) root: &'r Path,
}

impl Reception<'_> {
    /// What of a package is found wanting.
    pub(crate) fn wanting(&self, checker: &Checker, scratch: &mut Scratch, text: &[u8]) -> Vec<Wanting> {
        let input =
            Input { path: None, bytes: text, dialect: Some(PACKAGE), look: Look::Prose, is_named: true };
        let root = Root(self.root.canonicalize().ok());
        let checked = checker.check(input, &root, scratch);
        let item = |rule: &str| {
            if SUMMARY.contains(&rule) {
                Some(Item::Summary)
            } else {
                (rule.contains(ARTIFACTS) && rule.ends_with("-exists")).then_some(Item::Artifacts)
            }
        };
        let found = checked.findings.iter().filter(|finding| finding.level != Level::Info);
        let found = found.filter_map(|finding| Some((item(&finding.rule)?, finding.message.clone())));
        let mut wanting: Vec<Wanting> = found.map(|(item, text)| Wanting { item, text }).collect();
        let said = intake::said(checker, scratch, text).filter(|_| !self.is_answered);
        if let Some(said) = said {
            let deliverable = said.document.at("expectations.deliverable").and_then(Datum::as_text);
            if self.is_delegated && deliverable.is_none_or(|text| text.trim().is_empty()) {
                let text = "it does not say what is expected: `expectations.deliverable` is missing";
                wanting.push(Wanting { item: Item::Deliverable, text: text.to_owned() });
            }
            if let Some(Datum::List(constraints)) = said.document.at("expectations.constraints") {
                let beyond = constraints.iter().filter_map(Datum::as_text).filter_map(|one| self.beyond(one));
                wanting.extend(beyond.map(|text| Wanting { item: Item::Constraints, text }));
            }
        }
        wanting.truncate(TOLD_MAX);
        wanting
    }

    /// Why a constraint is beyond the receiver: it names what others say that they can, and the receiver does not.
    fn beyond(&self, constraint: &str) -> Option<String> {
        let can = |agent: &str| self.agents.get(agent).map(|setup| setup.capabilities.as_slice());
        let own = can(self.receiver).filter(|own| !own.is_empty())?;
        let words: Vec<String> =
            constraint.split(|c: char| !c.is_alphanumeric() && c != '-').map(str::to_lowercase).collect();
        let names = |capability: &&String| words.contains(&capability.to_lowercase());
        if own.iter().any(|capability| names(&capability)) {
            return None;
        }
        let receiver = self.receiver;
        let others = self.agents.names().filter(|agent| *agent != receiver);
        let mut named = others.filter_map(|agent| Some((agent, can(agent)?.iter().find(names)?)));
        let (agent, capability) = named.next()?;
        Some(format!(
            "the constraint `{constraint}` asks for {capability}, which {agent} can and {receiver} cannot"
        ))
    }
}

/// The files of a project, looked at and never read.
struct Root(Option<PathBuf>);

impl World for Root {
    fn look(&self, path: &str) -> Seen {
        let Some(root) = &self.0 else { return Seen::Unknown };
        let Ok(found) = root.join(path).canonicalize() else { return Seen::Nothing };
        if !found.starts_with(root) {
            Seen::Outside
        } else if found.is_dir() {
            Seen::Folder
        } else {
            Seen::File
        }
    }

    fn read(&self, _: &str) -> Option<String> {
        None
    }

    fn neighbours(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn created(&self, _: &str) -> Option<Vec<String>> {
        None
    }
}
