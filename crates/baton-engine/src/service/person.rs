//! The person at this machine, as the system names them.

/// Name of the user, from the environment.
pub fn person() -> String {
    let named = ["USER", "LOGNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    named.into_iter().find(|name| !name.trim().is_empty()).unwrap_or_else(|| "somebody".to_owned())
}
