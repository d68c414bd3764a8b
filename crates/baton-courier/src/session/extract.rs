//! The handoff in a reply: all of it, its last fenced JSON, or its last JSON object between other words.
//!
//! The result is not checked here. Without a find, the whole reply is the answer.

use std::cell::Cell;
use std::io::{self, Read};

use serde_json::{Deserializer, Map, Value};

/// Limit of the bytes read in the search, as a multiple of the text; a handoff between words needs less.
const READS_MAX: usize = 4;

/// The handoff in a text.
pub(crate) fn extract(text: &str) -> &str {
    let whole = text.trim();
    if object_at(whole).is_some_and(|length| length == whole.len()) {
        return whole;
    }
    fenced(text).or_else(|| bare(text)).unwrap_or(text)
}

/// The last fenced block that is a JSON object.
fn fenced(text: &str) -> Option<&str> {
    let mut found = None;
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let marks = line.trim();
        let run = marks.bytes().take_while(|&byte| byte == b'`').count();
        match open {
            Some((fence, from)) if run >= fence.len() && run == marks.len() => {
                let block = text[from..start].trim();
                if object_at(block).is_some_and(|length| length == block.len()) {
                    found = Some(block);
                }
                open = None;
            }
            None if run >= 3 => open = Some((&marks[..run], at)),
            Some(_) | None => {}
        }
    }
    found
}

/// The last JSON object that stands in the text by itself, and not in another one.
fn bare(text: &str) -> Option<&str> {
    let mut found = None;
    let mut at = 0;
    let read = Cell::new(0);
    while let Some(next) = text[at..].find('{') {
        at += next;
        if read.get() > text.len().saturating_mul(READS_MAX) {
            break;
        }
        match object_in(&text[at..], &read) {
            Some(length) => {
                // `{}` is in many texts and in no dialect.
                if length > 2 {
                    found = Some(&text[at..at + length]);
                }
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// The length of the JSON object that a text begins with.
fn object_at(text: &str) -> Option<usize> {
    object_in(text, &Cell::new(0))
}

/// The same, and how many bytes were read for it.
fn object_in(text: &str, read: &Cell<usize>) -> Option<usize> {
    if !text.starts_with('{') {
        return None;
    }
    let counted = Counted { text: text.as_bytes(), read };
    let mut objects = Deserializer::from_reader(counted).into_iter::<Map<String, Value>>();
    objects.next()?.ok()?;
    Some(objects.byte_offset())
}

/// A text that counts the bytes read.
struct Counted<'c> {
    text: &'c [u8],
    read: &'c Cell<usize>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(buffer)?;
        self.read.set(self.read.get() + read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves E-06: the answer is found whole, fenced, and between other words.
    #[test]
    fn a_handoff_is_found_whole_fenced_and_between_words() {
        let handoff = "{\"a\": {\"b\": \"}\"}}";
        for said in [
            handoff.to_owned(),
            format!("\n {handoff}\n\n"),
            format!("Here it is:\n\n```json\n{handoff}\n```\nAnything else?"),
            format!("````\n```\n````\n```\n{handoff}\n```\n"),
            format!("Warning: {{model}} is {{}} deprecated.{handoff} Done {{x}}."),
            format!("First I had {{\"a\": 1}}, now\n{handoff}"),
        ] {
            assert_eq!(extract(&said), handoff, "{said}");
        }
    }

    #[test]
    fn what_holds_no_object_is_an_answer_as_it_is() {
        for said in ["", "  a text\n", "half: {\"a\": {\"b\": 1}", "```json\n[1]\n```\n", "{}"] {
            let expected = if said.starts_with("half") { "{\"b\": 1}" } else { said };
            assert_eq!(extract(said), expected);
        }
    }

    #[test]
    fn hostile_texts_are_read_in_bounded_time() {
        for said in ["{", "{\"a\":", "{\"a\":[1,", "```\n", "{}", "{\"a\":\"{\\\""] {
            let said = said.repeat(1_000_000 / said.len());
            assert!(!extract(&said).is_empty());
        }
    }
}
