//! One bit flipped or the end cut off, anywhere: what is read is right, or it is said that it is not.

use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_kernel::Millis;
use baton_ledger::{
    Append, Error, Fault, Head, Ledger as _, Limit, Maintenance as _, NewEvent, NewHead, Query, ReadFrom,
    Record, Refused, Sqlite,
};

/// Enough that the views were written once and hold most of it.
pub(crate) const APPENDS: u64 = 2200;
const STREAMS: u64 = 20;
const LABELS: u64 = 5;

/// How many times something is damaged; many more with this in the environment.
fn rounds() -> u64 {
    std::env::var("BATON_LEDGER_DAMAGES").ok().and_then(|count| count.parse().ok()).unwrap_or(48)
}

/// One of the appends to that ledger.
pub(crate) fn append(number: u64) -> Append {
    let payload = number.is_multiple_of(3).then(|| format!("payload {number}").into_bytes());
    Append {
        stream: format!("run {}", number % STREAMS),
        expected: number / STREAMS,
        at: Millis(number),
        events: vec![NewEvent { kind: "sent".into(), body: number.to_string().into(), payload }],
        head: Some(NewHead {
            labels: vec![format!("label {}", number % LABELS)],
            due: Some(Millis(number)),
            summary: format!("summary {number}").into_bytes(),
        }),
        claims: vec![format!("claim {number}")],
        ..Append::default()
    }
}

/// Everything that can be asked for.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    records: Vec<Record>,
    streams: Vec<Vec<Record>>,
    found: Vec<Vec<Head>>,
    due: Vec<Head>,
}

/// Asks for everything.
pub(crate) fn look(ledger: &Sqlite) -> Result<Seen, Error> {
    let labels = std::iter::once(Vec::new()).chain((0..LABELS).map(|label| vec![format!("label {label}")]));
    let query = |labels| Query { labels, before: None, since: 0, limit: Limit(100) };
    let stream = |number| ReadFrom::Stream { stream: format!("run {number}"), after: 0 };
    Ok(Seen {
        records: ledger.read(&ReadFrom::Position { after: 0 }, Limit(100_000))?,
        streams: (0..STREAMS)
            .map(|number| ledger.read(&stream(number), Limit(10_000)))
            .collect::<Result<_, _>>()?,
        found: labels.map(|labels| ledger.find(&query(labels))).collect::<Result<_, _>>()?,
        due: ledger.due(Millis(u64::MAX), Limit(100))?,
    })
}

/// A ledger whose last commits, with all views, are only in the write-ahead log, as a killed process leaves it; and the
/// same one as it is left when it is closed, all in one file.
fn left(folder: &Path) -> Seen {
    let path = folder.join("alive.db");
    let ledger = Sqlite::open(&path).expect("a new ledger");
    for batch in 0..APPENDS / 20 {
        let answers = ledger.append((batch * 20..(batch + 1) * 20).map(append).collect()).expect("it works");
        assert!(answers.iter().all(Result::is_ok));
        if batch == APPENDS / 40 {
            let other = rusqlite::Connection::open(&path).expect("a database");
            other.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).expect("nobody is in the way");
        }
    }
    for end in ["", "-wal", "-shm"] {
        let copy =
            std::fs::copy(folder.join(format!("alive.db{end}")), folder.join(format!("killed.db{end}")));
        assert!(copy.expect("writable") > 0);
    }
    let seen = look(&ledger).expect("it is whole");
    drop(ledger);
    std::fs::copy(path, folder.join("closed.db")).expect("writable");
    seen
}

// proves S-02: damage is never silent.
#[test]
fn damage_anywhere_is_harmless_or_said() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let seen = left(folder.path());
    let mut random =
        Random(std::env::var("BATON_LEDGER_SEED").map_or(1, |seed| seed.parse().expect("a number")));
    let (mut said, mut mended) = (0, 0);
    for round in 0..rounds() {
        let name = if round % 2 == 0 { "killed" } else { "closed" };
        let path = copied(folder.path(), name, round);
        let what = format!("{name}: {}", random.damage(&path));
        if let Err(error) = check(&path, &seen, &what) {
            assert_ne!(error.fault(), Fault::Caller, "{what}: {error}");
            said += 1;
            // Where the log is whole the views can be made again, and then nothing is missing. What else is damaged stays
            // said.
            if Sqlite::rebuild(&path).is_ok() {
                let again = check(&path, &seen, &format!("{what}, and a rebuild"));
                let is_mended = again.is_ok() || !matches!(error, Error::View { .. });
                assert!(is_mended, "{what}: {error}, and a rebuild: {again:?}");
                mended += u64::from(again.is_ok());
            }
        }
        std::fs::remove_dir_all(path.parent().expect("it has a folder")).expect("it is ours");
    }
    assert!(said > 0 && mended > 0, "some damage does harm, and some of that to the views alone");
    for (name, round) in [("killed", rounds()), ("closed", rounds() + 1)] {
        let path = copied(folder.path(), name, round);
        check(&path, &seen, "no damage").expect("whoever leaves a ledger leaves a whole one");
    }
}

fn copied(folder: &Path, name: &str, round: u64) -> PathBuf {
    let new = folder.join(round.to_string());
    std::fs::create_dir(&new).expect("a folder");
    for end in ["", "-wal", "-shm"] {
        let from = folder.join(format!("{name}.db{end}"));
        if from.exists() {
            std::fs::copy(from, new.join(format!("ledger.db{end}"))).expect("writable");
        }
    }
    new.join("ledger.db")
}

/// Looks at everything; an error says that something is wrong, and what is right is as it was.
fn check(path: &Path, seen: &Seen, what: &str) -> Result<(), Error> {
    let ledger = Sqlite::open_with(path, Duration::from_secs(1))?;
    let now = look(&ledger)?;
    assert!(now.records == seen.records, "{what}: a record is wrong or missing, and nothing said so");
    assert!(now.streams == seen.streams, "{what}: a stream is wrong or cut, and nothing said so");
    ledger.examine()?;
    assert!(now == *seen, "{what}: streams are not found as they were, and nothing said so");
    for number in (0..APPENDS).step_by(100) {
        let again = Append { claims: vec![format!("claim {number}")], ..append(APPENDS) };
        let refused = ledger.append(vec![again])?.remove(0);
        assert!(matches!(refused, Err(Refused::ClaimTaken { .. })), "{what}: claim {number} was taken twice");
    }
    Ok(())
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// Flips a bit or cuts the end off, in one of the files.
    fn damage(&mut self, path: &Path) -> String {
        let end = ["", "", "-wal", "-wal", "-shm"][usize::try_from(self.below(5)).expect("small")];
        let is_closed = !path.with_file_name("ledger.db-wal").exists();
        let end = if is_closed { "" } else { end };
        let mut file = path.as_os_str().to_owned();
        file.push(end);
        let mut bytes = std::fs::read(&file).expect("readable");
        let at = self.below(bytes.len() as u64);
        let index = usize::try_from(at).expect("small");
        let what = if self.below(4) == 0 {
            bytes.truncate(index);
            format!("ledger.db{end} cut at {at}")
        } else {
            let bit = self.below(8);
            bytes[index] ^= 1 << bit;
            format!("ledger.db{end} with bit {bit} of {at} flipped")
        };
        std::fs::write(&file, bytes).expect("writable");
        what
    }
}
