//! Standard input.

use crate::sandbox::{MANIFEST, Sandbox, envelope};

#[test]
fn standard_input_is_searched_for_handoffs() {
    // proves A-01
    let sandbox = Sandbox::with_manifest();
    let answer = format!("Done.\n\n```yaml\n{}```\n", MANIFEST.replace("pending", "away"));
    let ran = sandbox.run_with(answer.as_bytes(), &["check", "-", "--json"]);
    assert_eq!(ran.paths(), ["<stdin>"]);
    assert_eq!(ran.rules(), ["manifest/manifest/status-enum"]);
    assert_eq!(ran.json()["files"][0]["findings"][0]["span"]["start"]["line"], 9);
    assert_eq!(ran.code, 1);
}

#[test]
fn standard_input_may_have_a_name() {
    // proves A-01
    let sandbox = Sandbox::new();
    let name = ".runs/r1/build/handoffs/one-author.json";
    let args = ["check", "-", "--stdin-filename", name, "--json"];
    let ran = sandbox.run_with(envelope("two", "VERIFIED").as_bytes(), &args);
    assert_eq!(ran.paths(), [name]);
    assert!(ran.rules().contains(&"document/misplaced".to_owned()), "{:?}", ran.rules());
    let without = sandbox.run(&["check", "--stdin-filename", name]);
    assert_eq!(without.code, 2);
    assert!(without.stderr.contains("add `-`"), "{}", without.stderr);
}

#[test]
fn empty_standard_input_is_no_handoff() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_with(b"", &["check", "-", "--json"]);
    assert_eq!((ran.code, ran.rules()), (0, vec!["document/not-a-handoff".to_owned()]));
}

#[test]
fn standard_input_over_the_limit_is_refused() {
    // proves A-11
    let sandbox = Sandbox::new();
    sandbox.write("baton.toml", "[limits]\nfile-bytes = 100\n");
    let ran = sandbox.run_with(&[b'{'; 5_000], &["check", "-", "--json"]);
    assert_eq!((ran.code, ran.rules()), (1, vec!["document/too-large".to_owned()]));
}
