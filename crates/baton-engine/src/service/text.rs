//! Untrusted text on one line: what file names and agents say never controls a terminal.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The text with its control and direction characters escaped.
pub fn printable(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    for c in message.chars() {
        let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if (c.is_control() && c != '\n') || turns { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// The text without anything that would move the cursor, on one line.
pub fn one_line(text: &str) -> String {
    printable(&text.replace('\n', " "))
}

/// The text as far as it fits into so many columns; `…` stands for the rest.
pub fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let (mut kept, mut used) = (String::new(), 0);
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide + 1 > columns {
            break;
        }
        kept.push(c);
        used += wide;
    }
    kept.truncate(kept.trim_end().len());
    if columns > 0 {
        kept.push('…');
    }
    kept
}

/// A count with its noun, in the plural where it is not one.
pub fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
