//! What a path in a document is relative to, and how far it may lead.

use std::fs;

use crate::sandbox::{MANIFEST, Sandbox, envelope};

const EXISTS: &str = "manifest/manifest/source_file-exists";

#[test]
fn the_nearest_folder_with_settings_is_the_root() {
    // proves A-12
    let sandbox = Sandbox::new();
    sandbox.write("discussion/001-codex-response.md", "x");
    sandbox.write("part/meta/handoff.yaml", MANIFEST);
    // Seen from the repository, this is no placed manifest, and its source exists.
    assert_eq!(sandbox.run(&["check", "--json", "part"]).rules(), Vec::<String>::new());
    sandbox.write("part/baton.toml", "");
    assert_eq!(sandbox.run(&["check", "--json", "part"]).rules(), [EXISTS]);
    assert_eq!(sandbox.run_in("part/meta", &["check", "--json"]).rules(), [EXISTS]);
    assert_eq!(sandbox.run(&["check", "--json", "part/meta/handoff.yaml"]).rules(), [EXISTS]);
    sandbox.write("part/discussion/001-codex-response.md", "x");
    assert_eq!(sandbox.run(&["check", "--json", "part"]).rules(), Vec::<String>::new());
}

#[test]
fn a_project_met_on_the_way_is_checked_as_its_own() {
    // proves A-12
    let sandbox = Sandbox::with_manifest();
    sandbox.write("baton.toml", "");
    sandbox.write("part/baton.toml", "[check]\nexclude = [\"old/**\"]\n[rules]\nnosuch = \"off\"\n");
    sandbox.write("part/meta/handoff.yaml", MANIFEST);
    sandbox.write("part/.runs/r/build/handoffs/one-author.json", envelope("one", "DONE"));
    sandbox.write("part/old/x.json", envelope("one", "DONE"));
    sandbox.write("after.json", envelope("one", "VERIFIED"));
    let ran = sandbox.run(&["check", "--json"]);
    let expected = [
        "after.json",
        "meta/handoff.yaml",
        "part/.runs/r/build/handoffs/one-author.json",
        "part/baton.toml",
        "part/meta/handoff.yaml",
    ];
    assert_eq!(ran.paths(), expected);
    assert!(ran.rules().contains(&EXISTS.to_owned()), "{:?}", ran.rules());
}

#[test]
fn without_settings_and_git_the_root_is_where_one_stands() {
    // proves A-12
    let sandbox = Sandbox::bare();
    sandbox.write("discussion/001-codex-response.md", "x");
    sandbox.write("meta/handoff.yaml", MANIFEST);
    assert_eq!(sandbox.run(&["check", "--json"]).rules(), Vec::<String>::new());
    assert_eq!(sandbox.run(&["check", "--json", "meta"]).rules(), Vec::<String>::new());
    assert_eq!(sandbox.run_in("meta", &["check", "--json", "handoff.yaml"]).rules(), [EXISTS]);
}

/// The rules that find fault with a path that an envelope names.
fn rules_for(sandbox: &Sandbox, artifact: &str) -> Vec<String> {
    sandbox.write("project/one.json", envelope("one", "VERIFIED").replace("a.txt", artifact));
    let ran = sandbox.run_in("project", &["check", "--json", "one.json"]);
    let rules = ran.rules();
    rules.into_iter().filter(|rule| rule.ends_with("artifacts_produced-exists")).collect()
}

#[test]
fn paths_in_documents_are_never_followed_out_of_the_root() {
    // proves A-12
    let sandbox = Sandbox::bare();
    sandbox.folder("project/.git");
    sandbox.write("outside/a.txt", "x");
    sandbox.write("project/a.txt", "x");
    sandbox.link("../outside", "project/away");
    sandbox.link("a.txt", "project/near");
    sandbox.link("nowhere", "project/broken");
    let found = 1;
    assert_eq!(rules_for(&sandbox, "a.txt").len(), 0);
    assert_eq!(rules_for(&sandbox, "near").len(), 0);
    assert_eq!(rules_for(&sandbox, "b.txt").len(), found);
    assert_eq!(rules_for(&sandbox, "broken").len(), found);
    assert_eq!(rules_for(&sandbox, "../outside/a.txt").len(), found);
    assert_eq!(rules_for(&sandbox, "away/a.txt").len(), found);
    assert_eq!(rules_for(&sandbox, &sandbox.path("outside/a.txt").display().to_string()).len(), found);
}

#[test]
fn worktrees_that_git_lists_count_as_inside() {
    // proves A-12
    let sandbox = Sandbox::bare();
    sandbox.write("tree/a.txt", "x");
    sandbox.write("project/.git/worktrees/tree/commondir", "../..\n");
    assert_eq!(rules_for(&sandbox, "../tree/a.txt").len(), 1, "git does not list it");
    let link = sandbox.path("tree/.git").display().to_string();
    sandbox.write("project/.git/worktrees/tree/gitdir", format!("{link}\n"));
    let git = sandbox.path("project/.git/worktrees/tree").display().to_string();
    sandbox.write("tree/.git", format!("gitdir: {git}\n"));
    assert_eq!(rules_for(&sandbox, "../tree/a.txt").len(), 0);
    assert_eq!(rules_for(&sandbox, &sandbox.path("tree/a.txt").display().to_string()).len(), 0);
    assert_eq!(rules_for(&sandbox, "../tree/b.txt").len(), 1);
    // The first checkout is inside, seen from the worktree.
    sandbox.write("project/a.txt", "x");
    sandbox.write("tree/one.json", envelope("one", "VERIFIED").replace("a.txt", "../project/a.txt"));
    let ran = sandbox.run_in("tree", &["check", "--json", "one.json"]);
    assert_eq!(ran.rules().iter().filter(|rule| rule.ends_with("-exists")).count(), 0, "{}", ran.stdout);
    fs::remove_file(sandbox.path("project/.git/worktrees/tree/gitdir")).unwrap();
}
