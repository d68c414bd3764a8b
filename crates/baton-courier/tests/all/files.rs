//! Handoffs, answers and drafts that are files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::mpsc;

use baton_courier::program::{FileLocation, Input, Output, Program, ProgramCourier, Template};
use baton_courier::{Cause, Courier as _, Delivery, Limits, What};

use crate::bench::{Bench, Told, next, run_attempt, shell};

fn in_root(path: &str) -> FileLocation {
    FileLocation::InRoot(Template::new(path).unwrap())
}

fn answers_at(path: &str, line: &str) -> Program {
    Program { output: Output::File(in_root(path)), ..shell(line) }
}

#[test]
fn private_files_are_private_and_go_away() {
    let bench = Bench::new();
    let line = "printf '%s\\n' \"$1\" \"$2\"; stat -c %a \"$(dirname \"$1\")\" \"$1\"; cat \"$1\" \"$3\" \"$BATON_PROMPT\"";
    let mut program = shell(line);
    program.command.extend(["sh", "{handoff}", "{answer}", "{prompt}"].map(str::to_owned));
    program.input = Input::File(FileLocation::Private);
    let told = run_attempt(
        &ProgramCourier::new(program),
        Delivery { prompt: Some("do it\n".to_owned()), ..bench.delivery() },
    );
    let lines: Vec<_> = told.text().lines().collect();
    let path = PathBuf::from(lines[0]);
    assert_eq!(path.file_name().unwrap(), "handoff.json");
    assert_eq!(lines[1..], ["{answer}", "700", "600", "{\"task_id\": \"t-1\"}", "do it", "do it"]);
    assert!(!path.parent().unwrap().exists());
}

#[test]
fn the_handoff_lies_in_the_root_and_replaces_nothing() {
    let bench = Bench::new();
    let mut program = shell("cat \"$BATON_HANDOFF\"");
    program.input = Input::File(in_root("handoffs/{receiver}.{extension}"));
    let courier = ProgramCourier::new(program);
    for _ in 0..2 {
        assert_eq!(run_attempt(&courier, bench.delivery()).text(), "{\"task_id\": \"t-1\"}\n");
    }
    let other = run_attempt(&courier, Delivery { handoff: b"another".to_vec(), ..bench.delivery() });
    let path = bench.path("handoffs/coder.json");
    assert_eq!(other.failure().cause, Cause::Impossible);
    assert_eq!(
        other.failure().to_string(),
        format!("another file lies at {}, where the handoff should lie", path.display())
    );
    assert_eq!(fs::read(path).unwrap(), bench.delivery().handoff);
    assert_eq!(fs::read_dir(bench.path("handoffs")).unwrap().count(), 1);
}

#[test]
fn an_answer_from_before_is_no_answer() {
    let bench = Bench::new();
    let path = bench.write("answer.json", "{\"from\": \"before\"}");
    let told = bench.deliver(answers_at("answer.json", "cat answer.json >&2"));
    assert_eq!(told.failure().cause, Cause::Empty);
    assert_eq!(
        told.failure().to_string(),
        format!("sh ended well, but left the file at {} as it was before", path.display())
    );
    assert_eq!(told.progress(), ["{\"from\": \"before\"}"]);
    let told = bench.deliver(answers_at(
        "answer.json",
        "echo new > \"$BATON_ANSWER.part\"; mv \"$BATON_ANSWER.part\" \"$BATON_ANSWER\"",
    ));
    assert_eq!(told.text(), "new\n");
    assert_eq!(fs::read(path).unwrap(), b"new\n");
}

#[test]
fn an_answer_that_is_missing_or_of_a_failed_program_is_none() {
    let bench = Bench::new();
    let told = bench.deliver(answers_at("a/{key}.json", "echo chat"));
    let path = bench.path("a/run-1%2Fstep%202.json");
    assert_eq!(
        told.failure().to_string(),
        format!("sh ended well, but there is no answer at {}", path.display())
    );
    // Its output is not the answer.
    assert_eq!(told.progress(), ["chat"]);
    let told = bench.deliver(answers_at("a/{key}.json", "echo '{}' > \"$BATON_ANSWER\"; exit 1"));
    assert_eq!(told.failure().cause, Cause::Exited(1));
}

#[test]
fn only_a_regular_file_of_its_own_is_an_answer() {
    let outside = Bench::new();
    let secret = outside.write("secret", "of somebody else");
    for line in [
        format!("ln -s {} \"$BATON_ANSWER\"", secret.display()),
        "mkfifo \"$BATON_ANSWER\"".to_owned(),
        "mkdir \"$BATON_ANSWER\"".to_owned(),
        format!(
            "rm -r out; ln -s {} out; echo x > {}/answer",
            outside.root().display(),
            outside.root().display()
        ),
    ] {
        let told = Bench::new().deliver(answers_at("out/answer", &line));
        assert_eq!(told.failure().cause, Cause::Broken, "{line}: {}", told.failure());
        assert!(told.failure().to_string().starts_with("the answer of sh at "), "{}", told.failure());
    }
}

#[test]
fn a_link_does_not_lead_out_of_the_root() {
    let (bench, outside) = (Bench::new(), Bench::new());
    symlink(outside.root(), bench.path("out")).unwrap();
    let told = bench.deliver(answers_at("out/deep/answer", "echo x > \"$BATON_ANSWER\""));
    assert_eq!(told.failure().cause, Cause::Impossible);
    assert!(told.failure().to_string().ends_with("out/deep/answer is outside the root, through a link"));
    assert_eq!(fs::read_dir(outside.root()).unwrap().count(), 0);
    // One that stays inside is as good as a folder.
    bench.write("real/here", "");
    symlink(bench.path("real"), bench.path("link")).unwrap();
    let told = bench.deliver(answers_at("link/answer", "echo x > \"$BATON_ANSWER\""));
    assert_eq!(told.text(), "x\n");
}

#[test]
fn an_answer_file_that_is_too_long_is_told() {
    let bench = Bench::new();
    let limits = Limits { answer_bytes_max: 10, ..bench.delivery().limits };
    let program = answers_at("answer", "head -c \"$BATON_ATTEMPT\" /dev/zero > answer");
    let courier = ProgramCourier::new(program);
    let told = run_attempt(&courier, Delivery { limits, attempt: 11, ..bench.delivery() });
    assert_eq!(told.failure().cause, Cause::TooMuch);
    assert_eq!(run_attempt(&courier, Delivery { limits, attempt: 10, ..bench.delivery() }).answer(), [0; 10]);
    let limits = Limits { answer_bytes_max: usize::MAX, ..limits };
    assert_eq!(run_attempt(&courier, Delivery { limits, attempt: 12, ..bench.delivery() }).answer(), [0; 12]);
}

#[test]
fn drafts_are_told_while_work_goes_on_and_at_its_end() {
    let bench = Bench::new();
    let go_on = bench.fifo("go-on");
    bench.write("work.draft.json", "from before");
    let program = Program {
        draft: Some(in_root("work.draft.json")),
        ..shell("echo one > \"$BATON_DRAFT\"; cat go-on; echo two > work.draft.json; exit 1")
    };
    let courier = ProgramCourier::new(program);
    let (reports, received) = mpsc::channel();
    courier.start(bench.delivery(), reports);
    assert_eq!(next(&received), What::Draft(b"one\n".to_vec()));
    fs::write(go_on, "").unwrap();
    let told = Told::all(&received);
    // A draft is all that is left of work that failed.
    assert_eq!(told.before(), [What::Draft(b"two\n".to_vec())]);
    assert_eq!(told.failure().cause, Cause::Exited(1));
}

#[test]
fn a_root_that_cannot_be_written_is_told() {
    let bench = Bench::new();
    bench.write("file", "");
    let told = bench.deliver(answers_at("file/answer", "echo x"));
    assert_eq!(told.failure().cause, Cause::Broken);
    let path = bench.path("file/answer");
    assert!(
        told.failure().to_string().starts_with(&format!("the folder of {} cannot be used: ", path.display()))
    );
}
