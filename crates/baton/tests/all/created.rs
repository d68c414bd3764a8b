//! `package/artifacts-created` in real repositories.

use crate::sandbox::Sandbox;

const FOLDER: &str = ".project/07-audit/sessions/s1/handoffs";
const RULE: &str = "package/artifacts-created";

fn handoff(sandbox: &Sandbox, number: u32, artifacts: &[&str]) -> String {
    let list: String = artifacts.iter().map(|path| format!("\n      - path: {path}")).collect();
    let list = if artifacts.is_empty() { String::new() } else { format!("\n    artifacts:{list}") };
    let path = format!("{FOLDER}/HO-{number:03}.yaml");
    let text = format!(
        "handoff:\n  from:\n    agent: a\n  to:\n    agent: b\n  context:\n    summary: Step {number} is in docs{list}\n"
    );
    sandbox.write(&path, text);
    path
}

/// The files that the rule misses in a handoff.
fn missing(sandbox: &Sandbox, path: &str) -> Vec<String> {
    let report = sandbox.run(&["check", "--json", path]).json();
    let findings = report["files"][0]["findings"].as_array().unwrap().clone();
    let own = findings.iter().filter(|finding| finding["rule"] == RULE);
    own.map(|finding| {
        assert_eq!(finding["level"], "warning");
        finding["message"].as_str().unwrap().split('`').nth(1).unwrap().to_owned()
    })
    .collect()
}

#[test]
fn files_created_since_the_handoff_before_are_named_with_their_exact_path() {
    // proves P-05
    let sandbox = Sandbox::repository();
    sandbox.write("README.md", "x");
    sandbox.write(".gitignore", "*.log\n");
    sandbox.commit();
    sandbox.write("docs/one.md", "1");
    let first = handoff(&sandbox, 1, &["docs/one.md"]);
    sandbox.commit();
    sandbox.write("docs/two.md", "2");
    sandbox.commit();
    sandbox.write("docs/three.md", "3");
    sandbox.git(&["mv", "README.md", "READ.md"]);
    let second = handoff(&sandbox, 2, &["docs/three.md", "Docs/two.md"]);
    sandbox.commit();
    sandbox.write("docs/staged.md", "4");
    sandbox.git(&["add", "docs/staged.md"]);
    sandbox.write("docs/untracked.md", "5");
    sandbox.write("docs/run.log", "6");
    sandbox.write("state/current.json", "{}");
    sandbox.write(".project/07-audit/notes.md", "x");
    let third = handoff(&sandbox, 3, &["./docs/staged.md"]);
    assert_eq!(missing(&sandbox, &first), [""; 0]);
    assert_eq!(missing(&sandbox, &second), ["docs/two.md"], "another case is another path; a rename is none");
    assert_eq!(missing(&sandbox, &third), ["docs/untracked.md"]);
    handoff(&sandbox, 3, &[]);
    assert_eq!(missing(&sandbox, &third), ["docs/staged.md", "docs/untracked.md"]);
}

#[test]
fn a_folder_among_the_artifacts_does_not_name_the_files_in_it() {
    // proves P-05
    let sandbox = Sandbox::repository();
    sandbox.write("README.md", "x");
    sandbox.commit();
    sandbox.write("docs/api/one.md", "1");
    sandbox.write("docs.md", "2");
    let path = handoff(&sandbox, 1, &["docs/", "./docs/api"]);
    assert_eq!(missing(&sandbox, &path), ["docs.md", "docs/api/one.md"]);
    let report = sandbox.run(&["check", "--json", &path]).json();
    let findings = report["files"][0]["findings"].as_array().unwrap();
    let told: Vec<_> = findings.iter().filter(|finding| finding["rule"] == RULE).collect();
    assert_eq!(told[0]["found"], "no artifact with this path");
    assert_eq!(told[1]["message"], "`docs/api/one.md` was created and only its folder is an artifact");
    assert_eq!(told[1]["found"], "./docs/api");
    assert_eq!(told[1]["expected"], "`path: docs/api/one.md`");
    assert_eq!(told[1]["span"]["start"]["line"], 10, "the nearest folder is shown");
    assert!(told[1]["help"].as_str().unwrap().contains("a folder stands for none of its files"));
}

#[test]
fn without_a_handoff_before_its_own_commit_counts() {
    // proves P-05
    let sandbox = Sandbox::repository();
    sandbox.write("old.md", "x");
    sandbox.commit();
    sandbox.write("new.md", "x");
    let path = handoff(&sandbox, 7, &[]);
    assert_eq!(missing(&sandbox, &path), ["new.md"], "not committed yet: what is there now");
    sandbox.commit();
    sandbox.write("later.md", "x");
    assert_eq!(missing(&sandbox, &path), ["new.md"]);
}

#[test]
fn where_nobody_can_tell_nothing_is_said() {
    // proves P-05
    let bare = Sandbox::bare();
    bare.write("new.md", "x");
    let path = handoff(&bare, 1, &[]);
    assert_eq!(missing(&bare, &path), [""; 0], "no git");
    let sandbox = Sandbox::repository();
    sandbox.write("new.md", "x");
    let first = handoff(&sandbox, 1, &[]);
    assert_eq!(missing(&sandbox, &first), [""; 0], "no commit");
    sandbox.commit();
    assert_eq!(missing(&sandbox, &first), [""; 0], "the first commit");
    sandbox.write("more.md", "x");
    let (second, third) = (handoff(&sandbox, 2, &[]), handoff(&sandbox, 3, &[]));
    assert_eq!(missing(&sandbox, &second), ["more.md"]);
    assert_eq!(missing(&sandbox, &third), [""; 0], "the one before is not committed");
    sandbox.commit();
    assert_eq!(missing(&sandbox, &second), [""; 0], "two came with one commit");
}

#[test]
fn only_files_below_the_root_count_and_a_worktree_is_a_checkout_like_any() {
    // proves P-05
    let sandbox = Sandbox::repository();
    sandbox.write("part/baton.toml", "");
    sandbox.commit();
    sandbox.write("elsewhere.md", "x");
    sandbox.write("part/inside.md", "x");
    sandbox.write(
        "part/handoff.yaml",
        "handoff: {from: {agent: a}, to: {agent: b}, context: {summary: 3 files in docs}}\n",
    );
    assert_eq!(missing(&sandbox, "part/handoff.yaml"), ["inside.md"]);
    sandbox.commit();
    sandbox.git(&["worktree", "add", "--quiet", "tree", "-b", "other"]);
    assert_eq!(missing(&sandbox, "tree/part/handoff.yaml"), ["inside.md"]);
}

#[test]
fn a_handoff_that_was_taken_away_is_still_the_one_before() {
    // proves P-05
    let sandbox = Sandbox::repository();
    sandbox.write("README.md", "x");
    sandbox.commit();
    let first = handoff(&sandbox, 1, &[]);
    sandbox.commit();
    sandbox.write("two.md", "2");
    let second = handoff(&sandbox, 2, &["two.md"]);
    sandbox.commit();
    sandbox.git(&["rm", "--quiet", &first, &second]);
    sandbox.commit();
    sandbox.write("three.md", "3");
    let third = handoff(&sandbox, 3, &[]);
    assert_eq!(missing(&sandbox, &third), ["three.md"], "what the second brought is not the third's");
    sandbox.commit();
    sandbox.write("four.md", "4");
    assert_eq!(missing(&sandbox, &third), ["three.md"]);
    let fourth = handoff(&sandbox, 4, &[]);
    assert_eq!(missing(&sandbox, &fourth), ["four.md"]);
}

#[test]
fn history_is_heard_only_until_the_handoff_before() {
    // proves P-05
    let sandbox = Sandbox::repository();
    for number in 0..4 {
        sandbox.write("README.md", number.to_string());
        sandbox.commit();
    }
    sandbox.write("one.md", "1");
    let first = handoff(&sandbox, 1, &[]);
    sandbox.commit();
    sandbox.write("two.md", "2");
    let second = handoff(&sandbox, 2, &[]);
    sandbox.commit();
    sandbox.write("three.md", "3");
    let third = handoff(&sandbox, 3, &[]);
    // Whoever walks on comes to a commit that cannot be read, and git gives up.
    let lost = sandbox.git(&["rev-list", "--max-parents=0", "HEAD"]);
    let (folder, file) = lost.trim().split_at(2);
    std::fs::remove_file(sandbox.path(&format!(".git/objects/{folder}/{file}"))).unwrap();
    assert_eq!(missing(&sandbox, &third), ["three.md"], "not committed");
    assert_eq!(missing(&sandbox, &second), ["two.md"], "committed");
    assert_eq!(missing(&sandbox, &first), ["one.md"], "the first, which has none before it");
    std::fs::copy(sandbox.path(&first), sandbox.path(&first.replace("HO-001", "AC-007"))).unwrap();
    let other = first.replace("HO-001", "AC-007");
    assert_eq!(missing(&sandbox, &other), [""; 0], "what may lie further back is not guessed");
}

#[test]
fn many_files_are_counted_and_not_all_named() {
    let sandbox = Sandbox::repository();
    sandbox.write("README.md", "x");
    sandbox.commit();
    for number in 0..30 {
        sandbox.write(&format!("docs/{number:02}.md"), "x");
    }
    let path = handoff(&sandbox, 1, &[]);
    assert_eq!(missing(&sandbox, &path).len(), 20);
    let said = sandbox.run(&["check", &path]).stdout;
    assert!(
        said.contains("`docs/19.md` was created and is in no artifact, and so were 10 more files"),
        "{said}"
    );
}
