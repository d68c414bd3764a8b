//! An agent that asks whether it may do something, with the real program: a person says yes or no, for what they were shown.

use serde_json::json;

use crate::office::Office;
use crate::sandbox::envelope;

/// An agent that speaks the Agent Client Protocol and asks before it works, each time it is set to work.
const AGENT: &str = r#"while read -r line; do
  id=$(printf '%s' "$line" | sed 's/^{[^{}]*"id":\([0-9]*\).*/\1/')
  reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  case "$line" in
    *'"initialize"'*) reply '{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}' ;;
    *'"session/new"'*) echo new >> sessions; reply '{"sessionId":"s-1"}' ;;
    *'"session/load"'*) echo load >> sessions; reply null ;;
    *'"session/prompt"'*)
      printf '%s\n' "$line" >> prompts
      case "$line" in
        *'Your work on this step is done'*) cat chunk.json ;;
        *) cat ask.json
           read -r said
           printf '%s\n' "$said" >> said ;;
      esac
      reply '{"stopReason":"end_turn"}' ;;
  esac
done
"#;

fn office() -> Office {
    let flow = "flow: article\nagents:\n  ada: {dialect: envelope, courier: acp, run: [sh, acp.sh]}\nsteps:\n  - write: ada\n";
    let office = Office::playing(flow, &[]);
    office.sandbox.write("acp.sh", AGENT);
    let text = json!({ "type": "text", "text": envelope("write", "VERIFIED") });
    let update = json!({ "sessionUpdate": "agent_message_chunk", "content": text });
    let params = json!({ "sessionId": "s-1", "update": update });
    let chunk = json!({ "jsonrpc": "2.0", "method": "session/update", "params": params });
    office.sandbox.write("chunk.json", format!("{chunk}\n"));
    let options =
        json!([{ "optionId": "yes", "kind": "allow_once" }, { "optionId": "no", "kind": "reject_once" }]);
    let call = json!({
        "toolCallId": "c-1", "title": "Remove the build", "kind": "execute",
        "rawInput": { "command": "rm -rf build" }, "locations": [{ "path": "build" }],
    });
    let params = json!({ "sessionId": "s-1", "toolCall": call, "options": options });
    let ask =
        json!({ "jsonrpc": "2.0", "id": "p1", "method": "session/request_permission", "params": params });
    office.sandbox.write("ask.json", format!("{ask}\n"));
    office
}

const KEY: (&str, &str) = ("BATON_GATE_KEY", "a passphrase of nora");

/// Answers the request, and says what the agent heard and was told.
fn answered(verb: &str) -> (String, String) {
    let office = office();
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("asks whether it may do something"), "{}", ran.stdout);
    assert!(ran.stdout.contains("baton gate show article-1/?"), "{}", ran.stdout);
    assert!(office.sandbox.read("said").contains("cancelled"), "nothing is allowed by itself");
    let gates = office.run(&["gate", "list", "--json"]).json();
    let id = gates["gates"][0]["id"].as_str().unwrap().to_owned();
    let shown = office.run(&["gate", "show", &id]).stdout;
    for part in
        ["ada asks whether", "Remove the build", "execute", "input.command: rm -rf build", "\"build\""]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // Without a signature it is asked again, and nothing is allowed.
    assert_eq!(office.run(&["gate", verb, &id]).code, 3, "nobody signs without a key");
    assert_eq!(office.run(&["dead", "--json"]).json()["dead"].as_array().unwrap().len(), 0);
    let said = office.run_with(&["gate", verb, &id, "--because", "the release waits"], &[KEY]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let again = office.run_with(&["gate", verb, &id], &[KEY]);
    assert_eq!(again.code, 3, "it is answered once: {}", again.stdout);
    let resumed = office.run(&["resume"]);
    assert_eq!(resumed.code, 0, "{}{}", resumed.stdout, resumed.stderr);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}", resumed.stdout);
    assert_eq!(office.sandbox.read("sessions"), "new\nload\n", "in the session in which it was asked");
    (office.sandbox.read("said"), office.sandbox.read("prompts"))
}

// proves S-06: what an agent may do is a person's word, which reaches it in the same session after a restart.
#[test]
fn a_person_lets_an_agent_do_what_it_asked_for() {
    let (said, told) = answered("approve");
    assert!(said.lines().last().unwrap().contains("\"yes\""), "{said}");
    assert!(told.contains("a person says: yes, this once, because: the release waits"), "{told}");
}

#[test]
fn a_person_does_not_let_it_and_it_goes_on_without() {
    let (said, told) = answered("reject");
    assert!(said.lines().last().unwrap().contains("\"no\""), "{said}");
    assert!(told.contains("a person says: no; go on without it"), "{told}");
}

#[test]
fn an_answer_without_a_signature_allows_nothing() {
    let office = office();
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let told = office.run(&["clarify", "article-1", "yes, you may"]);
    assert_eq!(told.code, 0, "{}", told.stderr);
    let resumed = office.run(&["resume"]);
    assert!(resumed.stdout.contains("asks whether it may do something"), "{}", resumed.stdout);
    assert!(!office.sandbox.read("said").contains("\"yes\""));
}
