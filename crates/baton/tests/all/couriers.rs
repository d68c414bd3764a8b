//! Runs whose agents are behind a URL, behind the gateway of OpenClaw, or people.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use serde_json::Value;

use crate::office::Office;
use crate::sandbox::envelope;

/// A secret in two parts, since no file holds a whole one.
const SECRET: (&str, &str) = ("HAL_SECRET", concat!("whsec", "_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"));

fn office(agent: &str) -> Office {
    let office = Office::with("");
    let flow =
        format!("flow: article\nagents:\n  hal: {agent}\nsteps:\n  - write: hal\ncaps: {{retries: 0}}\n");
    office.sandbox.write("flows/article.yaml", flow);
    office
}

/// A service that gives these answers one after the other, with what it was sent.
fn service(answers: Vec<(&'static str, String)>) -> (String, Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (sender, requests) = mpsc::channel();
    thread::spawn(move || {
        for (status, body) in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut length, mut id) = (0, String::new());
            for line in reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
                let (name, value) = line.split_once(':').unwrap_or_default();
                match name {
                    "content-length" => length = value.trim().parse().unwrap(),
                    "webhook-id" => value.trim().clone_into(&mut id),
                    _ => {}
                }
            }
            let mut request = vec![0; length];
            reader.read_exact(&mut request).unwrap();
            sender.send((id, serde_json::from_slice(&request).unwrap())).unwrap();
            let length = body.len();
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
        }
    });
    (url, requests)
}

// proves S-06
#[test]
fn a_service_is_posted_to_and_asked_again_for_what_could_not_be_taken() {
    let answers = vec![("200 OK", "I am done.".to_owned()), ("200 OK", envelope("write", "VERIFIED"))];
    let (url, requests) = service(answers);
    let office = office(&format!("{{dialect: envelope, courier: http, url: '{url}', secret: HAL_SECRET}}"));
    let flow = office.sandbox.read("flows/article.yaml").replace("retries: 0", "retries: 3");
    office.sandbox.write("flows/article.yaml", flow);
    let ran = office.run_with(&["run", "article"], &[SECRET]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("ends article-1: done"), "{}", ran.stdout);
    let (first, sent) = requests.recv().unwrap();
    assert_eq!((first.as_str(), sent["receiver"].as_str()), ("article-1/0-0-0", Some("hal")));
    assert!(sent["finalization"]["schema"].is_object(), "{sent}");
    let (second, sent) = requests.recv().unwrap();
    assert!(second.starts_with("article-1/0-0-0/again-"), "{second}");
    assert_eq!(sent["reask"], true);
    let asked = sent["finalization"]["prompt"].as_str().unwrap();
    assert!(asked.contains("was not taken"), "{asked}");
}

// proves S-05: what was given up says why, what was said last, what would help and how to go on.
#[test]
fn a_letter_that_is_dead_says_all_that_is_needed_to_go_on() {
    let (url, _requests) = service(vec![("403 Forbidden", "who are you?".to_owned())]);
    let office = office(&format!("{{dialect: envelope, courier: http, url: '{url}', secret: HAL_SECRET}}"));
    let ran = office.run_with(&["run", "article"], &[SECRET]);
    assert!(ran.stdout.contains("gives up article-1/0-0-0 to hal"), "{}", ran.stdout);
    let list = office.run(&["dead"]).stdout;
    assert!(list.contains("answered with status 403: who are you?"), "{list}");
    let shown = office.run(&["dead", "article-1/0-0-0"]).stdout;
    for said in [
        "article-1/0-0-0  to hal at step write: ",
        "attempt 1, ",
        "  | who are you?\n  | hint: does the receiver check with the same secret, and is its clock right?\n",
        "baton retry article-1/0-0-0  ",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let json = office.run(&["dead", "article-1", "--json"]).json();
    assert_eq!(json["dead"][0]["failures"][0]["attempt"], 1);
    assert!(json["dead"][0]["failures"][0]["words"].as_str().unwrap().starts_with("who are you?"));
    assert_eq!(json["dead"][0]["next"][0]["type"], "baton retry article-1/0-0-0");
    let unknown = office.run(&["dead", "article-1/9-9-9"]);
    assert_eq!(unknown.code, 3);
    assert!(unknown.stderr.contains("is no delivery that was given up"), "{}", unknown.stderr);
    // Nobody listens there any more, and the secret is not there either.
    let retried = office.run(&["retry", "article-1/0-0-0"]);
    let shown = office.run(&["dead", "article-1"]).stdout;
    assert!(
        shown.contains("hint: `echo whsec_$(openssl rand -base64 32)` makes one"),
        "{shown}{}",
        retried.stderr
    );
}

#[test]
fn an_agent_of_openclaw_works_through_its_gateway() {
    let office = office("{dialect: envelope, courier: openclaw, run: ./claw, session-key: agent:ops}");
    let answer =
        envelope("write", "VERIFIED").replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let claw = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$*\" >> calls\ncat <<'END'\n\
         {{\"status\":\"ok\",\"result\":{{\"payloads\":[{{\"text\":\"```json\\n{answer}\\n```\"}}]}}}}\nEND\n"
    );
    office.sandbox.write("claw", claw);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(office.sandbox.path("claw"), mode).unwrap();
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("ends article-1: done"), "{}{}", ran.stdout, ran.stderr);
    let calls = office.calls();
    assert_eq!(calls.len(), 2, "the work, and its handoff: {calls:?}");
    assert!(
        calls.iter().all(|call| call.contains(r#""sessionKey":"agent:ops:baton-article-1/0-0-0""#)),
        "{calls:?}"
    );
}

#[test]
fn a_person_is_notified_sees_the_work_and_hands_in_the_answer() {
    let office =
        office("{dialect: envelope, courier: human, run: [sh, -c, 'echo \"$1\" > told', sh, '{key}']}");
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(office.sandbox.read("told"), "article-1/0-0-0\n");
    let inbox = office.run(&["inbox", "hal"]).stdout;
    assert!(inbox.contains("article-1/0-0-0") && inbox.contains("write"), "{inbox}");
    office.answer("answer.json");
    let returned = office.run(&["return", "article-1/0-0-0", "answer.json"]);
    assert_eq!(returned.code, 0, "{}", returned.stderr);
    let resumed = office.run(&["resume", "article-1"]);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}{}", resumed.stdout, resumed.stderr);
}
