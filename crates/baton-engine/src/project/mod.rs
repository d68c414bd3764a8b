//! What a project says: its agents and their couriers, its people, its flows as plans, and where its ledger lies.

pub mod agents;
mod couriers;
pub mod people;
pub mod plan;
pub mod roster;
pub mod store;
