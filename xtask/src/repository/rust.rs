//! Enough of Rust's lexical grammar to look at code without its comments, its strings and its tests.
//!
//! Invariant: what is taken out is replaced by spaces, so every offset and line stays where it was.

/// The code with the inside of every comment, string and character literal blanked.
pub(crate) fn masked(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => line_end(bytes, at),
            b'/' if bytes[at..].starts_with(b"/*") => block_comment_end(bytes, at),
            b'"' => string_end(bytes, at),
            b'r' if starts_word(bytes, at) => raw_string_end(bytes, at),
            b'\'' => character_end(text, at),
            _ => at,
        };
        if end == at {
            at += 1;
            continue;
        }
        blank(&mut out[at..end]);
        at = end;
    }
    String::from_utf8(out).expect("whole characters are replaced by spaces")
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| at + length)
}

fn block_comment_end(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    at
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of the raw string whose `r` stands at `start`; `start` itself if it is something else.
fn raw_string_end(bytes: &[u8], start: usize) -> usize {
    let hashes = bytes[start + 1..].iter().take_while(|&&byte| byte == b'#').count();
    let open = start + 1 + hashes;
    if bytes.get(open) != Some(&b'"') {
        return start;
    }
    let mut close = vec![b'"'];
    close.resize(1 + hashes, b'#');
    bytes[open + 1..]
        .windows(close.len())
        .position(|window| window == close)
        .map_or(bytes.len(), |length| open + 1 + length + close.len())
}

/// The end of the character literal at `start`; `start` itself if it is a lifetime.
fn character_end(text: &str, start: usize) -> usize {
    let mut rest = text[start + 1..].char_indices();
    match (rest.next(), rest.next()) {
        (Some((_, '\\')), Some((escaped, _))) => {
            let after = start + 1 + escaped + 1;
            text.get(after..).and_then(|tail| tail.find('\'')).map_or(start, |length| after + length + 1)
        }
        (Some(_), Some((quote, '\''))) => start + 1 + quote + 1,
        _ => start,
    }
}

/// Tells whether the byte at `at` begins a word, a `b` or `c` of a literal's prefix aside.
fn starts_word(bytes: &[u8], at: usize) -> bool {
    let before = match at.checked_sub(1).map(|before| bytes[before]) {
        Some(b'b' | b'c') => at.checked_sub(2).map(|before| bytes[before]),
        other => other,
    };
    !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Masked code with every item under `#[cfg(test)]` blanked too.
pub(crate) fn without_tests(code: &str) -> String {
    let mut out = code.as_bytes().to_vec();
    if code.contains("#![cfg(test)]") {
        blank(&mut out);
    }
    let attribute = "#[cfg(test)]";
    for (start, _) in code.match_indices(attribute) {
        blank(&mut out[start..item_end(code, start + attribute.len())]);
    }
    String::from_utf8(out).expect("whole items are replaced by spaces")
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

/// The end of the item that starts at `start`: behind its `;` or its closing brace.
fn item_end(code: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return offset,
            b')' | b']' => depth -= 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return offset + 1;
                }
            }
            b';' | b',' if depth == 0 => return offset + 1,
            _ => {}
        }
    }
    code.len()
}

/// Offsets of `word` as a whole word in masked code.
pub(crate) fn word_offsets<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).map(|(offset, _)| offset).filter(move |&offset| {
        !code[..offset].ends_with(in_word) && !code[offset + word.len()..].starts_with(in_word)
    })
}

/// The word that follows `offset` after white space, without `r#`, and where it ends.
pub(crate) fn next_word(code: &str, offset: usize) -> Option<(&str, usize)> {
    let start = code.len() - code[offset..].trim_start().len();
    let start = if code[start..].starts_with("r#") { start + 2 } else { start };
    let rest = &code[start..];
    let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (length > 0).then_some((&rest[..length], start + length))
}

/// The full paths that the path or `use` tree at `offset` names, each with the offset of its last word.
pub(crate) fn paths_from(code: &str, offset: usize) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    follow(code, offset, "", &mut found);
    found
}

/// Follows the tree at `offset` below `prefix`; gives back where it ends.
fn follow(code: &str, offset: usize, prefix: &str, found: &mut Vec<(usize, String)>) -> usize {
    let start = code.len() - code[offset..].trim_start().len();
    let rest = &code[start..];
    if rest.starts_with('*') {
        found.push((start, format!("{prefix}*")));
        return start + 1;
    }
    if rest.starts_with('{') {
        let mut at = start + 1;
        loop {
            at = follow(code, at, prefix, found);
            // Behind a name there may be `as other`, then a comma or the end of the group.
            let Some(stop) = code[at..].find([',', '}', ';']) else {
                return code.len();
            };
            at += stop + 1;
            if !code[..at].ends_with(',') {
                return at;
            }
        }
    }
    let Some((word, end)) = next_word(code, start) else {
        return start;
    };
    let path = format!("{prefix}{word}");
    let behind = code[end..].trim_start();
    match behind.strip_prefix("::") {
        Some(deeper) if !deeper.trim_start().starts_with('<') => {
            follow(code, code.len() - deeper.len(), &format!("{path}::"), found)
        }
        _ => {
            found.push((start, path));
            end
        }
    }
}

/// The line of a byte offset, counted from 1.
pub(crate) fn line_at(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_masked(text: &str, expected: &str) {
        let code = masked(text);
        assert_eq!(code.len(), text.len(), "offsets stay");
        assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn comments_and_literals_are_blanked_and_nothing_else() {
        check_masked("a // b\nc", "a c");
        check_masked("a /* b /* c */ d */ e", "a e");
        check_masked(r#"a "b \" c" d"#, "a d");
        check_masked(r###"a r#"b " c"# d r"e\" f"###, "a d f");
        check_masked(r##"a br#"b"# c"##, "a b c");
        check_masked("'a' 'b 'static '\\'' '\\u{e9}' 'é' \"é\" z", "'b 'static z");
        check_masked("r#type rumour(\"x\") for_r\"y\"", "r#type rumour( ) for_r");
    }

    #[test]
    fn items_under_cfg_test_are_blanked_and_nothing_else() {
        let code = "use a;\n#[cfg(test)]\nmod tests {\n fn f() { é(x) }\n}\nfn g() {}\n#[cfg(test)]\nuse b::{c};\nfn h() {}";
        let rest = without_tests(code);
        assert_eq!(rest.split_whitespace().collect::<Vec<_>>().join(" "), "use a; fn g() {} ; fn h() {}");
        assert_eq!(rest.len(), code.len(), "offsets stay");
        assert_eq!(without_tests("#[cfg(test)] const A: [u8; 1] = [1]; fn k() {}").trim(), "fn k() {}");
        assert_eq!(without_tests("#![cfg(test)]\nfn k() {}").trim(), "");
    }

    #[test]
    fn words_are_found_whole() {
        assert_eq!(word_offsets("std astd std_x std", "std").collect::<Vec<_>>(), [0, 15]);
        assert_eq!(next_word("mod r#gen;", 3), Some(("gen", 9)));
        assert_eq!(next_word("mod {", 3), None);
    }
}
