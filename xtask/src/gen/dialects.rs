//! Makes `crates/baton-document/data/dialects.txt`: what a start needs of the definition files that ship.
//!
//! Cannot: know what that is; the crate that reads the file says it, and its tests compare.

use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::cargo;

/// Path of the file from this package.
const FILE: &str = "../crates/baton-document/data/dialects.txt";

/// Makes the file and writes it in its place.
pub(crate) fn run() -> anyhow::Result<()> {
    let print = ["run", "--quiet", "--package", "baton-document", "--example", "definitions"];
    let made = cargo::output("definitions", &print)?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    fs::write(&path, made).with_context(|| format!("write {}", path.display()))
}
