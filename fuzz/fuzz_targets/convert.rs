//! Any bytes as a file of any name, into every dialect: what is made reads again as that dialect, and goes home.
#![no_main]

#[path = "any_file.rs"]
mod any_file;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| any_file::named(bytes, any_file::convert));
