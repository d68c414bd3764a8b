//! Which of our crates may use which other.

use crate::repository::{Complaint, Crate, Repository};

/// A crate and those of ours that it may use, for its tests too.
struct Wall {
    name: &'static str,
    may_use: &'static [&'static str],
}

const WALLS: &[Wall] = &[
    Wall { name: "baton-wording", may_use: &[] },
    Wall { name: "baton-document", may_use: &["baton-wording"] },
    Wall { name: "baton-kernel", may_use: &[] },
    Wall { name: "baton-ledger", may_use: &["baton-kernel"] },
    Wall { name: "baton-courier", may_use: &[] },
    Wall {
        name: "baton-engine",
        may_use: &["baton-document", "baton-kernel", "baton-ledger", "baton-courier"],
    },
    Wall { name: "baton", may_use: &["baton-document", "baton-engine"] },
    Wall {
        name: "xtask",
        may_use: &[
            "baton",
            "baton-document",
            "baton-kernel",
            "baton-ledger",
            "baton-courier",
            "baton-engine",
        ],
    },
];

fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let crates = Crate::all(repository);
    for wall in WALLS {
        if !crates.iter().any(|package| package.name == wall.name) {
            complaints.push(Complaint::about("Cargo.toml", format!("{} is missing", wall.name)));
        }
    }
    for package in &crates {
        let Some(wall) = WALLS.iter().find(|wall| wall.name == package.name) else {
            let message = format!("{} has no wall: say in xtask what it may use", package.name);
            complaints.push(Complaint::about(&package.manifest(), message));
            continue;
        };
        for dependency in package.dependencies() {
            let ours = crates.iter().any(|other| other.name == dependency.package);
            if ours && !wall.may_use.contains(&dependency.package.as_str()) {
                let line = package.line_of(&dependency.key);
                let message = format!("{} may not use {}", package.name, dependency.package);
                complaints.push(Complaint::at(&package.manifest(), line, message));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    #[test]
    fn our_crates_use_each_other_only_as_the_walls_allow() {
        assert_clean(check);
    }

    #[test]
    fn every_other_edge_is_found_whatever_it_is_for() {
        let manifest = |name: &str, rest: &str| format!("[package]\nname = \"{name}\"\n{rest}");
        let document = manifest("baton-document", "[dev-dependencies]\nbaton-kernel.workspace = true");
        let ledger = manifest(
            "baton-ledger",
            "[dependencies]\nbaton-kernel.workspace = true\n\n[target.'cfg(unix)'.dependencies]\n\
             disguised = { workspace = true }",
        );
        let courier = manifest(
            "baton-courier",
            "[build-dependencies]\nbaton-document = { path = \"../baton-document\" }",
        );
        assert_complaints(
            check,
            &[
                ("Cargo.toml", "[workspace.dependencies]\ndisguised = { package = \"baton-engine\" }"),
                ("crates/baton-document/Cargo.toml", &document),
                ("crates/baton-kernel/Cargo.toml", &manifest("baton-kernel", "")),
                ("crates/baton-ledger/Cargo.toml", &ledger),
                ("crates/baton-courier/Cargo.toml", &courier),
                ("crates/baton-engine/Cargo.toml", &manifest("baton-engine", "")),
                ("crates/baton-seventh/Cargo.toml", &manifest("baton-seventh", "")),
                ("xtask/Cargo.toml", &manifest("xtask", "[dependencies]\nbaton-kernel.workspace = true")),
            ],
            &[
                "Cargo.toml:1: baton is missing",
                "Cargo.toml:1: baton-wording is missing",
                "crates/baton-courier/Cargo.toml:4: baton-courier may not use baton-document",
                "crates/baton-document/Cargo.toml:4: baton-document may not use baton-kernel",
                "crates/baton-ledger/Cargo.toml:7: baton-ledger may not use baton-engine",
                "crates/baton-seventh/Cargo.toml:1: baton-seventh has no wall: say in xtask what it may use",
            ],
        );
    }
}
