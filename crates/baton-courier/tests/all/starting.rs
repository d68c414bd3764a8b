//! Starts of programs: with the given arguments and no others, and a clear error otherwise.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::mpsc;

use baton_courier::program::{FileLocation, Input, Program, ProgramCourier};
use baton_courier::{Again, Cause, Courier as _, Delivery, Failure, Fault, What};

use crate::bench::{Bench, next, run_attempt, shell};

fn failure(bench: &Bench, program: &str) -> Failure {
    bench.deliver(Program::new(vec![program.to_owned()])).failure().clone()
}

#[test]
fn a_program_that_is_not_there_is_named_with_what_to_do() {
    let bench = Bench::new();
    let missing = failure(&bench, "no-such-agent");
    assert_eq!(missing.cause, Cause::Missing);
    assert_eq!(missing.to_string(), "the program no-such-agent is not on the PATH");
    assert_eq!(
        missing.hint.as_deref(),
        Some("install no-such-agent, or write its full path in the command of the agent")
    );
    assert_eq!((missing.cause.fault(), missing.cause.again()), (Fault::Settings, Again::Pointless));
    let missing = failure(&bench, "tools/agent");
    assert_eq!(missing.cause, Cause::Missing);
    let path = bench.path("tools/agent");
    assert_eq!(missing.to_string(), format!("the program {} does not exist", path.display()));
    let empty = bench.deliver(Program::new(Vec::new()));
    assert_eq!(empty.failure().to_string(), "the command of the agent is empty");
}

#[test]
fn a_program_that_may_not_or_cannot_run_is_told() {
    let bench = Bench::new();
    // Written by another process: a file that was just open for writing in this one may be busy for a moment.
    let write = "echo '#!/no/such/interpreter' > agent";
    assert!(Command::new("sh").args(["-c", write]).current_dir(bench.root()).status().unwrap().success());
    let forbidden = failure(&bench, "./agent");
    assert_eq!(forbidden.cause, Cause::Forbidden);
    assert!(forbidden.to_string().ends_with("agent may not be executed"), "{forbidden}");
    fs::set_permissions(bench.path("agent"), fs::Permissions::from_mode(0o755)).unwrap();
    let missing = failure(&bench, "./agent");
    assert_eq!(missing.cause, Cause::Missing);
    assert_eq!(missing.to_string(), "./agent needs another program that does not exist");
}

#[test]
fn a_delivery_that_cannot_be_made_is_told() {
    let bench = Bench::new();
    let courier = ProgramCourier::new(shell("echo done"));
    let nowhere = Delivery { directory: bench.path("nowhere"), ..bench.delivery() };
    let told = run_attempt(&courier, nowhere);
    assert_eq!(told.failure().cause, Cause::Impossible);
    let path = bench.path("nowhere");
    assert_eq!(
        told.failure().to_string(),
        format!("the folder {} that sh works in does not exist", path.display())
    );
    for receiver in ["a\0b".to_owned(), "x".repeat(4_000_000)] {
        let told = run_attempt(&courier, Delivery { receiver, ..bench.delivery() });
        assert_eq!(told.failure().cause, Cause::Impossible, "{}", told.failure());
        assert_eq!(told.failure().cause.fault(), Fault::Delivery);
    }
    assert_eq!(run_attempt(&courier, bench.delivery()).text(), "done\n");
}

#[test]
fn the_environment_is_what_was_allowed_and_what_baton_tells() {
    let bench = Bench::new();
    let program = Program {
        input: Input::File(FileLocation::Private),
        draft: Some(FileLocation::Private),
        // The shell sets some of its own, `env` by itself does not.
        ..Program::new(vec!["env".to_owned()])
    };
    let delivery = Delivery {
        prompt: Some("do it".to_owned()),
        session: Some("s-1".to_owned()),
        environment: ["PATH", "NOT_SET", "", "A=B"].map(str::to_owned).to_vec(),
        ..bench.delivery()
    };
    let told = run_attempt(&ProgramCourier::new(program), delivery);
    let mut names: Vec<_> = told.text().lines().map(|line| line.split('=').next().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "BATON_ATTEMPT",
            "BATON_DIALECT",
            "BATON_DRAFT",
            "BATON_EXTENSION",
            "BATON_HANDOFF",
            "BATON_KEY",
            "BATON_PROMPT",
            "BATON_RECEIVER",
            "BATON_ROOT",
            "BATON_SESSION",
            "PATH"
        ]
    );
    for line in ["BATON_KEY=run-1/step 2", "BATON_ATTEMPT=1", "BATON_RECEIVER=coder", "BATON_SESSION=s-1"] {
        assert!(told.text().lines().any(|told| told == line), "{line}");
    }
}

#[test]
fn no_shell_reads_the_arguments() {
    let bench = Bench::new();
    let arguments =
        ["printf", "%s\\n", "$HOME; `id` *", "{root}", "{\"json\": {}} {handoff}", "{root}{root}"];
    let told = bench.deliver(Program::new(arguments.map(str::to_owned).to_vec()));
    let root = bench.root().display().to_string();
    // The handoff is no file here, so that there is no path to put in.
    assert_eq!(told.text(), format!("$HOME; `id` *\n{root}\n{{\"json\": {{}}}} {{handoff}}\n{root}{root}\n"));
}

#[test]
fn a_program_leads_a_session_without_a_terminal() {
    let told = Bench::new().deliver(shell("ps -o pid=,pgid=,sid=,tty= -p $$"));
    let words: Vec<_> = told.text().split_whitespace().collect();
    let [pid, group, session, terminal] = words[..] else { panic!("{words:?}") };
    assert_eq!((pid, pid, "?"), (group, session, terminal));
}

#[test]
fn nothing_of_ours_is_open_in_a_program() {
    let line = "ls /proc/$$/fd";
    // Variables of the test itself reach any program.
    let plain = Command::new("sh").args(["-c", line]).output().unwrap();
    let bench = Bench::new();
    let other = ProgramCourier::new(shell("echo up >&2; sleep 1000"));
    let (reports, received) = mpsc::channel();
    other.start(Delivery { key: "other".into(), ..bench.delivery() }, reports);
    assert_eq!(next(&received), What::Progress(b"up".to_vec()));
    assert_eq!(bench.deliver(shell(line)).answer(), plain.stdout);
}

#[test]
fn it_works_in_the_folder_it_was_given() {
    let bench = Bench::new();
    bench.write("work/here", "");
    let delivery = Delivery { directory: bench.path("work"), ..bench.delivery() };
    assert_eq!(run_attempt(&ProgramCourier::new(shell("ls")), delivery).text(), "here\n");
}
