//! Every bound of the kernel, with its reason.
//!
//! A cap counts executions, the first included; retries count extra ones. What the plan may set has its default here,
//! and the ceiling of what it may set. Nothing else in the crate holds a number of this kind.

/// Handoffs per run: a run that needs more has usually lost its way. Retries are no handoffs.
pub const HANDOFFS: u32 = 100;
/// Handoffs between the same two agents, both directions together.
pub const PAIR_HANDOFFS: u32 = 20;
/// How long a run may work: one day. The time in which it only waits for people does not count, so that an approval may
/// take a week.
pub const RUN_MS: u64 = 24 * 60 * 60 * 1000;
/// Rounds of a critic in a loop: the third look rarely finds what two have missed.
pub const CRITIC_ROUNDS: u16 = 3;
/// Rounds of a review, before a person looks at it.
pub const REVIEW_ROUNDS: u16 = 3;
/// Detours of one kind from one step: a side step that did not help twice does not help.
pub const DETOURS: u16 = 2;
/// Extra attempts of a delivery that failed recoverably.
pub const RETRIES: u16 = 3;
/// The pause before the first retry; a busy service is mostly back after some seconds.
pub const RETRY_PAUSE_MS: u64 = 5_000;
/// Each further pause is so many times longer: 5 s, 20 s, 80 s.
pub const RETRY_GROWTH: u64 = 4;
/// No pause is longer than this, however many retries a plan allows.
pub const RETRY_PAUSE_MS_MAX: u64 = 60 * 60 * 1000;
/// Questions back to the sender from one step; then a person is asked.
pub const CLARIFICATIONS: u16 = 3;

/// Attempts of one delivery, those after crashes and those that a person asked for included: a machine that crashes on
/// every attempt must not do so for ever.
pub const ATTEMPTS_MAX: u16 = 50;
/// Steps of a plan: far above any flow that a person can oversee, and small enough for a state that is copied.
pub const STEPS_MAX: usize = 1_000;
/// Agents of a plan; with the pairs that they form, the memory of a run.
pub const AGENTS_MAX: usize = 200;
/// Branches of one parallel step, and lanes of a run at one time.
pub const LANES_MAX: usize = 256;
/// How deep parallel steps, detours, delegations and questions may lie in each other.
pub const NESTING_MAX: usize = 8;
/// Answers of people that are kept for branches that may be done again; then the oldest is let go.
pub const ANSWERS_KEPT_MAX: usize = 64;
/// Routes, detours or checks of one step.
pub const ROUTES_MAX: usize = 64;
/// Routing decisions that one command may cause, per lane that may be open: a plan that runs in a circle without ever
/// waiting is stopped.
pub const ROUTES_PER_COMMAND_MAX: u32 = 4 * 256;
/// Joins in a row between which nobody worked, waited or was asked: such a run goes in a circle from command to command.
pub const IDLE_JOINS_MAX: u16 = 16;
/// The ceiling of every cap that counts handoffs.
pub const HANDOFFS_MAX: u32 = 100_000_000;
/// The ceiling of every cap that counts rounds, retries, visits or rework.
pub const ROUNDS_MAX: u16 = 1_000;
/// The longest span of time that a plan may name: ten years.
pub const SPAN_MS_MAX: u64 = 10 * 366 * 24 * 60 * 60 * 1000;
/// Bytes of a name: of a run, an agent, a step, a person, a check, a kind of detour.
pub const NAME_BYTES_MAX: usize = 200;
/// Bytes of an expression that a route or a check names: a longer one should be a program that an agent runs.
pub const EXPRESSION_BYTES_MAX: usize = 2_000;
/// Bytes of an expression over the branches of a join, which is recorded once and not with every answer.
pub const JOIN_EXPRESSION_BYTES_MAX: usize = 10_000;
/// Bytes of a text that an agent or courier hands in: a decision word, a signature, a session id.
pub const TEXT_BYTES_MAX: usize = 1_000;

/// The pause before the retry after `retries` earlier ones. It grows and is computed, never random, so that replay and
/// simulation see the same one.
#[must_use]
pub fn retry_pause_ms(retries: u16) -> u64 {
    RETRY_GROWTH.saturating_pow(u32::from(retries)).saturating_mul(RETRY_PAUSE_MS).min(RETRY_PAUSE_MS_MAX)
}
