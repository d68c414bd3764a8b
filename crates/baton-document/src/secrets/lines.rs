//! Text that comes line by line, without secrets: a private key goes over many lines, and a token may be split by a line
//! end, so that no line can be judged by itself.
//!
//! Invariant: a line is held until the next one only where a secret may go on there, and what is held is bounded.

use std::mem;

use super::{coded, pem, redacted, sight};
use crate::scan::{Effort, TextScan};

/// The bytes that are held until it is known whether a secret goes on.
const HELD_BYTES_MAX: usize = 8 * 1024;
/// The lines behind the first of a key in which more of it is looked for.
const KEY_LINES_MAX: usize = 600;
/// The shortest base 64 at the end of a line that is a part of the key before it.
const BODY_MIN: usize = 16;
/// The shortest end of a line that may be the start of a token, and the shortest line that may have been wrapped.
const OPEN_MIN: usize = 12;
const WRAPPED_MIN: usize = 60;

/// Takes the secrets out of lines as they come.
#[derive(Debug, Default)]
pub struct Lines {
    /// The last lines, as they came, where a secret may go on.
    held: String,
    /// The private key that has begun.
    key: Option<OpenPrivateKey>,
}

#[derive(Debug)]
struct OpenPrivateKey {
    lines_left: usize,
    /// True if the last line was one of the key.
    is_inside: bool,
}

impl Lines {
    /// Takes the next line, without its end; gives the lines that can be shown now, without secrets.
    pub fn push(&mut self, line: &str) -> Vec<String> {
        let plain = pem::plain(line);
        let lines = pem::putty_lines(&plain);
        // The lines of a key lose their colours with it.
        let line = if self.key.is_some() || lines.is_some() || pem::begins(&plain) { &*plain } else { line };
        let Some(line) = self.outside_of_key(line) else { return Vec::new() };
        if pem::begins(line) || lines.is_some() {
            let lines_left = lines.unwrap_or(KEY_LINES_MAX);
            self.key = Some(OpenPrivateKey { lines_left, is_inside: true });
        }
        let is_open = is_open(&pem::plain(line));
        if self.held.is_empty() {
            if !is_open {
                return vec![redacted(line, None).0];
            }
            line.clone_into(&mut self.held);
            return Vec::new();
        }
        let last = self.held.len() + 1;
        self.held.push('\n');
        self.held.push_str(line);
        match is_open {
            true if self.held.len() <= HELD_BYTES_MAX => Vec::new(),
            true => self.released(last),
            false => self.finish(),
        }
    }

    /// The lines that are still held.
    pub fn finish(&mut self) -> Vec<String> {
        let held = mem::take(&mut self.held);
        if held.is_empty() {
            return Vec::new();
        }
        redacted(&held, None).0.split('\n').map(str::to_owned).collect()
    }

    /// The lines that are held before a place, unless a secret stands across it: then all of them.
    fn released(&mut self, last: usize) -> Vec<String> {
        let sights = sight::sights(&TextScan::at(&self.held), coded::DEPTH, &mut Effort::any()).all;
        let is_across = sights.iter().any(|sight| sight.range.start < last && last < sight.range.end);
        let rest = if is_across { String::new() } else { self.held.split_off(last) };
        if !rest.is_empty() {
            self.held.pop();
        }
        let released = self.finish();
        self.held = rest;
        released
    }

    /// Part of a line that is no part of a private key that has begun.
    fn outside_of_key<'l>(&mut self, line: &'l str) -> Option<&'l str> {
        let Some(key) = &mut self.key else { return Some(line) };
        if let Some(end) = pem::ends(line) {
            self.key = None;
            return Some(&line[end..]).filter(|rest| !rest.trim().is_empty());
        }
        let body = pem::body(line).map(|range| &line[range]);
        let is_body =
            |base_64: &str| pem::is_body(base_64, BODY_MIN) || (key.is_inside && pem::is_last(base_64));
        let is_key = body.is_some_and(is_body) || (key.is_inside && pem::is_header(line));
        key.is_inside = is_key;
        key.lines_left -= 1;
        if key.lines_left == 0 {
            self.key = None;
        }
        (!is_key).then_some(line)
    }
}

/// Tells whether a secret may go on behind the end of a line.
fn is_open(line: &str) -> bool {
    let rest = line.trim_end();
    if rest.ends_with([':', '=', '>', '|', '\\', '+']) {
        return true;
    }
    let rest = rest.trim_end_matches(['"', '\'', '`', '\\', '+', '.', '&', ' ', ',']);
    let is_part =
        |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.');
    let length = rest.bytes().rev().take_while(|byte| is_part(&byte)).count();
    let run = &rest[rest.len() - length..];
    let is_no_word = run.bytes().any(|byte| byte.is_ascii_digit())
        || run.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    length > 0 && ((length >= OPEN_MIN && is_no_word) || line.len() >= WRAPPED_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut lines = Lines::default();
        let mut all: Vec<String> = text.lines().flat_map(|line| lines.push(line)).collect();
        all.extend(lines.finish());
        all.join("\n")
    }

    fn token() -> String {
        ["gh", "p_k3J9x2Lm8QpW5rT1vB7nYc4Zd6Hf0GsAeUiO"].concat()
    }

    #[test]
    fn a_token_that_is_split_over_two_lines_is_in_neither() {
        let token = token();
        for at in 1..token.len() {
            for (before, between) in [(60, "\n"), (60, "\n    "), (4, "\" + \\\n \""), (70, "\n> ")] {
                let text =
                    format!("{}{}{between}{} and more", " ".repeat(before), &token[..at], &token[at..]);
                let shown = shown(&text);
                assert!(
                    shown.contains("[redacted:github-token") && shown.contains("and more"),
                    "{text}: {shown}"
                );
            }
        }
    }

    #[test]
    fn a_private_key_is_in_no_line_whatever_stands_before_its_lines() {
        let dashes = "-".repeat(5);
        let body = [
            "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
            "k3J9x2Lm8QpW5rT1vB7nYc4Z",
            "Qw==",
        ];
        for before in
            ["", "> ", "| ", "    ", "2026-01-31T09:30:00Z stderr F ", "[12:00:01] key: ", "\"", " * "]
        {
            for end in [format!("{before}{dashes}END PRIVATE KEY{dashes}\n"), String::new()] {
                let lines: String = body.iter().map(|line| format!("{before}{line}\n")).collect();
                let text = format!("say\n{before}{dashes}BEGIN PRIVATE KEY{dashes}\n{lines}{end}done\n");
                let shown = shown(&text);
                assert!(body.iter().all(|line| !shown.contains(line)), "{text}: {shown}");
                assert!(shown.starts_with("say\n") && shown.ends_with("done"), "{shown}");
            }
        }
    }

    #[test]
    fn lines_that_hold_no_secret_come_as_they_are() {
        let text =
            "reading src/main2.rs:12\nvalue:\n  commit 3f786850e387550fdab836ed7e6dc881de23001b\n\nall\nok";
        assert_eq!(shown(text), text);
        let many = "d41d8cd98f00b204e9800998ecf8427e\n".repeat(2_000);
        assert_eq!(shown(&many), many.trim_end());
        let mut lines = Lines::default();
        many.lines().for_each(|line| drop(lines.push(line)));
        assert!(lines.held.len() <= HELD_BYTES_MAX, "{}", lines.held.len());
    }
}
