//! Tests of the ledger from outside, one binary.

mod child;
mod conforming;
mod damage;
mod disk;
mod erasing;
mod gone;
mod killing;
mod opening;
mod proving;
mod ticket_lock;
mod views;

use baton_kernel::Millis;
use baton_ledger::Clock;

/// Clock of a test in which no time passes.
fn clock() -> Clock {
    Clock::stopped(Millis(0))
}
