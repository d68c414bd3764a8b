//! How a handoff is received, with the real program: the checklist, what is asked, and the three facts of an acknowledgment.

use serde_json::Value;

use crate::office::Office;

/// A package from an agent to another.
fn package(from: &str, to: &str, summary: &str, artifact: &str) -> String {
    format!(
        "handoff:\n  from:\n    agent: {from}\n  to:\n    agent: {to}\n    reason: \"Suite\"\n  context:\n    summary: \"{summary}\"\n    artifacts:\n      - path: {artifact}\n        type: doc\n"
    )
}

const AGENTS: &str = "  ada: {dialect: package, run: [sh, play.sh, ada]}\n";
const STEPS: &str = "steps:\n  - specify: ada\n  - design: ben\n";

fn flow(ben: &str) -> String {
    format!("flow: article\nagents:\n{AGENTS}  ben: {{dialect: package, {ben}}}\n{STEPS}")
}

fn deliveries(office: &Office) -> Vec<Value> {
    let shown = office.run(&["show", "article-1", "--json"]).json();
    shown["deliveries"].as_array().unwrap().clone()
}

// proves P-08: what the checklist found is recorded with the delivery, told to the receiver, and shown.
#[test]
fn what_is_wanting_is_recorded_with_the_delivery_and_shown() {
    let vague = package("ada", "ben", "12 stories for a shop", "docs/gone.md");
    let done = package("ben", "orchestrator", "4 services and 9 endpoints", "play.sh");
    let office = Office::playing(&flow("run: [sh, play.sh, ben]"), &[("ada-1", &vague), ("ben-1", &done)]);
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("tells the receiver what is wanting in the handoff"), "{}", ran.stdout);
    assert!(office.sandbox.read("given/ben-1").contains("12 stories"));
    let received = &deliveries(&office)[1];
    assert_eq!(received["checklist"]["handed_over"], true, "{received}");
    assert_eq!(received["checklist"]["findings"][0]["item"], "artifacts", "{received}");
    let shown = office.run(&["show", "article-1/1"]).stdout;
    assert!(shown.contains("reception by ben") && shown.contains("docs/gone.md"), "{shown}");
    let log = office.run(&["log", "article-1"]).stdout;
    assert!(log.contains("docs/gone.md"), "{log}");
}

// proves P-08, P-10: a strict receiver does not get what it could not start with; its sender is asked, and what it answers
// reaches the receiver.
#[test]
fn a_strict_receiver_gets_it_when_its_sender_has_answered() {
    let vague = package("ada", "ben", "Various improvements were made as discussed", "play.sh");
    let better = package("ada", "ben", "12 stories for a shop of 40 products", "play.sh");
    let done = package("ben", "orchestrator", "4 services and 9 endpoints", "play.sh");
    let office = Office::playing(
        &flow("run: [sh, play.sh, ben], reception: strict"),
        &[("ada-1", &vague), ("ada-2", &better), ("ben-1", &done)],
    );
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let asked = office.sandbox.read("given/ada-2");
    assert!(asked.contains("ben cannot start with this handoff"), "{asked}");
    assert!(asked.contains("names nothing specific"), "what was found is the question: {asked}");
    let given = office.sandbox.read("given/ben-1");
    assert!(
        given.contains("12 stories for a shop of 40 products"),
        "the answer reaches the receiver: {given}"
    );
    assert!(!office.sandbox.path("given/ben-2").exists(), "it was called once");
    let all = deliveries(&office);
    let checked: Vec<&Value> = all.iter().map(|one| &one["checklist"]["handed_over"]).collect();
    assert_eq!(checked, [&Value::Null, &false.into(), &Value::Null, &true.into()]);
    assert!(all[1]["question"].as_str().unwrap().contains("names nothing specific"), "{}", all[1]);
    let log = office.run(&["log", "article-1"]).stdout;
    assert!(log.contains("does not hand it over: its receiver could not start with it"), "{log}");
}

// proves P-10: a sender that never mends it is asked as often as clarifications may be, and then a person is.
#[test]
fn a_sender_that_cannot_help_is_asked_a_few_times_and_then_a_person_is() {
    let broken = package("ada", "ben", "12 stories for a shop", "docs/gone.md");
    let other = |count: u8| package("ada", "ben", &format!("{count} stories are there"), "docs/gone.md");
    let office = Office::playing(
        &flow("run: [sh, play.sh, ben], reception: strict"),
        &[("ada-1", &broken), ("ada-2", &other(2)), ("ada-3", &other(3)), ("ada-4", &other(4))],
    );
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("waits for you"), "{}{}", ran.stdout, ran.stderr);
    assert!(!office.sandbox.path("given/ben-1").exists(), "the receiver never got it");
    // It was given its work, and asked three times.
    assert!(office.sandbox.path("given/ada-4").exists() && !office.sandbox.path("given/ada-5").exists());
    // Whoever puts the file there and answers lets it go on.
    office.sandbox.write("docs/gone.md", "12 stories");
    office
        .sandbox
        .write("answers/ben-1", package("ben", "orchestrator", "4 services, 9 endpoints", "play.sh"));
    let answered = office.run(&["clarify", "article-1", "It is there now"]);
    assert_eq!(answered.code, 0, "{}", answered.stderr);
    let resumed = office.run(&["resume"]);
    assert_eq!(resumed.code, 0, "{}{}", resumed.stdout, resumed.stderr);
    assert!(office.sandbox.read("given/ben-1").contains("It is there now"));
}

// proves P-09, P-10: what a program acknowledges is three facts; what it does not understand goes back to its sender, and
// the answer comes to it with the handoff.
#[test]
fn blockers_of_a_program_are_cleared_up_by_its_sender() {
    let first = package("ada", "ben", "12 stories for a shop", "play.sh");
    let partial = "acknowledgment:\n  received: true\n  understood: partial\n  blockers:\n    - \"'Fast' cannot be measured\"\n  action: request_clarification\n";
    let answer = package("ada", "ben", "Fast is 200 ms for 9 endpoints", "play.sh");
    let takes = "acknowledgment:\n  received: true\n  from: ada\n  understood:\n    task: \"Design a shop\"\n    constraints: \"200 ms\"\n  questions: []\n  starting: true\n";
    let done = package("ben", "orchestrator", "4 services and 9 endpoints", "play.sh");
    let office = Office::playing(
        &flow("run: [sh, play.sh, ben], restart: safe"),
        &[("ada-1", &first), ("ben-1", partial), ("ada-2", &answer), ("ben-2", takes), ("ben-3", &done)],
    );
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(office.sandbox.read("given/ada-2").contains("'Fast' cannot be measured"));
    let again = office.sandbox.read("given/ben-2");
    assert!(again.contains("12 stories for a shop") && again.contains("Fast is 200 ms"), "{again}");
    let all = deliveries(&office);
    assert!(all[1]["received"].is_string() && all[1]["accepted"].is_null() && all[1]["started"].is_null());
    assert!(all[1]["question"].as_str().unwrap().contains("cannot be measured"), "{}", all[1]);
    for fact in ["received", "accepted", "started"] {
        assert!(all[3][fact].is_string(), "{fact}: {}", all[3]);
    }
    for said in ["has received it", "takes it", "has begun"] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
}

// proves P-09, P-10: the same for an agent with an inbox, by its commands and by an acknowledgment that it hands in.
#[test]
fn an_agent_with_an_inbox_acknowledges_and_asks() {
    let first = package("ada", "ben", "12 stories for a shop", "play.sh");
    let answer = package("ada", "ben", "Fast is 200 ms for 9 endpoints", "play.sh");
    let office = Office::playing(&flow("inbox: true"), &[("ada-1", &first), ("ada-2", &answer)]);
    let lies_there = |office: &Office| {
        let inbox = office.run(&["inbox", "ben", "--json"]).json();
        (inbox["inbox"][0]["id"].as_str().unwrap().to_owned(), inbox["inbox"][0].clone())
    };
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let (id, _) = lies_there(&office);
    assert_eq!(office.run(&["ack", &id]).code, 0);
    assert_eq!(office.run(&["clarify", &id, "What is fast?"]).code, 0);
    assert_eq!(office.run(&["resume"]).code, 0);
    assert!(office.sandbox.read("given/ada-2").contains("What is fast?"));
    let (id, item) = lies_there(&office);
    assert!(item["handoff"].as_str().unwrap().contains("Fast is 200 ms"), "{item}");
    office.sandbox.write(
        "partial.yaml",
        "acknowledgment:\n  received: true\n  understood: partial\n  blockers:\n    - \"Is the back office included?\"\n  action: request_clarification\n",
    );
    let handed = office.run(&["return", &id, "partial.yaml"]);
    assert_eq!(handed.code, 0, "{}", handed.stderr);
    assert_eq!(office.run(&["resume"]).code, 0);
    assert!(office.sandbox.read("given/ada-3").contains("Is the back office included?"));
    let (id, _) = lies_there(&office);
    for stage in [["ack", &id].as_slice(), &["ack", &id, "--accept"]] {
        assert_eq!(office.run(stage).code, 0);
    }
    assert_eq!(office.run(&["resume"]).code, 0);
    let shown = office.run(&["show", &id, "--json"]).json();
    let fact = |name: &str| shown["reception"][name].is_string();
    assert_eq!((fact("received"), fact("accepted"), fact("started")), (true, true, false), "{shown}");
}
