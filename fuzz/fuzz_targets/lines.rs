//! Any bytes as a `.jsonl` file: nothing panics, and every span lies in the text.
#![no_main]

#[path = "any_file.rs"]
mod any_file;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| any_file::check("a.jsonl", bytes));
