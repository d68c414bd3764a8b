//! Paths as they are typed, opened and shown.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Makes a path absolute, without following the link that it may name itself.
///
/// Where `..` stands in it, its folder is resolved first: what `..` means depends on links.
pub fn absolute(typed: &Path, here: &Path) -> io::Result<PathBuf> {
    let joined: PathBuf = here.join(typed).components().collect();
    if !joined.components().any(|part| part == Component::ParentDir) {
        return Ok(joined);
    }
    match (joined.parent(), joined.file_name()) {
        (Some(folder), Some(name)) => Ok(folder.canonicalize()?.join(name)),
        _ => joined.canonicalize(),
    }
}

/// A path as reports show it: relative to where one stands, with `/`.
pub fn shown(path: &Path, here: &Path) -> String {
    let common = path.components().zip(here.components()).take_while(|(a, b)| a == b).count();
    let up = here.components().skip(common).map(|_| Component::ParentDir);
    let shown = joined(up.chain(path.components().skip(common)), path.as_os_str().len());
    if shown.is_empty() { ".".to_owned() } else { shown }
}

/// A path below a root, with `/`, as globs and dialects see it.
pub fn from_root(path: &Path, root: &Path) -> Option<String> {
    let below = path.strip_prefix(root).ok()?;
    Some(joined(below.components(), below.as_os_str().len()))
}

fn joined(parts: impl Iterator<Item: AsRef<OsStr>>, bytes: usize) -> String {
    let mut joined = String::with_capacity(bytes);
    for part in parts {
        if !joined.is_empty() {
            joined.push('/');
        }
        joined.push_str(&part.as_ref().to_string_lossy());
    }
    joined
}

/// Takes the `.` and `..` out of a path without looking at the disk.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shown_from_where_one_stands() {
        let here = Path::new("/home/me/project");
        assert_eq!(shown(Path::new("/home/me/project/meta/handoff.yaml"), here), "meta/handoff.yaml");
        assert_eq!(shown(Path::new("/home/me/other/a.json"), here), "../other/a.json");
        assert_eq!(shown(here, here), ".");
    }

    #[test]
    fn a_path_without_dots_means_the_same() {
        assert_eq!(normal(Path::new("/a/./b/../c")), Path::new("/a/c"));
        assert_eq!(normal(Path::new("/../../a")), Path::new("/a"));
    }
}
