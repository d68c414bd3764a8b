//! Evidence, verified: by hand with `baton verify`, and by a flow that takes no answer without.

use serde_json::Value;

use crate::office::Office;

/// An agent that writes `src/loans.py`, and names what the file `names` says, with the commands in `commands`.
const AGENT: &str = r#"cat > /dev/null
n=$(cat round 2>/dev/null || echo 0); n=$((n+1)); echo $n > round
mkdir -p src; echo "made $n" > src/loans.py
names=$(cat names-$n 2>/dev/null || cat names)
cat <<END
{"meta": {"step_id": "$1", "flow_key": "f", "agent_key": "$1", "timestamp": "2026-01-31T09:30:00Z"}, "status": "VERIFIED",
 "summary": {"what_i_did": "Wrote src/loans.py", "what_i_found": "Nothing odd",
  "evidence": {"artifacts_produced": [$names], "commands_run": [$(cat commands)]}},
 "routing": {"recommendation": "CONTINUE", "reason": "It is done"}}
END
"#;

fn git(office: &Office, args: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.current_dir(office.sandbox.path("")).args(["-c", "user.name=t", "-c", "user.email=t@t"]);
    let ran = command.args(args).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// A project under git whose agent names these files and commands.
fn office(verify: &str, names: &str, commands: &str) -> Office {
    let office = Office::with(&format!("  - write: {{agent: ada{verify}}}\n"));
    office.sandbox.write("agent.sh", AGENT);
    office.sandbox.write("names", names);
    office.sandbox.write("commands", commands);
    office.sandbox.write("precious", "secret");
    office.sandbox.write(".gitignore", "round\n");
    git(&office, &["init", "-q"]);
    git(&office, &["add", "-A"]);
    git(&office, &["commit", "-q", "-m", "start"]);
    office
}

fn findings(verdict: &Value) -> Vec<String> {
    let list = verdict["verdict"]["findings"].as_array().unwrap();
    list.iter().map(|finding| finding.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_handoff_is_held_against_what_is_there_and_the_verdict_stays_with_it() {
    // proves S-10
    let good = office("", "\"src/loans.py\"", "");
    assert_eq!(good.run(&["run", "article"]).code, 0);
    let ran = good.run(&["verify", "article-1/1", "--json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let hash = &ran.json()["verdict"]["files"][0]["hash"];
    assert_eq!(hash.as_str().map(str::len), Some(64), "{hash}");
    let shown = good.run(&["show", "article-1/1"]).stdout;
    assert!(shown.contains("verified: its files are as it says"), "{shown}");
    assert_eq!(good.run(&["show", "article-1/1", "--json"]).json()["verdict"]["holds"], true);

    let bad = office("", "\"src/gone.py\", \"names\", \"../outside\"", "");
    assert_eq!(bad.run(&["run", "article"]).code, 0);
    let ran = bad.run(&["verify", "article-1/1", "--json"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let found = findings(&ran.json());
    for said in [
        "src/gone.py does not exist",
        "names is said to be changed, and is as it was when the work began",
        "src/loans.py was changed, and the handoff does not name it",
    ] {
        assert!(found.iter().any(|finding| finding == said), "{said}: {found:?}");
    }
    assert!(found.iter().any(|finding| finding.starts_with("../outside")), "{found:?}");
    let told = bad.run(&["verify", "article-1/1"]);
    assert!(told.stdout.contains("article-1/1  not verified"), "{}", told.stdout);
    assert_eq!(bad.run(&["log", "--verify"]).code, 0, "the record holds");
    for (args, code) in
        [(["verify", "article-1/9"], 3), (["verify", "article-1"], 3), (["verify", "precious"], 3)]
    {
        assert_eq!(bad.run(&args).code, code, "{args:?}");
    }
}

#[test]
fn commands_run_again_in_a_clean_checkout_behind_a_wall_or_not_at_all() {
    // proves S-10
    let commands = "\"test -f src/loans.py && test ! -e round\", \"cat precious > stolen; test ! -e .baton\", \"exit 3\"";
    let office = office("", "\"src/loans.py\"", commands);
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let ran = office.run(&["verify", "article-1/1", "--rerun", "--json"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let verdict = ran.json();
    let found = findings(&verdict);
    if baton_engine::sandbox::works() {
        assert_eq!(verdict["verdict"]["sandbox"], "bubblewrap");
        assert_eq!(found, ["`exit 3` ended with exit code 3"]);
    } else {
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("bubblewrap does not work"), "{found:?}");
    }
    let open = office.run(&["verify", "article-1/1", "--rerun", "--no-sandbox", "--json"]).json();
    assert_eq!(findings(&open), ["`exit 3` ended with exit code 3"]);
    assert!(!office.sandbox.path("stolen").exists(), "the project is as it was");
    let worktrees = std::fs::read_dir(office.sandbox.path(".git/worktrees")).map_or(0, Iterator::count);
    assert_eq!(worktrees, 0, "nothing is left behind");
}

#[test]
fn commands_of_an_agent_with_a_worktree_do_not_see_the_project_either() {
    if !baton_engine::sandbox::works() {
        return;
    }
    let office = office(", verify: rerun", "\"src/loans.py\"", "");
    let root = office.sandbox.path("").canonicalize().unwrap().display().to_string();
    let agent = office.sandbox.read("agent.sh").replace(
        "\"commands_run\": [",
        &format!("\"commands_run\": [\"test ! -e {root}/.baton/ledger.db && test ! -e {root}/flows\""),
    );
    office.sandbox.write("agent.sh", agent);
    let flow = office.sandbox.read("flows/article.yaml").replace("ada: {", "ada: {worktree: true, ");
    let flow = flow.replace("sh, agent.sh", &format!("sh, '{root}/agent.sh'"));
    office.sandbox.write("flows/article.yaml", flow);
    git(&office, &["commit", "-qam", "apart"]);
    let ran = office.run(&["run", "article"]);
    let verdict = office.run(&["show", "article-1/1", "--json"]).json();
    assert_eq!(verdict["verdict"]["commands"][0]["is_well"], true, "{verdict} {}", ran.stdout);
}

#[test]
fn a_flow_takes_no_answer_whose_evidence_does_not_hold() {
    // proves S-10
    let office = office(", verify: artifacts", "\"src/loans.py\"", "");
    office.sandbox.write("names-1", "\"src/gone.py\"");
    git(&office, &["add", "-A"]);
    git(&office, &["commit", "-q", "-m", "more"]);
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    for said in [
        "does not take the answer – src/gone.py does not exist",
        "finds the evidence wanting",
        "finds the evidence as it says",
        "ends article-1: done",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let shown = office.run(&["show", "article-1/1", "--json"]).json();
    assert_eq!(shown["verdict"]["holds"], true, "{shown}");
    assert!(shown["text"].as_str().unwrap().contains("src/loans.py\"]"), "{shown}");
}

#[test]
fn an_agent_is_told_what_its_project_wrote_and_what_was_wrong_as_data() {
    let office = Office::with("  - write: {agent: cleo, task: Write it.}\n");
    let flow = office.sandbox.read("flows/article.yaml");
    office
        .sandbox
        .write("flows/article.yaml", flow.replace("inbox: true", "inbox: true, prompt: prompts/cleo.md"));
    let missing = office.run(&["run", "article"]);
    assert_eq!(missing.code, 4, "{}", missing.stderr);
    assert!(missing.stderr.contains("cannot read prompts/cleo.md"), "{}", missing.stderr);
    office.sandbox.write("prompts/cleo.md", "You are cleo, and careful.\n");
    assert_eq!(office.run(&["run", "article"]).code, 0);
    office.sandbox.write("prompts/cleo.md", "changed\n");
    let told = office.run(&["prompt", "cleo", "--run", "article-1"]);
    assert_eq!(
        (told.code, told.stdout.as_str()),
        (0, "You are cleo, and careful.\n\n\nWrite it.\n"),
        "{}",
        told.stderr
    );
    assert_eq!(office.run(&["prompt", "ada", "--run", "article-1"]).code, 3);
    assert!(office.run(&["prompt"]).stdout.contains("# finalize"), "the texts are there");
}

#[test]
fn an_agent_with_a_worktree_works_apart_and_nothing_of_it_is_lost() {
    let office = office(", verify: artifacts", "\"src/loans.py\"", "");
    let flow = office.sandbox.read("flows/article.yaml").replace("ada: {", "ada: {worktree: true, ");
    office.sandbox.write("flows/article.yaml", flow);
    let root = office.sandbox.path("").to_string_lossy().into_owned();
    let flow =
        office.sandbox.read("flows/article.yaml").replace("sh, agent.sh", &format!("sh, '{root}/agent.sh'"));
    office.sandbox.write("flows/article.yaml", flow);
    git(&office, &["commit", "-qam", "apart"]);
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(!office.sandbox.path("src/loans.py").exists(), "the project itself is as it was");
    let apart = ".baton/worktrees/article-1/ada";
    assert_eq!(
        office.sandbox.read(&format!("{apart}/src/loans.py")),
        "made 1\n",
        "what is not committed stays"
    );
    // Without anything that is not committed there is nothing to keep.
    let agent = office.sandbox.read("agent.sh").replace("mkdir -p src; echo \"made $n\" > src/loans.py", "");
    office.sandbox.write("agent.sh", agent);
    let flow = office.sandbox.read("flows/article.yaml").replace(", verify: artifacts", "");
    office.sandbox.write("flows/article.yaml", flow);
    assert_eq!(office.run(&["run", "article"]).code, 0);
    assert!(!office.sandbox.path(".baton/worktrees/article-2").exists());
}

#[test]
fn the_prompts_of_an_agent_are_shown_with_their_source_version_and_tokens() {
    let office =
        Office::with("  - write: {agent: ada, task: \"Write about {{input.wish}}.\"}\n  - file: cleo\n");
    let flow = office.sandbox.read("flows/article.yaml");
    let flow = flow
        .replace("inbox: true", "courier: acp, run: [./cleo], prompt: prompts/cleo.md, prompt-tokens: 9000");
    office.sandbox.write(
        "flows/article.yaml",
        flow.replace("flow: article\n", "flow: article\ninputs: {wish: null}\n"),
    );
    office.sandbox.write("prompts/cleo.md", "You are cleo, and careful.\n");
    let told = office.run(&["prompt", "cleo"]);
    assert_eq!(told.code, 0, "{}{}", told.stdout, told.stderr);
    for part in [
        "cleo in article: dialect envelope, at most 9000 tokens",
        "# work (prompts/cleo.md, version ",
        "You are cleo, and careful.",
        "# finalization (built-in, version ",
        "# schema (built-in, version ",
        "# re-ask (built-in, version ",
        "```text\n- {findings}\n```",
    ] {
        assert!(told.stdout.contains(part), "{part}: {}", told.stdout);
    }
    let told = office.run(&["prompt", "ada", "--flow", "article"]).stdout;
    assert!(told.contains("# task of write (flows/article.yaml, version "), "{told}");
    assert!(told.contains("Write about {{input.wish}}.") && told.contains("100000 tokens"), "{told}");
    assert_eq!(office.run(&["prompt", "nobody"]).code, 3);
}

#[test]
fn a_message_that_is_too_long_is_not_sent_and_says_what_would_help() {
    let office = Office::with("  - write: ada\n  - print: ben\n");
    let flow = office
        .sandbox
        .read("flows/article.yaml")
        .replace("agent.sh, ben]", "agent.sh, ben], prompt-tokens: 20");
    office.sandbox.write("flows/article.yaml", flow);
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("tokens, and may have 20"), "{}{}", ran.stdout, ran.stderr);
    assert!(office.calls().iter().all(|call| !call.starts_with("ben")), "{:?}", office.calls());
    let dead = office.run(&["dead", "article-1"]).stdout;
    assert!(dead.contains("raise `prompt-tokens`"), "{dead}");
}

/// Has the agent commit all that it made, within the very second in which its work began: a commit knows no parts of seconds,
/// and its time is what its author says.
fn commits_at_once(office: &Office, more: &str) {
    let commit =
        "GIT_COMMITTER_DATE='2001-09-09T01:46:40Z' git -c user.name=t -c user.email=t@t commit -q -m work";
    let agent = format!("{more}git add -A src && {commit}\nnames=");
    office.sandbox.write("agent.sh", office.sandbox.read("agent.sh").replacen("names=", &agent, 1));
    git(office, &["add", "-A"]);
    git(office, &["commit", "-q", "-m", "before"]);
}

#[test]
fn what_was_changed_is_told_by_its_content_and_not_by_the_time_of_a_commit() {
    // proves S-10
    let honest = office(", verify: artifacts", "\"src/loans.py\"", "");
    commits_at_once(&honest, "");
    let ran = honest.run(&["run", "article"]);
    assert!(ran.stdout.contains("finds the evidence as it says"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(honest.sandbox.read("round"), "1\n", "it is asked once: {}", ran.stdout);

    let sly = office(", verify: artifacts", "\"src/loans.py\"", "");
    commits_at_once(&sly, "echo x > src/unnamed.py\n");
    let ran = sly.run(&["run", "article"]);
    let said = "src/unnamed.py was changed, and the handoff does not name it";
    assert!(ran.stdout.contains(said), "{}{}", ran.stdout, ran.stderr);

    // A file that differed from the last commit before anybody worked, and is as it was.
    let idle = office(", verify: artifacts", "\"src/loans.py\", \"src/draft.py\"", "");
    idle.sandbox.write("src/draft.py", "not committed");
    let ran = idle.run(&["run", "article"]);
    let said = "src/draft.py is said to be changed, and is as it was when the work began";
    assert!(ran.stdout.contains(said), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn what_is_verified_later_is_held_against_what_was_handed_over() {
    // proves S-10
    let office = office(", verify: artifacts", "\"src/loans.py\"", "");
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    // Of the same length, and with the times that it had: only its content tells.
    let path = office.sandbox.path("src/loans.py");
    let then = std::fs::metadata(&path).unwrap().modified().unwrap();
    office.sandbox.write("src/loans.py", "fake 1\n");
    std::fs::File::options().append(true).open(&path).unwrap().set_modified(then).unwrap();
    office.sandbox.write("src/later.py", "of somebody else");
    let ran = office.run(&["verify", "article-1/1", "--json"]);
    let verdict = ran.json();
    let notes = verdict["verdict"]["notes"].to_string();
    assert!(notes.contains("src/loans.py is no longer what it was when it was handed over"), "{verdict}");
    // What others do afterwards is no fault of the handoff.
    assert_eq!((ran.code, findings(&verdict)), (0, Vec::new()), "{verdict}");
}

#[cfg(unix)]
#[test]
fn the_record_itself_is_no_evidence_and_nobody_waits_for_what_is_no_file() {
    // proves S-10
    let names = "\".baton/ledger.db\", \".baton/ledger.db-shm\", \"twin\", \"pipe\", \"src/loans.py\"";
    let office = office("", names, "");
    assert_eq!(office.run(&["run", "article"]).code, 0);
    std::fs::hard_link(office.sandbox.path(".baton/ledger.db"), office.sandbox.path("twin")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(office.sandbox.path("pipe")).status().unwrap();
    assert!(made.success());
    // Whoever opens and closes a file of the ledger beside SQLite takes its locks away.
    let found = findings(&office.run(&["verify", "article-1/1", "--json"]).json());
    for path in [".baton/ledger.db", ".baton/ledger.db-shm", "twin"] {
        let said = format!("{path} is Baton's own record, and no work of anybody");
        assert!(found.contains(&said), "{said}: {found:?}");
    }
    assert!(found.iter().any(|finding| finding.starts_with("pipe cannot be read")), "{found:?}");
}
