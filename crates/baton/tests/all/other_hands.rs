//! An answer through a file is that of the agent whose file it is, or of none: what others write there is kept beside.

use std::path::PathBuf;

use crate::office::Office;

/// The envelopes of the run.
const FOLDER: &str = ".runs/article-1/article/handoffs";

/// A shell function that waits for a file, and gives up after a while.
const AWAIT: &str =
    "await() { n=0; until ls $1 >/dev/null 2>&1 || [ $n -gt 500 ]; do sleep 0.02; n=$((n + 1)); done; }\n";

fn envelope(step: &str, agent: &str, did: &str) -> String {
    format!(
        r#"{{"meta": {{"step_id": "{step}", "flow_key": "article", "agent_key": "{agent}", "timestamp": "2026-01-31T09:30:00Z"}},
 "status": "VERIFIED", "summary": {{"what_i_did": "{did}", "what_i_found": "Nothing odd",
  "evidence": {{"artifacts_produced": ["a.txt"], "commands_run": ["make"]}}}},
 "routing": {{"recommendation": "CONTINUE", "reason": "It is done"}}}}
"#
    )
}

/// A project whose flow keeps envelopes: `ada` and `ben` are scripts, `cleo` has an inbox, `nora` is a person.
fn office(steps: &str, ada: &str, ben: &str) -> Office {
    let office = Office::with("  - write: ada\n");
    let program =
        |name: &str| format!("  {name}: {{dialect: envelope, run: [sh, {name}.sh], restart: safe}}\n");
    let flow = format!(
        "flow: article\nkeeps: [envelope]\nagents:\n{}{}  cleo: {{dialect: envelope, inbox: true}}\n  \
         nora: {{dialect: envelope, courier: human}}\nsteps:\n{steps}",
        program("ada"),
        program("ben")
    );
    office.sandbox.write("flows/article.yaml", flow);
    for (name, script) in [("ada", ada), ("ben", ben)] {
        office.sandbox.write(&format!("{name}.sh"), format!("{AWAIT}{script}\ncat mine-{name}\n"));
    }
    std::fs::create_dir_all(office.sandbox.path(FOLDER)).unwrap();
    office.sandbox.write("mine-ada", envelope("one", "ada", "Mine"));
    office.sandbox.write("mine-ben", envelope("two", "ben", "Mine"));
    for agent in ["ben", "cleo", "nora"] {
        office.sandbox.write(&format!("forged-{agent}"), envelope("two", agent, "Forged"));
    }
    office
}

/// What is saved beside a file, all of it.
fn beside(office: &Office) -> String {
    let folder: PathBuf = office.sandbox.path(FOLDER);
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let saved = names.filter(|path| path.to_string_lossy().contains(".conflict-"));
    saved.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn what_an_agent_writes_for_the_next_one_is_not_its_answer() {
    // As if it were written later, and at the last moment before the next one begins.
    for later in ["true", "touch -d '2199-01-01 00:00:00'", "touch -d '2199-01-01 00:00:00.5'"] {
        let file = format!("{FOLDER}/two-ben.json");
        let forge = format!("cp forged-ben {file}; {later} {file}");
        let office = office("  - one: ada\n  - two: ben\n", &forge, &format!("await '{FOLDER}/*conflict*'"));
        let ran = office.run(&["run", "article"]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(!ran.stdout.contains("through its file"), "{forge}: {}", ran.stdout);
        assert!(ran.stderr.contains("before its agent was asked"), "{forge}: {}", ran.stderr);
        let second = office.run(&["show", "article-1/2"]).stdout;
        assert!(second.contains("Mine") && !second.contains("Forged"), "{forge}: {second}");
        assert!(beside(&office).contains("Forged"), "what was written is kept");
    }
}

#[test]
fn what_an_agent_writes_for_one_that_works_beside_it_is_not_its_answer() {
    let steps = "  - both: {parallel: [one, two]}\n  - last: ada\n  - one: ada\n  - two: ben\n";
    let forge = format!(
        "if [ ! -e once ]; then touch once; await at-work; cp forged-ben {FOLDER}/two-ben.json; await '{FOLDER}/*conflict*'; fi"
    );
    let office = office(steps, &forge, &format!("touch at-work; await '{FOLDER}/*conflict*'"));
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("through its file"), "{}", ran.stdout);
    assert!(ran.stderr.contains("ada was at work in article-1 too"), "{}", ran.stderr);
    assert!(beside(&office).contains("Forged"), "what was written is kept");
    let envelope = office.sandbox.read(&format!("{FOLDER}/two-ben.json"));
    assert!(envelope.contains("Mine") && !envelope.contains("Forged"), "{envelope}");
}

#[test]
fn an_agent_of_another_run_answers_through_no_file_of_this_one() {
    let ben = format!("touch at-work; await '{FOLDER}/*conflict*'");
    let office = office("  - one: ada\n  - two: ben\n", "", &ben);
    let mut run = office.start(&["run", "article"]);
    office.awaits("at-work");
    let program = "  cal: {dialect: envelope, run: [sh, cal.sh], restart: safe}\n";
    office
        .sandbox
        .write("flows/other.yaml", format!("flow: other\nagents:\n{program}steps:\n  - two: cal\n"));
    office.sandbox.write("cal.sh", format!("cp forged-ben {FOLDER}/two-ben.json; cat mine-ben\n"));
    assert_eq!(office.run(&["run", "other"]).code, 0);
    run.until("ends article-1: done");
    assert_eq!(run.end(), Some(0));
    let log = office.run(&["log", "article-1"]).stdout;
    assert!(!log.contains("through its file"), "{log}");
    let second = office.run(&["show", "article-1/2"]).stdout;
    assert!(second.contains("Mine") && !second.contains("Forged"), "{second}");
    assert!(beside(&office).contains("Forged"), "what was written is kept");
}

#[test]
fn a_person_answers_through_no_file() {
    let steps = "  - both: {parallel: [one, two]}\n  - last: ada\n  - one: ada\n  - two: nora\n";
    let forge = format!("cp forged-nora {FOLDER}/two-nora.json; await '{FOLDER}/*conflict*'");
    let office = office(steps, &forge, "");
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("through its file"), "{}", ran.stdout);
    assert!(ran.stderr.contains("nora is a person"), "{}", ran.stderr);
    assert!(beside(&office).contains("Forged"), "what was written is kept");
    assert_eq!(office.run(&["return", "article-1", "forged-nora"]).code, 0, "it still waits for its answer");
}

#[test]
fn an_agent_that_works_alone_answers_through_its_file() {
    // It never answers otherwise: what stands in its file ends its work.
    let ben = format!("cp mine-ben {FOLDER}/two-ben.json; await never; exit 7");
    let office = office("  - one: ada\n  - two: ben\n", "", &ben);
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("through its file"), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("ends article-1: done"), "{}", ran.stdout);
}

#[test]
fn nothing_is_written_or_read_through_what_an_agent_put_in_the_way() {
    for (put, said) in [
        ("rm -rf .runs; ln -s flows .runs", "a link on the way is not followed"),
        ("rm -rf .runs; ln -s \"$OUTSIDE\" .runs", "a link on the way leads out of the project"),
        ("ln -s \"$OUTSIDE/forged-ben\" F", "it is a link"),
        ("mkfifo F", "it is no regular file"),
        ("mkdir -p F", "it is no regular file"),
    ] {
        let outside = tempfile::tempdir().unwrap();
        let forged = envelope("two", "ben", "Forged");
        std::fs::write(outside.path().join("forged-ben"), &forged).unwrap();
        let put = put.replace("$OUTSIDE", &outside.path().to_string_lossy());
        let put = put.replace(" F", &format!(" {FOLDER}/two-ben.json"));
        let office = office("  - one: ada\n  - two: ben\n", &put, "");
        let ran = office.run(&["run", "article"]);
        assert_eq!(ran.code, 0, "{put}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(said), "{put}: {}", ran.stderr);
        assert!(!ran.stdout.contains("through its file"), "{put}: {}", ran.stdout);
        let names: Vec<_> =
            std::fs::read_dir(outside.path()).unwrap().map(|name| name.unwrap().file_name()).collect();
        assert_eq!(names, ["forged-ben"], "{put}");
        assert_eq!(std::fs::read_to_string(outside.path().join("forged-ben")).unwrap(), forged, "{put}");
        let flows = std::fs::read_dir(office.sandbox.path("flows")).unwrap();
        let flows: Vec<_> = flows.map(|name| name.unwrap().file_name()).collect();
        assert_eq!(flows, ["article.yaml"], "{put}");
    }
}
