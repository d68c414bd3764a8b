//! The keys of people: how they are made, what protects them, and how older ones are replaced.

use std::time::{Duration, Instant};

use baton_engine::project::people::Secret;

use crate::office::Office;

const KEY: (&str, &str) = ("BATON_GATE_KEY", "nora's passphrase");
const GATES: &str = "  - write: ada\n  - first: {gate: blocking}\n  - second: {gate: blocking}\n";

/// The public key of a passphrase as keys were made before there were salts.
fn older(passphrase: &str) -> String {
    Secret::from_text(passphrase).expect("it is a secret").older().public()
}

fn approve(office: &Office, key: (&str, &str)) -> crate::sandbox::Ran {
    office.run_with(&["gate", "approve", "article-1"], &[key])
}

#[test]
fn a_key_has_a_salt_of_its_own_and_digits_need_none() {
    let office = Office::with(GATES);
    let key = |name: &str, key: &str| {
        let made = office.run_with(&["gate", "key", name], &[("BATON_GATE_KEY", key)]);
        assert_eq!(made.code, 0, "{}", made.stderr);
        made.stdout
    };
    let (one, other) = (key("nora", KEY.1), key("nora", KEY.1));
    assert!(one.contains("salt = \"argon2id-1:") && !one.contains(&older(KEY.1)), "{one}");
    assert_ne!(one, other, "each has a salt of its own");
    let digits = "7".repeat(64);
    assert_eq!(key("Ada L.", &digits), format!("[people]\n\"Ada L.\" = \"{}\"\n", older(&digits)));
    // What is printed is what is read.
    for line in [one, key("Ada L.", &digits)] {
        office.sandbox.write("baton.toml", line);
        assert_eq!(office.run(&["check", "baton.toml"]).code, 0);
    }
}

#[test]
fn an_older_key_answers_once_more_and_is_replaced_where_it_is_listed() {
    // proves P-12
    let office = Office::with(GATES);
    let settings = |people: &str| {
        format!("# ours\n[people] # who decides\n{people} # on call\nbot = \"{}\"\n", older(&"7".repeat(64)))
    };
    office.sandbox.write("baton.toml", settings(&format!("nora   = \"{}\"", older(KEY.1))));
    assert_eq!(office.run(&["run", "article"]).code, 0);
    assert_eq!(approve(&office, ("BATON_GATE_KEY", "eve's own")).code, 3);
    let first = approve(&office, KEY);
    assert_eq!(first.code, 0, "{}", first.stderr);
    assert!(
        first.stderr.contains("the key of nora is derived with argon2id and a salt from now on"),
        "{}",
        first.stderr
    );
    let now = office.sandbox.read("baton.toml");
    let line = now.lines().find(|line| line.starts_with("nora")).expect("she is listed");
    assert!(line.starts_with("nora   = { key = \"ed25519:") && line.ends_with("\" } # on call"), "{line}");
    assert_eq!(now, settings(line.strip_suffix(" # on call").expect("it ends so")), "all else is as it was");
    // The run goes by the key that it has pinned.
    assert_eq!(office.run(&["resume", "article-1"]).code, 0);
    let second = approve(&office, KEY);
    assert_eq!(second.code, 0, "{}", second.stderr);
    assert_eq!(office.sandbox.read("baton.toml"), now, "once is enough");
    let resumed = office.run(&["resume", "article-1"]);
    assert!(resumed.stdout.contains("ends article-1: done"), "{}{}", resumed.stdout, resumed.stderr);
    // And one that begins now by the new one.
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let stranger = office.run_with(&["gate", "approve", "article-2"], &[("BATON_GATE_KEY", "eve's own")]);
    assert_eq!(stranger.code, 3, "{}", stranger.stdout);
    let third = office.run_with(&["gate", "approve", "article-2"], &[KEY]);
    assert_eq!(third.code, 0, "{}", third.stderr);
    let resumed = office.run(&["resume", "article-2"]);
    assert!(resumed.stdout.contains("nora        approves gate article-2/first"), "{}", resumed.stdout);
}

#[cfg(unix)]
#[test]
fn where_the_settings_cannot_be_changed_the_answer_counts_and_the_line_is_said() {
    let office = Office::with(GATES);
    let text = format!("[people]\nnora = \"{}\"\n", older(KEY.1));
    office.sandbox.write("kept/settings", &text);
    std::os::unix::fs::symlink("kept/settings", office.sandbox.path("baton.toml")).unwrap();
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let answered = approve(&office, KEY);
    assert_eq!(answered.code, 0, "{}", answered.stderr);
    assert!(
        answered.stderr.contains("it is a link") && answered.stderr.contains("nora = { key = \""),
        "{}",
        answered.stderr
    );
    assert_eq!(office.sandbox.read("kept/settings"), text);
}

#[test]
fn a_weak_passphrase_makes_no_key_and_answers_nowhere_that_any_key_does() {
    // proves P-12
    let office = Office::with(GATES);
    for weak in ["mine", "password", "Password1!", "nora"] {
        let made = office.run_with(&["gate", "key", "nora"], &[("BATON_GATE_KEY", weak)]);
        assert_eq!((made.code, made.stdout.as_str()), (3, ""), "{weak}");
        assert!(made.stderr.contains("weak passphrase: about"), "{}", made.stderr);
        assert!(made.stderr.contains("several uncommon words"), "{}", made.stderr);
    }
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let answered = approve(&office, ("BATON_GATE_KEY", "mine"));
    assert_eq!(answered.code, 3, "{}", answered.stdout);
    assert!(answered.stderr.contains("weak passphrase"), "{}", answered.stderr);
    assert_eq!(approve(&office, ("BATON_GATE_KEY", "correct horse")).code, 0);
}

#[test]
fn the_weak_key_of_a_person_who_is_listed_still_answers_with_a_warning() {
    let office = Office::with(GATES);
    office.sandbox.write("baton.toml", format!("[people]\nnora = \"{}\"\n", older("mine")));
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let answered = approve(&office, ("BATON_GATE_KEY", "mine"));
    assert_eq!(answered.code, 0, "{}", answered.stderr);
    assert!(
        answered.stderr.contains("warning: weak passphrase")
            && answered.stderr.contains("`baton gate key nora`"),
        "{}",
        answered.stderr
    );
}

#[test]
fn a_salt_that_is_none_is_found_and_nothing_is_derived_with_it() {
    let office = Office::with(GATES);
    let key = older(KEY.1);
    let digits = "07".repeat(16);
    let huge = "7".repeat(100_000);
    for salt in [
        "",
        "07",
        &digits,
        &format!("argon2id-2:{digits}"),
        &format!("argon2id-1:{digits},m=4294967295"),
        &huge,
    ] {
        office
            .sandbox
            .write("baton.toml", format!("[people]\nnora = {{ key = \"{key}\", salt = \"{salt}\" }}\n"));
        let start = Instant::now();
        let ran = office.run(&["run", "article"]);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stderr.contains("salt"), "{}", ran.stderr);
        assert!(start.elapsed() < Duration::from_secs(20));
    }
    for (entry, said) in [
        (format!("{{ salt = \"argon2id-1:{digits}\" }}"), "key"),
        (format!("{{ key = \"{key}\", memory = 4294967295 }}"), "memory"),
        (format!("[\"{key}\"]"), "nora"),
    ] {
        office.sandbox.write("baton.toml", format!("[people]\nnora = {entry}\n"));
        let checked = office.run(&["check", "baton.toml"]);
        assert!(checked.stdout.contains(said), "{}{}", checked.stdout, checked.stderr);
    }
}

#[test]
fn people_without_end_do_not_make_an_answer_take_without_end() {
    let office = Office::with(GATES);
    let mut people = "[people]\n".to_owned();
    for number in 0..2_000 {
        let key = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        people +=
            &format!("p{number} = {{ key = \"ed25519:{key}\", salt = \"argon2id-1:{number:032x}\" }}\n");
    }
    let line = office.run_with(&["gate", "key", "zoe"], &[KEY]).stdout.replace("[people]\n", "");
    office.sandbox.write("baton.toml", format!("{people}{line}"));
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let start = Instant::now();
    let refused = approve(&office, KEY);
    assert_eq!(refused.code, 3, "{}", refused.stdout);
    assert!(refused.stderr.contains("--as NAME"), "{}", refused.stderr);
    assert!(start.elapsed() < Duration::from_secs(60), "it tried a few");
    let unknown = office.run_with(&["gate", "approve", "article-1", "--as", "ada"], &[KEY]);
    assert!(unknown.stderr.contains("nobody of this project is called ada"), "{}", unknown.stderr);
    let answered = office.run_with(&["gate", "approve", "article-1", "--as", "zoe"], &[KEY]);
    assert_eq!(answered.code, 0, "{}", answered.stderr);
}

/// Whether a process is closed to others of the same user, as far as this one can tell.
#[cfg(target_os = "linux")]
fn is_closed(process: u32) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let limits = std::fs::read_to_string(format!("/proc/{process}/limits")).unwrap_or_default();
    let core = limits.lines().find(|line| line.starts_with("Max core file size"));
    let has_no_core = core.is_some_and(|line| line.split_whitespace().nth(4) == Some("0"));
    // What is not dumpable belongs to root, also that of root.
    let owner = std::fs::metadata(format!("/proc/{process}/environ")).map(|data| data.uid());
    has_no_core && owner.is_ok_and(|owner| owner == 0)
}

/// Lets what is started from here write core files of any length, as far as that is allowed.
#[cfg(target_os = "linux")]
fn allow_cores() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Core).maximum;
    setrlimit(Resource::Core, Rlimit { current: maximum, maximum }).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_with_a_key_in_its_environment_is_closed_to_others() {
    // proves P-12
    let office = Office::with("  - write: ada\n");
    office.sandbox.write("wait", "");
    allow_cores();
    let running = office.start_with(&["run", "article"], &[KEY]);
    office.awaits("calls");
    assert!(is_closed(running.child.id()));
    office.sandbox.write("go", "");
    assert_eq!(running.end(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_asks_for_a_passphrase_is_closed_to_others_before() {
    // proves P-12
    use std::io::{Read as _, Write as _};
    use std::process::{Command, Stdio};

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let office = Office::with(GATES);
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = ptsname(&person, Vec::new()).unwrap();
    let terminal = std::fs::File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    // Whoever leads a session of their own takes the terminal at their input for it.
    allow_cores();
    let mut child = Command::new("setsid")
        .args(["--ctty", env!("CARGO_BIN_EXE_baton"), "gate", "key", "nora"])
        .current_dir(office.sandbox.path(""))
        .env_remove("BATON_GATE_KEY")
        .stdin(terminal.try_clone().unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut person = std::fs::File::from(person);
    let mut seen = Vec::new();
    while !seen.ends_with(b"Passphrase of your key: ") {
        let mut byte = [0];
        assert_eq!(person.read(&mut byte).unwrap(), 1, "it never asked");
        seen.extend(byte);
    }
    assert!(is_closed(child.id()), "it asks, and can be looked into");
    // At once: nothing of it may be shown even then.
    person.write_all(b"correct horse\n").unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(said.starts_with("[people]\nnora = { key = \"ed25519:"), "{said}");
    drop(terminal);
    let mut rest = Vec::new();
    // The end of a terminal that nobody has open any more is an error.
    let _ = person.read_to_end(&mut rest);
    assert!(!String::from_utf8_lossy(&rest).contains("horse"), "what is typed is not shown");
}
