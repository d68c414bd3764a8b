//! What every store must do, as cases that any ledger can be put through.
//!
//! A test of a store calls [`run`] with a function that makes an empty one. A case panics with what does not hold.

mod appends;
mod finding;
mod leases;
mod payloads;
mod proofs;
mod random;

use crate::{Append, Appended, Head, Ledger, Limit, NewEvent, NewHead, Query, ReadFrom, Record, Refused};

/// One thing that every store does.
pub struct Case {
    /// What it is, as a sentence.
    pub name: &'static str,
    /// Puts an empty ledger through it.
    pub run: fn(&dyn Ledger),
}

/// Everything that every store does.
pub const CASES: &[Case] = &[
    Case { name: "records come back as they were appended", run: appends::come_back },
    Case { name: "an append at another sequence is refused with the actual one", run: appends::sequence },
    Case { name: "entries of a batch are judged apart and in order", run: appends::apart },
    Case { name: "a claim is taken once in the whole ledger", run: appends::claims },
    Case { name: "eight racing claims have one winner", run: appends::racing_claims },
    Case { name: "eight racing appends at one sequence have one winner", run: appends::racing_appends },
    Case { name: "nothing of a refused append is kept", run: appends::refused_whole },
    Case { name: "what has no meaning is the caller's fault", run: appends::misuse },
    Case { name: "reading goes on where it stopped", run: appends::paging },
    Case { name: "streams are found by all their labels, the latest first", run: finding::labels },
    Case { name: "of many streams those that changed are found", run: finding::changed },
    Case { name: "labels are replaced, not added", run: finding::replaced },
    Case { name: "a summary comes with its stream until the next head", run: finding::summaries },
    Case { name: "ten thousand streams are found page by page", run: finding::pages },
    Case { name: "what is due comes in the order of its time", run: finding::due },
    Case { name: "a payload is stored once and can be erased", run: payloads::erased },
    Case { name: "a payload that comes again after it was erased is stored again", run: payloads::again },
    Case { name: "erasing what is not there is refused", run: payloads::unknown },
    Case { name: "erasing without a record of it is the caller's fault", run: payloads::unsaid },
    Case { name: "a lease keeps others away until its time is over", run: leases::held },
    Case { name: "a lease that was lost cannot write", run: leases::lost },
    Case { name: "a fence is never given out twice, whatever the clock does", run: leases::fences },
    Case { name: "eight racing leases have one holder", run: leases::racing },
    Case { name: "records are chained, and seals prove them", run: proofs::chained },
    Case { name: "any calls are answered as the ledger in memory answers them", run: random::alike },
];

/// Puts a new ledger through each case.
pub fn run<L: Ledger>(mut make: impl FnMut(&str) -> L) {
    for case in CASES {
        let ledger = make(case.name);
        (case.run)(&ledger);
    }
}

/// An append of one event.
fn simple(stream: &str, expected: u64) -> Append {
    Append {
        stream: stream.to_owned(),
        expected,
        events: vec![NewEvent { kind: "seen".to_owned(), body: b"{}".to_vec(), payload: None }],
        ..Append::default()
    }
}

fn labelled(stream: &str, expected: u64, labels: &[&str]) -> Append {
    let labels = labels.iter().map(|&label| label.to_owned()).collect();
    Append { head: Some(NewHead { labels, ..NewHead::default() }), ..simple(stream, expected) }
}

fn one(ledger: &dyn Ledger, append: Append) -> Result<Appended, Refused> {
    let mut answers = ledger.append(vec![append]).expect("the store works");
    assert_eq!(answers.len(), 1, "one entry has one answer");
    answers.remove(0)
}

fn kept(ledger: &dyn Ledger, append: Append) -> Appended {
    one(ledger, append).expect("nothing speaks against it")
}

fn all(ledger: &dyn Ledger) -> Vec<Record> {
    ledger.read(&ReadFrom::Position { after: 0 }, Limit(100_000)).expect("the store works")
}

fn stream(ledger: &dyn Ledger, stream: &str) -> Vec<Record> {
    let from = ReadFrom::Stream { stream: stream.to_owned(), after: 0 };
    ledger.read(&from, Limit(100_000)).expect("the store works")
}

fn find(ledger: &dyn Ledger, labels: &[&str]) -> Vec<Head> {
    let labels = labels.iter().map(|&label| label.to_owned()).collect();
    ledger.find(&Query { labels, before: None, since: 0, limit: Limit(1000) }).expect("the store works")
}

fn names(heads: &[Head]) -> Vec<&str> {
    heads.iter().map(|head| head.stream.as_str()).collect()
}

/// What eight threads get that do the same at once.
fn eight<T: Send>(work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (work, gate) = (&work, &std::sync::Barrier::new(8));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                scope.spawn(move || {
                    gate.wait();
                    work(number)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    })
}
