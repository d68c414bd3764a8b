//! Signatures as the Standard Webhooks say: HMAC-SHA256 over id, time and body, by a secret that both sides have.
//!
//! Invariant: signatures are compared in constant time, and a secret is never shown.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Prefix of secrets in the standard.
const PREFIX: &str = "whsec_";
/// Prefix of signatures in the standard.
const VERSION: &str = "v1";
/// Allowed difference between the time of a message and this clock, in seconds.
const WINDOW_S: u64 = 5 * 60;
/// Secrets of one agent: one more than a rotation needs.
const SECRETS_MAX: usize = 3;
/// Signatures of one message that are compared.
const SIGNATURES_MAX: usize = 8;

/// The secrets of one agent. The first is the one in use; others are on their way in or out.
#[derive(Clone)]
pub struct Secrets(Vec<Hmac<Sha256>>);

impl Secrets {
    /// Reads secrets with blanks between them; nothing if one of them is none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let keyed = |secret: &str| {
            let bytes = STANDARD.decode(secret.strip_prefix(PREFIX)?).ok()?;
            (24..=64).contains(&bytes.len()).then(|| Hmac::new_from_slice(&bytes).ok())?
        };
        let secrets: Option<Vec<_>> = text.split_whitespace().map(keyed).collect();
        secrets.filter(|secrets| (1..=SECRETS_MAX).contains(&secrets.len())).map(Self)
    }

    /// The signatures of a message, by each secret, as they stand in its head.
    #[must_use]
    pub fn sign(&self, id: &str, time_s: u64, body: &[u8]) -> String {
        let one = |secret: &Hmac<Sha256>| {
            let mac = over(secret, id, &time_s.to_string(), body).finalize();
            format!("{VERSION},{}", STANDARD.encode(mac.into_bytes()))
        };
        self.0.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// Tells whether a message was signed with one of the secrets, at about this time.
    ///
    /// # Errors
    /// Why it is not believed.
    pub fn verify(&self, stamp: &Stamp<'_>, body: &[u8], now_s: u64) -> Result<(), Refused> {
        stamp.is_timely(now_s)?;
        let signatures = stamp.signature.split(' ').take(SIGNATURES_MAX).filter_map(|signature| {
            let (version, text) = signature.split_once(',')?;
            (version == VERSION).then(|| STANDARD.decode(text).ok())?
        });
        let mut is_signed = false;
        for signature in signatures {
            for secret in &self.0 {
                is_signed |= over(secret, stamp.id, stamp.time, body).verify_slice(&signature).is_ok();
            }
        }
        if is_signed { Ok(()) } else { Err(Refused::Forged) }
    }
}

fn over(secret: &Hmac<Sha256>, id: &str, time: &str, body: &[u8]) -> Hmac<Sha256> {
    let mut mac = secret.clone();
    for part in [id.as_bytes(), b".", time.as_bytes(), b".", body] {
        mac.update(part);
    }
    mac
}

impl fmt::Debug for Secrets {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} secrets", self.0.len())
    }
}

/// Signed header fields of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp<'a> {
    /// Its `webhook-id`.
    pub id: &'a str,
    /// Its `webhook-timestamp`, in seconds since 1970.
    pub time: &'a str,
    /// Its `webhook-signature`: one or more, with blanks between.
    pub signature: &'a str,
}

impl Stamp<'_> {
    /// Tells whether a message is neither old nor from the future.
    ///
    /// # Errors
    /// Which of them it is.
    pub fn is_timely(&self, now_s: u64) -> Result<(), Refused> {
        // Signs and blanks would be read too, and another text for the same time is another message.
        let is_plain = self.time.bytes().all(|byte| byte.is_ascii_digit());
        let time_s = self.time.parse::<u64>().ok().filter(|_| is_plain).ok_or(Refused::NoTime)?;
        match time_s.abs_diff(now_s) <= WINDOW_S {
            true => Ok(()),
            false if time_s < now_s => Err(Refused::Old),
            false => Err(Refused::Early),
        }
    }
}

/// Why a message is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Its time is no number of seconds.
    NoTime,
    /// It was signed too long ago.
    Old,
    /// It was signed in the future.
    Early,
    /// No signature of it was made with a secret that is known here.
    Forged,
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTime => out.write_str("webhook-timestamp is no number of seconds since 1970"),
            Self::Old => write!(out, "webhook-timestamp is more than {WINDOW_S} seconds ago"),
            Self::Early => write!(out, "webhook-timestamp is more than {WINDOW_S} seconds ahead"),
            Self::Forged => out.write_str("webhook-signature was not made with the secret of this agent"),
        }
    }
}

impl std::error::Error for Refused {}

#[cfg(test)]
mod tests {
    use super::*;

    // The example of the standard's own libraries.
    const SECRET: &str = concat!("whsec", "_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const TIME_S: u64 = 1_614_265_330;
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    #[test]
    fn signatures_are_those_of_the_standard() {
        let secrets = Secrets::read(SECRET).expect("a secret");
        // proves S-06
        assert_eq!(secrets.sign(ID, TIME_S, BODY), SIGNATURE);
        let stamp = Stamp { id: ID, time: "1614265330", signature: SIGNATURE };
        assert_eq!(secrets.verify(&stamp, BODY, TIME_S), Ok(()));
    }

    #[test]
    fn a_secret_can_be_changed_while_both_are_in_use() {
        let other = format!("whsec_{}", "A".repeat(32));
        let both = Secrets::read(&format!("{other} {SECRET}")).expect("two secrets");
        let signed = both.sign(ID, TIME_S, BODY);
        assert!(signed.ends_with(SIGNATURE) && signed.split(' ').count() == 2);
        let old = Secrets::read(SECRET).expect("a secret");
        let stamp = Stamp { id: ID, time: "1614265330", signature: &signed };
        assert_eq!(old.verify(&stamp, BODY, TIME_S), Ok(()));
        assert_eq!(both.verify(&Stamp { signature: SIGNATURE, ..stamp }, BODY, TIME_S), Ok(()));
    }

    #[test]
    fn what_is_no_secret_is_not_read_as_one() {
        let long = format!("whsec_{}", "A".repeat(88));
        for wrong in ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAA", "whsec_!", &long] {
            assert!(Secrets::read(wrong).is_none(), "{wrong}");
        }
        assert!(Secrets::read(&[SECRET; 4].join(" ")).is_none());
        assert_eq!(format!("{:?}", Secrets::read(SECRET)), "Some(1 secrets)");
    }

    #[test]
    fn a_message_counts_only_at_its_time() {
        let secrets = Secrets::read(SECRET).expect("a secret");
        let said = |time: &str, now_s| {
            let signature = secrets.sign(ID, TIME_S, BODY);
            secrets.verify(&Stamp { id: ID, time, signature: &signature }, BODY, now_s)
        };
        assert_eq!(said("1614265330", TIME_S + WINDOW_S), Ok(()));
        assert_eq!(said("1614265330", TIME_S - WINDOW_S), Ok(()));
        assert_eq!(said("1614265330", TIME_S + WINDOW_S + 1), Err(Refused::Old));
        assert_eq!(said("1614265330", TIME_S - WINDOW_S - 1), Err(Refused::Early));
        assert_eq!(said("1614265331", TIME_S), Err(Refused::Forged));
        for wrong in ["", "+1614265330", " 1614265330", "now", "99999999999999999999999"] {
            assert_eq!(said(wrong, TIME_S), Err(Refused::NoTime), "{wrong}");
        }
    }
}
