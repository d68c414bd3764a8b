//! Files of a project outside of its protected folders that decide what runs: programs and scripts of agents of any flow, targets
//! of links in protected folders, folders of dialect files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use baton_document::Limits;
use baton_document::flow::{AgentSpec, DEFINITIONS, Flow};

use crate::project::config;
use crate::project::flows::FOLDER;
use crate::project::read::{self, Content};
use crate::project::root::CONFIG_NAME;
use crate::sandbox::programs;

/// How deep links are looked for in a protected folder.
const LINK_DEPTH_MAX: usize = 4;
/// How many flows, and how many definitions, are read.
const FILES_MAX: usize = 200;

/// Paths of all of them, from the root.
pub(crate) fn named(root: &Path) -> BTreeSet<String> {
    let mut all = commands(root);
    let config = text(root, CONFIG_NAME).map(|text| config::read(&text)).unwrap_or_default();
    all.extend(config.dialect_files.iter().flatten().filter_map(|glob| folder_of(glob)));
    for folder in [FOLDER, "dialects", ".claude", ".codex", ".git/hooks"].into_iter().chain(DEFINITIONS) {
        link_targets(root, &root.join(folder), LINK_DEPTH_MAX, &mut all);
    }
    all
}

/// Folder of a glob up to its first pattern.
fn folder_of(glob: &str) -> Option<String> {
    let plain = Path::new(glob).components().map_while(|part| {
        let name = part.as_os_str().to_str()?;
        (!name.contains(['*', '?', '[', '{'])).then_some(name)
    });
    let plain: Vec<&str> = plain.collect();
    (!plain.is_empty()).then(|| plain.join("/"))
}

/// Adds where links below a folder lead to in the project.
fn link_targets(root: &Path, folder: &Path, depth: usize, all: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(FILES_MAX) {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 {
            link_targets(root, &entry.path(), depth - 1, all);
        } else if kind.is_symlink() {
            let target = entry.path().canonicalize().ok();
            let below = target.as_deref().and_then(|target| target.strip_prefix(root).ok());
            all.extend(below.and_then(Path::to_str).filter(|path| !path.is_empty()).map(str::to_owned));
        }
    }
}

/// The files that the commands of agents name in `baton.toml`, in flows and in definitions.
fn commands(root: &Path) -> BTreeSet<String> {
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
        let root = &folder.path().canonicalize().expect("it is there");
        let write = |path: &str, text: &str| {
            fs::create_dir_all(root.join(path).parent().expect("it has one")).expect("it can be made");
            fs::write(root.join(path), text).expect("it can be written");
        };
        write(
            "baton.toml",
            "dialects = [\"schemas/own/*.yaml\"]\n[agents.tt]\ndialect = \"envelope\"\nrun = [\"sh\", \"tools/tt.sh\"]\n",
        );
        write(
            "flows/g.yaml",
            "flow: g\nagents:\n  ada: {dialect: envelope, run: [./scripts/g.sh]}\nsteps:\n  - w: ada\n",
        );
        write("flows/broken.yaml", "flow: [\n");
        write(
            "workflow-agents/eve.md",
            "---\nname: eve\ndialect: pipeline\nrun: [python3, eve.py]\n---\nYou review.\n",
        );
        #[cfg(unix)]
        {
            write("lib/hook.sh", "");
            write(".claude/settings.json", "{}");
            std::os::unix::fs::symlink("../lib/hook.sh", root.join(".claude/hook.sh"))
                .expect("it can be linked");
        }
        let named = named(root);
        let expected = ["eve.py", "lib/hook.sh", "schemas/own", "scripts/g.sh", "tools/tt.sh"];
        assert_eq!(named.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }
}
