//! `document/secret`: a key, a token or a password in a handoff.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::secrets::Secret;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/secret",
    level: Some(Level::Error),
    page: include_str!("secret.md"),
    check: Check::Reading,
};

/// Says that a secret stands there, without telling it; `redaction` is what the fix writes in its place.
pub(crate) fn finding(secret: &Secret, redaction: String) -> Finding {
    let Secret { span, is, fingerprint, .. } = secret;
    Finding::new(RULE.id, format!("{is} stands in the handoff"))
        .at(*span)
        .label(format!("{fingerprint}, not shown here"))
        .found(fingerprint)
        .expected("the name of where the secret is kept")
        .help(format!(
            "revoke it and redact it; if it is none, allow it in baton.toml: [secrets] allow = [\"{fingerprint}\"]"
        ))
        .fix(*span, redaction)
        .unsafe_fix()
}
