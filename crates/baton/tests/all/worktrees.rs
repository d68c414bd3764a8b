//! Folders that a repository claims as its worktrees, and which of them count as inside the project.

use std::fs;
use std::process::Command;

use crate::sandbox::{Sandbox, envelope};

/// A project beside a folder with a file that no document of the project may know of.
fn project() -> Sandbox {
    let sandbox = Sandbox::bare();
    sandbox.write("outside/a.txt", "x");
    sandbox.write("project/.git/HEAD", "ref: refs/heads/main\n");
    sandbox
}

fn at(sandbox: &Sandbox, path: &str) -> String {
    sandbox.path(path).display().to_string()
}

/// Lists a folder as a worktree, in the repository of a checkout.
fn list(sandbox: &Sandbox, checkout: &str, name: &str, git_file: &str) {
    let entry = format!("{checkout}/.git/worktrees/{name}");
    sandbox.write(&format!("{entry}/gitdir"), format!("{git_file}\n"));
    sandbox.write(&format!("{entry}/commondir"), "../..\n");
}

/// Lets a folder lead back to an entry of a repository.
fn lead_back(sandbox: &Sandbox, folder: &str, entry: &str) {
    sandbox.write(&format!("{folder}/.git"), format!("gitdir: {}\n", at(sandbox, entry)));
}

/// Whether a document in a folder may know of a file that it names.
fn is_inside(sandbox: &Sandbox, from: &str, artifact: &str) -> bool {
    sandbox.write(&format!("{from}/one.json"), envelope("one", "VERIFIED").replace("a.txt", artifact));
    let ran = sandbox.run_in(from, &["check", "--json", "one.json"]);
    !ran.rules().iter().any(|rule| rule.ends_with("artifacts_produced-exists"))
}

#[test]
fn a_forged_entry_does_not_make_a_folder_a_worktree() {
    // proves A-12
    let sandbox = project();
    let is_out = |what: &str| assert!(!is_inside(&sandbox, "project", "../outside/a.txt"), "{what}");
    for (name, git_file) in [
        ("absolute", at(&sandbox, "outside/.git")),
        ("relative", "../../../../outside/.git".to_owned()),
        ("dotted", format!("{}/../outside/.git", at(&sandbox, "project"))),
        ("above", at(&sandbox, ".git")),
        ("root", "/.git".to_owned()),
    ] {
        list(&sandbox, "project", name, &git_file);
    }
    is_out("nothing leads back");
    sandbox.folder("outside/.git/objects");
    is_out("it has a repository of its own");
    fs::remove_dir_all(sandbox.path("outside/.git")).unwrap();
    sandbox.write("other/.git/HEAD", "ref: refs/heads/main\n");
    list(&sandbox, "other", "absolute", &at(&sandbox, "outside/.git"));
    lead_back(&sandbox, "outside", "other/.git/worktrees/absolute");
    is_out("it is a worktree of another repository");
    lead_back(&sandbox, "outside", "project/.git/worktrees/other");
    is_out("it leads back to another entry");
    sandbox.write(
        "outside/.git",
        format!("gitdir: {}\nmore\n", at(&sandbox, "project/.git/worktrees/absolute")),
    );
    is_out("it leads back and says more");
    lead_back(&sandbox, "outside", "project/.git/worktrees/absolute");
    assert!(is_inside(&sandbox, "project", "../outside/a.txt"), "both ends agree");
}

#[test]
fn a_link_on_the_way_makes_no_folder_a_worktree() {
    // proves A-12
    let sandbox = project();
    let is_out = |what: &str| assert!(!is_inside(&sandbox, "project", "../outside/a.txt"), "{what}");
    let git = |path: &str| sandbox.path(&format!("project/.git/{path}"));
    // A folder outside is reached by a link inside.
    sandbox.link("../outside", "project/way");
    list(&sandbox, "project", "way", &at(&sandbox, "project/way/.git"));
    is_out("by a link to the folder");
    // What leads back is a link to a file of the project.
    sandbox.write("project/forged", format!("gitdir: {}\n", at(&sandbox, "project/.git/worktrees/tree")));
    sandbox.link("../project/forged", "outside/.git");
    list(&sandbox, "project", "tree", &at(&sandbox, "outside/.git"));
    is_out("by a link that leads back");
    fs::remove_file(sandbox.path("outside/.git")).unwrap();
    // The entry is one of another repository, whose worktree the folder really is.
    sandbox.write("other/.git/HEAD", "ref: refs/heads/main\n");
    list(&sandbox, "other", "tree", &at(&sandbox, "outside/.git"));
    lead_back(&sandbox, "outside", "other/.git/worktrees/tree");
    fs::remove_dir_all(git("worktrees")).unwrap();
    sandbox.link("../../other/.git/worktrees", "project/.git/worktrees");
    is_out("by a link to all entries");
    fs::remove_file(git("worktrees")).unwrap();
    sandbox.folder("project/.git/worktrees");
    sandbox.link("../../../other/.git/worktrees/tree", "project/.git/worktrees/tree");
    is_out("by a link to the entry");
    fs::remove_dir_all(git("")).unwrap();
    sandbox.link("../other/.git", "project/.git");
    is_out("by a link to the repository");
    assert!(!is_inside(&sandbox, "project", "../other/.git/HEAD"), "by a link to the repository");
}

#[test]
fn a_forged_git_file_makes_no_other_repository_that_of_the_project() {
    // proves A-12
    let sandbox = Sandbox::bare();
    sandbox.write("outside/a.txt", "x");
    sandbox.write("outside/.git/HEAD", "ref: refs/heads/main\n");
    list(&sandbox, "outside", "tree", &at(&sandbox, "elsewhere/.git"));
    let is_out = |what: &str| assert!(!is_inside(&sandbox, "project", "../outside/a.txt"), "{what}");
    sandbox.write("project/.git", format!("gitdir: {}\n", at(&sandbox, "outside/.git")));
    is_out("it leads to the repository");
    lead_back(&sandbox, "project", "outside/.git/worktrees/tree");
    is_out("it leads to the entry of another worktree");
    sandbox.write("project/forged/commondir", format!("{}\n", at(&sandbox, "outside/.git")));
    sandbox.write("project/forged/gitdir", format!("{}\n", at(&sandbox, "project/.git")));
    lead_back(&sandbox, "project", "project/forged");
    is_out("it leads to an entry of its own that claims another repository");
    sandbox.write("project/.git-forged/worktrees/x/gitdir", format!("{}\n", at(&sandbox, "project/.git")));
    sandbox.link("../outside/.git", "project/.git-forged/.git");
    lead_back(&sandbox, "project", "project/.git-forged/worktrees/x");
    is_out("it leads to an entry of a repository that is none");
    list(&sandbox, "outside", "project", &at(&sandbox, "project/.git"));
    lead_back(&sandbox, "project", "outside/.git/worktrees/project");
    assert!(is_inside(&sandbox, "project", "../outside/a.txt"), "both ends agree");
}

#[test]
fn a_folder_around_the_project_is_no_worktree_whatever_it_says() {
    // proves A-12
    let sandbox = Sandbox::bare();
    sandbox.write("around/a.txt", "x");
    sandbox.write("around/project/.git/HEAD", "ref: refs/heads/main\n");
    list(&sandbox, "around/project", "up", &at(&sandbox, "around/.git"));
    lead_back(&sandbox, "around", "around/project/.git/worktrees/up");
    assert!(!is_inside(&sandbox, "around/project", "../a.txt"));
}

#[cfg(unix)]
#[test]
fn what_is_no_file_or_has_no_end_is_not_waited_for() {
    // proves A-11
    let sandbox = project();
    list(&sandbox, "project", "pipe", "/nowhere/.git");
    let pipe = at(&sandbox, "project/.git/worktrees/pipe/gitdir");
    fs::remove_file(&pipe).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    sandbox.folder("project/.git/worktrees/device");
    sandbox.link("/dev/zero", "project/.git/worktrees/device/gitdir");
    sandbox.write("project/.git/worktrees/large/gitdir", "x".repeat(20_000_000));
    sandbox.write("project/.git/worktrees/bytes/gitdir", [b'/', 0xff, b'\n']);
    for number in 0..3_000 {
        list(&sandbox, "project", &number.to_string(), "/nowhere/.git");
    }
    assert!(!is_inside(&sandbox, "project", "../outside/a.txt"));
}

#[test]
fn worktrees_that_git_made_are_inside_from_each_of_them() {
    // proves A-12
    let sandbox = Sandbox::bare();
    let git = |folder: &str, arguments: &[&str]| {
        let ran = Command::new("git")
            .current_dir(sandbox.path(folder))
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    };
    sandbox.write("project/a.txt", "x");
    git("project", &["init", "-q"]);
    git("project", &["add", "a.txt"]);
    git("project", &["commit", "-q", "-m", "one"]);
    git("project", &["worktree", "add", "-q", "../one"]);
    git("project", &["worktree", "add", "-q", "../two"]);
    for (from, to) in [("project", "one"), ("one", "project"), ("one", "two"), ("two", "one")] {
        assert!(is_inside(&sandbox, from, &format!("../{to}/a.txt")), "{to} from {from}");
        assert!(!is_inside(&sandbox, from, &format!("../{to}/none.txt")), "{to} from {from}");
    }
    // With paths that are relative, as newer versions of git write them if told to.
    sandbox.write("project/.git/worktrees/one/gitdir", "../../../../one/.git\n");
    sandbox.write("one/.git", "gitdir: ../project/.git/worktrees/one\n");
    assert!(is_inside(&sandbox, "project", "../one/a.txt"));
    assert!(is_inside(&sandbox, "one", "../project/a.txt"));
}
