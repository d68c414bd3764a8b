//! Paths of the examples of a dialect.

use super::{Carrier, Condition, Dialect, DialectKind};
use crate::tree::Syntax;

/// The path at which an example lies, where it has one or needs one to be what it is.
pub(crate) fn example_path(dialect: &Dialect, kind: &DialectKind, at: usize) -> Option<String> {
    if let Some(Some(file)) = kind.example_files.get(at) {
        return Some(file.to_string());
    }
    if let Condition::File { glob, .. } = &kind.when {
        return Some(glob.glob().trim_start_matches("**/").replace('*', "example"));
    }
    // Nothing but its name says that a text is TOML.
    let is_toml = dialect.carriers.first() == Some(&Carrier::Text(Syntax::Toml));
    is_toml.then(|| "example.toml".to_owned())
}
