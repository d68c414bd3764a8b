//! Files of a project that are FIFOs, devices, sockets, folders, links out of it, or huge: each is named at once, and none is
//! waited for. The test harness ends what hangs.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use crate::office::Office;
use crate::sandbox::Sandbox;

/// A project whose flow, settings, dialects, agents and prompts are all files.
fn project() -> Office {
    let office = Office::with("  - write: {agent: ada, task: Write it.}\n  - look: dora\n");
    office.sandbox.write("baton.toml", "[check]\nexclude = []\n");
    office.sandbox.write(
        "workflow-agents/dora.md",
        "---\nname: dora\ndialect: envelope\nrun: [sh, agent.sh, dora]\nprompt: prompts/dora.md\n---\nLooks at it.\n",
    );
    office.sandbox.write("prompts/dora.md", "Look well.\n");
    office.sandbox.write("dialects/own.yaml", OWN);
    office
}

const OWN: &str = "dialect: own\nwritten-in: [yaml]\nkinds:\n  own: {about: Own., fields: {own: {type: text, about: Own.}}}\n";

/// The files of each kind.
const FILES: [&str; 5] =
    ["flows/article.yaml", "baton.toml", "workflow-agents/dora.md", "prompts/dora.md", "dialects/own.yaml"];

/// Puts something odd in the place of a file; gives what it must be called.
fn replace(office: &Office, path: &str, with: &str) -> &'static str {
    let full = office.sandbox.path(path);
    std::fs::remove_file(&full).unwrap();
    match with {
        "fifo" => {
            assert!(Command::new("mkfifo").arg(&full).status().unwrap().success());
            "it is a FIFO, not a regular file"
        }
        "zero" => {
            symlink("/dev/zero", &full).unwrap();
            "it is a device, not a regular file"
        }
        "socket" => {
            // The path of a socket must be short.
            let at = full.parent().unwrap().to_owned();
            let short = tempfile::tempdir().unwrap();
            symlink(&at, short.path().join("at")).unwrap();
            drop(UnixListener::bind(short.path().join("at").join(full.file_name().unwrap())).unwrap());
            "it is a socket, not a regular file"
        }
        "folder" => {
            std::fs::create_dir(&full).unwrap();
            "it is a folder, not a regular file"
        }
        "out" => {
            symlink("/etc/hostname", &full).unwrap();
            "it is a link out of the project"
        }
        _ => {
            let file = std::fs::File::create(&full).unwrap();
            file.set_len(1 << 40).unwrap();
            "1099511627776 bytes"
        }
    }
}

fn named_at_once(with: &str) {
    for path in FILES {
        let office = project();
        let called = replace(&office, path, with);
        // A folder is none of the files that are looked for by an ending.
        if with == "folder" && path == "dialects/own.yaml" {
            continue;
        }
        let ran = office.run(&["run", "article"]);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        let name = path.rsplit('/').next().unwrap();
        assert!(said.contains(called) && said.contains(name), "{path} as {with}: {said}");
        let is_dialect = path.starts_with("dialects");
        // A dialect that cannot be read is named, and not there.
        assert!(is_dialect || ran.code != 0, "{path} as {with}: {said}");
        if path.starts_with("workflow-agents") {
            let checked = office.run(&["flow", "check", "article"]);
            assert!(checked.stderr.contains(called), "{path} as {with}: {}", checked.stderr);
        }
        for args in [&["flow", "check"][..], &["flow", "graph", "article"], &["check", path]] {
            office.run(args);
        }
    }
}

#[test]
fn a_fifo_in_the_place_of_a_project_file_is_named_at_once() {
    named_at_once("fifo");
}

#[test]
fn a_link_to_an_endless_device_is_named_at_once() {
    named_at_once("zero");
}

#[test]
fn a_socket_in_the_place_of_a_project_file_is_named_at_once() {
    named_at_once("socket");
}

#[test]
fn a_folder_in_the_place_of_a_project_file_is_named_at_once() {
    named_at_once("folder");
}

#[test]
fn a_link_out_of_the_project_is_named_and_not_followed() {
    named_at_once("out");
}

#[test]
fn a_file_that_is_huge_is_named_at_once() {
    named_at_once("huge");
}

#[test]
fn a_flow_that_is_a_fifo_is_not_said_to_be_missing() {
    let office = project();
    replace(&office, "flows/article.yaml", "fifo");
    let said = office.run(&["run", "article"]).stderr;
    assert!(said.contains("flows/article.yaml: it is a FIFO, not a regular file"), "{said}");
    assert!(!said.contains("there is no flow"), "{said}");
}

#[test]
fn a_repository_whose_files_are_fifos_is_not_waited_for() {
    let office = project();
    office.sandbox.write("handoff.yaml", "artifacts: [src/loans.py]\n");
    let worktree = office.sandbox.path(".git/worktrees/other");
    std::fs::create_dir_all(&worktree).unwrap();
    assert!(Command::new("mkfifo").arg(worktree.join("gitdir")).status().unwrap().success());
    office.run(&["check", "handoff.yaml"]);
    let office = project();
    let git = office.sandbox.path(".git");
    if git.exists() {
        std::fs::remove_dir_all(&git).unwrap();
    }
    assert!(Command::new("mkfifo").arg(&git).status().unwrap().success());
    office.run(&["check", "baton.toml"]);
}

#[test]
fn a_list_of_ignored_files_that_has_no_end_is_named_and_not_read() {
    for (folder, plant) in [
        ("", "mkfifo .gitignore"),
        ("deep", "ln -s /dev/zero deep/.gitignore"),
        ("deep", "mkfifo deep/.gitignore"),
    ] {
        let sandbox = Sandbox::with_manifest();
        sandbox.write("deep/handoff.json", "{}");
        let planted = Command::new("sh").args(["-c", plant]).current_dir(sandbox.path("")).status();
        assert!(planted.unwrap().success());
        let ran = sandbox.run(&["check"]);
        assert_eq!(ran.code, 4, "{plant}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("its folder is not walked"), "{folder} {plant}: {}", ran.stderr);
    }
}
