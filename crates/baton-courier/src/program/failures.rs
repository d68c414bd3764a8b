//! Failures of a program that did not start, could not be watched, or said too much.

use std::io::{self, ErrorKind};

use crate::{Cause, Failure};

pub(super) fn not_started(name: &str, error: &io::Error) -> Failure {
    let kind = error.kind();
    if kind == ErrorKind::NotFound {
        // The program itself was found earlier.
        Failure::new(Cause::Missing, format!("{name} needs another program that does not exist"))
            .with_hint(format!("the first line of {name} names the program that runs it, behind `#!`"))
    } else if kind == ErrorKind::PermissionDenied {
        Failure::new(Cause::Forbidden, format!("{name} may not be executed: {error}"))
    } else if [ErrorKind::InvalidInput, ErrorKind::ArgumentListTooLong].contains(&kind) {
        Failure::new(Cause::Impossible, format!("{name} cannot be given this delivery: {error}"))
            .with_hint("no argument and no variable may hold a NUL or more than the system allows")
    } else {
        broken(name, "could not be started", error)
    }
}

pub(super) fn broken(name: &str, what: &str, error: &io::Error) -> Failure {
    Failure::new(Cause::Broken, format!("{name} {what}: {error}"))
}

pub(super) fn too_long(name: &str, bytes_max: usize) -> String {
    format!("the answer of {name} has more than {bytes_max} bytes and is not used")
}
