//! A run's records, read back: its history, its figures, and what became of its gates.
//!
//! [`projection::Projection`] is the one fold of them.

pub mod erase;
pub mod gate_integrity;
pub mod metrics;
pub mod output;
pub mod projection;
pub mod receipts;
pub mod views;
