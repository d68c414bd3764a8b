//! How many files this process may have open at once: each agent at work takes several, and there may be hundreds.

/// Takes as many as the system lets this process have, up to so many.
#[cfg(unix)]
pub(crate) fn raise() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    /// More than any run can use: some systems name no limit, and some programs go through all numbers below theirs.
    const WANTED: u64 = 65_536;

    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(WANTED, |most| most.min(WANTED));
    if limit.current.is_some_and(|now| now < wanted) {
        // Where it is refused, fewer agents work at once; the others fail and are tried again.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: limit.maximum });
    }
}

/// Nothing can be asked for here.
#[cfg(not(unix))]
pub(crate) fn raise() {}
