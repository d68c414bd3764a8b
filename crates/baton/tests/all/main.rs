//! Runs the real program: what is on stdout, what is on stderr, and the exit code.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod asking;
#[cfg(unix)]
mod bad_input;
mod behind;
mod changed;
mod commands;
mod config;
mod converting;
#[cfg(unix)]
mod couriers;
mod created;
mod demo;
mod dialects;
mod erasing;
mod evidence;
mod examples;
mod fixing;
mod flow;
mod git_attacks;
mod given_up;
mod handing_in;
mod hints;
#[cfg(unix)]
mod hostile;
mod irregular;
mod keys;
mod left;
#[cfg(unix)]
mod leftovers;
mod office;
#[cfg(unix)]
mod other_hands;
#[cfg(unix)]
mod own_gate;
#[cfg(unix)]
mod own_words;
#[cfg(unix)]
mod permission;
#[cfg(unix)]
mod private;
mod reception;
mod record;
mod relaying;
mod replies;
mod reports;
mod roots;
mod running;
#[cfg(unix)]
mod said;
mod sandbox;
#[cfg(unix)]
mod secrets;
mod settings;
mod since;
mod stdin;
mod unknown;
mod walking;
mod wall_attacks;
mod worktrees;
