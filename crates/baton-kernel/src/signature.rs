//! What two failures must share to count as the same failure.

use alloc::string::String;

use crate::bounds::TEXT_BYTES_MAX;

/// The signature of a failure's text: in small letters, runs of blanks as one, and numbers of lines and columns masked,
/// so that the same failure a few lines further down is the same failure.
///
/// A number is masked where it says a place: behind a colon (`auth.py:42:7`), in brackets behind a name
/// (`auth.ts(42,7)`), behind `#L`, or behind the words line, lines, column, col, ligne and colonne. Other numbers are
/// part of the failure: "expected 200, got 401" is another one than "expected 200, got 500".
#[must_use]
pub fn signature(text: &str) -> String {
    let mut made = String::new();
    let mut place = false; // whether a number that comes now says a place
    let mut word = String::new();
    let mut brackets = false;
    for letter in text.trim().chars().flat_map(char::to_lowercase) {
        if made.len() >= TEXT_BYTES_MAX {
            break;
        }
        if letter.is_ascii_digit() && (place || word.ends_with("#l")) {
            if !made.ends_with('#') || !place {
                made.push('#');
            }
            place = true;
            continue;
        }
        if letter.is_whitespace() {
            place = is_place(&word) || (place && made.ends_with(' '));
            word.clear();
            if !made.ends_with(' ') {
                made.push(' ');
            }
            continue;
        }
        let named = word.chars().last().is_some_and(char::is_alphanumeric);
        brackets = (letter == '(' && named) || (brackets && letter != ')');
        place = letter == ':' || (brackets && matches!(letter, '(' | ',')) || (place && letter == '-');
        if letter.is_alphanumeric() || letter == '#' {
            word.push(letter);
        } else {
            word.clear();
        }
        made.push(letter);
    }
    while made.len() > TEXT_BYTES_MAX {
        made.pop();
    }
    made
}

fn is_place(word: &str) -> bool {
    matches!(word, "line" | "lines" | "column" | "col" | "ligne" | "lignes" | "colonne")
}
