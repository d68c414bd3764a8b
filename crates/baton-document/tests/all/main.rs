//! The tests of the document crate that use it from outside.
#![expect(clippy::print_stderr, clippy::unwrap_used, reason = "tests say what they do in their names")]

mod bounds;
mod convert;
mod convert_filled;
mod convert_home;
mod convert_kept;
mod convert_kinds;
mod disguised;
mod envelope;
mod exchange;
mod fixing;
mod found;
mod generated;
mod hostile;
mod instructions;
mod keyed;
mod looking;
mod manifest;
mod notation;
mod package;
mod pages;
mod pipeline;
mod reading;
mod refused;
mod reports;
mod said;
mod schema;
mod secret_forms;
mod secret_shapes;
mod secrets;
mod slips;
mod users;
