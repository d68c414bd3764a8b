//! The bounds of a flow. The kernel has the same for plans; a test of the engine compares them.
//!
//! They stand here again because this crate does not know the kernel, and a flow that a run would refuse must be found
//! when its file is checked.

/// Steps of a flow.
pub const STEPS_MAX: usize = 1_000;
/// Agents of a flow.
pub const AGENTS_MAX: usize = 200;
/// Branches of one parallel step.
pub const BRANCHES_MAX: usize = 255;
/// Routes, detours or checks of one step.
pub const ROUTES_MAX: usize = 64;
/// The ceiling of every cap that counts handoffs.
pub const HANDOFFS_MAX: u64 = 100_000_000;
/// The ceiling of every cap that counts rounds, visits, detours or rework.
pub const ROUNDS_MAX: u64 = 1_000;
/// The ceiling of extra attempts.
pub const RETRIES_MAX: u64 = 49;
/// The longest span of time: ten years.
pub const SPAN_MS_MAX: u64 = 10 * 366 * 24 * 60 * 60 * 1000;
/// Bytes of a name and of a decision word.
pub const NAME_BYTES_MAX: usize = 200;
/// Bytes of an expression that a route or a check asks for: it is recorded with every answer.
pub const EXPRESSION_BYTES_MAX: usize = 2_000;
