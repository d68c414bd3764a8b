//! Automation of this repository: `cargo xtask ready` is exactly what CI runs.
//!
//! Cannot: be part of what is shipped.

use anyhow::bail;

mod r#gen;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["gen", "tokens"] => r#gen::tokens::run(),
        _ => bail!("usage: cargo xtask gen tokens"),
    }
}
