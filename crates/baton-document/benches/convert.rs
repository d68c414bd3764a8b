//! How long a handoff takes into every other dialect, beside the time of checking it, in one run.
//!
//! Prints one line per figure, `name<TAB>nanoseconds per document`; `cargo xtask bench check` makes the ratios.
#![expect(clippy::print_stdout, reason = "a program that prints figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::{Checker, Input, Levels, Limits, NoWorld, Order, Scratch};

/// The memory of the program, so that the figures are its own.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SOURCES: [(&str, &str, &str); 3] = [
    ("envelope", "a.json", include_str!("data/envelope.json")),
    ("package", "a.yaml", include_str!("data/package.yaml")),
    ("pipeline", "a.xml", include_str!("data/pipeline.xml")),
];

const ROUNDS: usize = 20;

const ROUND: Duration = Duration::from_millis(20);

fn main() {
    let checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
    let names: Vec<&str> = checker.dialects().handoffs.iter().map(|dialect| &*dialect.name).collect();
    let set = [("source_file".to_owned(), "discussion/001-a-response.md".to_owned())];
    let mut scratch = Scratch::default();
    for (from, path, text) in SOURCES {
        let input = Input {
            path: Some(path),
            bytes: text.as_bytes(),
            dialect: None,
            look: Look::Whole,
            is_named: true,
        };
        let others: Vec<&str> = names.iter().copied().filter(|name| *name != from).collect();
        let mut best = vec![f64::INFINITY; others.len() + 1];
        for _ in 0..ROUNDS {
            let checked = nanos_per_run(&mut || {
                black_box(checker.check(black_box(input), &NoWorld, &mut scratch));
            });
            best[0] = best[0].min(checked);
            for (at, to) in others.iter().enumerate() {
                let set = if *to == "manifest" { set.as_slice() } else { &[] };
                let order = Order { to, set, now: Some("2026-03-01T12:00:00Z"), wants_report: false };
                let nanos = nanos_per_run(&mut || {
                    let converted = checker.convert(black_box(input), order, &mut scratch);
                    let converted = converted.expect("nothing wrong is set").expect("it reads");
                    assert!(converted.handoffs.len() == 1, "{from} into {to}");
                    black_box(converted);
                });
                best[at + 1] = best[at + 1].min(nanos);
            }
        }
        println!("{from} checked\t{:.0}", best[0]);
        for (at, to) in others.iter().enumerate() {
            println!("{from} into {to}\t{:.0}", best[at + 1]);
        }
    }
}

/// The time of one run, from many.
fn nanos_per_run(run: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    let mut runs = 0u32;
    while start.elapsed() < ROUND {
        for _ in 0..20 {
            run();
        }
        runs += 20;
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(runs)
}
