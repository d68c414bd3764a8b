//! Measures a ledger beside raw SQLite commits on the same disk, in turn: `measure FOLDER [APPENDS]`.
//!
//! Raw is the limit for one flow: one row of the same text per commit, WAL, FULL, nothing else.

#![expect(clippy::print_stdout, reason = "printing figures is what it is for")]

use std::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use baton_kernel::Millis;
use baton_ledger::raw::Raw;
use baton_ledger::{Append, Ledger, Limit, NewEvent, NewHead, Query, ReadFrom, Sqlite};

const TEXT_BYTES: usize = 1126;
const ROUND: u64 = 50;
const ROUNDS: u64 = 60;
const FLOWS: usize = 64;
const RECORDS_PER_RUN: u64 = 60;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: measure FOLDER [APPENDS]")?;
    let appends: u64 = arguments.next().map_or(Ok(100_000), |count| count.parse())?;
    let folder = tempfile::tempdir_in(folder)?;
    in_turn(folder.path())?;
    grow(folder.path(), appends)
}

/// One appender and batches of 64, each beside raw commits: in short rounds, because the disk has moods.
fn in_turn(folder: &Path) -> Outcome<()> {
    let raw = raw(&folder.join("raw.db"))?;
    let ledger = Sqlite::open(&folder.join("turn.db"))?;
    let mut flow = Flow::new(1);
    let mut flows: Vec<Flow> = (0..FLOWS as u64).map(|number| Flow::new(100 + number)).collect();
    for _ in 0..400 {
        done(&ledger.append(flows.iter_mut().map(Flow::next).collect())?)?;
    }
    let (mut raws, mut ones, mut many) = (Vec::new(), Vec::new(), Vec::new());
    let mut cpu = 0.0;
    for round in 0..ROUNDS {
        for number in 0..ROUND {
            let text = text(round * ROUND + number);
            raws.push(timed(|| raw_commit(&raw, &text))?);
        }
        for _ in 0..ROUND {
            let append = vec![flow.next()];
            ones.push(timed(|| done(&ledger.append(append)?))?);
        }
        let batches: Vec<Vec<Append>> =
            (0..ROUND).map(|_| flows.iter_mut().map(Flow::next).collect()).collect();
        let before = cpu_us()?;
        for batch in batches {
            many.push(timed(|| done(&ledger.append(batch)?))? / FLOWS as f64);
        }
        cpu += cpu_us()? - before;
    }
    let threads = threads(&ledger, &mut flows)?;
    cpu /= (ROUNDS * ROUND * FLOWS as u64) as f64;
    for (say, of) in [("median", median as fn(&[f64]) -> f64), ("mean", mean)] {
        let (raw, one, many) = (of(&raws), of(&ones), of(&many));
        println!(
            "{say}: raw {:.0} us, one append {:.0} us = {:.2} x raw, in batches of {FLOWS} {:.1} us = {:.1} x raw",
            raw * 1e6,
            one * 1e6,
            raw / one,
            many * 1e6,
            raw / many
        );
    }
    println!("{cpu:.1} us of processor time per append in batches; {FLOWS} threads {threads:.0}/s");
    Ok(())
}

fn timed(one: impl FnOnce() -> Outcome<()>) -> Outcome<f64> {
    let start = Instant::now();
    one()?;
    Ok(start.elapsed().as_secs_f64())
}

fn median(all: &[f64]) -> f64 {
    let mut all = all.to_vec();
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

fn mean(all: &[f64]) -> f64 {
    all.iter().sum::<f64>() / all.len() as f64
}

fn threads(ledger: &Sqlite, flows: &mut [Flow]) -> Outcome<f64> {
    let each = 200;
    let start = Instant::now();
    std::thread::scope(|scope| {
        let running: Vec<_> = flows
            .iter_mut()
            .map(|flow| {
                scope.spawn(move || -> Outcome<()> {
                    (0..each).try_for_each(|_| done(&ledger.append(vec![flow.next()])?))
                })
            })
            .collect();
        running.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread panicked")?)
    })?;
    Ok((each * flows.len() as u64) as f64 / start.elapsed().as_secs_f64())
}

/// How the rate, the size and the answers change as a ledger grows.
fn grow(folder: &Path, appends: u64) -> Outcome<()> {
    let path = folder.join("grow.db");
    let raw = raw(&folder.join("raw2.db"))?;
    let mut count = 0;
    let mut run = 1000;
    let mut flows: Vec<Flow> = Vec::new();
    let ledger = Sqlite::open(&path)?;
    for step in 1..=10 {
        let until = appends * step / 10;
        let (mut batches, mut raws) = (Vec::new(), Vec::new());
        while count < until {
            flows.retain(|flow| flow.seq < RECORDS_PER_RUN);
            while flows.len() < FLOWS {
                run += 1;
                flows.push(Flow::new(run));
            }
            let batch: Vec<Append> = flows.iter_mut().map(Flow::next).collect();
            batches.push(timed(|| done(&ledger.append(batch)?))?);
            count += FLOWS as u64;
            let text = text(u64::MAX / 4 + count);
            raws.push(timed(|| raw_commit(&raw, &text))?);
        }
        let mut flow = Flow::new(step + 10_000_000);
        let mut ones = Vec::new();
        for number in 0..1000 {
            let text = text(appends + step * 1000 + number);
            raws.push(timed(|| raw_commit(&raw, &text))?);
            let append = vec![flow.next()];
            ones.push(timed(|| done(&ledger.append(append)?))?);
        }
        let most = batches.iter().copied().fold(0.0, f64::max) * 1e3;
        println!(
            "{count:>8} appends: median raw {:.0} us, one {:.0} us = {:.2} x; in batches {:.2} us each = {:.1} x; \
             mean raw {:.0} us, in batches {:.2} us each = {:.1} x, longest {most:.0} ms",
            median(&raws) * 1e6,
            median(&ones) * 1e6,
            median(&raws) / median(&ones),
            median(&batches) * 1e6 / FLOWS as f64,
            median(&raws) * FLOWS as f64 / median(&batches),
            mean(&raws) * 1e6,
            mean(&batches) * 1e6 / FLOWS as f64,
            mean(&raws) * FLOWS as f64 / mean(&batches),
        );
    }
    drop(ledger);
    let bytes = std::fs::metadata(&path)?.len();
    println!(
        "{:.0} bytes each, {:.2} x its text",
        bytes as f64 / count as f64,
        bytes as f64 / (count as f64 * TEXT_BYTES as f64)
    );
    let start = Instant::now();
    let ledger = Sqlite::open(&path)?;
    println!("open {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let query = Query { labels: vec!["state=open".into()], before: None, since: 0, limit: Limit(100) };
    for labels in [vec![], vec!["state=open".to_owned()], vec!["state=open".to_owned(), "flow=3".to_owned()]]
    {
        let start = Instant::now();
        let found = ledger.find(&Query { labels: labels.clone(), ..query.clone() })?;
        println!("find {labels:?}: {} in {:.2} ms", found.len(), start.elapsed().as_secs_f64() * 1e3);
    }
    let start = Instant::now();
    let read = ledger.read(&ReadFrom::Stream { stream: "run-0000001500".into(), after: 0 }, Limit(1000))?;
    println!("read one stream: {} records in {:.2} ms", read.len(), start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    let due = ledger.due(Millis(u64::MAX >> 2), Limit(100))?;
    println!("due: {} in {:.2} ms", due.len(), start.elapsed().as_secs_f64() * 1e3);
    println!("{}", memory()?);
    Ok(())
}

static TEXTS: AtomicU64 = AtomicU64::new(0);

/// A run that hands off again and again.
struct Flow {
    run: u64,
    seq: u64,
}

impl Flow {
    fn new(run: u64) -> Self {
        Self { run, seq: 0 }
    }

    fn next(&mut self) -> Append {
        let number = TEXTS.fetch_add(1, Ordering::Relaxed);
        let expected = self.seq;
        self.seq += 3;
        let body = |part: &str| {
            let mut body =
                format!("{{\"run\":{},\"seq\":{expected},\"part\":\"{part}\",\"why\":\"", self.run);
            body.extend(std::iter::repeat_n('x', 148 - body.len()));
            body + "\"}"
        };
        Append {
            stream: format!("run-{:010}", self.run),
            expected,
            at: Millis(1_790_000_000_000 + number),
            events: vec![
                NewEvent {
                    kind: "answer-taken".into(),
                    body: body("answer").into(),
                    payload: Some(text(number)),
                },
                NewEvent { kind: "routed".into(), body: body("route").into(), payload: None },
                NewEvent { kind: "delivery-started".into(), body: body("delivery").into(), payload: None },
            ],
            head: Some(NewHead {
                labels: vec![
                    "state=open".into(),
                    format!("flow={}", self.run % 10),
                    format!("step={}", expected % 7),
                ],
                due: Some(Millis(1_790_000_000_000 + number * 7 % 1000)),
                ..NewHead::default()
            }),
            // As random as the ids that others choose.
            claims: vec![format!(
                "{:032x}",
                u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
            )],
            ..Append::default()
        }
    }
}

fn text(number: u64) -> Vec<u8> {
    let mut text = format!("handoff {number} ").into_bytes();
    let mut state = number;
    while text.len() < TEXT_BYTES {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push(b'a' + (state >> 59) as u8 % 26);
    }
    text
}

fn done<T, R: std::fmt::Debug>(answers: &[Result<T, R>]) -> Outcome<()> {
    match answers.iter().find_map(|answer| answer.as_ref().err()) {
        None => Ok(()),
        Some(refused) => Err(format!("{refused:?}").into()),
    }
}

fn raw(path: &Path) -> Outcome<Raw> {
    let raw = Raw::open(path)?;
    // Both begin with a write-ahead log that has its full length: growing it costs more than filling it.
    (0..10_000).try_for_each(|number| raw.commit(&text(u64::MAX - number)))?;
    Ok(raw)
}

fn raw_commit(raw: &Raw, text: &[u8]) -> Outcome<()> {
    Ok(raw.commit(text)?)
}

/// The processor time of this process.
fn cpu_us() -> Outcome<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after = stat.rsplit_once(')').ok_or("no stat")?.1;
    let mut fields = after.split_whitespace().skip(11);
    let user: f64 = fields.next().ok_or("no time")?.parse()?;
    let system: f64 = fields.next().ok_or("no time")?.parse()?;
    Ok((user + system) * 10_000.0)
}

fn memory() -> Outcome<String> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    Ok(status
        .lines()
        .filter(|line| line.starts_with("VmHWM") || line.starts_with("VmRSS"))
        .collect::<Vec<_>>()
        .join(", "))
}
