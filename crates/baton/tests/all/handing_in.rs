//! What people and agents hand in: answers to gates, work from inboxes, signals.

use crate::office::Office;

const KEY: (&str, &str) = ("BATON_GATE_KEY", "nora's passphrase");

const GATED: &str = "  - write: ada\n  - approve: {gate: blocking, items: [the text is right], options: {approve: Print it}}\n  - print: ben\n";

#[test]
fn a_gate_waits_for_a_person_and_passes_by_a_signature_alone() {
    // proves P-12
    let office = Office::with(GATED);
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("article-1  waits for you: gate approve"), "{}", ran.stdout);
    assert!(ran.stdout.contains("baton gate approve article-1/approve"), "{}", ran.stdout);
    let list = office.run(&["gate", "list", "--json"]).json();
    assert_eq!(list["gates"][0]["id"], "article-1/approve");
    let waiting = office.run(&["runs", "--waiting"]).stdout;
    assert!(waiting.contains("waits for you: gate approve"), "{waiting}");
    let shown = office.run(&["gate", "show", "article-1"]).stdout;
    for said in ["□ the text is right", "Did the part of ada", "Print it"] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    assert_eq!(office.run(&["show", "article-1/approve"]).stdout, shown);
    let unsigned = office.run(&["gate", "approve", "article-1/approve"]);
    assert_eq!(unsigned.code, 3, "{}", unsigned.stdout);
    assert!(unsigned.stderr.contains("only a person may answer a gate"), "{}", unsigned.stderr);
    let signed = office.run_with(&["gate", "approve", "article-1/approve"], &[KEY]);
    assert_eq!((signed.code, signed.stdout.as_str()), (0, "approved article-1/approve\n"));
    assert!(signed.stderr.contains("`baton resume article-1` goes on"), "{}", signed.stderr);
    let listed = office.run(&["runs"]).stdout;
    assert!(listed.contains("has an answer: `baton resume article-1` goes on"), "{listed}");
    let twice = office.run_with(&["gate", "reject", "article-1/approve"], &[KEY]);
    assert_eq!(twice.code, 3, "it is decided");
    let resumed = office.run_with(&["resume"], &[KEY]);
    assert_eq!(resumed.code, 0, "{}{}", resumed.stdout, resumed.stderr);
    assert!(resumed.stdout.contains("nora        approves gate article-1/approve"), "{}", resumed.stdout);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}", resumed.stdout);
    assert!(office.calls().iter().all(|call| call.ends_with(" nokey")), "no agent sees the key");
}

#[test]
fn only_people_of_the_project_answer_and_a_rejection_halts() {
    // proves P-12
    let office = Office::with(GATED);
    let line = office.run_with(&["gate", "key", "nora"], &[KEY]).stdout;
    assert!(line.starts_with("[people]\nnora = { key = \"ed25519:"), "{line}");
    office.sandbox.write("baton.toml", line);
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let stranger =
        office.run_with(&["gate", "approve", "article-1"], &[("BATON_GATE_KEY", "an agent's own")]);
    assert_eq!(stranger.code, 3);
    assert!(stranger.stderr.contains("nobody of this project has the key"), "{}", stranger.stderr);
    let rejected =
        office.run_with(&["gate", "reject", "article-1", "--because", "figures of last year"], &[KEY]);
    assert_eq!(rejected.code, 0, "{}", rejected.stderr);
    let resumed = office.run(&["resume", "--json"]);
    assert_eq!(resumed.code, 1, "{}", resumed.stdout);
    let last = resumed.stdout.lines().last().unwrap();
    assert!(last.contains("\"how\":\"halted\",\"why\":\"a person rejected\""), "{last}");
    assert_eq!(office.run(&["check"]).code, 0, "[people] is a setting");
}

// proves P-12: what a person has seen is what is approved, also if the work was done again since.
#[test]
fn what_changed_since_it_was_seen_is_not_approved() {
    let office =
        Office::with("  - write: ada\n  - approve: {gate: blocking, on-reject: write}\n  - print: ben\n");
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let seen = office.run(&["gate", "show", "article-1", "--json"]).json()["shown"].as_str().unwrap()[..8]
        .to_owned();
    let shown = office.run(&["gate", "show", "article-1"]).stdout;
    assert!(shown.contains(&format!("baton gate approve article-1/approve --shown {seen}")), "{shown}");
    let approve = |shown: &str| office.run_with(&["gate", "approve", "article-1", "--shown", shown], &[KEY]);
    for wrong in ["8e5e", "nothing."] {
        let refused = approve(wrong);
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains("at least 8 digits of the hash"), "{}", refused.stderr);
    }
    let another = approve("00000000");
    assert_eq!(another.code, 3, "{}", another.stdout);
    assert!(another.stderr.contains(&format!("shows something else by now: {seen}")), "{}", another.stderr);
    let right = approve(&seen);
    assert_eq!((right.code, right.stdout.as_str()), (0, "approved article-1/approve\n"), "{}", right.stderr);
}

#[test]
fn an_answer_is_taken_by_whoever_drives_the_run() {
    let office = Office::with(
        "  - both: {parallel: [write, look]}\n  - print: ben\n  - write: ada\n  - look: {gate: blocking}\n",
    );
    office.sandbox.write("wait", "");
    let mut run = office.start(&["run", "article"]);
    office.awaits("calls");
    run.until("opens gate article-1/look");
    let signed = office.run_with(&["gate", "approve", "article-1/look", "--json"], &[KEY]);
    assert_eq!(signed.code, 0, "{}", signed.stderr);
    assert_eq!(signed.json()["taken"], true);
    run.until("approves gate article-1/look");
    office.sandbox.write("go", "");
    run.until("ends article-1: done");
    assert_eq!(run.end(), Some(0));
}

#[test]
fn an_agent_asks_for_its_work_and_hands_in_its_answer() {
    // proves P-10
    let office = Office::with("  - write: ada\n  - file: {agent: cleo, task: File it.}\n  - print: ben\n");
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("article-1  waits: cleo is awaited"), "{}", ran.stdout);
    assert_eq!(office.run(&["inbox", "ben", "--json"]).json()["inbox"].as_array().unwrap().len(), 0);
    let inbox = office.run(&["inbox", "cleo", "--json"]).json();
    let item = &inbox["inbox"][0];
    assert!(item["handoff"].as_str().unwrap().contains("Did the part of ada"), "{item}");
    assert_eq!((&item["from"], &item["prompt"]), (&"ada".into(), &"File it.".into()));
    let id = item["id"].as_str().unwrap();
    for stage in [["ack", id, "--json"].as_slice(), &["ack", id, "--accept"], &["ack", id, "--start"]] {
        let acked = office.run(stage);
        assert_eq!(acked.code, 0, "{stage:?}: {}", acked.stderr);
    }
    office.sandbox.write("bad.json", "{\"status\": \"VERIFIED\"}");
    let bad = office.run(&["return", id, "bad.json"]);
    assert_eq!((bad.code, bad.stdout.as_str()), (1, ""));
    assert!(bad.stderr.contains("bad.json is not handed in"), "{}", bad.stderr);
    assert_eq!(office.run(&["return", id, "gone.json"]).code, 2);
    office.answer("answer.json");
    let handed = office.run(&["return", id, "answer.json"]);
    assert_eq!(handed.code, 0, "{}", handed.stderr);
    assert_eq!(office.run(&["submit", "answer.json", "--run", "article-1"]).code, 3, "it is taken once");
    let resumed = office.run(&["resume"]);
    assert_eq!(resumed.code, 0, "{}{}", resumed.stdout, resumed.stderr);
    for said in ["has received it", "takes it", "has begun", "cleo        answers article-1/2: done"] {
        assert!(resumed.stdout.contains(said), "{said}: {}", resumed.stdout);
    }
    assert_eq!(office.run(&["submit", "answer.json"]).code, 3, "nobody waits any more");
}

#[test]
fn a_person_answers_where_a_run_cannot_go_on_and_signals_what_it_waits_for() {
    let office = Office::with(
        "  - pause: {wait: 1h, signal: ci-green}\n  - help: {escalate: somebody must look}\n  - print: ben\n",
    );
    let mut run = office.start(&["run", "article"]);
    run.until("waits until");
    assert_eq!(office.run(&["signal", "article-1", "ci-red"]).code, 3);
    let told = office.run(&["signal", "article-1", "ci-green"]);
    assert_eq!(told.code, 0, "{}", told.stderr);
    run.until("the signal came");
    run.until("waits for you: the flow asks: somebody must look");
    assert_eq!(run.end(), Some(0));
    let unsaid = office.run(&["clarify", "article-1"]);
    assert_eq!(unsaid.code, 2, "{}", unsaid.stderr);
    assert_eq!(office.run(&["clarify", "article-1", "--to", "nowhere"]).code, 3);
    let answered = office.run(&["clarify", "article-1", "--go-on"]);
    assert_eq!(answered.code, 0, "{}", answered.stderr);
    let resumed = office.run(&["resume"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stdout);
    assert!(resumed.stdout.contains("nora        says: go on"), "{}", resumed.stdout);
}

#[test]
fn agents_that_fail_are_asked_again_and_then_given_up() {
    // proves S-05
    let office = Office::with("  - write: ada\n");
    office
        .sandbox
        .write("flows/article.yaml", office.sandbox.read("flows/article.yaml") + "caps: {retries: 0}\n");
    office.sandbox.write("broken-ada", "");
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.contains("waits for you: it failed, and all retries are used up"), "{}", ran.stdout);
    let dead = office.run(&["dead"]);
    assert!(dead.stdout.contains("it failed, and all retries are used up"), "{}", dead.stdout);
    let id = dead.stdout.lines().nth(1).unwrap().split(' ').next().unwrap();
    let shown = office.run(&["show", id, "--json"]);
    assert_eq!(shown.json()["kind"], "dead", "{}", shown.stderr);
    assert_eq!(office.run(&["show", "article-1/nowhere"]).code, 3);
    let cancelled = office.run(&["cancel", "article-1", "--json"]);
    assert_eq!(cancelled.json()["taken"], true, "{}", cancelled.stderr);
}

// proves S-05: what has expired is no longer offered, and who looks at the run hears what goes on with it.
#[test]
fn what_expired_in_an_inbox_while_nobody_drove_is_said_with_what_helps() {
    let office = Office::with("  - file: {agent: cleo, expires: 1s}\n");
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let id =
        office.run(&["runs", "--json"]).json()["runs"][0]["awaits"][0]["id"].as_str().unwrap().to_owned();
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    for shown in [office.run(&["runs"]).stdout, office.run(&["show", "article-1"]).stdout] {
        assert!(shown.contains("cleo did not answer in time, and its delivery has expired"), "{shown}");
        assert!(!shown.contains("is awaited"), "{shown}");
    }
    let shown = office.run(&["show", "article-1"]).stdout;
    assert!(shown.contains("baton resume article-1") && !shown.contains("baton return"), "{shown}");
    office.answer("late.json");
    let late = office.run(&["return", &id, "late.json"]);
    assert_eq!(late.code, 3, "{}", late.stdout);
    assert!(late.stderr.contains("has expired") && late.stderr.contains("baton resume"), "{}", late.stderr);
    let resumed = office.run(&["resume", "article-1"]);
    assert!(resumed.stdout.contains("baton retry"), "a person is asked: {}", resumed.stdout);
}
