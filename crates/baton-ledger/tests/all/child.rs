//! A process of its own that appends: this test binary, started again.
//!
//! It tells each append on stdout once it is acknowledged, so that whoever kills it knows what must be there.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use baton_kernel::Millis;
use baton_ledger::{Append, Appended, Ledger as _, Limit, NewEvent, NewHead, ReadFrom, Sqlite};

const NAME: &str = "BATON_LEDGER_CHILD";
const PATH: &str = "BATON_LEDGER_PATH";
const COUNT: &str = "BATON_LEDGER_COUNT";
const TEST: &str = "child::appends_when_started_by_another_test";

/// What a child tells when it has opened the ledger.
pub(crate) const READY: &str = "ready";

/// What a child does.
pub(crate) struct Child<'a> {
    /// Its stream.
    pub(crate) name: &'a str,
    /// The ledger.
    pub(crate) ledger: &'a Path,
    /// How many appends it makes.
    pub(crate) count: u64,
}

impl Child<'_> {
    /// The command that starts it.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(std::env::current_exe().expect("this test has a binary"));
        command.args([TEST, "--exact", "--nocapture", "--test-threads=1"]);
        self.environment(&mut command);
        command
    }

    /// The command that a shell starts after it set something up.
    pub(crate) fn after(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        let own = std::env::current_exe().expect("this test has a binary");
        command.args(["-c", &format!("{script}; exec \"$@\""), "sh"]).arg(own);
        command.args([TEST, "--exact", "--nocapture", "--test-threads=1"]);
        self.environment(&mut command);
        command
    }

    fn environment(&self, command: &mut Command) {
        command
            .env(NAME, self.name)
            .env(PATH, self.ledger)
            .env(COUNT, self.count.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }
}

/// An append that was acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Acknowledged {
    pub(crate) seq: u64,
    pub(crate) position: u64,
    pub(crate) hash: String,
    /// The last position of the ledger when it was asked for.
    pub(crate) asked_at: u64,
}

/// What a child told before it ended, whole lines only.
pub(crate) fn acknowledged(stdout: &[u8]) -> Vec<Acknowledged> {
    let text = String::from_utf8_lossy(stdout);
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let told = whole.lines().filter_map(|line| line.split_once("ack ")).map(|(_, told)| {
        let mut words = told.split(' ');
        let mut word = || words.next().expect("four words").to_owned();
        let number = |word: String| word.parse().expect("a number");
        let (seq, position, hash) = (number(word()), number(word()), word());
        Acknowledged { seq, position, hash, asked_at: number(word()) }
    });
    told.collect()
}

/// What a child told of failing.
pub(crate) fn failures(stdout: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(stdout);
    text.lines().filter_map(|line| line.split_once("failed to ")).map(|(_, told)| told.to_owned()).collect()
}

/// The append that a child makes.
pub(crate) fn append(name: &str, expected: u64) -> Append {
    let payload = Some(format!("payload {expected} of {name} {}", "x".repeat(700)).into_bytes());
    Append {
        stream: name.to_owned(),
        expected,
        at: Millis(expected),
        events: vec![
            NewEvent { kind: "sent".into(), body: format!("{{\"n\":{expected}}}").into_bytes(), payload },
            NewEvent { kind: "seen".into(), body: Vec::new(), payload: None },
        ],
        head: Some(NewHead {
            labels: vec![format!("at {expected}"), "all".into()],
            due: Some(Millis(expected)),
            summary: format!("summary {expected}").into_bytes(),
        }),
        claims: vec![format!("{name} {expected}")],
        ..Append::default()
    }
}

#[test]
fn appends_when_started_by_another_test() {
    let (Ok(name), Ok(path), Ok(count)) = (std::env::var(NAME), std::env::var(PATH), std::env::var(COUNT))
    else {
        // Run among the others it shows what every child relies on.
        let ledger = baton_ledger::Memory::new();
        assert!(
            ledger
                .append(vec![append("a", 0), append("a", 2)])
                .is_ok_and(|both| both.iter().all(Result::is_ok))
        );
        return;
    };
    let mut out = std::io::stdout();
    let mut tell =
        |line: String| out.write_all(line.as_bytes()).and_then(|()| out.flush()).expect("somebody listens");
    let ledger = match Sqlite::open(Path::new(&path)) {
        Ok(ledger) => ledger,
        Err(error) => return tell(format!("failed to {error}\n")),
    };
    // Whoever wants several to begin at once keeps their stdin open until all are ready.
    tell(format!("{READY}\n"));
    std::io::stdin().read_to_end(&mut Vec::new()).expect("it ends");
    let mut end = 0;
    for number in 0..count.parse().expect("a number") {
        let others = ledger.read(&ReadFrom::Position { after: end }, Limit(100_000)).expect("readable");
        end = others.last().map_or(end, |last| last.position);
        match ledger.append(vec![append(&name, number * 2)]) {
            Ok(answers) => match &answers[0] {
                Ok(Appended { seq, position, hash }) => {
                    tell(format!("ack {seq} {position} {hash} {end}\n"));
                    end = *position;
                }
                Err(refused) => return tell(format!("failed to append: {refused}\n")),
            },
            Err(error) => {
                tell(format!("failed to {error}\n"));
                // Nothing is written any more, whatever is asked for.
                let again = ledger.append(vec![append(&name, number * 2)]).expect_err("it stopped");
                tell(format!("failed to {again}\n"));
                return;
            }
        }
    }
}
