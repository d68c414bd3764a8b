//! Which Rust files a crate is made of, followed from its roots through `mod` and `include!`.
//!
//! Cannot: see a declaration that a macro makes; write `mod` rows out.

use std::collections::BTreeMap;

use super::rust::{masked, next_word, without_tests, word_offsets};
use super::{Crate, Repository};

/// Path of a file from the roots of its crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reached {
    /// Only under `#[cfg(test)]` or from a test, a benchmark or an example.
    InTests,
    /// In the crate that others use.
    Always,
}

/// The files of a crate that some root reaches.
pub(crate) fn reached(repository: &Repository, package: &Crate<'_>) -> BTreeMap<String, Reached> {
    let mut found = BTreeMap::new();
    let mut open = roots(repository, package);
    while let Some(file) = open.pop() {
        let Some(text) = repository.text(&file.path) else {
            continue;
        };
        if found.get(&file.path).is_some_and(|&known| known >= file.reached) {
            continue;
        }
        found.insert(file.path.clone(), file.reached);
        let code = masked(text);
        let outside_tests = without_tests(&code);
        for named in named_files(&file, text, &code) {
            let test_only = outside_tests[named.offset..].starts_with(' ');
            let reached = if test_only { Reached::InTests } else { file.reached };
            if let Some(path) = named.candidates.into_iter().find(|path| repository.exists(path)) {
                open.push(File { is_root: named.is_root, path, reached });
            }
        }
    }
    found
}

struct File {
    path: String,
    is_root: bool,
    reached: Reached,
}

/// A file that another one names, and the places where it may lie.
struct Named {
    offset: usize,
    candidates: Vec<String>,
    is_root: bool,
}

fn roots(repository: &Repository, package: &Crate<'_>) -> Vec<File> {
    let stated = package.target_paths();
    let is_root = |inside: &str| {
        let parts: Vec<&str> = inside.split('/').collect();
        stated.contains(&inside)
            || matches!(
                parts.as_slice(),
                ["build.rs"]
                    | ["src", "lib.rs" | "main.rs"]
                    | ["src", "bin", _]
                    | ["src", "bin", _, "main.rs"]
                    | ["tests" | "benches" | "examples", _]
                    | ["tests" | "benches" | "examples", _, "main.rs"]
            )
    };
    repository
        .paths()
        .filter_map(|path| Some((path, path.strip_prefix(&package.directory)?.strip_prefix('/')?)))
        .filter(|(_, inside)| inside.ends_with(".rs") && is_root(inside))
        .map(|(path, inside)| {
            let shipped = inside.starts_with("src/") || inside == "build.rs";
            let reached = if shipped { Reached::Always } else { Reached::InTests };
            File { path: path.to_owned(), is_root: true, reached }
        })
        .collect()
}

fn named_files(file: &File, text: &str, code: &str) -> Vec<Named> {
    let mut named = modules(file, text, code);
    let folder = parent(&file.path);
    for offset in word_offsets(code, "include") {
        if let Some(path) =
            code[offset..].starts_with("include!").then(|| literal_after(text, offset)).flatten()
        {
            let candidates = vec![join(folder, path)];
            named.push(Named { offset, candidates, is_root: file.is_root });
        }
    }
    named
}

/// The `mod name;` declarations, those inside inline modules included.
fn modules(file: &File, text: &str, code: &str) -> Vec<Named> {
    let stem = file.path.strip_suffix(".rs").unwrap_or(&file.path);
    let folder = parent(&file.path);
    let own_folder = if file.is_root || stem.ends_with("/mod") { folder } else { stem };
    let declarations: BTreeMap<usize, (&str, usize)> = word_offsets(code, "mod")
        .filter_map(|offset| Some((offset, next_word(code, offset + "mod".len())?)))
        .collect();

    let mut named = Vec::new();
    // One entry per open brace: the name of the inline module that it opens, if it does.
    let mut braces: Vec<Option<&str>> = Vec::new();
    let mut opening = None;
    for (offset, byte) in code.bytes().enumerate() {
        match byte {
            b'{' => braces.push(opening.take()),
            b'}' => {
                braces.pop();
            }
            b'm' => {
                let Some(&(name, end)) = declarations.get(&offset) else {
                    continue;
                };
                if !code[end..].trim_start().starts_with(';') {
                    opening = Some(name);
                    continue;
                }
                let inline: String = braces.iter().flatten().map(|module| format!("/{module}")).collect();
                let candidates = match stated_path(text, code, offset) {
                    Some(path) => vec![join(folder, path)],
                    None => vec![
                        format!("{own_folder}{inline}/{name}.rs"),
                        format!("{own_folder}{inline}/{name}/mod.rs"),
                    ],
                };
                named.push(Named { offset, candidates, is_root: false });
            }
            _ => {}
        }
    }
    named
}

/// The path in a `#[path = "…"]` right before the declaration at `offset`.
fn stated_path<'a>(text: &'a str, code: &str, offset: usize) -> Option<&'a str> {
    let start = code[..offset].rfind([';', '{', '}']).map_or(0, |before| before + 1);
    let attribute = word_offsets(&code[start..offset], "path").next()?;
    literal_after(text, start + attribute)
}

fn literal_after(text: &str, offset: usize) -> Option<&str> {
    let line = text[offset..].lines().next()?;
    line.split('"').nth(1)
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Joins a folder and a relative path, following `..`.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in path.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            "." => {}
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_followed_through_every_form_of_declaration() {
        let repository = Repository::of(&[
            ("crates/x/Cargo.toml", "[package]\nname = \"x\""),
            ("crates/x/src/lib.rs", "mod a;\nmod r#gen;\nmod inline { mod deep; }\n#[cfg(test)]\nmod tests;"),
            ("crates/x/src/a/mod.rs", "mod b; // mod not_this;\nconst T: u8 = include!(\"table.rs\");"),
            ("crates/x/src/a/table.rs", ""),
            ("crates/x/src/a/b.rs", "#[path = \"../odd.rs\"]\nmod c;"),
            ("crates/x/src/odd.rs", ""),
            ("crates/x/src/gen.rs", ""),
            ("crates/x/src/inline/deep.rs", ""),
            ("crates/x/src/tests.rs", "mod more;"),
            ("crates/x/src/tests/more.rs", ""),
            ("crates/x/tests/it/main.rs", "mod one;"),
            ("crates/x/tests/it/one.rs", ""),
            ("crates/x/src/not_this.rs", ""),
        ]);
        let crates = Crate::all(&repository);
        let found = reached(&repository, &crates[0]);
        let of = |wanted: Reached| -> Vec<&str> {
            found
                .iter()
                .filter(|&(_, &reached)| reached == wanted)
                .map(|(path, _)| path.strip_prefix("crates/x/").expect("it lies in the crate"))
                .collect()
        };
        assert_eq!(
            of(Reached::Always),
            [
                "src/a/b.rs",
                "src/a/mod.rs",
                "src/a/table.rs",
                "src/gen.rs",
                "src/inline/deep.rs",
                "src/lib.rs",
                "src/odd.rs"
            ]
        );
        assert_eq!(
            of(Reached::InTests),
            ["src/tests.rs", "src/tests/more.rs", "tests/it/main.rs", "tests/it/one.rs"]
        );
    }
}
