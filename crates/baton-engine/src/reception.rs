//! Reception: the checklist of whoever receives a package, gone through before it is handed over.
//!
//! What is found wanting holds nothing up: the receiver is told, and may ask for it in its acknowledgment.

use std::path::{Path, PathBuf};

use baton_document::carrier::Look;
use baton_document::{Checker, Datum, Input, Level, Scratch, Seen, World};

use crate::Agents;
use crate::intake::{self, PACKAGE};

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
    pub(crate) agents: &'r Agents,
    pub(crate) root: &'r Path,
}

impl Reception<'_> {
    /// What of a package is found wanting, each in a line.
    pub(crate) fn wanting(&self, checker: &Checker, scratch: &mut Scratch, text: &[u8]) -> Vec<String> {
        let input =
            Input { path: None, bytes: text, dialect: Some(PACKAGE), look: Look::Prose, is_named: true };
        let root = Root(self.root.canonicalize().ok());
        let checked = checker.check(input, &root, scratch);
        let is_asked =
            |rule: &str| SUMMARY.contains(&rule) || (rule.contains(ARTIFACTS) && rule.ends_with("-exists"));
        let found = checked.findings.iter().filter(|finding| finding.level != Level::Info);
        let found = found.filter(|finding| is_asked(&finding.rule));
        let mut wanting: Vec<String> = found.map(|finding| finding.message.clone()).collect();
        let Some(said) = intake::said(checker, scratch, text) else { return wanting };
        let deliverable = said.document.at("expectations.deliverable").and_then(Datum::as_text);
        if self.is_delegated && deliverable.is_none_or(|text| text.trim().is_empty()) {
            wanting
                .push("it does not say what is expected: `expectations.deliverable` is missing".to_owned());
        }
        if let Some(Datum::List(constraints)) = said.document.at("expectations.constraints") {
            wanting.extend(constraints.iter().filter_map(Datum::as_text).filter_map(|one| self.beyond(one)));
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
        let others = self.agents.names().filter(|agent| *agent != self.receiver);
        let mut named = others.filter_map(|agent| Some((agent, can(agent)?.iter().find(names)?)));
        let (agent, capability) = named.next()?;
        Some(format!("the constraint `{constraint}` asks for {capability}, which {agent} can and you cannot"))
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
