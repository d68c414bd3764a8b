//! No secret that somebody says stays in `.baton`, whichever way it comes, and none is handed on.

use std::fs;
use std::path::Path;

use crate::office::Office;
use crate::sandbox::envelope;

/// A token that is none.
fn token() -> String {
    ["AKIA", "IOSFODNN7EXAMPLQ"].concat()
}

/// The files below a folder that have these bytes in them.
fn with(folder: &Path, bytes: &[u8], found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            with(&path, bytes, found);
        } else if fs::read(&path).unwrap_or_default().windows(bytes.len()).any(|part| part == bytes) {
            found.push(path.display().to_string());
        }
    }
}

fn is_nowhere(office: &Office, secret: &str) {
    let mut found = Vec::new();
    with(&office.sandbox.path(".baton"), secret.as_bytes(), &mut found);
    assert_eq!(found, Vec::<String>::new(), "{secret}");
}

const FLOW: &str = "flow: article\ncaps: {retries: 1}\nagents:\n  ada: {dialect: envelope, run: [sh, play.sh, ada]}\n  ben: {dialect: envelope, run: [sh, play.sh, ben]}\nsteps:\n  - write: ada\n  - print: ben\n";

// proves A-13: an answer with a secret is not handed on, is kept without it, and its agent is told.
#[test]
fn an_answer_with_a_secret_goes_no_further_and_is_kept_without_it() {
    let bad = envelope("write", "VERIFIED");
    let bad = bad.replacen("\"what_i_did\": \"", &format!("\"what_i_did\": \"Used {} ", token()), 1);
    let good = envelope("write", "VERIFIED");
    let office = Office::playing(FLOW, &[("ada-1", &bad), ("ada-2", &good), ("ben-1", &good)]);
    assert!(bad.contains(&token()));
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("does not take the answer"), "{}", ran.stdout);
    assert!(ran.stdout.contains("AWS"), "what was found is told: {}", ran.stdout);
    for given in ["given/ada-2", "given/ada-2-prompt", "given/ben-1", "given/ben-1-prompt"] {
        assert!(!office.sandbox.read(given).contains(&token()), "{given}");
    }
    is_nowhere(&office, &token());
    let log = office.run(&["log", "article-1", "--json"]).stdout;
    assert!(!log.contains(&token()), "{log}");
}

// proves A-13: what an agent says beside its answer, in its last words and in bytes that are no text, is kept without it.
#[test]
fn what_an_agent_says_in_any_other_way_is_kept_without_it() {
    let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let script = format!(
        "echo 'token {t}' >&2\nprintf '%4089s {t}\\n' x >&2\nprintf -- '-----BEGIN PRIVATE KEY-----\\n{key}\\n-----END PRIVATE KEY-----\\n' >&2\nprintf 'garbage \\377\\376 {t}'\n[ \"$BATON_ATTEMPT\" = 1 ] && exit 0\necho 'last words {t}' >&2\nexit 7\n",
        t = token()
    );
    let office = Office::playing(&FLOW.replace("play.sh, ada", "loud.sh"), &[]);
    office.sandbox.write("loud.sh", script);
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("gives up"), "{}{}", ran.stdout, ran.stderr);
    is_nowhere(&office, &token());
    is_nowhere(&office, &token()[..16]);
    is_nowhere(&office, key);
    let dead = office.run(&["dead", "article-1"]).stdout;
    assert!(dead.contains("last words [redacted:"), "{dead}");
}

// proves A-13: what is handed in from outside is kept without it, or not taken.
#[test]
fn what_is_handed_in_is_kept_without_it() {
    let flow = "flow: article\nagents:\n  ada: {dialect: envelope, run: [sh, play.sh, ada]}\n  ben: {dialect: envelope, inbox: true}\nsteps:\n  - write: ada\n  - file: ben\n  - approve: {gate: blocking}\n  - help: {escalate: somebody must look}\n";
    let good = envelope("write", "VERIFIED");
    let office = Office::playing(flow, &[("ada-1", &good)]);
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let id = |office: &Office| {
        let inbox = office.run(&["inbox", "ben", "--json"]).json();
        inbox["inbox"][0]["id"].as_str().unwrap().to_owned()
    };
    let first = id(&office);
    let bad = good.replacen("\"what_i_did\": \"", &format!("\"what_i_did\": \"Used {} ", token()), 1);
    office.sandbox.write("bad.json", &bad);
    for refused in [["return", &first, "bad.json"].as_slice(), &["submit", "bad.json"]] {
        let ran = office.run(refused);
        assert_eq!(ran.code, 1, "{refused:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains(&token()), "{}", ran.stderr);
    }
    let asked = office.run(&["clarify", &first, &format!("Is {} right?", token())]);
    assert_eq!(asked.code, 0, "{}", asked.stderr);
    is_nowhere(&office, &token());
    assert_eq!(office.run(&["resume"]).code, 0);
    assert!(
        office.sandbox.read("given/ada-2").contains("[redacted:"),
        "{}",
        office.sandbox.read("given/ada-2")
    );
    let second = id(&office);
    office.answer("answer.json");
    assert_eq!(office.run(&["return", &second, "answer.json"]).code, 0);
    assert_eq!(office.run(&["resume"]).code, 0);
    let because = format!("The token is {}", token());
    let said = office.run_with(
        &["gate", "approve", "article-1/approve", "--because", &because],
        &[("BATON_GATE_KEY", "a passphrase of nora")],
    );
    assert_eq!(said.code, 0, "{}", said.stderr);
    office.run(&["resume"]);
    let told = office.run(&["clarify", "article-1", &because]);
    assert_eq!(told.code, 0, "{}", told.stderr);
    office.run(&["resume"]);
    is_nowhere(&office, &token());
}

// proves A-13: a run does not start with a secret in what it would keep and hand to agents.
#[test]
fn a_run_does_not_start_with_a_secret() {
    let good = envelope("write", "VERIFIED");
    let refused = |office: &Office, args: &[&str]| {
        let ran = office.run(args);
        assert!(ran.code == 3 || ran.code == 1, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("AWS"), "{}", ran.stderr);
        assert!(!ran.stderr.contains(&token()), "{}", ran.stderr);
        assert!(!office.sandbox.path("calls").exists() && !office.sandbox.path("given/ada-1").exists());
    };
    let given =
        FLOW.replace("- write: ada", &format!("- write: {{agent: ada, give: {{status: {}}}}}", token()));
    refused(&Office::playing(&given, &[("ada-1", &good)]), &["run", "article"]);
    let prompted = FLOW.replace("play.sh, ada]", "play.sh, ada], prompt: prompts/ada.md");
    let office = Office::playing(&prompted, &[("ada-1", &good)]);
    office.sandbox.write("prompts/ada.md", format!("Use {}.\n", token()));
    refused(&office, &["run", "article"]);
    let input = FLOW.replace("flow: article\n", "flow: article\ninputs: {wish: null}\n");
    let wish = format!("wish=Use {}", token());
    refused(&Office::playing(&input, &[("ada-1", &good)]), &["run", "article", "--input", &wish]);
}

#[test]
fn what_is_allowed_as_no_secret_may_stand_in_a_flow() {
    let good = envelope("write", "VERIFIED");
    let given =
        FLOW.replace("- write: ada", &format!("- write: {{agent: ada, give: {{status: {}}}}}", token()));
    let office = Office::playing(&given, &[("ada-1", &good)]);
    let refused = office.run(&["run", "article"]).stderr;
    let fingerprint = refused.split("if it is none, allow ").nth(1).and_then(|rest| rest.split(' ').next());
    let fingerprint = fingerprint.unwrap_or_else(|| panic!("{refused}"));
    office.sandbox.write("baton.toml", format!("[secrets]\nallow = [\"{fingerprint}\"]\n"));
    let ran = office.run(&["run", "article"]);
    assert!(!ran.stderr.contains("which a run would keep"), "{}{}", ran.stdout, ran.stderr);
}

/// Output of an agent that is cut where a secret stands: its failure, its last words and its lines have no part of it.
#[test]
fn of_a_secret_that_is_cut_off_no_half_is_kept() {
    let script = format!(
        "printf '%4093s {t}\\n' x >&2\nprintf '%70s %s\\n' x '{a}' >&2\nprintf '%s\\n' '{b}' >&2\nprintf '{t}%4088s\\n' x >&2\nexit 7\n",
        t = token(),
        a = &token()[..10],
        b = &token()[10..],
    );
    let office = Office::playing(&FLOW.replace("play.sh, ada", "loud.sh"), &[]);
    office.sandbox.write("loud.sh", script);
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("gives up"), "{}{}", ran.stdout, ran.stderr);
    for piece in [&token()[..8], &token()[8..], &token()[10..], &token()[..10]] {
        is_nowhere(&office, piece);
    }
}

/// A name is recorded and shown as it is, so that none with a secret is taken.
#[test]
fn a_name_with_a_secret_is_refused() {
    let good = envelope("write", "VERIFIED");
    let office = Office::playing(FLOW, &[("ada-1", &good), ("ben-1", &good)]);
    let refused = |office: &Office, args: &[&str]| {
        let ran = office.run(args);
        assert_ne!(ran.code, 0, "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("AWS access key"), "{args:?}: {}", ran.stderr);
    };
    refused(&office, &["run", "article", "--name", &token()]);
    is_nowhere(&office, &token());
    let input = FLOW.replace("flow: article\n", "flow: article\ninputs: {db_password: null}\n");
    let secret = ["k3J9x2", "Lm8QpW"].concat();
    let other = Office::playing(&input, &[("ada-1", &good), ("ben-1", &good)]);
    let ran = other.run(&["run", "article", "--input", &format!("db_password={secret}")]);
    assert_ne!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("a password") && !ran.stderr.contains(&secret), "{}", ran.stderr);
    assert_eq!(office.run(&["run", "article"]).code, 0);
    refused(&office, &["signal", "article-1", &token()]);
    is_nowhere(&office, &token());
}
