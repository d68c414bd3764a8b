//! What Baton says about itself, on the error stream: data goes to the other one.

use std::io::Write;

use baton_engine::project::fault::{Diagnostic, Severity};
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

/// File names and agents may say anything; none of it controls the terminal, or turns what stands around it.
pub(crate) fn printable(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    for c in message.chars() {
        let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if (c.is_control() && c != '\n') || turns { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}
