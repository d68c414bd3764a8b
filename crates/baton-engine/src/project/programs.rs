//! Programs and scripts of a project that its agents run, whichever flow they are in.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use baton_document::Limits;
use baton_document::flow::{AgentSpec, DEFINITIONS, Flow};

use crate::project::flows::FOLDER;
use crate::project::read::{self, Content};
use crate::project::root::CONFIG_NAME;
use crate::sandbox::programs;

/// How many flows, and how many definitions, are read.
const FILES_MAX: usize = 200;

/// The files that the commands of agents name in `baton.toml`, in flows and in definitions, from the root.
pub(crate) fn named(root: &Path) -> BTreeSet<String> {
    let config = text(root, CONFIG_NAME);
    let mut agents = config.map(|text| AgentSpec::of_config(&text).0).unwrap_or_default();
    for path in listed(root, FOLDER, &["yaml", "yml"]) {
        agents.extend(
            text(root, &path).and_then(|text| Flow::read(&text).0).into_iter().flat_map(|flow| flow.agents),
        );
    }
    for folder in DEFINITIONS {
        for path in listed(root, folder, &["md"]) {
            let spec = text(root, &path).and_then(|text| AgentSpec::of_definition(&path, &text));
            agents.extend(spec.map(|(spec, _)| spec));
        }
    }
    let named = |spec: &AgentSpec| {
        let directory =
            spec.directory.as_ref().map_or_else(|| root.to_owned(), |below| root.join(&below.value));
        spec.run.iter().flat_map(|run| programs(root, &directory, &run.value)).collect::<Vec<_>>()
    };
    agents.iter().flat_map(named).collect()
}

fn listed(root: &Path, folder: &str, endings: &[&str]) -> Vec<String> {
    let names = fs::read_dir(root.join(folder)).into_iter().flatten().flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let is_wanted = name.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending));
        is_wanted.then(|| format!("{folder}/{name}"))
    });
    let mut names: Vec<String> = names.take(FILES_MAX).collect();
    names.sort();
    names
}

/// The text of a file; one that cannot be read names nothing that could run.
fn text(root: &Path, path: &str) -> Option<String> {
    match read::below(root, &root.join(path), Limits::default().own_bytes) {
        Ok(Content::Bytes(bytes)) => String::from_utf8(bytes).ok(),
        Ok(Content::TooLarge(_)) | Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_wherever_an_agent_is_defined() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let write = |path: &str, text: &str| {
            fs::create_dir_all(root.join(path).parent().expect("it has one")).expect("it can be made");
            fs::write(root.join(path), text).expect("it can be written");
        };
        write("baton.toml", "[agents.tt]\ndialect = \"envelope\"\nrun = [\"sh\", \"tools/tt.sh\"]\n");
        write(
            "flows/g.yaml",
            "flow: g\nagents:\n  ada: {dialect: envelope, run: [./scripts/g.sh]}\nsteps:\n  - w: ada\n",
        );
        write("flows/broken.yaml", "flow: [\n");
        write(
            "workflow-agents/eve.md",
            "---\nname: eve\ndialect: pipeline\nrun: [python3, eve.py]\n---\nYou review.\n",
        );
        let named = named(root);
        let expected = ["eve.py", "scripts/g.sh", "tools/tt.sh"];
        assert_eq!(named.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }
}
