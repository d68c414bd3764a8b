//! `baton resume --changed`: a run goes on with its files as they are now.

use crate::office::Office;

const KEY: (&str, &str) = ("BATON_GATE_KEY", "nora's passphrase");
const STEPS: &str = "  - write: {agent: ada, task: The old task}\n  - look: {gate: blocking}\n  - review: {agent: ben, task: The old words}\n";

/// A run that waits at its gate.
fn at_the_gate() -> Office {
    let office = Office::with(STEPS);
    let agent = office.sandbox.read("agent.sh");
    office.sandbox.write("agent.sh", format!("cat ${{BATON_PROMPT:-/dev/null}} > told-$1\n{agent}"));
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("waits for you: gate look"), "{}", ran.stdout);
    office
}

fn change(office: &Office, from: &str, to: &str) {
    let flow = office.sandbox.read("flows/article.yaml");
    assert!(flow.contains(from), "{flow}");
    office.sandbox.write("flows/article.yaml", flow.replace(from, to));
}

#[test]
fn a_person_goes_on_with_changed_files_and_that_is_recorded() {
    // proves S-04
    let office = at_the_gate();
    change(&office, "The old words", "The new words");
    change(&office, "  - write:", "  - plan: ada\n  - write:");
    change(&office, "  - review:", "  - check: ben\n  - review:");
    assert_eq!(office.run_with(&["gate", "approve", "article-1"], &[KEY]).code, 0);
    let resumed = office.run(&["resume", "article-1", "--changed"]);
    assert_eq!(resumed.code, 0, "{}{}", resumed.stdout, resumed.stderr);
    assert!(resumed.stderr.contains("pinned its files: flows/article.yaml\n"), "{}", resumed.stderr);
    assert!(resumed.stdout.contains("nora        goes on with changed files\n"), "{}", resumed.stdout);
    assert!(resumed.stdout.contains("keeps flows/article.yaml as it is now\n"), "{}", resumed.stdout);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}", resumed.stdout);
    assert_eq!(office.calls().len(), 3, "write, which was done before, then check and review");
    assert!(office.sandbox.read("told-ben").contains("The new words"));
    let log = office.run(&["log", "article-1"]).stdout;
    assert_eq!(log.matches("goes on with changed files").count(), 1, "{log}");
    assert_eq!(office.run(&["log", "--verify"]).code, 0);
    let shown = office.run(&["show", "article-1"]).stdout;
    for step in ["✔ write", "✔ look", "✔ check", "✔ review"] {
        assert!(shown.contains(step), "{shown}");
    }
    assert!(!shown.contains("✔ plan"), "{shown}");
    let write = shown.lines().find(|line| line.contains("✔ write")).unwrap();
    assert!(write.contains("ada") && write.contains("done"), "{shown}");
    assert!(office.run(&["show", "article-1/1"]).stdout.contains("write"));
    assert_eq!(office.run(&["resume", "article-1", "--changed"]).code, 3, "it is over");
}

#[test]
fn the_run_goes_by_the_changed_files_from_then_on() {
    // proves S-04
    let office = at_the_gate();
    let old = office.sandbox.read("flows/article.yaml");
    change(&office, "The old words", "The new words");
    let resumed = office.run(&["resume", "article-1", "--changed"]);
    assert!(resumed.stdout.contains("waits for you: gate look"), "{}{}", resumed.stdout, resumed.stderr);
    office.sandbox.write("flows/article.yaml", old);
    assert_eq!(office.run_with(&["gate", "approve", "article-1"], &[KEY]).code, 0);
    let resumed = office.run(&["resume", "article-1"]);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}{}", resumed.stdout, resumed.stderr);
    assert!(office.sandbox.read("told-ben").contains("The new words"));
}

#[test]
fn a_broken_agent_is_mended_in_the_middle_of_a_run() {
    let office = Office::with("  - write: ada\n  - review: ben\n");
    change(&office, "  ben: {dialect: envelope, run: [sh, agent.sh, ben], restart: safe}\n", "");
    office.sandbox.write(
        "baton.toml",
        "[agents.ben]\ndialect = \"envelope\"\nrun = [\"no-such-program\"]\nprompt = \"ben.md\"\n",
    );
    office.sandbox.write("ben.md", "Be brief.\n");
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("waits for you"), "{}{}", ran.stdout, ran.stderr);
    office.sandbox.write(
        "baton.toml",
        "[agents.ben]\ndialect = \"envelope\"\nrun = [\"sh\", \"agent.sh\", \"ben\"]\nprompt = \"ben-2.md\"\n",
    );
    office.sandbox.write("ben-2.md", "Be brief, and right.\n");
    let resumed = office.run(&["resume", "--changed"]);
    assert_eq!(resumed.code, 0, "{}{}", resumed.stdout, resumed.stderr);
    assert!(
        resumed.stderr.contains("pinned its files: baton.toml, ben-2.md (new), ben.md (gone)\n"),
        "{}",
        resumed.stderr
    );
    assert!(!resumed.stdout.contains("keeps flows/article.yaml"), "it has not changed: {}", resumed.stdout);
    let dead = office.run(&["dead", "--json"]).json();
    let retried = office.run(&["retry", dead["dead"][0]["id"].as_str().unwrap()]);
    assert!(retried.stdout.contains("ends article-1: done"), "{}{}", retried.stdout, retried.stderr);
}

#[test]
fn what_the_run_is_using_must_still_be_there() {
    let office = at_the_gate();
    let log = office.run(&["log", "article-1"]).stdout;
    let old = office.sandbox.read("flows/article.yaml");
    let refused = |hint: &str, message: &str, code: i32| {
        let resumed = office.run(&["resume", "article-1", "--changed"]);
        assert_eq!((resumed.code, resumed.stdout.contains("goes on")), (code, false), "{}", resumed.stdout);
        assert!(resumed.stderr.contains(message), "{}", resumed.stderr);
        assert!(resumed.stderr.contains(hint), "{}", resumed.stderr);
        assert_eq!(office.run(&["log", "article-1"]).stdout, log, "nothing has changed");
        office.sandbox.write("flows/article.yaml", &old);
    };
    change(&office, "  - look: {gate: blocking}\n", "");
    refused("keep the step or agent", "the changed flow lacks 'look', which the run is using", 3);
    change(&office, "steps:\n", "inputs: {subject: null}\nsteps:\n");
    refused("`default`", "it must be given `subject`, which article-1 was not", 3);
    change(&office, "steps:\n", "steps:\n  - first: nobody\n");
    refused("", "flows/article.yaml cannot be run as it is", 1);
    std::fs::remove_file(office.sandbox.path("flows/article.yaml")).unwrap();
    refused("put it back", "flows/article.yaml, the flow that article-1 goes by, is not there any more", 3);
    let unknown = office.run(&["resume", "article-2", "--changed"]);
    assert_eq!(unknown.code, 3);
    assert!(unknown.stderr.contains("there is no run article-2"), "{}", unknown.stderr);
    // It goes on as it was.
    assert_eq!(office.run_with(&["gate", "approve", "article-1"], &[KEY]).code, 0);
    let resumed = office.run(&["resume", "article-1"]);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}{}", resumed.stdout, resumed.stderr);
}

#[test]
fn where_nothing_has_changed_the_run_just_goes_on() {
    let office = at_the_gate();
    assert_eq!(office.run_with(&["gate", "approve", "article-1"], &[KEY]).code, 0);
    let resumed = office.run(&["resume", "article-1", "--changed"]);
    assert_eq!(resumed.code, 0, "{}{}", resumed.stdout, resumed.stderr);
    assert!(resumed.stderr.contains("no file that article-1 goes by has changed"), "{}", resumed.stderr);
    assert!(!resumed.stdout.contains("changed files"), "{}", resumed.stdout);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}", resumed.stdout);
}

#[test]
fn whose_keys_count_stays_as_it_was_when_the_run_started() {
    // proves P-12
    let office = Office::with(STEPS);
    let line = |phrase: &str, name: &str| {
        let ran = office.run_with(&["gate", "key", name], &[("BATON_GATE_KEY", phrase)]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout.lines().find(|line| line.contains("ed25519:")).unwrap().to_owned()
    };
    office.sandbox.write("baton.toml", format!("[people]\n{}\n", line(KEY.1, "nora")));
    assert_eq!(office.run(&["run", "article"]).code, 0);
    office.sandbox.write("baton.toml", format!("[people]\n{}\n", line("eve's own", "eve")));
    let resumed = office.run(&["resume", "article-1", "--changed"]);
    assert_eq!(resumed.code, 0, "{}{}", resumed.stdout, resumed.stderr);
    assert!(resumed.stderr.contains("whose keys count at its gates stays as it was"), "{}", resumed.stderr);
    let eve = office.run_with(&["gate", "approve", "article-1"], &[("BATON_GATE_KEY", "eve's own")]);
    assert_eq!(eve.code, 3, "{}", eve.stdout);
    assert!(eve.stderr.contains("nobody of this project has the key"), "{}", eve.stderr);
    assert_eq!(office.run_with(&["gate", "approve", "article-1"], &[KEY]).code, 0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_that_somebody_drives_is_not_changed_and_one_that_was_killed_is() {
    // proves S-04
    let office = Office::with(STEPS);
    office.sandbox.write("wait", "");
    let mut first = office.start(&["run", "article"]);
    first.until("is given write");
    office.awaits("calls");
    change(&office, "The old words", "The new words");
    let driven = office.run(&["resume", "article-1", "--changed"]);
    assert_eq!(driven.code, 3, "{}", driven.stdout);
    assert!(driven.stderr.contains("another baton drives article-1"), "{}", driven.stderr);
    first.signal("KILL");
    first.end();
    office.sandbox.write("go", "");
    let resumed = office.run(&["resume", "article-1", "--changed"]);
    assert_eq!(resumed.code, 0, "{}{}", resumed.stdout, resumed.stderr);
    assert!(resumed.stdout.contains("goes on with changed files"), "{}", resumed.stdout);
    assert!(resumed.stdout.contains("attempt 2: sent again after a crash"), "{}", resumed.stdout);
    assert_eq!(office.calls().len(), 2);
}

#[test]
fn the_files_of_an_inbox_and_of_questions_are_told_as_the_run_goes_by_them() {
    let office = Office::with("  - choose: {escalate: \"Which colour?\"}\n  - file: cleo\n");
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("the flow asks: Which colour?"), "{}{}", ran.stdout, ran.stderr);
    change(&office, "Which colour?", "Which size?");
    change(
        &office,
        "cleo: {dialect: envelope, inbox: true}",
        "cleo: {dialect: envelope, run: [sh, agent.sh, cleo]}",
    );
    assert_eq!(office.run(&["resume", "article-1", "--changed"]).code, 0);
    let log = office.run(&["log", "article-1"]).stdout;
    assert!(log.contains("the flow asks: Which colour?"), "as it was asked then: {log}");
    assert!(office.run(&["show", "article-1"]).stdout.contains("Which size?"));
    assert_eq!(office.run(&["clarify", "article-1", "large", "--go-on"]).code, 0);
    let resumed = office.run(&["resume", "article-1"]);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}{}", resumed.stdout, resumed.stderr);
}

#[test]
fn a_cap_that_was_raised_in_the_flow_holds_no_more() {
    // proves S-07
    let office = Office::with("  - write: ada\n  - review: ben\n");
    change(&office, "steps:\n", "caps: {handoffs: 1}\nsteps:\n");
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("waits for you"), "{}{}", ran.stdout, ran.stderr);
    let refused = office.run(&["clarify", "article-1", "--go-on"]);
    assert_eq!(refused.code, 3, "{}", refused.stdout);
    assert!(refused.stderr.contains("--more N"), "{}", refused.stderr);
    change(&office, "handoffs: 1", "handoffs: 5");
    assert_eq!(office.run(&["resume", "article-1", "--changed"]).code, 0);
    let answered = office.run(&["clarify", "article-1", "--go-on"]);
    assert_eq!(answered.code, 0, "{}", answered.stderr);
    let resumed = office.run(&["resume", "article-1"]);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}{}", resumed.stdout, resumed.stderr);
}
