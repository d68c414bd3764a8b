//! The examples that ship with the repository do what their page says.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn check(folder: &Path, path: &str) -> (Option<i32>, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_baton"))
        .args(["check", "--json", path])
        .current_dir(folder)
        .output();
    let output = output.unwrap();
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn the_examples_are_of_all_dialects_and_three_files_have_faults() {
    // proves A-01
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (code, report) = check(&top, "examples");
    assert_eq!(code, Some(1));
    let files = report["files"].as_array().unwrap();
    let mut dialects: Vec<&str> = files
        .iter()
        .flat_map(|file| file["handoffs"].as_array().unwrap())
        .map(|handoff| handoff["dialect"].as_str().unwrap())
        .collect();
    dialects.sort_unstable();
    dialects.dedup();
    assert_eq!(dialects, ["envelope", "exchange", "manifest", "package", "pipeline"]);
    let faulty = files.iter().filter(|file| file["findings"] != Value::Array(Vec::new()));
    let faulty: Vec<&str> = faulty.map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(
        faulty,
        [
            "examples/.project/07-audit/sessions/2026-03/handoffs/HO-002.yaml",
            "examples/.runs/loans-1/build/handoffs/review-critic.json",
            "examples/pipeline/41-reviewed.xml",
        ]
    );
    // From inside, everything is the same but the paths.
    let (_, inside) = check(&top.join("examples"), ".");
    assert_eq!(inside["summary"], report["summary"]);
}

#[test]
fn the_first_command_of_the_readme_means_the_program() {
    let manifest = include_str!("../../../../Cargo.toml");
    assert!(
        manifest.contains("\ndefault-members = [\"crates/baton\"]"),
        "`cargo run` has one program to run"
    );
    assert!(include_str!("../../../../README.md").contains("cargo run --release -- demo"));
}
