//! The use cases that every face calls.

pub mod post;
