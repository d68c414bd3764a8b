//! A run's records, read back: its history, its figures, and what became of its gates.

pub mod erase;
pub mod gate_integrity;
pub mod metrics;
pub mod output;
pub(crate) mod projection;
pub mod receipts;
pub mod views;
