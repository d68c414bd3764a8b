//! Any bytes as a file of any name: nothing panics, and every span lies in the text.
#![no_main]

#[path = "any_file.rs"]
mod any_file;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| any_file::named(bytes, any_file::check));
