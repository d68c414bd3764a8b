//! The command line uses nothing of the engine but its service.

use crate::repository::{Complaint, Crate, Reached, Repository, line_at, masked, reached, without_tests};

/// The crate that may only use the service.
const FACE: &str = "baton";
/// How the engine is named in its code.
const ENGINE: &str = "baton_engine::";
/// The room that every face may use.
const DOOR: &str = "service";

fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for package in Crate::all(repository).iter().filter(|package| package.name == FACE) {
        for (path, _) in
            reached(repository, package).into_iter().filter(|&(_, reached)| reached == Reached::Always)
        {
            let code = without_tests(&masked(repository.text(&path).expect("it was reached")));
            complaints.extend(in_file(&path, &code));
        }
    }
    complaints
}

fn in_file(path: &str, code: &str) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (offset, _) in code.match_indices("baton_engine") {
        let rest = &code[offset..];
        let room = rest.strip_prefix(ENGINE).unwrap_or_default();
        let end = room.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(room.len());
        if &room[..end] != DOOR {
            let used = rest.lines().next().unwrap_or_default().trim_end_matches(';');
            let message = format!("{FACE} may use only {ENGINE}{DOOR} (here {used})");
            complaints.push(Complaint::at(path, line_at(code, offset), message));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    #[test]
    fn the_command_line_uses_only_the_service() {
        assert_clean(check);
    }

    #[test]
    fn every_other_room_is_found() {
        assert_complaints(
            check,
            &[
                ("crates/baton/Cargo.toml", "[package]\nname = \"baton\""),
                (
                    "crates/baton/src/main.rs",
                    "use baton_engine::service::Service;\n\
                     use baton_engine::ledger::Sqlite;\n\
                     use baton_engine::{service, kernel};\n\
                     type Engine = baton_engine::driver::Engine;\n\
                     #[cfg(test)]\nmod tests { use baton_engine::kernel::State; }",
                ),
            ],
            &[
                "crates/baton/src/main.rs:2: baton may use only baton_engine::service (here baton_engine::ledger::Sqlite)",
                "crates/baton/src/main.rs:3: baton may use only baton_engine::service (here baton_engine::{service, kernel})",
                "crates/baton/src/main.rs:4: baton may use only baton_engine::service (here baton_engine::driver::Engine)",
            ],
        );
    }
}
