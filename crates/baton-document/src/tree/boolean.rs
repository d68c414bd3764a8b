//! Words that agents write for a boolean.

/// A word for a boolean that agents write.
pub(crate) fn boolean_word(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    }
}
