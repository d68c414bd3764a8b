//! Prints `data/dialects.txt`, as made from the definition files; `cargo xtask gen dialects` puts it in its place.
#![expect(clippy::print_stdout, reason = "a program that prints")]

fn main() {
    print!("{}", baton_document::dialect::shipped_text());
}
