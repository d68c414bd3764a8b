//! One request: the delivery as JSON, signed, and what was said to it.

use std::io::{self, Read};
use std::sync::Once;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::config::Config;
use ureq::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use ureq::http::{HeaderMap, Response};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, Proxy, SendBody};

use crate::{Cause, Delivery, Failure};

use super::event::{Callback, Reply};
use super::{Hook, Secrets};

/// Time limit of name lookup and connection, which nothing else can end.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// The bytes of a refusal that are kept, for people.
const REFUSAL_BYTES_MAX: usize = 16 * 1024;
/// The bytes of the head of a response.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// A request as it goes out.
pub(super) struct Message {
    /// The same for all attempts, so that a repeat is known.
    id: String,
    time_s: u64,
    signature: String,
    body: Vec<u8>,
}

impl Message {
    /// The message of a delivery.
    pub(super) fn new(
        delivery: &Delivery,
        callback: &Callback,
        secrets: &Secrets,
        time_s: u64,
    ) -> Result<Self, Failure> {
        let handoff = str::from_utf8(&delivery.handoff).map_err(|error| {
            Failure::new(Cause::Impossible, format!("the handoff cannot be sent as JSON: {error}"))
        })?;
        // The same id would bring back the earlier answer, which could not be used.
        let id = match delivery.is_reask {
            false => delivery.key.plain(),
            true => format!("{}/again-{}", delivery.key.plain(), delivery.attempt),
        };
        let finalization = delivery.finalization.as_ref().map(|asked| {
            let schema = serde_json::from_str(&asked.schema).unwrap_or(Value::Null);
            json!({ "prompt": asked.prompt, "schema": schema })
        });
        let body = json!({
            "key": delivery.key.as_str(),
            "attempt": delivery.attempt,
            "receiver": delivery.receiver,
            "dialect": delivery.dialect,
            "prompt": delivery.prompt,
            "handoff": handoff,
            "finalization": finalization,
            "reask": delivery.is_reask,
            "callback": { "url": callback.url, "id": callback.id },
        });
        let body = body.to_string().into_bytes();
        let signature = secrets.sign(&id, time_s, &body);
        Ok(Self { id, time_s, signature, body })
    }
}

/// A client for one delivery, whose requests end when it is shut down.
pub(super) fn client(hook: &Hook, time_max: Duration) -> Agent {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // A provider that was installed earlier stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let proxy = if hook.is_loopback() { None } else { Proxy::try_from_env() };
    let config = Config::builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(proxy)
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
        .user_agent(concat!("baton/", env!("CARGO_PKG_VERSION")))
        .max_response_header_size(HEAD_BYTES_MAX)
        .max_idle_connections(0)
        .timeout_global(Some(time_max))
        .timeout_resolve(Some(CONNECT_WITHIN))
        .timeout_connect(Some(CONNECT_WITHIN))
        .build();
    config.new_agent()
}

/// Posts a message and waits for what is said to it; `sent` is called when all of it went out.
pub(super) fn post(
    client: &Agent,
    hook: &Hook,
    message: &Message,
    bytes_max: usize,
    sent: impl FnOnce(),
) -> Result<Reply, Failure> {
    let mut body = Telling { left: &message.body, sent: Some(sent) };
    let request = client
        .post(&hook.uri)
        .header("content-type", "application/json")
        .header("content-length", message.body.len().to_string())
        .header("webhook-id", &message.id)
        .header("webhook-timestamp", message.time_s.to_string())
        .header("webhook-signature", &message.signature);
    let mut response =
        request.send(SendBody::from_reader(&mut body)).map_err(|error| unreachable(hook, &error))?;
    let status = response.status().as_u16();
    let body = match status {
        200..300 => whole(hook, &mut response, bytes_max)?,
        _ => beginning(&mut response),
    };
    Ok(Reply { status, body })
}

/// A body that tells when it was read to its end.
struct Telling<'a, F> {
    left: &'a [u8],
    sent: Option<F>,
}

impl<F: FnOnce()> Read for Telling<'_, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.left.read(buffer)?;
        if self.left.is_empty()
            && let Some(sent) = self.sent.take()
        {
            sent();
        }
        Ok(read)
    }
}

/// A complete body; its end must be known.
fn whole(hook: &Hook, response: &mut Response<Body>, bytes_max: usize) -> Result<Vec<u8>, Failure> {
    let shown = hook.shown();
    if !says_its_length(response.headers()) && response.status() != 204 {
        let message =
            format!("the response of {shown} does not say where it ends, so that a cut would not show");
        return Err(Failure::new(Cause::Unreachable, message)
            .with_hint("the receiver must send Content-Length, or Transfer-Encoding: chunked"));
    }
    let mut body = Vec::new();
    let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    let read = response.body_mut().as_reader().take(limit).read_to_end(&mut body);
    if body.len() > bytes_max {
        let message = format!("the response of {shown} has more than {bytes_max} bytes and is not used");
        return Err(Failure::new(Cause::TooMuch, message));
    }
    read.map_err(|error| Failure {
        last_words: body[body.len().saturating_sub(REFUSAL_BYTES_MAX)..].to_vec(),
        ..Failure::new(
            Cause::Unreachable,
            format!("the response of {shown} was cut off after {} bytes: {error}", body.len()),
        )
    })?;
    Ok(body)
}

fn says_its_length(head: &HeaderMap) -> bool {
    let encoding = head.get(TRANSFER_ENCODING).and_then(|encoding| encoding.to_str().ok());
    head.contains_key(CONTENT_LENGTH)
        || encoding.is_some_and(|encoding| encoding.trim().to_ascii_lowercase().ends_with("chunked"))
}

fn beginning(response: &mut Response<Body>) -> Vec<u8> {
    let mut body = Vec::new();
    let limit = u64::try_from(REFUSAL_BYTES_MAX).unwrap_or(u64::MAX);
    // An unreadable body does not change the refusal.
    let _ = response.body_mut().as_reader().take(limit).read_to_end(&mut body);
    body
}

fn unreachable(hook: &Hook, error: &ureq::Error) -> Failure {
    let failure = Failure::new(Cause::Unreachable, format!("{} cannot be reached: {error}", hook.shown()));
    let hint = if matches!(error, ureq::Error::HostNotFound) {
        "is its name written right, and known to this machine?"
    } else if matches!(error, ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused) {
        "nobody listens there: is the receiver started, and is it the right port?"
    } else if matches!(error, ureq::Error::Rustls(_) | ureq::Error::Tls(_)) {
        "its certificate must be one that this machine trusts"
    } else {
        return failure;
    };
    failure.with_hint(hint)
}
