//! `--fix`, `--diff` and `--redact` on real files.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use crate::sandbox::{Ran, Sandbox};

const ACK: &str = "acknowledgment: # seen\n  received: yes\n  starting: true\n";
const RIGHT: &str = "acknowledgment: # seen\n  received: true\n  starting: true\n";

fn names(sandbox: &Sandbox, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(sandbox.path(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_fixed_and_what_is_left_is_reported() {
    // proves
    let sandbox = Sandbox::new();
    sandbox.write("a/ack.yaml", ACK);
    sandbox.write("a/other.yaml", format!("{}  action: go\n", ACK.replace("yes", "\"Yes\"")));
    fs::set_permissions(sandbox.path("a/ack.yaml"), fs::Permissions::from_mode(0o640)).unwrap();
    let ran = sandbox.run(&["check", "--fix", "--json", "a"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(ran.rules(), ["package/acknowledgment/action-enum"]);
    assert!(ran.stderr.contains("fixed 2 findings in 2 files"), "{}", ran.stderr);
    assert_eq!(sandbox.read("a/ack.yaml"), RIGHT);
    assert_eq!(sandbox.path("a/ack.yaml").metadata().unwrap().mode() & 0o777, 0o640);
    assert_eq!(names(&sandbox, "a"), ["ack.yaml", "other.yaml"]);
    let before = sandbox.path("a/ack.yaml").metadata().unwrap().ino();
    let again = sandbox.run(&["check", "--fix", "a/ack.yaml"]);
    assert_eq!((again.code, again.stdout.as_str()), (0, "nothing found in 1 file (1 handoff checked)\n"));
    assert!(again.stderr.contains("nothing to fix"), "{}", again.stderr);
    assert_eq!(sandbox.path("a/ack.yaml").metadata().unwrap().ino(), before, "what is right is not written");
}

#[test]
fn a_diff_changes_nothing_and_git_applies_it() {
    let sandbox = Sandbox::repository();
    let odd = "a b/é \"x\".yaml";
    let crlf = ACK.replace('\n', "\r\n");
    sandbox.write(odd, &crlf);
    sandbox.write("c.yaml", ACK.trim_end());
    sandbox.commit();
    let ran = sandbox.run(&["check", "--diff", "."]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("--- "), "only the diff is data: {}", ran.stdout);
    assert!(ran.stderr.contains("document/boolean-word"), "the report is not: {}", ran.stderr);
    assert!(ran.stderr.contains("2 findings in 2 files would be fixed"), "{}", ran.stderr);
    assert_eq!((sandbox.read(odd), sandbox.read("c.yaml")), (crlf.clone(), ACK.trim_end().to_owned()));
    fs::write(sandbox.path(".git/fix.patch"), &ran.stdout).unwrap();
    sandbox.git(&["apply", ".git/fix.patch"]);
    assert_eq!(sandbox.read(odd), crlf.replace("yes", "true"));
    assert_eq!(sandbox.read("c.yaml"), RIGHT.trim_end());
    let again = sandbox.run(&["check", "--diff", "."]);
    assert_eq!((again.code, again.stdout.as_str()), (0, ""));
    // What --fix would do is what --fix does.
    let shown = sandbox.run(&["check", "--fix", "--diff", "."]);
    assert_eq!((shown.code, shown.stdout.as_str()), (0, ""));
}

#[test]
fn a_diff_with_errors_that_nothing_fixes_blocks_too() {
    let sandbox = Sandbox::new();
    sandbox.write("ack.yaml", "acknowledgment:\n  received: perhaps\n");
    let ran = sandbox.run(&["check", "--diff", "ack.yaml"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("received-type"), "{}", ran.stderr);
}

#[test]
fn what_is_piped_in_comes_out_fixed_and_the_report_beside_it() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_with(ACK.as_bytes(), &["check", "--fix", "-"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, RIGHT));
    assert!(ran.stderr.contains("nothing found in 1 file"), "{}", ran.stderr);
    // Nothing to fix, nothing lost.
    let text = "no handoff at all \u{e9}";
    assert_eq!(sandbox.run_with(text.as_bytes(), &["check", "--fix", "-"]).stdout, text);
    let diff = sandbox.run_with(ACK.as_bytes(), &["check", "--diff", "-", "--stdin-filename", "x.yaml"]);
    assert!(diff.stdout.starts_with("--- a/x.yaml\n+++ b/x.yaml\n@@ -1,3 +1,3 @@\n"), "{}", diff.stdout);
}

#[test]
fn secrets_stay_unless_they_are_asked_for_and_only_they_go_then() {
    // proves A-13
    let sandbox = Sandbox::new();
    sandbox.write("ack.yaml", ACK);
    let ran = sandbox.run(&["check", "--redact", "ack.yaml"]);
    assert_eq!(ran.code, 0);
    assert_eq!(sandbox.read("ack.yaml"), ACK, "a word for a boolean is no secret");
    assert_eq!(sandbox.run(&["check", "--redact", "--diff", "ack.yaml"]).stdout, "");
    // Put together here, so that no file of ours looks like one that holds a secret.
    let token = format!("gh{}", "p_k3J9x2Lm8QpW5rT1vB7nYc4Zd6Hf0GsAeUiO");
    let told = format!("{ACK}  from: \"push with {token} # now\" # why\n");
    sandbox.write("told.yaml", &told);
    assert_eq!(
        sandbox.run(&["check", "--fix", "told.yaml"]).code,
        1,
        "a secret is an error that --fix leaves"
    );
    assert!(sandbox.read("told.yaml").contains(&token));
    sandbox.write("told.yaml", &told);
    let shown = sandbox.run(&["check", "--redact", "--diff", "told.yaml"]);
    assert_eq!((shown.code, sandbox.read("told.yaml")), (1, told));
    let ran = sandbox.run(&["check", "--redact", "told.yaml"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let left = sandbox.read("told.yaml");
    assert!(!left.contains(&token[6..]) && left.starts_with(ACK), "{left}");
    assert!(left.ends_with(" # now\" # why\n"), "only the secret goes: {left}");
    assert_eq!(sandbox.run(&["check", "--redact", "told.yaml"]).code, 0);
    assert_eq!(sandbox.read("told.yaml"), left, "once is enough");
    assert_eq!(sandbox.run(&["check", "--redact", "--fix", "ack.yaml"]).code, 0);
    assert_eq!(sandbox.read("ack.yaml"), RIGHT);
}

fn refused(ran: &Ran, message: &str) {
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
    assert!(!ran.stderr.contains("nothing to fix"), "{}", ran.stderr);
    assert!(ran.stdout.contains("boolean-word"), "it is reported all the same: {}", ran.stdout);
}

#[test]
fn what_is_read_only_is_left_alone() {
    // proves A-15
    let sandbox = Sandbox::new();
    sandbox.write("a/ack.yaml", ACK);
    let chmod = |path: &str, mode| {
        fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    chmod("a/ack.yaml", 0o444);
    refused(&sandbox.run(&["check", "--fix", "a"]), "cannot write a/ack.yaml: it is read-only");
    chmod("a/ack.yaml", 0o644);
    chmod("a", 0o555);
    refused(&sandbox.run(&["check", "--fix", "a"]), "cannot write a/ack.yaml: its folder is read-only");
    let json = sandbox.run(&["check", "--fix", "--json", "a"]).json();
    assert_eq!(json["failures"][0]["message"], "its folder is read-only");
    chmod("a", 0o755);
    assert_eq!(sandbox.read("a/ack.yaml"), ACK);
    assert_eq!(names(&sandbox, "a"), ["ack.yaml"]);
}

#[test]
fn a_link_is_followed_inside_the_root_and_never_out_of_it() {
    // proves
    let outside = Sandbox::bare();
    outside.write("ack.yaml", ACK);
    let sandbox = Sandbox::new();
    sandbox.write("real/ack.yaml", ACK);
    sandbox.link("real/ack.yaml", "inside.yaml");
    sandbox.link(outside.path("ack.yaml"), "outside.yaml");
    sandbox.link(outside.path(""), "folder");
    refused(&sandbox.run(&["check", "--fix", "outside.yaml"]), "it leads out of the project");
    refused(&sandbox.run(&["check", "--fix", "folder/ack.yaml"]), "it leads out of the project");
    assert_eq!(outside.read("ack.yaml"), ACK);
    assert_eq!(sandbox.run(&["check", "--fix", "inside.yaml"]).code, 0);
    assert_eq!(sandbox.read("real/ack.yaml"), RIGHT);
    assert!(sandbox.path("inside.yaml").is_symlink(), "the link is still one");
}

#[test]
fn two_runs_at_once_leave_the_file_whole() {
    // proves A-15
    let sandbox = Sandbox::new();
    for _ in 0..10 {
        sandbox.write("ack.yaml", ACK);
        let start = || sandbox.command("", &["check", "--fix", "ack.yaml"]).spawn().unwrap();
        let all = [start(), start(), start()];
        for mut one in all {
            assert!(one.wait().unwrap().success());
        }
        assert_eq!(sandbox.read("ack.yaml"), RIGHT);
        assert_eq!(names(&sandbox, ""), [".git", "ack.yaml"]);
    }
}

#[test]
fn a_file_that_is_no_handoff_and_the_settings_stay_as_they_are() {
    let sandbox = Sandbox::new();
    sandbox.write("tsconfig.json", "{\"a\": [1,],}");
    sandbox.write("baton.toml", "[check]\nstrct = true\n");
    assert_eq!(sandbox.run(&["check", "--fix", "tsconfig.json", "baton.toml"]).code, 1);
    assert_eq!(sandbox.read("tsconfig.json"), "{\"a\": [1,],}");
    assert_eq!(sandbox.read("baton.toml"), "[check]\nstrct = true\n");
}
