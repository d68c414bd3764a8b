//! Hostile files: each is answered in bounded time and memory, in every report format.
//!
//! Each carrier has its own file of them; a new one is one row there.

mod around;
mod bytes;
mod json;
mod measure;
mod prose;
mod secrets;
mod text;
mod xml;
mod yaml;

pub(super) use measure::measure;

/// A file that attacks its reader.
struct Hostile {
    name: &'static str,
    /// Its path below the root of its project.
    path: &'static str,
    make: fn() -> Vec<u8>,
    /// Another file that it leads to.
    beside: Option<Beside>,
}

/// A file that a hostile one leads to.
struct Beside {
    path: &'static str,
    make: fn() -> Vec<u8>,
}

const FILES: &[&[Hostile]] = &[
    json::FILES,
    yaml::FILES,
    xml::FILES,
    prose::FILES,
    bytes::FILES,
    text::FILES,
    secrets::FILES,
    around::FILES,
];

const MEGABYTE: usize = 1_000_000;

/// Just below the size that is refused unread.
const LARGE: usize = 15 * MEGABYTE;

/// A hostile file that needs no other.
const fn alone(name: &'static str, path: &'static str, make: fn() -> Vec<u8>) -> Hostile {
    Hostile { name, path, make, beside: None }
}

/// A text of about this length: a head, a part again and again, a tail.
fn filled(length: usize, head: &str, part: &str, tail: &str) -> Vec<u8> {
    [head, &part.repeat(length / part.len()), tail].concat().into_bytes()
}

/// A large text whose parts are told apart by their number.
fn numbered(head: &str, part: impl Fn(usize) -> String, tail: &str) -> Vec<u8> {
    let mut text = head.to_owned();
    let mut number = 0;
    while text.len() < LARGE {
        text += &part(number);
        number += 1;
    }
    (text + tail).into_bytes()
}
