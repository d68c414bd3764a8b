//! Files that are replaced while others write them: what they wrote is there afterwards, or nothing was replaced.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use baton_engine::files::write::{Written, replace};
use tempfile::TempDir;

const OLD: &[u8] = b"old\n";
const NEW: &[u8] = b"new and longer\n";
const MARK: &str = "written by another hand";
/// Enough that each writer meets each instant of a replacement several times.
const ROUNDS: u64 = 150;
/// The longest that a writer waits before it writes: a little more than a replacement takes.
const DELAY_US: u64 = 40_000;

/// Lets a writer write at some instant around a replacement, many times; gives how often each of them came through.
fn rounds(write: impl Fn(&Path, Duration) + Sync) -> (u64, u64) {
    let (mut replaced, mut refused) = (0, 0);
    for round in 0..ROUNDS {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("handoff.yaml");
        fs::write(&path, OLD).expect("it is written");
        // Spread over the whole span, and the same in each run.
        let delay = Duration::from_micros(round * 7_919 % DELAY_US);
        let both = Barrier::new(2);
        let written = thread::scope(|scope| {
            let writer = scope.spawn(|| {
                both.wait();
                write(&path, delay);
            });
            both.wait();
            let written = replace(&path, OLD, NEW);
            writer.join().expect("it writes");
            written
        });
        match &written {
            Ok(Written::Done) => replaced += 1,
            Ok(Written::Changed | Written::Beside(_)) | Err(_) => refused += 1,
        }
        let text = text_of(folder.path(), &path, written.as_ref().ok());
        assert!(text.contains(MARK), "round {round} after {delay:?}: {written:?} left {text:?}");
        assert!(text.starts_with("old") || text.starts_with("new") || text.starts_with(MARK), "{text:?}");
    }
    (replaced, refused)
}

/// What is in a file, and in the one beside it that its name was told of; there is no other.
fn text_of(folder: &Path, path: &Path, written: Option<&Written>) -> String {
    let beside = match written {
        Some(Written::Beside(kept)) => vec![kept.clone()],
        Some(Written::Done | Written::Changed) | None => Vec::new(),
    };
    let mut there: Vec<PathBuf> =
        fs::read_dir(folder).expect("it is there").flatten().map(|entry| entry.path()).collect();
    there.retain(|other| other != path && !beside.contains(other));
    assert_eq!(there, Vec::<PathBuf>::new(), "nothing is left behind");
    let texts = std::iter::once(path.to_owned()).chain(beside).map(fs::read_to_string);
    texts.map(|text| text.expect("it is text")).collect()
}

fn appending(path: &Path) -> File {
    File::options().append(true).open(path).expect("it is there")
}

#[test]
fn what_is_appended_meanwhile_is_kept() {
    // proves A-15
    let (replaced, refused) = rounds(|path, delay| {
        thread::sleep(delay);
        for _ in 0..20 {
            writeln!(appending(path), "{MARK}").expect("it can be written");
        }
    });
    assert!(replaced > 0 && refused > 0, "{replaced} replaced, {refused} refused");
}

#[test]
fn what_is_written_in_place_meanwhile_is_kept() {
    // proves A-15
    let (replaced, refused) = rounds(|path, delay| {
        thread::sleep(delay);
        fs::write(path, MARK).expect("it can be written");
    });
    assert!(replaced > 0 && refused > 0, "{replaced} replaced, {refused} refused");
}

#[test]
fn what_is_renamed_into_place_meanwhile_is_kept() {
    // proves A-15
    let (replaced, refused) = rounds(|path, delay| {
        let other = path.with_file_name("other");
        fs::write(&other, MARK).expect("it can be written");
        thread::sleep(delay);
        fs::rename(&other, path).expect("it can be renamed");
    });
    assert!(replaced > 0 && refused > 0, "{replaced} replaced, {refused} refused");
}

#[test]
fn what_is_written_late_through_a_handle_opened_meanwhile_is_kept() {
    // proves A-15
    let (replaced, refused) = rounds(|path, delay| {
        thread::sleep(delay);
        let mut handle = appending(path);
        thread::sleep(Duration::from_millis(60));
        writeln!(handle, "{MARK}").expect("it can be written");
    });
    assert!(replaced > 0, "{replaced} replaced, {refused} refused");
}

#[test]
fn a_file_that_another_program_has_open_for_writing_is_not_replaced() {
    // proves A-15
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("handoff.yaml");
    fs::write(&path, OLD).expect("it is written");
    let mut handle = appending(&path);
    let refused = replace(&path, OLD, NEW).expect_err("somebody may still write");
    assert!(refused.contains("another program has it open for writing; nothing was changed"), "{refused}");
    assert_eq!(fs::read(&path).expect("it is there"), OLD);
    writeln!(handle, "{MARK}").expect("it can be written");
    drop(handle);
    let text = text_of(folder.path(), &path, None);
    assert!(text.contains(MARK));
    assert_eq!(replace(&path, text.as_bytes(), NEW), Ok(Written::Done), "once it is closed, it is replaced");
}

#[test]
fn a_program_that_only_reads_keeps_nothing_from_being_replaced() {
    // proves A-15
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("handoff.yaml");
    fs::write(&path, OLD).expect("it is written");
    let _reader = File::open(&path).expect("it is there");
    assert_eq!(replace(&path, OLD, NEW), Ok(Written::Done));
    assert_eq!(fs::read(&path).expect("it is there"), NEW);
}

#[cfg(target_os = "linux")]
#[test]
fn a_handle_of_another_process_counts_and_so_does_one_that_a_second_name_was_opened_by() {
    // proves A-15
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("handoff.yaml");
    let second = folder.path().join("second");
    fs::write(&path, OLD).expect("it is written");
    fs::hard_link(&path, &second).expect("it has a second name");
    let script = format!("exec 3>>\"$1\"; echo open; read -r _; echo '{MARK}' >&3");
    let mut child = Command::new("sh")
        .args(["-c", &script, "sh"])
        .arg(&second)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("there is a shell");
    let mut line = String::new();
    let mut said = BufReader::new(child.stdout.take().expect("it is piped"));
    said.read_line(&mut line).expect("it says that it is open");
    let refused = replace(&path, OLD, NEW).expect_err("somebody may still write");
    assert!(refused.contains("has it open for writing"), "{refused}");
    writeln!(child.stdin.take().expect("it is piped")).expect("it reads on");
    assert!(child.wait().expect("it ends").success());
    assert!(fs::read_to_string(&path).expect("it is there").contains(MARK));
}
