//! Delivery: brings a handoff to an agent and reports what came back.
//!
//! Cannot: remember anything. It is the only crate that may call agents.
//! It is empty until handoffs are delivered; its wall stands from the first day.
