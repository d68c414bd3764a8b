//! Counts the tokens of a text as the o200k tokenizer does.
//!
//! A text is cut into pieces (`split`), the bytes of a piece are merged by rank (`merge`), and the
//! ranks are in a table that is part of the binary (`table`, in the `layout` of `data/o200k.bin`,
//! which `cargo xtask gen tokens` makes).
//!
//! Cannot: give the tokens themselves, or know special tokens: `<|endoftext|>` is ordinary text.
//! Invariant: the count is that of the reference tokenizer for any text.

mod count;
mod layout;
mod merge;
mod split;
mod table;

pub use count::{count, exceeds};
