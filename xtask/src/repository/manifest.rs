//! The manifests of the workspace's crates.

use toml::{Table, Value};

use super::Repository;

/// One crate of the workspace.
pub(crate) struct Crate<'a> {
    /// Its name.
    pub(crate) name: String,
    /// The folder it lies in, from the top of the repository.
    pub(crate) directory: String,
    /// Its manifest as written.
    pub(crate) text: &'a str,
    table: Table,
    workspace: Table,
}

/// One row of a dependency table.
#[derive(Debug)]
pub(crate) struct Dependency {
    /// The name in the row.
    pub(crate) key: String,
    /// The name of the crate that is meant.
    pub(crate) package: String,
    /// Purpose.
    pub(crate) purpose: Purpose,
    /// Tells whether it is declared in the workspace.
    pub(crate) from_workspace: bool,
}

/// Purpose of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The crate itself.
    Normal,
    /// Its build script.
    Build,
    /// Its tests.
    Tests,
}

const TABLES: [(&str, Purpose); 3] = [
    ("dependencies", Purpose::Normal),
    ("build-dependencies", Purpose::Build),
    ("dev-dependencies", Purpose::Tests),
];

impl<'a> Crate<'a> {
    /// Every crate of the workspace, by the path of its manifest.
    pub(crate) fn all(repository: &'a Repository) -> Vec<Self> {
        let root = repository.text("Cargo.toml").map(parse).unwrap_or_default();
        let workspace = root.get("workspace").and_then(Value::as_table);
        let workspace = workspace.and_then(|table| table.get("dependencies")).and_then(Value::as_table);
        repository
            .texts()
            .filter_map(|(path, text)| Some((path.strip_suffix("/Cargo.toml")?, text)))
            .filter(|(directory, _)| {
                *directory == "xtask"
                    || directory.strip_prefix("crates/").is_some_and(|name| !name.contains('/'))
            })
            .map(|(directory, text)| {
                let table = parse(text);
                let name = table.get("package").and_then(|package| package.get("name"));
                let name = name.and_then(Value::as_str).unwrap_or(directory);
                Self {
                    name: name.to_owned(),
                    directory: directory.to_owned(),
                    text,
                    workspace: workspace.cloned().unwrap_or_default(),
                    table,
                }
            })
            .collect()
    }

    /// The path of its manifest.
    pub(crate) fn manifest(&self) -> String {
        format!("{}/Cargo.toml", self.directory)
    }

    /// The line of the manifest where the row of `key` starts.
    pub(crate) fn line_of(&self, key: &str) -> usize {
        let starts = |line: &str| {
            line.strip_prefix(key).is_some_and(|rest| rest.starts_with([' ', '.', '=']))
                || (line.starts_with('[') && line.ends_with(&format!(".{key}]")))
        };
        self.text.lines().position(starts).map_or(1, |before| before + 1)
    }

    /// Tells whether it takes the lints of the workspace.
    pub(crate) fn has_workspace_lints(&self) -> bool {
        let lints = self.table.get("lints").and_then(|lints| lints.get("workspace"));
        lints.and_then(Value::as_bool) == Some(true)
    }

    /// Its dependencies for every purpose and every target.
    pub(crate) fn dependencies(&self) -> Vec<Dependency> {
        let targets = self.table.get("target").and_then(Value::as_table);
        let tables = std::iter::once(&self.table)
            .chain(targets.into_iter().flat_map(Table::values).filter_map(Value::as_table));
        let mut found = Vec::new();
        for table in tables {
            for (name, purpose) in TABLES {
                for (key, row) in table.get(name).and_then(Value::as_table).into_iter().flatten() {
                    found.push(self.dependency(key, row, purpose));
                }
            }
        }
        found
    }

    fn dependency(&self, key: &str, row: &Value, purpose: Purpose) -> Dependency {
        let from_workspace = row.get("workspace").and_then(Value::as_bool) == Some(true);
        let declared = if from_workspace { self.workspace.get(key) } else { Some(row) };
        let package = declared.and_then(|row| row.get("package")).and_then(Value::as_str).unwrap_or(key);
        Dependency { key: key.to_owned(), package: package.to_owned(), purpose, from_workspace }
    }

    /// The paths of the targets that the manifest places itself.
    pub(crate) fn target_paths(&self) -> Vec<&str> {
        ["lib", "bin", "test", "bench", "example"]
            .into_iter()
            .filter_map(|kind| self.table.get(kind))
            .flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice))
            .filter_map(|target| target.get("path").and_then(Value::as_str))
            .collect()
    }
}

fn parse(text: &str) -> Table {
    toml::from_str(text).expect("cargo has read this manifest before us")
}
