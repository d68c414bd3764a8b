//! URL and secrets of a receiver, as its owner writes them.

use std::fmt;

use ureq::http::Uri;

use crate::{Cause, Failure};

use super::Secrets;

/// An agent behind a URL.
#[derive(Clone, Debug)]
pub struct Hook {
    pub(super) uri: Uri,
    /// The secrets, or the reason for their absence, reported at the first delivery: a run may go far without one.
    pub(super) secrets: Result<Secrets, Failure>,
}

impl Hook {
    /// Reads how an agent is reached: its URL, the name of the variable that holds the secret, and what that holds.
    ///
    /// # Errors
    /// If the URL is none that can be posted to.
    pub fn new(url: &str, variable: &str, value: Option<&str>) -> Result<Self, HookFault> {
        let uri = read(url)?;
        let secrets = match value {
            None => Err(Failure::new(
                Cause::Missing,
                format!("the variable {variable}, which holds the secret for webhooks, is not set"),
            )
            .with_hint(format!("{HOW_TO_MAKE}, and `export {variable}=…` gives it to Baton"))),
            Some(value) => Secrets::read(value).ok_or_else(|| {
                Failure::new(Cause::Missing, format!("the variable {variable} holds no secret for webhooks"))
                    .with_hint(format!(
                        "a secret is `whsec_` and the base64 of 24 to 64 bytes; several are written with blanks \
                         between; {HOW_TO_MAKE}"
                    ))
            }),
        };
        Ok(Self { uri, secrets })
    }

    /// The URL without what may be a secret in it.
    pub(super) fn shown(&self) -> String {
        let scheme = self.uri.scheme_str().unwrap_or_default();
        let authority = self.uri.authority().map_or("", |authority| authority.as_str());
        format!("{scheme}://{authority}{}", self.uri.path())
    }

    /// Tells whether the URL is on this machine.
    pub(super) fn is_loopback(&self) -> bool {
        let host = self.uri.host().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
        host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
    }
}

const HOW_TO_MAKE: &str = "`echo whsec_$(openssl rand -base64 32)` makes one";

fn read(url: &str) -> Result<Uri, HookFault> {
    let fault = |why| HookFault { url: url.to_owned(), why };
    let uri: Uri = url.parse().map_err(|_| fault(Why::NoUrl))?;
    let authority = uri.authority().ok_or_else(|| fault(Why::NoUrl))?;
    if !["http", "https"].contains(&uri.scheme_str().unwrap_or_default()) {
        return Err(fault(Why::Scheme));
    }
    if authority.host().is_empty() {
        return Err(fault(Why::NoUrl));
    }
    if authority.as_str().contains('@') {
        return Err(HookFault { url: format!("…{}", authority.host()), why: Why::Password });
    }
    Ok(uri)
}

/// Why a text is no URL that deliveries can be posted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFault {
    url: String,
    why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    NoUrl,
    Scheme,
    Password,
}

impl fmt::Display for HookFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.why {
            Why::NoUrl => "is no URL; one looks like https://example.org/baton",
            Why::Scheme => "starts neither with http:// nor with https://",
            Why::Password => "holds a name or a password; the signature says who sends",
        };
        write!(out, "the URL `{}` {why}", self.url)
    }
}

impl std::error::Error for HookFault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_urls_that_can_be_posted_to_are_taken() {
        let said = |url: &str| Hook::new(url, "S", None).err().map(|fault| fault.to_string());
        assert_eq!(said("https://example.org/a?b=c"), None);
        assert_eq!(said("http://[::1]:80/"), None);
        let no_url = "is no URL; one looks like https://example.org/baton";
        for wrong in ["", "/path", "http://", "http:///path", "https://exa mple.org/"] {
            assert_eq!(said(wrong), Some(format!("the URL `{wrong}` {no_url}")), "{wrong}");
        }
        for wrong in ["example", "file://host/etc/passwd", "ftp://example.org/", "gopher://example.org/"] {
            assert!(said(wrong).is_some_and(|said| said.contains("starts neither")), "{wrong}");
        }
        let said = said("https://ada:hunter2@example.org/").unwrap_or_default();
        assert!(said.contains("holds a name or a password") && !said.contains("hunter2"), "{said}");
    }

    #[test]
    fn what_may_be_a_secret_in_a_url_is_not_shown() {
        let hook = Hook::new("https://example.org:8443/hook?token=hunter2", "S", None);
        assert_eq!(hook.map(|hook| hook.shown()), Ok("https://example.org:8443/hook".to_owned()));
    }

    #[test]
    fn a_secret_that_is_wanting_or_none_is_told_with_what_would_help() {
        let failure = |value| Hook::new("http://localhost/", "ADA", value).map(|hook| hook.secrets.err());
        let hint = |value| failure(value).ok().flatten().and_then(|failure| failure.hint);
        assert!(hint(None).is_some_and(|hint| hint.contains("export ADA=")));
        assert!(hint(Some("hunter2")).is_some_and(|hint| hint.contains("24 to 64 bytes")));
        assert!(!format!("{:?}", failure(Some("hunter2"))).contains("hunter2"));
    }
}
