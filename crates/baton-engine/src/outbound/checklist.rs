//! Reception: the checklist of whoever receives a package, gone through before it is handed over, and what came of it.
//!
//! What is found wanting is recorded with the delivery. The receiver is told, and may ask in its acknowledgment; where it
//! is strict, the sender is asked in its place, and the package is not handed over.

use std::path::{Path, PathBuf};

use baton_document::carrier::Look;
use baton_document::{Checker, Datum, Input, Level, Scratch, Seen, World};

use crate::project::agents::Agents;
use crate::records::checklist::Item;
use crate::records::checklist::Wanting;
use crate::records::reading;
use crate::records::reading::PACKAGE;

/// The rules whose findings say that a summary cannot be understood.
const SUMMARY: [&str; 2] = ["package/empty-summary", "package/vague-summary"];
/// The fields of packages that name files.
const ARTIFACTS: &str = "context.artifacts";
/// How much is told of one package.
const TOLD_MAX: usize = 20;

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
        reading::counted();
        let mut said = None;
        let checked = checker.check_and_tell(input, &root, scratch, |telling| {
            said.get_or_insert_with(|| telling.to_said());
        });
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
        if let Some(said) = said.filter(|_| !self.is_answered) {
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
