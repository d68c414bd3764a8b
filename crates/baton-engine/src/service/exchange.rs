//! Manifests between two agents that take turns: made from the newest response, sent, received.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::drive::Observer;
use super::facade::Service;
use super::moment;
use super::relay::send::{Sent, refuse_twice, send};
use super::relay::{Generated, discussion, document, generate, prompt, reply, validate};
use crate::git::{Repository, Silence};
use crate::mirror::manifests::{Manifests, Relayed};
use crate::project::Project;
use crate::project::fault::{Diagnostic, Fault, Result, Severity};

pub use crate::mirror::manifests::PATH as MANIFEST_PATH;

/// A manifest to make, and what becomes of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct HandoffRequest {
    /// The receiver, if not the one that the response names.
    #[serde(default)]
    pub to: Option<String>,
    /// Sends it.
    #[serde(default)]
    pub send: bool,
    /// Makes the branch that it names.
    #[serde(default)]
    pub branch: bool,
}

/// A manifest that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ManifestReply {
    /// Its path.
    pub path: String,
    /// The manifest.
    pub manifest: Value,
    /// What was found in it.
    pub findings: Value,
    /// What is worth knowing about how it was made.
    pub notes: Vec<String>,
    /// What the receiver is told.
    pub prompt: Option<String>,
    /// The branch that it names.
    pub branch: String,
    /// The next item of work that is ready.
    pub next: Option<String>,
    /// What came of sending it.
    pub sent: Option<SentReply>,
    /// The receiver.
    #[serde(skip)]
    pub to: String,
    /// The response that it was made from.
    #[serde(skip)]
    pub source: String,
    /// The findings as text, where one is worth showing.
    #[serde(skip)]
    pub findings_text: Option<String>,
    #[serde(skip)]
    generated: Option<Generated>,
    /// Whether it holds.
    #[serde(skip)]
    pub is_valid: bool,
}

/// What came of sending a manifest.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SentReply {
    /// The run.
    pub run: String,
    /// Whether its receiver has it.
    pub sent: bool,
    /// When the last attempt began.
    pub at: String,
    /// The session of the receiver.
    pub session: Option<String>,
    /// Why it was not sent.
    pub reason: Option<String>,
    /// Whether the manifest in its place says so.
    pub written: bool,
}

/// A manifest that was received, and the answer that was begun.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReceiveReply {
    /// The manifest; none where it does not hold.
    pub manifest: Option<Value>,
    /// What was found in it.
    pub findings: Value,
    /// The response that it hands over.
    pub source: Option<TextFile>,
    /// The answer that was begun.
    pub reply: Option<TextFile>,
    /// Who hands over.
    #[serde(skip)]
    pub from: String,
    /// To whom.
    #[serde(skip)]
    pub to: String,
    /// The findings as text, where one is worth showing.
    #[serde(skip)]
    pub findings_text: Option<String>,
}

/// A file and its text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TextFile {
    /// Its path, from the root.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl Service {
    /// Makes and checks the manifest of the newest response; nothing is written.
    pub fn manifest(&self, to: Option<&str>) -> Result<ManifestReply> {
        let made = generate(&self.project, to, moment::now())?;
        let checked = validate(&self.project, (MANIFEST_PATH, made.text.as_bytes()))?;
        Ok(ManifestReply {
            path: MANIFEST_PATH.to_owned(),
            manifest: json(&made.text),
            findings: checked.findings,
            notes: made.notes.clone(),
            prompt: None,
            branch: made.word("branch").to_owned(),
            next: None,
            sent: None,
            to: made.word("to").to_owned(),
            source: made.word("source_file").to_owned(),
            findings_text: checked.text,
            generated: Some(made),
            is_valid: checked.is_valid,
        })
    }

    /// Writes a manifest that holds, and makes its branch if that is wanted; gives notes. `program` is how Baton is called.
    pub fn handoff(
        &self,
        reply: &mut ManifestReply,
        request: &HandoffRequest,
        program: &str,
    ) -> Result<Vec<Diagnostic>> {
        let project = &self.project;
        let Some(made) = reply.generated.as_ref().filter(|_| reply.is_valid) else {
            return Err(Fault::refused("the manifest does not hold", None));
        };
        let ledger = self.ledger()?;
        if request.send {
            refuse_twice(project, &ledger, made)?;
        }
        let mut notes = Vec::new();
        if request.branch {
            notes.push(make_branch(project, made.word("branch"))?);
        }
        let manifests = Manifests { ledger: &ledger, checker: &project.checker, root: &project.root };
        let about =
            format!("{}, from {} to {}", made.word("source_file"), made.word("from"), made.word("to"));
        for conflict in manifests.generated(made.text.as_bytes(), made.name, &about, moment::now())? {
            let saved = conflict.saved.map(|saved| format!("; it is saved as {saved}")).unwrap_or_default();
            notes.push(note(format!("{}: {}{saved}", conflict.path, conflict.why)));
        }
        let next = prompt::next_ready(&project.world);
        reply.prompt = Some(prompt::relay(project, made, next.as_ref(), program));
        reply.next = next.map(|item| item.id);
        Ok(notes)
    }

    /// Sends a manifest that was written; none if it was stopped.
    pub fn handoff_send(
        &self,
        reply: &mut ManifestReply,
        observer: &mut dyn Observer,
    ) -> Result<Option<SentReply>> {
        let (Some(made), Some(told)) = (&reply.generated, &reply.prompt) else {
            return Err(Fault::refused("the manifest is not written yet", None));
        };
        let ledger = self.ledger()?;
        let Some(sent) = send(&self.project, &ledger, made, told, observer)? else { return Ok(None) };
        reply.manifest = json(&sent.text);
        let sent = sent_reply(sent);
        reply.sent = Some(sent.clone());
        Ok(Some(sent))
    }

    /// Checks a manifest and begins the answer to it; `path` is what it is checked as, `shown` what it is called.
    pub fn receive(&self, bytes: &[u8], path: &str, shown: &str) -> Result<ReceiveReply> {
        let project = &self.project;
        let checked = validate(project, (path, bytes))?;
        let said = String::from_utf8_lossy(bytes);
        let document = document(&said);
        let nothing = ReceiveReply {
            manifest: None,
            findings: checked.findings,
            source: None,
            reply: None,
            from: String::new(),
            to: String::new(),
            findings_text: checked.text,
        };
        if !checked.is_valid {
            return Ok(nothing);
        }
        let word = |key: &str| document.word_at(key).map(str::trim).filter(|word| !word.is_empty());
        let (Some(from), Some(to), Some(source)) = (word("from"), word("to"), word("source_file")) else {
            return Err(Fault::refused(
                format!("{shown} does not say from whom, to whom and about which file"),
                Some("it is from before versions; `baton handoff` writes one that does".to_owned()),
            ));
        };
        let text = discussion::text(project, source)?;
        if let Some(answer) = reply::existing(project, to, source) {
            return Err(Fault::refused(
                format!("{to} has begun an answer already: {}", answer.path()),
                Some("write there; nothing is overwritten".to_owned()),
            ));
        }
        let Some(path) = reply::path(project, to) else {
            let message = "no number is left for a response, or its writer has no name for a file";
            return Err(Fault::refused(message, None));
        };
        let stub = reply::stub(to, from, source, &moment::day(moment::now()));
        write_new(project, &path, &stub)?;
        Ok(ReceiveReply {
            manifest: Some(json(&said)),
            source: Some(TextFile { path: source.to_owned(), text }),
            reply: Some(TextFile { path, text: stub }),
            from: from.to_owned(),
            to: to.to_owned(),
            ..nothing
        })
    }
}

fn json(manifest: &str) -> Value {
    serde_json::from_str(&baton_document::json(&document(manifest))).unwrap_or_default()
}

fn sent_reply(sent: Sent) -> SentReply {
    let (is_sent, session, reason) = match sent.relayed {
        Relayed::Sent { session } => (true, session, None),
        Relayed::Failed { reason } => (false, None, Some(reason)),
    };
    let at = moment::stamp(sent.at);
    SentReply { run: sent.run, sent: is_sent, at, session, reason, written: sent.is_written }
}

/// Makes a branch where HEAD is, unless it exists.
fn make_branch(project: &Project, branch: &str) -> Result<Diagnostic> {
    let made = Repository::open(&project.root).and_then(|repository| match repository.commit("HEAD")? {
        Some(head) => repository.make_branch(branch, &head),
        None => Err(Silence::Refused("there is no commit yet".to_owned())),
    });
    match made {
        Ok(true) => Ok(note(format!("made the branch {branch}"))),
        Ok(false) => Ok(note(format!("the branch {branch} is there already"))),
        Err(Silence::Refused(message)) => {
            let hint = Some("a branch needs a repository with a commit; leave --branch out".to_owned());
            Err(Fault::refused(format!("no branch was made: {message}"), hint))
        }
        Err(Silence::Failed(why)) => Err(Fault::failed(why)),
    }
}

/// Writes a file that does not exist yet.
fn write_new(project: &Project, path: &str, text: &str) -> Result<()> {
    let full = project.root.join(path);
    let inside = full.parent().and_then(|folder| folder.canonicalize().ok());
    if !inside.is_some_and(|folder| project.world.contains(&folder)) {
        return Err(Fault::refused(format!("{path} leads out of the project"), None));
    }
    let made = OpenOptions::new().write(true).create_new(true).open(&full);
    let written = made.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        if error.kind() == ErrorKind::AlreadyExists {
            let hint = Some("nothing is overwritten; try again".to_owned());
            Fault::refused(format!("{path} is there already"), hint)
        } else {
            Fault::failed(format!("cannot write {path}: {error}"))
        }
    })
}

fn note(message: String) -> Diagnostic {
    Diagnostic::new(Severity::Note, message)
}
