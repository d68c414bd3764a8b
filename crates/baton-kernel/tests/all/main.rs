//! The tests of the kernel that use it from outside: stories of runs, one file per subject, and properties of any run.
#![expect(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    clippy::needless_pass_by_value,
    clippy::type_complexity,
    reason = "tests say what they do in their names, and look for one thing among many"
)]

mod caps;
mod changing;
mod deliveries;
mod detours;
mod gates;
mod golden;
mod joins;
mod lanes;
mod loops;
mod passing;
mod people;
mod plans;
mod properties;
mod redone;
mod story;
mod unknown;
mod words;
