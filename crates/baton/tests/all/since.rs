//! `--since`: only files that differ from a revision, as git tells.

use crate::sandbox::Sandbox;

const ACK: &str = "acknowledgment:\n  received: true\n  starting: true\n";

#[test]
fn changed_added_renamed_staged_and_untracked_files_are_checked_and_no_others() {
    // proves A-01
    let sandbox = Sandbox::repository();
    for name in ["same", "changed", "gone", "old-name", "staged-back"] {
        sandbox.write(&format!("{name}.yaml"), format!("{ACK}  from: {name}\n"));
    }
    sandbox.write(".gitignore", "ignored.yaml\n");
    sandbox.commit();
    sandbox.git(&["tag", "start"]);
    sandbox.write("changed.yaml", format!("{ACK}  from: b\n"));
    sandbox.write("é committed.yaml", ACK);
    sandbox.commit();
    sandbox.git(&["mv", "old-name.yaml", "new-name.yaml"]);
    sandbox.git(&["rm", "--quiet", "gone.yaml"]);
    sandbox.write("staged.yaml", ACK);
    sandbox.write("staged-back.yaml", ACK);
    sandbox.git(&["add", "staged.yaml", "staged-back.yaml"]);
    sandbox.write("staged-back.yaml", format!("{ACK}  from: staged-back\n"));
    sandbox.write("deep/untracked.yaml", ACK);
    sandbox.write("ignored.yaml", ACK);
    let ran = sandbox.run(&["check", "--json", "--since", "start"]);
    let all = [
        "changed.yaml",
        "deep/untracked.yaml",
        "new-name.yaml",
        "staged-back.yaml",
        "staged.yaml",
        "é committed.yaml",
    ];
    assert_eq!(ran.paths(), all, "{}", ran.stderr);
    assert_eq!(sandbox.run(&["check", "--json", "--since", "HEAD"]).paths(), &all[1..5]);
    // From below, and for a file that is named.
    assert_eq!(sandbox.run_in("deep", &["check", "--json", "--since", "start"]).paths(), ["untracked.yaml"]);
    assert_eq!(sandbox.run(&["check", "--json", "--since", "start", "same.yaml"]).paths(), [""; 0]);
    let none = sandbox.run_in("deep", &["check", "--since", "start", "../same.yaml", "."]);
    assert_eq!(none.code, 0);
}

#[test]
fn a_handoff_at_its_place_differs_although_git_ignores_it() {
    // proves A-01
    let sandbox = Sandbox::repository();
    sandbox.write(".gitignore", ".runs/\nbuild/\n");
    sandbox.write(".runs/r1/flow/handoffs/kept-b.json", "{}");
    sandbox.git(&["add", "--force", ".runs"]);
    sandbox.commit();
    sandbox.write(".runs/r1/flow/handoffs/a-b.json", "{}");
    sandbox.write(".runs/r2/flow/handoffs/a-b.json", "{}");
    sandbox.write("build/ack.yaml", ACK);
    let placed = [".runs/r1/flow/handoffs/a-b.json", ".runs/r2/flow/handoffs/a-b.json"];
    assert_eq!(sandbox.run(&["check", "--json", "--since", "HEAD"]).paths(), placed);
    // One that is named is as new.
    let named = sandbox.run(&["check", "--json", "--since", "HEAD", "build/ack.yaml"]);
    assert_eq!(named.paths(), ["build/ack.yaml"]);
}

#[test]
fn what_git_cannot_answer_is_said_before_any_work() {
    let sandbox = Sandbox::repository();
    sandbox.write("ack.yaml", ACK);
    let asked = |revision: &str| sandbox.run(&["check", "--since", revision]);
    let unborn = asked("HEAD");
    assert_eq!(unborn.code, 2);
    assert!(unborn.stderr.contains("git knows no revision `HEAD`"), "{}", unborn.stderr);
    sandbox.commit();
    for revision in ["nope", "--output=x", "-x", "HEAD:ack.yaml", "HEAD --"] {
        let ran = sandbox.run(&["check", &format!("--since={revision}")]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{revision}");
        assert!(ran.stderr.contains(&format!("git knows no revision `{revision}`")), "{}", ran.stderr);
    }
    assert!(!sandbox.path("x").exists());
    assert_eq!(sandbox.run(&["check", "--since", ""]).code, 2);
    let stdin = sandbox.run_with(b"", &["check", "--since", "HEAD", "-"]);
    assert_eq!(stdin.code, 2);
    assert!(stdin.stderr.contains("standard input is none"), "{}", stdin.stderr);
    let bare = Sandbox::bare();
    let ran = bare.run(&["check", "--since", "HEAD"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("is in no git repository"), "{}", ran.stderr);
}

#[test]
fn a_clone_without_its_history_says_what_is_missing() {
    let sandbox = Sandbox::repository();
    sandbox.write("ack.yaml", ACK);
    sandbox.commit();
    let first = sandbox.git(&["rev-parse", "HEAD"]);
    sandbox.write("more.yaml", ACK);
    sandbox.commit();
    let other = Sandbox::bare();
    other.git(&["clone", "--quiet", "--depth=1", &format!("file://{}", sandbox.path("").display()), "clone"]);
    let ran = other.run_in("clone", &["check", "--since", first.trim()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("git fetch --unshallow"), "{}", ran.stderr);
}

#[test]
fn worktrees_submodules_and_links_do_not_stop_it() {
    let inner = Sandbox::repository();
    inner.write("in.yaml", ACK);
    inner.commit();
    let sandbox = Sandbox::repository();
    sandbox.write("a.yaml", ACK);
    sandbox.git(&["submodule", "--quiet", "add", &inner.path("").display().to_string(), "sub"]);
    sandbox.commit();
    assert_eq!(sandbox.run(&["check", "--json", "--since", "HEAD"]).paths(), [""; 0]);
    sandbox.write("sub/in.yaml", format!("{ACK}  from: b\n"));
    assert_eq!(sandbox.run(&["check", "--json", "--since", "HEAD"]).paths(), ["sub/in.yaml"]);
    sandbox.git(&["worktree", "add", "--quiet", "tree", "-b", "other"]);
    sandbox.write("tree/b.yaml", ACK);
    assert_eq!(sandbox.run_in("tree", &["check", "--json", "--since", "main"]).paths(), ["b.yaml"]);
    // Where one stands may itself be behind a link.
    let linked = Sandbox::bare();
    linked.link(sandbox.path("tree"), "here");
    assert_eq!(linked.run_in("here", &["check", "--json", "--since", "main"]).paths(), ["b.yaml"]);
}
