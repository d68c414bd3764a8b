//! Agents that answer badly, with the real program: each is named for what it is, nothing of it is handed on, and whoever goes on by
//! hand has all that is needed.

use crate::office::Office;
use crate::sandbox::envelope;

fn flow(ada: &str) -> String {
    format!(
        "flow: article\ncaps: {{retries: 0}}\nagents:\n  ada: {{dialect: envelope, {ada}}}\n  ben: {{dialect: envelope, run: [sh, play.sh, ben]}}\nsteps:\n  - write: {{agent: ada, task: Write it.}}\n  - print: ben\n"
    )
}

/// Plays one agent that answers badly; gives what its dead letter says.
fn given_up(ada: &str, script: &str) -> String {
    let office = Office::playing(&flow(ada), &[("ben-1", &envelope("print", "VERIFIED"))]);
    office.sandbox.write("ada.sh", script);
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("gives up"), "{}{}", ran.stdout, ran.stderr);
    assert!(!office.sandbox.path("given/ben-1").exists(), "nothing of it is handed on");
    let dead = office.run(&["dead", "article-1"]).stdout;
    assert!(dead.contains("baton retry article-1/") && dead.contains("baton cancel article-1"), "{dead}");
    dead
}

const RUN: &str = "run: [sh, ada.sh]";

#[test]
fn what_is_no_handoff_is_kept_and_said_to_be_none() {
    let dead = given_up(RUN, "printf 'well \\377\\000 done, all of it\\n'");
    assert!(dead.contains("UTF-8") || dead.contains("handoff"), "{dead}");
    let dead = given_up(RUN, "echo 'I am done, and it went well.'");
    assert!(dead.contains("I am done, and it went well."), "what it said is there: {dead}");
    let dead = given_up(RUN, "exit 0");
    assert!(dead.contains("there is no answer"), "{dead}");
}

#[test]
fn too_much_and_never_are_bounded() {
    let dead = given_up("run: [sh, ada.sh], output: 1048576", "head -c 10485760 /dev/zero | tr '\\0' x");
    assert!(dead.contains("1048576 bytes"), "{dead}");
    let dead = given_up("run: [sh, ada.sh], time: 300ms", "echo 'still thinking' >&2; sleep 600");
    assert!(dead.contains("still thinking"), "its last words are there: {dead}");
}

#[test]
fn what_cannot_be_reached_is_named_with_how_to_get_it() {
    let dead = given_up("run: [no-such-agent-anywhere]", "");
    assert!(dead.contains("no-such-agent-anywhere") && dead.contains("hint:"), "{dead}");
    let dead = given_up("courier: claude, run: [no-such-claude]", "");
    assert!(dead.contains("no-such-claude") && dead.contains("hint:"), "{dead}");
    let dead = given_up("courier: http, url: \"http://127.0.0.1:9/\", secret: ADA_SECRET", "");
    assert!(dead.contains("ADA_SECRET"), "the key is named: {dead}");
}

#[test]
fn a_path_outside_of_the_root_and_an_unknown_receiver_are_found() {
    let package = |to: &str, path: &str| {
        format!(
            "handoff:\n  from:\n    agent: ada\n  to:\n    agent: {to}\n  context:\n    summary: \"12 stories for a shop\"\n    artifacts:\n      - path: {path}\n        type: doc\n"
        )
    };
    let flow = "flow: article\ncaps: {retries: 0}\nagents:\n  ada: {dialect: package, run: [sh, play.sh, ada]}\n  ben: {dialect: package, run: [sh, play.sh, ben], reception: strict}\nsteps:\n  - write: {agent: ada, verify: artifacts}\n  - print: ben\n";
    let office = Office::playing(flow, &[("ada-1", &package("ben", "../../etc/passwd"))]);
    let ran = office.run(&["run", "article"]);
    assert!(!office.sandbox.path("given/ben-1").exists(), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("../../etc/passwd"), "it is named: {}", ran.stdout);
    // A receiver that the flow does not know bounces at once, and a person is asked.
    let flow = flow.replace("{agent: ada, verify: artifacts}", "ada");
    let office = Office::playing(&flow, &[("ada-1", &package("lawyer", "play.sh"))]);
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("cannot hand on to lawyer"), "{}{}", ran.stdout, ran.stderr);
    assert!(!office.sandbox.path("given/ada-2").exists() && !office.sandbox.path("given/ben-1").exists());
}

#[test]
fn the_handoff_of_another_step_or_agent_is_asked_for_again_and_then_given_up() {
    let wrong = envelope("print", "VERIFIED");
    let dead = given_up(RUN, &format!("cat <<'END'\n{wrong}END\n"));
    let said = "it says that it is by the step `print`, but the step `write` was asked";
    assert!(dead.contains(said), "{dead}");
    let wrong = envelope("write", "VERIFIED").replace("author", "ben");
    let dead = given_up(RUN, &format!("cat <<'END'\n{wrong}END\n"));
    assert!(dead.contains("by the agent `ben`, but the agent `ada` was asked"), "{dead}");
    // Asked again with what is wrong, it hands over what is meant.
    let flow = flow("run: [sh, play.sh, ada]").replace("caps: {retries: 0}\n", "");
    let answers = [
        ("ada-1", &*envelope("print", "VERIFIED")),
        ("ada-2", &*envelope("write", "VERIFIED")),
        ("ben-1", &*envelope("print", "VERIFIED")),
    ];
    let office = Office::playing(&flow, &answers);
    let ran = office.run(&["run", "article"]);
    assert!(ran.code == 0 && ran.stdout.contains(said), "{}{}", ran.stdout, ran.stderr);
    assert!(office.sandbox.path("given/ben-1").exists(), "{}", ran.stdout);
}
