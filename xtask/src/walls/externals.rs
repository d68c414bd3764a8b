//! Which crates of others may be used where.
//!
//! Tests may use anything: what they depend on is not shipped.

use crate::repository::{Complaint, Crate, Purpose, Repository};

/// Crates of others that only some of ours may use; xtask is a tool and may use any.
struct Fence {
    externals: &'static [&'static str],
    only_in: &'static [&'static str],
    because: &'static str,
}

const FENCES: &[Fence] = &[
    Fence {
        externals: &[
            "deadpool-postgres",
            "diesel",
            "libsqlite3-sys",
            "postgres",
            "rusqlite",
            "sqlx",
            "tokio-postgres",
        ],
        only_in: &["baton-ledger"],
        because: "only the ledger speaks SQL",
    },
    Fence {
        externals: &["async-std", "httparse", "hyper", "reqwest", "rustls", "smol", "tokio", "ureq"],
        only_in: &["baton-courier", "baton"],
        because: "the inside is synchronous and without a network",
    },
    Fence {
        externals: &["axum", "hyper-util", "tower-http", "warp"],
        only_in: &["baton"],
        because: "only the faces speak HTTP",
    },
    Fence {
        externals: &["agent-client-protocol", "close_fds", "command-fds", "process-wrap"],
        only_in: &["baton-courier"],
        because: "only the couriers call agents",
    },
    Fence {
        externals: &["anstream", "clap", "clap_complete", "clap_mangen", "indicatif", "ratatui"],
        only_in: &["baton"],
        because: "only the faces print and parse arguments",
    },
    Fence {
        externals: &["fs-err", "ignore", "memmap2", "notify", "tempfile", "walkdir"],
        only_in: &["baton-ledger", "baton-courier", "baton-engine", "baton"],
        because: "it opens files",
    },
    Fence {
        externals: &["argon2", "ed25519-dalek", "zxcvbn"],
        only_in: &["baton-engine"],
        because: "only the engine derives, judges and verifies keys",
    },
    Fence { externals: &["anyhow"], only_in: &[], because: "errors of a crate are an enum of its own" },
];

fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for package in Crate::all(repository).iter().filter(|package| package.name != "xtask") {
        for dependency in package.dependencies() {
            let fence = FENCES.iter().find(|fence| fence.externals.contains(&dependency.package.as_str()));
            let Some(fence) = fence else { continue };
            if dependency.purpose != Purpose::Tests && !fence.only_in.contains(&package.name.as_str()) {
                let line = package.line_of(&dependency.key);
                let message =
                    format!("{} may not use {}: {}", package.name, dependency.package, fence.because);
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
    fn crates_of_others_are_used_only_where_they_may_be() {
        assert_clean(check);
    }

    #[test]
    fn a_store_or_a_network_in_the_wrong_crate_is_found() {
        assert_complaints(
            check,
            &[
                (
                    "crates/baton-document/Cargo.toml",
                    "[package]\nname = \"baton-document\"\n[dependencies]\nreqwest.workspace = true\n\
                     [dev-dependencies]\ntempfile.workspace = true",
                ),
                (
                    "crates/baton-engine/Cargo.toml",
                    "[package]\nname = \"baton-engine\"\n[dependencies]\ntokio.workspace = true\n\
                     rusqlite.workspace = true\nanyhow.workspace = true",
                ),
                (
                    "crates/baton-ledger/Cargo.toml",
                    "[package]\nname = \"baton-ledger\"\n[dependencies]\nrusqlite.workspace = true\n\
                     tokio-postgres.workspace = true\ntokio.workspace = true",
                ),
            ],
            &[
                "crates/baton-document/Cargo.toml:4: baton-document may not use reqwest: the inside is synchronous \
                 and without a network",
                "crates/baton-engine/Cargo.toml:4: baton-engine may not use tokio: the inside is synchronous and \
                 without a network",
                "crates/baton-engine/Cargo.toml:5: baton-engine may not use rusqlite: only the ledger speaks SQL",
                "crates/baton-engine/Cargo.toml:6: baton-engine may not use anyhow: errors of a crate are an enum of \
                 its own",
                "crates/baton-ledger/Cargo.toml:6: baton-ledger may not use tokio: the inside is synchronous and \
                 without a network",
            ],
        );
    }
}
