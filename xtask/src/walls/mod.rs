//! The walls: each crate is defined by what it cannot do, and these tests keep it so.

mod cycles;
mod edges;
mod externals;
mod kernel;
mod pure;
mod service;
