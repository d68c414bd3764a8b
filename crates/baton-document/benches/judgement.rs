//! What the rules of wording add to the check of a document that they judge: the same check with them on and off.
//!
//! Prints one line per figure, `name<TAB>nanoseconds per document`; `cargo xtask bench judgement` makes the ratios.
#![expect(clippy::print_stdout, reason = "a program that prints figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::{Checker, Input, Level, LevelSet, Levels, Limits, NoWorld, Scratch};

/// The memory of the program, so that the figures are its own.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The documents: a name, the path that tells how to read it, and its text.
const DOCUMENTS: [(&str, &str, &str); 4] = [
    ("package", "a.yaml", include_str!("data/package.yaml")),
    ("package of a long summary alone", "a.yaml", include_str!("data/summary.yaml")),
    ("exchange", "a.json", include_str!("data/response.json")),
    ("envelope", "a.json", include_str!("data/critic.json")),
];

/// The rules that judge wording.
const RULES: [&str; 6] = [
    "package/empty-summary",
    "package/vague-summary",
    "package/unmeasurable-criterion",
    "package/hidden-questions",
    "exchange/raw-summary",
    "envelope/empty-concern",
];

/// How many rounds of every contender are run, in turn, so that a noisy moment hits all of them.
const ROUNDS: usize = 40;

/// How long one contender runs in one round.
const ROUND: Duration = Duration::from_millis(20);

fn main() {
    // Both name the six rules, so that what it takes to ask for the level of a rule is in both.
    let make = |level: Option<Level>| {
        let rules = RULES.iter().map(|rule| ((*rule).to_owned(), level)).collect();
        let levels = Levels::new(vec![LevelSet { paths: Vec::new(), rules }]);
        Checker::new(&Settings::default(), levels, Limits::default())
    };
    let checkers = [("judged", make(Some(Level::Warning))), ("not judged", make(None))];
    let mut scratch = Scratch::default();
    let mut best = vec![f64::INFINITY; DOCUMENTS.len() * checkers.len()];
    for _ in 0..ROUNDS {
        let mut at = 0;
        for (_, path, text) in DOCUMENTS {
            for (_, checker) in &checkers {
                best[at] = best[at].min(nanos(|| {
                    let input = Input {
                        path: Some(path),
                        bytes: text.as_bytes(),
                        dialect: None,
                        look: Look::Whole,
                        is_named: true,
                    };
                    let checked = checker.check(black_box(input), &NoWorld, &mut scratch);
                    assert!(checked.findings.is_empty(), "{path}: {:?}", checked.findings);
                }));
                at += 1;
            }
        }
    }
    let names =
        DOCUMENTS.iter().flat_map(|(name, ..)| checkers.iter().map(move |(how, _)| format!("{name} {how}")));
    for (name, nanos) in names.zip(best) {
        println!("{name}\t{nanos:.0}");
    }
}

/// The time of one run, from many.
fn nanos(mut run: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut runs = 0u32;
    while start.elapsed() < ROUND {
        for _ in 0..50 {
            run();
        }
        runs += 50;
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(runs)
}
