//! Every dependency is declared once, in the workspace, with the reason it is here; every lint has its reason too.

use crate::repository::{Complaint, Crate, Repository};

const ROOT: &str = "Cargo.toml";
const WITH_REASONS: &[&str] = &["workspace.dependencies", "workspace.lints.rust", "workspace.lints.clippy"];

fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for package in Crate::all(repository) {
        for dependency in package.dependencies().iter().filter(|dependency| !dependency.from_workspace) {
            let message = format!("{} is not declared in the workspace", dependency.key);
            complaints.push(Complaint::at(&package.manifest(), package.line_of(&dependency.key), message));
        }
        if !package.has_workspace_lints() {
            complaints
                .push(Complaint::about(&package.manifest(), "the lints of the workspace are not taken"));
        }
    }
    complaints.extend(repository.text(ROOT).map(rows_without_reason).unwrap_or_default());
    complaints
}

fn rows_without_reason(manifest: &str) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut section = "";
    let mut row: Option<Row<'_>> = None;
    for (index, line) in manifest.lines().enumerate() {
        let (value, reason) = without_comment(line);
        if row.is_none() {
            if let Some(name) = value.trim().strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
                section = name;
                if WITH_REASONS
                    .iter()
                    .any(|&table| name.strip_prefix(table).is_some_and(|rest| rest.starts_with('.')))
                {
                    let message = format!("write {name} as one row, with its reason behind it");
                    complaints.push(Complaint::at(ROOT, index + 1, message));
                }
                continue;
            }
            let Some((key, _)) = value.split_once('=').filter(|_| WITH_REASONS.contains(&section)) else {
                continue;
            };
            row = Some(Row { key: key.trim(), line: index + 1, has_reason: false, open: 0 });
        }
        if let Some(current) = &mut row {
            current.has_reason |= reason.is_some_and(|reason| !reason.trim().is_empty());
            current.open += depth(value);
            if current.open == 0 {
                if !current.has_reason {
                    let message =
                        format!("{} has no reason: write it behind the row, as `# reason`", current.key);
                    complaints.push(Complaint::at(ROOT, current.line, message));
                }
                row = None;
            }
        }
    }
    complaints
}

/// A row of a table, which goes on while a bracket is open.
struct Row<'a> {
    key: &'a str,
    line: usize,
    has_reason: bool,
    open: i32,
}

/// A line's value and its comment.
fn without_comment(line: &str) -> (&str, Option<&str>) {
    let mut quoted = None;
    for (offset, c) in line.char_indices() {
        match (quoted, c) {
            (None, '"' | '\'') => quoted = Some(c),
            (Some(open), close) if open == close => quoted = None,
            (None, '#') => return (&line[..offset], Some(&line[offset + 1..])),
            _ => {}
        }
    }
    (line, None)
}

/// How many more brackets a line opens than it closes.
fn depth(value: &str) -> i32 {
    value
        .chars()
        .map(|c| match c {
            '[' | '{' => 1,
            ']' | '}' => -1,
            _ => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    #[test]
    fn every_dependency_is_declared_once_with_its_reason() {
        assert_clean(check);
    }

    #[test]
    fn a_dependency_beside_the_workspace_is_found() {
        assert_complaints(
            check,
            &[(
                "crates/x/Cargo.toml",
                "[package]\nname = \"x\"\n[dependencies]\nserde = \"1\"\nregex.workspace = true\n\
                 [target.'cfg(unix)'.dev-dependencies]\nlibc = { version = \"0.2\" }\n\
                 [dependencies.toml]\nversion = \"1\"\n",
            )],
            &[
                "crates/x/Cargo.toml:1: the lints of the workspace are not taken",
                "crates/x/Cargo.toml:4: serde is not declared in the workspace",
                "crates/x/Cargo.toml:7: libc is not declared in the workspace",
                "crates/x/Cargo.toml:8: toml is not declared in the workspace",
            ],
        );
    }

    #[test]
    fn a_row_without_a_reason_is_found() {
        assert_complaints(
            check,
            &[(
                ROOT,
                "[workspace.dependencies]\n\
                 # above\n\
                 serde = \"1\"\n\
                 regex = \"1#2\"\n\
                 memchr = \"2\" # finds fast\n\
                 clap = { version = \"4\", features = [\n  \"derive\",\n] } # parses arguments\n\
                 toml = { version = \"1\", features = [\n  \"serde\",\n] }\n\
                 [workspace.dependencies.libc]\nversion = \"0.2\"\n\
                 [workspace.lints.clippy]\ntodo = \"warn\" #\n\
                 [profile.dev]\ndebug = 1\n",
            )],
            &[
                "Cargo.toml:3: serde has no reason: write it behind the row, as `# reason`",
                "Cargo.toml:4: regex has no reason: write it behind the row, as `# reason`",
                "Cargo.toml:9: toml has no reason: write it behind the row, as `# reason`",
                "Cargo.toml:12: write workspace.dependencies.libc as one row, with its reason behind it",
                "Cargo.toml:15: todo has no reason: write it behind the row, as `# reason`",
            ],
        );
    }
}
