//! Reading of text in XML: line ends, white space in attributes, references.

/// Adds text with the one line end that XML reads, whatever ends its lines in the file.
pub(super) fn push_lines(text: &str, into: &mut String) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\r', rest.as_bytes()) {
        into.push_str(&rest[..at]);
        into.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    into.push_str(rest);
}

/// Adds the text of an attribute, of which XML reads each line end and tab as a space.
pub(super) fn push_spaces(text: &str, into: &mut String) {
    let from = into.len();
    push_lines(text, into);
    if into[from..].contains(['\n', '\t']) {
        let read = into.split_off(from);
        into.extend(read.chars().map(|c| if matches!(c, '\n' | '\t') { ' ' } else { c }));
    }
}

/// Tells whether each `&` in a text starts a reference that XML knows.
pub(crate) fn has_known_references(text: &str) -> bool {
    text.split('&').skip(1).all(|after| {
        let end = after.bytes().take(12).position(|byte| byte == b';');
        end.and_then(|end| reference(&after[..end])).is_some()
    })
}

pub(super) fn reference(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|character| *character != '\0')
        }
    }
}
