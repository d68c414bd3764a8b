//! Calls that nobody thought of, answered by two ledgers and compared.

use baton_kernel::Millis;

use crate::{
    Append, Erasure, Fence, Ledger, Limit, Memory, NewEvent, NewHead, NewLease, Query, ReadFrom, digest,
    verify,
};

/// Enough for a store that writes its views every few thousand entries to do so more than once.
const BATCHES: u64 = 160;
const BATCH: u64 = 32;
const STREAMS: usize = 60;

pub(super) fn alike(ledger: &dyn Ledger) {
    let model = Memory::new();
    let mut random = Random(0x5eed);
    let mut seqs = vec![0; STREAMS];
    let mut fences = vec![None; STREAMS];
    for round in 0..BATCHES {
        let batch: Vec<Append> = (0..BATCH)
            .map(|_| {
                let (append, stream) = random.append(&seqs, &fences);
                // Later entries of a batch follow earlier ones, if those are not refused.
                seqs[stream] = append.expected + append.events.len() as u64;
                append
            })
            .collect();
        let answers = ledger.append(batch.clone()).expect("the store works");
        assert_eq!(answers, model.append(batch).expect("memory works"), "round {round}");
        let every = Query { labels: Vec::new(), before: None, since: 0, limit: Limit(1000) };
        for head in model.find(&every).expect("memory works") {
            seqs[head.stream[4..].parse::<usize>().expect("they are called so")] = head.seq;
        }
        lease(ledger, &model, &mut random, &mut fences);
        look(ledger, &model, &mut random);
    }
    let read = |ledger: &dyn Ledger, after| {
        ledger.read(&ReadFrom::Position { after }, Limit(700)).expect("the store works")
    };
    let mut after = 0;
    loop {
        let records = read(ledger, after);
        assert_eq!(records, read(&model, after));
        let Some(last) = records.last() else { break };
        after = last.position;
    }
    assert_eq!(verify(ledger, None).expect("the store works"), verify(&model, None).expect("memory works"));
}

fn lease(ledger: &dyn Ledger, model: &Memory, random: &mut Random, fences: &mut [Option<Fence>]) {
    let stream = random.index(STREAMS);
    let now = random.below(1000);
    let wish = NewLease {
        stream: name(stream),
        holder: format!("holder {}", random.below(3)),
        now: Millis(now),
        until: Millis(now + random.below(300)),
    };
    let lease = ledger.lease(&wish).expect("the store works");
    assert_eq!(lease, model.lease(&wish).expect("memory works"));
    if let Ok(lease) = lease {
        fences[stream] = Some(lease.fence);
        if random.below(4) == 0 {
            ledger.release(&lease).expect("the store works");
            model.release(&lease).expect("memory works");
        }
    }
}

fn look(ledger: &dyn Ledger, model: &Memory, random: &mut Random) {
    let mut labels = vec![random.label()];
    if random.below(2) == 0 {
        labels.push(random.label());
    }
    let before = (random.below(2) == 0).then(|| random.below(2000));
    let since = if random.below(2) == 0 { random.below(12_000) } else { 0 };
    labels.truncate(random.index(3));
    let query = Query { labels, before, since, limit: Limit(random.index(30)) };
    assert_eq!(ledger.find(&query).expect("the store works"), model.find(&query).expect("memory works"));
    let (until, limit) = (Millis(random.below(1000)), Limit(random.index(30)));
    assert_eq!(
        ledger.due(until, limit).expect("the store works"),
        model.due(until, limit).expect("memory works")
    );
    let from = ReadFrom::Stream { stream: name(random.index(STREAMS)), after: random.below(300) };
    assert_eq!(
        ledger.read(&from, limit).expect("the store works"),
        model.read(&from, limit).expect("memory works")
    );
}

fn name(stream: usize) -> String {
    format!("run-{stream}")
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).expect("it is below a usize")
    }

    fn label(&mut self) -> String {
        format!("label {}", self.below(8))
    }

    fn append(&mut self, seqs: &[u64], fences: &[Option<Fence>]) -> (Append, usize) {
        let stream = self.index(STREAMS);
        let wrong = u64::from(self.below(20) == 0);
        let events = (0..1 + self.below(3)).map(|_| NewEvent {
            kind: format!("kind {}", self.below(4)),
            body: vec![b'x'; self.index(200)],
            payload: (self.below(2) == 0).then(|| format!("payload {}", self.below(400)).into_bytes()),
        });
        let mut events: Vec<NewEvent> = events.collect();
        let head = (self.below(2) == 0).then(|| NewHead {
            labels: (0..self.below(4)).map(|_| self.label()).collect(),
            due: (self.below(2) == 0).then(|| Millis(self.below(1000))),
            summary: vec![b's'; self.index(40)],
        });
        let claims = (self.below(3) == 0).then(|| format!("claim {}", self.below(3000)));
        let erase = (self.below(30) == 0).then(|| digest(format!("payload {}", self.below(420)).as_bytes()));
        let digests: Vec<_> = erase.into_iter().collect();
        if !digests.is_empty() {
            events.push(Erasure { digests: digests.clone(), ..Erasure::default() }.event());
        }
        let append = Append {
            stream: name(stream),
            expected: seqs[stream] + wrong,
            fence: fences[stream].filter(|_| self.below(3) == 0),
            at: Millis(self.below(10_000)),
            events,
            head,
            claims: claims.into_iter().collect(),
            erase: digests,
        };
        (append, stream)
    }
}
