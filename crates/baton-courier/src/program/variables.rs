//! The environment of a program: what was allowed, and what Baton tells it.

use std::env;
use std::ffi::{OsStr, OsString};

use crate::agent_ancestry::{MARK, RECEIVER, ROOT};
use crate::{Cause, Delivery, Failure};

use super::attempt_files::AttemptFiles;

/// Baton's own variables; an agent never inherits one, since they may hold what answers in its name.
const OURS: &str = "BATON_";

/// All variables of a program, by name.
///
/// # Errors
/// If a name that came with the delivery has a control character: what reads variables by lines would see more of them.
pub(super) fn variables(
    delivery: &Delivery,
    files: &AttemptFiles<'_>,
) -> Result<Vec<(OsString, OsString)>, Failure> {
    let texts = [
        ("key", delivery.key.as_str()),
        ("receiver", &delivery.receiver),
        ("dialect", &delivery.dialect),
        ("extension", &delivery.extension),
        ("session", delivery.session.as_deref().unwrap_or_default()),
    ];
    if let Some((what, text)) = texts.into_iter().find(|(_, text)| text.contains(char::is_control)) {
        let message = format!("the {what} `{}` of the delivery has a control character", text.escape_debug());
        return Err(Failure::new(Cause::Impossible, message)
            .with_hint("agents are told it in a variable; name it with letters, digits, `-` and `_`"));
    }
    let mut variables = allowed(&delivery.environment, |name| env::var_os(name));
    let attempt = delivery.attempt.to_string();
    let told: [(&str, Option<&OsStr>); 11] = [
        ("BATON_KEY", Some(delivery.key.as_str().as_ref())),
        (MARK, Some(attempt.as_ref())),
        (RECEIVER, Some(delivery.receiver.as_ref())),
        ("BATON_DIALECT", Some(delivery.dialect.as_ref())),
        ("BATON_EXTENSION", Some(delivery.extension.as_ref())),
        ("BATON_SESSION", delivery.session.as_deref().map(OsStr::new)),
        (ROOT, Some(delivery.root.as_os_str())),
        ("BATON_HANDOFF", files.handoff.as_ref().map(AsRef::as_ref)),
        ("BATON_ANSWER", files.answer.as_ref().map(|answer| answer.path.as_os_str())),
        ("BATON_DRAFT", files.draft.as_ref().map(|draft| draft.path.as_os_str())),
        ("BATON_PROMPT", files.prompt.as_ref().map(AsRef::as_ref)),
    ];
    variables.extend(told.into_iter().filter_map(|(name, value)| Some((name.into(), value?.to_owned()))));
    Ok(variables)
}

fn allowed(names: &[String], value: impl Fn(&str) -> Option<OsString>) -> Vec<(OsString, OsString)> {
    let names = names.iter().filter(|name| !name.starts_with(OURS));
    names.filter_map(|name| Some((name.into(), value(name)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_is_never_inherited() {
        let names = ["HOME", "BATON_LEDGER", "UNSET"].map(str::to_owned);
        let value = |name: &str| (name != "UNSET").then(|| OsString::from("x"));
        assert_eq!(allowed(&names, value), [("HOME".into(), "x".into())]);
    }
}
