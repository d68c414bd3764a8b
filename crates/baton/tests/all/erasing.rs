//! Texts that are taken out of the record: what goes, what stays, and who says so.

use std::fs;

use crate::office::Office;

const KEY: (&str, &str) = ("BATON_GATE_KEY", "nora's passphrase");
const TWO: &str = "  - write: ada\n  - review: ben\n";

/// The files of the ledger that hold some words.
fn holding(office: &Office, words: &str) -> Vec<String> {
    let files = fs::read_dir(office.sandbox.path(".baton")).unwrap().flatten();
    let files = files.filter(|entry| entry.file_name().to_string_lossy().starts_with("ledger"));
    let holds = |path: &std::path::Path| {
        path.is_file()
            && fs::read(path).unwrap().windows(words.len()).any(|window| window == words.as_bytes())
    };
    files
        .filter(|entry| holds(&entry.path()))
        .map(|entry| entry.file_name().to_string_lossy().into())
        .collect()
}

fn done(steps: &str, runs: usize) -> Office {
    let office = Office::with(steps);
    for _ in 0..runs {
        let ran = office.run(&["run", "article"]);
        assert!(ran.stdout.contains(": done"), "{}{}", ran.stdout, ran.stderr);
    }
    office
}

#[test]
fn an_erased_handoff_is_gone_and_its_run_says_by_whom_and_why() {
    // proves S-02
    let office = done(TWO, 1);
    assert!(!holding(&office, "part of ada").is_empty() && !holding(&office, "part of ben").is_empty());
    let dry = office.run(&["erase", "article-1/1", "--dry-run"]);
    assert_eq!(dry.code, 0, "{}", dry.stderr);
    assert!(
        dry.stdout.contains("ada answers article-1/1: done") && !dry.stdout.contains("ben"),
        "{}",
        dry.stdout
    );
    assert!(dry.stderr.contains("nothing was erased"), "{}", dry.stderr);
    assert!(!holding(&office, "part of ada").is_empty());
    let before = office.run(&["show", "article-1"]).stdout;

    let erased = office.run(&["erase", "article-1/1", "--because", "a customer's name"]);
    assert_eq!(erased.code, 0, "{}", erased.stderr);
    assert_eq!(erased.stdout, "erased 1 text of article-1: article-1/1\n");
    assert!(erased.stderr.contains("copies of the ledger hold it still"), "{}", erased.stderr);
    assert_eq!(holding(&office, "part of ada"), [""; 0]);
    assert!(!holding(&office, "part of ben").is_empty(), "nothing else goes");

    let log = office.run(&["log", "article-1"]).stdout;
    assert!(log.contains("nora        erases article-1/1 – “a customer's name”"), "{log}");
    let json = office.run(&["log", "article-1", "--json"]).stdout;
    let last: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    assert_eq!((&last["kind"], &last["who"]), (&"payloads_erased".into(), &"nora".into()));
    assert_eq!(last["event"]["because"], "a customer's name");
    assert_eq!(last["event"]["digests"].as_array().unwrap().len(), 1);
    let shown = office.run(&["show", "article-1/1"]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert!(shown.stdout.contains("(its text was erased by nora, 2"), "{}", shown.stdout);
    assert!(shown.stdout.contains("Z: a customer's name; the record of it stays)"), "{}", shown.stdout);
    let shown = office.run(&["show", "article-1/1", "--json"]).json();
    assert_eq!((&shown["text"], &shown["erased"]["by"]), (&serde_json::Value::Null, &"nora".into()));
    assert_eq!(shown["erased"]["because"], "a customer's name");
    assert_eq!(office.run(&["show", "article-1/2", "--json"]).json()["erased"], serde_json::Value::Null);
    let flow = |text: &str| text.lines().find(|line| line.starts_with("flow ")).map(str::to_owned);
    let after = office.run(&["show", "article-1"]).stdout;
    let lasted = |text: &str| flow(text).unwrap().rsplit(", ").next().unwrap().to_owned();
    assert_eq!(lasted(&after), lasted(&before), "a run does not last longer for it");
    assert_eq!(office.run(&["stats", "article-1"]).code, 0);
    let verified = office.run(&["verify", "article-1/1"]);
    assert!(
        verified.code == 3 && verified.stderr.contains("`baton show article-1/1` says why"),
        "{}",
        verified.stderr
    );
    let proven = office.run(&["log", "--verify", "--json"]);
    assert_eq!((proven.code, &proven.json()["erased"]), (0, &1.into()), "{}", proven.stdout);

    // Asked again, nothing is left to do, and nothing more is recorded.
    let again = office.run(&["erase", "article-1/1", "--because", "again"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(again.stdout.contains("had been erased before"), "{}", again.stdout);
    assert!(!office.run(&["log", "article-1"]).stdout.contains("again"));
}

#[test]
fn all_that_was_said_in_a_run_goes_at_once_and_its_flow_stays() {
    // proves S-02
    let office = Office::with(
        "  - write: ada\n  - ok: {gate: blocking, on-reject: write}\n  - colour: {escalate: \"Which colour?\"}\n  - file: cleo\n",
    );
    let flow = office.sandbox.read("flows/article.yaml");
    office.sandbox.write(
        "flows/article.yaml",
        flow.replace("flow: article\n", "flow: article\ninputs: {wish: null}\n"),
    );
    assert_eq!(office.run(&["run", "article", "--input", "wish=a red tower"]).code, 0);
    assert_eq!(
        office.run_with(&["gate", "reject", "article-1", "--because", "ask Mrs Quill"], &[KEY]).code,
        0
    );
    assert_eq!(office.run(&["resume"]).code, 0);
    assert_eq!(office.run_with(&["gate", "approve", "article-1"], &[KEY]).code, 0);
    assert_eq!(office.run(&["resume"]).code, 0);
    assert_eq!(office.run(&["clarify", "article-1", "as Mr Brown wants it"]).code, 0);
    assert_eq!(office.run(&["resume"]).code, 0);
    office.answer("answer.json");
    assert_eq!(office.run(&["submit", "answer.json", "--run", "article-1"]).code, 0);
    let refused = office.run(&["erase", "article-1", "--all", "--because", "asked to"]);
    assert_eq!(refused.code, 3, "{}{}", refused.stdout, refused.stderr);
    assert!(refused.stderr.contains("article-1 is not over"), "{}", refused.stderr);
    assert!(refused.stderr.contains("`baton cancel`"), "{}", refused.stderr);
    let ran = office.run(&["resume"]);
    assert!(ran.stdout.contains("ends article-1: done"), "{}{}", ran.stdout, ran.stderr);
    let words = ["a red tower", "Mrs Quill", "Mr Brown", "part of ada", "Did file"];
    for words in words {
        assert!(!holding(&office, words).is_empty(), "{words}");
    }
    let listed = office.run(&["erase", "article-1", "--dry-run"]).stdout;
    assert!(listed.contains("keeps flows/article.yaml as it is now"), "{listed}");
    let erased = office.run(&["erase", "article-1", "--all", "--because", "asked to", "--json"]);
    assert_eq!(erased.code, 0, "{}{}", erased.stdout, erased.stderr);
    for words in words {
        assert_eq!(holding(&office, words), [""; 0], "{words}");
    }
    assert!(!holding(&office, "Which colour?").is_empty(), "the files of the project are none of these");
    assert!(!office.sandbox.path(".baton/output/article-1").exists());
    let log = office.run(&["log", "article-1"]).stdout;
    assert!(log.contains("other texts – “asked to”"), "{log}");
    for args in [["show", "article-1"], ["log", "--verify"], ["stats", "article-1"], ["runs", "--all"]] {
        let ran = office.run(&args);
        assert_eq!(ran.code, 0, "{args:?}: {}{}", ran.stdout, ran.stderr);
    }
    let listed = office.run(&["erase", "article-1", "--dry-run"]).stdout;
    let record = listed.lines().find(|line| line.contains("flows/article.yaml")).unwrap();
    let record = record.split_whitespace().next().unwrap();
    assert_eq!(office.run(&["erase", "article-1", "--record", record, "--because", "asked to"]).code, 0);
    assert_eq!(holding(&office, "Which colour?"), [""; 0], "what is named goes all the same");
    assert_eq!(office.run(&["show", "article-1"]).code, 0);
}

#[test]
fn a_text_that_other_runs_have_goes_from_them_too_unless_one_is_not_over() {
    // proves S-02
    let office = done("  - write: ada\n", 2);
    office.sandbox.write(
        "flows/open.yaml",
        office.sandbox.read("flows/article.yaml").replace("flow: article", "flow: open") + "  - file: cleo\n",
    );
    assert_eq!(office.run(&["run", "open"]).code, 0);
    let listed = office.run(&["erase", "article-1/1", "--dry-run"]).stdout;
    assert!(listed.contains("article-2, open-1"), "{listed}");
    let refused = office.run(&["erase", "article-1/1", "--because", "asked to"]);
    assert_eq!(refused.code, 3, "{}{}", refused.stdout, refused.stderr);
    assert!(refused.stderr.contains("open-1 has the same text and may still need it"), "{}", refused.stderr);
    assert!(!holding(&office, "part of ada").is_empty());
    assert!(!office.run(&["log"]).stdout.contains("erases"), "nothing is said that was not done");
    assert_eq!(office.run(&["cancel", "open-1"]).code, 0);
    let erased = office.run(&["erase", "article-1/1", "--because", "asked to"]);
    assert_eq!(erased.code, 0, "{}{}", erased.stdout, erased.stderr);
    assert!(erased.stdout.contains("the same went from article-2, open-1"), "{}", erased.stdout);
    assert_eq!(holding(&office, "part of ada"), [""; 0]);
    for run in ["article-1", "article-2", "open-1"] {
        let log = office.run(&["log", run]).stdout;
        assert!(log.contains(&format!("erases {run}/1 – “asked to”")), "{log}");
        assert!(office.run(&["show", &format!("{run}/1")]).stdout.contains("was erased by nora"));
    }
    assert_eq!(office.run(&["log", "--verify"]).code, 0);
}

#[test]
fn only_a_person_with_a_reason_erases_what_is_named() {
    let office = done(TWO, 1);
    let wrong: [(&[&str], i32, &str); 9] = [
        (&["erase", "article-1/1"], 2, "--because"),
        (&["erase", "article-1/1", "--because", " "], 2, "a reason is needed"),
        (&["erase", "article-1", "--because", "x"], 2, "what of article-1 is to go?"),
        (&["erase", "article-1/write", "--because", "x"], 2, "names no handoff"),
        (&["erase", "article-1/1", "--all", "--because", "x"], 2, "either handoffs are named"),
        (&["erase", "article-1/7", "--because", "x"], 3, "article-1 has no handoff 7"),
        (&["erase", "article-1", "--record", "999", "--because", "x"], 3, "has no text"),
        (&["erase", "article-9/1", "--because", "x"], 3, "there is no run article-9"),
        (&["erase", "nothing", "--because", "x"], 3, "there is no run nothing"),
    ];
    for (args, code, said) in wrong {
        let ran = office.run(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{args:?}: {}", ran.stderr);
    }
    let args = ["erase", "article-1/1", "--because", "x"];
    #[cfg(unix)]
    {
        let ran = office.run_with(&args, &[("BATON_ATTEMPT", "1")]);
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        assert!(ran.stderr.contains("an agent cannot say what is a person's to say"), "{}", ran.stderr);
    }
    assert!(!holding(&office, "part of ada").is_empty());
    assert_eq!(office.run(&args).code, 0, "a person does");
}

#[test]
fn the_files_that_hold_it_still_are_named() {
    let office = done("  - write: ada\nkeeps: [envelope, package]\n", 1);
    let file = ".runs/article-1/article/handoffs/write-ada.json";
    assert!(office.sandbox.read(file).contains("part of ada"));
    office.sandbox.write(".baton/ledger.db.format-1.backup", "an older one");
    // By the id that it has in its file.
    let erased = office.run(&["erase", "HO-001", "--because", "asked to"]);
    assert_eq!((erased.code, erased.stdout.as_str()), (0, "erased 1 text of article-1: article-1/1\n"));
    for path in [file, "HO-001.yaml", ".baton/ledger.db.format-1.backup"] {
        let is_named =
            erased.stderr.lines().any(|line| line.contains(path) && line.contains("may hold it still"));
        assert!(is_named, "{path}: {}", erased.stderr);
    }
    assert!(office.sandbox.path(file).exists(), "what is in the project is its owner's");
}

#[test]
fn a_text_that_somebody_wiped_out_of_the_file_is_damage() {
    // proves S-02
    let office = done(TWO, 1);
    let path = office.sandbox.path(".baton/ledger.db");
    let mut bytes = fs::read(&path).unwrap();
    let words = b"{\"meta\": {\"step_id\": \"ada\"";
    let start = bytes.windows(words.len()).position(|window| window == words).unwrap();
    // A mark and the length in two bytes stand before the text.
    let long = usize::from(bytes[start - 2] & 0x7f) | (usize::from(bytes[start - 1]) << 7);
    assert_eq!(bytes[start - 3], 1, "the text is marked as there");
    bytes[start - 3] = 0xe0;
    bytes[start..start + long].fill(0);
    fs::write(&path, bytes).unwrap();
    let proven = office.run(&["log", "--verify"]);
    assert_eq!(proven.code, 1, "{}{}", proven.stdout, proven.stderr);
    let said = "of article-1: its payload is gone, and no record says that it was erased";
    assert!(
        proven.stdout.contains("Not to be trusted at position ") && proven.stdout.contains(said),
        "{}",
        proven.stdout
    );
    let shown = office.run(&["show", "article-1/1"]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert!(shown.stdout.contains("(its text is gone, and no record says why"), "{}", shown.stdout);
}
