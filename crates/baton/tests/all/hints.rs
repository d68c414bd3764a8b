//! What is said where something does not go on: it is true, and what it advises helps.

use crate::office::Office;

#[test]
fn what_is_advised_for_a_message_that_is_too_long_helps() {
    let long = "word ".repeat(3_000);
    let flow = "flow: article\nagents:\n  ada: {dialect: envelope, run: [sh, play.sh, ada]}\n  ben: {dialect: envelope, run: [sh, play.sh, ben], prompt-tokens: 500}\nsteps:\n  - write: ada\n  - review: ben\n  - print: ada\n";
    let big = crate::sandbox::envelope("file", "VERIFIED").replace("Nothing odd", &long);
    let office = Office::playing(flow, &[("ada-1", &big), ("ben-1", &big)]);
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("gives up article-1/"), "{}{}", ran.stdout, ran.stderr);
    let dead = office.run(&["dead", "--json"]).json();
    let dead = &dead["dead"][0];
    let words = dead["failures"][0]["words"].as_str().unwrap();
    assert!(words.contains("a run goes by its files as they were when it started"), "{words}");
    assert!(words.contains("`baton clarify … --go-on`"), "{words}");
    let next = dead["next"].as_array().unwrap();
    let goes_on = next.iter().map(|one| one["type"].as_str().unwrap()).find(|one| one.ends_with("--go-on"));
    let words: Vec<&str> = goes_on.unwrap().split(' ').skip(1).collect();
    let answered = office.run(&words);
    assert_eq!(answered.code, 0, "{}", answered.stderr);
    let resumed = office.run(&["resume"]);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}{}", resumed.stdout, resumed.stderr);
}

#[test]
fn a_handoff_of_another_dialect_is_called_what_it_is() {
    let flow = "flow: article\nagents:\n  ada: {dialect: package, run: [sh, play.sh, ada]}\nsteps:\n  - write: ada\ncaps: {retries: 0}\n";
    let envelope = crate::sandbox::envelope("file", "VERIFIED");
    let office = Office::playing(flow, &[("ada-1", &envelope)]);
    let ran = office.run(&["run", "article"]);
    let rejected = ran.stdout.lines().find(|line| line.contains("does not take the answer")).unwrap();
    assert!(
        rejected.contains("a handoff of the dialect `package` is expected, and this is one of `envelope`")
    );
    assert!(!rejected.contains("`acknowledgment` is missing"), "{rejected}");
}

#[test]
fn an_informative_gate_says_that_it_passes_only_while_somebody_drives() {
    let office = Office::with("  - write: ada\n  - look: {gate: informative, due: 24h}\n");
    let ran = office.run(&["run", "article"]);
    let said = ran.stdout.lines().find(|line| line.trim().starts_with("baton resume article-1"));
    let said = said.unwrap_or_else(|| panic!("{}", ran.stdout));
    assert!(
        said.contains("it passes unanswered at its due time, ") && said.contains(", while somebody drives")
    );
}

#[test]
fn what_is_not_there_is_said_as_it_is() {
    let office = Office::with("  - file: cleo\n");
    let drawn = office.run(&["flow", "graph", "article", "--svg", "nowhere/x.svg"]);
    assert_eq!(drawn.code, 4, "{}", drawn.stderr);
    assert!(drawn.stderr.contains("the folder does not exist") && !drawn.stderr.contains("link"));
    let named = office.run(&["run", "article", "--name", &"a".repeat(300)]);
    assert_eq!(named.code, 2);
    assert!(named.stderr.contains("at most 64"), "{}", named.stderr);
    assert_eq!(office.run(&["verify", "nofile"]).code, 2);
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let gone = office.run(&["verify", "nofile.yaml"]);
    assert_eq!(gone.code, 2, "{}", gone.stderr);
    assert!(gone.stderr.contains("nofile.yaml does not exist"), "{}", gone.stderr);
    assert_eq!(office.run(&["verify", "article-1"]).code, 3, "a run is there, and is no handoff");
    assert_eq!(office.run(&["verify", "article-1/1"]).code, 3);
    let inbox = office.run(&["inbox", "nobody"]);
    assert_eq!(inbox.code, 0);
    assert!(inbox.stderr.contains("no agent is called `nobody`") && inbox.stderr.contains("cleo"));
    let known = office.run(&["inbox", "ben"]);
    assert!(known.stderr.contains("nothing lies ready"), "{}", known.stderr);
    office.sandbox.write(
        "flows/joins.yaml",
        "flow: joins\nagents:\n  ada: {dialect: envelope, inbox: true}\nsteps:\n  - both: {parallel: [a, b], join: expr}\n  - a: ada\n  - b: ada\n",
    );
    let joined = office.run(&["flow", "check", "joins"]);
    assert_eq!(joined.code, 1);
    let said = joined.stdout;
    assert!(said.contains("majority-pass, { quorum: … }, { if: … }"), "{said}");
}
