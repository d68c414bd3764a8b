//! Any bytes as a file of any name: a fixed text has nothing left to fix, and no error that was not there.
#![no_main]

#[path = "any_file.rs"]
mod any_file;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| any_file::named(bytes, any_file::fix));
