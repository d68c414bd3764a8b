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

/// A character without a glyph. The joiners of emoji are no such characters.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}' | '\u{200c}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Text from files and agents with everything escaped that controls the terminal, turns what stands around it, or cannot be seen.
pub(crate) fn printable(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    for c in message.chars() {
        let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if (c.is_control() && c != '\n') || turns || is_hidden(c) {
            shown.extend(c.escape_default())
        } else {
            shown.push(c)
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_printed_is_unseen_or_controls_the_terminal() {
        let tags: String = "delete".chars().filter_map(|c| char::from_u32(0xe0000 + u32::from(c))).collect();
        for hidden in ["\u{1b}[2J", "\u{202e}", "\u{200b}", "\u{feff}", "\u{e0101}", "\u{2800}", &tags] {
            let shown = printable(&format!("a{hidden}b"));
            assert!(shown.starts_with("a\\u{") && shown.is_ascii(), "{shown}");
        }
        for seen in ["déjà vu\n", "👩‍💻 ❤️", "日本語"] {
            assert_eq!(printable(seen), seen);
        }
    }
}
