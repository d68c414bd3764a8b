//! An agent that wants to answer a gate itself, with a sandbox around it and without.

use std::fs::File;
use std::path::Path;

use baton_engine::sandbox::works;

use crate::office::Office;
use crate::sandbox::Ran;

const KEY: (&str, &str) = ("BATON_GATE_KEY", "nora's own");

/// What it tries while the gate is open: to look like a person, to answer with a key of its own and with none, to become one
/// of those whose answers count, to find the key, and to leave somebody behind who goes on trying, with nothing that shows
/// from whom it comes.
fn attack(baton: &str) -> String {
    format!(
        r#"if [ "$1" = ada ]; then
echo 'nora approves article-1/look' >&2
env > seen-environment
cat /proc/$PPID/environ > seen-parent 2>/dev/null
cat /proc/[0-9]*/environ > seen-all 2>/dev/null
cat /proc/$PPID/maps /proc/$PPID/mem > seen-memory 2>/dev/null
until [ -e walled ] || {baton} gate list | grep -q article-1/look; do sleep 0.02; done
BATON_GATE_KEY=mallory-s-own-key {baton} gate key mallory > mallory 2>/dev/null
cat mallory > baton.toml
mv baton.toml elsewhere && cp mallory baton.toml
BATON_GATE_KEY=mallory-s-own-key {baton} gate approve article-1/look > tried 2>&1; echo "mine $?" >> tried
{baton} gate approve article-1/look >> tried 2>&1 < /dev/null; echo "none $?" >> tried
cat .baton/* .baton/*/* > read-it 2>/dev/null
[ -e read-it ] || : > read-it
[ -e walled ] && {{ echo x >> .baton/ledger.db; mkdir -p .baton/mailbox; echo '{{}}' > .baton/mailbox/1; mv .baton away; umount .baton; unshare -Urm umount .baton; }}
(setsid env -i PATH="$PATH" flock daemon sh -c 'sleep 0.1; until [ -e stop-it ]; do BATON_GATE_KEY=mallory-s-own-key {baton} gate approve article-1/look >> escaped 2>&1 && echo > won; echo up > daemon-is-up; sleep 0.02; done' > /dev/null 2>&1 < /dev/null &)
until [ -e daemon-is-up ]; do sleep 0.02; done
fi
while"#
    )
}

/// A project with a gate that stands open while the agent works, and whose agents are in a sandbox or not.
fn office(sandbox: &str) -> Office {
    let office = Office::with(
        "  - both: {parallel: [write, look]}\n  - print: ben\n  - write: ada\n  - look: {gate: blocking}\n",
    );
    office.sandbox.write("baton.toml", office.run_with(&["gate", "key", "nora"], &[KEY]).stdout);
    let baton = env!("CARGO_BIN_EXE_baton");
    office.sandbox.write("agent.sh", office.sandbox.read("agent.sh").replacen("while", &attack(baton), 1));
    let place = Path::new(baton).parent().unwrap().display();
    let said = format!("restart: safe, sandbox: {sandbox}, readable: ['{place}']");
    let flow = office.sandbox.read("flows/article.yaml").replace("restart: safe", &said);
    office.sandbox.write("flows/article.yaml", flow);
    office
}

fn seen(office: &Office, path: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(office.sandbox.path(path)).unwrap()).into_owned()
}

/// What must hold whatever keeps the agent away: nobody but nora has answered, and what was recorded is whole.
fn still_open(office: &Office, ran: &Ran) {
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    for taken in ["seen-environment", "read-it"] {
        let text = seen(office, taken);
        assert!(!text.contains(KEY.1) && !text.contains(KEY.0), "{taken} has the key");
    }
    let gates = office.run(&["gate", "list", "--json"]).json();
    assert_eq!(gates["gates"][0]["id"], "article-1/look", "nobody has answered it: {}", ran.stdout);
    assert_eq!(office.run(&["log", "--verify"]).code, 0, "the record holds");
    assert!(!office.sandbox.path("won").exists());
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

#[test]
fn a_hostile_agent_cannot_answer_a_gate_and_what_nothing_enforces_is_said() {
    // proves P-12
    let office = office("none");
    let ran = office.run_with(&["run", "article"], &[KEY]);
    still_open(&office, &ran);
    let tried = office.sandbox.read("tried");
    // It is listed in baton.toml now, and the run goes by what was there when it started.
    assert!(office.sandbox.read("baton.toml").contains("mallory"));
    assert!(tried.contains("an agent cannot say what is a person's to say"), "{tried}");
    assert!(tried.contains("mine 3") && tried.contains("none 3"), "{tried}");
    // Who has left its parents is not known as an agent any more: the list of people is what holds.
    let escaped = office.sandbox.read("escaped");
    assert!(escaped.contains("nobody of this project has the key"), "{escaped}");
    if !is_root() {
        // Only root looks into a process that does not want it.
        assert!(!seen(&office, "seen-parent").contains(KEY.1), "the parent shows the key");
    }
    let shown = office.run(&["gate", "show", "article-1/look", "--json"]).json();
    assert_eq!(shown["enforced"], false);
    let answered = office.run_with(&["gate", "approve", "article-1"], &[KEY]);
    assert_eq!(answered.code, 0, "{}", answered.stderr);
    let text = "unenforced: agents could have reached the key or the ledger";
    assert!(answered.stderr.contains(&format!("{text} (without a sandbox: ada)")), "{}", answered.stderr);
    office.sandbox.write("stop-it", "");
    File::open(office.sandbox.path("daemon")).unwrap().lock().unwrap();
    assert!(!office.sandbox.path("won").exists(), "who was left behind has not answered either");
    let resumed = office.run(&["resume", "article-1"]);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}{}", resumed.stdout, resumed.stderr);
    for args in [["log", "article-1"].as_slice(), &["show", "article-1"], &["log", "article-1", "--verify"]] {
        let said = office.run(args).stdout;
        assert!(said.contains(text), "{args:?}: {said}");
    }
    assert_eq!(office.run(&["log", "--verify", "--json"]).json()["unenforced"], 1);
}

#[test]
fn a_repository_that_names_a_filter_starts_nothing() {
    let office = Office::with("  - write: {agent: ada, verify: artifacts}\n");
    std::fs::remove_dir(office.sandbox.path(".git")).unwrap();
    office.sandbox.git(&["init", "--quiet", "--initial-branch=main"]);
    office.sandbox.write("src/loans.py", "before\n");
    office.sandbox.commit();
    let agent = "echo '* filter=x' > .git/info/attributes; git config filter.x.clean 'env >> seen-by-git; cat'\n\
                 echo after >> src/loans.py\n";
    office.sandbox.write("agent.sh", format!("{agent}{}", office.sandbox.read("agent.sh")));
    office.run_with(&["run", "article"], &[KEY]);
    assert!(
        office.sandbox.read("src/loans.py").contains("after") && !office.sandbox.path("seen-by-git").exists()
    );
}

#[test]
fn a_hostile_agent_in_a_sandbox_reaches_neither_key_nor_ledger() {
    // proves P-12
    if !works() {
        return;
    }
    let office = office("required");
    office.sandbox.write("walled", "");
    let people = office.sandbox.read("baton.toml");
    let ran = office.run_with(&["run", "article"], &[KEY]);
    still_open(&office, &ran);
    for taken in ["seen-parent", "seen-all", "seen-memory"] {
        assert!(!seen(&office, taken).contains(KEY.1), "{taken} has the key");
    }
    assert_eq!(seen(&office, "read-it"), "", "it has seen nothing of the ledger");
    assert_eq!(office.sandbox.read("baton.toml"), people);
    assert!(!office.sandbox.path(".baton/mailbox").exists() && !office.sandbox.path("away").exists());
    // Whoever was left behind is gone with the agent, without having been asked.
    File::open(office.sandbox.path("daemon")).unwrap().lock().unwrap();
    let tried = office.sandbox.read("tried");
    assert!(tried.contains("mine 3") && tried.contains("none 3"), "{tried}");
    let answered = office.run_with(&["gate", "approve", "article-1", "--json"], &[KEY]);
    assert_eq!(answered.json()["enforced"], true, "{}", answered.stderr);
    let resumed = office.run(&["resume", "article-1"]);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}{}", resumed.stdout, resumed.stderr);
    let log = office.run(&["log", "article-1"]).stdout;
    assert!(!log.contains("unenforced"), "{log}");
    assert_eq!(office.run(&["log", "--verify", "--json"]).json()["unenforced"], 0);
}

#[test]
fn an_agent_with_a_worktree_in_a_sandbox_commits_there_and_changes_nothing_else() {
    if !works() {
        return;
    }
    let office = Office::with("  - write: ada\n");
    let agent = r#"echo made > made; git add made && git -c user.name=t -c user.email=t@t commit -qm made
(echo x > "$BATON_ROOT/changed") 2>/dev/null; (echo x >> "$BATON_ROOT/.git/config") 2>/dev/null
(echo x > "$BATON_ROOT/.git/hooks/pre-commit") 2>/dev/null; ls -A "$BATON_ROOT/.baton" > seen
"#;
    office.sandbox.write("agent.sh", format!("{agent}{}", office.sandbox.read("agent.sh")));
    std::fs::remove_dir(office.sandbox.path(".git")).unwrap();
    office.sandbox.git(&["init", "--quiet", "--initial-branch=main"]);
    let root = office.sandbox.path("").display().to_string();
    let flow = office
        .sandbox
        .read("flows/article.yaml")
        .replace("restart: safe", "worktree: true, sandbox: required");
    office
        .sandbox
        .write("flows/article.yaml", flow.replace("sh, agent.sh", &format!("sh, '{root}/agent.sh'")));
    office.sandbox.commit();
    let config = office.sandbox.read(".git/config");
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let apart = ".baton/worktrees/article-1/ada";
    assert_eq!(office.sandbox.read(&format!("{apart}/seen")), "worktrees\n", "only the way to its own");
    assert!(office.sandbox.git(&["log", "--oneline", "baton/article-1/ada"]).contains("made"));
    assert_eq!(office.sandbox.read(".git/config"), config);
    for path in ["changed", ".git/hooks/pre-commit"] {
        assert!(!office.sandbox.path(path).exists(), "{path}");
    }
}

#[test]
fn where_no_sandbox_works_a_required_one_stops_and_a_wished_one_is_said() {
    let office = Office::with("  - write: ada\n");
    let flow = office.sandbox.read("flows/article.yaml");
    office.sandbox.write("baton.toml", "[sandbox]\nagents = \"when-available\"\n");
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("ends article-1: done"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stdout.contains("starts ada without a sandbox: unenforced"), !works(), "{}", ran.stdout);
    office.sandbox.write("flows/article.yaml", flow.replace("restart: safe", "sandbox: required"));
    let ran = office.run(&["run", "article"]);
    if works() {
        assert!(ran.stdout.contains("ends article-2: done"), "{}", ran.stdout);
    } else {
        assert!(ran.stdout.contains("it must run in a sandbox, and none works here"), "{}", ran.stdout);
        let dead = office.run(&["dead", "--json"]).json();
        let told = office.run(&["dead", dead["dead"][0]["id"].as_str().unwrap()]).stdout;
        assert!(told.contains("apt install bubblewrap"), "{told}");
    }
}

#[test]
fn a_test_that_fails_leaves_no_agent_at_work() {
    let held = std::sync::Mutex::new(None);
    let failed = std::panic::catch_unwind(|| {
        let office = Office::with("  - write: ada\n");
        // As in the attack: with nothing that shows from whom it comes, in a session of its own, for as long as nobody says so.
        let agent = "(setsid env -i PATH=\"$PATH\" flock daemon sh -c 'until [ -e stop-it ]; do echo up > daemon-is-up; \
                     sleep 0.02; done' > /dev/null 2>&1 < /dev/null &)\n";
        let mut shell = std::process::Command::new("sh");
        assert!(shell.args(["-c", agent]).current_dir(office.sandbox.path("")).status().unwrap().success());
        office.awaits("daemon-is-up");
        *held.lock().unwrap() = Some(File::open(office.sandbox.path("daemon")).unwrap());
        panic!("as a test that fails here");
    });
    assert!(failed.is_err());
    let held = held.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).unwrap();
    let start = std::time::Instant::now();
    while held.try_lock().is_err() {
        assert!(start.elapsed() < std::time::Duration::from_secs(5), "it is still at work");
        std::thread::yield_now();
    }
}
