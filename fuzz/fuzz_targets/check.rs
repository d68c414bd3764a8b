//! Any bytes as a file of any name: the first byte chooses the name, so that every carrier and place is met.
#![no_main]

#[path = "any_file.rs"]
mod any_file;

const NAMES: [&str; 8] = [
    "a.json",
    "a.yaml",
    "a.xml",
    "a.md",
    "a.jsonl",
    "a.txt",
    "meta/handoff.yaml",
    ".runs/r1/build/handoffs/step-agent.draft.json",
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Some((first, rest)) = bytes.split_first() {
        any_file::check(NAMES[usize::from(*first) % NAMES.len()], rest);
    }
});
