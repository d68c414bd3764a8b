//! Untrusted text on one line: what file names and agents say never controls a terminal.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// A character without a glyph. The joiners of emoji are no such characters.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}' | '\u{200c}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Text from files and agents with everything escaped that controls the terminal, turns what stands around it, or cannot be seen.
pub fn printable(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    for c in message.chars() {
        let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if (c.is_control() && c != '\n') || turns || is_hidden(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
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
