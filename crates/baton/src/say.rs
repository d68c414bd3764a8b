//! What Baton says about itself, on the error stream: data goes to the other one.

use std::io::Write;

pub(crate) use baton_engine::service::text::printable;
use baton_engine::service::{Diagnostic, Severity};
use clap::builder::styling::{AnsiColor, Style};

/// Says that something went wrong, and what helps.
pub(crate) fn error(message: &str, hint: Option<&str>) {
    line(AnsiColor::BrightRed.on_default().bold(), "error", message);
    if let Some(hint) = hint {
        line(AnsiColor::BrightCyan.on_default().bold(), "help", hint);
    }
}

/// Says that something may not be as it should.
pub(crate) fn warning(message: &str) {
    line(AnsiColor::BrightYellow.on_default().bold(), "warning", message);
}

/// Says something worth knowing.
pub(crate) fn note(message: &str) {
    line(AnsiColor::BrightGreen.on_default().bold(), "note", message);
}

/// Says what the engine found in passing.
pub(crate) fn diagnostic(diagnostic: &Diagnostic) {
    match diagnostic.severity {
        Severity::Error => error(&diagnostic.message, diagnostic.hint.as_deref()),
        Severity::Warning => warning(&diagnostic.message),
        Severity::Note => note(&diagnostic.message),
    }
}

/// Says a line of something longer.
pub(crate) fn plain(message: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", printable(message));
}

fn line(style: Style, word: &str, message: &str) {
    // When nobody can hear it, there is nobody to tell.
    let _ = writeln!(anstream::stderr().lock(), "{style}{word}{style:#}: {}", printable(message));
}

/// Says how a project gets its first run, if it has none.
pub(crate) fn no_ledger(has_ledger: bool) {
    if !has_ledger {
        note("no runs yet; `baton run FLOW` starts one");
    }
}

/// Says that a run waits for a driver, if what was handed in was not taken.
pub(crate) fn waiting(run: &str, is_taken: bool) {
    if !is_taken {
        note(&format!("nobody drives {run} now; `baton resume {run}` goes on"));
    }
}
