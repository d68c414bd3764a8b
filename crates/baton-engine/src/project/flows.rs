//! Flows of a project, and those that come with Baton: found, checked, and made into runs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::project::plan::SHIPPED;
use baton_document::flow::{AgentSpec, DEFINITIONS, Flow};
use baton_document::secrets;
use baton_document::{Level, Limits};
use serde_json::{Map, Value};

use crate::project::fault::{Fault, FileFindings, Result};
use crate::project::loaded::Project;
use crate::project::paths;
use crate::project::read::{self, Content};
use crate::project::root::CONFIG_NAME;

/// Where flows lie.
pub const FOLDER: &str = "flows";
const ENDINGS: [&str; 2] = ["yaml", "yml"];

/// A flow that can be run.
pub struct Opened {
    /// The flow, with all that is known of its agents.
    pub flow: Flow,
    /// Its path from the root.
    pub path: String,
    /// What a run of it pins: the flow, `baton.toml`, and the files of dialects and agents.
    pub files: Vec<(String, Vec<u8>)>,
}

/// The flow that a word means: a path, or a name in `flows/`.
pub fn open(project: &Project, word: &str) -> Result<Opened> {
    let (below, bytes) = match find(project, word)? {
        Found::File(path) => {
            let below = paths::from_root(&path, &project.root).unwrap_or_else(|| word.to_owned());
            let bytes = bytes(project, &path, &below)?;
            (below, bytes)
        }
        Found::Shipped(text) => (format!("{FOLDER}/{word}.yaml"), text.as_bytes().to_vec()),
    };
    of_text(project, below, &bytes)
}

/// The flow at a path that a run has pinned, as it is now.
pub fn open_again(project: &Project, run: &str, below: &str) -> Result<Opened> {
    let path = project.root.join(below);
    if path.symlink_metadata().is_ok() {
        return of_text(project, below.to_owned(), &bytes(project, &path, below)?);
    }
    let is_shipped = |name: &str| below == format!("{FOLDER}/{name}.yaml");
    if let Some((_, text)) = SHIPPED.iter().find(|(name, _)| is_shipped(name)) {
        return of_text(project, below.to_owned(), text.as_bytes());
    }
    Err(Fault::refused(
        format!("{below}, the flow that {run} goes by, is not there any more"),
        Some(format!("put it back, or let the run go on as it is with `baton resume {run}`")),
    ))
}

/// A flow of which the text is known, with the path that it has or would have. A flow with errors is blocked, with its findings.
pub fn of_text(project: &Project, below: String, bytes: &[u8]) -> Result<Opened> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(Fault::failed(format!("cannot read {below}: it is not UTF-8")));
    };
    // One that cannot be read is named, and not said to be missing by the checks.
    let definitions = definitions(project, text)?;
    let checked = project.checker.check_own("flow", Some(&below), text, &project.world);
    if checked.findings.iter().any(|finding| finding.level == Level::Error) {
        let message = format!("{below} cannot be run as it is");
        return Err(Fault::blocked(message, None, FileFindings::new(below, checked, &project.checker)));
    }
    let Some(flow) = Flow::read(text).0 else {
        return Err(Fault::usage(format!("{below} is no flow"), None));
    };
    let mut files = vec![(below.clone(), bytes.to_vec())];
    for path in project.config_path.iter().chain(&project.dialect_paths) {
        let below = paths::from_root(path, &project.root).unwrap_or_default();
        files.push((below.clone(), self::bytes(project, path, &below)?));
    }
    files.extend(definitions);
    let flow = completed(flow, files.iter().skip(1).map(|(path, bytes)| (path.as_str(), bytes.as_slice())));
    for prompt in flow.agents.iter().filter_map(|agent| agent.prompt.as_ref()).map(|prompt| &prompt.value) {
        if files.iter().any(|(path, _)| path == prompt) {
            continue;
        }
        let bytes = self::bytes(project, &project.root.join(prompt), prompt)?;
        files.push((prompt.clone(), bytes));
    }
    for (path, bytes) in &files {
        no_secret(project, path, &String::from_utf8_lossy(bytes))?;
    }
    Ok(Opened { flow, path: below, files })
}

/// The files that say who the agents of a flow are, as far as it can be read.
pub fn definitions(project: &Project, text: &str) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    let Some(flow) = Flow::read(text).0 else { return Ok(files) };
    let names: BTreeSet<String> = flow.workers().map(|worker| worker.agent.value.clone()).collect();
    for name in names.iter().filter(|name| !name.contains(['/', '\\'])) {
        for folder in DEFINITIONS {
            let path = project.root.join(folder).join(format!("{name}.md"));
            if path.symlink_metadata().is_ok() {
                let below = format!("{folder}/{name}.md");
                files.push((below.clone(), bytes(project, &path, &below)?));
            }
        }
    }
    Ok(files)
}

/// Refuses to keep a text with a secret: a run records what it goes by, and hands it to agents.
pub fn no_secret(project: &Project, what: &str, text: &str) -> Result<()> {
    let is_allowed = |secret: &secrets::Secret| secret.is_among(&project.config.allowed);
    let Some(secret) = secrets::find(text).into_iter().find(|secret| !is_allowed(secret)) else {
        return Ok(());
    };
    let line = text[..secret.span.start as usize].matches('\n').count() + 1;
    let (is, fingerprint) = (secret.is, secret.fingerprint);
    Err(Fault::refused(
        format!("{what} has {is} in line {line}, which a run would keep and hand to agents"),
        Some(format!(
            "take it out and let agents read it from a variable of their `environment`; if it is none, allow {fingerprint} in \
             [secrets] of baton.toml"
        )),
    ))
}

/// The failure of going on with a run of which no flow is there.
pub fn no_flow(run: &str) -> Fault {
    Fault::refused(format!("{run} does not say which flow it goes by"), Some(NO_FLOW_HINT.to_owned()))
}

/// Hint about a run without a flow.
pub(super) const NO_FLOW_HINT: &str = "it was not started by `baton run`, or its files were erased";

/// A flow with what other files say of its agents: `baton.toml` first, then their definitions.
pub(super) fn completed<'f>(flow: Flow, files: impl Iterator<Item = (&'f str, &'f [u8])>) -> Flow {
    let (mut known, mut defined) = (Vec::new(), Vec::new());
    let mut sandbox = None;
    for (path, bytes) in files {
        let text = String::from_utf8_lossy(bytes);
        if path == CONFIG_NAME {
            known.extend(AgentSpec::of_config(&text).0);
            sandbox = Some(AgentSpec::sandboxed(&text));
        } else if DEFINITIONS.iter().any(|folder| path.starts_with(folder)) {
            defined.extend(AgentSpec::of_definition(path, &text).map(|(agent, _)| agent));
        }
    }
    let settings = known.clone();
    known.append(&mut defined);
    let flow = flow.with_agents(&known);
    match sandbox {
        Some(usual) => flow.with_sandbox(&usual, &settings),
        None => flow,
    }
}

/// What a run is given: the inputs that were typed, and the usual ones of the flow, as a JSON object.
pub fn input(flow: &Flow, typed: &[(String, String)]) -> Result<Vec<u8>> {
    let names = || flow.inputs.iter().map(|input| input.name.value.as_str()).collect::<Vec<_>>().join(", ");
    for (name, _) in typed {
        if !flow.inputs.iter().any(|input| input.name.value == *name) {
            let hint = if flow.inputs.is_empty() {
                "it takes none".to_owned()
            } else {
                format!("it takes {}", names())
            };
            return Err(Fault::usage(
                format!("the flow {} has no input `{name}`", flow.name.value),
                Some(hint),
            ));
        }
    }
    let mut object = Map::new();
    for input in &flow.inputs {
        let name = &input.name.value;
        let said = typed.iter().rev().find(|(typed, _)| typed == name).map(|(_, value)| value.clone());
        let Some(value) = said.or_else(|| input.default.clone()) else {
            return Err(Fault::usage(
                format!("the flow {} must be given `{name}`", flow.name.value),
                Some(format!("add --input {name}=…")),
            ));
        };
        object.insert(name.clone(), Value::String(value));
    }
    Ok(if object.is_empty() { Vec::new() } else { Value::Object(object).to_string().into_bytes() })
}

/// Where a flow is.
pub enum Found {
    /// In a file.
    File(PathBuf),
    /// In Baton, with this text; its agents are the project's to say.
    Shipped(&'static str),
}

/// The flow that a word means: a path, a name in `flows/`, or one that comes with Baton.
pub fn find(project: &Project, word: &str) -> Result<Found> {
    let named = Path::new(word);
    if read::is_there(named) {
        // Links in its folders are resolved, so that it is known to lie in the project; one in its own place is read as one.
        let folder = named.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let path = folder.canonicalize().map(|folder| folder.join(named.file_name().unwrap_or_default()));
        return path.map(Found::File).map_err(|error| Fault::failed(format!("cannot read {word}: {error}")));
    }
    let folder = project.root.join(FOLDER);
    let is_plain = !word.is_empty() && !word.contains(['/', '\\']) && !word.starts_with('.');
    let paths = ENDINGS.iter().map(|ending| folder.join(format!("{word}.{ending}")));
    if let Some(path) = paths.into_iter().find(|path| is_plain && path.symlink_metadata().is_ok()) {
        return Ok(Found::File(path));
    }
    if let Some((_, text)) = SHIPPED.iter().find(|(name, _)| *name == word) {
        return Ok(Found::Shipped(text));
    }
    let mut known = names(&folder);
    known.truncate(50);
    Err(Fault::usage(
        format!("there is no flow `{word}`"),
        Some({
            let shipped = SHIPPED.map(|(name, _)| name).join(", ");
            let here = if known.is_empty() {
                "flows lie in flows/NAME.yaml, and `baton init` writes a first one".to_owned()
            } else {
                format!("flows/ has {}", known.join(", "))
            };
            format!("{here}; Baton itself has {shipped}")
        }),
    ))
}

/// The names of the flows in a folder, in order.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let name = |path: PathBuf| {
        let ending = path.extension()?.to_str()?;
        ENDINGS.contains(&ending).then(|| path.file_stem()?.to_str().map(str::to_owned))?
    };
    let mut names: Vec<String> = entries.filter_map(|entry| name(entry.path())).collect();
    names.sort();
    names.dedup();
    names
}

/// The bytes of a flow or of what belongs to it. A link in the project must not lead out of it; a path that a person typed may
/// lead anywhere.
pub fn bytes(project: &Project, path: &Path, shown: &str) -> Result<Vec<u8>> {
    let bytes_max = Limits::default().own_bytes;
    let is_own = paths::from_root(path, &project.root).is_some();
    let read = if is_own { read::below(&project.root, path, bytes_max) } else { read::file(path, bytes_max) };
    match read {
        Ok(Content::Bytes(bytes)) => Ok(bytes),
        Ok(Content::TooLarge(bytes)) => {
            Err(Fault::failed(format!("cannot read {shown}: it has {bytes} bytes, which is too much")))
        }
        Err(why) => Err(Fault::failed(format!("cannot read {shown}: {why}"))),
    }
}
