//! A folder of its own for each test, and the program run in it with a scrubbed environment.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::left::Left;

/// A manifest without faults.
pub(crate) const MANIFEST: &str = "version: 1
source_file: discussion/001-codex-response.md
generated_at: \"2026-02-09\"
from: codex
to: claude
status: pending
";

/// An envelope without faults, but for one word that the test may break.
pub(crate) fn envelope(step: &str, status: &str) -> String {
    format!(
        r#"{{"meta": {{"step_id": "{step}", "flow_key": "build", "agent_key": "author", "timestamp": "2026-01-31T09:30:00Z"}},
 "status": "{status}",
 "summary": {{"what_i_did": "Did {step}", "what_i_found": "Nothing odd",
  "evidence": {{"artifacts_produced": ["a.txt"], "commands_run": ["make"]}}}},
 "routing": {{"recommendation": "CONTINUE", "reason": "It is done"}}}}
"#
    )
}

/// A folder of its own, gone when the test is over, and before it all that still works there.
pub(crate) struct Sandbox {
    _left: Left,
    folder: TempDir,
}

/// What a run of the program left behind.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// The paths of the files in a JSON report.
    pub(crate) fn paths(&self) -> Vec<String> {
        let report = self.json();
        let files = report["files"].as_array().unwrap().clone();
        files.iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect()
    }

    /// The rules that found something, in order, from a JSON report.
    pub(crate) fn rules(&self) -> Vec<String> {
        let report = self.json();
        let files = report["files"].as_array().unwrap().clone();
        let findings = files.iter().flat_map(|file| file["findings"].as_array().unwrap().clone());
        findings.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
    }
}

impl Sandbox {
    /// A folder that is the top of a repository.
    pub(crate) fn new() -> Self {
        let sandbox = Self::bare();
        sandbox.folder(".git");
        sandbox
    }

    /// A folder that is nothing in particular.
    pub(crate) fn bare() -> Self {
        let folder = TempDir::new().unwrap();
        Self { _left: Left::of(folder.path()), folder }
    }

    /// A repository with one manifest that has no faults.
    pub(crate) fn with_manifest() -> Self {
        let sandbox = Self::new();
        sandbox.write("meta/handoff.yaml", MANIFEST);
        sandbox.write("discussion/001-codex-response.md", "# Done\n");
        sandbox
    }

    /// A folder that is a real repository, without a commit.
    pub(crate) fn repository() -> Self {
        let sandbox = Self::bare();
        sandbox.git(&["init", "--quiet", "--initial-branch=main"]);
        sandbox
    }

    /// Runs git in the folder.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in("", args)
    }

    /// Runs git in a folder below.
    pub(crate) fn git_in(&self, folder: &str, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args([
            "-c",
            "user.name=Nora",
            "-c",
            "user.email=nora@example.com",
            "-c",
            "protocol.file.allow=always",
        ]);
        command.args(args).current_dir(self.path(folder)).env("HOME", self.folder.path());
        command.env("GIT_CONFIG_NOSYSTEM", "1").env_remove("GIT_DIR").env_remove("GIT_INDEX_FILE");
        let output = command.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "git {args:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
        said
    }

    /// Commits everything.
    pub(crate) fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "more"]);
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn folder(&self, path: &str) {
        fs::create_dir_all(self.path(path)).unwrap();
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn link(&self, target: impl AsRef<Path>, path: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    pub(crate) fn command(&self, folder: &str, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command.args(args).current_dir(self.path(folder)).env_clear().env("HOME", self.folder.path());
        command
    }

    /// Runs the program in the folder.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_in("", args)
    }

    /// Runs the program in a folder below.
    pub(crate) fn run_in(&self, folder: &str, args: &[&str]) -> Ran {
        ran(self.command(folder, args).stdin(Stdio::null()))
    }

    /// Runs the program with something on standard input.
    pub(crate) fn run_with(&self, stdin: &[u8], args: &[&str]) -> Ran {
        let mut command = self.command("", args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Whether all of it is read is the program's affair.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        ran_to(child.wait_with_output().unwrap())
    }
}

pub(crate) fn ran(command: &mut Command) -> Ran {
    ran_to(command.output().unwrap())
}

fn ran_to(output: std::process::Output) -> Ran {
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
