//! The `baton` program: the faces of the system.
//!
//! Cannot: decide anything; it shows what the crates below it found.
fn main() {}
