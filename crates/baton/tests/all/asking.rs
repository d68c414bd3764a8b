//! What a run asks people: it shows what it is about, and the commands that it names are those that help.

use crate::office::Office;
use crate::sandbox::Ran;

/// The first command among what is said that begins so, without what it does.
fn advised(ran: &Ran, begins: &str) -> String {
    let found = ran.stdout.lines().map(str::trim).find(|line| line.starts_with(begins));
    let line = found.unwrap_or_else(|| panic!("{begins}: {}", ran.stdout));
    line.split("  ").next().unwrap_or_default().to_owned()
}

/// Runs a command as it was advised, with something in the place of a word.
fn follow(office: &Office, command: &str, word: &str, instead: &str) -> Ran {
    assert!(command.contains(word), "{command}");
    let words: Vec<String> = command.split(' ').skip(1).map(|part| part.replace(word, instead)).collect();
    office.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_run_that_used_up_its_handoffs_names_the_command_that_gives_it_more() {
    let office = Office::with("  - write: ada\n  - review: ben\n  - again: ada\ncaps: {handoffs: 2}\n");
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("N more handoffs"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("TEXT"), "what is refused is not advised: {}", ran.stdout);
    let command = advised(&ran, "baton clarify article-1/?");

    let id = command.split(' ').nth(2).unwrap_or_default();
    let refused = office.run(&["clarify", id, "go ahead"]);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(refused.stderr.contains("help: add `--more N`: N more handoffs"), "{}", refused.stderr);
    assert_eq!(follow(&office, &command, "N", "5m").code, 2, "it is no time that is used up");

    let handed = follow(&office, &command, "N", "5");
    assert_eq!(handed.code, 0, "{}", handed.stderr);
    let resumed = office.run(&["resume", "article-1"]);
    assert!(resumed.stdout.contains("go on, 5 more handoffs"), "{}", resumed.stdout);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}", resumed.stdout);
}

#[test]
fn a_run_that_used_up_its_time_is_given_more_as_flows_write_it() {
    let office = Office::with("  - write: ada\ncaps: {time: 300ms}\n");
    office.sandbox.write("wait", "");
    let ran = office.run(&["run", "article"]);
    let command = advised(&ran, "baton retry article-1/");
    assert!(ran.stdout.contains("so much more time, such as 10m"), "{}", ran.stdout);
    office.sandbox.write("go", "");

    let id = command.split(' ').nth(2).unwrap_or_default();
    let refused = office.run(&["retry", id]);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(refused.stderr.contains("help: add `--more TIME`"), "{}", refused.stderr);
    let unclear = follow(&office, &command, "TIME", "5");
    assert_eq!(unclear.code, 2, "{}", unclear.stderr);
    assert!(unclear.stderr.contains("such as 10m"), "{}", unclear.stderr);

    let done = follow(&office, &command, "TIME", "5m");
    assert!(done.stdout.contains("once more, 5m 00s more"), "{}{}", done.stdout, done.stderr);
    assert!(done.stdout.contains("ends article-1: done"), "{}", done.stdout);
}

#[test]
fn what_a_flow_asks_is_shown_and_its_answer_goes_on() {
    // proves E-09
    let office = Office::with("  - colour: {escalate: \"Which colour?\"}\n  - paint: ben\n");
    let ran = office.run(&["run", "article"]);
    let (show, log) = (office.run(&["show", "article-1"]), office.run(&["log", "article-1", "--json"]));
    let command = advised(&ran, "baton clarify article-1/?");
    let id = command.split(' ').nth(2).unwrap_or_default();
    let question = office.run(&["show", id]);
    for told in [&ran, &show, &log, &question] {
        assert!(told.stdout.contains("the flow asks: Which colour?"), "{}", told.stdout);
    }

    let answered = follow(&office, &command, "TEXT", "blue");
    assert_eq!(answered.code, 0, "{}", answered.stderr);
    let resumed = office.run(&["resume", "article-1"]);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}", resumed.stdout);
    let given = office.sandbox.read("given-to-ben");
    assert!(given.contains("Answer: blue"), "{given}");
}

#[test]
fn what_a_branch_asked_is_asked_no_more_once_another_one_was_first() {
    // proves E-10
    let flow = "flow: article\nagents:\n  ada: {dialect: envelope, run: [sh, play.sh, ada]}\n  cleo: {dialect: envelope, inbox: true}\nsteps:\n  - both: {parallel: [write, file], join: first}\n  - print: cleo\n  - write: ada\n  - file: cleo\n";
    let asks = crate::sandbox::envelope("write", "VERIFIED").replace("CONTINUE", "ESCALATE");
    let office = Office::playing(flow, &[("ada-1", &asks)]);
    let ran = office.run(&["run", "article"]);
    let command = advised(&ran, "baton clarify article-1/?");
    let id = command.split(' ').nth(2).unwrap_or_default();
    office.answer("answer.json");
    let open = office.run(&["inbox", "cleo", "--json"]).json();
    let handed = office.run(&["return", open["inbox"][0]["id"].as_str().unwrap(), "answer.json"]);
    assert_eq!(handed.code, 0, "{}", handed.stderr);
    assert_eq!(office.run(&["resume", "article-1"]).code, 0);

    let log = office.run(&["log", "article-1"]);
    assert!(log.stdout.contains(&format!("nobody is asked {id} any more")), "{}", log.stdout);
    let show = office.run(&["show", "article-1"]);
    assert!(!show.stdout.contains(id) && show.stdout.contains("print"), "{}", show.stdout);
    let refused = office.run(&["clarify", id, "too late"]);
    assert_eq!(refused.code, 3, "{}{}", refused.stdout, refused.stderr);
}

#[test]
fn what_the_branches_of_a_blocked_join_ended_with_is_shown_to_who_decides() {
    // proves E-09
    let flow = "flow: article\nagents:\n  ada: {dialect: envelope, run: [sh, play.sh, ada]}\n  ben: {dialect: envelope, run: [sh, play.sh, ben]}\nsteps:\n  - both: {parallel: [write, file]}\n  - print: ben\n  - write: ada\n  - file: ben\n";
    let blocked = crate::sandbox::envelope("write", "BLOCKED").replace("CONTINUE", "ESCALATE");
    let filed = crate::sandbox::envelope("file", "VERIFIED");
    let printed = crate::sandbox::envelope("print", "VERIFIED");
    let office = Office::playing(flow, &[("ada-1", &blocked), ("ben-1", &filed), ("ben-2", &printed)]);
    let ran = office.run(&["run", "article"]);
    let show = advised(&ran, "baton show article-1/?");
    let id = show.split(' ').nth(2).unwrap_or_default();
    let question = office.run(&["show", id]);
    assert!(
        question.stdout.contains("\"BLOCKED\"") && question.stdout.contains("\"VERIFIED\""),
        "{}",
        question.stdout
    );
    let as_json = office.run(&["show", id, "--json"]).json();
    assert!(as_json["content"].as_str().is_some_and(|text| text.contains("\"BLOCKED\"")), "{as_json}");

    let goes_on = advised(&ran, &format!("baton clarify {id} --go-on"));
    assert_eq!(follow(&office, &goes_on, "--go-on", "--go-on").code, 0);
    let resumed = office.run(&["resume", "article-1"]);
    assert!(resumed.stdout.contains("ends article-1"), "{}", resumed.stdout);
}
