//! The root of a project: the nearest parent with `baton.toml`, else the git top level, else where one stands.

use std::path::{Path, PathBuf};

/// The name of the file that makes a folder a root and holds its settings.
pub const CONFIG_NAME: &str = "baton.toml";

/// Finds the root that a folder belongs to; `fallback` is where one stands.
pub fn find(folder: &Path, fallback: &Path) -> PathBuf {
    let has = |name: &'static str| move |parent: &&Path| parent.join(name).symlink_metadata().is_ok();
    let configured = folder.ancestors().find(has(CONFIG_NAME));
    let root = configured.or_else(|| folder.ancestors().find(has(".git")));
    match root {
        Some(root) => root.to_owned(),
        // A folder outside the one where one stands is its own root: nothing else is known of it.
        None if !folder.starts_with(fallback) => folder.to_owned(),
        None => fallback.to_owned(),
    }
}
