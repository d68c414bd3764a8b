//! Which files are looked at, in which order, and what cannot be read.

use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

use crate::sandbox::{MANIFEST, Sandbox, envelope};

#[test]
fn a_folder_without_a_path_is_the_one_where_one_stands() {
    // proves A-01
    let sandbox = Sandbox::with_manifest();
    let ran = sandbox.run(&["check", "--json"]);
    assert_eq!(ran.paths(), ["meta/handoff.yaml"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn placed_files_are_read_whatever_git_ignores_and_others_are_not() {
    // proves A-01
    let sandbox = Sandbox::with_manifest();
    let placed = ".runs/r1/build/handoffs/one-author.json";
    let hidden = ".project/07-audit/sessions/s/handoffs/HO-001.yaml";
    sandbox.write(placed, envelope("one", "DONE"));
    sandbox.write(hidden, "handoff: {from: {agent: a, step: 1}, to: {agent: b}, context: {summary: Ok}}\n");
    sandbox.write("out/other.json", envelope("two", "DONE"));
    sandbox.write(".hidden/other.json", envelope("three", "DONE"));
    sandbox.write("kept/other.json", envelope("four", "DONE"));
    sandbox.write(".git/handoff.json", envelope("five", "DONE"));
    sandbox.write(".baton/handoff.json", envelope("six", "DONE"));
    sandbox.write(".runs/r1/build/handoffs/.git/one-author.json", envelope("one", "DONE"));
    sandbox.write(".gitignore", "/out\n/.runs\n/meta\n/.project\n");
    let ran = sandbox.run(&["check", "--json"]);
    assert_eq!(ran.paths(), [hidden, placed, "kept/other.json", "meta/handoff.yaml"]);
    // An ignored folder that is named is walked.
    assert_eq!(sandbox.run(&["check", "--json", "out"]).paths(), ["out/other.json"]);
    assert_eq!(sandbox.run(&["check", "--json", ".hidden"]).paths(), [".hidden/other.json"]);
    assert_eq!(sandbox.run(&["check", "--json", ".runs"]).paths(), [placed]);
    assert_eq!(sandbox.run(&["check", "--json", ".runs/r1/build"]).paths(), [placed]);
}

#[test]
fn files_that_are_no_handoffs_are_passed_over_when_met_and_said_so_when_named() {
    // proves A-01
    let sandbox = Sandbox::new();
    sandbox.write("package.json", "{\"name\": \"x\"}\n");
    sandbox.write("broken.json", "{\"name\": \n");
    sandbox.write("notes.md", format!("# Notes\n\n```yaml\n{MANIFEST}```\n"));
    let met = sandbox.run(&["check"]);
    assert_eq!((met.code, met.stdout.as_str()), (0, ""));
    assert_eq!(met.stderr, "note: no handoffs found in .\n");
    let named = sandbox.run(&["check", "--json", "package.json"]);
    assert_eq!(named.rules(), ["document/not-a-handoff"]);
    assert_eq!(named.json()["files"][0]["handoffs"], serde_json::json!([]));
    assert_eq!(named.json()["summary"]["infos"], 1);
    assert_eq!(named.code, 0);
    // Prose is read when it is named.
    let prose = sandbox.run(&["check", "--json", "notes.md"]);
    assert_eq!(prose.json()["files"][0]["handoffs"][0]["dialect"], "manifest");
}

#[test]
fn a_path_that_does_not_exist_is_a_usage_error_before_any_work() {
    // proves A-01
    let sandbox = Sandbox::with_manifest();
    let ran = sandbox.run(&["check", "meta", "no/such.yaml"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert_eq!(ran.stderr, "error: no/such.yaml does not exist\n");
}

#[test]
fn what_cannot_be_read_is_listed_and_the_rest_is_checked() {
    let sandbox = Sandbox::with_manifest();
    sandbox.write("bad.json", envelope("one", "DONE"));
    sandbox.link("nowhere.yaml", "broken.yaml");
    sandbox.write("folder.json/inner.txt", "x");
    assert!(Command::new("mkfifo").arg(sandbox.path("pipe.json")).status().unwrap().success());
    let ran = sandbox.run(&["check", "--json"]);
    assert_eq!(ran.paths(), ["bad.json", "meta/handoff.yaml"]);
    assert_eq!(
        ran.json()["failures"],
        serde_json::json!([
            {"path": "broken.yaml", "message": "it is a link to a file that does not exist"},
            {"path": "pipe.json", "message": "it is a FIFO, not a regular file; `-` reads what is piped in"},
        ])
    );
    assert_eq!(ran.code, 4, "4 beats 1");
    let text = sandbox.run(&["check"]);
    assert!(text.stderr.starts_with("error: cannot read broken.yaml: it is a link"), "{}", text.stderr);
    assert!(text.stdout.contains("`DONE`"), "{}", text.stdout);
    let named = sandbox.run(&["check", "broken.yaml", "pipe.json"]);
    assert_eq!(named.code, 4);
}

#[test]
fn links_that_lead_out_of_the_project_are_not_followed_when_walking() {
    // proves A-12
    let sandbox = Sandbox::bare();
    sandbox.folder("project/.git");
    sandbox.write("outside/secret.json", envelope("one", "DONE"));
    sandbox.write("project/inside.json", envelope("one", "DONE"));
    sandbox.link("../outside/secret.json", "project/out.json");
    sandbox.link("../outside", "project/out");
    sandbox.link("../outside", "project/.runs");
    sandbox.link("inside.json", "project/in.json");
    let ran = sandbox.run_in("project", &["check", "--json"]);
    assert_eq!(ran.paths(), ["in.json", "inside.json"]);
    // Named, it is read.
    assert_eq!(sandbox.run_in("project", &["check", "--json", "out.json"]).paths(), ["out.json"]);
}

#[test]
fn each_file_is_checked_once_however_often_it_is_met() {
    let sandbox = Sandbox::with_manifest();
    sandbox.write("a.json", "{}\n");
    let args = ["check", "--json", "meta", ".", "a.json", "meta/handoff.yaml", "./meta/../meta"];
    let ran = sandbox.run(&args);
    assert_eq!(ran.paths(), ["a.json", "meta/handoff.yaml"]);
    assert_eq!(ran.rules(), ["document/not-a-handoff"], "named counts more than met");
}

#[test]
fn paths_are_shown_from_where_one_stands() {
    // proves A-03
    let sandbox = Sandbox::with_manifest();
    sandbox.folder("src/deep");
    assert_eq!(
        sandbox.run_in("src/deep", &["check", "--json", "../.."]).paths(),
        ["../../meta/handoff.yaml"]
    );
    let absolute = sandbox.path("meta").display().to_string();
    assert_eq!(sandbox.run(&["check", "--json", &absolute]).paths(), ["meta/handoff.yaml"]);
}

#[test]
fn a_file_name_that_is_no_unicode_is_shown_as_well_as_can_be() {
    let sandbox = Sandbox::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.json");
    std::fs::write(sandbox.path("").join(name), envelope("one", "DONE")).unwrap();
    let ran = sandbox.run(&["check", "--json"]);
    assert_eq!(ran.paths(), ["caf\u{fffd}.json"]);
    let text = sandbox.run(&["check"]);
    assert_eq!(text.code, 1);
}

#[test]
fn many_files_come_in_the_same_order_every_time() {
    let sandbox = Sandbox::new();
    for number in 0..300 {
        let status = if number % 7 == 0 { "DONE" } else { "VERIFIED" };
        let filler = if number % 50 == 0 { " ".repeat(200_000) } else { String::new() };
        let text = envelope(&format!("s{number}"), status) + &filler;
        sandbox.write(&format!("d{}/f{number:03}.json", number % 5), text);
    }
    let first = sandbox.run(&["check", "--json"]);
    let paths = first.paths();
    assert_eq!(paths.len(), 300);
    assert!(paths.is_sorted());
    for _ in 0..3 {
        assert_eq!(sandbox.run(&["check", "--json"]).stdout, first.stdout);
    }
}

#[test]
fn whoever_stops_reading_ends_the_work_quietly() {
    let sandbox = Sandbox::new();
    for number in 0..200 {
        sandbox.write(&format!("f{number:03}.json"), envelope("s", &"X".repeat(2_000)));
    }
    let mut child =
        sandbox.command("", &["check"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_file_over_the_limit_is_refused_unread() {
    // proves A-11
    let sandbox = Sandbox::new();
    sandbox.write("baton.toml", "[limits]\nfile-bytes = 1000\n");
    sandbox.write("meta/handoff.yaml", MANIFEST.to_owned() + &"#".repeat(1_000));
    sandbox.write("data.json", "[".repeat(2_000));
    let ran = sandbox.run(&["check", "--json"]);
    let report = ran.json();
    assert_eq!(ran.rules(), ["document/too-large", "document/too-large"]);
    // Nobody knows whether the other one is a handoff at all.
    assert_eq!(report["files"][0]["findings"][0]["level"], "info");
    assert_eq!(report["files"][1]["findings"][0]["level"], "error");
    assert_eq!(report["files"][1]["findings"][0]["span"], serde_json::Value::Null);
    let named = sandbox.run(&["check", "--json", "data.json"]);
    assert_eq!((named.code, named.rules()), (1, vec!["document/too-large".to_owned()]));
}
