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
mod turns;
mod views;
