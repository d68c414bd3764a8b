//! Erasing texts of runs that are over: their bytes go, and what names them stays.
//!
//! A text is stored once, whichever runs have it, so that it goes from all of them.
//! Invariant: every other run that has a text says in its own history that it goes, before it does. The run itself says so
//! in the commit in which the bytes go. Whoever is killed in between finishes it by asking again.

use std::collections::{BTreeMap, BTreeSet};

use baton_kernel::{Digest, Millis};
use baton_ledger::{Append, Erasure, Ledger, Limit, ReadFrom, Record, Refused as LedgerRefused};

use crate::error::RESERVED;
use crate::error::{Error, Problem, Refused};
use crate::history::views;
use crate::records::content::without_secrets;
use crate::records::mailbox;

/// How many records one read asks for.
const PAGE: Limit = Limit(1_000);
/// How many texts one append erases.
const AT_ONCE: usize = 500;
/// How often others may write first.
const TRIES_MAX: usize = 1_000;

/// Who has texts erased, and why.
#[derive(Clone, Debug)]
pub struct Wanted<'w> {
    /// The run that has them.
    pub run: &'w str,
    /// What names them.
    pub texts: &'w BTreeSet<Digest>,
    /// Who.
    pub by: &'w str,
    /// Why; secrets are taken out of it.
    pub because: &'w str,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// The texts that went; others had gone before.
    pub texts: BTreeSet<Digest>,
    /// The other runs that had some of them.
    pub others: BTreeSet<String>,
}

/// What was handed in for a run, with a text.
pub fn handed_in(ledger: &dyn Ledger, run: &str) -> Result<Vec<Record>, Error> {
    let mut all = Vec::new();
    let mut after = 0;
    loop {
        let page = ledger.read(&ReadFrom::Stream { stream: mailbox::stream(run), after }, PAGE)?;
        let Some(last) = page.last() else { return Ok(all) };
        after = last.seq;
        all.extend(page.into_iter().filter(|record| record.payload.is_some()));
    }
}

/// The other runs that have the same texts.
pub fn others(
    ledger: &dyn Ledger,
    run: &str,
    texts: &BTreeSet<Digest>,
) -> Result<BTreeMap<Digest, BTreeSet<String>>, Error> {
    let found = Found::look(ledger, texts)?;
    let others = |runs: BTreeMap<String, u64>| runs.into_keys().filter(|other| other != run).collect();
    Ok(found.held.into_iter().map(|(text, runs)| (text, others(runs))).collect())
}

/// Refuses if a run is not over: it may still need its texts.
pub fn must_be_over(ledger: &dyn Ledger, run: &str, now: Millis) -> Result<(), Problem> {
    if views::show(ledger, run, now)?.state.ending().is_none() {
        return Err(Problem::Refused(Refused::NotOver { run: run.to_owned() }));
    }
    Ok(())
}

/// Erases texts of a run, and of all others that have them.
pub fn erase(ledger: &dyn Ledger, wanted: &Wanted<'_>, now: Millis) -> Result<Erased, Problem> {
    let run = wanted.run;
    must_be_over(ledger, run, now)?;
    let because = without_secrets(wanted.because.as_bytes().to_vec());
    let because = String::from_utf8_lossy(&because).into_owned();
    let erasure = |digests| Erasure { digests, by: wanted.by.to_owned(), because: because.clone() };
    let mut erased = Erased::default();
    for _ in 0..TRIES_MAX {
        let found = Found::look(ledger, wanted.texts)?;
        let texts: Vec<Digest> = found.present.iter().copied().take(AT_ONCE).collect();
        if texts.is_empty() {
            return Ok(erased);
        }
        let mut said = Vec::new();
        for other in found.runs_with(&texts).into_iter().filter(|other| other != run) {
            match must_be_over(ledger, &other, now) {
                Err(Problem::Refused(Refused::NotOver { run })) => {
                    return Err(Problem::Refused(Refused::StillHeld { run }));
                }
                // Something was handed in for a run that is not there.
                Err(Problem::Refused(_)) => continue,
                over => over?,
            }
            let unsaid = found.unsaid(&texts, &other);
            if !unsaid.is_empty() {
                said.push(found.append(&other, &erasure(unsaid), now));
            }
            erased.others.insert(other);
        }
        if !said.is_empty() {
            // Those that were refused are said when it is looked again.
            ledger.append(said)?;
            continue;
        }
        let append = found.append(run, &erasure(texts.clone()), now);
        match ledger.append(vec![Append { erase: texts.clone(), ..append }])?.pop() {
            Some(Ok(_)) => erased.texts.extend(texts),
            Some(Err(LedgerRefused::WrongSequence { .. })) | None => {}
            Some(Err(refused)) => return Err(refused.into()),
        }
    }
    let what = "its texts cannot be erased: others were always faster".to_owned();
    Err(Problem::Failed(Error::History { run: run.to_owned(), seq: 0, what }))
}

/// Where texts are.
#[derive(Default)]
struct Found {
    /// Those that are not gone.
    present: BTreeSet<Digest>,
    /// The runs that have each, with the position of the last record that names it.
    held: BTreeMap<Digest, BTreeMap<String, u64>>,
    /// Where a run last said that a text was erased.
    said: BTreeMap<(Digest, String), u64>,
    /// The sequence of each stream.
    seqs: BTreeMap<String, u64>,
}

impl Found {
    /// Looks through the whole ledger.
    fn look(ledger: &dyn Ledger, texts: &BTreeSet<Digest>) -> Result<Self, Error> {
        let mut found = Self::default();
        let mut after = 0;
        loop {
            let page = ledger.read(&ReadFrom::Position { after }, PAGE)?;
            let Some(last) = page.last() else { return Ok(found) };
            after = last.position;
            page.iter().for_each(|record| found.take(record, texts));
        }
    }

    fn take(&mut self, record: &Record, texts: &BTreeSet<Digest>) {
        self.seqs.insert(record.stream.clone(), record.seq);
        for digest in Erasure::read(record).into_iter().flat_map(|erasure| erasure.digests) {
            self.said.insert((digest, record.stream.clone()), record.position);
        }
        let Some(payload) = record.payload.as_ref().filter(|payload| texts.contains(&payload.digest)) else {
            return;
        };
        if payload.bytes.is_some() {
            self.present.insert(payload.digest);
        }
        let run = mailbox::run_of(&record.stream).unwrap_or(&record.stream);
        // What else is Baton's own belongs to no run.
        if !run.starts_with(RESERVED) {
            self.held.entry(payload.digest).or_default().insert(run.to_owned(), record.position);
        }
    }

    fn runs_with(&self, texts: &[Digest]) -> BTreeSet<String> {
        texts.iter().filter_map(|text| self.held.get(text)).flat_map(BTreeMap::keys).cloned().collect()
    }

    /// The texts of a run of which it does not say yet that they go.
    fn unsaid(&self, texts: &[Digest], run: &str) -> Vec<Digest> {
        let is_unsaid = |text: &&Digest| {
            let held = self.held.get(text).and_then(|runs| runs.get(run));
            held.is_some_and(|held| self.said.get(&(**text, run.to_owned())).is_none_or(|said| said < held))
        };
        texts.iter().filter(is_unsaid).copied().collect()
    }

    /// What says in a run that texts go.
    fn append(&self, run: &str, erasure: &Erasure, now: Millis) -> Append {
        let expected = self.seqs.get(run).copied().unwrap_or_default();
        Append {
            stream: run.to_owned(),
            expected,
            at: now,
            events: vec![erasure.event()],
            ..Append::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use baton_kernel::{Caps, Ending, Event, Fence, Outcome, Plan, StepId};
    use baton_ledger::{Appended, Head, Lease, Memory, NewEvent, NewLease, Query, digest, verify};

    use super::*;
    use crate::records::codec;

    const NOW: Millis = Millis(9);

    /// A ledger whose process is killed before anything is erased.
    struct Killed<'k>(&'k Memory);

    impl Ledger for Killed<'_> {
        fn append(
            &self,
            batch: Vec<Append>,
        ) -> Result<Vec<Result<Appended, LedgerRefused>>, baton_ledger::Error> {
            if batch.iter().any(|append| !append.erase.is_empty()) {
                let because = "killed".to_owned();
                return Err(baton_ledger::Error::Stopped { ledger: "ledger".into(), because });
            }
            self.0.append(batch)
        }

        fn read(&self, from: &ReadFrom, limit: Limit) -> Result<Vec<Record>, baton_ledger::Error> {
            self.0.read(from, limit)
        }

        fn find(&self, query: &Query) -> Result<Vec<Head>, baton_ledger::Error> {
            self.0.find(query)
        }

        fn due(&self, until: Millis, limit: Limit) -> Result<Vec<Head>, baton_ledger::Error> {
            self.0.due(until, limit)
        }

        fn lease(&self, wish: &NewLease) -> Result<Result<Lease, LedgerRefused>, baton_ledger::Error> {
            self.0.lease(wish)
        }

        fn release(&self, lease: &Lease) -> Result<(), baton_ledger::Error> {
            self.0.release(lease)
        }
    }

    /// A run that was given a text and may be over.
    fn run(ledger: &Memory, name: &str, text: &[u8], is_over: bool) {
        let (agents, steps, caps) = (Vec::new(), Vec::new(), Caps::default());
        let plan = Box::new(Plan { name: "article".into(), agents, steps, start: StepId(0), caps });
        let (input, pins, fence) = (digest(text), digest(b"pins"), Fence(1));
        let started = Event::RunStarted { run: name.into(), at: Millis(1), fence, pins, input, plan };
        let ended = Event::RunEnded { ending: Ending::Finished(Outcome::Done), at: Millis(2) };
        let mut events = vec![codec::encoded(&started, Some(text.to_vec()))];
        events.extend(is_over.then(|| codec::encoded(&ended, None)));
        let append = Append { stream: name.into(), events, ..Append::default() };
        assert!(ledger.append(vec![append]).expect("memory works")[0].is_ok());
    }

    fn erasures(ledger: &Memory, run: &str) -> usize {
        let from = ReadFrom::Stream { stream: run.to_owned(), after: 0 };
        let records = ledger.read(&from, PAGE).expect("memory works");
        records.iter().filter_map(Erasure::read).count()
    }

    // proves S-02: a text that several runs have goes from all of them, and all say so, also after a crash in between.
    #[test]
    fn an_erasure_that_was_cut_off_is_finished_by_asking_again() {
        let ledger = Memory::new();
        run(&ledger, "a", b"shared", true);
        run(&ledger, "b", b"shared", true);
        run(&ledger, "c", b"own", true);
        let texts = BTreeSet::from([digest(b"shared")]);
        let wanted = Wanted { run: "a", texts: &texts, by: "nora", because: "asked to" };
        let killed = erase(&Killed(&ledger), &wanted, NOW);
        assert!(matches!(killed, Err(Problem::Failed(_))), "{killed:?}");
        let count = || ["a", "b", "c"].map(|run| erasures(&ledger, run));
        assert_eq!(count(), [0, 1, 0], "what goes is said before it goes");
        let erased = erase(&ledger, &wanted, NOW).expect("it is finished");
        assert_eq!(erased, Erased { texts: texts.clone(), others: ["b".to_owned()].into() });
        assert_eq!(count(), [1, 1, 0], "and said once");
        assert_eq!(erase(&ledger, &wanted, NOW).expect("nothing is left"), Erased::default());
        assert_eq!(count(), [1, 1, 0]);
        let report = verify(&ledger, None).expect("memory works");
        assert_eq!((report.first_bad, report.payloads, report.erased), (None, 1, 2));
    }

    // proves S-02: a run that is not over keeps what it may need.
    #[test]
    fn what_a_run_that_is_not_over_has_is_not_erased() {
        let ledger = Memory::new();
        run(&ledger, "a", b"shared", true);
        run(&ledger, "b", b"shared", false);
        let texts = BTreeSet::from([digest(b"shared")]);
        for (name, expected) in
            [("a", Refused::StillHeld { run: "b".into() }), ("b", Refused::NotOver { run: "b".into() })]
        {
            let wanted = Wanted { run: name, texts: &texts, by: "nora", because: "asked to" };
            match erase(&ledger, &wanted, NOW) {
                Err(Problem::Refused(refused)) => assert_eq!(refused, expected),
                other => panic!("{other:?}"),
            }
            assert_eq!(erasures(&ledger, "a") + erasures(&ledger, "b"), 0);
        }
        // What was handed in for a run is the run's too.
        let event = NewEvent { kind: "wish".into(), body: Vec::new(), payload: Some(b"lone".to_vec()) };
        let append = Append { stream: mailbox::stream("b"), events: vec![event], ..Append::default() };
        assert!(ledger.append(vec![append]).expect("memory works")[0].is_ok());
        run(&ledger, "c", b"lone", true);
        let texts = BTreeSet::from([digest(b"lone")]);
        let wanted = Wanted { run: "c", texts: &texts, by: "nora", because: "asked to" };
        let refused = erase(&ledger, &wanted, NOW);
        assert!(
            matches!(&refused, Err(Problem::Refused(Refused::StillHeld { run })) if run == "b"),
            "{refused:?}"
        );
    }

    // proves S-02: why something was erased is recorded without secrets.
    #[test]
    fn a_reason_holds_no_secret() {
        let ledger = Memory::new();
        run(&ledger, "a", b"text", true);
        // Put together here, so that no file of the repository holds it.
        let token = ["gh", "p_", "k3J9x2Lm8QpW5rT1vB7nYc4Zd6Hf0GsAeUiO"].concat();
        let texts = BTreeSet::from([digest(b"text")]);
        let because = format!("{token} was in it");
        let wanted = Wanted { run: "a", texts: &texts, by: "nora", because: &because };
        erase(&ledger, &wanted, NOW).expect("it works");
        let from = ReadFrom::Stream { stream: "a".to_owned(), after: 2 };
        let record = ledger.read(&from, PAGE).expect("memory works").remove(0);
        let erasure = Erasure::read(&record).expect("it says so");
        assert!(erasure.because.ends_with("was in it") && !erasure.because.contains(&token), "{erasure:?}");
    }
}
